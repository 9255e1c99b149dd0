/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Folding instead of dropping columns or breaking lines: on a 40-column serial console every figure
 * is still there, and on a wide terminal nothing folds. A latency of an hour widens its column
 * instead of running into the next.
 */
#include "table.h"

#include "columns.h"
#include "pagehtml.h"

#define TABLE_INDENT 2
#define TABLE_GAP    2

struct table_column {
	char *title;
	bool right;
	unsigned width;
};

struct table_row {
	enum page_style style;
	GPtrArray *cells; /* of char *, NULL among them */
};

struct table {
	GArray *columns; /* of struct table_column */
	GArray *rows;	 /* of struct table_row */
};

static void table_column_done(gpointer data)
{
	struct table_column *c = data;

	g_free(c->title);
}

static void table_row_done(gpointer data)
{
	struct table_row *r = data;

	g_ptr_array_unref(r->cells);
}

struct table *table_new(void)
{
	struct table *t = g_new0(struct table, 1);

	t->columns = g_array_new(FALSE, TRUE, sizeof(struct table_column));
	t->rows = g_array_new(FALSE, TRUE, sizeof(struct table_row));
	g_array_set_clear_func(t->columns, table_column_done);
	g_array_set_clear_func(t->rows, table_row_done);
	return t;
}

void table_free(struct table *t)
{
	if (!t)
		return;
	g_array_unref(t->columns);
	g_array_unref(t->rows);
	g_free(t);
}

static struct table_column *table_column_at(const struct table *t, guint i)
{
	return &g_array_index(t->columns, struct table_column, i);
}

static const char *table_cell_at(const struct table_row *r, guint i)
{
	const char *s = i < r->cells->len ? r->cells->pdata[i] : NULL;

	return s ? s : "-";
}

void table_column(struct table *t, const char *title, bool right)
{
	struct table_column c = { g_strdup(title), right, columns_of(title) };

	g_array_append_val(t->columns, c);
}

void table_row(struct table *t, enum page_style style)
{
	struct table_row r = { style, g_ptr_array_new_with_free_func(g_free) };

	g_array_append_val(t->rows, r);
}

void table_cell(struct table *t, char *text)
{
	struct table_row *r = &g_array_index(t->rows, struct table_row, t->rows->len - 1);
	struct table_column *c = table_column_at(t, r->cells->len);

	g_assert(r->cells->len < t->columns->len);
	if (text)
		c->width = MAX(c->width, columns_of(text));
	g_ptr_array_add(r->cells, text);
}

/* No column may be wider than what the page leaves beside the first. */
static unsigned table_width(const struct table *t, const struct page *p, guint i)
{
	unsigned first = MIN(table_column_at(t, 0)->width, p->width / 2);

	if (i == 0)
		return first;
	return MIN(table_column_at(t, i)->width, p->width - TABLE_INDENT - first - TABLE_GAP);
}

/* The columns of one fold: [from, return). */
static guint table_fold(const struct table *t, const struct page *p, guint from)
{
	unsigned used = TABLE_INDENT + table_width(t, p, 0);
	guint i = from;

	while (i < t->columns->len) {
		used += TABLE_GAP + table_width(t, p, i);
		if (used > p->width)
			break;
		i++;
	}
	return MAX(i, MIN(from + 1, t->columns->len));
}

static void table_put(const struct table *t, struct page *p, enum page_style style,
		      const struct table_row *r, guint from, guint to)
{
	GString *out = p->out;

	for (guint i = 0; i < to; i = i == 0 ? from : i + 1) {
		const struct table_column *c = table_column_at(t, i);

		g_string_append(out, "  ");
		page_pad(p, style, r ? table_cell_at(r, i) : c->title, table_width(t, p, i),
			 c->right);
	}
	while (out->len && out->str[out->len - 1] == ' ')
		g_string_truncate(out, out->len - 1);
	g_string_append_c(out, '\n');
}

static void table_print_html(const struct table *t, struct page *p)
{
	pagehtml_table_begin(p);
	for (guint i = 0; i < t->columns->len; i++)
		pagehtml_column(p, table_column_at(t, i)->title, table_column_at(t, i)->right);
	for (guint i = 0; i < t->rows->len; i++) {
		const struct table_row *r = &g_array_index(t->rows, struct table_row, i);

		pagehtml_row(p, r->style);
		for (guint k = 0; k < t->columns->len; k++)
			pagehtml_cell(p, table_cell_at(r, k), k == 0, table_column_at(t, k)->right);
	}
	pagehtml_table_end(p);
}

void table_print(const struct table *t, struct page *p)
{
	guint from = 1, to;

	if (p->html) {
		table_print_html(t, p);
		return;
	}
	do {
		to = table_fold(t, p, from);
		table_put(t, p, PAGE_FAINT, NULL, from, to);
		for (guint i = 0; i < t->rows->len; i++) {
			const struct table_row *r = &g_array_index(t->rows, struct table_row, i);

			table_put(t, p, r->style, r, from, to);
		}
		from = to;
		if (from < t->columns->len)
			page_blank(p);
	} while (from < t->columns->len);
}
