/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * Figures of which the truth is known: how often does an interval hold it? A few in the unit tests,
 * more on demand (tests/bench/interval.c).
 */
#include "interval.h"

struct interval_count {
	unsigned runs, held;
	unsigned single; /* held when each block counts as a batch: what must not be done */
};

/* The average of blocks that depend on their neighbours: autoregressive with @rho. */
struct interval_count interval_trial_mean(unsigned runs, unsigned blocks, double rho, GRand *rand);
/* A percentile of exponential samples, @samples between two of 20 snapshots. */
struct interval_count interval_trial_percentile(unsigned runs, unsigned samples, uint32_t ppm,
						GRand *rand);
/* The ratio of two sides with @sessions each, the second with thrice the first one's spread. */
struct interval_count interval_trial_ratio(unsigned runs, unsigned sessions, GRand *rand);
