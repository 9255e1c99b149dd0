/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Conditions are an object whose keys grow from version to version, so they are shown by their
 * shape and not by their names: what is single goes into a table of name and value, a list of
 * objects (interrupt lines, threads) into a table of its own with their keys as columns. Only how
 * long such a table may get is bounded; the JSON report has everything.
 */
#include "htmlconditions.h"

#include "cell.h"
#include "duration.h"
#include "pagehtml.h"
#include "table.h"

#include <string.h>

#define CONDITIONS_ROWS	   300
#define CONDITIONS_COLUMNS 12
#define CONDITIONS_DEPTH   6
#define CONDITIONS_VALUE   2000 /* characters */

static char *condition_text(const json_t *v);

static char *condition_list(const json_t *list)
{
	g_autoptr(GString) text = g_string_new(NULL);
	const json_t *v;
	size_t i;

	json_array_foreach ((json_t *)list, i, v) {
		g_autofree char *one = condition_text(v);

		if (text->len > CONDITIONS_VALUE) {
			g_string_append(text, " ...");
			break;
		}
		g_string_append_printf(text, "%s%s",
				       !text->len	   ? ""
				       : json_is_object(v) ? "; "
							   : ", ",
				       one);
	}
	return g_strdup(text->len ? text->str : "-");
}

/* "name fifo 50": the single values of an object in a cell. */
static char *condition_values(const json_t *object)
{
	g_autoptr(GString) text = g_string_new(NULL);
	const char *key;
	json_t *v;

	json_object_foreach ((json_t *)object, key, v) {
		g_autofree char *one = NULL;

		if (json_is_object(v) || json_is_array(v) || json_is_null(v))
			continue;
		one = condition_text(v);
		g_string_append_printf(text, "%s%s", text->len ? " " : "", one);
	}
	return g_strdup(text->len ? text->str : "-");
}

static char *condition_text(const json_t *v)
{
	if (json_is_string(v))
		return cell_text(*json_string_value(v) ? json_string_value(v) : "-");
	if (json_is_integer(v))
		return g_strdup_printf("%" JSON_INTEGER_FORMAT, json_integer_value(v));
	if (json_is_real(v))
		return number_format(json_real_value(v), 3);
	if (json_is_boolean(v))
		return g_strdup(json_is_true(v) ? "yes" : "no");
	if (json_is_array(v))
		return condition_list(v);
	if (json_is_object(v))
		return condition_values(v);
	return g_strdup("-");
}

static bool condition_is_table(const json_t *v)
{
	return json_is_array(v) && json_is_object(json_array_get(v, 0));
}

/* The keys for which any of the list's objects has a value, in the order in which they come. */
static GPtrArray *condition_keys(const json_t *list)
{
	GPtrArray *keys = g_ptr_array_new_with_free_func(g_free);
	const json_t *o;
	size_t i;

	json_array_foreach ((json_t *)list, i, o) {
		const char *key;
		json_t *v;

		json_object_foreach ((json_t *)o, key, v)
			if (keys->len < CONDITIONS_COLUMNS && !json_is_null(v) &&
			    !g_ptr_array_find_with_equal_func(keys, key, g_str_equal, NULL))
				g_ptr_array_add(keys, g_strdup(key));
	}
	return keys;
}

static void condition_table(struct page *p, const char *name, const json_t *list)
{
	g_autoptr(GPtrArray) keys = condition_keys(list);
	size_t n = json_array_size(list);
	struct table *t = table_new();
	const json_t *o;
	size_t i;

	for (guint k = 0; k < keys->len; k++) {
		g_autofree char *title = g_strdelimit(cell_text(keys->pdata[k]), "_", ' ');

		table_column(t, title, false);
	}
	json_array_foreach ((json_t *)list, i, o) {
		if (i == CONDITIONS_ROWS)
			break;
		table_row(t, PAGE_PLAIN);
		for (guint k = 0; k < keys->len; k++) {
			const json_t *v = json_object_get(o, keys->pdata[k]);

			table_cell(t, v ? condition_text(v) : NULL);
		}
	}
	if (n > CONDITIONS_ROWS)
		page_text(p, 0, "%s, the first %d of %zu:", name, CONDITIONS_ROWS, n);
	else
		page_text(p, 0, "%s:", name);
	table_print(t, p);
	table_free(t);
}

/* Single values of @o into @t, of what is nested too, under "outer inner". */
static void condition_rows(struct table *t, const char *prefix, const json_t *o, unsigned depth)
{
	const char *key;
	json_t *v;

	json_object_foreach ((json_t *)o, key, v) {
		g_autofree char *name = g_strconcat(prefix, *prefix ? " " : "", key, NULL);

		if (json_is_object(v) && depth < CONDITIONS_DEPTH)
			condition_rows(t, name, v, depth + 1);
		if (json_is_object(v) || condition_is_table(v))
			continue;
		table_row(t, PAGE_PLAIN);
		table_cell(t, g_strdelimit(cell_text(name), "_", ' '));
		table_cell(t, condition_text(v));
	}
}

static void condition_tables(struct page *p, const char *prefix, const json_t *o, unsigned depth)
{
	const char *key;
	json_t *v;

	json_object_foreach ((json_t *)o, key, v) {
		g_autofree char *name = g_strconcat(prefix, *prefix ? " " : "", key, NULL);

		if (json_is_object(v) && depth < CONDITIONS_DEPTH)
			condition_tables(p, name, v, depth + 1);
		else if (condition_is_table(v))
			condition_table(p, name, v);
	}
}

void htmlconditions(struct page *p, const char *title, const json_t *conditions)
{
	struct table *t;

	if (json_object_size(conditions) == 0)
		return;
	t = table_new();
	table_column(t, "condition", false);
	table_column(t, "value", false);
	condition_rows(t, "", conditions, 0);
	pagehtml_heading(p, title, PAGE_PLAIN, NULL);
	table_print(t, p);
	table_free(t);
	condition_tables(p, "", conditions, 0);
}
