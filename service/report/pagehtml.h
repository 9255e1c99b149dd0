/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * The sheet as HTML: what page.c and table.c write when the page has one. The elements are those of
 * XHTML too, so that any XML parser reads the result.
 */
#include "page.h"

struct page_html {
	char *caption; /* a paragraph that ended in ":": of the table that follows, or its own */
	bool fields;   /* a list of fields is open */
	bool section;
	unsigned columns; /* of the table that is open */
	/* Pictures of a stage, where text has its bars. */
	void (*pictures)(struct page *p, const struct result_stage *s, void *userdata);
	void *userdata;
};

/* @p becomes HTML with @h (both the caller's). */
void pagehtml_init(struct page *p, struct page_html *h, GString *out);
/* Close what is open. */
void pagehtml_done(struct page *p);

void pagehtml_item(struct page *p, enum page_style style, const char *lead, const char *text);
void pagehtml_field(struct page *p, const char *name, enum page_style style, const char *text);
/* A word in a frame, in the line that is open. */
void pagehtml_badge(struct page *p, enum page_style style, const char *text);
/* Begins a section. */
void pagehtml_heading(struct page *p, const char *left, enum page_style style, const char *right);
void pagehtml_subheading(struct page *p, const char *text);
void pagehtml_pictures(struct page *p, const struct result_stage *s);
/* An element of its own, already written. */
void pagehtml_raw(struct page *p, const char *element);

/* A table: columns, then rows and their cells. */
void pagehtml_table_begin(struct page *p);
void pagehtml_column(struct page *p, const char *title, bool right);
void pagehtml_row(struct page *p, enum page_style style);
void pagehtml_cell(struct page *p, const char *text, bool head, bool right);
void pagehtml_table_end(struct page *p);
