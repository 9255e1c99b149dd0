/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What can be drawn depends on what is known: of a printed table its minimum, average and maximum,
 * of a distribution every step. Differences are drawn with their intervals, or as single marks
 * where there are none, on a scale with its zero: a bar that begins elsewhere lies.
 */
#include "comparison-plot.h"

#include "cell.h"
#include "comparison-cell.h"
#include "plot.h"

#include <math.h>
#include <string.h>

#define PLOT_HEIGHT 240
#define PLOT_SIDES  SVG_SERIES /* more could not be told apart */

static bool plot_is_overhead(const struct comparison_group *g)
{
	return strcmp(comparison_quantity(g->method), "overhead") == 0;
}

/* The base first, then the others in their order. */
static unsigned plot_sides(const struct comparison *c, const struct comparison_group *g,
			   unsigned *ret)
{
	unsigned n = 0;

	ret[n++] = c->base;
	for (unsigned side = 0; side < c->sides->len && n < PLOT_SIDES; side++)
		if (side != c->base && g->sessions[side])
			ret[n++] = side;
	return n;
}

static void plot_legend(struct svg *s, const struct comparison *c, const unsigned *sides,
			unsigned n, enum svg_key key)
{
	struct svg_entry entries[PLOT_SIDES] = { 0 };

	for (unsigned i = 0; i < n; i++)
		entries[i] = (struct svg_entry){
			.key = key,
			.series = i,
			.mark = (enum svg_mark)(i % (SVG_CROSS + 1)),
			.text = svg_foreign(comparison_side(c, sides[i])->title),
		};
	svg_legend(s, entries, n);
	for (unsigned i = 0; i < n; i++)
		g_free((char *)entries[i].text);
	if (n == PLOT_SIDES && c->sides->len > n)
		svg_note(s, "More sides than these cannot be told apart in one plot: they are in "
			    "the tables.");
}

/* A place for each name along the x axis. */
static struct svg_frame plot_slots(unsigned n, struct svg_axis y)
{
	return (struct svg_frame){
		.x = { .low = 0, .high = MAX(n, 1), .bare = true },
		.y = y,
	};
}

static void plot_slot_names(struct svg *s, const struct svg_frame *f, char *const *names,
			    unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		g_autofree char *fit = svg_text_fit(names[i], 12, f->width / n - 6);

		svg_label(s, svg_x(f, i + 0.5), f->top + f->height + 17, SVG_MIDDLE, fit);
	}
	s->y += 18;
}

/* Where side number @i of @n stands in slot @slot. */
static double plot_slot_x(unsigned slot, unsigned i, unsigned n)
{
	return slot + (i + 1.0) / (n + 1.0);
}

static GPtrArray *plot_stage_names(const struct comparison_group *g)
{
	GPtrArray *names = g_ptr_array_new_with_free_func(g_free);

	for (guint i = 0; i < g->stages->len; i++) {
		const struct comparison_stage *st = g->stages->pdata[i];
		g_autofree char *clean = cell_text(st->name);

		g_ptr_array_add(names, svg_foreign(clean));
	}
	return names;
}

/* --- average between minimum and maximum --- */

static double plot_figure(const struct comparison_group *g, const struct comparison_stage *st,
			  unsigned side, const char *key)
{
	double low, high;

	for (unsigned i = 0; st->place[side] && i < g->columns->len; i++)
		if (strcmp(comparison_column(g, i)->key, key) == 0)
			return comparison_place_value(st->place[side], g, i, &low, &high);
	return NAN;
}

struct overview {
	const struct comparison_group *group;
	unsigned sides[PLOT_SIDES], n;
	double low, high;
};

static void overview_range(struct overview *o)
{
	static const char *const keys[] = { "min_ns", "avg_ns", "max_ns" };

	for (guint k = 0; k < o->group->stages->len; k++)
		for (unsigned i = 0; i < o->n; i++)
			for (size_t n = 0; n < G_N_ELEMENTS(keys); n++) {
				double v = plot_figure(o->group, o->group->stages->pdata[k],
						       o->sides[i], keys[n]);

				if (isnan(v) || v <= 0)
					continue;
				o->low = o->low > 0 ? MIN(o->low, v) : v;
				o->high = MAX(o->high, v);
			}
}

static void overview_stage(const struct overview *o, struct svg *s, const struct svg_frame *f,
			   unsigned slot)
{
	const struct comparison_stage *st = o->group->stages->pdata[slot];

	for (unsigned i = 0; i < o->n; i++) {
		double min = plot_figure(o->group, st, o->sides[i], "min_ns");
		double max = plot_figure(o->group, st, o->sides[i], "max_ns");
		struct svg_point at = { plot_slot_x(slot, i, o->n),
					plot_figure(o->group, st, o->sides[i], "avg_ns") };

		if (!isnan(min) && !isnan(max))
			svg_whisker(s, f, i, at.x, MAX(min, f->y.low), max);
		if (!isnan(at.y))
			svg_marks(s, f, i, (enum svg_mark)(i % (SVG_CROSS + 1)), &at, 1);
	}
}

