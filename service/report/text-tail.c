/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The sentence on causes not yet seen stands under every tail: no fit knows of a mode that has not
 * shown itself, and a table of levels looks like a promise.
 */
#include "text-tail.h"

#include "cell.h"
#include "table.h"

#include <math.h>

#define TAIL_TEXT_SIZE 32

static double tail_number(const json_t *o, const char *key)
{
	const json_t *v = json_object_get(o, key);

	return json_is_number(v) ? json_number_value(v) : NAN;
}

static char *tail_us(const json_t *o, const char *key, int decimals)
{
	return cell_real_us(tail_number(o, key), decimals);
}

static char *tail_duration(const json_t *o, const char *key)
{
	double ns = tail_number(o, key);

	return ns >= 0 && ns < 9e18 ? cell_duration((uint64_t)ns) : NULL;
}

static char *tail_decimal(double x, const char *format)
{
	char text[TAIL_TEXT_SIZE];

	return g_strdup(isfinite(x) ? g_ascii_formatd(text, sizeof(text), format, x) : "-");
}

static void tail_table(struct page *p, const json_t *levels, int decimals)
{
	static const char *const titles[] = { "exceeded with 63 %", "95 % from", "95 % to" };
	static const char *const keys[] = { "level_ns", "low_ns", "high_ns" };
	struct table *t = table_new();
	const json_t *l;
	size_t i;

	table_column(t, "in", true);
	table_column(t, "times as long", true);
	for (i = 0; i < G_N_ELEMENTS(titles); i++)
		table_column(t, titles[i], true);
	json_array_foreach ((json_t *)levels, i, l) {
		table_row(t, PAGE_PLAIN);
		table_cell(t, tail_duration(l, "duration_ns"));
		table_cell(t, tail_decimal(tail_number(l, "times"), "%.0f"));
		for (size_t k = 0; k < G_N_ELEMENTS(keys); k++)
			table_cell(t, tail_us(l, keys[k], decimals));
	}
	table_print(t, p);
	table_free(t);
}

static void tail_fitted(struct page *p, const json_t *tail, int decimals)
{
	const json_t *pair = json_object_get(tail, "shape_interval");
	const json_t *low = json_array_get(pair, 0), *high = json_array_get(pair, 1);
	g_autofree char *length = tail_duration(tail, "block_length_ns");
	g_autofree char *shape = tail_decimal(tail_number(tail, "shape"), "%.2f");
	g_autofree char *from =
		tail_decimal(json_is_number(low) ? json_number_value(low) : NAN, "%.2f");
	g_autofree char *to =
		tail_decimal(json_is_number(high) ? json_number_value(high) : NAN, "%.2f");
	g_autofree char *p_value = tail_decimal(tail_number(tail, "p_value"), "%.2f");

	page_text(
		p, 0,
		"What may still come, in microseconds, by an extreme value distribution of shape "
		"%s (95 %%: %s to %s) that fits the maxima of %.0f blocks of %s (Anderson-Darling, "
		"p = %s):",
		shape, from, to, tail_number(tail, "blocks"), length ?: "-", p_value);
	tail_table(p, json_object_get(tail, "levels"), decimals);
	page_text(p, 0,
		  "This holds if no cause appears that has not yet shown itself, which no fit can "
		  "know: it is not part of the verdict.");
}

void text_tail(struct page *p, const struct result_stage *s, int decimals)
{
	const json_t *tail = json_object_get(s->analysis, "tail");
	const char *reason = json_string_value(json_object_get(tail, "reason"));

	if (!json_is_object(tail))
		return;
	page_blank(p);
	if (!json_object_get(tail, "refused")) {
		tail_fitted(p, tail, decimals);
	} else {
		g_autofree char *clean = cell_text(reason);

		page_text(p, 0, "What may still come is not estimated. %s", clean);
	}
}
