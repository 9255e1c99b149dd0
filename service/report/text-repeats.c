/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Why one table for all and not a table for each: what a reader asks of repeats is whether their
 * differences are small beside those between the stages, and that is seen where both stand
 * together.
 */
#include "text-repeats.h"

#include "cell.h"
#include "repeats.h"
#include "table.h"
#include "text-head.h"

static const uint32_t text_repeats_ppm[] = { 990000, 999000, 999900 };

static void text_repeats_columns(struct table *t)
{
	static const char *const titles[] = { "repeat", "average", "p99",
					      "p99.9",	"p99.99",  "maximum" };

	table_column(t, "stage", false);
	for (size_t i = 0; i < G_N_ELEMENTS(titles); i++)
		table_column(t, titles[i], true);
	table_column(t, "verdict", false);
}

static void text_repeats_row(struct table *t, const struct repeats *s, guint i, int decimals)
{
	const struct result_stage *stage = s->stages->pdata[i];
	const struct figures *f = s->figures->pdata[i];
	const char *verdict = verdict_to_string(stage->verdict);

	table_row(t, stage->verdict == VERDICT_FAIL ? PAGE_BAD : PAGE_PLAIN);
	table_cell(t, i ? g_strdup("") : cell_text(s->name));
	table_cell(t, g_strdup_printf("%u", stage->repeat));
	table_cell(t, cell_mean_us(f, decimals));
	for (size_t k = 0; k < G_N_ELEMENTS(text_repeats_ppm); k++)
		table_cell(t, cell_percentile_us(f, text_repeats_ppm[k], false, decimals));
	table_cell(t, cell_max_us(f, decimals));
	table_cell(t, *verdict ? g_strdup(verdict) : NULL);
}

/* A row of what they have in common: the member at @offset of all @v. */
static void text_repeats_common(struct table *t, const char *name, const struct spread *v, size_t n,
				size_t offset, int decimals)
{
	table_cell(t, g_strdup(""));
	table_cell(t, g_strdup(name));
	for (size_t i = 0; i < n; i++) {
		double ns = G_STRUCT_MEMBER(double, &v[i], offset);

		table_cell(t, v[i].n ? cell_real_us(ns, decimals) : NULL);
	}
}

/* A maximum that was seen has been seen: beside the medians stands the largest. */
static void text_repeats_together(struct table *t, const struct repeats *s, int decimals)
{
	struct spread v[2 + G_N_ELEMENTS(text_repeats_ppm)];
	size_t n = 0;

	v[n++] = repeats_spread(s, repeats_mean_ns, 0);
	for (size_t k = 0; k < G_N_ELEMENTS(text_repeats_ppm); k++)
		v[n++] = repeats_spread(s, repeats_percentile_ns, text_repeats_ppm[k]);
	v[n++] = repeats_spread(s, repeats_max_ns, 0);
	table_row(t, PAGE_PLAIN);
	text_repeats_common(t, "lowest", v, n, offsetof(struct spread, min), decimals);
	table_cell(t, g_strdup(""));
	table_row(t, PAGE_PLAIN);
	text_repeats_common(t, "highest", v, n, offsetof(struct spread, max), decimals);
	table_cell(t, g_strdup(""));
	v[n - 1].median = v[n - 1].max;
	table_row(t, PAGE_BOLD);
	text_repeats_common(t, "median", v, n, offsetof(struct spread, median), decimals);
	table_cell(t, g_strdup(verdict_to_string(s->verdict)));
}

void text_repeats(struct page *p, const struct result *r, const GPtrArray *repeats, bool all)
{
	g_autofree struct figures *sum = result_all(r);
	int decimals = cell_decimals(sum);
	struct table *t = table_new();

	text_repeats_columns(t);
	for (guint i = 0; i < repeats->len; i++) {
		const struct repeats *s = repeats->pdata[i];

		for (guint k = 0; k < s->stages->len; k++)
			text_repeats_row(t, s, k, decimals);
		if (s->stages->len > 1)
			text_repeats_together(t, s, decimals);
	}
	page_blank(p);
	page_text(p, 0,
		  "All stages with their repeats, time in microseconds, all CPUs together (beside "
		  "\"median\" the largest maximum):");
	table_print(t, p);
	table_free(t);
	if (!all)
		page_text(p, 0,
			  "In full below: of each stage the repeat with the largest maximum. A "
			  "report of one stage (--stage=) shows all its repeats.");
}

bool text_repeats_shown(const GPtrArray *repeats, const struct result_stage *stage)
{
	for (guint i = 0; i < repeats->len; i++)
		if (repeats_worst(repeats->pdata[i]) == stage)
			return true;
	return repeats->len == 0;
}
