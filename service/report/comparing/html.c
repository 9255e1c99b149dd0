/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The sheet for people and the plots in one file that can be mailed and printed: nothing is
 * fetched, and no script runs, whatever a label says.
 */
#include "cell.h"
#include "comparison-plot.h"
#include "comparison-sheet.h"
#include "htmlhead.h"
#include "pagehtml.h"

struct html_sheet {
	struct comparison_page_sheet sheet; /* first */
	unsigned pictures;
};

static void html_picture(struct html_sheet *h, const struct comparison *c,
			 const struct comparison_group *g, unsigned n)
{
	g_autofree char *prefix = g_strdup_printf("c%u", ++h->pictures);
	g_autoptr(GString) desc = g_string_new(NULL), element = g_string_new("<figure>\n");
	struct svg *s = svg_new(prefix);
	bool any = comparison_plot(s, c, g, n, desc);

	svg_end(s, "Plot", desc->str, SVG_INSIDE, element);
	g_string_append(element, "</figure>\n");
	if (any)
		pagehtml_raw(h->sheet.page, element->str);
}

static void html_pictures(struct comparison_sheet *s, const struct comparison *c,
			  const struct comparison_group *g, unsigned number)
{
	for (unsigned i = 0; i < comparison_plots(g); i++)
		html_picture((struct html_sheet *)s, c, g, i);
}

static enum page_style html_verdict_style(enum verdict v)
{
	return v == VERDICT_PASS ? PAGE_GOOD : v == VERDICT_FAIL ? PAGE_BAD : PAGE_DOUBT;
}

static int html_render(const struct comparison *c, const struct report_options *o, GString *out,
		       char **ret_message)
{
	g_autofree char *titles = comparison_titles(c, 3);
	g_autofree char *title = g_strdup_printf("Comparison: %s", titles);
	struct page_html html = { .caption = NULL };
	struct html_sheet h = { .pictures = 0 };
	struct page p;

	pagehtml_init(&p, &html, out);
	comparison_page_sheet_init(&h.sheet, &p);
	h.sheet.sheet.pictures = html_pictures;
	htmlhead(out, title);
	g_string_append(out, "<body>\n<header><p>Comparison</p><h1>");
	svg_append_text(out, titles);
	if (c->verdict > VERDICT_NONE)
		pagehtml_badge(&p, html_verdict_style(c->verdict), verdict_to_string(c->verdict));
	g_string_append(out, "</h1></header>\n<main>\n");
	comparison_sheet_write(&h.sheet.sheet, c);
	pagehtml_done(&p);
	g_string_append(out, "</main>\n</body>\n</html>\n");
	return 0;
}

const struct comparison_format comparison_format_html = {
	.name = "html",
	.media_type = "text/html; charset=utf-8",
	.description = "for people: one file with tables and plots, for screen and paper",
	.render = html_render,
};
