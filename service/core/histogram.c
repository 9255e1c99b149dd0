/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Why log-linear and not a fixed range: every tool with a range has a wrong answer for the sample
 * above it (dropped, clamped, or the statistics of the whole run lost), and the sample above it is
 * the one that matters. 59 octaves of 64 buckets hold any 64-bit value in 30 KiB.
 */
#include "histogram.h"

#include <stddef.h>

uint64_t histogram_low_ns(unsigned b)
{
	unsigned shift;

	if (b < 2 * HISTOGRAM_SUB)
		return b;
	shift = (b >> HISTOGRAM_SUB_BITS) - 1;
	return (uint64_t)(HISTOGRAM_SUB + (b & (HISTOGRAM_SUB - 1))) << shift;
}

uint64_t histogram_high_ns(unsigned b)
{
	return b + 1 < HISTOGRAM_BUCKETS ? histogram_low_ns(b + 1) : UINT64_MAX;
}

uint64_t histogram_mid_ns(unsigned b)
{
	uint64_t low = histogram_low_ns(b), high = histogram_high_ns(b);

	return low + (high - low) / 2;
}

uint64_t histogram_count(const uint64_t *bucket)
{
	uint64_t n = 0;

	for (unsigned b = 0; b < HISTOGRAM_BUCKETS; b++)
		n += bucket[b];
	return n;
}

/*
 * The progression's terms are walked bucket by bucket: how many of them are still at or above the
 * bucket's lower bound is one division, so that a stall of an hour at a microsecond costs as much
 * as the octaves it crosses.
 */
void histogram_add_progression(uint64_t *bucket, uint64_t first_ns, uint64_t step_ns, uint64_t n)
{
	while (n > 0) {
		unsigned b = histogram_bucket(first_ns);
		uint64_t in = (first_ns - histogram_low_ns(b)) / step_ns + 1;

		if (in > n)
			in = n;
		bucket[b] += in;
		n -= in;
		first_ns -= n > 0 ? in * step_ns : 0;
	}
}

int histogram_rank(const uint64_t *bucket, const uint64_t *bucket2, uint64_t rank)
{
	uint64_t seen = 0;

	if (rank == 0)
		return -1;
	for (unsigned b = 0; b < HISTOGRAM_BUCKETS; b++) {
		seen += bucket[b] + (bucket2 ? bucket2[b] : 0);
		if (seen >= rank)
			return (int)b;
	}
	return -1;
}
