/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A row for each figure of each side under each load: spreadsheets make any table of that. Numbers
 * have a dot whatever the locale, in the unit that stands beside them; what is not known is empty.
 */
#include "comparison-cell.h"
#include "csvtext.h"
#include "duration.h"

#include <math.h>

static void csv_next(GString *out, const char *s)
{
	g_string_append_c(out, ',');
	csvtext_append(out, s ? s : "");
}

static void csv_number(GString *out, const struct comparison_column *c, double value)
{
	int decimals = c->kind == COMPARISON_VALUE ? c->decimals : value == floor(value) ? 0 : 3;
	g_autofree char *text = isnan(value) ? NULL : number_format(value, decimals);

	csv_next(out, text);
}

static void csv_percent(GString *out, bool known, int64_t percent, int decimals)
{
	g_autofree char *text = known ? comparison_percent_text(percent, decimals) : NULL;

	csv_next(out, text);
}

static const char *csv_basis(const struct comparison *c, const struct comparison_group *g,
			     unsigned side)
{
	switch (comparison_basis(g, c->base, side)) {
	case COMPARISON_SESSIONS:
		return "sessions";
	case COMPARISON_RUN:
		return "run";
	case COMPARISON_NONE:
		break;
	}
	return "";
}

static void csv_difference(GString *out, const struct comparison *c,
			   const struct comparison_group *g, const struct comparison_place *p,
			   unsigned side, unsigned column)
{
	static const struct comparison_difference none;
	const struct comparison_difference *d =
		p->differences ? comparison_difference_at(p, column) : &none;
	int decimals = comparison_column(g, column)->percent_decimals;

	csv_percent(out, d->known, d->percent, decimals);
	csv_percent(out, d->known && d->interval, d->low, decimals);
	csv_percent(out, d->known && d->interval, d->high, decimals);
	csv_next(out, d->interval ? csv_basis(c, g, side) : "");
	csv_next(out, d->alike ? "~" : "");
}

static void csv_row(GString *out, const struct comparison *c, const struct comparison_group *g,
		    const struct comparison_stage *s, unsigned side, unsigned column)
{
	const struct comparison_side *at = comparison_side(c, side);
	const struct comparison_session *first = at->sessions->pdata[0];
	const struct comparison_column *col = comparison_column(g, column);
	g_autofree char *method = comparison_method_text(g->method);
	double low, high, value = comparison_place_value(s->place[side], g, column, &low, &high);

	csvtext_append(out, comparison_quantity(g->method));
	csv_next(out, method);
	csv_next(out, at->name);
	csv_next(out, first->kernel);
	csv_next(out, first->label);
	g_string_append_printf(out, ",%s,%u", side == c->base ? "yes" : "no",
			       s->place[side]->readings->len);
	csv_next(out, s->name);
	csv_next(out, s->place[side]->load);
	csv_next(out, col->title);
	csv_next(out, col->unit);
	csv_number(out, col, value);
	csv_number(out, col, low);
	csv_number(out, col, high);
	csv_difference(out, c, g, s->place[side], side, column);
	csv_next(out, comparison_row_warning(g, side));
	g_string_append_c(out, '\n');
}

static void csv_group(GString *out, const struct comparison *c, const struct comparison_group *g)
{
	for (unsigned side = 0; side < c->sides->len; side++)
		for (guint k = 0; k < g->stages->len; k++) {
			const struct comparison_stage *s = g->stages->pdata[k];

			for (unsigned i = 0; s->place[side] && i < g->columns->len; i++)
				csv_row(out, c, g, s, side, i);
		}
}

static int csv_render(const struct comparison *c, const struct report_options *o, GString *out,
		      char **ret_message)
{
	g_string_append(out, "quantity,method,side,kernel,label,base,sessions,stage,load,figure,"
			     "unit,value,low,high,percent,percent_low,percent_high,interval_of,"
			     "alike,warning\n");
	for (guint i = 0; i < c->groups->len; i++) {
		const struct comparison_group *g = c->groups->pdata[i];

		if (g->shown)
			csv_group(out, c, g);
	}
	return 0;
}

const struct comparison_format comparison_format_csv = {
	.name = "csv",
	.media_type = "text/csv; charset=utf-8",
	.description = "a row for each figure, for spreadsheets",
	.render = csv_render,
};
