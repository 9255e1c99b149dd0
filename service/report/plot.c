/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What plots share. The axis is the same for all CPUs of a stage, or differences between them would
 * be differences of scale.
 */
#include "plot.h"

#include "cell.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

static const char *const plot_names[] = {
	[PLOT_HISTOGRAM] = "histogram",
	[PLOT_CCDF] = "ccdf",
	[PLOT_MAXIMA] = "maxima",
	[PLOT_TAIL] = "tail",
};

const char *plot_to_string(enum plot_kind k)
{
	return plot_names[k];
}

int plot_from_string(const char *name, enum plot_kind *ret, char **ret_message)
{
	for (size_t i = 0; i < G_N_ELEMENTS(plot_names); i++)
		if (strcmp(name, plot_names[i]) == 0) {
			*ret = i;
			return 0;
		}
	if (ret_message)
		*ret_message =
			g_strdup_printf("There is no plot \"%s\"; there are histogram, ccdf, "
					"maxima, tail.",
					name);
	return -EINVAL;
}

void plot_range_add(struct plot_range *range, const struct figures *f)
{
	uint64_t placed = figures_placed(f), low = 0, high = 0, max;
	bool any = false;

	for (unsigned b = 1; b < HISTOGRAM_BUCKETS; b++) {
		if (f->bucket[b] == 0)
			continue;
		if (!any)
			low = figures_sample_ns(f, b);
		high = figures_sample_ns(f, b);
		any = true;
	}
	range->zero = range->zero || f->bucket[0];
	range->placed = MAX(range->placed, placed);
	range->unplaced = MAX(range->unplaced, f->unplaced);
	if (placed == 0 && (f->unplaced == 0 || f->unplaced_from_ns == 0))
		return; /* no more than how many there are, and their mean */
	if (any && (range->low == 0 || low < range->low))
		range->low = low;
	high = MAX(high, f->unplaced_from_ns);
	if (figures_max_ns(f, &max))
		high = MAX(high, max);
	else if (f->unplaced)
		high *= 2; /* room for what lies beyond */
	range->high = MAX(range->high, high);
	range->any = true;
}

struct svg_axis plot_axis(const struct plot_range *range)
{
	struct svg_axis a = {
		.scale = SVG_LOG,
		.unit = SVG_TIME,
		.low = MAX(range->low, 1),
		.high = range->high,
		.zero = range->zero,
		.label = "latency",
	};

	if (range->low == 0)
		a.low = range->high ? range->high : 1; /* zeros only, or only those above a range */
	svg_axis_fit(&a);
	return a;
}

char *plot_stage_name(const struct result *r, const struct result_stage *st)
{
	g_autofree char *clean = cell_text(st->name), *name = svg_foreign(clean);

	for (guint i = 0; r->stages && i < r->stages->len; i++) {
		const struct result_stage *other = r->stages->pdata[i];

		if (other->repeat > 1)
			return g_strdup_printf("%s, repeat %u", name, st->repeat);
	}
	return g_steal_pointer(&name);
}

unsigned plot_stage_series(const struct result *r, guint i)
{
	g_autoptr(GHashTable) names = g_hash_table_new(g_str_hash, g_str_equal);
	const char *name = ((const struct result_stage *)r->stages->pdata[i])->name;

	for (guint k = 0; k < i; k++) {
		char *other = ((const struct result_stage *)r->stages->pdata[k])->name;

		if (!g_hash_table_contains(names, other))
			g_hash_table_insert(names, other,
					    GUINT_TO_POINTER(g_hash_table_size(names)));
	}
	if (g_hash_table_contains(names, name))
		return GPOINTER_TO_UINT(g_hash_table_lookup(names, name));
	return g_hash_table_size(names);
}

char *plot_time(uint64_t ns)
{
	g_autofree char *us = cell_us(ns, ns < 10000 ? 2 : 1);

	if (ns < 1000)
		return g_strdup_printf("%" PRIu64 " ns", ns);
	return g_strdup_printf("%s us", us);
}

/* Bounds of limits on the maximum. */
static void plot_limits(struct svg *s, const struct svg_frame *f, const struct result_stage *st,
			void (*rule)(struct svg *, const struct svg_frame *, double, const char *),
			const struct svg_axis *a)
{
	for (guint i = 0; i < st->limits->len; i++) {
		const struct result_limit *l = &g_array_index(st->limits, struct result_limit, i);
		double bound = (double)l->limit.bound;

		if (l->limit.figure == LIMIT_MAX && bound > a->low && bound <= a->high)
			rule(s, f, bound, l->limit.text);
	}
}

void plot_limits_x(struct svg *s, const struct svg_frame *f, const struct result_stage *st)
{
	plot_limits(s, f, st, svg_rule_x, &f->x);
}

void plot_limits_y(struct svg *s, const struct svg_frame *f, const struct result_stage *st)
{
	plot_limits(s, f, st, svg_rule_y, &f->y);
}
