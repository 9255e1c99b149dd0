/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The line is as wide as the page: of more sessions than columns, a column is the largest of its
 * own, because a trend of averages hides the one that mattered. Heights are logarithmic where the
 * largest is more than ten times the smallest, or one outlier would make all others alike.
 */
#include "table.h"
#include "trend-internal.h"

#include <math.h>

#define SPARK_INDENT 2
#define SPARK_LEVELS 8
#define SPARK_RATIO  10 /* from here on logarithmic */

struct spark {
	double *column; /* NAN: nothing is known there */
	bool *shift;
	unsigned n;
	guint per_column; /* sessions */
	double low, high;
	bool logarithmic;
};

static void spark_init(struct spark *k, const struct trend *t, unsigned width)
{
	guint sessions = t->points->len;

	k->per_column = MAX(1, (sessions + width - 1) / width);
	k->n = (sessions + k->per_column - 1) / k->per_column;
	k->column = g_new(double, k->n);
	k->shift = g_new0(bool, k->n);
	k->low = INFINITY;
	k->high = -INFINITY;
	for (unsigned i = 0; i < k->n; i++) {
		k->column[i] = NAN;
		for (guint p = i * k->per_column; p < MIN((i + 1) * k->per_column, sessions); p++)
			k->column[i] = fmax(k->column[i], trend_point(t, p)->value);
		k->low = fmin(k->low, k->column[i]);
		k->high = fmax(k->high, k->column[i]);
	}
	for (guint i = 0; i < t->shifts->len; i++)
		k->shift[trend_shift(t, i)->at / k->per_column] = true;
	k->logarithmic = k->low > 0 && k->high > k->low * SPARK_RATIO;
}

static void spark_done(struct spark *k)
{
	g_free(k->column);
	g_free(k->shift);
}

/* 0..SPARK_LEVELS - 1 */
static unsigned spark_level(const struct spark *k, double value)
{
	double part;

	if (k->high <= k->low)
		return SPARK_LEVELS / 2;
	part = k->logarithmic ? log(value / k->low) / log(k->high / k->low)
			      : (value - k->low) / (k->high - k->low);
	return (unsigned)CLAMP(part * SPARK_LEVELS, 0, SPARK_LEVELS - 1);
}

static void spark_line(const struct spark *k, struct page *p)
{
	static const char *const blocks[SPARK_LEVELS] = { "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█" };
	static const char *const marks[SPARK_LEVELS] = { "_", ".", "-", "~", "=", "+", "*", "#" };
	bool any = false;

	page_put(p, PAGE_PLAIN, "  ");
	for (unsigned i = 0; i < k->n; i++)
		page_put(p, PAGE_PLAIN,
			 isnan(k->column[i]) ? " "
			 : p->unicode	     ? blocks[spark_level(k, k->column[i])]
					     : marks[spark_level(k, k->column[i])]);
	page_put(p, PAGE_PLAIN, "\n");
	for (unsigned i = 0; i < k->n; i++)
		any = any || k->shift[i];
	if (!any)
		return;
	page_put(p, PAGE_PLAIN, "  ");
	for (unsigned i = 0; i < k->n; i++)
		page_put(p, PAGE_BOLD, k->shift[i] ? "^" : " ");
	page_put(p, PAGE_PLAIN, "\n");
}

static void spark_print(const struct trend *t, struct page *p)
{
	g_autofree char *low = NULL, *high = NULL, *many = NULL;
	const char *unit = trend_unit_name(t);
	struct spark k;

	if (t->known->len == 0)
		return;
	spark_init(&k, t, p->width - 2 * SPARK_INDENT);
	low = trend_value(t, k.low);
	high = trend_value(t, k.high);
	if (k.per_column > 1)
		many = g_strdup_printf("; a column is the largest of %u sessions", k.per_column);
	page_blank(p);
	spark_line(&k, p);
	page_text(p, SPARK_INDENT, "From %s to %s%s%s, %s scale%s%s.", low, high, *unit ? " " : "",
		  unit, k.logarithmic ? "logarithmic" : "linear", many ?: "",
		  t->shifts->len ? "; ^ is a shift" : "");
	spark_done(&k);
}

static void text_table(struct page *p, struct trend_table *table, const char *unit)
{
	struct table *out;

	if (!table)
		return;
	out = table_new();
	for (guint i = 0; i < table->titles->len; i++)
		table_column(out, table->titles->pdata[i], i >= table->words);
	for (guint i = 0; i < table->rows->len; i++) {
		const GPtrArray *row = table->rows->pdata[i];

		table_row(out, PAGE_PLAIN);
		for (guint k = 0; k < row->len; k++)
			table_cell(out, g_strdup(row->pdata[k]));
	}
	page_blank(p);
	page_text(p, 0, "%s%s%s:", table->caption, *unit ? ", " : "", unit);
	table_print(out, p);
	table_free(out);
	trend_table_free(table);
}

static void text_shifts(const struct trend *t, struct page *p)
{
	for (guint i = 0; i < t->shifts->len; i++) {
		const struct trend_shift *s = trend_shift(t, i);
		g_autofree char *text = trend_shift_text(t, s);
		g_auto(GStrv) lines = trend_changed_lines(s);

		page_blank(p);
		page_item(p, PAGE_DOUBT, "Shift ", 6, text);
		for (char **l = lines; *l; l++)
			page_item(p, PAGE_PLAIN, "      ", 8, *l);
	}
}

static int text_render(const struct trend *t, const struct report_options *o, GString *out,
		       char **ret_message)
{
	g_autofree char *title = trend_title(t), *summary = trend_summary(t);
	g_autofree char *alarm = trend_alarm_text(t);
	const char *unit = trend_unit_name(t);
	struct page p;

	page_init(&p, o, out);
	page_item(&p, PAGE_BOLD, "Trend: ", 4, title);
	page_text(&p, 0, "%s", summary);
	spark_print(t, &p);
	text_table(&p, trend_table_levels(t), unit);
	text_shifts(t, &p);
	page_blank(&p);
	page_text(&p, 0, "%s", alarm);
	text_table(&p, trend_table_kernels(t), unit);
	text_table(&p, trend_table_newest(t), unit);
	return 0;
}

const struct trend_format trend_format_text = {
	.name = "text",
	.media_type = "text/plain; charset=utf-8",
	.description = "for people: a line, levels, shifts and what changed there",
	.render = text_render,
};
