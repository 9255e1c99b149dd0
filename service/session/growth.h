/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * A stage's snapshots, taken while it measures: how its distribution grows. Embedded in who
 * measures, event loop's thread. Times are those of measuring: the warm-up is not in them.
 */
#include "result.h"

struct growth {
	uint64_t spacing_ns; /* between two offers; 0: none are made */
	uint64_t last_ns;    /* time of the last offer */
};

/* A checkpoint: the figures of all CPUs as they were drained now. */
void growth_take(struct growth *g, struct result_stage *s);
/* The stage has ended: a last one, when it is about as far from the one before as the others are.
 */
void growth_end(struct growth *g, struct result_stage *s);
