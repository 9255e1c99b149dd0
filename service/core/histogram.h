/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * The distribution's buckets: log-linear, after HdrHistogram (G. Tene, 2012), without a range.
 *
 * 0..127 ns have a bucket each; above that every power of two is cut into 64 equal buckets, up to
 * the whole of 64 bits. A bucket is at most 1/64 of its lower bound wide, so its midpoint is within
 * 0.79 % of every sample in it. There is no overflow bucket: nothing can fall outside.
 *
 * Pure functions on an array of HISTOGRAM_BUCKETS counters; the caller owns the array.
 */
#include <stdint.h>

#define HISTOGRAM_SUB_BITS 6
#define HISTOGRAM_SUB	   (1u << HISTOGRAM_SUB_BITS)
#define HISTOGRAM_BUCKETS  ((64 - HISTOGRAM_SUB_BITS + 1) * HISTOGRAM_SUB) /* 3776: 29.5 KiB */

/* The bucket that holds @ns. Always below HISTOGRAM_BUCKETS. */
static inline unsigned histogram_bucket(uint64_t ns)
{
	unsigned shift;

	if (ns < HISTOGRAM_SUB)
		return ns;
	shift = 63 - __builtin_clzll(ns) - HISTOGRAM_SUB_BITS;
	return (shift << HISTOGRAM_SUB_BITS) + (unsigned)(ns >> shift);
}

/* Lowest value of bucket @b, in ns. @b below HISTOGRAM_BUCKETS. */
uint64_t histogram_low_ns(unsigned b);

/* First value above bucket @b, in ns; UINT64_MAX for the last one (whose values end there). */
uint64_t histogram_high_ns(unsigned b);

/* What a sample of bucket @b is taken to be: the middle of its lowest and highest value. */
uint64_t histogram_mid_ns(unsigned b);

/* Sum of all buckets. */
uint64_t histogram_count(const uint64_t *bucket);

/*
 * Add the arithmetic progression first, first - step, ... (n terms, all >= 0) to @bucket in
 * O(buckets crossed), never O(n). @step > 0.
 */
void histogram_add_progression(uint64_t *bucket, uint64_t first_ns, uint64_t step_ns, uint64_t n);

/*
 * The @rank-th smallest sample (1-based) as a bucket number; -1 when rank is 0 or above the count.
 * @bucket2 (may be NULL) is added bucket by bucket: the corrected view without a third array.
 */
int histogram_rank(const uint64_t *bucket, const uint64_t *bucket2, uint64_t rank);
