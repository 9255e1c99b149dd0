/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Rows are arrays of numbers and texts with enums as column numbers, not structs with named
 * fields: binding, fetching and the column lists of the SQL are then loops over one table of names,
 * and a column cannot be bound in one order and fetched in another.
 *
 * The same rows come from the database and from the queue of writes, so what is read back goes
 * through one decoder whether it has been committed yet or not.
 */
#include "rows.h"

#include "rows-json.h"
#include <errno.h>
#include <string.h>

const char *const head_numbers[_HEAD_NUMBER_MAX] = {
	[HEAD_ROW] = "row",
	[HEAD_OWNER] = "owner",
	[HEAD_POLICY] = "policy",
	[HEAD_PRIORITY] = "priority",
	[HEAD_WANTED_POLICY] = "wanted_policy",
	[HEAD_INTERVAL_NS] = "interval_ns",
	[HEAD_PLANNED_NS] = "planned_ns",
	[HEAD_CREATED_USEC] = "created_usec",
	[HEAD_STARTED_USEC] = "started_usec",
	[HEAD_FINISHED_USEC] = "finished_usec",
	[HEAD_KEPT] = "kept",
	[HEAD_THINNED_USEC] = "thinned_usec",
};

const char *const head_texts[_HEAD_TEXT_MAX] = {
	[HEAD_ID] = "id",
	[HEAD_PLAN] = "plan",
	[HEAD_LABEL] = "label",
	[HEAD_STATE] = "state",
	[HEAD_VERDICT] = "verdict",
	[HEAD_REASON] = "reason",
	[HEAD_REASON_ID] = "reason_id",
	[HEAD_INSTRUMENT] = "instrument",
	[HEAD_OVERRIDES] = "overrides",
	[HEAD_METHOD] = "method",
	[HEAD_SUMMARY] = "summary",
	[HEAD_FINDINGS] = "findings",
	[HEAD_PEER] = "peer",
	[HEAD_BASELINE] = "baseline",
	[HEAD_PLAN_TEXT] = "plan_text",
	[HEAD_CONDITIONS] = "conditions",
	[HEAD_PEER_CONDITIONS] = "peer_conditions",
	[HEAD_BLOCKS] = "blocks",
	[HEAD_ANALYSIS] = "analysis",
};

const char *const stage_numbers[_STAGE_NUMBER_MAX] = {
	[STAGE_INDEX] = "idx",
	[STAGE_STARTED_USEC] = "started_usec",
	[STAGE_DURATION_NS] = "duration_ns",
	[STAGE_PLANNED_NS] = "planned_ns",
	[STAGE_COMPLETE] = "complete",
	[STAGE_REPEAT] = "repeat",
};

const char *const stage_texts[_STAGE_TEXT_MAX] = {
	[STAGE_NAME] = "name",	       [STAGE_LOAD] = "load",
	[STAGE_VERDICT] = "verdict",   [STAGE_FINDINGS] = "findings",
	[STAGE_LIMITS] = "limits",     [STAGE_METRICS] = "metrics",
	[STAGE_IRQS] = "irqs",	       [STAGE_CHECKPOINTS] = "checkpoints",
	[STAGE_PORT] = "port",	       [STAGE_PEER] = "peer",
	[STAGE_ANALYSIS] = "analysis", [STAGE_VALUES] = "\"values\"", /* a word of SQL */
};

struct head_row *head_row_new(void)
{
	return g_atomic_rc_box_new0(struct head_row);
}

struct head_row *head_row_ref(struct head_row *h)
{
	return g_atomic_rc_box_acquire(h);
}

static void head_row_clear(gpointer data)
{
	struct head_row *h = data;

	for (int i = 0; i < _HEAD_TEXT_MAX; i++)
		g_free(h->text[i]);
}

void head_row_unref(struct head_row *h)
{
	if (h)
		g_atomic_rc_box_release_full(h, head_row_clear);
}

struct head_row *head_row_with_mark(struct head_row *h, int kept, const char *baseline)
{
	struct head_row *copy;

	if ((kept < 0 || h->number[HEAD_KEPT] == kept) &&
	    (!baseline || g_strcmp0(h->text[HEAD_BASELINE], baseline) == 0))
		return head_row_ref(h);
	copy = head_row_new();
	memcpy(copy->number, h->number, sizeof(copy->number));
	if (kept >= 0)
		copy->number[HEAD_KEPT] = kept;
	for (int i = 0; i < _HEAD_TEXT_MAX; i++)
		copy->text[i] = g_strdup(i == HEAD_BASELINE && baseline ? baseline : h->text[i]);
	return copy;
}

