/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Counts are logarithmic, because the one sample in a million is what people look for; a bin with
 * one sample stands visibly above the axis. Few CPUs get a histogram each, one below the other on
 * one axis, so that they can be compared; overlaid they could not be told apart. Many get a row of
 * shades each: a CPU that differs is seen as a row that does, among 256 too. Bins end at edges of
 * the buckets (edges.h): no count is shared out.
 */
#include "plot.h"

#include "edges.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#define HISTOGRAM_BINS	    150
#define HISTOGRAM_BINS_MANY 110
#define HISTOGRAM_FLOOR	    0.6 /* samples, where the axis begins */
#define HISTOGRAM_ALONE	    220 /* heights */
#define HISTOGRAM_ROW	    84
#define HISTOGRAM_STRIP	    520
#define HISTOGRAM_NAME	    13 /* height of a CPU's name */

struct histogram_view {
	const struct result_stage *stage;
	struct plot_range range;
	struct svg_axis x;
	GArray *edges;
	uint64_t largest; /* count of a bin */
};

static uint64_t *view_counts(const struct histogram_view *v, const struct figures *f)
{
	uint64_t *counts = g_new0(uint64_t, v->edges->len);

	edges_count(v->edges, f, counts);
	return counts;
}

static void view_largest(struct histogram_view *v, const struct figures *f)
{
	g_autofree uint64_t *counts = view_counts(v, f);

	for (guint i = 0; i + 1 < v->edges->len; i++)
		v->largest = MAX(v->largest, counts[i]);
	v->largest = MAX(v->largest, f->bucket[0]);
	v->largest = MAX(v->largest, f->unplaced);
}

static double view_edge(const struct histogram_view *v, guint i)
{
	return (double)g_array_index(v->edges, uint64_t, i);
}

/* Runs of bins with samples, each a filled outline. */
static void view_bins(const struct histogram_view *v, struct svg *s, const struct svg_frame *f,
		      unsigned series, const struct figures *figures)
{
	g_autofree uint64_t *counts = view_counts(v, figures);
	g_autofree struct svg_point *p = g_new(struct svg_point, v->edges->len + 1);

	for (guint i = 0; i + 1 < v->edges->len;) {
		size_t n = 0;

		for (; i + 1 < v->edges->len && counts[i]; i++)
			p[n++] = (struct svg_point){ view_edge(v, i), (double)counts[i] };
		if (n == 0) {
			i++;
			continue;
		}
		p[n++] = (struct svg_point){ view_edge(v, i), HISTOGRAM_FLOOR };
		svg_area(s, f, series, p, n);
	}
	if (figures->bucket[0])
		svg_bar_zero(s, f, series, (double)figures->bucket[0]);
}

static void view_unplaced(const struct histogram_view *v, struct svg *s, const struct svg_frame *f,
			  const struct figures *figures)
{
	struct svg_point at = { (double)MAX(figures->unplaced_from_ns, 1),
				(double)figures->unplaced };
	uint64_t max;
	bool known = figures_max_ns(figures, &max);

	if (figures->unplaced && figures->unplaced_from_ns)
		svg_open_end(s, f, 1, at, known ? (double)max : NAN);
}

static struct svg_axis view_axis(const struct histogram_view *v)
{
	struct svg_axis a = {
		.scale = SVG_LOG,
		.unit = SVG_COUNT,
		.low = HISTOGRAM_FLOOR,
		.high = MAX((double)v->largest * 1.3, 10),
	};

	return a;
}

/* "CPU 3: 10000 samples, 11.0 us to 302.5 us" */
static char *view_says(const char *who, const struct figures *f)
{
	g_autofree char *low = NULL, *high = NULL;
	uint64_t count = figures_count(f), min, max;

	if (count == 0)
		return g_strdup_printf("%s: no samples", who);
	if (!figures_min_ns(f, &min) || !figures_max_ns(f, &max))
		return g_strdup_printf("%s: %" PRIu64 " samples", who, count);
	low = plot_time(min);
	high = plot_time(max);
	return g_strdup_printf("%s: %" PRIu64 " sample%s, %s to %s", who, count,
			       count == 1 ? "" : "s", low, high);
}

static void view_row(const struct histogram_view *v, struct svg *s, unsigned series,
		     const char *who, const struct figures *figures, double height, bool last)
{
	struct svg_frame f = { .x = v->x, .y = view_axis(v) };
	g_autofree char *says = view_says(who, figures);
	uint64_t max;

	f.x.label = last ? "latency" : NULL;
	s->y += 8; /* what it says */
	svg_frame(s, &f, height);
	view_bins(v, s, &f, series, figures);
	view_unplaced(v, s, &f, figures);
	if (figures_max_ns(figures, &max)) {
		struct svg_point at = { (double)max, HISTOGRAM_FLOOR };

		svg_marks(s, &f, series, SVG_TRIANGLE, &at, 1);
	}
	plot_limits_x(s, &f, v->stage);
	svg_label(s, f.left + f.width, f.top - 5, SVG_END, says);
}

static void view_rows(const struct histogram_view *v, struct svg *s)
{
	guint n = v->stage->cpus->len;

	for (guint i = 0; i < n; i++) {
		const struct result_cpu *c = v->stage->cpus->pdata[i];
		g_autofree char *who = g_strdup_printf("CPU %d", c->cpu);

		view_row(v, s, 0, who, c->figures, n == 1 ? HISTOGRAM_ALONE : HISTOGRAM_ROW,
			 i + 1 == n);
	}
}

