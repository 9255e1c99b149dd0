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
 * An object: kernel {release, version, machine, realtime, preemption, config_hash, command_line, ...},
 * clock, cpus[], idle states, governors, throttling, ... @root: "/" or a captured tree.
 * Never NULL; what cannot be read is null in it. The kernel configuration's text is under
 * "kernel"."config" (only options that matter for latency) with the hash of the whole.
 */
json_t *conditions_collect(const char *root);
/* What changed during a session: idle state usage, SMI count, suspends, throttling: into @c. */
void conditions_finish(json_t *c, const char *root);

/* Findings from them. @cpus: those measured; NULL: all. @policy SCHED_*. */
void conditions_judge(const json_t *c, const cpu_set_t *cpus, int policy, GPtrArray *findings);
