/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "trend-internal.h"

#include "conditionsdiff.h"
#include "value.h"

#include <math.h>

/* Whole numbers as such. */
static json_t *json_value(double value)
{
	if (isfinite(value) && value == trunc(value) && fabs(value) < 0x1p53)
		return json_integer((json_int_t)value);
	return value_real(isfinite(value) ? round(value * 1000) / 1000 : value);
}

static json_t *level_json(const struct trend *t, const struct trend_level *l)
{
	const struct trend_point *from = trend_point(t, l->from), *to = trend_point(t, l->to);
	json_t *o = json_object();

	json_object_set_new(o, "from", value_string(from->id));
	json_object_set_new(o, "from_usec", value_time(from->started_usec));
	json_object_set_new(o, "to", value_string(to->id));
	json_object_set_new(o, "to_usec", value_time(to->started_usec));
	json_object_set_new(o, "sessions", json_integer(l->sessions));
	json_object_set_new(o, "known", json_integer(l->known));
	json_object_set_new(o, "fail", json_integer(l->fail));
	json_object_set_new(o, "inconclusive", json_integer(l->inconclusive));
	json_object_set_new(o, "median", json_value(l->median));
	json_object_set_new(o, "lowest", json_value(l->low));
	json_object_set_new(o, "highest", json_value(l->high));
	return o;
}

static json_t *changed_json(const struct trend_shift *s)
{
	json_t *list = json_array();

	if (!s->compared) {
		json_decref(list);
		return json_null();
	}
	for (guint i = 0; i < s->changed->len; i++) {
		const struct conditionsdiff *d = s->changed->pdata[i];
		json_t *o = json_object();

		json_object_set_new(o, "what", value_string(d->what));
		json_object_set_new(o, "before", value_string(d->a));
		json_object_set_new(o, "after", value_string(d->b));
		json_object_set_new(o, "costly", json_boolean(d->costly));
		json_array_append_new(list, o);
	}
	return list;
}

static json_t *shift_json(const struct trend *t, const struct trend_shift *s)
{
	json_t *o = json_object();

	json_object_set_new(o, "session", value_string(trend_point(t, s->at)->id));
	json_object_set_new(o, "at_usec", value_time(trend_point(t, s->at)->started_usec));
	json_object_set_new(o, "last", value_string(trend_point(t, s->last)->id));
	json_object_set_new(o, "before", json_value(s->found.before));
	json_object_set_new(o, "after", json_value(s->found.after));
	json_object_set_new(o, "percent", value_real(trend_percent(s)));
	json_object_set_new(o, "p", value_real(s->found.p));
	json_object_set_new(o, "fresh", json_boolean(s->found.fresh));
	json_object_set_new(o, "changed", changed_json(s));
	return o;
}

static json_t *points_json(const struct trend *t)
{
	json_t *list = json_array();

	for (guint i = 0; i < t->points->len; i++) {
		const struct trend_point *p = trend_point(t, i);
		json_t *o = json_object();

		json_object_set_new(o, "session", value_string(p->id));
		json_object_set_new(o, "started_usec", value_time(p->started_usec));
		json_object_set_new(o, "value", json_value(p->value));
		json_object_set_new(o, "kernel",
				    *p->kernel ? value_string(p->kernel) : json_null());
		json_object_set_new(o, "verdict", value_string(verdict_to_string(p->verdict)));
		json_array_append_new(list, o);
	}
	return list;
}

static json_t *kernels_json(const struct trend *t)
{
	json_t *list = json_array();

	for (guint i = 0; i < t->kernels->len; i++) {
		const struct trend_level *l = trend_level(t->kernels, i);
		json_t *o = level_json(t, l);

		json_object_set_new(o, "kernel",
				    *l->kernel ? value_string(l->kernel) : json_null());
		json_array_append_new(list, o);
	}
	return list;
}

json_t *trend_json(const struct trend *t)
{
	static const char *const units[] = {
		[TREND_TIME] = "ns",
		[TREND_NUMBER] = "count",
		[TREND_SHARE] = "ppm",
	};
	json_t *o = json_object(), *shifts = json_array(), *levels = json_array();

	for (guint i = 0; i < t->shifts->len; i++)
		json_array_append_new(shifts, shift_json(t, trend_shift(t, i)));
	for (guint i = 0; i < t->levels->len; i++)
		json_array_append_new(levels, level_json(t, trend_level(t->levels, i)));
	json_object_set_new(o, "format", json_string("lrtbf-trend"));
	json_object_set_new(o, "version", json_integer(1));
	json_object_set_new(o, "plan", value_string(t->options.plan));
	json_object_set_new(o, "stage", value_string(t->options.stage));
	json_object_set_new(o, "figure", value_string(t->options.figure));
	json_object_set_new(o, "unit", json_string(units[t->unit]));
	json_object_set_new(o, "p_per_look", json_real(CHANGEPOINT_P));
	json_object_set_new(o, "all", t->points->len ? level_json(t, &t->all) : json_null());
	json_object_set_new(o, "shifts", shifts);
	json_object_set_new(o, "levels", levels);
	json_object_set_new(o, "kernels", t->kernels ? kernels_json(t) : json_null());
	json_object_set_new(o, "points", points_json(t));
	return o;
}
