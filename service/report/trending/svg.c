/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sessions stand at their day, as a pause of a month is worth seeing; where the clock went back,
 * in their order only. More sessions than a reader can tell apart become a band from the smallest
 * to the largest of neighbours, with their median in it.
 */
#include "svg.h"

#include "cell.h"
#include "trend-internal.h"

#include <math.h>
#include <stdlib.h>

#define TREND_HEIGHT  260
#define TREND_DOTS    400 /* sessions that are drawn one by one; more are put together */
#define TREND_RATIO   20  /* from here on a logarithmic axis */
#define TREND_KERNELS 6	  /* with a colour of their own */
#define TREND_LEVEL   (1u | SVG_SOLID)

struct drawing {
	const struct trend *t;
	struct svg *svg;
	struct svg_frame frame;
	bool dated;
};

static bool days_in_order(const struct trend *t)
{
	for (guint i = 0; i < t->points->len; i++) {
		uint64_t usec = trend_point(t, i)->started_usec;

		if (usec == 0 || (i && usec < trend_point(t, i - 1)->started_usec))
			return false;
	}
	return t->points->len > 1 &&
	       trend_point(t, t->points->len - 1)->started_usec > trend_point(t, 0)->started_usec;
}

static double point_x(const struct drawing *d, guint i)
{
	return d->dated ? (double)trend_point(d->t, i)->started_usec : (double)i + 1;
}

/* On the axis: shares in percent. */
static double point_y(const struct trend *t, double value)
{
	return t->unit == TREND_SHARE ? value / 1e4 : value;
}

static void drawing_frame(struct drawing *d)
{
	const struct trend *t = d->t;
	double low = point_y(t, t->all.low), high = point_y(t, t->all.high);
	bool logarithmic = low > 0 && high > low * TREND_RATIO;
	double margin = (high - low) * 0.06;

	d->frame = (struct svg_frame){
		.x = { .unit = d->dated ? SVG_DATE : SVG_COUNT,
		       .low = point_x(d, 0),
		       .high = point_x(d, t->points->len - 1),
		       .label = d->dated ? "session's start" : "session, in their order" },
		.y = { .scale = logarithmic ? SVG_LOG : SVG_LINEAR,
		       .unit = t->unit == TREND_TIME	 ? SVG_TIME
			       : t->unit == TREND_NUMBER ? SVG_COUNT
							 : SVG_PLAIN,
		       .suffix = t->unit == TREND_SHARE ? " %" : NULL,
		       .low = logarithmic ? low * 0.9 : MAX(low - margin, 0),
		       .high = logarithmic ? high * 1.1 : high + margin,
		       .label = t->options.figure },
	};
	if (d->frame.x.high <= d->frame.x.low)
		d->frame.x.high = d->frame.x.low + 1;
	svg_axis_fit(&d->frame.y);
}

static unsigned kernel_series(const struct trend *t, const char *kernel)
{
	for (guint i = 0; t->kernels && i < MIN(t->kernels->len, TREND_KERNELS); i++)
		if (trend_level(t->kernels, i)->kernel == kernel)
			return i ? i + 1 : 0; /* 1 is the levels' */
	return t->kernels ? TREND_KERNELS + 1 : 0;
}

static void draw_points(const struct drawing *d)
{
	for (guint i = 0; i < d->t->points->len; i++) {
		const struct trend_point *p = trend_point(d->t, i);
		struct svg_point at = { point_x(d, i), point_y(d->t, p->value) };
		enum svg_mark mark = p->verdict == VERDICT_FAIL		  ? SVG_CROSS
				     : p->verdict == VERDICT_INCONCLUSIVE ? SVG_RING
									  : SVG_DOT;

		svg_marks(d->svg, &d->frame, kernel_series(d->t, p->kernel), mark, &at, 1);
	}
}

