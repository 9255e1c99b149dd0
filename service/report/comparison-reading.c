/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Repeats of a stage within one session become one reading here, by the same rule by which sessions
 * become one figure later: the median, of which a disturbed one is no part, but the largest of
 * maxima, which is what a maximum is.
 *
 * A percentile is shown as its bucket's midpoint, as everywhere; ratios are taken from its place
 * within the bucket. Else two systems that differ by nothing to speak of would, on two sides of a
 * bucket's edge, differ by 1.6 % and be sure of it.
 */
#include "comparison-internal.h"

#include <math.h>
#include <stdlib.h>

#define READING_REPEATS 3 /* so many, and how they differ says more than batches within them */

void comparison_reading_free(struct comparison_reading *r)
{
	if (!r)
		return;
	g_array_unref(r->shown);
	g_array_unref(r->fine);
	g_free(r);
}

double comparison_reading_get(const GArray *values, unsigned column)
{
	return column < values->len ? g_array_index(values, double, column) : NAN;
}

static void reading_set(GArray *values, unsigned column, double value)
{
	double none = NAN;

	while (values->len <= column)
		g_array_append_val(values, none);
	g_array_index(values, double, column) = value;
}

static struct comparison_reading *reading_new(void)
{
	struct comparison_reading *r = g_new0(struct comparison_reading, 1);

	r->shown = g_array_new(FALSE, FALSE, sizeof(double));
	r->fine = g_array_new(FALSE, FALSE, sizeof(double));
	return r;
}

static int reading_compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

double comparison_reduce(enum comparison_rule rule, double *values, unsigned n)
{
	double sum = 0;

	if (n == 0)
		return NAN;
	qsort(values, n, sizeof(double), reading_compare);
	if (rule == COMPARISON_LARGEST)
		return values[n - 1];
	if (rule == COMPARISON_MEDIAN)
		return n % 2 ? values[n / 2] : (values[n / 2 - 1] + values[n / 2]) / 2;
	for (unsigned i = 0; i < n; i++)
		sum += values[i];
	return sum;
}

/* --- one stage --- */

static double reading_known(bool known, double value)
{
	return known && isfinite(value) ? value : NAN;
}

static double reading_time(bool known, uint64_t ns)
{
	return reading_known(known, (double)ns);
}

static double reading_fine(const struct figures *f, uint32_t ppm, double shown)
{
	double ns;

	if (isnan(shown) || f->unplaced > 0 || !interval_percentile(f->bucket, ppm, 0, &ns))
		return shown;
	return CLAMP(ns, (double)f->min_ns, (double)f->max_ns);
}

/* As in the JSON report: to a thousandth of a nanosecond. */
static double reading_real(bool known, double ns)
{
	return reading_known(known, round(ns * 1e3) / 1e3);
}

static void reading_of_figures(const struct comparison_group *g, const struct figures *f,
			       struct comparison_reading *r)
{
	double mean = 0, stddev = 0;
	uint64_t min = 0, max = 0, ns = 0;
	bool has_mean = figures_mean_ns(f, &mean), has_stddev = figures_stddev_ns(f, &stddev);
	bool has_min = figures_min_ns(f, &min), has_max = figures_max_ns(f, &max);
	bool none = !figures_count_known(f);
	unsigned at = 0;

	reading_set(r->shown, at++, reading_real(has_mean, mean));
	reading_set(r->shown, at++, reading_time(has_max, max));
	reading_set(r->shown, at++, reading_time(has_min, min));
	reading_set(r->shown, at++, reading_real(has_stddev, stddev));
	for (; comparison_column(g, at)->ppm >= 0; at++) {
		bool known = figures_percentile_ns(f, (uint32_t)comparison_column(g, at)->ppm,
						   false, &ns);

		reading_set(r->shown, at, reading_time(known, ns));
	}
	reading_set(r->shown, at++, none ? NAN : (double)figures_count(f));
	reading_set(r->shown, at++, f->has_grid ? (double)f->missed : NAN);
	reading_set(r->shown, at, none ? NAN : (double)f->lost);
	for (unsigned i = 0; i <= at; i++) {
		double shown = comparison_reading_get(r->shown, i);
		int ppm = comparison_column(g, i)->ppm;

		reading_set(r->fine, i, ppm < 0 ? shown : reading_fine(f, (uint32_t)ppm, shown));
	}
}