struct figures_row *figures_row_new(void)
{
	struct figures_row *f = g_new0(struct figures_row, 1);

	f->data = g_byte_array_new();
	return f;
}

void figures_row_free(struct figures_row *f)
{
	if (!f)
		return;
	g_byte_array_unref(f->data);
	g_free(f);
}

struct stage_row *stage_row_new(void)
{
	struct stage_row *s = g_atomic_rc_box_new0(struct stage_row);

	s->snapshots = g_byte_array_new();
	s->figures = g_ptr_array_new_with_free_func((GDestroyNotify)figures_row_free);
	return s;
}

struct stage_row *stage_row_ref(struct stage_row *s)
{
	return g_atomic_rc_box_acquire(s);
}

static void stage_row_clear(gpointer data)
{
	struct stage_row *s = data;

	for (int i = 0; i < _STAGE_TEXT_MAX; i++)
		g_free(s->text[i]);
	g_byte_array_unref(s->snapshots);
	g_ptr_array_unref(s->figures);
}

void stage_row_unref(struct stage_row *s)
{
	if (s)
		g_atomic_rc_box_release_full(s, stage_row_clear);
}

/* Members of the summary that listing does not show. */
static const struct {
	enum head_text text;
	const char *key;
} rows_summary_bulk[] = {
	{ HEAD_BLOCKS, "blocks" },
	{ HEAD_ANALYSIS, "analysis" },
};

static void rows_split_summary(struct head_row *h, const json_t *summary)
{
	json_t *rest = json_copy((json_t *)summary); /* NULL gives NULL, in all of these */

	for (size_t i = 0; i < G_N_ELEMENTS(rows_summary_bulk); i++) {
		const char *key = rows_summary_bulk[i].key;

		h->text[rows_summary_bulk[i].text] = rows_json_text(json_object_get(rest, key));
		(void)json_object_del(rest, key);
	}
	h->text[HEAD_SUMMARY] = rows_json_text(rest);
	json_decref(rest);
}

static void rows_add_papers(struct result *r, const struct head_row *h)
{
	if (h->text[HEAD_PLAN_TEXT]) {
		g_free(r->plan_text);
		r->plan_text = g_strdup(h->text[HEAD_PLAN_TEXT]);
	}
	r->conditions = rows_json_parse(h->text[HEAD_CONDITIONS]);
	r->peer_conditions = rows_json_parse(h->text[HEAD_PEER_CONDITIONS]);
	for (size_t i = 0; i < G_N_ELEMENTS(rows_summary_bulk); i++) {
		json_t *bulk = rows_json_parse(h->text[rows_summary_bulk[i].text]);

		if (bulk && !r->summary)
			r->summary = json_object();
		if (bulk)
			(void)json_object_set_new(r->summary, rows_summary_bulk[i].key, bulk);
	}
}

struct head_row *head_row_from_result(const struct result *r, int64_t row)
{
	struct head_row *h = head_row_new();

	h->number[HEAD_ROW] = row;
	h->number[HEAD_OWNER] = r->owner;
	h->number[HEAD_POLICY] = r->policy;
	h->number[HEAD_PRIORITY] = r->priority;
	h->number[HEAD_WANTED_POLICY] = r->wanted_policy;
	h->number[HEAD_INTERVAL_NS] = (int64_t)r->interval_ns;
	h->number[HEAD_PLANNED_NS] = (int64_t)r->planned_ns;
	h->number[HEAD_CREATED_USEC] = (int64_t)r->created_usec;
	h->number[HEAD_STARTED_USEC] = (int64_t)r->started_usec;
	h->number[HEAD_FINISHED_USEC] = (int64_t)r->finished_usec;
	h->number[HEAD_KEPT] = r->kept;
	h->number[HEAD_THINNED_USEC] = (int64_t)r->thinned_usec;
	h->text[HEAD_ID] = g_strdup(r->id);
	h->text[HEAD_PLAN] = g_strdup(r->plan);
	h->text[HEAD_LABEL] = g_strdup(r->label);
	h->text[HEAD_STATE] = g_strdup(session_state_to_string(r->state));
	h->text[HEAD_VERDICT] = g_strdup(verdict_to_string(r->verdict));
	h->text[HEAD_REASON] = g_strdup(r->reason);
	h->text[HEAD_REASON_ID] = g_strdup(r->reason_id);
	h->text[HEAD_INSTRUMENT] = g_strdup(r->instrument);
	h->text[HEAD_OVERRIDES] = rows_json_text(r->overrides);
	h->text[HEAD_METHOD] = rows_json_text(r->method);
	rows_split_summary(h, r->summary);
	h->text[HEAD_FINDINGS] = rows_findings_text(r->findings);
	h->text[HEAD_PEER] = rows_json_text(r->peer);
	h->text[HEAD_BASELINE] = g_strdup(r->baseline);
	h->text[HEAD_PLAN_TEXT] = g_strdup(r->plan_text);
	h->text[HEAD_CONDITIONS] = rows_json_text(r->conditions);
	h->text[HEAD_PEER_CONDITIONS] = rows_json_text(r->peer_conditions);
	return h;
}

