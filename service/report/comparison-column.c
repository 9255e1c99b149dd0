/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Averages, percentiles and what a benchmark took are sums over many samples, so that it can be
 * told how sure they are. Maximum, minimum and deviation hang on single samples: they are shown and
 * not judged.
 */
#include "comparison-internal.h"

#include <string.h>

static void column_add(GPtrArray *columns, enum comparison_kind kind, enum comparison_rule rule,
		       const char *title, int ppm, bool judged)
{
	struct comparison_column *c = g_new0(struct comparison_column, 1);

	c->kind = kind;
	c->rule = rule;
	c->title = g_strdup(title);
	c->key = kind == COMPARISON_TIME ? g_strconcat(title, "_ns", NULL) : g_strdup(title);
	c->unit = g_strdup(kind == COMPARISON_TIME ? "ns" : "");
	c->percent_decimals = 1;
	c->ppm = ppm;
	c->judged = judged;
	g_ptr_array_add(columns, c);
}

static void column_free(gpointer data)
{
	struct comparison_column *c = data;

	g_free(c->key);
	g_free(c->title);
	g_free(c->unit);
	g_free(c);
}

GPtrArray *comparison_columns_value(void)
{
	return g_ptr_array_new_with_free_func(column_free);
}

GPtrArray *comparison_columns_latency(void)
{
	GPtrArray *columns = comparison_columns_value();

	column_add(columns, COMPARISON_TIME, COMPARISON_MEDIAN, "avg", -1, true);
	column_add(columns, COMPARISON_TIME, COMPARISON_LARGEST, "max", -1, false);
	column_add(columns, COMPARISON_TIME, COMPARISON_MEDIAN, "min", -1, false);
	column_add(columns, COMPARISON_TIME, COMPARISON_MEDIAN, "stddev", -1, false);
	for (const struct figures_percentile *p = figures_percentiles; p->name; p++) {
		g_autofree char *title = g_strconcat("p", p->name, NULL);

		column_add(columns, COMPARISON_TIME, COMPARISON_MEDIAN, title, (int)p->ppm, true);
	}
	column_add(columns, COMPARISON_COUNT, COMPARISON_SUM, "count", -1, false);
	column_add(columns, COMPARISON_COUNT, COMPARISON_SUM, "missed", -1, false);
	column_add(columns, COMPARISON_COUNT, COMPARISON_SUM, "lost", -1, false);
	return columns;
}

/* Two of one name and different units: the later one has its unit in its key. */
static char *column_key(const GPtrArray *columns, const struct result_value *v)
{
	for (guint i = 0; i < columns->len; i++)
		if (strcmp(((struct comparison_column *)columns->pdata[i])->key, v->name) == 0)
			return g_strdup_printf("%s, %s", v->name, v->unit);
	return g_strdup(v->name);
}

/*
 * As printed in 2005: a tenth of a percent for the time of a whole run, which is known to a second
 * in some hundred, and whole percents for single operations, known to two or three digits.
 */
unsigned comparison_columns_take(GPtrArray *columns, const struct result_value *v)
{
	struct comparison_column *c;

	for (guint i = 0; i < columns->len; i++) {
		c = columns->pdata[i];
		if (strcmp(c->title, v->name) == 0 && strcmp(c->unit, v->unit) == 0) {
			c->decimals = MAX(c->decimals, v->decimals);
			return i;
		}
	}
	c = g_new0(struct comparison_column, 1);
	c->kind = COMPARISON_VALUE;
	c->key = column_key(columns, v);
	c->title = g_strdup(v->name);
	c->unit = g_strdup(v->unit);
	c->decimals = v->decimals;
	c->percent_decimals = strcmp(v->unit, "s") == 0 ? 1 : 0;
	c->ppm = -1;
	c->judged = true;
	g_ptr_array_add(columns, c);
	return columns->len - 1;
}
