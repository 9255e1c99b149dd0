/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The form in which LMbench's results are printed: loads downwards, what was timed across. A value
 * has as many decimals as its source gave, no more.
 */
#include "text-values.h"

#include "cell.h"
#include "duration.h"
#include "table.h"

#include <string.h>

static const struct result_value *values_find(const struct result_stage *s, const char *name,
					      const char *unit)
{
	for (guint i = 0; i < s->values->len; i++) {
		const struct result_value *v = s->values->pdata[i];

		if (strcmp(v->name, name) == 0 && strcmp(v->unit, unit) == 0)
			return v;
	}
	return NULL;
}

/* Each once, in the order in which they come: of struct result_value, borrowed. */
static GPtrArray *values_columns(const struct result *r)
{
	GPtrArray *columns = g_ptr_array_new();

	for (guint i = 0; i < r->stages->len; i++) {
		const struct result_stage *s = r->stages->pdata[i];

		for (guint k = 0; k < s->values->len; k++) {
			struct result_value *v = s->values->pdata[k];
			bool known = false;

			for (guint c = 0; c < columns->len && !known; c++) {
				const struct result_value *other = columns->pdata[c];

				known = strcmp(other->name, v->name) == 0 &&
					strcmp(other->unit, v->unit) == 0;
			}
			if (!known)
				g_ptr_array_add(columns, v);
		}
	}
	return columns;
}

void text_values(struct page *p, const struct result *r)
{
	g_autoptr(GPtrArray) columns = NULL;
	struct table *t;

	if (!r->stages)
		return;
	columns = values_columns(r);
	if (columns->len == 0)
		return;
	t = table_new();
	table_column(t, "load", false);
	for (guint c = 0; c < columns->len; c++) {
		const struct result_value *v = columns->pdata[c];
		g_autofree char *name = cell_text(v->name), *unit = cell_text(v->unit);
		g_autofree char *title = g_strdup_printf("%s, %s", name, unit);

		table_column(t, title, true);
	}
	for (guint i = 0; i < r->stages->len; i++) {
		const struct result_stage *s = r->stages->pdata[i];

		table_row(t, PAGE_PLAIN);
		table_cell(t, cell_text(s->name));
		for (guint c = 0; c < columns->len; c++) {
			const struct result_value *column = columns->pdata[c];
			const struct result_value *v = values_find(s, column->name, column->unit);

			table_cell(t, v ? number_format(v->value, v->decimals) : NULL);
		}
	}
	page_blank(p);
	page_text(p, 0, "What a benchmark took, under each load:");
	table_print(t, p);
	table_free(t);
}
