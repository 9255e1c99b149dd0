/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * When was it bad? The maxima of blocks over the time that was measured, stages one after the other
 * without the pauses between them: the wall clock may have been set meanwhile, the measured time
 * cannot. There are more blocks than pixels: neighbours are joined, the larger one stays, and how
 * long a step is then stands below. The worst samples are marked where they happened. Of
 * migrations only the number per stage is known, so the stage as a whole is marked.
 */
#include "plot.h"

#include "cell.h"

#include <inttypes.h>
#include <math.h>

#define MAXIMA_HEIGHT 230
#define MAXIMA_STEPS  700
#define MAXIMA_WORST  10 /* per stage */

struct timeline {
	double *begin; /* of stages, ns; and the end of the last one */
	struct span *span;
	guint n;
	uint64_t step_ns; /* 0: no stage has blocks */
	struct plot_range range;
	bool several, self, checkpoints, migrated;
};

static const struct result_stage *timeline_stage(const struct result *r, guint i)
{
	return r->stages->pdata[i];
}

static const struct figures *maxima_cpu(const struct result_stage *st, guint i)
{
	return ((const struct result_cpu *)st->cpus->pdata[i])->figures;
}

/* What a stage measured, in its own time: that begins with the warm-up, which has no samples. */
struct span {
	uint64_t from, to; /* ns */
};

static struct span maxima_span(const struct result_stage *st)
{
	struct span n = { UINT64_MAX, 0 };

	for (guint i = 0; i < st->cpus->len; i++) {
		const struct figures *f = maxima_cpu(st, i);

		for (uint32_t b = 0; b < f->n_blocks; b++) {
			uint64_t at = b * f->block_length_ns;

			if (f->blocks[b].count == 0)
				continue;
			n.from = MIN(n.from, at);
			n.to = MAX(n.to, at + 1);
		}
		for (uint32_t w = 0; w < f->n_worst; w++)
			n.to = MAX(n.to, f->worst[w].at_ns);
	}
	if (n.from == UINT64_MAX)
		n.from = 0;
	n.to = MAX(n.to, n.from + st->duration_ns);
	return n;
}

static void timeline_look(struct timeline *t, const struct result_stage *st)
{
	t->checkpoints = t->checkpoints || st->checkpoints->len;
	t->several = t->several || st->cpus->len > 1;
	for (guint i = 0; i < st->cpus->len; i++) {
		const struct figures *f = maxima_cpu(st, i);

		if (f->n_blocks)
			t->step_ns = MAX(t->step_ns, f->block_length_ns);
		t->migrated = t->migrated || f->migrated;
		for (uint32_t b = 0; b < f->n_blocks; b++) {
			uint64_t max = f->blocks[b].max_ns;

			if (f->blocks[b].count == 0)
				continue;
			t->range.any = true;
			t->range.high = MAX(t->range.high, max);
			if (max && (t->range.low == 0 || max < t->range.low))
				t->range.low = max;
		}
		for (uint32_t w = 0; w < f->n_worst; w++)
			t->self = t->self || f->worst[w].self;
	}
}

static void timeline_init(struct timeline *t, const struct result *r)
{
	double at = 0;

	t->n = r->stages ? r->stages->len : 0;
	t->begin = g_new0(double, t->n + 1);
	t->span = g_new0(struct span, t->n + 1);
	for (guint i = 0; i < t->n; i++) {
		timeline_look(t, timeline_stage(r, i));
		t->begin[i] = at;
		t->span[i] = maxima_span(timeline_stage(r, i));
		at += (double)(t->span[i].to - t->span[i].from);
	}
	t->begin[t->n] = at;
	while (t->step_ns && at / (double)t->step_ns > MAXIMA_STEPS)
		t->step_ns *= 2;
}

/* Where the moment @at_ns of stage @i is on the axis. */
static double timeline_at(const struct timeline *t, guint i, uint64_t at_ns)
{
	return t->begin[i] + (double)at_ns - (double)t->span[i].from;
}

/* Largest block maximum of each step of @step_ns from @from_ns on, NAN where there is no sample. */
static void maxima_of(const struct figures *f, uint64_t from_ns, uint64_t step_ns, double *ret,
		      size_t n)
{
	for (size_t i = 0; i < n; i++)
		ret[i] = NAN;
	for (uint32_t b = 0; b < f->n_blocks; b++) {
		uint64_t at = b * f->block_length_ns;
		size_t i = at < from_ns ? 0 : (size_t)((at - from_ns) / step_ns);

		if (f->blocks[b].count && i < n)
			ret[i] = fmax(ret[i], (double)f->blocks[b].max_ns);
	}
}

