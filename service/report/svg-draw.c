/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Data in a frame. A path has as many points as the data have: what is exact (a step at a
 * bucket's edge) stays so at any magnification. Only points that fall onto the same hundredth of a
 * pixel are one.
 */
#include "svg.h"

#include <math.h>
#include <string.h>

#define DRAW_LABEL 11.0
#define DRAW_KEY   26.0 /* a legend's sample */
#define DRAW_LEFT  16.0

static bool draw_known(const struct svg_point *p)
{
	return isfinite(p->x) && isfinite(p->y);
}

static void draw_pair(GString *out, char command, double x, double y)
{
	g_string_append_c(out, command);
	svg_append_number(out, x);
	g_string_append_c(out, ' ');
	svg_append_number(out, y);
}

static void draw_single(GString *out, char command, double v)
{
	g_string_append_c(out, command);
	svg_append_number(out, v);
}

/* "<path class="lp-l lp-s1 lp-d1" d=""; the caller goes on. */
static void draw_begin(struct svg *s, const char *kind, unsigned series, bool dashed)
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

static void draw_end(struct svg *s)
{
	g_string_append(s->body, "\"/>\n");
}

void svg_line(struct svg *s, const struct svg_frame *f, unsigned series, const struct svg_point *p,
	      size_t n)
{
	bool inside = false;

	draw_begin(s, "l", series, true);
	for (size_t i = 0; i < n; i++) {
		if (draw_known(&p[i]))
			draw_pair(s->body, inside ? 'L' : 'M', svg_x(f, p[i].x), svg_y(f, p[i].y));
		inside = draw_known(&p[i]);
	}
	draw_end(s);
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
	draw_pair(out, 'M', x, y);
	for (i = 1; i < n && draw_known(&p[i]); i++) {
		double next_x = svg_x(f, p[i].x), next_y = svg_y(f, p[i].y);

		if (draw_apart(x, next_x)) {
			draw_single(out, 'H', next_x);
			x = next_x;
		}
		if (draw_apart(y, next_y)) {
			draw_single(out, 'V', next_y);
			y = next_y;
		}
	}
	return i;
}

void svg_steps(struct svg *s, const struct svg_frame *f, unsigned series, const struct svg_point *p,
	       size_t n)
{
	draw_begin(s, "l", series, true);
	for (size_t i = 0; i < n;) {
		if (draw_known(&p[i]))
			i += draw_steps(s->body, f, p + i, n - i);
		else
			i++;
	}
	draw_end(s);
}

void svg_area(struct svg *s, const struct svg_frame *f, unsigned series, const struct svg_point *p,
	      size_t n)
{
	double base = f->top + f->height;

	draw_begin(s, "a", series, false);
	for (size_t i = 0; i < n;) {
		size_t first = i;

		if (!draw_known(&p[i])) {
			i++;
			continue;
		}
		i += draw_steps(s->body, f, p + i, n - i);
		draw_single(s->body, 'V', base);
		draw_single(s->body, 'H', svg_x(f, p[first].x));
		g_string_append_c(s->body, 'Z');
	}
	draw_end(s);
}

void svg_band(struct svg *s, const struct svg_frame *f, unsigned series,
	      const struct svg_point *low, const struct svg_point *high, size_t n)
{
	bool inside = false;

	draw_begin(s, "b", series, false);
	for (size_t i = 0; i < n; i++)
		if (draw_known(&low[i]) && draw_known(&high[i])) {
			draw_pair(s->body, inside ? 'L' : 'M', svg_x(f, low[i].x),
				  svg_y(f, low[i].y));
			inside = true;
		}
	for (size_t i = n; i-- > 0;)
		if (draw_known(&low[i]) && draw_known(&high[i]))
			draw_pair(s->body, 'L', svg_x(f, high[i].x), svg_y(f, high[i].y));
	g_string_append(s->body, inside ? "Z" : "");
	draw_end(s);
}

void svg_bar(struct svg *s, const struct svg_frame *f, unsigned series, double x0, double x1,
	     double y0, double y1)
{
	draw_begin(s, "a", series, false);
	draw_pair(s->body, 'M', svg_x(f, x0), svg_y(f, y0));
	draw_single(s->body, 'V', svg_y(f, y1));
	draw_single(s->body, 'H', svg_x(f, x1));
	draw_single(s->body, 'V', svg_y(f, y0));
	g_string_append_c(s->body, 'Z');
	draw_end(s);
}

void svg_bar_zero(struct svg *s, const struct svg_frame *f, unsigned series, double y1)
{
	double x = svg_x(f, 0), base = f->top + f->height;

	draw_begin(s, "a", series, false);
	draw_pair(s->body, 'M', x - 6, base);
	draw_single(s->body, 'V', svg_y(f, y1));
	draw_single(s->body, 'H', x + 6);
	draw_single(s->body, 'V', base);
	g_string_append_c(s->body, 'Z');
	draw_end(s);
}

void svg_whisker(struct svg *s, const struct svg_frame *f, unsigned series, double x, double low,
		 double high)
{
	double at = svg_x(f, x), from = svg_y(f, low), to = svg_y(f, high);

	draw_begin(s, "l", series, false);
	draw_pair(s->body, 'M', at - 4, from);
	draw_single(s->body, 'H', at + 4);
	draw_pair(s->body, 'M', at, from);
	draw_single(s->body, 'V', to);
	draw_pair(s->body, 'M', at - 4, to);
	draw_single(s->body, 'H', at + 4);
	draw_end(s);
}

static void draw_mark(GString *out, enum svg_mark mark, double x, double y)
{
	switch (mark) {
	case SVG_DOT:
	case SVG_RING:
		draw_pair(out, 'M', x - 3, y);
		g_string_append(out, "a3 3 0 1 0 6 0a3 3 0 1 0-6 0Z");
		break;
	case SVG_DIAMOND:
		draw_pair(out, 'M', x, y - 4.5);
		g_string_append(out, "l4.5 4.5l-4.5 4.5l-4.5-4.5Z");
		break;
	case SVG_TRIANGLE:
		draw_pair(out, 'M', x, y - 4.5);
		g_string_append(out, "l4.5 8h-9Z");
		break;
	case SVG_CROSS:
		draw_pair(out, 'M', x - 3.5, y - 3.5);
		g_string_append(out, "l7 7m0-7l-7 7");
		break;
	}
}

static const char *draw_mark_kind(enum svg_mark mark)
{
	return mark == SVG_RING || mark == SVG_CROSS ? "m lp-o" : "m";
}

void svg_marks(struct svg *s, const struct svg_frame *f, unsigned series, enum svg_mark mark,
	       const struct svg_point *p, size_t n)
{
	draw_begin(s, draw_mark_kind(mark), series, false);
	for (size_t i = 0; i < n; i++)
		if (draw_known(&p[i]))
			draw_mark(s->body, mark, svg_x(f, p[i].x), svg_y(f, p[i].y));
	draw_end(s);
}

void svg_open_end(struct svg *s, const struct svg_frame *f, unsigned series, struct svg_point at,
		  double end)
{
	double x = svg_x(f, at.x), y = svg_y(f, at.y), right = f->left + f->width;
	double to = isfinite(end) ? svg_x(f, end) : right - 8;

	if (!draw_known(&at))
		return;
	draw_begin(s, "l", series | SVG_SOLID, false);
	for (double from = x; from < to; from += 7) { /* dots, whatever the series has */
		draw_pair(s->body, 'M', from, y);
		draw_single(s->body, 'H', MIN(from + 3, to));
	}
	if (!isfinite(end)) {
		draw_pair(s->body, 'M', right - 8, y - 4.5);
		g_string_append(s->body, "l7 4.5l-7 4.5");
	}
	draw_end(s);
}

void svg_rule_x(struct svg *s, const struct svg_frame *f, double x, const char *label)
{
	double at = svg_x(f, x), right = f->left + f->width;
	bool left = at + svg_text_width(label, DRAW_LABEL) + 6 > right;

	g_string_append(s->body, "<path class=\"lp-rule\" d=\"");
	draw_pair(s->body, 'M', at, f->top);
	draw_single(s->body, 'V', f->top + f->height);
	draw_end(s);
	if (label)
		svg_label(s, left ? at - 4 : at + 4, f->top + 11, left ? SVG_END : SVG_START,
			  label);
}

void svg_rule_y(struct svg *s, const struct svg_frame *f, double y, const char *label)
{
	double at = svg_y(f, y), right = f->left + f->width;

	g_string_append(s->body, "<path class=\"lp-rule\" d=\"");
	draw_pair(s->body, 'M', f->left, at);
	draw_single(s->body, 'H', right);
	draw_end(s);
	if (label)
		svg_label(s, right - 4, at < f->top + 16 ? at + 13 : at - 4, SVG_END, label);
}

void svg_shade_x(struct svg *s, const struct svg_frame *f, double x0, double x1)
{
	g_string_append(s->body, "<path class=\"lp-shade\" d=\"");
	draw_pair(s->body, 'M', svg_x(f, x0), f->top);
	draw_single(s->body, 'H', svg_x(f, x1));
	draw_single(s->body, 'V', f->top + f->height);
	draw_single(s->body, 'H', svg_x(f, x0));
	g_string_append_c(s->body, 'Z');
	draw_end(s);
}

void svg_rug(struct svg *s, const struct svg_frame *f, const double *x, size_t n)
{
	double bottom = f->top + f->height, last = -1;

	g_string_append(s->body, "<path class=\"lp-rug\" d=\"");
	for (size_t i = 0; i < n; i++) {
		double at = svg_x(f, x[i]);

		if (!isfinite(x[i]) || fabs(at - last) < 0.5)
			continue;
		draw_pair(s->body, 'M', at, bottom);
		draw_single(s->body, 'V', bottom - 7);
		last = at;
	}
	draw_end(s);
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
			draw_pair(s->body, 'M', x0, f->top + (cells[i].row + 0.5) * row);
			draw_single(s->body, 'h', x1 - x0);
		}
		draw_end(s);
	}
}

