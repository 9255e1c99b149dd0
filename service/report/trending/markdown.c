/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The same words and tables as format text, for an issue tracker. */
#include "markdowntext.h"
#include "trend-internal.h"

static void markdown_row(GString *out, const GPtrArray *cells)
{
	g_string_append_c(out, '|');
	for (guint i = 0; i < cells->len; i++) {
		const char *text = cells->pdata[i];

		g_string_append_c(out, ' ');
		markdowntext_append(out, text ?: "-");
		g_string_append(out, " |");
	}
	g_string_append_c(out, '\n');
}

static void markdown_table(GString *out, struct trend_table *table, const char *unit)
{
	if (!table)
		return;
	g_string_append_printf(out, "\n#### %s%s%s\n\n", table->caption, *unit ? ", " : "", unit);
	markdown_row(out, table->titles);
	g_string_append_c(out, '|');
	for (guint i = 0; i < table->titles->len; i++)
		g_string_append(out, i < table->words ? " --- |" : " ---: |");
	g_string_append_c(out, '\n');
	for (guint i = 0; i < table->rows->len; i++)
		markdown_row(out, table->rows->pdata[i]);
	trend_table_free(table);
}

static void markdown_text(GString *out, const char *before, char *text)
{
	g_string_append(out, before);
	markdowntext_append(out, text);
	g_string_append_c(out, '\n');
	g_free(text);
}

static int markdown_render(const struct trend *t, const struct report_options *o, GString *out,
			   char **ret_message)
{
	const char *unit = trend_unit_name(t);

	markdown_text(out, "### Trend: ", trend_title(t));
	markdown_text(out, "\n", trend_summary(t));
	markdown_table(out, trend_table_levels(t), unit);
	for (guint i = 0; i < t->shifts->len; i++) {
		g_auto(GStrv) lines = trend_changed_lines(trend_shift(t, i));

		markdown_text(out, i ? "- **Shift** " : "\n- **Shift** ",
			      trend_shift_text(t, trend_shift(t, i)));
		for (char **l = lines; *l; l++)
			markdown_text(out, "  - ", g_strdup(*l));
	}
	markdown_text(out, "\n", trend_alarm_text(t));
	markdown_table(out, trend_table_kernels(t), unit);
	markdown_table(out, trend_table_newest(t), unit);
	return 0;
}

const struct trend_format trend_format_markdown = {
	.name = "markdown",
	.media_type = "text/markdown; charset=utf-8",
	.description = "for an issue tracker: tables, shifts and what changed there",
	.render = markdown_render,
};
