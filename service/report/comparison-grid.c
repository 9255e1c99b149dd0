/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Folds are tables of their own (table.h), each with the columns that name the row, because that
 * one repeats its first column only.
 */
#include "comparison-grid.h"

#include "columns.h"
#include "markdowntext.h"
#include "table.h"

#define GRID_INDENT 2
#define GRID_GAP    2

struct grid_row {
	enum page_style style;
	GPtrArray *cells;
};

struct comparison_grid {
	unsigned names;
	GPtrArray *titles; /* of char */
	GArray *rows;	   /* of struct grid_row */
};

static void grid_row_done(gpointer data)
{
	struct grid_row *r = data;

	g_ptr_array_unref(r->cells);
}

struct comparison_grid *comparison_grid_new(unsigned names)
{
	struct comparison_grid *g = g_new0(struct comparison_grid, 1);

	g->names = names;
	g->titles = g_ptr_array_new_with_free_func(g_free);
	g->rows = g_array_new(FALSE, TRUE, sizeof(struct grid_row));
	g_array_set_clear_func(g->rows, grid_row_done);
	return g;
}

struct comparison_grid *comparison_grid_free(struct comparison_grid *g)
{
	if (!g)
		return NULL;
	g_ptr_array_unref(g->titles);
	g_array_unref(g->rows);
	g_free(g);
	return NULL;
}

void comparison_grid_column(struct comparison_grid *g, char *title)
{
	g_ptr_array_add(g->titles, title);
}

void comparison_grid_row(struct comparison_grid *g, enum page_style style)
{
	struct grid_row r = { style, g_ptr_array_new_with_free_func(g_free) };

	g_array_append_val(g->rows, r);
}

static const struct grid_row *grid_row(const struct comparison_grid *g, guint i)
{
	return &g_array_index(g->rows, struct grid_row, i);
}

void comparison_grid_cell(struct comparison_grid *g, char *text)
{
	g_ptr_array_add(grid_row(g, g->rows->len - 1)->cells, text);
}

static const char *grid_text(const struct grid_row *r, guint column)
{
	const char *text = column < r->cells->len ? r->cells->pdata[column] : NULL;

	return text ? text : "-";
}

static unsigned grid_width(const struct comparison_grid *g, guint column)
{
	unsigned width = columns_of(g->titles->pdata[column]);

	for (guint i = 0; i < g->rows->len; i++)
		width = MAX(width, columns_of(grid_text(grid_row(g, i), column)));
	return width;
}

/* One behind the last column that fits beside those which name the row; at least one does. */
static guint grid_fold(const struct comparison_grid *g, const struct page *p, guint from)
{
	unsigned used = GRID_INDENT;
	guint to = from;

	if (p->html)
		return g->titles->len;
	for (guint i = 0; i < g->names; i++)
		used += grid_width(g, i) + GRID_GAP;
	while (to < g->titles->len && used + grid_width(g, to) <= p->width)
		used += grid_width(g, to++) + GRID_GAP;
	return MAX(to, MIN(from + 1, g->titles->len));
}

static void grid_print_part(const struct comparison_grid *g, struct page *p, guint from, guint to)
{
	struct table *t = table_new();

	for (guint i = 0; i < to; i = i + 1 == g->names ? from : i + 1)
		table_column(t, g->titles->pdata[i], i >= g->names);
	for (guint k = 0; k < g->rows->len; k++) {
		const struct grid_row *r = grid_row(g, k);

		table_row(t, r->style);
		for (guint i = 0; i < to; i = i + 1 == g->names ? from : i + 1)
			table_cell(t, g_strdup(grid_text(r, i)));
	}
	table_print(t, p);
	table_free(t);
}

void comparison_grid_print(const struct comparison_grid *g, struct page *p)
{
	guint from = g->names, to;

	do {
		to = grid_fold(g, p, from);
		grid_print_part(g, p, from, to);
		from = to;
		if (from < g->titles->len)
			page_blank(p);
	} while (from < g->titles->len);
}

void comparison_grid_markdown(const struct comparison_grid *g, GString *out)
{
	for (guint i = 0; i < g->titles->len; i++) {
		g_string_append(out, i ? " | " : "| ");
		markdowntext_append(out, g->titles->pdata[i]);
	}
	g_string_append(out, " |\n");
	for (guint i = 0; i < g->titles->len; i++)
		g_string_append(out, i < g->names ? "| :--- " : "| ---: ");
	g_string_append(out, "|\n");
	for (guint k = 0; k < g->rows->len; k++) {
		for (guint i = 0; i < g->titles->len; i++) {
			g_string_append(out, i ? " | " : "| ");
			markdowntext_append(out, grid_text(grid_row(g, k), i));
		}
		g_string_append(out, " |\n");
	}
}
