/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "comparison-sheet.h"

static struct page *sheet_page(struct comparison_sheet *s)
{
	return ((struct comparison_page_sheet *)s)->page;
}

static void page_sheet_heading(struct comparison_sheet *s, const char *text)
{
	page_blank(sheet_page(s));
	page_heading(sheet_page(s), text, PAGE_PLAIN, NULL);
}

static void page_sheet_field(struct comparison_sheet *s, const char *name, const char *text)
{
	page_field(sheet_page(s), name, PAGE_PLAIN, text);
}

static void page_sheet_item(struct comparison_sheet *s, enum page_style style, const char *lead,
			    const char *text)
{
	page_item(sheet_page(s), style, lead, 4, text);
}

static void page_sheet_text(struct comparison_sheet *s, const char *text)
{
	page_blank(sheet_page(s));
	page_text(sheet_page(s), 0, "%s", text);
}

static void page_sheet_grid(struct comparison_sheet *s, const char *caption,
			    const struct comparison_grid *g)
{
	page_sheet_text(s, caption);
	comparison_grid_print(g, sheet_page(s));
}

void comparison_page_sheet_init(struct comparison_page_sheet *s, struct page *p)
{
	*s = (struct comparison_page_sheet){
		.sheet = { .heading = page_sheet_heading,
			   .field = page_sheet_field,
			   .item = page_sheet_item,
			   .text = page_sheet_text,
			   .grid = page_sheet_grid },
		.page = p,
	};
}
