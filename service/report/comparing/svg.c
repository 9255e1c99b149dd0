/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "comparison-cell.h"
#include "comparison-plot.h"
#include "comparison-sheet.h"

#include <string.h>

static unsigned svg_group(struct svg *s, const struct comparison *c,
			  const struct comparison_group *g, GString *desc)
{
	g_autofree char *title = comparison_group_title(g);
	unsigned drawn = 0;

	svg_note(s, title);
	for (unsigned i = 0; i < comparison_plots(g); i++)
		drawn += comparison_plot(s, c, g, i, desc);
	return drawn;
}

/* A plot is passed on without the tables: what must not be overlooked stands in it. */
static void svg_warnings(struct svg *s, const struct comparison *c)
{
	for (guint i = 0; i < c->notes->len; i++) {
		const struct comparison_note *n = c->notes->pdata[i];
		g_autofree char *said = comparison_note_text(c, i);
		g_autofree char *text = g_strconcat("Warning: ", said, NULL);

		if (said && (strcmp(n->id, "forced") == 0 || strcmp(n->id, "base-kernel") == 0))
			svg_note(s, text);
	}
}

static int svg_render(const struct comparison *c, const struct report_options *o, GString *out,
		      char **ret_message)
{
	g_autofree char *titles = comparison_titles(c, 3), *foreign = svg_foreign(titles);
	g_autofree char *title = g_strdup_printf("Comparison: %s", foreign);
	g_autoptr(GString) desc = g_string_new(NULL);
	struct svg *s = svg_new("lc");
	unsigned drawn = 0;

	svg_heading(s, title, NULL);
	svg_warnings(s, c);
	for (guint i = 0; i < c->groups->len; i++) {
		const struct comparison_group *g = c->groups->pdata[i];

		if (g->shown)
			drawn += svg_group(s, c, g, desc);
	}
	if (drawn == 0)
		svg_note(s, "Nothing to draw: no figure is known.");
	svg_end(s, title, desc->str, SVG_ALONE, out);
	return 0;
}

const struct comparison_format comparison_format_svg = {
	.name = "svg",
	.media_type = "image/svg+xml",
	.description = "plots: sides overlaid, differences with intervals",
	.render = svg_render,
};
