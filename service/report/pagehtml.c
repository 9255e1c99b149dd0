/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Why the text report's own functions write it: two reports that are written apart say different
 * things after a year, and the one that is looked at less is wrong. What text shows by columns and
 * blank lines HTML shows by elements: a paragraph before a table becomes its caption, so that who
 * has it read out hears what the table is of.
 */
#include "pagehtml.h"

#include "svg.h"

#include <string.h>

#define PAGEHTML_CAPTION 72 /* characters */

static const char *const pagehtml_classes[] = {
	[PAGE_PLAIN] = "",	[PAGE_BOLD] = "all", [PAGE_GOOD] = "good",
	[PAGE_DOUBT] = "doubt", [PAGE_BAD] = "bad",  [PAGE_FAINT] = "faint",
};

void pagehtml_init(struct page *p, struct page_html *h, GString *out)
{
	*p = (struct page){ .out = out, .html = h };
}

/* @class by style and alignment; nothing when there is none. */
static void pagehtml_class(struct page *p, enum page_style style, bool right)
{
	const char *class = pagehtml_classes[style];

	if (*class || right)
		g_string_append_printf(p->out, " class=\"%s%s%s\"", class,
				       *class && right ? " " : "", right ? "n" : "");
}

static void pagehtml_flush(struct page *p, bool fields)
{
	struct page_html *h = p->html;

	if (h->caption) {
		g_string_append(p->out, "<p>");
		svg_append_text(p->out, h->caption);
		g_string_append(p->out, "</p>\n");
		g_clear_pointer(&h->caption, g_free);
	}
	if (h->fields && !fields) {
		g_string_append(p->out, "</dl>\n");
		h->fields = false;
	}
}

void pagehtml_done(struct page *p)
{
	pagehtml_flush(p, false);
	if (p->html->section)
		g_string_append(p->out, "</section>\n");
	p->html->section = false;
}

void pagehtml_item(struct page *p, enum page_style style, const char *lead, const char *text)
{
	lead += strspn(lead, " ");
	text += strspn(text, " ");
	pagehtml_flush(p, false);
	if (!*lead && !*text)
		return;
	if (!*lead && g_str_has_suffix(text, ":")) {
		p->html->caption = g_strdup(text);
		return;
	}
	g_string_append(p->out, "<p");
	pagehtml_class(p, *lead ? style : PAGE_PLAIN, false);
	g_string_append_c(p->out, '>');
	if (*lead) {
		g_string_append(p->out, "<strong>");
		svg_append_text(p->out, lead);
		g_string_append(p->out, "</strong>");
	}
	svg_append_text(p->out, text);
	g_string_append(p->out, "</p>\n");
}

void pagehtml_badge(struct page *p, enum page_style style, const char *text)
{
	g_string_append_printf(p->out, " <span class=\"badge %s\">", pagehtml_classes[style]);
	svg_append_text(p->out, text);
	g_string_append(p->out, "</span>");
}

void pagehtml_field(struct page *p, const char *name, enum page_style style, const char *text)
{
	pagehtml_flush(p, true);
	if (!p->html->fields)
		g_string_append(p->out, "<dl>\n");
	p->html->fields = true;
	g_string_append(p->out, "<dt>");
	svg_append_text(p->out, name);
	g_string_append(p->out, "</dt><dd>");
	if (style != PAGE_PLAIN)
		g_string_append_printf(p->out, "<span class=\"badge %s\">",
				       pagehtml_classes[style]);
	svg_append_text(p->out, text);
	g_string_append(p->out, style != PAGE_PLAIN ? "</span></dd>\n" : "</dd>\n");
}

void pagehtml_heading(struct page *p, const char *left, enum page_style style, const char *right)
{
	pagehtml_done(p);
	p->html->section = true;
	g_string_append(p->out, "<section>\n<h2>");
	svg_append_text(p->out, left);
	if (right && *right)
		pagehtml_badge(p, style, right);
	g_string_append(p->out, "</h2>\n");
}

void pagehtml_subheading(struct page *p, const char *text)
{
	pagehtml_flush(p, false);
	g_string_append(p->out, "<h3>");
	svg_append_text(p->out, text);
	g_string_append(p->out, "</h3>\n");
}

void pagehtml_pictures(struct page *p, const struct result_stage *s)
{
	pagehtml_flush(p, false);
	if (p->html->pictures)
		p->html->pictures(p, s, p->html->userdata);
}

void pagehtml_raw(struct page *p, const char *element)
{
	pagehtml_flush(p, false);
	g_string_append(p->out, element);
}

void pagehtml_table_begin(struct page *p)
{
	g_autofree char *caption = NULL;

	/* a caption is one line, however narrow the table; a longer text stays a paragraph */
	if (p->html->caption && g_utf8_strlen(p->html->caption, -1) <= PAGEHTML_CAPTION)
		caption = g_steal_pointer(&p->html->caption);
	pagehtml_flush(p, false);
	g_string_append(p->out, "<div class=\"wide\"><table>\n");
	if (caption) {
		caption[strlen(caption) - 1] = '\0'; /* its colon */
		g_string_append(p->out, "<caption>");
		svg_append_text(p->out, caption);
		g_string_append(p->out, "</caption>\n");
	}
	g_string_append(p->out, "<thead><tr>");
	p->html->columns = 0;
}

void pagehtml_column(struct page *p, const char *title, bool right)
{
	bool head = *title;

	g_string_append(p->out, head ? "<th scope=\"col\"" : "<td");
	pagehtml_class(p, PAGE_PLAIN, right);
	g_string_append_c(p->out, '>');
	svg_append_text(p->out, title);
	g_string_append(p->out, head ? "</th>" : "</td>");
	p->html->columns++;
}

void pagehtml_row(struct page *p, enum page_style style)
{
	g_string_append(p->out, p->html->columns ? "</tr></thead>\n<tbody>\n<tr" : "</tr>\n<tr");
	p->html->columns = 0;
	pagehtml_class(p, style, false);
	g_string_append_c(p->out, '>');
}

void pagehtml_cell(struct page *p, const char *text, bool head, bool right)
{
	g_string_append(p->out, head ? "<th scope=\"row\"" : "<td");
	pagehtml_class(p, PAGE_PLAIN, right);
	g_string_append_c(p->out, '>');
	svg_append_text(p->out, text);
	g_string_append(p->out, head ? "</th>" : "</td>");
}

void pagehtml_table_end(struct page *p)
{
	g_string_append(p->out, p->html->columns ? "</tr></thead>\n</table></div>\n"
						 : "</tr>\n</tbody></table></div>\n");
	p->html->columns = 0;
}
