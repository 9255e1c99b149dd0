/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * A distribution in few rows: bins between preferred numbers (10, 11, 12, 13, 15 ... or coarser),
 * evenly spaced on a logarithmic scale, each about as wide as its latency's share.
 */
#include "figures.h"

struct bin {
	uint64_t low_ns,
		high_ns; /* [low, high); the first one of a distribution with zeros is [0, 1) */
	uint64_t count;
};

/*
 * The bins from the smallest to the largest sample of @f, empty ones between them included, as fine
 * as @rows lines allow when a run of bins_gap() empty ones takes one line. GArray of struct bin,
 * g_array_unref(); empty without samples. The counts' sum is the number of samples.
 */
GArray *bins_new(const struct figures *f, unsigned rows);

/* Length of the run of empty bins at @i that is shown as one line: 0 when it is shorter than 3. */
unsigned bins_gap(const GArray *bins, unsigned i);
