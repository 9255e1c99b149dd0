/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Judges the object and nothing else: the same conditions give the same findings on any machine, in
 * a test, or ten years later. What is not known (null) is no finding: a warning that may be wrong
 * teaches readers to skip warnings. The sentences name the values, so that a reader can check them.
 */
#include <stdio.h>
#include <string.h>

#include "conditions.h"
#include "cpulist.h"
#include "duration.h"
#include "policy.h"

/* A measured CPU that should never sleep deeply but slept this share of the session. */
#define IDLE_SHARE_MAX	    0.5
#define FAIR_SERVER_RELEASE 6012 /* 6.12: the fair server took the place of throttling */

static const json_t *get(const json_t *c, const char *group, const char *key)
{
	return json_object_get(json_object_get(c, group), key);
}

static const char *get_text(const json_t *c, const char *group, const char *key)
{
	return json_string_value(get(c, group, key));
}

/* "6.12.3-rt" -> 6012; 0: unknown. */
static int kernel_release(const json_t *c)
{
	const char *text = get_text(c, "kernel", "release");
	unsigned major, minor;

	return text && sscanf(text, "%4u.%3u", &major, &minor) == 2 ? (int)(major * 1000 + minor)
								    : 0;
}

static bool measured(const cpu_set_t *cpus, const json_t *cpu)
{
	json_int_t number = json_integer_value(json_object_get(cpu, "cpu"));

	return !cpus || (number >= 0 && number < CPU_SETSIZE && CPU_ISSET(number, cpus));
}

static void judge_kernel(const json_t *c, GPtrArray *findings)
{
	const char *preemption = get_text(c, "kernel", "preemption");
	const json_t *debug = json_object_get(get(c, "kernel", "config"), "debug"), *option;
	g_autoptr(GString) names = g_string_new(NULL);
	size_t i;

	if (json_is_false(get(c, "kernel", "realtime")))
		finding_add(findings, "not-preempt-rt", "The kernel is not PREEMPT_RT%s%s%s.",
			    preemption ? " (preemption " : "", preemption ?: "",
			    preemption ? ")" : "");
	json_array_foreach ((json_t *)debug, i, option)
		g_string_append_printf(names, "%s%s", names->len ? ", " : "",
				       json_string_value(option));
	if (names->len)
		finding_add(findings, "debug-kernel",
			    "The kernel has debugging options that cost time: %s.", names->str);
}

static void judge_clock(const json_t *c, GPtrArray *findings)
{
	static const char *const slow[] = { "acpi_pm",	       "hpet", "jiffies", "pit",
					    "refined-jiffies", NULL };
	const char *source = get_text(c, "clock", "source");

	if (source && g_strv_contains(slow, source))
		finding_add(findings, "clock-source",
			    "The clock source is %s, which is slow or coarse.", source);
	if (json_is_false(get(c, "clock", "highres")))
		finding_add(findings, "no-highres", NULL);
}

static void judge_virtual(const json_t *c, GPtrArray *findings)
{
	const char *machine = get_text(c, "virtualisation", "machine");

	if (machine)
		finding_add(findings, "virtual",
			    "A virtual machine (%s): the hypervisor's latency is in every figure.",
			    machine);
}

/* Before the fair server, or for groups, the share is of all real-time threads of a CPU together.
 */
static void judge_throttling(const json_t *c, int policy, GPtrArray *findings)
{
	const json_t *runtime = get(c, "scheduler", "rt_runtime_us");
	const json_t *period = get(c, "scheduler", "rt_period_us");
	const char *groups =
		json_string_value(json_object_get(get(c, "kernel", "config"), "RT_GROUP_SCHED"));
	json_int_t runtime_us = json_integer_value(runtime), period_us = json_integer_value(period);

	if (!json_is_integer(runtime) || !json_is_integer(period) || runtime_us < 0 ||
	    runtime_us >= period_us || !policy_is_realtime(policy))
		return;
	if (kernel_release(c) >= FAIR_SERVER_RELEASE && g_strcmp0(groups, "y") != 0)
		return;
	finding_add(findings, "throttling",
		    "Real-time throttling is on: real-time threads may use %" JSON_INTEGER_FORMAT
		    " us of each %" JSON_INTEGER_FORMAT " us and are then held off.",
		    runtime_us, period_us);
}

