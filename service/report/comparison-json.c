/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What every other format shows, and what none has room for: all that differs in the conditions,
 * the range over sessions of each figure. Percent are rounded here as they are everywhere, so that
 * no program says another digit than the table beside it.
 */
#include "comparison-internal.h"

#include "cell.h"
#include "conditionsdiff.h"
#include "value.h"

#include <math.h>

static void json_set(json_t *o, const char *key, json_t *value)
{
	json_object_set_new(o, key, value);
}

/* Whole where it is whole, else to a thousandth, or to what a benchmark printed. */
static json_t *json_number(const struct comparison_column *c, double value)
{
	int decimals = c->kind == COMPARISON_VALUE ? c->decimals : 3;
	double scale = pow(10, decimals), rounded = round(value * scale) / scale;

	if (isnan(value))
		return json_null();
	if (c->kind == COMPARISON_VALUE || rounded != floor(rounded) || rounded > 9e15)
		return value_real(rounded);
	return value_count((uint64_t)rounded);
}

static json_t *json_percent(bool known, int64_t percent, int decimals)
{
	return known ? value_real((double)percent / pow(10, decimals)) : json_null();
}

static json_t *json_session(const struct comparison_session *s)
{
	json_t *o = json_object();

	json_set(o, "id", value_string(s->id));
	json_set(o, "label", value_string(s->label));
	json_set(o, "plan", value_string(s->plan));
	json_set(o, "kernel", *s->kernel ? value_string(s->kernel) : json_null());
	json_set(o, "started_usec", value_time(s->started_usec));
	return o;
}

static json_t *json_side(const struct comparison *c, unsigned i)
{
	const struct comparison_side *s = comparison_side(c, i);
	json_t *o = json_object(), *sessions = json_array(), *differences = json_array();

	for (guint k = 0; k < s->sessions->len; k++)
		json_array_append_new(sessions, json_session(s->sessions->pdata[k]));
	for (guint k = 0; s->differences && k < s->differences->len; k++) {
		const struct conditionsdiff *d = s->differences->pdata[k];
		json_t *row = json_object();

		json_set(row, "what", value_string(d->what));
		json_set(row, "base", value_string(d->a));
		json_set(row, "side", value_string(d->b));
		json_set(row, "costly", json_boolean(d->costly));
		json_array_append_new(differences, row);
	}
	json_set(o, "name", value_string(s->name));
	json_set(o, "title", value_string(s->title));
	json_set(o, "sessions", sessions);
	json_set(o, "conditions", differences);
	return o;
}

static json_t *json_figures(const struct comparison_group *g, const struct comparison_place *p)
{
	json_t *all = json_object();

	for (unsigned i = 0; i < g->columns->len; i++) {
		const struct comparison_column *c = comparison_column(g, i);
		double low, high, value = comparison_place_value(p, g, i, &low, &high);
		json_t *o = json_object();

		json_set(o, "value", json_number(c, value));
		json_set(o, "low", json_number(c, low));
		json_set(o, "high", json_number(c, high));
		json_set(all, c->key, o);
	}
	return all;
}

/* Said of what may be said: of runs, and without an interval, nothing. */
static json_t *json_shown(const struct comparison_place *p, enum comparison_basis basis,
			  const struct comparison_difference *d)
{
	if (!d->known)
		return json_null();
	if (d->alike)
		return json_false();
	return (d->interval && basis == COMPARISON_SESSIONS) || p->printed ? json_true()
									   : json_null();
}

static json_t *json_differences(const struct comparison_group *g, const struct comparison_place *p,
				enum comparison_basis basis)
{
	json_t *all = json_object();

	for (unsigned i = 0; i < g->columns->len; i++) {
		const struct comparison_difference *d = comparison_difference_at(p, i);
		const struct comparison_column *c = comparison_column(g, i);
		json_t *o;

		if (c->kind == COMPARISON_COUNT)
			continue;
		o = json_object();
		json_set(o, "percent", json_percent(d->known, d->percent, c->percent_decimals));
		json_set(o, "low",
			 json_percent(d->known && d->interval, d->low, c->percent_decimals));
		json_set(o, "high",
			 json_percent(d->known && d->interval, d->high, c->percent_decimals));
		json_set(o, "shown", json_shown(p, basis, d));
		json_set(all, c->key, o);
	}
	return all;
}

