/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * What a comparison says to people, in its order: sides, warnings, tables, differences. Where it is
 * written to (a terminal, a page of HTML, Markdown) is behind these functions, so that no format
 * leaves a warning out.
 */
#include "comparison-grid.h"
#include "comparison-internal.h"

struct comparison_sheet {
	void (*heading)(struct comparison_sheet *s, const char *text);
	void (*field)(struct comparison_sheet *s, const char *name, const char *text);
	/* A paragraph with a word before it. */
	void (*item)(struct comparison_sheet *s, enum page_style style, const char *lead,
		     const char *text);
	void (*text)(struct comparison_sheet *s, const char *text);
	void (*grid)(struct comparison_sheet *s, const char *caption,
		     const struct comparison_grid *g);
	/* Plots of a group; NULL: there are none. */
	void (*pictures)(struct comparison_sheet *s, const struct comparison *c,
			 const struct comparison_group *g, unsigned number);
};

void comparison_sheet_write(struct comparison_sheet *s, const struct comparison *c);
/* "2005-1, 2005-2 and 3 more": at most @most titles. g_free(). */
char *comparison_titles(const struct comparison *c, unsigned most);

/* Warning number @at with the sides that it is of; NULL: one before says the same. g_free(). */
char *comparison_note_text(const struct comparison *c, guint at);

/* A sheet on a page, which stays the caller's. */
struct comparison_page_sheet {
	struct comparison_sheet sheet; /* first */
	struct page *page;
};
void comparison_page_sheet_init(struct comparison_page_sheet *s, struct page *p);
