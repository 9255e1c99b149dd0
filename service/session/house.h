/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * Where the daemon itself runs: off the measured CPUs while a stage measures, when the plan leaves
 * any other; everywhere else before and after. Owned by sessions.c, event loop's thread.
 */
#include "store.h"

#include <sched.h>
#include <stdbool.h>

struct house {
	const char *root;    /* "/" or a captured tree: nothing is moved then */
	struct store *store; /* whose writing thread moves along */
	cpu_set_t wanted;    /* settings: where to sit; empty: anywhere not measured */
	bool away;	     /* house_leave_cpus() moved us */
	cpu_set_t own;	     /* CPUs we had before */
};

/* CPUs that this daemon may use, and with it what it starts: not narrowed by house_leave_cpus(). */
int house_allowed(const struct house *h, cpu_set_t *ret);
/*
 * Leave @measured to the measurement; nothing when that leaves none. What is started afterwards
 * inherits the narrow mask: start it before.
 */
void house_leave_cpus(struct house *h, const cpu_set_t *measured);
void house_return(struct house *h);
/* The CPU of the control thread; -1: anywhere. */
int house_control_cpu(const struct house *h, const cpu_set_t *measured);
