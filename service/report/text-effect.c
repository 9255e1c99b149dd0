/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The same table for this machine and for a peer: what is to be compared must look alike.
 */
#include "text-effect.h"

#include "cell.h"
#include "duration.h"
#include "table.h"

#include <string.h>

/* One decimal as long as all of the row's values are below 1000. */
static char *text_rate(const struct result_metric *m, double v, double unit)
{
	return number_format(v / unit, m->max / unit < 1000 ? 1 : 0);
}

static void text_metric(struct table *t, const struct result_metric *m)
{
	bool bytes = g_str_equal(m->unit, "B/s");
	double unit = !bytes ? 1 : m->max >= 1e6 ? 1e6 : m->max >= 1e3 ? 1e3 : 1;
	g_autofree char *name = cell_text(m->name);

	if (g_str_equal(m->unit, "%") && g_str_has_suffix(name, "_pct"))
		name[strlen(name) - strlen("_pct")] = '\0'; /* the unit has a column of its own */
	table_row(t, PAGE_PLAIN);
	table_cell(t, g_strdelimit(g_steal_pointer(&name), "_", ' '));
	table_cell(t, m->n ? text_rate(m, m->mean, unit) : NULL);
	table_cell(t, m->n > 1 ? text_rate(m, m->stddev, unit) : NULL);
	table_cell(t, m->n ? text_rate(m, m->min, unit) : NULL);
	table_cell(t, m->n ? text_rate(m, m->max, unit) : NULL);
	table_cell(t, unit == 1e6   ? g_strdup("MB/s")
		      : unit == 1e3 ? g_strdup("kB/s")
				    : cell_text(m->unit));
}

void text_effect(struct page *p, const GPtrArray *metrics, const char *title)
{
	static const char *const titles[] = { "mean", "stddev", "min", "max", "unit" };
	struct table *t;

	if (metrics->len == 0)
		return;
	t = table_new();
	table_column(t, "metric", false);
	for (size_t i = 0; i < G_N_ELEMENTS(titles); i++)
		table_column(t, titles[i], i + 1 < G_N_ELEMENTS(titles));
	for (guint i = 0; i < metrics->len; i++)
		text_metric(t, metrics->pdata[i]);
	page_blank(p);
	page_text(p, 0, "%s", title);
	table_print(t, p);
	table_free(t);
}