void svg_row_ticks(struct svg *s, const struct svg_frame *f, unsigned series, unsigned rows,
		   const double *x)
{
	double row = f->height / rows;

	draw_begin(s, "l", series, false);
	for (unsigned i = 0; i < rows; i++) {
		if (!isfinite(x[i]))
			continue;
		draw_pair(s->body, 'M', svg_x(f, x[i]), f->top + i * row);
		draw_single(s->body, 'v', row);
	}
	draw_end(s);
}

static void draw_key_levels(struct svg *s, unsigned series, double x, double y)
{
	for (unsigned level = 1; level <= SVG_LEVELS; level++) {
		g_string_append_printf(
			s->body, "<path class=\"lp-s%u lp-k lp-k%u\" stroke-width=\"10\" d=\"",
			series % SVG_SERIES, level);
		draw_pair(s->body, 'M', x + (level - 1) * 3, y);
		g_string_append(s->body, "h3");
		draw_end(s);
	}
}

static void draw_key(struct svg *s, const struct svg_entry *e, double x, double y)
{
	switch (e->key) {
	case SVG_KEY_MARK:
		draw_begin(s, draw_mark_kind(e->mark), e->series, false);
		draw_mark(s->body, e->mark, x + DRAW_KEY / 2, y);
		draw_end(s);
		return;
	case SVG_KEY_LEVELS:
		draw_key_levels(s, e->series, x, y);
		return;
	case SVG_KEY_AREA:
	case SVG_KEY_BAND:
		draw_begin(s, e->key == SVG_KEY_AREA ? "a" : "b", e->series, false);
		draw_pair(s->body, 'M', x, y - 5);
		g_string_append(s->body, "h24v10h-24Z");
		break;
	case SVG_KEY_RULE:
	case SVG_KEY_RUG:
		g_string_append_printf(s->body, "<path class=\"lp-%s\" d=\"",
				       e->key == SVG_KEY_RULE ? "rule" : "rug");
		draw_pair(s->body, 'M', x + DRAW_KEY / 2, e->key == SVG_KEY_RULE ? y - 7 : y - 3);
		draw_single(s->body, 'V', e->key == SVG_KEY_RULE ? y + 7 : y + 4);
		break;
	case SVG_KEY_LINE:
		draw_begin(s, "l", e->series, true);
		draw_pair(s->body, 'M', x, y);
		g_string_append(s->body, "h24");
		break;
	}
	draw_end(s);
}

void svg_legend(struct svg *s, const struct svg_entry *entries, size_t n)
{
	double x = DRAW_LEFT, room = s->width - 2 * DRAW_LEFT;

	if (n == 0)
		return;
	s->y += 14;
	for (size_t i = 0; i < n; i++) {
		g_autofree char *text =
			svg_text_fit(entries[i].text, DRAW_LABEL, room - DRAW_KEY - 6);
		double width = DRAW_KEY + 6 + svg_text_width(text, DRAW_LABEL) + 14;

		if (x > DRAW_LEFT && x + width > DRAW_LEFT + room) {
			x = DRAW_LEFT;
			s->y += 19;
		}
		draw_key(s, &entries[i], x, s->y - 4);
		svg_label(s, x + DRAW_KEY + 6, s->y, SVG_START, text);
		x += width;
	}
	s->y += 8;
}
