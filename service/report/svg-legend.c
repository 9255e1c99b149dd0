/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What is what. Each sample is drawn as the data are, with the same classes, so that it has their
 * colour and dashes in the dark too.
 */
#include "svg-internal.h"

#define LEGEND_TEXT 11.0
#define LEGEND_KEY  26.0 /* a sample's width */
#define LEGEND_LEFT 16.0

static void legend_key_levels(struct svg *s, unsigned series, double x, double y)
{
	for (unsigned level = 1; level <= SVG_LEVELS; level++) {
		g_string_append_printf(
			s->body, "<path class=\"lp-s%u lp-k lp-k%u\" stroke-width=\"10\" d=\"",
			series % SVG_SERIES, level);
		svg_path_pair(s->body, 'M', x + (level - 1) * 3, y);
		g_string_append(s->body, "h3");
		svg_path_end(s);
	}
}

static void legend_key(struct svg *s, const struct svg_entry *e, double x, double y)
{
	switch (e->key) {
	case SVG_KEY_MARK:
		svg_path_begin(s, svg_mark_kind(e->mark), e->series, false);
		svg_path_mark(s->body, e->mark, x + LEGEND_KEY / 2, y);
		svg_path_end(s);
		return;
	case SVG_KEY_LEVELS:
		legend_key_levels(s, e->series, x, y);
		return;
	case SVG_KEY_AREA:
	case SVG_KEY_BAND:
		svg_path_begin(s, e->key == SVG_KEY_AREA ? "a" : "b", e->series, false);
		svg_path_pair(s->body, 'M', x, y - 5);
		g_string_append(s->body, "h24v10h-24Z");
		break;
	case SVG_KEY_RULE:
	case SVG_KEY_RUG:
		g_string_append_printf(s->body, "<path class=\"lp-%s\" d=\"",
				       e->key == SVG_KEY_RULE ? "rule" : "rug");
		svg_path_pair(s->body, 'M', x + LEGEND_KEY / 2,
			      e->key == SVG_KEY_RULE ? y - 7 : y - 3);
		svg_path_single(s->body, 'V', e->key == SVG_KEY_RULE ? y + 7 : y + 4);
		break;
	case SVG_KEY_LINE:
		svg_path_begin(s, "l", e->series, true);
		svg_path_pair(s->body, 'M', x, y);
		g_string_append(s->body, "h24");
		break;
	}
	svg_path_end(s);
}

void svg_legend(struct svg *s, const struct svg_entry *entries, size_t n)
{
	double x = LEGEND_LEFT, room = s->width - 2 * LEGEND_LEFT;

	if (n == 0)
		return;
	s->y += 14;
	for (size_t i = 0; i < n; i++) {
		g_autofree char *text =
			svg_text_fit(entries[i].text, LEGEND_TEXT, room - LEGEND_KEY - 6);
		double width = LEGEND_KEY + 6 + svg_text_width(text, LEGEND_TEXT) + 14;

		if (x > LEGEND_LEFT && x + width > LEGEND_LEFT + room) {
			x = LEGEND_LEFT;
			s->y += 19;
		}
		legend_key(s, &entries[i], x, s->y - 4);
		svg_label(s, x + LEGEND_KEY + 6, s->y, SVG_START, text);
		x += width;
	}
	s->y += 8;
}
