/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * Scheduling policies by name, and the system calls that set and read them back for a thread.
 */
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#ifndef SCHED_DEADLINE
#define SCHED_DEADLINE 6
#endif

/* "other", "batch", "idle", "fifo", "rr", "deadline"; NULL / -EINVAL for anything else. */
const char *policy_to_string(int policy);
int policy_from_string(const char *name);
/* Takes a priority 1..99 (fifo, rr). */
bool policy_is_realtime(int policy);
/* Anybody may use it, and it waits for all others (other, batch, idle). */
bool policy_is_ordinary(int policy);

/* struct sched_attr of the kernel ABI (sched_setattr(2)), which libc 2.36 has not. */
struct policy_attr {
	uint32_t size, policy;
	uint64_t flags;
	int32_t nice;
	uint32_t priority;
	uint64_t runtime_ns, deadline_ns, period_ns;
};

/*
 * Set policy etc. of thread @tid (0: the caller) and read it back. -errno of sched_setattr(2);
 * -EBADE when the kernel says success but reads back something else.
 */
int policy_set(pid_t tid, const struct policy_attr *a);
int policy_get(pid_t tid, struct policy_attr *ret);

/* What chrt(1), renice(1) and ps(1) show and change of a thread, one thing at a time. */
struct policy_state {
	int policy;
	unsigned priority;  /* 1..99 with fifo and rr, else 0 */
	bool reset_on_fork; /* its children begin as other, nice 0 or above */
	int nice;	    /* fifo and rr threads have one too: it counts when they leave that */
};
int policy_read(pid_t tid, struct policy_state *ret);
/*
 * chrt [-R] -o|-b|-i|-f|-r -p PRIORITY TID: nice, slice and util clamps stay. Reads back.
 * -EINVAL: no such policy (deadline needs more than a priority), or a priority out of its range
 * (1..99 for fifo and rr, 0 for the others); -ESRCH; -EPERM; -EBADE: reads back as something else,
 * or not at all.
 */
int policy_change(pid_t tid, int policy, unsigned priority, bool reset_on_fork);
/*
 * renice -n NICE -p TID, of this one thread. Reads back. -EINVAL: not in -20..19, which renice
 * would cut; -ESRCH; -EPERM, -EACCES (a lower one without the right); -EBADE.
 */
int policy_renice(pid_t tid, int nice);
