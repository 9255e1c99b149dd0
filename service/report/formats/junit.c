/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The XML that build servers read (Jenkins, GitLab and others), in the part of it that they agree
 * on. A suite for each stage, whose properties are its figures, and one for the session: suites are
 * what such servers draw histories of, so neither their names nor those of cases have the session's
 * id in them. Inconclusive is an error, which these servers count and show apart from failures:
 * something is wrong with the test, and nothing is known of what it tests.
 */
#include "cases.h"
#include "cell.h"
#include "duration.h"
#include "quantity.h"
#include "report.h"
#include "stagename.h"
#include "svg.h"
#include "value.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>
#include <time.h>

static void junit_attribute(GString *out, const char *name, const char *value)
{
	g_string_append_printf(out, " %s=\"", name);
	svg_append_text(out, value);
	g_string_append_c(out, '"');
}

static void junit_attribute_count(GString *out, const char *name, unsigned value)
{
	g_string_append_printf(out, " %s=\"%u\"", name, value);
}

/* Seconds with three decimals: readers take no more. */
static void junit_attribute_time(GString *out, uint64_t ns)
{
	g_string_append_printf(out, " time=\"%" PRIu64 ".%03u\"", ns / 1000000000,
			       (unsigned)(ns / 1000000 % 1000));
}