static void rows_set_string(char **field, const char *text)
{
	g_free(*field);
	*field = g_strdup(text ? text : "");
}

static void rows_set_object(json_t **field, const char *text)
{
	json_t *j = rows_json_parse(text);

	json_decref(*field);
	*field = json_is_object(j) ? j : json_object();
	if (*field != j)
		json_decref(j);
}

/* Said wherever findings are, so that nobody takes what is missing for what was not measured. */
static void rows_add_thinned(struct result *r)
{
	g_autoptr(GDateTime) when =
		g_date_time_new_from_unix_utc((gint64)(r->thinned_usec / 1000000));
	g_autofree char *day = when ? g_date_time_format(when, "%Y-%m-%d") : g_strdup("one day");

	finding_add(r->findings, "thinned",
		    "The details of this session were removed on %s, as its plan's \"keep\" wants "
		    "it; this is its summary.",
		    day);
}

struct result *head_row_to_result(const struct head_row *h, bool papers)
{
	int state = session_state_from_string(h->text[HEAD_STATE]);
	int verdict = verdict_from_string(h->text[HEAD_VERDICT]);
	struct result *r = result_new();

	g_clear_pointer(&r->stages, g_ptr_array_unref);
	r->row = h->number[HEAD_ROW];
	r->owner = h->number[HEAD_OWNER];
	r->policy = h->number[HEAD_POLICY];
	r->priority = h->number[HEAD_PRIORITY];
	r->wanted_policy = h->number[HEAD_WANTED_POLICY];
	r->interval_ns = h->number[HEAD_INTERVAL_NS];
	r->planned_ns = h->number[HEAD_PLANNED_NS];
	r->created_usec = h->number[HEAD_CREATED_USEC];
	r->started_usec = h->number[HEAD_STARTED_USEC];
	r->finished_usec = h->number[HEAD_FINISHED_USEC];
	r->kept = h->number[HEAD_KEPT];
	r->thinned_usec = h->number[HEAD_THINNED_USEC];
	rows_set_string(&r->id, h->text[HEAD_ID]);
	rows_set_string(&r->plan, h->text[HEAD_PLAN]);
	rows_set_string(&r->label, h->text[HEAD_LABEL]);
	r->state = state >= 0 ? state : SESSION_FAILED;
	r->verdict = verdict >= 0 ? verdict : VERDICT_INCONCLUSIVE;
	rows_set_string(&r->reason, h->text[HEAD_REASON]);
	rows_set_string(&r->reason_id, h->text[HEAD_REASON_ID]);
	rows_set_string(&r->instrument, h->text[HEAD_INSTRUMENT]);
	rows_set_object(&r->overrides, h->text[HEAD_OVERRIDES]);
	rows_set_object(&r->method, h->text[HEAD_METHOD]);
	r->summary = rows_json_parse(h->text[HEAD_SUMMARY]);
	g_ptr_array_unref(r->findings);
	r->findings = rows_findings_parse(h->text[HEAD_FINDINGS]);
	if (r->thinned_usec)
		rows_add_thinned(r);
	r->peer = rows_json_parse(h->text[HEAD_PEER]);
	rows_set_string(&r->baseline, h->text[HEAD_BASELINE]);
	if (papers)
		rows_add_papers(r, h);
	return r;
}

struct stage_row *stage_row_from_stage(const struct result_stage *s)
{
	struct stage_row *row = stage_row_new();

