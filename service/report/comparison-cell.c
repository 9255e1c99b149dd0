/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "comparison-cell.h"

#include "cell.h"
#include "duration.h"

#include <inttypes.h>
#include <math.h>

char *comparison_value_text(const struct comparison_column *column, double value)
{
	int64_t tenths;

	if (isnan(value))
		return NULL;
	switch (column->kind) {
	case COMPARISON_COUNT:
		return g_strdup_printf("%" PRIu64, (uint64_t)value);
	case COMPARISON_VALUE:
		return number_format(value, column->decimals);
	case COMPARISON_TIME:
		break;
	}
	tenths = llround(value / 100); /* of a microsecond, from nanoseconds */
	return g_strdup_printf("%" PRId64 ".%" PRId64, tenths / 10, tenths % 10);
}

char *comparison_figure_text(const struct comparison_group *g, const struct comparison_place *p,
			     unsigned column)
{
	const struct comparison_column *c = comparison_column(g, column);
	double low, high, value = comparison_place_value(p, g, column, &low, &high);
	g_autofree char *text = comparison_value_text(c, value);
	g_autofree char *from = comparison_value_text(c, low), *to = comparison_value_text(c, high);

	if (!text || p->readings->len < 2 || c->kind == COMPARISON_COUNT)
		return g_steal_pointer(&text);
	return g_strdup_printf("%s (%s-%s)", text, from, to);
}

char *comparison_difference_text(const struct comparison_group *g, const struct comparison_place *p,
				 unsigned column)
{
	int decimals = comparison_column(g, column)->percent_decimals;
	const struct comparison_difference *d;
	g_autofree char *percent = NULL, *low = NULL, *high = NULL;

	if (!p || !p->differences)
		return NULL;
	d = comparison_difference_at(p, column);
	if (!d->known)
		return NULL;
	percent = d->alike ? g_strdup("~") : comparison_percent_text(d->percent, decimals);
	if (!d->interval)
		return g_steal_pointer(&percent);
	low = comparison_percent_text(d->low, decimals);
	high = comparison_percent_text(d->high, decimals);
	return g_strdup_printf("%s (%s to %s)", percent, low, high);
}

const char *comparison_row_warning(const struct comparison_group *g, unsigned side)
{
	return g->forced[side] ? "not comparable" : NULL;
}

bool comparison_column_used(const struct comparison *c, const struct comparison_group *g,
			    unsigned column)
{
	double low, high;

	for (guint i = 0; i < g->stages->len; i++) {
		const struct comparison_stage *s = g->stages->pdata[i];

		for (unsigned side = 0; side < c->sides->len; side++)
			if (s->place[side] &&
			    !isnan(comparison_place_value(s->place[side], g, column, &low, &high)))
				return true;
	}
	return false;
}

char *comparison_group_title(const struct comparison_group *g)
{
	g_autofree char *method = comparison_method_text(g->method);
	g_autofree char *quantity = cell_text(comparison_quantity(g->method));

	quantity[0] = g_ascii_toupper(quantity[0]);
	return *method ? g_strdup_printf("%s: %s", quantity, method) : g_steal_pointer(&quantity);
}