static bool plot_overview(struct svg *s, const struct comparison *c,
			  const struct comparison_group *g, GString *desc)
{
	struct overview o = { .group = g };
	g_autoptr(GPtrArray) names = plot_stage_names(g);
	struct svg_frame f;

	o.n = plot_sides(c, g, o.sides);
	overview_range(&o);
	if (!(o.low > 0))
		return false;
	f = plot_slots(g->stages->len, (struct svg_axis){ .scale = SVG_LOG,
							  .unit = SVG_TIME,
							  .low = o.low,
							  .high = o.high,
							  .label = "minimum, average, maximum" });
	svg_axis_fit(&f.y);
	svg_heading(s, "Under each load",
		    "The mark is the average, the line goes from minimum to maximum.");
	plot_legend(s, c, o.sides, o.n, SVG_KEY_MARK);
	svg_frame(s, &f, PLOT_HEIGHT);
	for (unsigned i = 0; i < g->stages->len; i++)
		overview_stage(&o, s, &f, i);
	plot_slot_names(s, &f, (char *const *)names->pdata, names->len);
	g_string_append_printf(desc, "Minimum, average and maximum of %u sides under %u loads. ",
			       o.n, g->stages->len);
	return true;
}

/* --- differences --- */

struct percents {
	const struct comparison_group *group;
	unsigned sides[PLOT_SIDES], n;
	double low, high;
	bool any;
};

static double percents_scale(const struct comparison_group *g, unsigned column)
{
	return pow(10, -comparison_column(g, column)->percent_decimals);
}

static const struct comparison_difference *percents_at(const struct percents *p,
						       const struct comparison_stage *st,
						       unsigned side, unsigned column)
{
	const struct comparison_place *place = st->place[p->sides[side]];
	const struct comparison_difference *d;

	if (!place || !place->differences)
		return NULL;
	d = comparison_difference_at(place, column);
	return d->known ? d : NULL;
}

static void percents_range(struct percents *p, const struct comparison_stage *st, unsigned column)
{
	double scale = percents_scale(p->group, column);

	for (unsigned i = 1; i < p->n; i++) {
		const struct comparison_difference *d = percents_at(p, st, i, column);

		if (!d)
			continue;
		p->any = true;
		p->low = MIN(p->low, scale * (double)(d->interval ? d->low : d->percent));
		p->high = MAX(p->high, scale * (double)(d->interval ? d->high : d->percent));
	}
}

static void percents_slot(const struct percents *p, struct svg *s, const struct svg_frame *f,
			  const struct comparison_stage *st, unsigned column, unsigned slot)
{
	double scale = percents_scale(p->group, column);

	for (unsigned i = 1; i < p->n; i++) {
		const struct comparison_difference *d = percents_at(p, st, i, column);
		struct svg_point at = { plot_slot_x(slot, i - 1, p->n - 1), 0 };

		if (!d)
			continue;
		at.y = scale * (double)d->percent;
		if (d->interval)
			svg_whisker(s, f, i, at.x, scale * (double)d->low, scale * (double)d->high);
		svg_marks(s, f, i, (enum svg_mark)(i % (SVG_CROSS + 1)), &at, 1);
	}
}

static struct svg_frame percents_frame(const struct percents *p, unsigned slots)
{
	struct svg_frame f = plot_slots(slots, (struct svg_axis){ .low = p->low,
								  .high = p->high,
								  .label = "difference",
								  .suffix = "%" });

	svg_axis_fit(&f.y);
	return f;
}

/* What the lines through the marks are. */
static const char *percents_interval(const struct percents *p, const struct comparison *c)
{
	if (p->group->intervals == 0)
		return ".";
	for (unsigned i = 1; i < p->n; i++)
		if (comparison_basis(p->group, c->base, p->sides[i]) == COMPARISON_RUN)
			return "; the line is the 95 % interval of this run only.";
	return "; the line is the 95 % interval over sessions.";
}

/* The legend without the base, which is the zero line. */
static void percents_begin(const struct percents *p, struct svg *s, const struct comparison *c,
			   const char *title)
{
	g_autofree char *base = svg_foreign(comparison_side(c, c->base)->title);
	g_autofree char *sub = g_strdup_printf("In percent of %s%s", base, percents_interval(p, c));
	struct svg_entry entries[PLOT_SIDES] = { 0 };

	for (unsigned i = 1; i < p->n; i++)
		entries[i - 1] = (struct svg_entry){
			.key = SVG_KEY_MARK,
			.series = i,
			.mark = (enum svg_mark)(i % (SVG_CROSS + 1)),
			.text = svg_foreign(comparison_side(c, p->sides[i])->title),
		};
	svg_heading(s, title, sub);
	svg_legend(s, entries, p->n - 1);
	for (unsigned i = 1; i < p->n; i++)
		g_free((char *)entries[i - 1].text);
}

