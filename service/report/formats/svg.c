/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The plots of a session one below the other: all stages together first, then each. A result that
 * has nothing to draw is a picture that says why, so that a page which embeds it needs no other
 * case; an empty one would look like a fault.
 */
#include "svg.h"

#include "cell.h"
#include "plot.h"
#include "report.h"
#include "value.h"

#include <string.h>

struct panels {
	struct svg *svg;
	GString *desc;
	const struct result *result;
	bool kinds[_PLOT_MAX];
	unsigned drawn;
};

static void panels_all_stages(struct panels *p)
{
	if (p->kinds[PLOT_CCDF])
		p->drawn += plot_ccdf_stages(p->svg, p->result, p->desc);
	if (p->kinds[PLOT_MAXIMA])
		p->drawn += plot_maxima(p->svg, p->result, p->desc);
}

static void panels_stage(struct panels *p, const struct result_stage *st)
{
	if (p->kinds[PLOT_HISTOGRAM])
		p->drawn += plot_histogram(p->svg, p->result, st, p->desc);
	if (p->kinds[PLOT_CCDF])
		p->drawn += plot_ccdf(p->svg, p->result, st, p->desc);
	if (p->kinds[PLOT_TAIL])
		p->drawn += plot_return(p->svg, p->result, st, p->desc);
}

static const char *panels_tail_reason(const struct result *r)
{
	for (guint i = 0; r->stages && i < r->stages->len; i++) {
		const struct result_stage *st = r->stages->pdata[i];
		const char *reason = value_get_string(st->analysis, "tail.reason");

		if (reason)
			return reason;
	}
	return "No tail was fitted to this session.";
}

/* Why there is nothing. */
static void panels_empty(struct panels *p)
{
	const struct result *r = p->result;
	const char *why = "No sample has a place in a distribution.";

	if (!result_is_latency(r))
		why = "It holds what a benchmark took, and no latencies: there is no distribution.";
	else if (!r->stages || r->stages->len == 0)
		why = "No stage has begun.";
	else if (p->kinds[PLOT_TAIL] && !p->kinds[PLOT_CCDF])
		why = panels_tail_reason(r);
	else if (p->kinds[PLOT_MAXIMA] && !p->kinds[PLOT_CCDF])
		why = "No maxima over time are known.";
	svg_note(p->svg, "Nothing to draw.");
	svg_note(p->svg, why);
	g_string_append(p->desc, why);
}

/* "sample, label "after the update"" */
static char *panels_title(const struct result *r)
{
	g_autofree char *clean = cell_text(r->label), *label = svg_foreign(clean);
	g_autofree char *plan_clean = cell_text(r->plan), *plan = svg_foreign(plan_clean);

	return g_strdup_printf("%s: plan %s%s%s", r->id, plan, *label ? ", " : "", label);
}

static char *panels_sub(const struct result *r)
{
	const char *release = value_get_string(r->conditions, "kernel.release");
	const char *verdict = verdict_to_string(r->verdict);
	g_autofree char *clean = cell_text(release ? release : ""), *kernel = svg_foreign(clean);
	g_autoptr(GString) sub = g_string_new(r->instrument);

	if (*kernel)
		g_string_append_printf(sub, ", kernel %s", kernel);
	if (*verdict && r->verdict != VERDICT_NONE)
		g_string_append_printf(sub, ", verdict %s", verdict);
	return g_strdup(sub->str);
}

static void panels_draw(struct panels *p)
{
	const struct result *r = p->result;
	g_autofree char *title = panels_title(r), *sub = panels_sub(r);

	svg_heading(p->svg, title, sub);
	if (result_is_latency(r)) {
		panels_all_stages(p);
		for (guint i = 0; r->stages && i < r->stages->len; i++)
			panels_stage(p, r->stages->pdata[i]);
	}
	if (p->drawn == 0)
		panels_empty(p);
}

static int svg_render(const struct result *r, const struct report_options *o, GString *out,
		      char **ret_message)
{
	g_autoptr(GString) desc = g_string_new(NULL);
	g_autofree char *title = panels_title(r);
	struct panels p = { .desc = desc, .result = r };
	enum plot_kind kind;
	int k;

	for (unsigned i = 0; i < _PLOT_MAX; i++)
		p.kinds[i] = !o->plot;
	if (o->plot) {
		k = plot_from_string(o->plot, &kind, ret_message);
		if (k < 0)
			return k;
		p.kinds[kind] = true;
	}
	p.svg = svg_new("lp");
	panels_draw(&p);
	svg_end(p.svg, title, desc->str, SVG_ALONE, out);
	return 0;
}

const struct report_format report_format_svg = {
	.name = "svg",
	.media_type = "image/svg+xml",
	.description = "plots: histograms, distributions, maxima over time, tail",
	.render = svg_render,
};
