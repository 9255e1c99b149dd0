/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The tail stands in a plot of its own and not as a prolonged distribution: its axis is the chance
 * that a block holds a worse sample, not that a sample is worse, and between the two lies how
 * samples cluster, which nobody knows. What was seen are dots, at i/(n+1) (W. Weibull, 1939);
 * the line is what was fitted to them; beyond the dots only the two levels have an interval, and
 * these were worked out with the fit.
 */
#include "plot.h"

#include "cell.h"
#include "gev.h"

#include <math.h>

#define RETURN_HEIGHT 250
#define RETURN_CURVE  120 /* points */
#define RETURN_DOTS   400
#define RETURN_LEVELS 4

struct return_level {
	double times, level, low, high;
	double duration_ns;
};

struct return_view {
	struct gev gev;
	double blocks, length_ns;
	unsigned merged;
	struct return_level level[RETURN_LEVELS];
	size_t n;
};

/* @ns as whole ones, whatever it is. */
static uint64_t return_ns(double ns)
{
	return isfinite(ns) && ns > 0 ? (uint64_t)fmin(ns, 1e18) : 0;
}

static double return_number(const json_t *o, const char *key)
{
	const json_t *v = json_object_get(o, key);

	return json_is_number(v) ? json_number_value(v) : NAN;
}

static void return_levels(struct return_view *v, const json_t *levels)
{
	json_t *o;
	size_t i;

	json_array_foreach ((json_t *)levels, i, o) {
		struct return_level l = {
			.times = return_number(o, "times"),
			.level = return_number(o, "level_ns"),
			.low = return_number(o, "low_ns"),
			.high = return_number(o, "high_ns"),
			.duration_ns = return_number(o, "duration_ns"),
		};

		if (v->n < RETURN_LEVELS && l.times >= 1 && l.times <= 1e6 && isfinite(l.level))
			v->level[v->n++] = l;
	}
}

/* false: there is no tail, or one that cannot be drawn. */
static bool return_read(struct return_view *v, const json_t *analysis)
{
	const json_t *tail = json_object_get(analysis, "tail");

	v->gev.location = return_number(tail, "location_ns");
	v->gev.scale = return_number(tail, "scale_ns");
	v->gev.shape = return_number(tail, "shape");
	v->blocks = return_number(tail, "blocks");
	v->length_ns = return_number(tail, "block_length_ns");
	v->merged = (unsigned)CLAMP(return_ns(return_number(tail, "merged")), 1, 4096);
	return_levels(v, json_object_get(tail, "levels"));
	return isfinite(v->gev.location) && isfinite(v->gev.shape) && v->gev.scale > 0 &&
	       v->blocks >= 2 && v->blocks < 1e9;
}

