/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Buckets are finer than a microsecond below 64 us and wider above 128 us; each is counted whole in
 * the microsecond of its middle (within 0.8 % of every sample in it, and never outside of minimum
 * and maximum). Spreading it over the microseconds that it covers would draw a smoother line out of
 * samples that nobody saw.
 */
#include "cyclic.h"

#include "value.h"

static bool cyclic_found(const GPtrArray *findings, const char *id)
{
	for (guint i = 0; i < findings->len; i++)
		if (g_str_equal(((struct finding *)findings->pdata[i])->kind->id, id))
			return true;
	return false;
}

static struct result_cpu *cyclic_thread(GPtrArray *threads, const struct result_cpu *like)
{
	struct result_cpu *c;
	guint i = 0;

	for (; i < threads->len; i++) {
		c = threads->pdata[i];
		if (c->cpu == like->cpu)
			return c;
		if (c->cpu > like->cpu)
			break;
	}
	c = result_cpu_new(like->cpu);
	c->policy = like->policy;
	c->priority = like->priority;
	g_ptr_array_insert(threads, (gint)i, c);
	return c;
}

GPtrArray *cyclic_threads(const struct result *r)
{
	GPtrArray *threads = g_ptr_array_new_with_free_func((GDestroyNotify)result_cpu_free);

	for (guint i = 0; r->stages && i < r->stages->len; i++) {
		const struct result_stage *s = r->stages->pdata[i];

		for (guint k = 0; k < s->cpus->len; k++) {
			const struct result_cpu *c = s->cpus->pdata[k];

			figures_add(cyclic_thread(threads, c)->figures, c->figures);
		}
	}
	return threads;
}

uint64_t cyclic_us(const struct figures *f, unsigned b)
{
	return figures_sample_ns(f, b) / 1000;
}

/* The method says what was asked for; a finding, that it was not to be had. */
static bool cyclic_dma_latency_held(const struct result *r)
{
	if (cyclic_found(r->findings, "dma-latency"))
		return false;
	for (guint i = 0; r->stages && i < r->stages->len; i++) {
		const struct result_stage *s = r->stages->pdata[i];

		if (cyclic_found(s->findings, "dma-latency"))
			return false;
	}
	return true;
}

long cyclic_dma_latency_us(const struct result *r)
{
	json_int_t us = value_get_integer(r->method, "dma_latency_us", -1);

	return !cyclic_dma_latency_held(r) || us < 0 || us > INT32_MAX ? -1 : (long)us;
}

char *cyclic_command(const struct result *r)
{
	GString *line = g_string_new("lrtbfctl session start ");
	const char *key;
	json_t *value;

	g_string_append(line, r->plan); /* [a-z0-9_]+ */
	json_object_foreach (r->overrides, key, value) {
		g_autofree char *name = g_strdelimit(g_strdup(key), "_", '-');
		g_autofree char *quoted = NULL;

		if (!json_is_string(value))
			continue;
		quoted = g_shell_quote(json_string_value(value));
		g_string_append_printf(line, " --%s=%s", name, quoted);
	}
	return g_string_free(line, FALSE);
}
