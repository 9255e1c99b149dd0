/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What hangs on a session without being searched for is kept as JSON text in its row, not in tables
 * of its own: it is always read and written as a whole, new keys need no migration, and a person
 * with the sqlite3 shell can read it.
 *
 * Whole numbers beyond 63 bits are kept as their two's complement, since JSON integers here and
 * SQLite's both are signed.
 */
#include "rows-json.h"

#include "cleanup.h"
#include <string.h>

static const char *const limit_outcome_names[] = {
	[LIMIT_KEPT] = "kept",
	[LIMIT_BROKEN] = "broken",
	[LIMIT_UNKNOWN] = "unknown",
};

/* Kinds for what another version found; by weight. */
static const struct finding_kind rows_other_kinds[] = {
	[FINDING_WARNS] = { "other-version", FINDING_WARNS, "Found by another version of lrtbfd.",
			    "Read the result with the version that measured it." },
	[FINDING_INCONCLUSIVE] = { "other-version", FINDING_INCONCLUSIVE,
				   "Found by another version of lrtbfd.",
				   "Read the result with the version that measured it." },
};

char *rows_json_text(const json_t *j)
{
	char *text, *copy;

	if (!j)
		return NULL;
	text = json_dumps(j, JSON_COMPACT | JSON_ENCODE_ANY | JSON_REAL_PRECISION(17));
	copy = g_strdup(text);
	free(text); /* jansson's allocator, not glib's */
	return copy;
}

json_t *rows_json_parse(const char *text)
{
	return text ? json_loads(text, JSON_DECODE_ANY, NULL) : NULL;
}

/* Text from files and programs may be anything; JSON takes UTF-8 only. */
static json_t *rows_string(const char *s)
{
	g_autofree char *valid = g_utf8_make_valid(s, -1);

	return json_string(valid);
}

/* "" when @key is missing or no string. Borrowed. */
static const char *rows_get_string(const json_t *o, const char *key)
{
	const char *s = json_string_value(json_object_get(o, key));

	return s ? s : "";
}

static char *rows_take_text(json_t *j)
{
	char *text = rows_json_text(j);

	json_decref(j);
	return text;
}

char *rows_findings_text(const GPtrArray *findings)
{
	json_t *list = json_array();

	for (guint i = 0; i < findings->len; i++) {
		const struct finding *f = findings->pdata[i];
		json_t *o = json_object();

		json_object_set_new(o, "id", json_string(f->kind->id));
		json_object_set_new(o, "text", rows_string(f->text));
		json_object_set_new(o, "inconclusive",
				    json_boolean(f->kind->weight == FINDING_INCONCLUSIVE));
		json_array_append_new(list, o);
	}
	return rows_take_text(list);
}

GPtrArray *rows_findings_parse(const char *text)
{
	g_autoptr(json_t) list = rows_json_parse(text);
	GPtrArray *findings = findings_new();
	size_t i;
	json_t *o;

	json_array_foreach (list, i, o) {
		const struct finding_kind *kind = finding_kind(rows_get_string(o, "id"));
		struct finding *f;

		if (!json_is_object(o))
			continue;
		if (!kind)
			kind = &rows_other_kinds[json_is_true(json_object_get(o, "inconclusive"))
							 ? FINDING_INCONCLUSIVE
							 : FINDING_WARNS];
		f = g_new0(struct finding, 1);
		f->kind = kind;
		f->text = g_strdup(rows_get_string(o, "text"));
		g_ptr_array_add(findings, f);
	}
	return findings;
}

char *rows_limits_text(const GArray *limits)
{
	json_t *list = json_array();

	for (guint i = 0; i < limits->len; i++) {
		const struct result_limit *l = &g_array_index(limits, struct result_limit, i);
		json_t *o = json_object();

		json_object_set_new(o, "limit", rows_string(l->limit.text));
		json_object_set_new(o, "name", rows_string(l->limit.name));
		json_object_set_new(o, "outcome", json_string(limit_outcome_names[l->outcome]));
		json_object_set_new(o, "value", json_integer((json_int_t)l->value));
		json_object_set_new(o, "cpu", json_integer(l->cpu));
		if (l->limit.baseline && !l->limit.unbound)
			json_object_set_new(o, "bound", json_integer((json_int_t)l->limit.bound));
		json_array_append_new(list, o);
	}
	return rows_take_text(list);
}

