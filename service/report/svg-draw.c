/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Data in a frame. A path has as many points as the data have: what is exact (a step at a
 * bucket's edge) stays so at any magnification. Only points that fall onto the same hundredth of a
 * pixel are one.
 */
#include "svg-internal.h"

#include <math.h>

#define DRAW_LABEL 11.0

static bool draw_known(const struct svg_point *p)
{
	return isfinite(p->x) && isfinite(p->y);
}

void svg_path_pair(GString *out, char command, double x, double y)
{
	g_string_append_c(out, command);
	svg_append_number(out, x);
	g_string_append_c(out, ' ');
	svg_append_number(out, y);
}

void svg_path_single(GString *out, char command, double v)
{
	g_string_append_c(out, command);
	svg_append_number(out, v);
}

void svg_path_begin(struct svg *s, const char *kind, unsigned series, bool dashed)
{
	unsigned n = series % SVG_SERIES;

	dashed = dashed && !(series & SVG_SOLID);
	g_string_append_printf(s->body, "<path class=\"lp-%s lp-s%u", kind, n);
	if (dashed && n)
		g_string_append_printf(s->body, " lp-d%u", n);
	if (series & SVG_WIDE)
		g_string_append(s->body, " lp-w");
	g_string_append(s->body, "\" d=\"");
}

void svg_path_end(struct svg *s)
{
	g_string_append(s->body, "\"/>\n");
}

void svg_line(struct svg *s, const struct svg_frame *f, unsigned series, const struct svg_point *p,
	      size_t n)
{
	bool inside = false;

	svg_path_begin(s, "l", series, true);
	for (size_t i = 0; i < n; i++) {
		if (draw_known(&p[i]))
			svg_path_pair(s->body, inside ? 'L' : 'M', svg_x(f, p[i].x),
				      svg_y(f, p[i].y));
		inside = draw_known(&p[i]);
	}
	svg_path_end(s);
}

/* As they are written. */
static bool draw_apart(double a, double b)
{
	return llround(a * 100) != llround(b * 100);
}

/* Appends steps from @p[0]; a value that is not known ends them. Returns how many were drawn. */
static size_t draw_steps(GString *out, const struct svg_frame *f, const struct svg_point *p,
			 size_t n)
{
	double x, y;
	size_t i;

	x = svg_x(f, p[0].x);
	y = svg_y(f, p[0].y);
	svg_path_pair(out, 'M', x, y);
	for (i = 1; i < n && draw_known(&p[i]); i++) {
		double next_x = svg_x(f, p[i].x), next_y = svg_y(f, p[i].y);

		if (draw_apart(x, next_x)) {
			svg_path_single(out, 'H', next_x);
			x = next_x;
		}
		if (draw_apart(y, next_y)) {
			svg_path_single(out, 'V', next_y);
			y = next_y;
		}
	}
	return i;
}

void svg_steps(struct svg *s, const struct svg_frame *f, unsigned series, const struct svg_point *p,
	       size_t n)
{
	svg_path_begin(s, "l", series, true);
	for (size_t i = 0; i < n;) {
		if (draw_known(&p[i]))
			i += draw_steps(s->body, f, p + i, n - i);
		else
			i++;
	}
	svg_path_end(s);
}

void svg_area(struct svg *s, const struct svg_frame *f, unsigned series, const struct svg_point *p,
	      size_t n)
{
	double base = f->top + f->height;

	svg_path_begin(s, "a", series, false);
	for (size_t i = 0; i < n;) {
		size_t first = i;

		if (!draw_known(&p[i])) {
			i++;
			continue;
		}
		i += draw_steps(s->body, f, p + i, n - i);
		svg_path_single(s->body, 'V', base);
		svg_path_single(s->body, 'H', svg_x(f, p[first].x));
		g_string_append_c(s->body, 'Z');
	}
	svg_path_end(s);
}

void svg_band(struct svg *s, const struct svg_frame *f, unsigned series,
	      const struct svg_point *low, const struct svg_point *high, size_t n)
{
	bool inside = false;

	svg_path_begin(s, "b", series, false);
	for (size_t i = 0; i < n; i++)
		if (draw_known(&low[i]) && draw_known(&high[i])) {
			svg_path_pair(s->body, inside ? 'L' : 'M', svg_x(f, low[i].x),
				      svg_y(f, low[i].y));
			inside = true;
		}
	for (size_t i = n; i-- > 0;)
		if (draw_known(&low[i]) && draw_known(&high[i]))
			svg_path_pair(s->body, 'L', svg_x(f, high[i].x), svg_y(f, high[i].y));
	g_string_append(s->body, inside ? "Z" : "");
	svg_path_end(s);
}

void svg_bar(struct svg *s, const struct svg_frame *f, unsigned series, double x0, double x1,
	     double y0, double y1)
{
	svg_path_begin(s, "a", series, false);
	svg_path_pair(s->body, 'M', svg_x(f, x0), svg_y(f, y0));
	svg_path_single(s->body, 'V', svg_y(f, y1));
	svg_path_single(s->body, 'H', svg_x(f, x1));
	svg_path_single(s->body, 'V', svg_y(f, y0));
	g_string_append_c(s->body, 'Z');
	svg_path_end(s);
}

void svg_bar_zero(struct svg *s, const struct svg_frame *f, unsigned series, double y1)
{
	double x = svg_x(f, 0), base = f->top + f->height;

	svg_path_begin(s, "a", series, false);
	svg_path_pair(s->body, 'M', x - 6, base);
	svg_path_single(s->body, 'V', svg_y(f, y1));
	svg_path_single(s->body, 'H', x + 6);
	svg_path_single(s->body, 'V', base);
	g_string_append_c(s->body, 'Z');
	svg_path_end(s);
}

void svg_whisker(struct svg *s, const struct svg_frame *f, unsigned series, double x, double low,
		 double high)
{
	double at = svg_x(f, x), from = svg_y(f, low), to = svg_y(f, high);

	svg_path_begin(s, "l", series, false);
	svg_path_pair(s->body, 'M', at - 4, from);
	svg_path_single(s->body, 'H', at + 4);
	svg_path_pair(s->body, 'M', at, from);
	svg_path_single(s->body, 'V', to);
	svg_path_pair(s->body, 'M', at - 4, to);
	svg_path_single(s->body, 'H', at + 4);
	svg_path_end(s);
}

void svg_path_mark(GString *out, enum svg_mark mark, double x, double y)
{
	switch (mark) {
	case SVG_DOT:
	case SVG_RING:
		svg_path_pair(out, 'M', x - 3, y);
		g_string_append(out, "a3 3 0 1 0 6 0a3 3 0 1 0-6 0Z");
		break;
	case SVG_DIAMOND:
		svg_path_pair(out, 'M', x, y - 4.5);
		g_string_append(out, "l4.5 4.5l-4.5 4.5l-4.5-4.5Z");
		break;
	case SVG_TRIANGLE:
		svg_path_pair(out, 'M', x, y - 4.5);
		g_string_append(out, "l4.5 8h-9Z");
		break;
	case SVG_CROSS:
		svg_path_pair(out, 'M', x - 3.5, y - 3.5);
		g_string_append(out, "l7 7m0-7l-7 7");
		break;
	}
}

const char *svg_mark_kind(enum svg_mark mark)
{
	return mark == SVG_RING || mark == SVG_CROSS ? "m lp-o" : "m";
}

void svg_marks(struct svg *s, const struct svg_frame *f, unsigned series, enum svg_mark mark,
	       const struct svg_point *p, size_t n)
{
	svg_path_begin(s, svg_mark_kind(mark), series, false);
	for (size_t i = 0; i < n; i++)
		if (draw_known(&p[i]))
			svg_path_mark(s->body, mark, svg_x(f, p[i].x), svg_y(f, p[i].y));
	svg_path_end(s);
}

void svg_open_end(struct svg *s, const struct svg_frame *f, unsigned series, struct svg_point at,
		  double end)
{
	double x = svg_x(f, at.x), y = svg_y(f, at.y), right = f->left + f->width;
	double to = isfinite(end) ? svg_x(f, end) : right - 8;

	if (!draw_known(&at))
		return;
	svg_path_begin(s, "l", series | SVG_SOLID, false);
	for (double from = x; from < to; from += 7) { /* dots, whatever the series has */
		svg_path_pair(s->body, 'M', from, y);
		svg_path_single(s->body, 'H', MIN(from + 3, to));
	}
	if (!isfinite(end)) {
		svg_path_pair(s->body, 'M', right - 8, y - 4.5);
		g_string_append(s->body, "l7 4.5l-7 4.5");
	}
	svg_path_end(s);
}

void svg_rule_x(struct svg *s, const struct svg_frame *f, double x, const char *label)
{
	double at = svg_x(f, x), right = f->left + f->width;
	bool left = at + svg_text_width(label, DRAW_LABEL) + 6 > right;

	g_string_append(s->body, "<path class=\"lp-rule\" d=\"");
	svg_path_pair(s->body, 'M', at, f->top);
	svg_path_single(s->body, 'V', f->top + f->height);
	svg_path_end(s);
	if (label)
		svg_label(s, left ? at - 4 : at + 4, f->top + 11, left ? SVG_END : SVG_START,
			  label);
}

void svg_rule_y(struct svg *s, const struct svg_frame *f, double y, const char *label)
{
	double at = svg_y(f, y), right = f->left + f->width;

	g_string_append(s->body, "<path class=\"lp-rule\" d=\"");
	svg_path_pair(s->body, 'M', f->left, at);
	svg_path_single(s->body, 'H', right);
	svg_path_end(s);
	if (label)
		svg_label(s, right - 4, at < f->top + 16 ? at + 13 : at - 4, SVG_END, label);
}

void svg_shade_x(struct svg *s, const struct svg_frame *f, double x0, double x1)
{
	g_string_append(s->body, "<path class=\"lp-shade\" d=\"");
	svg_path_pair(s->body, 'M', svg_x(f, x0), f->top);
	svg_path_single(s->body, 'H', svg_x(f, x1));
	svg_path_single(s->body, 'V', f->top + f->height);
	svg_path_single(s->body, 'H', svg_x(f, x0));
	g_string_append_c(s->body, 'Z');
	svg_path_end(s);
}

void svg_rug(struct svg *s, const struct svg_frame *f, const double *x, size_t n)
{
	double bottom = f->top + f->height, last = -1;

	g_string_append(s->body, "<path class=\"lp-rug\" d=\"");
	for (size_t i = 0; i < n; i++) {
		double at = svg_x(f, x[i]);

		if (!isfinite(x[i]) || fabs(at - last) < 0.5)
			continue;
		svg_path_pair(s->body, 'M', at, bottom);
		svg_path_single(s->body, 'V', bottom - 7);
		last = at;
	}
	svg_path_end(s);
}

/* One path per level: as many elements as there are shades, however many cells. */
void svg_cells(struct svg *s, const struct svg_frame *f, unsigned series, unsigned rows,
	       const struct svg_cell *cells, size_t n)
{
	double row = f->height / rows;

	for (unsigned level = 1; level <= SVG_LEVELS; level++) {
		g_string_append_printf(s->body,
				       "<path class=\"lp-s%u lp-k lp-k%u\" stroke-width=\"",
				       series % SVG_SERIES, level);
		svg_append_number(s->body, MAX(row - (row > 6 ? 1 : 0), 0.5));
		g_string_append(s->body, "\" d=\"");
		for (size_t i = 0; i < n; i++) {
			double x0 = svg_x(f, cells[i].x0), x1 = svg_x(f, cells[i].x1);

			if (cells[i].level != level)
				continue;
			if (x1 - x0 < 1) /* the place for zero */
				x0 -= 6, x1 = x0 + 12;
			svg_path_pair(s->body, 'M', x0, f->top + (cells[i].row + 0.5) * row);
			svg_path_single(s->body, 'h', x1 - x0);
		}
		svg_path_end(s);
	}
}

void svg_row_ticks(struct svg *s, const struct svg_frame *f, unsigned series, unsigned rows,
		   const double *x)
{
	double row = f->height / rows;

	svg_path_begin(s, "l", series, false);
	for (unsigned i = 0; i < rows; i++) {
		if (!isfinite(x[i]))
			continue;
		svg_path_pair(s->body, 'M', svg_x(f, x[i]), f->top + i * row);
		svg_path_single(s->body, 'v', row);
	}
	svg_path_end(s);
}
