/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Why from the summary's JSON: it is all there is, there are no figures to compute from any more. A
 * value that is null there is "-" here, as everywhere.
 */
#include "text-thinned.h"

#include "cell.h"
#include "table.h"
#include "value.h"

/* Whole nanoseconds, or with decimals. NULL: there is none. */
static char *thinned_us(const json_t *summary, const char *key, int decimals)
{
	double ns = json_number_value(json_object_get(summary, key));

	if (!json_is_number(json_object_get(summary, key)) || ns < 0)
		return NULL;
	return cell_real_us(ns, decimals);
}

static int thinned_decimals(const json_t *summary)
{
	return json_number_value(json_object_get(summary, "avg_ns")) < 10000 ? 2 : 1;
}

void text_thinned(struct page *p, const struct result *r)
{
	static const char *const titles[] = { "samples", "average", "maximum", "minimum",
					      "stddev" };
	static const char *const keys[] = { "avg_ns", "max_ns", "min_ns", "stddev_ns" };
	const json_t *count = json_object_get(r->summary, "count");
	int decimals = thinned_decimals(r->summary);
	struct table *t = table_new();

	for (size_t i = 0; i < G_N_ELEMENTS(titles); i++)
		table_column(t, titles[i], true);
	table_row(t, PAGE_PLAIN);
	table_cell(t,
		   json_is_integer(count) ? cell_count((uint64_t)json_integer_value(count)) : NULL);
	for (size_t i = 0; i < G_N_ELEMENTS(keys); i++)
		table_cell(t, thinned_us(r->summary, keys[i], decimals));
	page_blank(p);
	page_text(p, 0, "All stages and CPUs together, time in microseconds:");
	table_print(t, p);
	table_free(t);
}