/* What a baseline came to: the text has no number. */
static void rows_limit_bound(const json_t *o, struct limit *l)
{
	const json_t *bound = json_object_get(o, "bound");

	if (!l->baseline || !json_is_integer(bound))
		return;
	l->bound = (uint64_t)json_integer_value(bound);
	l->unbound = false;
}

static enum limit_outcome rows_outcome(const char *word)
{
	for (guint i = 0; i < G_N_ELEMENTS(limit_outcome_names); i++)
		if (strcmp(limit_outcome_names[i], word) == 0)
			return i;
	return LIMIT_UNKNOWN;
}

void rows_limits_parse(const char *text, GArray *limits)
{
	g_autoptr(json_t) list = rows_json_parse(text);
	size_t i;
	json_t *o;

	json_array_foreach (list, i, o) {
		struct result_limit l = { 0 };

		if (limit_parse(rows_get_string(o, "limit"), &l.limit, NULL) < 0)
			continue;
		g_strlcpy(l.limit.name, rows_get_string(o, "name"), sizeof(l.limit.name));
		rows_limit_bound(o, &l.limit);
		l.outcome = rows_outcome(rows_get_string(o, "outcome"));
		l.value = json_integer_value(json_object_get(o, "value"));
		l.cpu = json_integer_value(json_object_get(o, "cpu"));
		g_array_append_val(limits, l);
	}
}

char *rows_metrics_text(const GPtrArray *metrics)
{
	json_t *list = json_array();

	for (guint i = 0; i < metrics->len; i++) {
		const struct result_metric *m = metrics->pdata[i];
		json_t *o = json_object();

		json_object_set_new(o, "name", rows_string(m->name));
		json_object_set_new(o, "unit", rows_string(m->unit));
		json_object_set_new(o, "n", json_integer(m->n));
		/* json_real() refuses what is not finite; such a key is then simply not there */
		json_object_set_new(o, "mean", json_real(m->mean));
		json_object_set_new(o, "stddev", json_real(m->stddev));
		json_object_set_new(o, "min", json_real(m->min));
		json_object_set_new(o, "max", json_real(m->max));
		json_array_append_new(list, o);
	}
	return rows_take_text(list);
}

void rows_metrics_parse(const char *text, GPtrArray *metrics)
{
	g_autoptr(json_t) list = rows_json_parse(text);
	size_t i;
	json_t *o;

	json_array_foreach (list, i, o) {
		struct result_metric *m =
			result_metric_new(rows_get_string(o, "name"), rows_get_string(o, "unit"));

		m->n = json_integer_value(json_object_get(o, "n"));
		m->mean = json_number_value(json_object_get(o, "mean"));
		m->stddev = json_number_value(json_object_get(o, "stddev"));
		m->min = json_number_value(json_object_get(o, "min"));
		m->max = json_number_value(json_object_get(o, "max"));
		g_ptr_array_add(metrics, m);
	}
}

char *rows_values_text(const GPtrArray *values)
{
	json_t *list = values->len > 0 ? json_array() : NULL;

	for (guint i = 0; i < values->len; i++) {
		const struct result_value *v = values->pdata[i];
		json_t *o = json_object();

		json_object_set_new(o, "name", rows_string(v->name));
		json_object_set_new(o, "unit", rows_string(v->unit));
		json_object_set_new(o, "value", json_real(v->value));
		json_object_set_new(o, "decimals", json_integer(v->decimals));
		json_array_append_new(list, o);
	}
	return rows_take_text(list);
}

void rows_values_parse(const char *text, GPtrArray *values)
{
	g_autoptr(json_t) list = rows_json_parse(text);
	size_t i;
	json_t *o;

	json_array_foreach (list, i, o)
		g_ptr_array_add(
			values,
			result_value_new(rows_get_string(o, "name"), rows_get_string(o, "unit"),
					 json_number_value(json_object_get(o, "value")),
					 json_integer_value(json_object_get(o, "decimals"))));
}

char *rows_checkpoints_text(const GArray *checkpoints)
{
	json_t *list = json_array();

	for (guint i = 0; i < checkpoints->len; i++)
		json_array_append_new(
			list, json_integer((json_int_t)g_array_index(checkpoints, uint64_t, i)));
	return rows_take_text(list);
}

void rows_checkpoints_parse(const char *text, GArray *checkpoints)
{
	g_autoptr(json_t) list = rows_json_parse(text);
	size_t i;
	json_t *o;

	json_array_foreach (list, i, o) {
		uint64_t ns = json_integer_value(o);

		g_array_append_val(checkpoints, ns);
	}
}