static json_t *json_basis(enum comparison_basis basis)
{
	switch (basis) {
	case COMPARISON_SESSIONS:
		return json_string("sessions");
	case COMPARISON_RUN:
		return json_string("run");
	case COMPARISON_NONE:
		break;
	}
	return json_null();
}

static json_t *json_row(const struct comparison *c, const struct comparison_group *g,
			const struct comparison_stage *s, unsigned side)
{
	const struct comparison_place *p = s->place[side];
	enum comparison_basis basis = comparison_basis(g, c->base, side);
	json_t *o = json_object();

	json_set(o, "side", json_integer(side));
	json_set(o, "stage", value_string(s->name));
	json_set(o, "load", value_string(p->load));
	json_set(o, "sessions", json_integer(p->readings->len));
	json_set(o, "warning", value_string(g->forced[side]));
	json_set(o, "doubt", value_string(p->doubt));
	json_set(o, "figures", json_figures(g, p));
	json_set(o, "basis", p->differences ? json_basis(basis) : json_null());
	json_set(o, "differences", p->differences ? json_differences(g, p, basis) : json_null());
	return o;
}

static json_t *json_table(const struct comparison *c, const struct comparison_group *g)
{
	json_t *o = json_object(), *columns = json_array(), *rows = json_array();

	for (unsigned i = 0; i < g->columns->len; i++) {
		const struct comparison_column *column = comparison_column(g, i);
		json_t *one = json_object();

		json_set(one, "key", value_string(column->key));
		json_set(one, "title", value_string(column->title));
		json_set(one, "unit", *column->unit ? value_string(column->unit) : json_null());
		json_array_append_new(columns, one);
	}
	for (unsigned side = 0; side < c->sides->len; side++)
		for (guint k = 0; k < g->stages->len; k++) {
			const struct comparison_stage *s = g->stages->pdata[k];

			if (s->place[side])
				json_array_append_new(rows, json_row(c, g, s, side));
		}
	json_set(o, "quantity", value_string(comparison_quantity(g->method)));
	json_set(o, "method", json_deep_copy(g->method));
	json_set(o, "intervals", json_integer(g->intervals));
	json_set(o, "columns", columns);
	json_set(o, "rows", rows);
	return o;
}

static json_t *json_warnings(const struct comparison *c)
{
	json_t *list = json_array();

	for (guint i = 0; i < c->notes->len; i++) {
		const struct comparison_note *n = c->notes->pdata[i];
		json_t *o = json_object();

		json_set(o, "id", value_string(n->id));
		json_set(o, "side", n->side < 0 ? json_null() : json_integer(n->side));
		json_set(o, "text", value_string(n->text));
		json_array_append_new(list, o);
	}
	return list;
}

json_t *comparison_json(const struct comparison *c)
{
	json_t *o = json_object(), *sides = json_array(), *tables = json_array();
	json_t *exceeded = json_array();
	unsigned intervals = 0;

	for (unsigned i = 0; i < c->sides->len; i++)
		json_array_append_new(sides, json_side(c, i));
	for (guint i = 0; i < c->groups->len; i++) {
		const struct comparison_group *g = c->groups->pdata[i];

		if (g->shown)
			json_array_append_new(tables, json_table(c, g));
		intervals += g->intervals;
	}
	for (guint i = 0; i < c->exceeded->len; i++)
		json_array_append_new(exceeded, value_string(c->exceeded->pdata[i]));
	json_set(o, "format", json_string("lrtbf-comparison"));
	json_set(o, "version", json_integer(1));
	json_set(o, "verdict", value_string(verdict_to_string(c->verdict)));
	json_set(o, "fail_above",
		 c->options.fail_above > 0 ? value_real(c->options.fail_above) : json_null());
	json_set(o, "exceeded", exceeded);
	json_set(o, "forced", json_boolean(c->forced));
	json_set(o, "base", json_integer(c->base));
	json_set(o, "intervals", json_integer(intervals));
	json_set(o, "sides", sides);
	json_set(o, "warnings", json_warnings(c));
	json_set(o, "tables", tables);
	return o;
}
