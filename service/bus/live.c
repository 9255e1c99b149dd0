/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Everything here comes from what the last drain of the result region left in memory: reading a
 * property touches neither the region nor the store, however often it is read.
 */
#include "live.h"

#include "dict.h"
#include <math.h>
#include <sched.h>
#include <string.h>

struct live {
	struct session_live *cpus;
	size_t n;
	uint64_t missed; /* of the stage */
};

static uint64_t live_missed(const struct view *v)
{
	const char *name = session_stage(v->live);
	const GPtrArray *stages = v->result->stages;
	uint64_t missed = 0;

	for (guint i = 0; stages && i < stages->len; i++) {
		const struct result_stage *s = stages->pdata[i];

		if (strcmp(s->name, name) != 0)
			continue;
		for (guint k = 0; k < s->cpus->len; k++)
			missed += ((const struct result_cpu *)s->cpus->pdata[k])->figures->missed;
	}
	return missed;
}

static int live_append_cpu(sd_bus_message *m, const struct session_live *c)
{
	int r;

	r = sd_bus_message_open_container(m, 'a', "{sv}");
	if (r >= 0)
		r = dict_i32(m, "cpu", c->cpu);
	if (r >= 0)
		r = dict_u64(m, "count", c->count);
	if (r >= 0 && c->count > 0) {
		r = dict_u64(m, "min_ns", c->min_ns);
		if (r >= 0)
			r = dict_u64(m, "last_ns", c->last_ns);
		if (r >= 0)
			r = dict_u64(m, "avg_ns", c->avg_ns);
		if (r >= 0)
			r = dict_u64(m, "max_ns", c->max_ns);
	}
	return r < 0 ? r : sd_bus_message_close_container(m);
}

static int live_append_cpus(sd_bus_message *m, const void *data)
{
	const struct live *l = data;
	int r;

	r = sd_bus_message_open_container(m, 'a', "a{sv}");
	for (size_t i = 0; r >= 0 && i < l->n; i++)
		r = live_append_cpu(m, &l->cpus[i]);
	return r < 0 ? r : sd_bus_message_close_container(m);
}

static int live_append_stage(sd_bus_message *m, const struct live *l)
{
	struct session_live all = { .min_ns = UINT64_MAX };
	double sum = 0;
	int r;

	for (size_t i = 0; i < l->n; i++) {
		const struct session_live *c = &l->cpus[i];

		if (c->count == 0)
			continue;
		all.count += c->count;
		all.min_ns = MIN(all.min_ns, c->min_ns);
		all.max_ns = MAX(all.max_ns, c->max_ns);
		sum += (double)c->avg_ns * (double)c->count;
	}
	r = dict_u64(m, "count", all.count);
	if (r >= 0)
		r = dict_u64(m, "missed", l->missed);
	if (r >= 0 && all.count > 0) {
		r = dict_u64(m, "min_ns", all.min_ns);
		if (r >= 0)
			r = dict_u64(m, "avg_ns", (uint64_t)llround(sum / (double)all.count));
		if (r >= 0)
			r = dict_u64(m, "max_ns", all.max_ns);
	}
	return r < 0 ? r : dict_value(m, "cpus", "aa{sv}", live_append_cpus, l);
}

/* The same keys from FIGURES, numbers of either JSON kind. */
static int live_append_summary(sd_bus_message *m, const json_t *summary)
{
	static const char *const keys[] = { "count", "missed", "min_ns", "avg_ns", "max_ns" };
	int r = 0;

	for (size_t i = 0; r >= 0 && i < G_N_ELEMENTS(keys); i++) {
		const json_t *v = json_object_get(summary, keys[i]);

		if (json_is_integer(v))
			r = dict_u64(m, keys[i], (uint64_t)json_integer_value(v));
		else if (json_is_real(v))
			r = dict_u64(m, keys[i], (uint64_t)llround(json_real_value(v)));
	}
	return r;
}

int live_append_figures(sd_bus_message *m, const struct view *v)
{
	struct live l = { 0 };
	int r;

	r = sd_bus_message_open_container(m, 'a', "{sv}");
	if (r < 0)
		return r;
	if (session_state_ended(v->result->state)) {
		r = live_append_summary(m, v->result->summary);
	} else if (v->live) {
		l.cpus = g_new(struct session_live, CPU_SETSIZE);
		l.n = session_live(v->live, l.cpus, CPU_SETSIZE);
		l.missed = live_missed(v);
		if (l.n > 0)
			r = live_append_stage(m, &l);
		g_free(l.cpus);
	}
	return r < 0 ? r : sd_bus_message_close_container(m);
}
