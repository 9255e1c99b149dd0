/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* How preemptible a kernel is, in the words of its own outputs. Pure. Fuzzed. */
#include <stdbool.h>

enum preemption {
	PREEMPTION_UNKNOWN, /* not said there */
	PREEMPTION_NONE,
	PREEMPTION_VOLUNTARY,
	PREEMPTION_LAZY,
	PREEMPTION_FULL,
	PREEMPTION_RT,
};

/* "none", "voluntary", "lazy", "full", "rt"; NULL: unknown. */
const char *preemption_to_string(enum preemption p);

/*
 * From the version text of uname(2): "#1 SMP PREEMPT RT ...", "PREEMPT_RT", "PREEMPT_DYNAMIC",
 * "PREEMPT". @ret_dynamic: chosen at boot or run time, and so not said there.
 */
enum preemption preemption_from_version(const char *version, bool *ret_dynamic);
/* From /sys/kernel/debug/sched/preempt: "none voluntary (full)". */
enum preemption preemption_from_debugfs(const char *text);
/* From the kernel's command line: "preempt=full". */
enum preemption preemption_from_command_line(const char *text);