static void reading_of_values(struct comparison_group *g, const struct result_stage *s,
			      struct comparison_reading *r)
{
	for (guint i = 0; i < s->values->len; i++) {
		const struct result_value *v = s->values->pdata[i];
		unsigned column = comparison_columns_take(g->columns, v);

		reading_set(r->shown, column, v->value);
		reading_set(r->fine, column, v->value);
	}
}

static struct comparison_reading *reading_of_stage(struct comparison_group *g,
						   const struct result_stage *s)
{
	struct comparison_reading *r = reading_new();
	g_autofree struct figures *all = NULL;

	if (g_str_equal(comparison_quantity(g->method), "overhead")) {
		reading_of_values(g, s, r);
		return r;
	}
	all = result_stage_all(s);
	reading_of_figures(g, all, r);
	return r;
}

/* --- repeats --- */

static double reading_reduced(const GPtrArray *readings, enum comparison_rule rule, unsigned column,
			      bool fine)
{
	g_autofree double *values = g_new(double, readings->len + 1);
	unsigned n = 0;

	for (guint i = 0; i < readings->len; i++) {
		const struct comparison_reading *r = readings->pdata[i];
		double v = comparison_reading_get(fine ? r->fine : r->shown, column);

		if (!isnan(v))
			values[n++] = v;
	}
	return comparison_reduce(rule, values, n);
}

/* --- batches --- */

/* Of repeats each is one number: how they differ holds what batches within one cannot know. */
static GArray *batches_of_repeats(const GPtrArray *each, unsigned column)
{
	GArray *all = g_array_new(FALSE, FALSE, sizeof(double));

	for (guint i = 0; i < each->len; i++) {
		const struct comparison_reading *r = each->pdata[i];
		double v = comparison_reading_get(r->fine, column);

		if (!isnan(v))
			g_array_append_val(all, v);
	}
	return all;
}

/* Of each repeat its batches; of none when one has none. */
static GArray *batches_of_stages(const GPtrArray *repeats, int ppm)
{
	GArray *all = g_array_new(FALSE, FALSE, sizeof(double));
	double batch[INTERVAL_BATCHES_MAX];
	unsigned n = 1;

	for (guint i = 0; n > 0 && i < repeats->len; i++) {
		const struct result_stage *s = repeats->pdata[i];

		n = ppm < 0 ? interval_mean_batches(s, batch)
			    : interval_percentile_batches(s, (uint32_t)ppm, batch);
		g_array_append_vals(all, batch, n);
	}
	if (n == 0)
		g_array_set_size(all, 0);
	return all;
}

static void batches_free(gpointer data)
{
	if (data)
		g_array_unref(data);
}

static GPtrArray *batches_new(const struct comparison_group *g, const GPtrArray *repeats,
			      const GPtrArray *each)
{
	GPtrArray *batches = g_ptr_array_new_with_free_func(batches_free);

	for (guint i = 0; i < g->columns->len; i++) {
		const struct comparison_column *c = comparison_column(g, i);

		if (c->kind != COMPARISON_TIME || !c->judged)
			g_ptr_array_add(batches, NULL);
		else if (each->len >= READING_REPEATS)
			g_ptr_array_add(batches, batches_of_repeats(each, i));
		else
			g_ptr_array_add(batches, batches_of_stages(repeats, c->ppm));
	}
	return batches;
}

struct comparison_reading *comparison_read(struct comparison_group *g, const GPtrArray *repeats,
					   GPtrArray **ret_batches)
{
	g_autoptr(GPtrArray) each =
		g_ptr_array_new_with_free_func((GDestroyNotify)comparison_reading_free);
	struct comparison_reading *all;

	for (guint i = 0; i < repeats->len; i++)
		g_ptr_array_add(each, reading_of_stage(g, repeats->pdata[i]));
	if (ret_batches)
		*ret_batches = batches_new(g, repeats, each);
	if (each->len == 1)
		return g_ptr_array_steal_index(each, 0);
	all = reading_new();
	for (guint i = 0; i < g->columns->len; i++) {
		enum comparison_rule rule = comparison_column(g, i)->rule;

		reading_set(all->shown, i, reading_reduced(each, rule, i, false));
		reading_set(all->fine, i, reading_reduced(each, rule, i, true));
	}
	return all;
}
