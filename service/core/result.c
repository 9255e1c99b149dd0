/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "result.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

struct result_cpu *result_cpu_new(int cpu)
{
	struct result_cpu *c = g_new0(struct result_cpu, 1);

	c->cpu = cpu;
	c->figures = figures_new();
	return c;
}

void result_cpu_free(struct result_cpu *c)
{
	if (!c)
		return;
	g_free(c->figures);
	g_free(c);
}

struct result_metric *result_metric_new(const char *name, const char *unit)
{
	struct result_metric *m = g_new0(struct result_metric, 1);

	m->name = g_strdup(name);
	m->unit = g_strdup(unit);
	return m;
}

void result_metric_free(struct result_metric *m)
{
	if (!m)
		return;
	g_free(m->name);
	g_free(m->unit);
	g_free(m);
}

struct result_value *result_value_new(const char *name, const char *unit, double value,
				      int decimals)
{
	struct result_value *v = g_new0(struct result_value, 1);

	v->name = g_strdup(name);
	v->unit = g_strdup(unit);
	v->value = value;
	v->decimals = decimals;
	return v;
}

void result_value_free(struct result_value *v)
{
	if (!v)
		return;
	g_free(v->name);
	g_free(v->unit);
	g_free(v);
}

struct result_stage *result_stage_new(void)
{
	struct result_stage *s = g_new0(struct result_stage, 1);

	s->name = g_strdup("");
	s->load = g_strdup("");
	s->repeat = 1;
	s->findings = findings_new();
	s->limits = g_array_new(FALSE, TRUE, sizeof(struct result_limit));
	s->metrics = g_ptr_array_new_with_free_func((GDestroyNotify)result_metric_free);
	s->cpus = g_ptr_array_new_with_free_func((GDestroyNotify)result_cpu_free);
	s->checkpoints = g_array_new(FALSE, TRUE, sizeof(uint64_t));
	s->values = g_ptr_array_new_with_free_func((GDestroyNotify)result_value_free);
	return s;
}

void result_stage_free(struct result_stage *s)
{
	if (!s)
		return;
	g_free(s->name);
	g_free(s->load);
	g_ptr_array_unref(s->findings);
	g_array_unref(s->limits);
	g_ptr_array_unref(s->metrics);
	g_ptr_array_unref(s->cpus);
	g_array_unref(s->checkpoints);
	json_decref(s->irqs);
	json_decref(s->port);
	json_decref(s->peer);
	json_decref(s->analysis);
	snapshots_free(s->snapshots);
	g_ptr_array_unref(s->values);
	g_free(s);
}

static void *result_metric_copy(const void *data, void *unused)
{
	const struct result_metric *src = data;
	struct result_metric *m = g_memdup2(src, sizeof(*src));

	m->name = g_strdup(src->name);
	m->unit = g_strdup(src->unit);
	return m;
}

static void *result_value_copy(const void *data, void *unused)
{
	const struct result_value *src = data;

	return result_value_new(src->name, src->unit, src->value, src->decimals);
}

static void *result_cpu_copy(const void *data, void *unused)
{
	const struct result_cpu *src = data;
	struct result_cpu *c = g_memdup2(src, sizeof(*src));

	c->figures = g_memdup2(src->figures, sizeof(*src->figures));
	return c;
}

static void *result_stage_copy(const void *data, void *unused)
{
	const struct result_stage *src = data;
	struct result_stage *s = g_memdup2(src, sizeof(*src));

	s->name = g_strdup(src->name);
	s->load = g_strdup(src->load);
	s->findings = findings_copy(src->findings);
	s->limits = g_array_copy(src->limits);
	s->metrics = g_ptr_array_copy(src->metrics, (GCopyFunc)result_metric_copy, NULL);
	s->cpus = g_ptr_array_copy(src->cpus, (GCopyFunc)result_cpu_copy, NULL);
	s->checkpoints = g_array_copy(src->checkpoints);
	s->irqs = json_deep_copy(src->irqs);
	s->port = json_deep_copy(src->port);
	s->peer = json_deep_copy(src->peer);
	s->analysis = json_deep_copy(src->analysis);
	s->snapshots = src->snapshots ? snapshots_copy(src->snapshots) : NULL;
	s->values = g_ptr_array_copy(src->values, (GCopyFunc)result_value_copy, NULL);
	return s;
}