static int return_order(gconstpointer a, gconstpointer b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

/* Maxima over all CPUs of the blocks that were fitted, rising. */
static GArray *return_maxima(const struct return_view *v, const struct result_stage *st)
{
	g_autofree struct figures *all = result_stage_all(st);
	GArray *maxima = g_array_new(FALSE, FALSE, sizeof(double));
	unsigned joined = 0;
	double max = 0;

	for (uint32_t b = 0; b < all->n_blocks; b++) {
		if (all->blocks[b].count == 0)
			continue;
		max = fmax(max, (double)all->blocks[b].max_ns);
		if (++joined < v->merged)
			continue;
		g_array_append_val(maxima, max);
		joined = 0;
		max = 0;
	}
	g_array_sort(maxima, return_order);
	return maxima;
}

/* Once in how many blocks is the @i-th of @n reached or exceeded. */
static double return_period(guint i, guint n)
{
	return 1 / (1 - (i + 1.0) / (n + 1.0));
}

/* All of the larger half, and of the rest as many as can be seen. */
static void return_dots(struct svg *s, const struct svg_frame *f, const GArray *maxima)
{
	guint n = maxima->len, step = MAX(n / RETURN_DOTS, 1);
	g_autofree struct svg_point *p = g_new(struct svg_point, n + 1);
	size_t dots = 0;

	for (guint i = 0; i < n; i++)
		if (i % step == 0 || n - i <= RETURN_DOTS / 2)
			p[dots++] = (struct svg_point){ return_period(i, n),
							g_array_index(maxima, double, i) };
	svg_marks(s, f, 0, SVG_RING, p, dots);
}

static double return_level_at(const struct return_view *v, double period)
{
	return gev_level(&v->gev, -log1p(-1 / period));
}

static void return_curve(const struct return_view *v, struct svg *s, const struct svg_frame *f)
{
	struct svg_point p[RETURN_CURVE];
	double first = 1.05, last = f->x.high;

	for (unsigned i = 0; i < RETURN_CURVE; i++) {
		p[i].x = first * pow(last / first, i / (RETURN_CURVE - 1.0));
		p[i].y = fmax(return_level_at(v, p[i].x), 0);
	}
	svg_line(s, f, 1 | SVG_SOLID, p, RETURN_CURVE);
}

static struct svg_frame return_frame(const struct return_view *v, const GArray *maxima,
				     const char *label)
{
	struct svg_frame f = {
		.x = { .scale = SVG_LOG, .unit = SVG_RETURN, .low = 1, .label = label },
		.y = { .unit = SVG_TIME, .label = "maximum of a block" },
	};
	double times = 10;

	f.y.low = fmax(return_level_at(v, 1.05), 0);
	if (maxima->len) {
		f.y.low = fmin(f.y.low, g_array_index(maxima, double, 0));
		f.y.high = g_array_index(maxima, double, maxima->len - 1);
	}
	for (size_t i = 0; i < v->n; i++) {
		times = fmax(times, v->level[i].times);
		f.y.high = fmax(f.y.high, v->level[i].level);
		if (isfinite(v->level[i].high))
			f.y.high = fmax(f.y.high, v->level[i].high);
	}
	f.x.high = v->blocks * times;
	svg_axis_fit(&f.x);
	f.y.high = fmax(f.y.high, return_level_at(v, f.x.high));
	if (f.y.high > 50 * fmax(f.y.low, 1)) {
		f.y.scale = SVG_LOG;
		f.y.low = fmax(f.y.low, 1);
	}
	svg_axis_fit(&f.y);
	return f;
}

static void return_notes(const struct return_view *v, struct svg *s)
{
	for (size_t i = 0; i < v->n; i++) {
		const struct return_level *l = &v->level[i];
		g_autofree char *level = plot_time(return_ns(l->level)), *text = NULL;
		g_autofree char *low = NULL, *high = NULL, *times = NULL, *took = NULL;
		struct svg_axis a = { .unit = SVG_COUNT };

		low = isfinite(l->low) ? plot_time(return_ns(l->low)) : g_strdup("nothing");
		high = isfinite(l->high) ? plot_time(return_ns(l->high))
					 : g_strdup("no end that is known");
		times = svg_axis_text(&a, l->times);
		took = isfinite(l->duration_ns) && l->duration_ns > 0
			       ? cell_duration(return_ns(l->duration_ns))
			       : g_strdup("that");
		text = g_strdup_printf(
			"In %s times as long (%s), %s is exceeded with chance 63 %%; "
			"95 %% interval %s to %s.",
			times, took, level, low, high);
		svg_note(s, text);
	}
	svg_note(s, "If no cause appears that has not yet shown itself. Never part of a verdict.");
}

/* An end that is nowhere is at the frame's edge; the upper one with an arrow's head. */
static void return_interval(const struct return_level *l, struct svg *s, const struct svg_frame *f,
			    double x)
{
	struct svg_point top = { x, f->y.high };

	svg_whisker(s, f, 1, x, isfinite(l->low) ? l->low : f->y.low,
		    isfinite(l->high) ? l->high : f->y.high);
	if (!isfinite(l->high))
		svg_marks(s, f, 1, SVG_TRIANGLE, &top, 1);
}

static void return_draw(const struct return_view *v, struct svg *s, const struct result_stage *st)
{
	g_autoptr(GArray) maxima = return_maxima(v, st);
	g_autofree char *length = cell_duration(return_ns(v->length_ns));
	g_autofree char *label =
		g_strdup_printf("chance that a block of %s holds a worse one", length);
	struct svg_frame f = return_frame(v, maxima, label);
	static const struct svg_entry entries[] = {
		{ .key = SVG_KEY_MARK, .mark = SVG_RING, .text = "maxima of blocks" },
		{ .key = SVG_KEY_LINE, .series = 1 | SVG_SOLID, .text = "fitted tail" },
		{ .key = SVG_KEY_MARK,
		  .series = 1,
		  .mark = SVG_DIAMOND,
		  .text = "levels of longer times, 95 % intervals" },
	};

	svg_legend(s, entries, G_N_ELEMENTS(entries));
	svg_frame(s, &f, RETURN_HEIGHT);
	return_curve(v, s, &f);
	return_dots(s, &f, maxima);
	for (size_t i = 0; i < v->n; i++) {
		struct svg_point at = { v->blocks * v->level[i].times, v->level[i].level };

		return_interval(&v->level[i], s, &f, at.x);
		svg_marks(s, &f, 1, SVG_DIAMOND, &at, 1);
	}
	plot_limits_y(s, &f, st);
	return_notes(v, s);
}

bool plot_return(struct svg *s, const struct result *r, const struct result_stage *st,
		 GString *desc)
{
	struct return_view v = { .n = 0 };
	g_autofree char *name = NULL, *title = NULL;

	if (!st->analysis || !return_read(&v, st->analysis))
		return false;
	name = plot_stage_name(r, st);
	title = g_strdup_printf("What may still come: %s", name);
	svg_heading(s, title, "Return levels of a generalized extreme value distribution.");
	return_draw(&v, s, st);
	g_string_append_printf(desc, "%s: block maxima, the fitted tail and its levels. ", title);
	return true;
}
