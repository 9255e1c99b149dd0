/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Why the median and the range and no interval: there are a few repeats, of one boot. They show
 * whether the machine does the same each time; what another boot would give is told by sessions.
 * For the maximum it is the other way round: one that was seen is there, and the median of maxima
 * would hide it.
 */
#include "repeats.h"

#include "value.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void repeats_free(gpointer data)
{
	struct repeats *s = data;

	g_ptr_array_unref(s->stages);
	g_ptr_array_unref(s->figures);
	g_free(s);
}

static struct repeats *repeats_named(GPtrArray *all, const struct result_stage *stage)
{
	struct repeats *s;

	for (guint i = 0; i < all->len; i++) {
		s = all->pdata[i];
		if (strcmp(s->name, stage->name) == 0)
			return s;
	}
	s = g_new0(struct repeats, 1);
	s->name = stage->name;
	s->load = stage->load;
	s->stages = g_ptr_array_new();
	s->figures = g_ptr_array_new_with_free_func(g_free);
	g_ptr_array_add(all, s);
	return s;
}

GPtrArray *repeats_of(const struct result *r)
{
	GPtrArray *all = g_ptr_array_new_with_free_func(repeats_free);
	guint n = r->stages ? r->stages->len : 0;

	for (guint i = 0; i < n; i++) {
		struct result_stage *stage = r->stages->pdata[i];
		struct repeats *s = repeats_named(all, stage);

		s->verdict = MAX(s->verdict, stage->verdict);
		g_ptr_array_add(s->stages, stage);
		g_ptr_array_add(s->figures, result_stage_all(stage));
	}
	if (all->len == n)
		g_ptr_array_set_size(all, 0);
	return all;
}

/* --- their figures --- */

bool repeats_mean_ns(const struct figures *f, uint32_t ppm, double *ret)
{
	return figures_mean_ns(f, ret);
}

bool repeats_stddev_ns(const struct figures *f, uint32_t ppm, double *ret)
{
	return figures_stddev_ns(f, ret);
}

bool repeats_percentile_ns(const struct figures *f, uint32_t ppm, double *ret)
{
	uint64_t ns;

	if (!figures_percentile_ns(f, ppm, false, &ns))
		return false;
	*ret = (double)ns;
	return true;
}

bool repeats_min_ns(const struct figures *f, uint32_t ppm, double *ret)
{
	uint64_t ns;

	if (!figures_min_ns(f, &ns))
		return false;
	*ret = (double)ns;
	return true;
}

bool repeats_max_ns(const struct figures *f, uint32_t ppm, double *ret)
{
	uint64_t ns;

	if (!figures_max_ns(f, &ns))
		return false;
	*ret = (double)ns;
	return true;
}

static int repeats_compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

struct spread repeats_spread(const struct repeats *s, repeats_get_t get, uint32_t ppm)
{
	g_autofree double *v = g_new(double, s->figures->len);
	struct spread all = { 0 };

	for (guint i = 0; i < s->figures->len; i++)
		all.n += get(s->figures->pdata[i], ppm, &v[all.n]);
	if (all.n == 0)
		return all;
	qsort(v, all.n, sizeof(*v), repeats_compare);
	all.min = v[0];
	all.max = v[all.n - 1];
	all.median = (v[(all.n - 1) / 2] + v[all.n / 2]) / 2;
	return all;
}

const struct result_stage *repeats_worst(const struct repeats *s)
{
	double worst_ns = -1, ns;
	guint worst = 0;

	for (guint i = 0; i < s->figures->len; i++) {
		if (!repeats_max_ns(s->figures->pdata[i], 0, &ns) || ns <= worst_ns)
			continue;
		worst = i;
		worst_ns = ns;
	}
	return s->stages->pdata[worst];
}

/* --- JSON --- */

static json_t *repeats_json_real(double ns)
{
	return value_real(round(ns * 1e3) / 1e3);
}

static json_t *repeats_json_spread(struct spread v)
{
	json_t *o;

	if (v.n == 0)
		return json_null();
	o = json_object();
	json_object_set_new(o, "n", json_integer(v.n));
	json_object_set_new(o, "median", repeats_json_real(v.median));
	json_object_set_new(o, "min", repeats_json_real(v.min));
	json_object_set_new(o, "max", repeats_json_real(v.max));
	return o;
}

static json_t *repeats_json_percentiles(const struct repeats *s)
{
	json_t *o = json_object();

	for (const struct figures_percentile *q = figures_percentiles; q->name; q++)
		json_object_set_new(
			o, q->name,
			repeats_json_spread(repeats_spread(s, repeats_percentile_ns, q->ppm)));
	return o;
}

static json_t *repeats_json_one(const struct repeats *s)
{
	struct spread min = repeats_spread(s, repeats_min_ns, 0);
	struct spread max = repeats_spread(s, repeats_max_ns, 0);
	json_t *o = json_object();

	json_object_set_new(o, "stage", value_string(s->name));
	json_object_set_new(o, "load", value_string(s->load));
	json_object_set_new(o, "n", json_integer(s->stages->len));
	json_object_set_new(o, "verdict", value_string(verdict_to_string(s->verdict)));
	json_object_set_new(o, "min_ns", min.n ? value_count((uint64_t)min.min) : json_null());
	json_object_set_new(o, "avg_ns",
			    repeats_json_spread(repeats_spread(s, repeats_mean_ns, 0)));
	json_object_set_new(o, "max_ns", max.n ? value_count((uint64_t)max.max) : json_null());
	json_object_set_new(o, "maxima_ns", repeats_json_spread(max));
	json_object_set_new(o, "stddev_ns",
			    repeats_json_spread(repeats_spread(s, repeats_stddev_ns, 0)));
	json_object_set_new(o, "percentiles", repeats_json_percentiles(s));
	return o;
}

json_t *repeats_json(const struct result *r)
{
	g_autoptr(GPtrArray) all = repeats_of(r);
	json_t *a = json_array();

	for (guint i = 0; i < all->len; i++) {
		const struct repeats *s = all->pdata[i];

		if (s->stages->len > 1)
			json_array_append_new(a, repeats_json_one(s));
	}
	return a;
}
