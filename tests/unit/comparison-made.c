/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "comparison-made.h"

#include <sched.h>
#include <string.h>

/* after jansson.h, which it looks for */
#include "cleanup.h"

static char *made_id(void)
{
	static unsigned number;

	return g_strdup_printf("s20261130T020013Z_%04x", ++number);
}

struct result *made_session(const char *label, const char *kernel)
{
	struct result *r = result_new();

	r->id = (g_free(r->id), made_id());
	r->plan = (g_free(r->plan), g_strdup("made"));
	r->label = (g_free(r->label), g_strdup(label));
	r->instrument = (g_free(r->instrument), g_strdup("timer"));
	r->state = SESSION_DONE;
	r->verdict = VERDICT_NONE;
	r->policy = r->wanted_policy = SCHED_FIFO;
	r->started_usec = 1796004013250000ULL;
	json_object_set_new(r->method, "instrument", json_string("timer"));
	json_object_set_new(r->method, "policy", json_string("fifo"));
	json_object_set_new(r->method, "priority", json_integer(80));
	json_object_set_new(r->method, "interval_ns", json_integer(1000000));
	r->conditions = json_pack("{s:{s:s},s:{s:s}}", "kernel", "release", kernel, "clock",
				  "source", "tsc");
	return r;
}

struct result_stage *made_stage(struct result *r, const char *name)
{
	struct result_stage *s = result_stage_new();

	s->index = r->stages->len;
	s->name = (g_free(s->name), g_strdup(name));
	s->load = (g_free(s->load), g_strdup(name));
	s->verdict = VERDICT_NONE;
	s->complete = true;
	g_ptr_array_add(r->stages, s);
	return s;
}

struct figures *made_figures(struct result_stage *s)
{
	if (s->cpus->len == 0)
		g_ptr_array_add(s->cpus, result_cpu_new(0));
	return ((struct result_cpu *)s->cpus->pdata[0])->figures;
}

void made_run(struct result_stage *s, unsigned seconds, double mean_ns, uint64_t seed)
{
	struct figures *f = made_figures(s);
	GRand *rand = g_rand_new_with_seed((guint32)seed);

	f->has_grid = 1;
	s->duration_ns = seconds * MADE_SECOND;
	s->snapshots = s->snapshots ?: snapshots_new();
	for (unsigned i = 0; i < seconds * 100; i++) {
		double ns = mean_ns * g_rand_double_range(rand, 0.95, 1.05);

		figures_record(f, (uint64_t)ns, i * (MADE_SECOND / 100) + 1);
		if (i % 200 == 199)
			snapshots_offer(s->snapshots, (i + 1) * (MADE_SECOND / 100), f->bucket);
	}
	g_rand_free(rand);
}

struct result *made_measured(const char *label, double mean_ns, uint64_t seed)
{
	struct result *r = made_session(label, "6.1.0-57-rt-amd64");

	made_run(made_stage(r, "none"), 60, mean_ns, seed);
	return r;
}

struct result *made_benchmark(const char *label, const char *name, double value, int decimals)
{
	struct result *r = made_session(label, "2.6.12");

	json_object_clear(r->method);
	json_object_set_new(r->method, "instrument", json_string("imported from made"));
	json_object_set_new(r->method, "source", json_string("made"));
	json_object_set_new(r->method, "quantity", json_string("overhead"));
	g_ptr_array_add(made_stage(r, "plain")->values,
			result_value_new(name, "us", value, decimals));
	return r;
}

void made_condition(struct result *r, const char *group, const char *key, json_t *value)
{
	json_t *o = json_object_get(r->conditions, group);

	if (!o) {
		o = json_object();
		json_object_set_new(r->conditions, group, o);
	}
	json_object_set_new(o, key, value);
}

struct comparison *made_comparison(const struct comparison_options *o, struct result *const *all)
{
	struct comparison *c = comparison_new(o);
	g_autofree char *last = NULL;
	unsigned side = 0;

	for (; *all; all++) {
		g_autofree char *message = NULL;

		if (g_strcmp0(last, (*all)->label) != 0)
			side = comparison_add_side(c, (*all)->label);
		g_free(last);
		last = g_strdup((*all)->label);
		g_assert_cmpint(comparison_add(c, side, *all, &message), ==, 0);
		g_assert_null(message);
		result_free(*all);
	}
	return c;
}

json_t *made_json(const struct comparison_options *o, struct result *const *all)
{
	struct comparison *c = made_comparison(o, all);
	g_autofree char *message = NULL;
	json_t *j;

	g_assert_cmpint(comparison_finish(c, &message), ==, 0);
	j = comparison_json(c);
	comparison_free(c);
	return j;
}

char *made_text(const char *format, const struct comparison *c)
{
	GString *out = g_string_new(NULL);

	g_assert_cmpint(comparison_render(format, c, NULL, out, NULL), ==, 0);
	return g_string_free(out, FALSE);
}

json_t *made_row(json_t *j, unsigned side, const char *stage)
{
	json_t *table = json_array_get(json_object_get(j, "tables"), 0), *row;
	size_t i;

	json_array_foreach (json_object_get(table, "rows"), i, row)
		if (json_integer_value(json_object_get(row, "side")) == side &&
		    strcmp(json_string_value(json_object_get(row, "stage")), stage) == 0)
			return row;
	return NULL;
}

json_t *made_difference(json_t *j, unsigned side, const char *stage, const char *key)
{
	json_t *d = json_object_get(json_object_get(made_row(j, side, stage), "differences"), key);

	g_assert_nonnull(d);
	return d;
}

double made_figure(json_t *j, unsigned side, const char *stage, const char *key, const char *what)
{
	json_t *f = json_object_get(json_object_get(made_row(j, side, stage), "figures"), key);
	json_t *v = json_object_get(f, what);

	g_assert_true(json_is_number(v));
	return json_number_value(v);
}

const char *made_warning(json_t *j, const char *id)
{
	json_t *w;
	size_t i;

	json_array_foreach (json_object_get(j, "warnings"), i, w)
		if (strcmp(json_string_value(json_object_get(w, "id")), id) == 0)
			return json_string_value(json_object_get(w, "text"));
	return NULL;
}