static void judge_fair_server(const json_t *c, const cpu_set_t *cpus, int policy,
			      GPtrArray *findings)
{
	const json_t *list = get(c, "scheduler", "fair_server"), *server;
	json_int_t runtime_ns, period_ns;
	size_t i;

	if (!policy_is_realtime(policy))
		return;
	json_array_foreach ((json_t *)list, i, server) {
		runtime_ns = json_integer_value(json_object_get(server, "runtime_ns"));
		period_ns = json_integer_value(json_object_get(server, "period_ns"));
		if (!measured(cpus, server) || runtime_ns <= 0 || period_ns <= 0)
			continue;
		finding_add(findings, "fair-server",
			    "The fair server may take %" JSON_INTEGER_FORMAT
			    " ms of each %" JSON_INTEGER_FORMAT " ms from real-time threads.",
			    runtime_ns / 1000000, period_ns / 1000000);
		return;
	}
	/* not readable without debugfs: the kernel's default is on */
	if (json_is_null(list) && kernel_release(c) >= FAIR_SERVER_RELEASE)
		finding_add(findings, "fair-server", NULL);
}

static void judge_governor(const json_t *c, const cpu_set_t *cpus, GPtrArray *findings)
{
	const json_t *list = json_object_get(c, "cpus"), *cpu;
	g_autofree char *where = NULL;
	const char *name = NULL;
	cpu_set_t changing;
	size_t i;

	CPU_ZERO(&changing);
	json_array_foreach ((json_t *)list, i, cpu) {
		const char *governor = json_string_value(json_object_get(cpu, "governor"));

		if (!measured(cpus, cpu) || !governor || strcmp(governor, "performance") == 0)
			continue;
		name = name ?: governor;
		CPU_SET(json_integer_value(json_object_get(cpu, "cpu")), &changing);
	}
	if (!name)
		return;
	where = cpulist_format(&changing);
	finding_add(findings, "governor", "The frequency of CPU %s may change: the governor is %s.",
		    where, name);
}

static void judge_smt(const json_t *c, const cpu_set_t *cpus, GPtrArray *findings)
{
	const json_t *list = json_object_get(c, "cpus"), *cpu;
	g_autofree char *where = NULL;
	cpu_set_t sharing;
	size_t i;

	CPU_ZERO(&sharing);
	json_array_foreach ((json_t *)list, i, cpu) {
		const char *text = json_string_value(json_object_get(cpu, "siblings"));
		cpu_set_t siblings;

		if (measured(cpus, cpu) && text &&
		    cpulist_parse(text, NULL, &siblings, NULL) == 0 && CPU_COUNT(&siblings) > 1)
			CPU_SET(json_integer_value(json_object_get(cpu, "cpu")), &sharing);
	}
	if (CPU_COUNT(&sharing) == 0)
		return;
	where = cpulist_format(&sharing);
	finding_add(findings, "smt", "Hardware threads share a core with measured CPU %s.", where);
}

static bool any_isolated(const json_t *c)
{
	const char *isolated = get_text(c, "processor", "isolated");
	const char *nohz_full = get_text(c, "processor", "nohz_full");

	return (isolated && *isolated) ||
	       (nohz_full && *nohz_full && strcmp(nohz_full, "(null)") != 0);
}

static void judge_memory(const json_t *c, GPtrArray *findings)
{
	const char *nodes = get_text(c, "scheduler", "numa_nodes");

	/* with a single node there is nowhere to move pages to */
	if (json_integer_value(get(c, "scheduler", "numa_balancing")) > 0 && nodes &&
	    strpbrk(nodes, ",-"))
		finding_add(findings, "numa-balancing", NULL);
	if (json_integer_value(get(c, "memory", "compact_unevictable_allowed")) > 0)
		finding_add(findings, "compaction", NULL);
}

static void judge_neighbours(const json_t *c, GPtrArray *findings)
{
	const char *tracer = get_text(c, "tracing", "tracer"),
		   *events = get_text(c, "tracing", "events");
	bool on = json_integer_value(get(c, "tracing", "on")) == 1;

	/* matters where CPUs are kept free for the measuring: elsewhere everything may come there
	 */
	if (json_integer_value(get(c, "scheduler", "timer_migration")) == 1 && any_isolated(c))
		finding_add(findings, "timer-migration", NULL);
	if (json_is_true(json_object_get(c, "irqbalance")))
		finding_add(findings, "irqbalance", NULL);
	if (tracer && strcmp(tracer, "nop") != 0)
		finding_add(findings, "tracing", "Tracing is on: tracer %s.", tracer);
	else if (on && events && (strcmp(events, "1") == 0 || strcmp(events, "X") == 0))
		finding_add(findings, "tracing", "Tracing is on: events are recorded.");
}

