/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * What could change the number: the machine's conditions, as JSON for the report, and what of them
 * weakens results, as findings.
 *
 * conditions_collect() reads files only, no process is started; some milliseconds.
 */
#include "result.h"
#include <sched.h>

/*
 * An object. @root: "/" or a captured tree. Never NULL; what cannot be read is null in it.
 *
 *	kernel		release, version, machine, realtime, preemption ("none", "voluntary",
 *"lazy", "full", "rt"), preemption_dynamic, command_line, tainted, config_hash (SHA-256 of the
 *whole configuration), config (the options that matter for latency, and "debug": those set that
 *cost time) clock		source, available, highres processor	model, vendor, microcode,
 *lists of CPUs (online, possible, isolated, nohz_full), smt, idle_driver, idle_governor,
 *frequency_boost, mitigations {name: text}
 *	cpus		[] of cpu, governor, frequency_driver, min_khz, max_khz, current_khz,
 *siblings, core, package, smi_count, idle [] of name, latency_us, disabled, usage, time_us
 *	scheduler	rt_runtime_us, rt_period_us, rt_group_runtime_us, fair_server [] of cpu,
 *runtime_ns, period_ns, numa_balancing, numa_nodes, timer_migration, autogroup memory
 *total_kib, available_kib, swap_kib, compact_unevictable_allowed, huge_pages virtualisation
 *machine ("kvm", ...; null: bare metal), container, vendor, product
 *	threads		[] of tid, name, policy, priority, kernel: those with a real-time policy
 *	tracing		tracer, on, events
 *	irqbalance	whether it runs
 */
json_t *conditions_collect(const char *root);
struct irq_listing;
/*
 * The member "interrupts", added when a session begins:
 *	threaded (whether the kernel threads interrupts), lines [] of irq, actions, chip, trigger,
 *	affinity, effective, threaded, rule, threads [] of tid, name, policy, priority, nice, rule;
 *and threads [] of the other kernel threads that rules may name
 */
json_t *conditions_irqs(const struct irq_listing *l);
/*
 * What changed since then, into @c: idle states get usage_delta and time_us_delta, CPUs smi_delta,
 * and "meanwhile" duration_ns.
 */
void conditions_finish(json_t *c, const char *root);

/* Findings from what was collected. @cpus: those measured; NULL: all. @policy SCHED_*. */
void conditions_judge(const json_t *c, const cpu_set_t *cpus, int policy, GPtrArray *findings);
/*
 * Threads at @priority (1..99) and above, other than the kernel's stoppers, the instrument's own,
 * and the interrupt thread of @port ("parport0"; NULL: none), which is measured.
 */
void conditions_judge_priority(const json_t *c, int priority, const char *port,
			       GPtrArray *findings);
/* After conditions_finish(): @dma_latency_us as the plan has it, -1 when it asks for none. */
void conditions_judge_meanwhile(const json_t *c, const cpu_set_t *cpus, int dma_latency_us,
				GPtrArray *findings);
