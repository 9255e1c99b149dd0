/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One object with a member per subject, each made by one function from a few small files. It is
 * kept with the session as it is: what a reader may want to know in ten years is not known today,
 * so what is cheap to read is in, and judging it is done elsewhere (conditions-judge.c), from the
 * object alone.
 */
#include "conditions.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cleanup.h"
#include "conditions-parts.h"
#include "duration.h"
#include "sysfile.h"

#define TIMER_LIST_MAX (4 * 1024 * 1024)

static int64_t boot_now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_BOOTTIME, &ts);
	return ts.tv_sec * 1000000000LL + ts.tv_nsec;
}

/* High-resolution timers make the resolution 1 ns; without them it is a tick. */
static json_t *clock_highres(const char *root)
{
	g_autofree char *list = NULL;
	struct timespec resolution;
	const char *at;
	size_t size;

	if (strcmp(root, "/") == 0 && clock_getres(CLOCK_MONOTONIC, &resolution) == 0)
		return json_boolean(resolution.tv_sec == 0 && resolution.tv_nsec == 1);
	list = sysfile_bytes(root, "proc/timer_list", TIMER_LIST_MAX, &size);
	at = list ? strstr(list, ".hres_active") : NULL;
	at = at ? strchr(at, ':') : NULL;
	return at ? json_boolean(strtol(at + 1, NULL, 10) == 1) : json_null();
}

json_t *conditions_clock(const char *root)
{
	json_t *o = json_object();

	json_object_set_new(
		o, "source",
		sysfile_string(root,
			       "sys/devices/system/clocksource/clocksource0/current_clocksource"));
	json_object_set_new(
		o, "available",
		sysfile_string(
			root, "sys/devices/system/clocksource/clocksource0/available_clocksource"));
	json_object_set_new(o, "highres", clock_highres(root));
	return o;
}

static json_t *fair_servers(const char *root)
{
	g_autoptr(GPtrArray) names = sysfile_list(root, "sys/kernel/debug/sched/fair_server");
	json_t *list;

	if (names->len == 0)
		return json_null();
	list = json_array();
	for (guint i = 0; i < names->len; i++) {
		const char *name = names->pdata[i];
		int64_t cpu;
		json_t *o;

		if (!g_str_has_prefix(name, "cpu") ||
		    integer_parse(name + 3, 0, CPU_SETSIZE - 1, &cpu, NULL) < 0)
			continue;
		o = json_object();
		json_object_set_new(o, "cpu", json_integer(cpu));
		json_object_set_new(o, "runtime_ns",
				    sysfile_integer(root,
						    "sys/kernel/debug/sched/fair_server/%s/runtime",
						    name));
		json_object_set_new(o, "period_ns",
				    sysfile_integer(root,
						    "sys/kernel/debug/sched/fair_server/%s/period",
						    name));
		json_array_append_new(list, o);
	}
	return list;
}

/* The budget of the group that this process is in: "4:cpu,cpuacct:/system.slice". */
static json_t *rt_group_runtime(const char *root)
{
	g_autofree char *text = sysfile_text(root, "proc/self/cgroup");
	g_auto(GStrv) lines = g_strsplit(text ?: "", "\n", -1);

	for (char **line = lines; *line; line++) {
		g_auto(GStrv) parts = g_strsplit(*line, ":", 3);
		g_auto(GStrv) controllers = NULL;
		json_t *value;

		if (g_strv_length(parts) < 3)
			continue;
		controllers = g_strsplit(parts[1], ",", -1);
		if (!g_strv_contains((const char *const *)controllers, "cpu"))
			continue;
		value = sysfile_integer(root, "sys/fs/cgroup/%s%s/cpu.rt_runtime_us", parts[1],
					parts[2]);
		if (!json_is_null(value))
			return value;
		json_decref(value);
		return sysfile_integer(root, "sys/fs/cgroup/cpu%s/cpu.rt_runtime_us", parts[2]);
	}
	return json_null();
}

static json_t *conditions_scheduler(const char *root)
{
	json_t *o = json_object();

	json_object_set_new(o, "rt_runtime_us",
			    sysfile_integer(root, "proc/sys/kernel/sched_rt_runtime_us"));
	json_object_set_new(o, "rt_period_us",
			    sysfile_integer(root, "proc/sys/kernel/sched_rt_period_us"));
	json_object_set_new(o, "rt_group_runtime_us", rt_group_runtime(root));
	json_object_set_new(o, "fair_server", fair_servers(root));
	json_object_set_new(o, "numa_balancing",
			    sysfile_integer(root, "proc/sys/kernel/numa_balancing"));
	json_object_set_new(o, "numa_nodes",
			    sysfile_string(root, "sys/devices/system/node/online"));
	json_object_set_new(o, "timer_migration",
			    sysfile_integer(root, "proc/sys/kernel/timer_migration"));
	json_object_set_new(o, "autogroup",
			    sysfile_integer(root, "proc/sys/kernel/sched_autogroup_enabled"));
	return o;
}

