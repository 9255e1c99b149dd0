/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One file that can be mailed, archived and printed: style and plots are in it, nothing is fetched
 * and no script runs (a policy in its head sees to that, whatever a label says). Its words are
 * those of the text report, written by the same functions on a page that is HTML (pagehtml.h); here
 * are the frame, the plots and the conditions. Light and dark by the reader's preference, light on
 * paper.
 */
#include "cell.h"
#include "htmlconditions.h"
#include "htmlhead.h"
#include "notes.h"
#include "pagehtml.h"
#include "plot.h"
#include "repeats.h"
#include "report.h"
#include "text-head.h"
#include "text-repeats.h"
#include "text-stage.h"
#include "text-thinned.h"
#include "text-values.h"

struct sheet {
	const struct result *result;
	bool one_stage; /* that was asked for, with all its repeats */
	unsigned pictures;
};

typedef bool (*sheet_plot)(struct svg *s, const struct result *r, const struct result_stage *st,
			   GString *desc);

static bool sheet_all_stages(struct svg *s, const struct result *r, const struct result_stage *st,
			     GString *desc)
{
	return plot_ccdf_stages(s, r, desc);
}

static bool sheet_maxima(struct svg *s, const struct result *r, const struct result_stage *st,
			 GString *desc)
{
	return plot_maxima(s, r, desc);
}

/* One plot as a figure, if it has something to show. */
static void sheet_picture(struct sheet *h, struct page *p, const char *title, sheet_plot plot,
			  const struct result_stage *st)
{
	g_autofree char *prefix = g_strdup_printf("p%u", ++h->pictures);
	g_autoptr(GString) desc = g_string_new(NULL), element = g_string_new("<figure>\n");
	struct svg *s = svg_new(prefix);
	bool any = plot(s, h->result, st, desc);

	svg_end(s, title, desc->str, SVG_INSIDE, element);
	g_string_append(element, "</figure>\n");
	if (any)
		pagehtml_raw(p, element->str);
}

static void sheet_stage_pictures(struct page *p, const struct result_stage *st, void *userdata)
{
	struct sheet *h = userdata;

	sheet_picture(h, p, "Histogram", plot_histogram, st);
	sheet_picture(h, p, "Complementary distribution", plot_ccdf, st);
	sheet_picture(h, p, "Return levels", plot_return, st);
}

static void sheet_head(const struct result *r, GString *out)
{
	g_autofree char *label = cell_text(r->label);
	g_autofree char *title =
		g_strdup_printf("%s%s%s: %s", r->plan, *label ? ", " : "", label, r->id);

	htmlhead(out, title);
}

static void sheet_plan(struct page *p, const struct result *r)
{
	g_autofree char *valid = g_utf8_make_valid(r->plan_text, -1);
	g_auto(GStrv) lines = g_strsplit(valid, "\n", -1);
	g_autoptr(GString) element = g_string_new("<pre>");

	if (!*valid)
		return;
	for (char **line = lines; *line; line++) { /* a line break is not one line */
		g_autofree char *clean = cell_text(*line);

		if (!line[1] && !*clean)
			break;
		svg_append_text(element, clean);
		g_string_append_c(element, '\n');
	}
	g_string_append(element, "</pre>\n");
	pagehtml_heading(p, "The plan", PAGE_PLAIN, NULL);
	pagehtml_raw(p, element->str);
}

static void sheet_body(struct sheet *h, struct page *p)
{
	const struct result *r = h->result;
	g_autoptr(GPtrArray) notes = notes_new(r);
	g_autoptr(GPtrArray) repeats = repeats_of(r);
	guint n = r->stages ? r->stages->len : 0;

	text_head(p, r, notes);
	if (!result_is_latency(r))
		text_values(p, r);
	else if (repeats->len > 0)
		text_repeats(p, r, repeats, h->one_stage);
	else if (n > 1)
		text_summary(p, r);
	if (r->thinned_usec)
		text_thinned(p, r);
	else if (n == 0)
		page_text(p, 0, "No stage has begun.");
	if (n && result_is_latency(r)) {
		sheet_picture(h, p, "All stages", sheet_all_stages, NULL);
		sheet_picture(h, p, "Maxima over time", sheet_maxima, NULL);
	}
	for (guint i = 0; i < n && result_is_latency(r); i++)
		if (h->one_stage || text_repeats_shown(repeats, r->stages->pdata[i]))
			text_stage(p, r->stages->pdata[i], i + 1, n);
	text_mends(p, notes);
	htmlconditions(p, "Conditions", r->conditions);
	htmlconditions(p, "Conditions of the peer", r->peer_conditions);
	sheet_plan(p, r);
}

static int html_render(const struct result *r, const struct report_options *o, GString *out,
		       char **ret_message)
{
	struct sheet h = { .result = r, .one_stage = o->stage != NULL };
	struct page_html html = { .pictures = sheet_stage_pictures, .userdata = &h };
	g_autofree char *label = cell_text(r->label);
	struct page p;

	pagehtml_init(&p, &html, out);
	sheet_head(r, out);
	g_string_append_printf(out, "<body>\n<header><p>%s</p><h1>",
			       result_is_latency(r) ? "Latency report" : "Benchmark report");
	svg_append_text(out, *label ? label : r->plan);
	if (r->verdict > VERDICT_NONE)
		pagehtml_badge(&p, text_verdict_style(r->verdict), verdict_to_string(r->verdict));
	g_string_append(out, "</h1></header>\n<main>\n");
	sheet_body(&h, &p);
	pagehtml_done(&p);
	g_string_append(out, "</main>\n</body>\n</html>\n");
	return 0;
}

const struct report_format report_format_html = {
	.name = "html",
	.media_type = "text/html; charset=utf-8",
	.description =
		"for people: one file with tables, plots and conditions, for screen and paper",
	.summary = true,
	.render = html_render,
};
