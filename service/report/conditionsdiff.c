/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One table says which conditions count and which are known to cost latency; what is in no such
 * table (addresses, counters, thread numbers) differs between any two boots and would bury the one
 * line that matters. Not known on one side is no difference: another program's results come with a
 * kernel's name and nothing else, and forty lines of "unknown" would say so forty times.
 */
#include "conditionsdiff-internal.h"

#include "cell.h"

#include <string.h>

#define CONDITIONSDIFF_TEXT 400 /* characters of a value */

static const struct condition {
	const char *what, *path;
	enum condition_weight weight;
	const char *none; /* what null says, where it says something */
} conditions_compared[] = {
	{ "kernel", "kernel.release", CONDITION_FIRST, NULL },
	{ "preemption", "kernel.preemption", CONDITION_COSTLY, NULL },
	{ "virtual_machine", "virtualisation.machine", CONDITION_COSTLY, "none" },
	{ "container", "virtualisation.container", CONDITION_OTHER, "none" },
	{ "clock_source", "clock.source", CONDITION_COSTLY, NULL },
	{ "high_resolution_timers", "clock.highres", CONDITION_COSTLY, NULL },
	{ "tracer", "tracing.tracer", CONDITION_COSTLY, NULL },
	{ "trace_events", "tracing.events", CONDITION_COSTLY, NULL },
	{ "cpu", "processor.model", CONDITION_COSTLY, NULL },
	{ "microcode", "processor.microcode", CONDITION_COSTLY, NULL },
	{ "threaded_interrupts", "interrupts.threaded", CONDITION_COSTLY, NULL },
	{ "isolated_cpus", "processor.isolated", CONDITION_COSTLY, NULL },
	{ "nohz_full_cpus", "processor.nohz_full", CONDITION_COSTLY, NULL },
	{ "smt", "processor.smt_active", CONDITION_COSTLY, NULL },
	{ "idle_driver", "processor.idle_driver", CONDITION_COSTLY, NULL },
	{ "idle_governor", "processor.idle_governor", CONDITION_OTHER, NULL },
	{ "frequency_boost", "processor.frequency_boost", CONDITION_OTHER, NULL },
	{ "online_cpus", "processor.online", CONDITION_OTHER, NULL },
	{ "rt_runtime_us", "scheduler.rt_runtime_us", CONDITION_COSTLY, NULL },
	{ "rt_period_us", "scheduler.rt_period_us", CONDITION_OTHER, NULL },
	{ "numa_balancing", "scheduler.numa_balancing", CONDITION_COSTLY, NULL },
	{ "numa_nodes", "scheduler.numa_nodes", CONDITION_OTHER, NULL },
	{ "timer_migration", "scheduler.timer_migration", CONDITION_OTHER, NULL },
	{ "autogroup", "scheduler.autogroup", CONDITION_OTHER, NULL },
	{ "compact_unevictable", "memory.compact_unevictable_allowed", CONDITION_COSTLY, NULL },
	{ "huge_pages", "memory.huge_pages", CONDITION_OTHER, NULL },
	{ "irqbalance", "irqbalance", CONDITION_COSTLY, NULL },
	{ "machine", "kernel.machine", CONDITION_OTHER, NULL },
	{ "vendor", "virtualisation.vendor", CONDITION_OTHER, NULL },
	{ "product", "virtualisation.product", CONDITION_OTHER, NULL },
	{ "tainted", "kernel.tainted", CONDITION_OTHER, NULL },
};

void conditionsdiff_free(struct conditionsdiff *d)
{
	if (!d)
		return;
	g_free(d->what);
	g_free(d->a);
	g_free(d->b);
	g_free(d);
}

static char *diff_text(const char *text)
{
	g_autofree char *whole = cell_text(text);
	glong length = g_utf8_strlen(whole, -1);

	if (length <= CONDITIONSDIFF_TEXT)
		return g_steal_pointer(&whole);
	*g_utf8_offset_to_pointer(whole, CONDITIONSDIFF_TEXT - 3) = '\0';
	return g_strconcat(whole, "...", NULL);
}

void diff_add(struct diff *diff, enum condition_weight weight, const char *what, const char *a,
	      const char *b)
{
	struct conditionsdiff *d = g_new0(struct conditionsdiff, 1);

	d->what = cell_text(what);
	d->a = diff_text(a ?: "");
	d->b = diff_text(b ?: "");
	d->costly = weight == CONDITION_COSTLY;
	g_ptr_array_add(diff->rows[weight], d);
}

/* NULL: not known, or nothing that is single. */
char *diff_scalar(const json_t *v)
{
	if (json_is_string(v))
		return g_strdup(json_string_value(v));
	if (json_is_integer(v))
		return g_strdup_printf("%" JSON_INTEGER_FORMAT, json_integer_value(v));
	if (json_is_boolean(v))
		return g_strdup(json_is_true(v) ? "yes" : "no");
	return NULL;
}

const json_t *diff_at_path(const json_t *o, const char *path)
{
	g_auto(GStrv) keys = g_strsplit(path, ".", -1);

	for (char **k = keys; *k; k++)
		o = json_object_get(o, *k);
	return o;
}

static void diff_condition(struct diff *diff, const struct condition *c, const json_t *a,
			   const json_t *b)
{
	const json_t *va = diff_at_path(a, c->path), *vb = diff_at_path(b, c->path);
	g_autofree char *ta = diff_scalar(va), *tb = diff_scalar(vb);

	if (c->none && json_is_null(va))
		ta = g_strdup(c->none);
	if (c->none && json_is_null(vb))
		tb = g_strdup(c->none);
	if (ta && tb && strcmp(ta, tb) != 0)
		diff_add(diff, c->weight, c->what, ta, tb);
}

static void diff_mitigations(struct diff *diff, const json_t *a, const json_t *b)
{
	const json_t *ma = diff_at_path(a, "processor.mitigations"),
		     *mb = diff_at_path(b, "processor.mitigations");
	const char *key;
	json_t *v;

	json_object_foreach ((json_t *)ma, key, v) {
		const char *va = json_string_value(v),
			   *vb = json_string_value(json_object_get(mb, key));
		g_autofree char *what = g_strconcat("mitigation_", key, NULL);

		if (va && vb && strcmp(va, vb) != 0)
			diff_add(diff, CONDITION_COSTLY, what, va, vb);
	}
}

GPtrArray *conditionsdiff_new(const json_t *a, const json_t *b)
{
	GPtrArray *all = g_ptr_array_new_with_free_func((GDestroyNotify)conditionsdiff_free);
	struct diff diff;

	for (size_t i = 0; i < G_N_ELEMENTS(diff.rows); i++)
		diff.rows[i] = g_ptr_array_new();
	for (size_t i = 0; i < G_N_ELEMENTS(conditions_compared); i++)
		diff_condition(&diff, &conditions_compared[i], a, b);
	diff_kernel(&diff, a, b);
	diff_mitigations(&diff, a, b);
	diff_cpus(&diff, a, b);
	diff_threads(&diff, a, b);
	for (size_t i = 0; i < G_N_ELEMENTS(diff.rows); i++)
		g_ptr_array_extend_and_steal(all, diff.rows[i]);
	return all;
}
