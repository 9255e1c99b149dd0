/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Wrapping, padding and colour in one place, because each alone looks simple and together they
 * break: escape sequences take no column, wide characters take two, and a word longer than the page
 * must be cut or the terminal wraps it and every table below looks broken.
 */
#include "page.h"

#include "columns.h"
#include "pagehtml.h"

#include <string.h>

#define PAGE_WIDTH     80
#define PAGE_FIELD     12 /* columns of a field's name */
#define PAGE_WIDTH_MIN 40
#define PAGE_WIDTH_MAX 200

static const char *const page_escapes[] = {
	[PAGE_PLAIN] = "",	     [PAGE_BOLD] = "\033[1m",	[PAGE_GOOD] = "\033[32m",
	[PAGE_DOUBT] = "\033[1;33m", [PAGE_BAD] = "\033[1;31m", [PAGE_FAINT] = "\033[2m",
};

void page_init(struct page *p, const struct report_options *o, GString *out)
{
	unsigned width = o->width ? o->width : PAGE_WIDTH;

	p->out = out;
	p->width = CLAMP(width, PAGE_WIDTH_MIN, PAGE_WIDTH_MAX);
	p->unicode = o->unicode;
	p->colour = o->colour;
	p->html = NULL;
}

void page_put(struct page *p, enum page_style style, const char *s)
{
	bool dress = p->colour && style != PAGE_PLAIN && *s;

	if (p->html)
		return;
	if (dress)
		g_string_append(p->out, page_escapes[style]);
	g_string_append(p->out, s);
	if (dress)
		g_string_append(p->out, "\033[0m");
}

void page_blank(struct page *p)
{
	if (!p->html)
		g_string_append_c(p->out, '\n');
}

static void page_spaces(struct page *p, unsigned n)
{
	g_string_append_printf(p->out, "%*s", (int)n, "");
}

void page_pad(struct page *p, enum page_style style, const char *s, unsigned columns, bool right)
{
	unsigned taken = columns_of(s);
	g_autofree char *cut = NULL;

	if (p->html)
		return;
	if (taken > columns) {
		cut = g_strndup(s, columns_fit(s, strlen(s), columns - 1));
		taken = columns_of(cut);
		s = cut;
		page_put(p, style, s);
		g_string_append_c(p->out, '~');
		page_spaces(p, columns - 1 - taken);
		return;
	}
	if (right)
		page_spaces(p, columns - taken);
	page_put(p, style, s);
	if (!right)
		page_spaces(p, columns - taken);
}

static void page_newline(struct page *p, unsigned indent)
{
	g_string_append_c(p->out, '\n');
	page_spaces(p, indent);
}

void page_item(struct page *p, enum page_style style, const char *lead, unsigned indent,
	       const char *text)
{
	unsigned at = columns_of(lead);
	bool begun =
		false; /* something stands on this line that a blank must part from the next word */

	if (p->html) {
		pagehtml_item(p, style, lead, text);
		return;
	}
	page_put(p, style, lead);
	while (*text) {
		size_t word, fits;
		unsigned columns;
		g_autofree char *piece = NULL;

		text += strspn(text, " ");
		word = strcspn(text, " ");
		if (word == 0)
			break;
		piece = g_strndup(text, word);
		columns = columns_of(piece);
		if (at + begun + columns > p->width && (begun || at > indent)) {
			page_newline(p, indent);
			at = indent;
			begun = false;
		}
		fits = columns_fit(text, word, p->width - at - begun);
		if (begun)
			g_string_append_c(p->out, ' ');
		g_string_append_len(p->out, text, fits);
		at += begun + MIN(columns, p->width - at - begun);
		begun = fits == word;
		text += fits;
	}
	g_string_append_c(p->out, '\n');
}

void page_field(struct page *p, const char *name, enum page_style style, const char *text)
{
	g_autofree char *lead = g_strdup_printf("%-*s", PAGE_FIELD, name);

	if (!*text)
		return;
	if (p->html) {
		pagehtml_field(p, name, style, text);
	} else if (style == PAGE_PLAIN) {
		page_item(p, PAGE_FAINT, lead, PAGE_FIELD, text);
	} else {
		page_put(p, PAGE_FAINT, lead);
		page_put(p, style, text);
		page_blank(p);
	}
}

void page_text(struct page *p, unsigned indent, const char *fmt, ...)
{
	g_autofree char *text = NULL, *lead = g_strnfill(indent, ' ');
	va_list ap;

	va_start(ap, fmt);
	text = g_strdup_vprintf(fmt, ap);
	va_end(ap);
	page_item(p, PAGE_PLAIN, lead, indent, text);
}

static void page_rule(struct page *p, unsigned columns)
{
	for (unsigned i = 0; i < columns; i++)
		g_string_append(p->out, p->unicode ? "\u2500" : "-");
}

void page_heading(struct page *p, const char *left, enum page_style style, const char *right)
{
	unsigned tail = right && *right ? columns_of(right) + 5 : 0, room = p->width - tail - 4;
	unsigned columns = MIN(columns_of(left), room - 1);

	if (p->html) {
		pagehtml_heading(p, left, style, right);
		return;
	}
	page_rule(p, 2);
	g_string_append_c(p->out, ' ');
	page_pad(p, PAGE_BOLD, left, columns, false);
	g_string_append_c(p->out, ' ');
	page_rule(p, room - columns);
	if (tail) {
		g_string_append_c(p->out, ' ');
		page_put(p, style, right);
		g_string_append_c(p->out, ' ');
		page_rule(p, 3);
	}
	g_string_append_c(p->out, '\n');
}
