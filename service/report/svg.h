/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * Drawing: one SVG document, alone or inside HTML. Text is escaped, numbers never follow the
 * locale, colours are those that colour-blind readers can tell (M. Okabe, K. Ito, 2008) and each
 * has its own dash pattern besides, light and dark follow the reader's preference, paper is light.
 * No script, nothing from the network. All classes begin with "lp-" and every document has the same
 * style sheet, all ids with the document's prefix: several in one HTML do not clash.
 *
 * How a plot is drawn, from top to bottom, s->y being where the next thing goes:
 *
 *	struct svg *s = svg_new("p1");
 *	struct svg_frame f = { .x = { .scale = SVG_LOG, .unit = SVG_TIME, .low = 1e3, .high = 2e6,
 *				      .label = "latency" }, .y = { ... } };
 *
 *	svg_heading(s, "Latency under hd", "CPUs 0-3");
 *	svg_legend(s, entries, n);
 *	svg_axis_fit(&f.x);			ends at round values; or not, then as given
 *	svg_frame(s, &f, 240);			places it, draws axes and grid
 *	svg_steps(s, &f, 0, points, n);		data: any of the functions below
 *	svg_note(s, "...");			small print
 *	svg_end(s, "title", "description", SVG_ALONE, out);
 *
 * Points outside the frame are drawn at its edge, what is not finite is left out (a line breaks
 * there). Lengths are in user units (pixels at the natural size).
 */
#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#define SVG_WIDTH  860
#define SVG_SERIES 8	 /* colours; series N has that of N % SVG_SERIES */
#define SVG_SOLID  0x100 /* added to a series: without its dashes */
#define SVG_WIDE   0x200 /* a wide, pale line for others to lie on: of all of them together */

struct svg {
	GString *body;
	char *prefix;	 /* of ids */
	double width, y; /* y: below what was drawn */
	unsigned ids;
};

enum svg_form {
	SVG_ALONE,  /* a file */
	SVG_INSIDE, /* an element of HTML */
};

/* @prefix: an XML name; unique in the HTML that it is to stand in. */
struct svg *svg_new(const char *prefix);
/* Append the document to @out; frees @s. Title and description are read out to who cannot see. */
void svg_end(struct svg *s, const char *title, const char *desc, enum svg_form form, GString *out);

/*
 * @s for XML text and attributes, in double or single quotes: valid UTF-8, escaped, one line,
 * without what XML forbids and without what would turn the order of the text around it (U+FFFD
 * stands for these). NULL: "". svg_text_new(): the same as a string, g_free().
 */
void svg_append_text(GString *out, const char *s);
char *svg_text_new(const char *s);
/* At most two decimals, shortest. What is not finite: 0. */
void svg_append_number(GString *out, double v);
/* About how wide @s is when set at @size. */
double svg_text_width(const char *s, double size);
/* @s cut to fit @width at @size, with an ellipsis. g_free(). Not escaped. */
char *svg_text_fit(const char *s, double size, double width);

/*
 * Text of strangers (a label, a stage's name) that is to stand within a sentence of ours: kept
 * apart from it, so that right-to-left letters in it do not move what is around. g_free(). Not
 * escaped.
 */
char *svg_foreign(const char *s);

/* The style sheet, without an element around it; and what is different in the dark, which HTML must
 * have in its head, once for all SVG_INSIDE. */
extern const char svg_style[], svg_style_dark[];

/* --- axes --- */

enum svg_scale { SVG_LINEAR, SVG_LOG };
enum svg_unit {
	SVG_PLAIN,  /* numbers, with the axis's suffix */
	SVG_TIME,   /* ns: "10 us", "1 ms", "1 min" */
	SVG_COUNT,  /* "1", "10", "1k", "1M" */
	SVG_CHANCE, /* 0..1: "1", "1 in 10", "1 in 1k" */
	SVG_DATE,   /* us since 1970, UTC: "2026-11-30" */
	SVG_RETURN, /* one in so many: "1 in 10", "1 in 1k" */
};

struct svg_axis {
	enum svg_scale scale;
	enum svg_unit unit;
	double low, high;	    /* low < high; of a SVG_LOG axis both > 0 */
	bool zero;		    /* SVG_LOG: with a place for values below `low`, marked 0 */
	bool bare;		    /* no ticks and no grid: drawn by the caller (names) */
	const char *label, *suffix; /* NULL: none. Of a y axis the label stands above it */
};

struct svg_frame {
	struct svg_axis x, y;
	double left, top, width, height; /* set by svg_frame() */
};