/* "MemTotal:       24684092 kB" */
static json_t *meminfo_kib(const char *text, const char *key)
{
	g_auto(GStrv) lines = g_strsplit(text ?: "", "\n", -1);

	for (char **line = lines; *line; line++)
		if (g_str_has_prefix(*line, key) && (*line)[strlen(key)] == ':')
			return json_integer(g_ascii_strtoll(*line + strlen(key) + 1, NULL, 10));
	return json_null();
}

static json_t *conditions_memory(const char *root)
{
	g_autofree char *text = sysfile_text(root, "proc/meminfo");
	json_t *o = json_object();

	json_object_set_new(o, "total_kib", meminfo_kib(text, "MemTotal"));
	json_object_set_new(o, "available_kib", meminfo_kib(text, "MemAvailable"));
	json_object_set_new(o, "swap_kib", meminfo_kib(text, "SwapTotal"));
	json_object_set_new(o, "compact_unevictable_allowed",
			    sysfile_integer(root, "proc/sys/vm/compact_unevictable_allowed"));
	json_object_set_new(o, "huge_pages",
			    sysfile_string(root, "sys/kernel/mm/transparent_hugepage/enabled"));
	return o;
}

static json_t *conditions_tracing(const char *root)
{
	static const char *const places[] = { "sys/kernel/tracing", "sys/kernel/debug/tracing" };
	json_t *o = json_object();
	const char *at = places[0];

	for (guint i = 0; i < G_N_ELEMENTS(places); i++) {
		g_autofree char *tracer = sysfile_text(root, "%s/current_tracer", places[i]);

		if (tracer)
			at = places[i];
	}
	json_object_set_new(o, "tracer", sysfile_string(root, "%s/current_tracer", at));
	json_object_set_new(o, "on", sysfile_integer(root, "%s/tracing_on", at));
	json_object_set_new(o, "events", sysfile_string(root, "%s/events/enable", at));
	return o;
}

json_t *conditions_collect(const char *root)
{
	json_t *c = json_object();

	json_object_set_new(c, "kernel", conditions_kernel(root));
	json_object_set_new(c, "clock", conditions_clock(root));
	json_object_set_new(c, "processor", conditions_processor(root));
	json_object_set_new(c, "cpus", conditions_cpus(root));
	json_object_set_new(c, "scheduler", conditions_scheduler(root));
	json_object_set_new(c, "memory", conditions_memory(root));
	json_object_set_new(c, "virtualisation", conditions_virtualisation(root));
	json_object_set_new(c, "threads", conditions_threads(root));
	json_object_set_new(c, "tracing", conditions_tracing(root));
	json_object_set_new(c, "irqbalance", conditions_process_runs(root, "irqbalance"));
	json_object_set_new(c, "taken_ns", json_integer(boot_now_ns()));
	return c;
}

/* @key of @before and @after into @before's @delta_key; null when one is not known or it went back.
 */
static void set_delta(json_t *before, const json_t *after, const char *key, const char *delta_key)
{
	const json_t *a = json_object_get(before, key), *b = json_object_get(after, key);
	json_int_t delta = json_integer_value(b) - json_integer_value(a);

	json_object_set_new(before, delta_key,
			    json_is_integer(a) && json_is_integer(b) && delta >= 0
				    ? json_integer(delta)
				    : json_null());
}

static const json_t *cpu_find(const json_t *cpus, json_int_t number)
{
	const json_t *cpu;
	size_t i;

	json_array_foreach ((json_t *)cpus, i, cpu)
		if (json_integer_value(json_object_get(cpu, "cpu")) == number)
			return cpu;
	return NULL;
}

static void finish_cpu(json_t *before, const json_t *after)
{
	json_t *state, *idle = json_object_get(before, "idle");
	size_t i;

	set_delta(before, after, "smi_count", "smi_delta");
	json_array_foreach (idle, i, state) {
		const json_t *end = json_array_get(json_object_get(after, "idle"), i);

		set_delta(state, end, "usage", "usage_delta");
		set_delta(state, end, "time_us", "time_us_delta");
	}
}

void conditions_finish(json_t *c, const char *root)
{
	g_autoptr(json_t) end = conditions_cpus(root);
	json_int_t taken_ns = json_integer_value(json_object_get(c, "taken_ns"));
	json_t *cpu;
	size_t i;

	json_array_foreach (json_object_get(c, "cpus"), i, cpu) {
		json_int_t number = json_integer_value(json_object_get(cpu, "cpu"));

		finish_cpu(cpu, cpu_find(end, number));
	}
	json_object_set_new(
		c, "meanwhile",
		json_pack("{s:I}", "duration_ns", (json_int_t)(boot_now_ns() - taken_ns)));
}
