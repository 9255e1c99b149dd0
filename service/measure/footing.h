/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * What a measurement stands on: memory that does not fault, a CPU that does not sleep deeply, and
 * which CPUs there are for it.
 */
#include <sched.h>
#include <stdbool.h>

/* Lock all memory, now and later. -errno of mlockall(2). */
int footing_lock_memory(void);

/*
 * Hold /dev/cpu_dma_latency at @latency_us until @ret_fd is closed (kernel:
 * Documentation/power/pm_qos_interface.rst).
 */
int footing_hold_dma_latency(int latency_us, int *ret_fd);

/*
 * The CPUs that this process could be given: online and in its cpuset, whatever mask it inherited.
 * The calling thread may run on all of them afterwards.
 */
int footing_reachable(cpu_set_t *ret);

/*
 * Others can do without the CPUs of @measured: there is one besides them on which ordinary
 * processes run (not isolated) and, on a PREEMPT_RT kernel, none ever runs on @measured (isolated).
 */
bool footing_spare(const cpu_set_t *reachable, const cpu_set_t *measured);

/* The same of a machine that has these CPUs @isolated and such a kernel. Pure. */
bool footing_is_spare(const cpu_set_t *reachable, const cpu_set_t *measured,
		      const cpu_set_t *isolated, bool preempt_rt);

/*
 * What the kernel holds real-time threads off with that never sleep: ids of findings, separated by
 * blanks, "" for nothing.
 */
const char *footing_limits_spinning(void);
