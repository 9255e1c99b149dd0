/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "comparison-sheet.h"

static int text_render(const struct comparison *c, const struct report_options *o, GString *out,
		       char **ret_message)
{
	g_autofree char *titles = comparison_titles(c, 3);
	struct comparison_page_sheet s;
	struct page p;

	page_init(&p, o, out);
	comparison_page_sheet_init(&s, &p);
	page_item(&p, PAGE_BOLD, "Comparison: ", 4, titles);
	comparison_sheet_write(&s.sheet, c);
	return 0;
}

const struct comparison_format comparison_format_text = {
	.name = "text",
	.media_type = "text/plain; charset=utf-8",
	.description = "for people: tables, differences in percent with intervals, warnings",
	.render = text_render,
};