struct result *result_new(void)
{
	struct result *r = g_new0(struct result, 1);

	r->id = g_strdup("");
	r->plan = g_strdup("");
	r->label = g_strdup("");
	r->reason = g_strdup("");
	r->reason_id = g_strdup("");
	r->instrument = g_strdup("");
	r->plan_text = g_strdup("");
	r->baseline = g_strdup("");
	r->overrides = json_object();
	r->method = json_object();
	r->findings = findings_new();
	r->stages = g_ptr_array_new_with_free_func((GDestroyNotify)result_stage_free);
	return r;
}

void result_free(struct result *r)
{
	if (!r)
		return;
	g_free(r->id);
	g_free(r->plan);
	g_free(r->label);
	g_free(r->reason);
	g_free(r->reason_id);
	g_free(r->instrument);
	g_free(r->plan_text);
	g_free(r->baseline);
	json_decref(r->overrides);
	json_decref(r->method);
	json_decref(r->conditions);
	json_decref(r->peer);
	json_decref(r->peer_conditions);
	json_decref(r->summary);
	g_ptr_array_unref(r->findings);
	g_clear_pointer(&r->stages, g_ptr_array_unref);
	g_free(r);
}

struct result *result_copy(const struct result *src)
{
	struct result *r = g_memdup2(src, sizeof(*src));

	r->id = g_strdup(src->id);
	r->plan = g_strdup(src->plan);
	r->label = g_strdup(src->label);
	r->reason = g_strdup(src->reason);
	r->reason_id = g_strdup(src->reason_id);
	r->instrument = g_strdup(src->instrument);
	r->plan_text = g_strdup(src->plan_text);
	r->baseline = g_strdup(src->baseline);
	r->overrides = json_deep_copy(src->overrides);
	r->method = json_deep_copy(src->method);
	r->conditions = json_deep_copy(src->conditions);
	r->peer = json_deep_copy(src->peer);
	r->peer_conditions = json_deep_copy(src->peer_conditions);
	r->summary = json_deep_copy(src->summary);
	r->findings = findings_copy(src->findings);
	if (src->stages)
		r->stages = g_ptr_array_copy(src->stages, (GCopyFunc)result_stage_copy, NULL);
	return r;
}

bool result_is_latency(const struct result *r)
{
	const char *quantity = json_string_value(json_object_get(r->method, "quantity"));

	return g_strcmp0(quantity, "overhead") != 0;
}

struct figures *result_stage_all(const struct result_stage *s)
{
	struct figures *all = figures_new();

	for (guint i = 0; i < s->cpus->len; i++) {
		const struct result_cpu *c = s->cpus->pdata[i];

		figures_add(all, c->figures);
	}
	return all;
}

struct figures *result_all(const struct result *r)
{
	struct figures *all = figures_new();

	for (guint i = 0; r->stages && i < r->stages->len; i++) {
		g_autofree struct figures *stage = result_stage_all(r->stages->pdata[i]);

		figures_add(all, stage);
	}
	return all;
}

char *result_id_new(uint64_t now_usec)
{
	time_t t = now_usec / 1000000;
	char stamp[32];
	struct tm tm;

	gmtime_r(&t, &tm);
	strftime(stamp, sizeof(stamp), "s%Y%m%dT%H%M%SZ", &tm);
	return g_strdup_printf("%s_%04x", stamp, g_random_int() & 0xffff);
}

bool result_id_valid(const char *id)
{
	size_t n = strspn(id, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");

	return g_ascii_islower(id[0]) && id[n] == '\0' && n <= 64;
}
