/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The same sheet for an issue tracker. */
#include "comparison-sheet.h"
#include "markdowntext.h"

#include <string.h>

struct markdown_sheet {
	struct comparison_sheet sheet; /* first */
	GString *out;
};

static GString *sheet_out(struct comparison_sheet *s)
{
	return ((struct markdown_sheet *)s)->out;
}

static void markdown_heading(struct comparison_sheet *s, const char *text)
{
	g_string_append(sheet_out(s), "\n#### ");
	markdowntext_append(sheet_out(s), text);
	g_string_append_c(sheet_out(s), '\n');
}

/* A word in bold, then the rest: a list's item. */
static void markdown_item(struct comparison_sheet *s, enum page_style style, const char *lead,
			  const char *text)
{
	g_autofree char *word = g_strstrip(g_strdup(lead));

	g_string_append_printf(sheet_out(s), "- **%s** ", word);
	markdowntext_append(sheet_out(s), text);
	g_string_append_c(sheet_out(s), '\n');
}

static void markdown_field(struct comparison_sheet *s, const char *name, const char *text)
{
	markdown_item(s, PAGE_PLAIN, name, text);
}

static void markdown_paragraph(struct comparison_sheet *s, const char *text)
{
	g_string_append_c(sheet_out(s), '\n');
	markdowntext_append(sheet_out(s), text);
	g_string_append_c(sheet_out(s), '\n');
}

static void markdown_grid(struct comparison_sheet *s, const char *caption,
			  const struct comparison_grid *g)
{
	markdown_paragraph(s, caption);
	g_string_append_c(sheet_out(s), '\n');
	comparison_grid_markdown(g, sheet_out(s));
}

static int markdown_render(const struct comparison *c, const struct report_options *o, GString *out,
			   char **ret_message)
{
	g_autofree char *titles = comparison_titles(c, 3);
	struct markdown_sheet s = {
		.sheet = { .heading = markdown_heading,
			   .field = markdown_field,
			   .item = markdown_item,
			   .text = markdown_paragraph,
			   .grid = markdown_grid },
		.out = out,
	};

	g_string_append(out, "### Comparison: ");
	markdowntext_append(out, titles);
	g_string_append(out, "\n\n");
	comparison_sheet_write(&s.sheet, c);
	return 0;
}

const struct comparison_format comparison_format_markdown = {
	.name = "markdown",
	.media_type = "text/markdown; charset=utf-8",
	.description = "the same for an issue tracker",
	.render = markdown_render,
};
