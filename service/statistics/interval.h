/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * How sure a figure is: 95 % intervals.
 *
 * Within one session: from batches. Samples that follow one another are alike, so that their number
 * says nothing of how sure their mean is; the means of long batches are nearly independent (batch
 * means: B. Schmeiser, 1982). Such an interval says where the figure of this run would be if it had
 * gone on, and nothing of another boot. Across sessions: from one figure per session.
 */
#include "result.h"
#include <stdbool.h>

#define INTERVAL_BATCHES_MIN  10
#define INTERVAL_BATCHES_MAX  20
#define INTERVAL_SESSIONS_MIN 3	 /* per side, before sessions may be compared */
#define INTERVAL_BEYOND_MIN   10 /* samples beyond a percentile, in each batch */

struct interval {
	bool known;
	double low, high;
};

/*
 * Means in ns of a stage's batches: its blocks summed over CPUs, blocks without a sample left out,
 * joined into as equal parts as can be. Into @ret (INTERVAL_BATCHES_MAX); returns how many, 0:
 * there are fewer than INTERVAL_BATCHES_MIN blocks.
 */
unsigned interval_mean_batches(const struct result_stage *s, double *ret);
/*
 * The percentile @ppm in ns of each batch between a stage's snapshots, joined so that each has
 * INTERVAL_BEYOND_MIN samples beyond it. 0: not to be had with INTERVAL_BATCHES_MIN of them.
 */
unsigned interval_percentile_batches(const struct result_stage *s, uint32_t ppm, double *ret);

/* Of the mean of @n values, Student's t. Not known for n < 2. */
struct interval interval_of_mean(const double *values, unsigned n);

/*
 * Percentile @ppm of the samples in @bucket (HISTOGRAM_BUCKETS counters), in ns: by its rank, and
 * within the bucket as if its samples were spread evenly. false: fewer than @beyond beyond it.
 */
bool interval_percentile(const uint64_t *bucket, uint32_t ppm, unsigned beyond, double *ret);

/*
 * @b over @a as a ratio: of the values' logarithms, with Welch's t and the degrees of freedom of
 * Welch and Satterthwaite. Values > 0; n >= 2 each, else not known. *ret_ratio: the ratio itself.
 */
struct interval interval_of_ratio(const double *a, unsigned n_a, const double *b, unsigned n_b,
				  double *ret_ratio);

/*
 * The same of two runs from their batches: the ratio of the batches' means. The errors are those of
 * the means, each as a share of its mean (delta method): one batch far above the others, whose
 * logarithm would hide it, widens the interval as it should.
 */
struct interval interval_of_runs(const double *a, unsigned n_a, const double *b, unsigned n_b,
				 double *ret_ratio);