static int compare_doubles(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* How many sessions are put together. */
static guint bin_size(const struct trend *t)
{
	return (t->points->len + TREND_DOTS - 1) / TREND_DOTS;
}

static void draw_bins(const struct drawing *d)
{
	guint size = bin_size(d->t), bins = (d->t->points->len + size - 1) / size;
	g_autofree struct svg_point *low = g_new(struct svg_point, bins);
	g_autofree struct svg_point *middle = g_new(struct svg_point, bins);
	g_autofree struct svg_point *high = g_new(struct svg_point, bins);
	g_autofree double *values = g_new(double, size);

	for (guint b = 0; b < bins; b++) {
		double x = point_x(d, MIN(b * size + size / 2, d->t->points->len - 1));
		guint n = 0;

		for (guint i = b * size; i < MIN((b + 1) * size, d->t->points->len); i++)
			if (!isnan(trend_point(d->t, i)->value))
				values[n++] = point_y(d->t, trend_point(d->t, i)->value);
		qsort(values, n, sizeof(*values), compare_doubles);
		low[b] = (struct svg_point){ x, n ? values[0] : NAN };
		middle[b] = (struct svg_point){ x, n ? values[n / 2] : NAN };
		high[b] = (struct svg_point){ x, n ? values[n - 1] : NAN };
	}
	svg_band(d->svg, &d->frame, 0, low, high, bins);
	svg_line(d->svg, &d->frame, SVG_SOLID, middle, bins);
}

static void draw_levels(const struct drawing *d)
{
	for (guint i = 0; i < d->t->levels->len; i++) {
		const struct trend_level *l = trend_level(d->t->levels, i);
		double median = point_y(d->t, l->median);
		struct svg_point ends[] = { { point_x(d, l->from), median },
					    { point_x(d, l->to), median } };

		if (i) { /* a level lasts until the next one begins */
			g_autofree char *change = trend_change(trend_shift(d->t, i - 1));

			svg_rule_x(d->svg, &d->frame, ends[0].x, change);
		}
		if (i + 1 < d->t->levels->len)
			ends[1].x = point_x(d, l->to + 1);
		svg_line(d->svg, &d->frame, TREND_LEVEL, ends, 2);
	}
}

static void draw_missing(const struct drawing *d)
{
	g_autofree double *x = g_new(double, d->t->points->len);
	size_t n = 0;

	for (guint i = 0; i < d->t->points->len; i++)
		if (isnan(trend_point(d->t, i)->value))
			x[n++] = point_x(d, i);
	/* of more than can be told apart, some */
	for (size_t i = 0; n > TREND_DOTS && i < TREND_DOTS; i++)
		x[i] = x[i * n / TREND_DOTS];
	svg_rug(d->svg, &d->frame, x, MIN(n, TREND_DOTS));
}

static void legend_kernels(const struct trend *t, struct svg_entry *e, size_t *n, GPtrArray *names)
{
	for (guint i = 0; i < MIN(t->kernels->len, TREND_KERNELS); i++) {
		const char *kernel = trend_level(t->kernels, i)->kernel;
		g_autofree char *clean = cell_text(*kernel ? kernel : "kernel not known");

		g_ptr_array_add(names, svg_foreign(clean));
		e[(*n)++] = (struct svg_entry){ .key = SVG_KEY_MARK,
						.series = kernel_series(t, kernel),
						.text = names->pdata[i] };
	}
	if (t->kernels->len > TREND_KERNELS)
		e[(*n)++] = (struct svg_entry){ .key = SVG_KEY_MARK,
						.series = TREND_KERNELS + 1,
						.text = "other kernels" };
}

static void draw_legend(const struct drawing *d, bool bins)
{
	g_autoptr(GPtrArray) names = g_ptr_array_new_with_free_func(g_free);
	const struct trend *t = d->t;
	struct svg_entry e[TREND_KERNELS + 8];
	size_t n = 0;

	if (bins) {
		e[n++] = (struct svg_entry){ .key = SVG_KEY_BAND, .text = "smallest to largest" };
		e[n++] = (struct svg_entry){ .key = SVG_KEY_LINE,
					     .series = SVG_SOLID,
					     .text = "median of neighbours" };
	} else if (t->kernels) {
		legend_kernels(t, e, &n, names);
	} else {
		e[n++] = (struct svg_entry){ .key = SVG_KEY_MARK, .text = "session" };
	}
	if (!bins && t->all.fail)
		e[n++] = (struct svg_entry){ .key = SVG_KEY_MARK,
					     .mark = SVG_CROSS,
					     .text = "failed" };
	if (!bins && t->all.inconclusive)
		e[n++] = (struct svg_entry){ .key = SVG_KEY_MARK,
					     .mark = SVG_RING,
					     .text = "inconclusive" };
	e[n++] = (struct svg_entry){ .key = SVG_KEY_LINE,
				     .series = TREND_LEVEL,
				     .text = "median of a level" };
	if (t->shifts->len)
		e[n++] = (struct svg_entry){ .key = SVG_KEY_RULE, .text = "shift" };
	if (t->all.known < t->all.sessions)
		e[n++] = (struct svg_entry){ .key = SVG_KEY_RUG, .text = "without this figure" };
	svg_legend(d->svg, e, n);
}

static void draw_notes(const struct drawing *d, bool bins)
{
	g_autofree char *alarm = trend_alarm_text(d->t);

	if (bins) {
		g_autofree char *size =
			g_strdup_printf("Neighbours are %u sessions put together.", bin_size(d->t));

		svg_note(d->svg, size);
	}
	for (guint i = 0; i < d->t->shifts->len; i++) {
		g_autofree char *text = trend_shift_text(d->t, trend_shift(d->t, i));
		g_auto(GStrv) lines = trend_changed_lines(trend_shift(d->t, i));
		g_autofree char *changed = g_strjoinv("; ", lines);
		g_autofree char *note = g_strdup_printf("Shift %s %s", text, changed);

		svg_note(d->svg, note);
	}
	svg_note(d->svg, alarm);
}

static void draw(struct drawing *d)
{
	bool bins = d->t->points->len > TREND_DOTS;

	d->dated = days_in_order(d->t);
	drawing_frame(d);
	draw_legend(d, bins);
	svg_frame(d->svg, &d->frame, TREND_HEIGHT);
	if (bins)
		draw_bins(d);
	else
		draw_points(d);
	draw_levels(d);
	draw_missing(d);
	draw_notes(d, bins);
}

static int svg_render(const struct trend *t, const struct report_options *o, GString *out,
		      char **ret_message)
{
	g_autofree char *title = trend_title(t), *foreign = svg_foreign(title);
	g_autofree char *summary = trend_summary(t);
	struct drawing d = { .t = t, .svg = svg_new("lt") };

	svg_heading(d.svg, foreign, summary);
	if (t->known->len > 0)
		draw(&d);
	else
		svg_note(d.svg, "Nothing to draw: no session has this figure.");
	svg_end(d.svg, foreign, summary, SVG_ALONE, out);
	return 0;
}

const struct trend_format trend_format_svg = {
	.name = "svg",
	.media_type = "image/svg+xml",
	.description = "a plot: sessions, levels and shifts",
	.render = svg_render,
};