/* "2026-11-30T02:00:13" in UTC, as the format has it. */
static void junit_attribute_when(GString *out, uint64_t usec)
{
	time_t t = (time_t)(usec / 1000000);
	char text[48];
	struct tm tm;

	if (usec && gmtime_r(&t, &tm) && strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%S", &tm))
		junit_attribute(out, "timestamp", text);
}

static void junit_counts(GString *out, const GPtrArray *cases, int stage)
{
	unsigned fail = cases_count(cases, stage, CASE_FAIL);
	unsigned doubt = cases_count(cases, stage, CASE_INCONCLUSIVE);
	unsigned skip = cases_count(cases, stage, CASE_SKIP);

	junit_attribute_count(out, "tests",
			      fail + doubt + skip + cases_count(cases, stage, CASE_PASS));
	junit_attribute_count(out, "failures", fail);
	junit_attribute_count(out, "errors", doubt);
	if (stage != CASES_ALL)
		junit_attribute_count(out, "skipped", skip);
}

/* --- properties --- */

static void junit_property(GString *out, const char *name, const char *value)
{
	if (!value || !*value)
		return;
	g_string_append(out, "      <property");
	junit_attribute(out, "name", name);
	junit_attribute(out, "value", value);
	g_string_append(out, "/>\n");
}

/* "max_ns", "p99.9_ns", "missed". */
static void junit_figure(GString *out, const struct quantity *q, const struct amount *a)
{
	g_autofree char *name = g_strconcat(q->name, q->unit == QUANTITY_TIME ? "_ns" : NULL, NULL);
	g_autoptr(GString) value = g_string_new(NULL);

	quantity_append(value, q, a, 1000000000);
	junit_property(out, name, value->str);
}

static void junit_stage_properties(GString *out, const struct result *r,
				   const struct result_stage *s)
{
	g_autofree struct figures *all = result_stage_all(s);
	struct amount a;

	junit_property(out, "load", s->load);
	for (const struct quantity *q = quantities; q->key && result_is_latency(r); q++)
		if (quantity_of(q, all, &a))
			junit_figure(out, q, &a);
	for (guint i = 0; i < s->values->len; i++) {
		const struct result_value *v = s->values->pdata[i];
		g_autofree char *name = g_strdup_printf("%s_%s", v->name, v->unit);
		g_autofree char *value = number_format(v->value, v->decimals);

		if (isfinite(v->value))
			junit_property(out, name, value);
	}
}

static void junit_session_properties(GString *out, const struct result *r)
{
	struct amount a;

	junit_property(out, "session", r->id);
	junit_property(out, "label", r->label);
	junit_property(out, "state", session_state_to_string(r->state));
	junit_property(out, "verdict", verdict_to_string(r->verdict));
	junit_property(out, "instrument", r->instrument);
	junit_property(out, "kernel", value_get_string(r->conditions, "kernel.release"));
	junit_property(out, "kernel_version", value_get_string(r->conditions, "kernel.version"));
	if (r->stages && r->stages->len)
		return;
	for (const struct quantity *q = quantities; q->key; q++)
		if (quantity_stored(q, r->summary, &a))
			junit_figure(out, q, &a);
}

/* --- cases --- */

static void junit_outcome(GString *out, const char *element, const char *type,
			  const struct test_case *c)
{
	g_string_append_printf(out, ">\n      <%s", element);
	if (type)
		junit_attribute(out, "type", type);
	junit_attribute(out, "message", c->text);
	g_string_append(out, "/>\n    </testcase>\n");
}

static void junit_case(GString *out, const char *class, const struct test_case *c, uint64_t ns)
{
	g_string_append(out, "    <testcase");
	junit_attribute(out, "classname", class);
	junit_attribute(out, "name", c->name);
	junit_attribute_time(out, ns);
	switch (c->outcome) {
	case CASE_PASS:
		g_string_append(out, "/>\n");
		break;
	case CASE_SKIP:
		junit_outcome(out, "skipped", NULL, c);
		break;
	case CASE_INCONCLUSIVE:
		junit_outcome(out, "error", "inconclusive", c);
		break;
	case CASE_FAIL:
		junit_outcome(out, "failure", c->limit ? "limit" : "verdict", c);
		break;
	}
}

static void junit_cases(GString *out, const GPtrArray *cases, int stage, const char *class,
			uint64_t ns)
{
	for (guint i = 0; i < cases->len; i++) {
		const struct test_case *c = cases->pdata[i];

		if (c->stage != stage)
			continue;
		junit_case(out, class, c, ns);
		ns = 0; /* it was measured once for all of them */
	}
}

static void junit_suite(GString *out, const struct result *r, const GPtrArray *cases, int stage,
			const char *name)
{
	const struct result_stage *s = stage >= 0 ? r->stages->pdata[stage] : NULL;
	const char *node = value_get_string(r->conditions, "kernel.nodename");
	g_autofree char *class =
		g_strdup_printf("lrtbf.%s%s%s", r->plan, s ? "." : "", s ? name : "");

	g_string_append(out, "  <testsuite");
	junit_attribute(out, "name", class);
	junit_counts(out, cases, stage);
	junit_attribute_time(out, s ? s->duration_ns : 0);
	junit_attribute_when(out, s ? s->started_usec : r->started_usec);
	if (node)
		junit_attribute(out, "hostname", node);
	g_string_append(out, ">\n    <properties>\n");
	if (s)
		junit_stage_properties(out, r, s);
	else
		junit_session_properties(out, r);
	g_string_append(out, "    </properties>\n");
	junit_cases(out, cases, stage, class, s ? s->duration_ns : 0);
	g_string_append(out, "  </testsuite>\n");
}

static int junit_render(const struct result *r, const struct report_options *o, GString *out,
			char **ret_message)
{
	g_autoptr(GPtrArray) cases = cases_new(r);
	g_auto(GStrv) names = stagename_all(r);
	guint n = g_strv_length(names);
	uint64_t ns = 0;

	for (guint i = 0; i < n; i++)
		ns += ((const struct result_stage *)r->stages->pdata[i])->duration_ns;
	g_string_append(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites");
	junit_attribute(out, "name", "lrtbf");
	junit_counts(out, cases, CASES_ALL);
	junit_attribute_time(out, ns);
	g_string_append(out, ">\n");
	for (guint i = 0; i < n; i++)
		junit_suite(out, r, cases, (int)i, names[i]);
	junit_suite(out, r, cases, CASES_SESSION, NULL);
	g_string_append(out, "</testsuites>\n");
	return 0;
}

const struct report_format report_format_junit = {
	.name = "junit",
	.media_type = "application/xml",
	.description = "limits as test cases, for build servers; inconclusive is an error",
	.summary = true,
	.render = junit_render,
};
