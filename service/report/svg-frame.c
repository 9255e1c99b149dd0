/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A frame: where a value is on the drawing, and the lines and words around it. Labels that would
 * run into one another are left out, their lines stay.
 */
#include "svg-internal.h"

#include <math.h>

#define FRAME_LEFT  78.0
#define FRAME_RIGHT 32.0
#define FRAME_ABOVE 24.0 /* the y axis's label */
#define FRAME_ZERO  30.0 /* the place for zero */
#define FRAME_TICK  12.0 /* size of a tick's text */

static double axis_fraction(const struct svg_axis *a, double v)
{
	if (a->scale == SVG_LINEAR)
		return (v - a->low) / (a->high - a->low);
	return v <= 0 ? -1 : log(v / a->low) / log(a->high / a->low);
}

static double axis_at(const struct svg_axis *a, double v, double length)
{
	double gutter = a->zero ? FRAME_ZERO : 0;

	if (a->zero && v < a->low)
		return FRAME_ZERO / 3;
	return gutter + CLAMP(axis_fraction(a, v), 0, 1) * (length - gutter);
}

double svg_x(const struct svg_frame *f, double value)
{
	return f->left + axis_at(&f->x, value, f->width);
}

double svg_y(const struct svg_frame *f, double value)
{
	return f->top + f->height - axis_at(&f->y, value, f->height);
}

static void frame_line(struct svg *s, const char *class, double x0, double y0, double x1, double y1)
{
	g_string_append_printf(s->body, "<path class=\"%s\" d=\"M", class);
	svg_append_number(s->body, x0);
	g_string_append_c(s->body, ' ');
	svg_append_number(s->body, y0);
	g_string_append(s->body, x0 == x1 ? "V" : "H");
	svg_append_number(s->body, x0 == x1 ? y1 : x1);
	g_string_append(s->body, "\"/>\n");
}

static void frame_text(struct svg *s, double x, double y, enum svg_anchor anchor, const char *text)
{
	static const char *const anchors[] = { "start", "middle", "end" };

	g_string_append(s->body, "<text class=\"lp-q\" x=\"");
	svg_append_number(s->body, x);
	g_string_append(s->body, "\" y=\"");
	svg_append_number(s->body, y);
	g_string_append_printf(s->body, "\" text-anchor=\"%s\">", anchors[anchor]);
	svg_append_text(s->body, text);
	g_string_append(s->body, "</text>\n");
}

static void frame_x_ticks(struct svg *s, const struct svg_frame *f)
{
	g_autoptr(GArray) ticks = svg_axis_ticks(&f->x, f->width / 62);
	double bottom = f->top + f->height, taken = f->left - 40;

	if (f->x.zero) {
		double x = svg_x(f, 0);

		frame_line(s, "lp-grid", x, f->top, x, bottom);
		frame_text(s, x, bottom + 17, SVG_MIDDLE, "0");
		taken = x + 8;
	}
	for (guint i = 0; i < ticks->len; i++) {
		const struct svg_tick *t = &g_array_index(ticks, struct svg_tick, i);
		double x = svg_x(f, t->value), half;
		g_autofree char *text = NULL;

		frame_line(s, t->major ? "lp-grid" : "lp-minor", x, f->top, x, bottom);
		if (!t->major)
			continue;
		text = svg_axis_text(&f->x, t->value);
		half = svg_text_width(text, FRAME_TICK) / 2;
		if (x - half < taken + 6 || x + half > s->width - 2)
			continue;
		frame_text(s, x, bottom + 17, SVG_MIDDLE, text);
		taken = x + half;
	}
}

static void frame_y_ticks(struct svg *s, const struct svg_frame *f)
{
	g_autoptr(GArray) ticks = svg_axis_ticks(&f->y, f->height / 26);
	double right = f->left + f->width, taken = f->top + f->height + 20;

	for (guint i = 0; i < ticks->len; i++) {
		const struct svg_tick *t = &g_array_index(ticks, struct svg_tick, i);
		double y = svg_y(f, t->value);
		g_autofree char *text = NULL;

		frame_line(s, t->major ? "lp-grid" : "lp-minor", f->left, y, right, y);
		if (!t->major || y > taken - 13)
			continue;
		text = svg_axis_text(&f->y, t->value);
		frame_text(s, f->left - 7, y + 4, SVG_END, text);
		taken = y;
	}
}

/* The line below; with a gap behind the place for zero. */
static void frame_x_line(struct svg *s, const struct svg_frame *f)
{
	double bottom = f->top + f->height, right = f->left + f->width;

	if (!f->x.zero) {
		frame_line(s, "lp-axis", f->left, bottom, right, bottom);
		return;
	}
	frame_line(s, "lp-axis", f->left, bottom, f->left + FRAME_ZERO - 8, bottom);
	frame_line(s, "lp-axis", f->left + FRAME_ZERO - 8, bottom - 4, f->left + FRAME_ZERO - 8,
		   bottom + 4);
	frame_line(s, "lp-axis", f->left + FRAME_ZERO - 4, bottom - 4, f->left + FRAME_ZERO - 4,
		   bottom + 4);
	frame_line(s, "lp-axis", f->left + FRAME_ZERO - 4, bottom, right, bottom);
}

void svg_frame_at(struct svg *s, struct svg_frame *f, double left, double top, double width,
		  double height)
{
	f->left = left;
	f->top = top;
	f->width = width;
	f->height = height;
	if (!f->x.bare)
		frame_x_ticks(s, f);
	if (!f->y.bare)
		frame_y_ticks(s, f);
	frame_x_line(s, f);
	frame_line(s, "lp-axis", left, top, left, top + height);
	if (f->x.label)
		frame_text(s, left + width, top + height + 35, SVG_END, f->x.label);
	if (f->y.label)
		frame_text(s, MAX(left - FRAME_LEFT + 16, 4), top - 11, SVG_START, f->y.label);
}

void svg_frame(struct svg *s, struct svg_frame *f, double height)
{
	double top = s->y + (f->y.label ? FRAME_ABOVE : 8);

	svg_frame_at(s, f, FRAME_LEFT, top, s->width - FRAME_LEFT - FRAME_RIGHT, height);
	s->y = top + height + (f->x.bare ? 8 : 24) + (f->x.label ? 20 : 0);
}