/* 1..SVG_LEVELS, by the logarithm. */
static unsigned view_level(const struct histogram_view *v, uint64_t count)
{
	double share = v->largest > 1 ? log((double)count) / log((double)v->largest) : 1;

	return count ? 1 + (unsigned)lround(share * (SVG_LEVELS - 1)) : 0;
}

/* The cells of CPU number @row; neighbours of one shade are one. */
static void view_cells(const struct histogram_view *v, unsigned row, const struct figures *f,
		       GArray *cells)
{
	g_autofree uint64_t *counts = view_counts(v, f);
	struct svg_cell zero = { row, view_level(v, f->bucket[0]), 0, 0 };

	if (zero.level)
		g_array_append_val(cells, zero);
	for (guint i = 0; i + 1 < v->edges->len;) {
		struct svg_cell c = { row, view_level(v, counts[i]), view_edge(v, i), 0 };

		for (i++; i + 1 < v->edges->len && view_level(v, counts[i]) == c.level;)
			i++;
		c.x1 = view_edge(v, i);
		if (c.level)
			g_array_append_val(cells, c);
	}
}

static void view_strip_names(const struct histogram_view *v, struct svg *s,
			     const struct svg_frame *f, double row)
{
	unsigned every = 1;

	while (every * row < HISTOGRAM_NAME)
		every *= 2;
	for (guint i = 0; i < v->stage->cpus->len; i += every) {
		const struct result_cpu *c = v->stage->cpus->pdata[i];
		g_autofree char *name = g_strdup_printf("CPU %d", c->cpu);

		svg_label(s, f->left - 7, f->top + (i + 0.5) * row + 4, SVG_END, name);
	}
}

static void view_strip(const struct histogram_view *v, struct svg *s)
{
	guint n = v->stage->cpus->len;
	double row = CLAMP(HISTOGRAM_STRIP / (double)n, 2, 14);
	struct svg_frame f = { .x = v->x, .y = { .low = 0, .high = 1, .bare = true } };
	g_autoptr(GArray) cells = g_array_new(FALSE, FALSE, sizeof(struct svg_cell));
	g_autofree double *maxima = g_new(double, n);
	const struct svg_entry entries[] = {
		{ .key = SVG_KEY_LEVELS, .text = "samples, one to many (logarithmic)" },
		{ .key = SVG_KEY_LINE, .series = 6 | SVG_SOLID, .text = "maximum of each CPU" },
	};

	for (guint i = 0; i < n; i++) {
		const struct result_cpu *c = v->stage->cpus->pdata[i];
		uint64_t max;

		view_cells(v, i, c->figures, cells);
		maxima[i] = figures_max_ns(c->figures, &max) ? (double)max : NAN;
	}
	svg_legend(s, entries, G_N_ELEMENTS(entries));
	svg_frame(s, &f, row * n);
	svg_cells(s, &f, 0, n, (const struct svg_cell *)cells->data, cells->len);
	svg_row_ticks(s, &f, 6, n, maxima);
	view_strip_names(v, s, &f, row);
}

static void view_note(const struct histogram_view *v, struct svg *s, const struct figures *all)
{
	g_autofree char *from = NULL;

	if (!all->unplaced)
		return;
	from = all->unplaced_from_ns ? plot_time(all->unplaced_from_ns) : NULL;
	if (from) {
		g_autofree char *text = g_strdup_printf(
			"%" PRIu64 " samples took %s or more; how long is not known (dotted).",
			all->unplaced, from);

		svg_note(s, text);
	} else {
		g_autofree char *text = g_strdup_printf(
			"Of %" PRIu64 " samples the length is not known: they are not drawn.",
			all->unplaced);

		svg_note(s, text);
	}
}

static void view_draw(struct histogram_view *v, struct svg *s, const struct figures *all)
{
	guint n = v->stage->cpus->len;

	v->x = plot_axis(&v->range);
	v->edges = edges_new(MAX(v->range.low, 1), v->range.high,
			     n > PLOT_CPUS_APART ? HISTOGRAM_BINS_MANY : HISTOGRAM_BINS);
	if (n > PLOT_CPUS_APART) {
		view_largest(v, all);
		view_row(v, s, 0, "All CPUs", all, HISTOGRAM_ROW + 40, false);
		v->largest = 0;
	}
	for (guint i = 0; i < n; i++)
		view_largest(v, ((const struct result_cpu *)v->stage->cpus->pdata[i])->figures);
	if (n > PLOT_CPUS_APART)
		view_strip(v, s);
	else
		view_rows(v, s);
	view_note(v, s, all);
	g_array_unref(v->edges);
}

bool plot_histogram(struct svg *s, const struct result *r, const struct result_stage *st,
		    GString *desc)
{
	g_autofree struct figures *all = result_stage_all(st);
	struct histogram_view v = { .stage = st };
	g_autofree char *name = plot_stage_name(r, st), *title = NULL, *says = NULL;

	for (guint i = 0; i < st->cpus->len; i++)
		plot_range_add(&v.range, ((const struct result_cpu *)st->cpus->pdata[i])->figures);
	if (!v.range.any)
		return false;
	title = g_strdup_printf("Histogram: %s", name);
	says = view_says("All CPUs", all);
	svg_heading(s, title, "Samples per bin, both axes logarithmic. A triangle: the maximum.");
	view_draw(&v, s, all);
	g_string_append_printf(desc, "%s. %s, %u CPU%s. ", title, says, st->cpus->len,
			       st->cpus->len == 1 ? "" : "s");
	return true;
}