void conditions_judge(const json_t *c, const cpu_set_t *cpus, int policy, GPtrArray *findings)
{
	judge_virtual(c, findings);
	judge_kernel(c, findings);
	judge_clock(c, findings);
	judge_throttling(c, policy, findings);
	judge_fair_server(c, cpus, policy, findings);
	judge_governor(c, cpus, findings);
	judge_smt(c, cpus, findings);
	judge_memory(c, findings);
	judge_neighbours(c, findings);
}

/* Stoppers run at the top by design and only when something is moved or stopped. */
static bool thread_ignored(const char *name)
{
	return g_str_has_prefix(name, "migration/") || g_str_has_prefix(name, "idle_inject/") ||
	       g_str_has_prefix(name, "lrtbf-measure");
}

/* "irq/7-parport0"; names are cut at 15 characters. */
static bool thread_of_port(const char *name, const char *port)
{
	const char *action = g_str_has_prefix(name, "irq/") ? strchr(name, '-') : NULL;

	return port && action &&
	       (strcmp(action + 1, port) == 0 ||
		(strlen(name) == 15 && g_str_has_prefix(port, action + 1)));
}

void conditions_judge_priority(const json_t *c, int priority, const char *port, GPtrArray *findings)
{
	const json_t *list = json_object_get(c, "threads"), *thread;
	g_autoptr(GString) names = g_string_new(NULL);
	size_t i;

	json_array_foreach ((json_t *)list, i, thread) {
		const char *name = json_string_value(json_object_get(thread, "name"));
		const char *policy = json_string_value(json_object_get(thread, "policy"));
		json_int_t level = json_integer_value(json_object_get(thread, "priority"));

		if (!name || thread_ignored(name) || thread_of_port(name, port) ||
		    (level < priority && g_strcmp0(policy, "deadline") != 0))
			continue;
		g_string_append_printf(names, "%s%s (%s %" JSON_INTEGER_FORMAT ")",
				       names->len ? ", " : "", name, policy, level);
	}
	if (names->len > 0)
		finding_add(
			findings, "rt-neighbours",
			"Other threads have the measuring threads' priority or a higher one: %s.",
			names->str);
}

/* Time in states that take time to leave, as a share of the session; CPU with the largest. */
static double deep_idle_share(const json_t *cpu, double duration_us)
{
	const json_t *state;
	double time_us = 0;
	size_t i;

	json_array_foreach (json_object_get(cpu, "idle"), i, state)
		if (json_integer_value(json_object_get(state, "latency_us")) > 0)
			time_us += json_integer_value(json_object_get(state, "time_us_delta"));
	return duration_us > 0 ? time_us / duration_us : 0;
}

void conditions_judge_meanwhile(const json_t *c, const cpu_set_t *cpus, int dma_latency_us,
				GPtrArray *findings)
{
	double duration_us = json_integer_value(get(c, "meanwhile", "duration_ns")) / 1e3,
	       worst = 0;
	const json_t *list = json_object_get(c, "cpus"), *cpu;
	json_int_t smi = 0, worst_cpu = -1;
	size_t i;

	json_array_foreach ((json_t *)list, i, cpu) {
		double share;

		if (!measured(cpus, cpu))
			continue;
		smi += json_integer_value(json_object_get(cpu, "smi_delta"));
		share = deep_idle_share(cpu, duration_us);
		if (share <= worst)
			continue;
		worst = share;
		worst_cpu = json_integer_value(json_object_get(cpu, "cpu"));
	}
	if (smi > 0)
		finding_add(findings, "smi",
			    "%" JSON_INTEGER_FORMAT " system management interrupts came meanwhile.",
			    smi);
	if (dma_latency_us == 0 && worst > IDLE_SHARE_MAX)
		finding_add(findings, "idle-states",
			    "CPU %" JSON_INTEGER_FORMAT
			    " spent %d %% of the session in idle states that take "
			    "time to leave although latency 0 was asked for.",
			    worst_cpu, (int)(worst * 100));
}