struct strand { /* a stage's steps: the largest and the smallest maximum of its CPUs */
	double *high, *low;
	size_t n;
};

static void strand_init(struct strand *d, const struct timeline *t, const struct result_stage *st,
			const struct span *span)
{
	g_autofree double *one = NULL;

	d->n = (size_t)((span->to - span->from) / t->step_ns) + 1;
	d->high = g_new(double, d->n);
	d->low = g_new(double, d->n);
	one = g_new(double, d->n);
	for (size_t i = 0; i < d->n; i++)
		d->high[i] = d->low[i] = NAN;
	for (guint k = 0; k < st->cpus->len; k++) {
		maxima_of(maxima_cpu(st, k), span->from, t->step_ns, one, d->n);
		for (size_t i = 0; i < d->n; i++) { /* fmax() and fmin() pass over NAN */
			d->high[i] = fmax(d->high[i], one[i]);
			d->low[i] = fmin(d->low[i], one[i]);
		}
	}
}

/* The last step is often a sliver: of few samples, it would dive. It goes to the one before it. */
static void strand_join(struct strand *d, uint64_t length_ns, uint64_t step_ns)
{
	size_t last = d->n - 1;

	if (d->n < 2 || length_ns - last * step_ns >= step_ns / 10)
		return;
	d->high[last] = d->high[last - 1] = fmax(d->high[last - 1], d->high[last]);
	d->low[last] = d->low[last - 1] = fmin(d->low[last - 1], d->low[last]);
}

static void strand_done(struct strand *d)
{
	g_free(d->high);
	g_free(d->low);
}

static void maxima_strand(const struct timeline *t, struct svg *s, const struct svg_frame *f,
			  const struct result_stage *st, guint stage, unsigned series)
{
	double begin = t->begin[stage], end = t->begin[stage + 1];
	g_autofree struct svg_point *high = NULL, *low = NULL;
	struct strand d;
	size_t n = 0;

	strand_init(&d, t, st, &t->span[stage]);
	strand_join(&d, t->span[stage].to - t->span[stage].from, t->step_ns);
	high = g_new(struct svg_point, 2 * d.n + 1);
	low = g_new(struct svg_point, 2 * d.n + 1);
	for (size_t i = 0; i < d.n; i++) {
		double from = begin + (double)(i * t->step_ns);
		double to = MIN(from + (double)t->step_ns, end);

		if (from >= end)
			break;
		high[n] = (struct svg_point){ from, d.high[i] };
		low[n++] = (struct svg_point){ from, d.low[i] };
		high[n] = (struct svg_point){ to, d.high[i] };
		low[n++] = (struct svg_point){ to, d.low[i] };
	}
	if (st->cpus->len > 1)
		svg_band(s, f, series, low, high, n);
	svg_line(s, f, series | SVG_SOLID, high, n);
	strand_done(&d);
}

static int worst_order(gconstpointer a, gconstpointer b)
{
	const struct worst_sample *x = a, *y = b;

	return x->latency_ns < y->latency_ns ? 1 : x->latency_ns > y->latency_ns ? -1 : 0;
}

/* The largest ones, a diamond; those beside a write of our own a ring. */
static void maxima_worst(const struct timeline *t, struct svg *s, const struct svg_frame *f,
			 const struct result_stage *st, guint stage, unsigned series)
{
	g_autoptr(GArray) all = g_array_new(FALSE, FALSE, sizeof(struct worst_sample));

	for (guint i = 0; i < st->cpus->len; i++) {
		const struct figures *figures = maxima_cpu(st, i);

		g_array_append_vals(all, figures->worst, MIN(figures->n_worst, FIGURES_WORST));
	}
	g_array_sort(all, worst_order);
	for (guint i = 0; i < MIN(all->len, MAXIMA_WORST); i++) {
		const struct worst_sample *w = &g_array_index(all, struct worst_sample, i);
		struct svg_point at = { timeline_at(t, stage, w->at_ns), (double)w->latency_ns };

		svg_marks(s, f, series, w->self ? SVG_RING : SVG_DIAMOND, &at, 1);
	}
}

static void maxima_checkpoints(const struct timeline *t, struct svg *s, const struct svg_frame *f,
			       const struct result_stage *st, guint stage)
{
	g_autofree double *x = g_new(double, st->checkpoints->len);

	for (guint i = 0; i < st->checkpoints->len; i++)
		x[i] = timeline_at(t, stage, g_array_index(st->checkpoints, uint64_t, i));
	svg_rug(s, f, x, st->checkpoints->len);
}

static uint64_t maxima_migrated(const struct result_stage *st)
{
	uint64_t n = 0;

	for (guint i = 0; i < st->cpus->len; i++)
		n += maxima_cpu(st, i)->migrated;
	return n;
}

