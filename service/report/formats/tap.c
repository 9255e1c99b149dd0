/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * TAP 13, which readers of TAP 14 take too (https://testanything.org). Inconclusive is "not ok" and
 * has no directive: a TODO or SKIP would let it pass. Figures are comments, as is what is wrong,
 * because YAML blocks are optional to readers and easily broken by a label.
 *
 * "\" and "#" are escaped in a description. Readers from before TAP 14 know no escapes and would
 * take "# skip" in a stage's name for a directive all the same, so there the "#" is doubled: they
 * find none behind the first one.
 */
#include "cases.h"
#include "cell.h"
#include "duration.h"
#include "quantity.h"
#include "report.h"
#include "stagename.h"

#include <math.h>
#include <string.h>

static bool tap_is_directive(const char *s)
{
	while (*s == ' ')
		s++;
	return g_ascii_strncasecmp(s, "skip", 4) == 0 || g_ascii_strncasecmp(s, "todo", 4) == 0;
}

static void tap_description(GString *out, const char *s)
{
	for (; *s; s++) {
		if (*s == '#' && tap_is_directive(s + 1))
			g_string_append(out, "\\#");
		if (*s == '#' || *s == '\\')
			g_string_append_c(out, '\\');
		g_string_append_c(out, *s);
	}
}

static void tap_case(GString *out, unsigned number, const char *stage, const struct test_case *c)
{
	bool ok = c->outcome == CASE_PASS || c->outcome == CASE_SKIP;

	g_string_append_printf(out, "%s %u - ", ok ? "ok" : "not ok", number);
	tap_description(out, stage);
	g_string_append(out, *stage ? ": " : "");
	tap_description(out, c->name);
	if (c->outcome == CASE_SKIP)
		g_string_append(out, " # SKIP");
	g_string_append_c(out, '\n');
	if (c->outcome == CASE_INCONCLUSIVE)
		g_string_append_printf(out, "# inconclusive: %s\n", c->text);
	else if (*c->text)
		g_string_append_printf(out, "# %s\n", c->text);
}

static void tap_figures(GString *out, const struct figures *f)
{
	g_autoptr(GString) line = g_string_new("#");
	struct amount a;

	for (const struct quantity *q = quantities; q->key; q++) {
		if (!quantity_of(q, f, &a))
			continue;
		g_string_append_printf(line, " %s=", q->name);
		quantity_append(line, q, &a, 1000000);
		g_string_append(line, q->unit == QUANTITY_TIME ? "us" : "");
	}
	g_string_append_printf(out, "%s\n", line->str);
}

static void tap_values(GString *out, const struct result_stage *s)
{
	for (guint i = 0; i < s->values->len; i++) {
		const struct result_value *v = s->values->pdata[i];
		g_autofree char *name = cell_text(v->name), *unit = cell_text(v->unit);
		g_autofree char *value = number_format(v->value, v->decimals);

		if (isfinite(v->value))
			g_string_append_printf(out, "# %s %s %s\n", name, value, unit);
	}
}

static void tap_head(GString *out, const struct result *r, unsigned cases)
{
	g_autofree char *plan = cell_text(r->plan), *label = cell_text(r->label);

	g_string_append_printf(out, "TAP version 13\n1..%u\n", cases);
	g_string_append_printf(out, "# lrtbf session %s plan %s", r->id, plan);
	if (*label)
		g_string_append_printf(out, " label %s", label);
	g_string_append_c(out, '\n');
}

static int tap_render(const struct result *r, const struct report_options *o, GString *out,
		      char **ret_message)
{
	g_autoptr(GPtrArray) cases = cases_new(r);
	g_auto(GStrv) names = stagename_all(r);
	int stage = CASES_SESSION;

	tap_head(out, r, cases->len);
	for (guint i = 0; i < cases->len; i++) {
		const struct test_case *c = cases->pdata[i];

		tap_case(out, i + 1, c->stage >= 0 ? names[c->stage] : "", c);
		if (c->stage >= 0 && c->stage != stage) {
			const struct result_stage *s = r->stages->pdata[c->stage];
			g_autofree struct figures *all = result_stage_all(s);

			if (result_is_latency(r))
				tap_figures(out, all);
			tap_values(out, s);
		}
		stage = c->stage;
	}
	return 0;
}

const struct report_format report_format_tap = {
	.name = "tap",
	.media_type = "text/plain; charset=utf-8",
	.description =
		"limits as test points of the Test Anything Protocol; inconclusive is not ok",
	.summary = true,
	.render = tap_render,
};
