/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * What happened to the machine while a stage was measured: suspended, a CPU taken offline, the
 * kernel's clock source given up. Owned by measuring.c.
 */
#include "finding.h"

#include <sched.h>
#include <stdint.h>

struct watch {
	const char *root;      /* borrowed */
	cpu_set_t cpus;	       /* measured ones */
	cpu_set_t gone;	       /* of them: seen offline */
	uint64_t suspended_ns; /* at the beginning */
	char *clocksource;     /* at the beginning; NULL: unknown */
};

void watch_begin(struct watch *w, const char *root, const cpu_set_t *cpus);
void watch_look(struct watch *w);		      /* once a second: one small file */
void watch_end(struct watch *w, GPtrArray *findings); /* and free what it holds */