/* Its name where it begins, if there is room; with what migrated. */
static void maxima_stage(const struct timeline *t, struct svg *s, const struct svg_frame *f,
			 const struct result *r, guint stage)
{
	const struct result_stage *st = timeline_stage(r, stage);
	double from = svg_x(f, t->begin[stage]), to = svg_x(f, t->begin[stage + 1]);
	uint64_t migrated = maxima_migrated(st);
	g_autofree char *name = plot_stage_name(r, st), *fit = NULL;

	if (migrated) {
		g_autofree char *more = g_strdup_printf("%s: %" PRIu64 " migrated", name, migrated);

		svg_shade_x(s, f, t->begin[stage], t->begin[stage + 1]);
		g_free(name);
		name = g_steal_pointer(&more);
	}
	if (stage)
		svg_rule_x(s, f, t->begin[stage], NULL);
	fit = svg_text_fit(name, 11, to - from - 8);
	if (to - from > 24)
		svg_label(s, from + 4, f->top + 12, SVG_START, fit);
}

static void maxima_legend(const struct timeline *t, struct svg *s)
{
	struct svg_entry e[6];
	size_t n = 0;

	e[n++] = (struct svg_entry){ .key = SVG_KEY_LINE,
				     .series = SVG_SOLID,
				     .text = t->several ? "largest of all CPUs" : "maximum" };
	if (t->several)
		e[n++] = (struct svg_entry){ .key = SVG_KEY_BAND,
					     .text = "from the best CPU to the worst" };
	e[n++] = (struct svg_entry){ .key = SVG_KEY_MARK,
				     .mark = SVG_DIAMOND,
				     .text = "worst samples" };
	if (t->self)
		e[n++] = (struct svg_entry){ .key = SVG_KEY_MARK,
					     .mark = SVG_RING,
					     .text = "within 10 ms of a checkpoint" };
	if (t->checkpoints)
		e[n++] = (struct svg_entry){ .key = SVG_KEY_RUG, .text = "checkpoints" };
	if (t->n > 1)
		e[n++] = (struct svg_entry){ .key = SVG_KEY_RULE, .text = "stage changes" };
	svg_legend(s, e, n);
}

static struct svg_frame maxima_frame(const struct timeline *t)
{
	struct svg_frame f = {
		.x = { .unit = SVG_TIME,
		       .high = t->begin[t->n],
		       .label = t->n > 1 ? "time measured, all stages" : "time measured" },
		.y = { .scale = SVG_LOG,
		       .unit = SVG_TIME,
		       .low = t->range.low ? (double)t->range.low * 0.8 : 1,
		       .high = (double)t->range.high * 1.6,
		       .label = "maximum" },
	};

	svg_axis_fit(&f.y);
	return f;
}

static void maxima_note(const struct timeline *t, struct svg *s)
{
	g_autofree char *length = cell_duration(t->step_ns);
	g_autofree char *text = g_strdup_printf(
		"Each step is the largest latency within %s.%s", length,
		t->migrated ? " Shaded: stages in which samples migrated to another CPU, it is not "
			      "known when."
			    : "");

	svg_note(s, text);
}

static void maxima_draw(const struct timeline *t, struct svg *s, const struct result *r)
{
	struct svg_frame f = maxima_frame(t);

	svg_heading(s, "Maxima over time", NULL);
	maxima_legend(t, s);
	svg_frame(s, &f, MAXIMA_HEIGHT);
	for (guint i = 0; i < t->n; i++)
		maxima_stage(t, s, &f, r, i);
	for (guint i = 0; i < t->n; i++) {
		const struct result_stage *st = timeline_stage(r, i);
		unsigned series = plot_stage_series(r, i);

		maxima_strand(t, s, &f, st, i, series);
		maxima_checkpoints(t, s, &f, st, i);
		maxima_worst(t, s, &f, st, i, series);
	}
	if (t->n == 1)
		plot_limits_y(s, &f, timeline_stage(r, 0));
	maxima_note(t, s);
}

bool plot_maxima(struct svg *s, const struct result *r, GString *desc)
{
	g_autofree char *longest = NULL;
	struct timeline t = { .n = 0 };
	bool any;

	timeline_init(&t, r);
	any = t.range.any && t.begin[t.n] > 0;
	if (any) {
		maxima_draw(&t, s, r);
		longest = plot_time(t.range.high);
		g_string_append_printf(
			desc, "Maxima of blocks over time, %u stage%s: the largest is %s. ", t.n,
			t.n == 1 ? "" : "s", longest);
	}
	g_free(t.begin);
	g_free(t.span);
	return any;
}
