/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a plot of percentiles hides is here the whole picture: how often a latency is reached or
 * exceeded, down to the one worst sample. Nothing is smoothed: the curve falls at the upper edges
 * of buckets, where the number of samples beyond is exact, and for the last time at the exact
 * maximum. Samples of which only the number is known (above another program's range) keep the curve
 * from ending: it goes on, dotted, because nobody knows where it falls.
 */
#include "plot.h"

#include "edges.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#define CCDF_HEIGHT 270
#define CCDF_COLOUR 6 /* of all CPUs together; dashed: the corrected view */
#define CCDF_ALL    (CCDF_COLOUR | SVG_SOLID | SVG_WIDE)
#define CCDF_BINS   220
#define CCDF_LEGEND 14
#define CCDF_STAGES 64

/* Samples of bucket @b. */
static uint64_t ccdf_bucket(const struct figures *f, unsigned b, bool corrected)
{
	return f->bucket[b] + (corrected ? f->missed_bucket[b] : 0);
}

/* Those without a place count as long as it is known that they lie above the others. */
static uint64_t ccdf_beyond(const struct figures *f)
{
	return f->unplaced_from_ns ? f->unplaced : 0;
}

static uint64_t ccdf_total(const struct figures *f, bool corrected)
{
	uint64_t n = ccdf_beyond(f);

	for (unsigned b = 0; b < HISTOGRAM_BUCKETS; b++)
		n += ccdf_bucket(f, b, corrected);
	return n;
}

static unsigned ccdf_last(const struct figures *f, bool corrected)
{
	unsigned b = HISTOGRAM_BUCKETS;

	while (b > 0 && ccdf_bucket(f, b - 1, corrected) == 0)
		b--;
	return b; /* one behind it */
}

static void ccdf_add(GArray *points, double x, uint64_t left, uint64_t total)
{
	struct svg_point p = { x, (double)left / (double)total };

	g_array_append_val(points, p);
}

/* Where it falls for the last time: the exact maximum, unless longer ones have no place. */
static double ccdf_end(const struct figures *f, unsigned b)
{
	uint64_t max;

	if (ccdf_beyond(f) || f->unplaced || !figures_max_ns(f, &max))
		return (double)histogram_high_ns(b);
	return (double)max;
}

GArray *plot_ccdf_points(const struct figures *f, bool corrected)
{
	GArray *points = g_array_new(FALSE, FALSE, sizeof(struct svg_point));
	uint64_t total = ccdf_total(f, corrected), left = total;
	unsigned end = ccdf_last(f, corrected);

	for (unsigned b = 0; b < end; b++) {
		uint64_t n = ccdf_bucket(f, b, corrected);

		if (n == 0)
			continue;
		if (points->len == 0)
			ccdf_add(points, (double)histogram_low_ns(b), left, total);
		left -= n;
		ccdf_add(points, b + 1 < end ? (double)histogram_high_ns(b) : ccdf_end(f, b), left,
			 total);
	}
	return points;
}

/* Where it falls is not known, only, from some sources, that it has come down at the maximum. */
static void ccdf_open_end(struct svg *s, const struct svg_frame *f, unsigned series,
			  const struct figures *figures, struct svg_point from)
{
	uint64_t max;
	bool known = figures_max_ns(figures, &max);
	struct svg_point end = { known ? (double)max : NAN, f->y.low };

	svg_open_end(s, f, series, from, end.x);
	svg_marks(s, f, series & ~SVG_WIDE, SVG_TRIANGLE, &end, 1);
}

void plot_ccdf_curve(struct svg *s, const struct svg_frame *f, unsigned series,
		     const struct figures *figures, bool corrected)
{
	g_autoptr(GArray) points = plot_ccdf_points(figures, corrected);
	uint64_t beyond = ccdf_beyond(figures), total;
	struct svg_point first = { f->x.zero ? 0 : f->x.low, 1 }, known;

	if (points->len == 0 && beyond == 0)
		return;
	g_array_prepend_val(points, first);
	total = ccdf_total(figures, corrected);
	known = (struct svg_point){ (double)figures->unplaced_from_ns,
				    (double)beyond / (double)total };
	if (beyond)
		g_array_append_val(points, known);
	svg_steps(s, f, series, (const struct svg_point *)points->data, points->len);
	if (beyond)
		ccdf_open_end(s, f, series, figures, known);
}

struct svg_frame plot_ccdf_frame(const struct plot_range *range)
{
	struct svg_frame f = { .x = plot_axis(range) };
	double n = (double)MAX(range->placed + range->unplaced, 1);

	f.y = (struct svg_axis){
		.scale = SVG_LOG,
		.unit = SVG_CHANCE,
		.low = MIN(0.7 / n, 0.2),
		.high = 1,
		.label = "share of samples that took at least as long",
	};
	return f;
}

static const struct figures *ccdf_cpu(const struct result_stage *st, guint i)
{
	return ((const struct result_cpu *)st->cpus->pdata[i])->figures;
}

/* Of each CPU the share at or above every edge; its extremes are the band. */
static void ccdf_band(struct svg *s, const struct svg_frame *f, const struct result_stage *st,
		      const struct plot_range *range)
{
	g_autoptr(GArray) edges = edges_new(MAX(range->low, 1), range->high, CCDF_BINS);
	guint n = edges->len;
	g_autofree struct svg_point *low = g_new(struct svg_point, 2 * n);
	g_autofree struct svg_point *high = g_new(struct svg_point, 2 * n);
	g_autofree uint64_t *counts = g_new0(uint64_t, n);

	for (guint i = 0; i < n; i++) {
		double x = (double)g_array_index(edges, uint64_t, i);
		double next = i + 1 < n ? (double)g_array_index(edges, uint64_t, i + 1) : x;

		low[2 * i] = (struct svg_point){ x, 1 };
		low[2 * i + 1] = (struct svg_point){ next, 1 };
		high[2 * i] = (struct svg_point){ x, 0 };
		high[2 * i + 1] = (struct svg_point){ next, 0 };
	}
	for (guint k = 0; k < st->cpus->len; k++) {
		const struct figures *figures = ccdf_cpu(st, k);
		uint64_t total = ccdf_total(figures, false), left = total;

		if (total == 0)
			continue;
		edges_count(edges, figures, counts);
		left -= figures->bucket[0];
		for (guint i = 0; i < n; i++) {
			double y = (double)left / (double)total;

			low[2 * i].y = low[2 * i + 1].y = MIN(low[2 * i].y, y);
			high[2 * i].y = high[2 * i + 1].y = MAX(high[2 * i].y, y);
			left -= i + 1 < n ? counts[i] : 0;
		}
	}
	svg_band(s, f, 0, low, high, 2 * n);
}

/* The CPU with the largest maximum; -1: none has one. */
static int ccdf_worst(const struct result_stage *st)
{
	uint64_t worst = 0, max;
	int at = -1;

	for (guint i = 0; i < st->cpus->len; i++) {
		const struct figures *f = ccdf_cpu(st, i);

		if (figures_placed(f) && figures_max_ns(f, &max) && (at < 0 || max > worst)) {
			worst = max;
			at = (int)i;
		}
	}
	return at;
}

struct ccdf_legend {
	struct svg_entry entries[CCDF_LEGEND];
	char *texts[CCDF_LEGEND];
	size_t n;
};

/* Takes @text. */
static void legend_add(struct ccdf_legend *l, enum svg_key key, unsigned series, char *text)
{
	if (l->n == CCDF_LEGEND) {
		g_free(text);
		return;
	}
	l->texts[l->n] = text;
	l->entries[l->n++] = (struct svg_entry){ .key = key, .series = series, .text = text };
}

static void legend_draw(struct ccdf_legend *l, struct svg *s)
{
	svg_legend(s, l->entries, l->n);
	for (size_t i = 0; i < l->n; i++)
		g_free(l->texts[i]);
}

/* Colours go by the CPU's place; that of all together is left out. */
static unsigned ccdf_series(guint i)
{
	return i < CCDF_COLOUR ? i : i + 1;
}

static void ccdf_stage_legend(struct svg *s, const struct result_stage *st,
			      const struct figures *all)
{
	struct ccdf_legend l = { .n = 0 };
	guint n = st->cpus->len;

	if (n > 1)
		legend_add(&l, SVG_KEY_LINE, CCDF_ALL, g_strdup("all CPUs"));
	for (guint i = 0; i < n && n <= PLOT_CPUS_APART; i++)
		if (ccdf_total(ccdf_cpu(st, i), false))
			legend_add(&l, SVG_KEY_LINE, ccdf_series(i),
				   g_strdup_printf("CPU %d",
						   ((struct result_cpu *)st->cpus->pdata[i])->cpu));
	if (n > PLOT_CPUS_APART) {
		int worst = ccdf_worst(st);

		legend_add(&l, SVG_KEY_BAND, 0, g_strdup("from the best CPU to the worst"));
		if (worst >= 0)
			legend_add(&l, SVG_KEY_LINE, 0,
				   g_strdup_printf(
					   "CPU %d, the largest maximum",
					   ((struct result_cpu *)st->cpus->pdata[worst])->cpu));
	}
	if (all->missed)
		legend_add(&l, SVG_KEY_LINE, CCDF_COLOUR,
			   g_strdup("all, with what missed periods would have seen"));
	legend_draw(&l, s);
}

static void ccdf_stage_lines(struct svg *s, const struct svg_frame *f,
			     const struct result_stage *st, const struct figures *all,
			     const struct plot_range *range)
{
	guint n = st->cpus->len;
	int worst = ccdf_worst(st);

	if (n > PLOT_CPUS_APART)
		ccdf_band(s, f, st, range);
	if (n > 1)
		plot_ccdf_curve(s, f, CCDF_ALL, all, false);
	if (n > PLOT_CPUS_APART) {
		if (worst >= 0)
			plot_ccdf_curve(s, f, 0, ccdf_cpu(st, worst), false);
	}
	for (guint i = 0; i < n && n <= PLOT_CPUS_APART; i++)
		plot_ccdf_curve(s, f, ccdf_series(i), ccdf_cpu(st, i), false);
	if (all->missed)
		plot_ccdf_curve(s, f, CCDF_COLOUR, all, true);
}

static void ccdf_note(struct svg *s, const struct figures *all)
{
	g_autofree char *text = NULL, *from = NULL;

	if (!all->unplaced)
		return;
	from = plot_time(all->unplaced_from_ns);
	text = all->unplaced_from_ns
		       ? g_strdup_printf("%" PRIu64
					 " samples took %s or more; where the curve falls "
					 "from there on is not known (dotted).",
					 all->unplaced, from)
		       : g_strdup_printf("Of %" PRIu64 " samples the length is not known: the "
					 "curve is that of the others.",
					 all->unplaced);
	svg_note(s, text);
}

bool plot_ccdf(struct svg *s, const struct result *r, const struct result_stage *st, GString *desc)
{
	g_autofree struct figures *all = result_stage_all(st);
	g_autofree char *name = plot_stage_name(r, st), *title = NULL, *longest = NULL;
	struct plot_range range = { .low = 0 };
	struct svg_frame f;
	uint64_t max;

	for (guint i = 0; i < st->cpus->len; i++)
		plot_range_add(&range, ccdf_cpu(st, i));
	if (!range.any)
		return false;
	plot_range_add(&range, all);
	title = g_strdup_printf("How often at least so long: %s", name);
	f = plot_ccdf_frame(&range);
	svg_heading(s, title, "Complementary distribution, exact at every step.");
	ccdf_stage_legend(s, st, all);
	svg_frame(s, &f, CCDF_HEIGHT);
	ccdf_stage_lines(s, &f, st, all, &range);
	plot_limits_x(s, &f, st);
	ccdf_note(s, all);
	longest = figures_max_ns(all, &max) ? plot_time(max) : g_strdup("of no known end");
	g_string_append_printf(desc, "%s. All CPUs together fall to the longest, %s. ", title,
			       longest);
	return true;
}

static void ccdf_stages_legend(struct svg *s, const struct result *r)
{
	struct ccdf_legend l = { .n = 0 };

	for (guint i = 0; i < r->stages->len; i++) {
		const struct result_stage *st = r->stages->pdata[i];
		g_autofree char *name = svg_foreign(st->name);
		unsigned same = 0, before = 0;

		for (guint k = 0; k < r->stages->len; k++) {
			const struct result_stage *other = r->stages->pdata[k];

			same += strcmp(other->name, st->name) == 0;
			before += k < i && strcmp(other->name, st->name) == 0;
		}
		if (before == 0)
			legend_add(&l, SVG_KEY_LINE, plot_stage_series(r, i),
				   same > 1 ? g_strdup_printf("%s, %u repeats", name, same)
					    : g_strdup(name));
	}
	legend_draw(&l, s);
}

bool plot_ccdf_stages(struct svg *s, const struct result *r, GString *desc)
{
	g_autoptr(GPtrArray) all = g_ptr_array_new_with_free_func(g_free);
	struct plot_range range = { .low = 0 };
	struct svg_frame f;
	unsigned with = 0;

	for (guint i = 0; r->stages && i < MIN(r->stages->len, CCDF_STAGES); i++) {
		struct figures *figures = result_stage_all(r->stages->pdata[i]);

		g_ptr_array_add(all, figures);
		plot_range_add(&range, figures);
		with += figures_placed(figures) || ccdf_beyond(figures);
	}
	if (!range.any || with < 2)
		return false;
	f = plot_ccdf_frame(&range);
	svg_heading(s, "How often at least so long: all stages",
		    "Complementary distribution of all CPUs together, exact at every step.");
	ccdf_stages_legend(s, r);
	svg_frame(s, &f, CCDF_HEIGHT);
	for (guint i = 0; i < all->len; i++)
		plot_ccdf_curve(s, &f, plot_stage_series(r, i), all->pdata[i], false);
	g_string_append_printf(desc, "How often at least so long: %u stages overlaid. ", with);
	return true;
}
