/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * The sheet that a report for people is written on. As text: as wide as the reader's terminal, with
 * or without colour and block characters, and no line written through it is wider than the page. As
 * HTML (pagehtml.h): the same paragraphs, fields, tables and headings as elements, so that what one
 * report says the other says too.
 */
#include "report.h"

enum page_style {
	PAGE_PLAIN,
	PAGE_BOLD,
	PAGE_GOOD,
	PAGE_DOUBT,
	PAGE_BAD,
	PAGE_FAINT,
};

struct page {
	GString *out; /* borrowed */
	unsigned width;
	bool unicode, colour;
	struct page_html *html; /* NULL: text */
};

void page_init(struct page *p, const struct report_options *o, GString *out);

/* @lead in @style, then @text, wrapped; further lines are indented by @indent columns. */
void page_item(struct page *p, enum page_style style, const char *lead, unsigned indent,
	       const char *text);
/* A line "Name        text", @text in @style; nothing for an empty text. */
void page_field(struct page *p, const char *name, enum page_style style, const char *text);
/* Wrapped text, all lines indented by @indent. */
void page_text(struct page *p, unsigned indent, const char *fmt, ...) G_GNUC_PRINTF(3, 4);
void page_blank(struct page *p);
/* A rule across the page with @left at its begin and @right (may be NULL) in @style at its end. */
void page_heading(struct page *p, const char *left, enum page_style style, const char *right);

/* @s as it is, in @style; and padded: of text only, HTML has none of it. */
void page_put(struct page *p, enum page_style style, const char *s);
/* @s cut or padded to exactly @columns. */
void page_pad(struct page *p, enum page_style style, const char *s, unsigned columns, bool right);
