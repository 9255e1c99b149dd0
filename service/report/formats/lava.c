/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a LAVA test job prints to have results recorded: one signal a line, as lava-test-case writes
 * it for a result that is there already (https://docs.lavasoftware.org, "Recording test results").
 * The dispatcher takes a signal apart at blanks, each part at its one '=', and ends it at '>', and
 * it has no escapes: so ids are of few characters, and no free text is in it. There are no STARTTC
 * and ENDTC: these mark the part of the job's log in which a case ran, and this one ran before.
 *
 * "unknown" is inconclusive. A figure without a limit is "pass" where it was measured soundly:
 * LAVA has no word for a mere measurement. Its database keeps ten digits before the point and ten
 * behind it, so that a larger number is left out of its signal.
 */
#include "cases.h"
#include "decimal.h"
#include "duration.h"
#include "quantity.h"
#include "report.h"
#include "stagename.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#define LAVA_LARGEST 10000000000ULL

struct lava {
	GString *out;
	GHashTable *ids;
};

static const char *lava_result(enum case_outcome outcome)
{
	switch (outcome) {
	case CASE_PASS:
		return "pass";
	case CASE_SKIP:
		return "skip";
	case CASE_FAIL:
		return "fail";
	default:
		return "unknown";
	}
}

/* @s of [A-Za-z0-9._-] only, and not empty: a run of other bytes is one '_'. */
static char *lava_word(const char *s)
{
	GString *out = g_string_new(NULL);

	for (; *s; s++) {
		if (g_ascii_isalnum(*s) || strchr("._-", *s))
			g_string_append_c(out, *s);
		else if (out->len == 0 || out->str[out->len - 1] != '_')
			g_string_append_c(out, '_');
	}
	if (out->len == 0)
		g_string_append_c(out, '_');
	return g_string_free(out, FALSE);
}

/* @measurement and @units NULL: without one. */
static void lava_signal(struct lava *l, const char *stage, const char *name, const char *result,
			const char *units, const char *measurement)
{
	g_autofree char *full = g_strconcat(stage, *stage ? "." : "", name, NULL);
	g_autofree char *word = lava_word(full), *id = stagename_unused(l->ids, word);

	g_string_append_printf(l->out, "<LAVA_SIGNAL_TESTCASE TEST_CASE_ID=%s RESULT=%s", id,
			       result);
	if (measurement)
		g_string_append_printf(l->out, " UNITS=%s MEASUREMENT=%s", units, measurement);
	g_string_append(l->out, ">\n");
}

/* Of a limit, as its figure: us, count or percent. NULL: not known, or too large. */
static char *lava_limit_value(const struct result_limit *l, const char **ret_units)
{
	GString *text = g_string_new(NULL);
	uint64_t whole = l->value;

	switch (l->limit.figure) {
	case LIMIT_MISSED:
	case LIMIT_LOST:
		*ret_units = "count";
		g_string_append_printf(text, "%" PRIu64, l->value);
		break;
	case LIMIT_WITHIN:
		*ret_units = "percent";
		whole /= 10000;
		g_string_append_printf(text, "%" PRIu64 ".%04u", whole,
				       (unsigned)(l->value % 10000));
		break;
	default:
		*ret_units = "us";
		whole /= 1000;
		decimal_append_time(text, l->value, 0, 1000000);
	}
	return g_string_free(text, l->outcome == LIMIT_UNKNOWN || whole >= LAVA_LARGEST);
}

static void lava_case(struct lava *l, const char *stage, const struct test_case *c)
{
	const char *units = NULL;
	g_autofree char *value = c->limit ? lava_limit_value(c->limit, &units) : NULL;

	lava_signal(l, stage, c->id, lava_result(c->outcome), units, value);
}

/* Figures that no limit of the stage shows already. */
static bool lava_is_limited(const struct result_stage *s, const struct quantity *q)
{
	for (guint i = 0; i < s->limits->len; i++)
		if (strcmp(g_array_index(s->limits, struct result_limit, i).limit.name, q->name) ==
		    0)
			return true;
	return false;
}

static void lava_figures(struct lava *l, const char *stage, const struct result_stage *s,
			 const char *result)
{
	g_autofree struct figures *all = result_stage_all(s);
	struct amount a;

	for (const struct quantity *q = quantities; q->key; q++) {
		g_autoptr(GString) value = g_string_new(NULL);
		bool time = q->unit == QUANTITY_TIME;

		if (lava_is_limited(s, q) || !quantity_of(q, all, &a))
			continue;
		quantity_append(value, q, &a, 1000000);
		lava_signal(l, stage, q->name, result, time ? "us" : "count",
			    a.n / (time ? 1000 : 1) < LAVA_LARGEST ? value->str : NULL);
	}
}

static void lava_values(struct lava *l, const char *stage, const struct result_stage *s,
			const char *result)
{
	for (guint i = 0; i < s->values->len; i++) {
		const struct result_value *v = s->values->pdata[i];
		g_autofree char *value = number_format(v->value, v->decimals);
		g_autofree char *units = lava_word(v->unit);
		bool fits = isfinite(v->value) && fabs(v->value) < (double)LAVA_LARGEST;

		lava_signal(l, stage, v->name, result, units, fits ? value : NULL);
	}
}

static int lava_render(const struct result *r, const struct report_options *o, GString *out,
		       char **ret_message)
{
	g_autoptr(GHashTable) ids = stagename_set();
	g_autoptr(GPtrArray) cases = cases_new(r);
	g_auto(GStrv) names = stagename_all(r);
	struct lava l = { out, ids };

	for (guint i = 0; i < cases->len; i++) {
		const struct test_case *c = cases->pdata[i];

		lava_case(&l, c->stage >= 0 ? names[c->stage] : "", c);
	}
	for (guint i = 0; names[i]; i++) {
		const struct result_stage *s = r->stages->pdata[i];
		bool doubt = s->verdict == VERDICT_EMPTY || findings_inconclusive(s->findings);
		const char *result = lava_result(doubt ? CASE_INCONCLUSIVE : CASE_PASS);

		if (result_is_latency(r))
			lava_figures(&l, names[i], s, result);
		lava_values(&l, names[i], s, result);
	}
	return 0;
}

const struct report_format report_format_lava = {
	.name = "lava",
	.media_type = "text/plain; charset=utf-8",
	.description = "test case signals for a LAVA job's log; inconclusive is unknown",
	.summary = true,
	.render = lava_render,
};
