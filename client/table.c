/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "table.h"

#include "columns.h"
#include "text.h"

struct table {
	unsigned n;
	GPtrArray *cells; /* of char *; headings first */
	bool *right;
};

struct table *table_new(const char *const *headings, unsigned n)
{
	struct table *t = g_new0(struct table, 1);

	t->n = n;
	t->cells = g_ptr_array_new_with_free_func(g_free);
	t->right = g_new0(bool, n);
	for (unsigned i = 0; i < n; i++) {
		t->right[i] = headings[i][0] == '>';
		table_cell(t, headings[i] + t->right[i]);
	}
	return t;
}

void table_free(struct table *t)
{
	if (!t)
		return;
	g_ptr_array_unref(t->cells);
	g_free(t->right);
	g_free(t);
}

void table_take(struct table *t, char *text)
{
	g_ptr_array_add(t->cells, text);
}

void table_cell(struct table *t, const char *text)
{
	table_take(t, g_strdup(*text ? text : "-"));
}

unsigned table_rows(const struct table *t)
{
	return t->cells->len / t->n - 1;
}

static void table_line(const struct table *t, guint first, const unsigned *widths, GString *out)
{
	for (unsigned i = 0; i < t->n; i++) {
		const char *cell = t->cells->pdata[first + i];
		unsigned pad = widths[i] - columns_of(cell);

		if (i)
			g_string_append(out, "  ");
		if (t->right[i])
			g_string_append_printf(out, "%*s", pad, "");
		g_string_append(out, cell);
		if (!t->right[i] && i + 1 < t->n)
			g_string_append_printf(out, "%*s", pad, "");
	}
}

void table_print(const struct table *t, GString *out, const struct terminal *term)
{
	g_autofree unsigned *widths = g_new0(unsigned, t->n);
	guint full = t->cells->len / t->n * t->n;

	for (guint i = 0; i < full; i++) {
		char *clean = text_clean(t->cells->pdata[i], term->utf8);

		g_free(t->cells->pdata[i]);
		t->cells->pdata[i] = clean;
		widths[i % t->n] = MAX(widths[i % t->n], columns_of(clean));
	}
	for (guint i = 0; i < full; i += t->n) {
		if (i == 0 && term->colour)
			g_string_append(out, "\033[1m");
		table_line(t, i, widths, out);
		if (i == 0 && term->colour)
			g_string_append(out, "\033[0m");
		g_string_append_c(out, '\n');
	}
}