/* Widen to round values (LOG: to 1, 2, 5 of a decade; an empty range is made one). */
void svg_axis_fit(struct svg_axis *a);
/* @value as a tick would say it. g_free(). */
char *svg_axis_text(const struct svg_axis *a, double value);
/* Where on the drawing: clamped to the frame. */
double svg_x(const struct svg_frame *f, double value);
double svg_y(const struct svg_frame *f, double value);
/* Place @f below s->y, @height high; draws axes, ticks, grid, labels. s->y is then below it. */
void svg_frame(struct svg *s, struct svg_frame *f, double height);
/* The same at a place of one's own: for small multiples. s->y stays. */
void svg_frame_at(struct svg *s, struct svg_frame *f, double left, double top, double width,
		  double height);

/* --- data; @series: colour and dash pattern, 0.. --- */

struct svg_point {
	double x, y;
};
enum svg_mark {
	SVG_DOT,
	SVG_RING,
	SVG_DIAMOND,
	SVG_TRIANGLE, /* up */
	SVG_CROSS
};

/* From point to point. */
void svg_line(struct svg *s, const struct svg_frame *f, unsigned series, const struct svg_point *p,
	      size_t n);
/* At each point's x up or down to its y, level in between: y is the value from x on. */
void svg_steps(struct svg *s, const struct svg_frame *f, unsigned series, const struct svg_point *p,
	       size_t n);
/* The same with the area down to the axis filled: a histogram. The last point ends it. */
void svg_area(struct svg *s, const struct svg_frame *f, unsigned series, const struct svg_point *p,
	      size_t n);
/* Between two lines, points low[i] and high[i] with the same x: an interval. */
void svg_band(struct svg *s, const struct svg_frame *f, unsigned series,
	      const struct svg_point *low, const struct svg_point *high, size_t n);
/* A bar from @x0 to @x1 and from @y0 up to @y1, all on the axes. */
void svg_bar(struct svg *s, const struct svg_frame *f, unsigned series, double x0, double x1,
	     double y0, double y1);
/* A bar up to @y1 at the place for zero of a x axis that has one. */
void svg_bar_zero(struct svg *s, const struct svg_frame *f, unsigned series, double y1);
/* An error bar: a vertical line with ends. */
void svg_whisker(struct svg *s, const struct svg_frame *f, unsigned series, double x, double low,
		 double high);
void svg_marks(struct svg *s, const struct svg_frame *f, unsigned series, enum svg_mark mark,
	       const struct svg_point *p, size_t n);
/*
 * It goes on, nobody knows where to: a dotted line from @at to @end, or, NAN, with an arrow to the
 * frame's right edge.
 */
void svg_open_end(struct svg *s, const struct svg_frame *f, unsigned series, struct svg_point at,
		  double end);
/* A line across the frame with @label (NULL: none) at its end: a limit, a change. */
void svg_rule_x(struct svg *s, const struct svg_frame *f, double x, const char *label);
void svg_rule_y(struct svg *s, const struct svg_frame *f, double y, const char *label);
/* The frame's background between two x values. */
void svg_shade_x(struct svg *s, const struct svg_frame *f, double x0, double x1);
/* Short ticks into the frame from below, for things that come often. */
void svg_rug(struct svg *s, const struct svg_frame *f, const double *x, size_t n);

/*
 * A strip of rows, all of the frame's height, row 0 on top: cells from x0 to x1 shaded by their
 * level, 1 (faintest) to SVG_LEVELS, 0 not drawn; and a short line per row at x[row] (NAN: none).
 */
#define SVG_LEVELS 8
struct svg_cell {
	unsigned row, level;
	double x0, x1;
};
void svg_cells(struct svg *s, const struct svg_frame *f, unsigned series, unsigned rows,
	       const struct svg_cell *cells, size_t n);
void svg_row_ticks(struct svg *s, const struct svg_frame *f, unsigned series, unsigned rows,
		   const double *x);

/* --- text --- */

enum svg_anchor { SVG_START, SVG_MIDDLE, SVG_END };

/* Text of its own at a place. */
void svg_label(struct svg *s, double x, double y, enum svg_anchor anchor, const char *text);
/* A title line, and a fainter one below it (NULL: none); both cut to the width. */
void svg_heading(struct svg *s, const char *title, const char *sub);
/* Small print, wrapped. */
void svg_note(struct svg *s, const char *text);

enum svg_key {
	SVG_KEY_LINE,
	SVG_KEY_AREA,
	SVG_KEY_BAND,
	SVG_KEY_MARK,
	SVG_KEY_RUG,
	SVG_KEY_RULE,
	SVG_KEY_LEVELS, /* all shades, faintest first */
};
struct svg_entry {
	enum svg_key key;
	unsigned series;
	enum svg_mark mark; /* of SVG_KEY_MARK */
	const char *text;
};
/* Entries in a row, wrapped. */
void svg_legend(struct svg *s, const struct svg_entry *entries, size_t n);