	row->number[STAGE_INDEX] = s->index;
	row->number[STAGE_STARTED_USEC] = (int64_t)s->started_usec;
	row->number[STAGE_DURATION_NS] = (int64_t)s->duration_ns;
	row->number[STAGE_PLANNED_NS] = (int64_t)s->planned_ns;
	row->number[STAGE_COMPLETE] = s->complete;
	row->number[STAGE_REPEAT] = s->repeat;
	row->text[STAGE_NAME] = g_strdup(s->name);
	row->text[STAGE_LOAD] = g_strdup(s->load);
	row->text[STAGE_VERDICT] = g_strdup(verdict_to_string(s->verdict));
	row->text[STAGE_FINDINGS] = rows_findings_text(s->findings);
	row->text[STAGE_LIMITS] = rows_limits_text(s->limits);
	row->text[STAGE_METRICS] = rows_metrics_text(s->metrics);
	row->text[STAGE_IRQS] = rows_json_text(s->irqs);
	row->text[STAGE_CHECKPOINTS] = rows_checkpoints_text(s->checkpoints);
	row->text[STAGE_PORT] = rows_json_text(s->port);
	row->text[STAGE_PEER] = rows_json_text(s->peer);
	row->text[STAGE_ANALYSIS] = rows_json_text(s->analysis);
	row->text[STAGE_VALUES] = rows_values_text(s->values);
	if (s->snapshots)
		snapshots_encode(s->snapshots, row->snapshots);
	for (guint i = 0; i < s->cpus->len; i++) {
		const struct result_cpu *c = s->cpus->pdata[i];
		struct figures_row *f = figures_row_new();

		f->cpu = c->cpu;
		f->policy = c->policy;
		f->priority = c->priority;
		figures_encode(c->figures, f->data);
		g_ptr_array_add(row->figures, f);
	}
	return row;
}

/* Without them some intervals cannot be had: no reason not to show the rest. */
static void stage_row_add_snapshots(const struct stage_row *row, struct result_stage *s)
{
	if (row->snapshots->len > 0)
		(void)snapshots_decode(row->snapshots->data, row->snapshots->len, &s->snapshots);
}

static int stage_row_add_cpus(const struct stage_row *row, struct result_stage *s,
			      char **ret_message)
{
	for (guint i = 0; i < row->figures->len; i++) {
		const struct figures_row *f = row->figures->pdata[i];
		struct figures *figures;
		struct result_cpu *c;
		int r;

		r = figures_decode(f->data->data, f->data->len, &figures);
		if (r < 0) {
			if (ret_message)
				*ret_message =
					g_strdup_printf("The stored figures of CPU %d in stage "
							"\"%s\" cannot be read: "
							"damaged, or written by a newer lrtbfd.",
							(int)f->cpu, s->name);
			return r;
		}
		c = g_new0(struct result_cpu, 1);
		c->cpu = f->cpu;
		c->policy = f->policy;
		c->priority = f->priority;
		c->figures = figures;
		g_ptr_array_add(s->cpus, c);
	}
	return 0;
}

int stage_row_to_stage(const struct stage_row *row, struct result_stage **ret, char **ret_message)
{
	int verdict = verdict_from_string(row->text[STAGE_VERDICT]);
	struct result_stage *s = result_stage_new();
	int r;

	s->index = row->number[STAGE_INDEX];
	s->started_usec = row->number[STAGE_STARTED_USEC];
	s->duration_ns = row->number[STAGE_DURATION_NS];
	s->planned_ns = row->number[STAGE_PLANNED_NS];
	s->complete = row->number[STAGE_COMPLETE];
	s->repeat = row->number[STAGE_REPEAT];
	rows_set_string(&s->name, row->text[STAGE_NAME]);
	rows_set_string(&s->load, row->text[STAGE_LOAD]);
	s->verdict = verdict >= 0 ? verdict : VERDICT_INCONCLUSIVE;
	g_ptr_array_unref(s->findings);
	s->findings = rows_findings_parse(row->text[STAGE_FINDINGS]);
	rows_limits_parse(row->text[STAGE_LIMITS], s->limits);
	rows_metrics_parse(row->text[STAGE_METRICS], s->metrics);
	s->irqs = rows_json_parse(row->text[STAGE_IRQS]);
	rows_checkpoints_parse(row->text[STAGE_CHECKPOINTS], s->checkpoints);
	s->port = rows_json_parse(row->text[STAGE_PORT]);
	s->peer = rows_json_parse(row->text[STAGE_PEER]);
	s->analysis = rows_json_parse(row->text[STAGE_ANALYSIS]);
	rows_values_parse(row->text[STAGE_VALUES], s->values);
	stage_row_add_snapshots(row, s);
	r = stage_row_add_cpus(row, s, ret_message);
	if (r < 0) {
		result_stage_free(s);
		return r;
	}
	*ret = s;
	return 0;
}