/* Of averages, load by load. */
static bool plot_averages(struct svg *s, const struct comparison *c,
			  const struct comparison_group *g, GString *desc)
{
	struct percents p = { .group = g };
	g_autoptr(GPtrArray) names = plot_stage_names(g);
	struct svg_frame f;

	p.n = plot_sides(c, g, p.sides);
	for (guint i = 0; i < g->stages->len; i++)
		percents_range(&p, g->stages->pdata[i], 0);
	if (!p.any)
		return false;
	f = percents_frame(&p, g->stages->len);
	percents_begin(&p, s, c, "Difference of averages");
	svg_frame(s, &f, PLOT_HEIGHT);
	svg_rule_y(s, &f, 0, NULL);
	for (unsigned i = 0; i < g->stages->len; i++)
		percents_slot(&p, s, &f, g->stages->pdata[i], 0, i);
	plot_slot_names(s, &f, (char *const *)names->pdata, names->len);
	g_string_append_printf(desc, "Difference of the averages to the base under %u loads. ",
			       g->stages->len);
	return true;
}

/* Of what a benchmark timed, under one load. */
static bool plot_benchmark(struct svg *s, const struct comparison *c,
			   const struct comparison_group *g, const struct comparison_stage *st,
			   GString *desc)
{
	struct percents p = { .group = g };
	g_autoptr(GPtrArray) names = g_ptr_array_new_with_free_func(g_free);
	g_autofree char *clean = cell_text(st->name), *load = svg_foreign(clean);
	g_autofree char *title = g_strdup_printf("Difference of times under load %s", load);
	struct svg_frame f;

	p.n = plot_sides(c, g, p.sides);
	for (unsigned i = 0; i < g->columns->len; i++) {
		g_autofree char *name = cell_text(comparison_column(g, i)->title);

		percents_range(&p, st, i);
		g_ptr_array_add(names, svg_foreign(name));
	}
	if (!p.any)
		return false;
	f = percents_frame(&p, g->columns->len);
	percents_begin(&p, s, c, title);
	svg_frame(s, &f, PLOT_HEIGHT);
	svg_rule_y(s, &f, 0, NULL);
	for (unsigned i = 0; i < g->columns->len; i++)
		percents_slot(&p, s, &f, st, i, i);
	plot_slot_names(s, &f, (char *const *)names->pdata, names->len);
	g_string_append_printf(desc, "%s, of %u measures. ", title, g->columns->len);
	return true;
}

/* --- distributions --- */

static bool plot_distributions(struct svg *s, const struct comparison *c,
			       const struct comparison_group *g, const struct comparison_stage *st,
			       GString *desc)
{
	g_autofree char *clean = cell_text(st->name), *load = svg_foreign(clean);
	g_autofree char *title = g_strdup_printf("How often at least so long: %s", load);
	g_autoptr(GPtrArray) all = g_ptr_array_new_with_free_func(g_free);
	struct plot_range range = { .low = 0 };
	unsigned sides[PLOT_SIDES], shown[PLOT_SIDES], n = plot_sides(c, g, sides);
	struct svg_frame f;

	for (unsigned i = 0; i < n; i++) {
		const struct comparison_place *p = st->place[sides[i]];
		struct figures *one;

		if (!p || !p->distribution)
			continue;
		one = comparison_distribution_figures(p->distribution);
		shown[all->len] = i;
		g_ptr_array_add(all, one);
		plot_range_add(&range, one);
	}
	if (!range.any)
		return false;
	f = plot_ccdf_frame(&range);
	svg_heading(s, title, "Complementary distribution of all CPUs and sessions together.");
	plot_legend(s, c, sides, n, SVG_KEY_LINE);
	svg_frame(s, &f, PLOT_HEIGHT);
	for (guint i = 0; i < all->len; i++)
		plot_ccdf_curve(s, &f, shown[i], all->pdata[i], false);
	g_string_append_printf(desc, "%s, %u sides overlaid. ", title, all->len);
	return true;
}

unsigned comparison_plots(const struct comparison_group *g)
{
	return g->stages->len + (plot_is_overhead(g) ? 0 : 2);
}

bool comparison_plot(struct svg *s, const struct comparison *c, const struct comparison_group *g,
		     unsigned n, GString *desc)
{
	if (plot_is_overhead(g))
		return plot_benchmark(s, c, g, g->stages->pdata[n], desc);
	if (n == 0)
		return plot_overview(s, c, g, desc);
	if (n == 1)
		return plot_averages(s, c, g, desc);
	return plot_distributions(s, c, g, g->stages->pdata[n - 2], desc);
}
