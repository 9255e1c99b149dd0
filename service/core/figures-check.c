/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Figures that come from outside: can they have been recorded (figures_check()), and what can be
 * saved of those whose writer was killed in mid-write (figures_rebuild()).
 *
 * Why the buckets are what stands: each is one word, written in one store. Everything else is
 * derived from the samples and may lag one sample behind or run one ahead; what of it contradicts
 * the buckets is taken from them anew.
 */
#include "figures.h"

#include <errno.h>
#include <math.h>
#include <string.h>

/* Sum and count of a progression's terms are lost with a torn block: midpoints stand for them. */
static u128 bucket_sum(const uint64_t *bucket)
{
	u128 sum = 0;

	for (unsigned b = 0; b < HISTOGRAM_BUCKETS; b++)
		sum += (u128)bucket[b] * histogram_mid_ns(b);
	return sum;
}

static void figures_rebuild_bounds(struct figures *f)
{
	int low = histogram_rank(f->bucket, NULL, 1);
	int high = histogram_rank(f->bucket, NULL, figures_placed(f));

	if (low < 0 || high < 0) {
		f->min_ns = UINT64_MAX;
		f->max_ns = 0;
		return;
	}
	if (histogram_bucket(f->min_ns) != (unsigned)low)
		f->min_ns = histogram_mid_ns(low);
	if (histogram_bucket(f->max_ns) != (unsigned)high)
		f->max_ns = histogram_mid_ns(high);
	f->min_ns = MIN(f->min_ns, f->max_ns);
}

/* In doubt none: a table in the middle of being halved cannot be told from a whole one. */
static void figures_rebuild_lists(struct figures *f, uint64_t n)
{
	uint64_t in_blocks = 0;
	uint32_t kept = 0;

	f->n_blocks = MIN(f->n_blocks, FIGURES_BLOCKS);
	f->n_worst = MIN(f->n_worst, FIGURES_WORST);
	for (uint32_t i = 0; i < f->n_blocks; i++)
		in_blocks += f->blocks[i].count;
	if (in_blocks + 1 < n || in_blocks > n + 1) {
		memset(f->blocks, 0, sizeof(f->blocks));
		f->n_blocks = 0;
	}
	for (uint32_t i = 0; i < f->n_worst; i++) {
		struct worst_sample w = f->worst[i];

		/* a shift in progress leaves one twice */
		if (w.latency_ns > f->max_ns ||
		    (kept > 0 && (w.latency_ns > f->worst[kept - 1].latency_ns ||
				  (w.latency_ns == f->worst[kept - 1].latency_ns &&
				   w.at_ns == f->worst[kept - 1].at_ns))))
			continue;
		f->worst[kept++] = w;
	}
	memset(&f->worst[kept], 0, (FIGURES_WORST - kept) * sizeof(*f->worst));
	f->n_worst = MIN(kept, n);
}

void figures_rebuild(struct figures *f)
{
	uint64_t n = figures_placed(f);

	figures_rebuild_bounds(f);
	f->sum_ns = f->sum_sq_ns2 = 0;
	for (unsigned b = 0; b < HISTOGRAM_BUCKETS; b++) {
		uint64_t ns = f->bucket[b] ? figures_sample_ns(f, b) : 0;

		f->sum_ns += (u128)f->bucket[b] * ns;
		f->sum_sq_ns2 += (u128)f->bucket[b] * ns * ns;
	}
	f->missed = histogram_count(f->missed_bucket);
	f->missed_sum_ns = bucket_sum(f->missed_bucket);
	f->within = MIN(f->within, n);
	figures_rebuild_lists(f, n);
	f->torn = 1;
}

/* Adds up @bucket; false when the count wraps or @sum_ns cannot be the sum of its samples. */
static bool bucket_check(const uint64_t *bucket, u128 sum_ns, uint64_t *ret_count)
{
	u128 low = 0, high = 0;
	uint64_t n = 0;

	for (unsigned b = 0; b < HISTOGRAM_BUCKETS; b++) {
		if (__builtin_add_overflow(n, bucket[b], &n))
			return false;
		low += (u128)bucket[b] * histogram_low_ns(b);
		high += (u128)bucket[b] * (histogram_high_ns(b) - (b + 1 < HISTOGRAM_BUCKETS));
	}
	*ret_count = n;
	return sum_ns >= low && sum_ns <= high;
}

static bool figures_check_bounds(const struct figures *f, uint64_t n)
{
	int low = histogram_rank(f->bucket, NULL, 1), high = histogram_rank(f->bucket, NULL, n);
	bool min_stated = f->stated & FIGURES_STATED_MIN;
	bool max_stated = f->stated & FIGURES_STATED_MAX;

	if (n == 0)
		return (min_stated || f->min_ns == UINT64_MAX) && (max_stated || f->max_ns == 0) &&
		       (!min_stated || !max_stated || f->min_ns <= f->max_ns) && f->sum_sq_ns2 == 0;
	/* a stated one may be of a sample that is in no bucket */
	return f->min_ns <= f->max_ns &&
	       (min_stated ? (int)histogram_bucket(f->min_ns) <= low
			   : (int)histogram_bucket(f->min_ns) == low) &&
	       (max_stated ? (int)histogram_bucket(f->max_ns) >= high
			   : (int)histogram_bucket(f->max_ns) == high);
}

static bool figures_check_stated(uint32_t stated, uint32_t bit, double ns)
{
	return stated & bit ? isfinite(ns) && ns >= 0 : ns == 0;
}

/* @n: in buckets. */
static bool figures_check_foreign(const struct figures *f, uint64_t n)
{
	uint32_t all = FIGURES_STATED_MIN | FIGURES_STATED_MAX | FIGURES_STATED_MEAN |
		       FIGURES_STATED_STDDEV | FIGURES_STATED_NO_COUNT;
	uint64_t count;

	if ((f->stated & ~all) || (f->unplaced == 0 && f->unplaced_from_ns > 0) ||
	    __builtin_add_overflow(n, f->unplaced, &count) ||
	    (!figures_count_known(f) && count > 0))
		return false;
	return figures_check_stated(f->stated, FIGURES_STATED_MEAN, f->stated_mean_ns) &&
	       figures_check_stated(f->stated, FIGURES_STATED_STDDEV, f->stated_stddev_ns);
}

static bool figures_check_lists(const struct figures *f, uint64_t n)
{
	uint64_t ratio = f->block_length_ns / FIGURES_BLOCK_START_NS;

	if (f->n_blocks > FIGURES_BLOCKS || f->n_worst > FIGURES_WORST || f->n_worst > n)
		return false;
	if (f->block_length_ns % FIGURES_BLOCK_START_NS || ratio == 0 || (ratio & (ratio - 1)))
		return false;
	for (uint32_t i = 0; i < f->n_worst; i++)
		if (f->worst[i].latency_ns > (i ? f->worst[i - 1].latency_ns : f->max_ns) ||
		    f->worst[i].self > 1)
			return false;
	return true;
}

int figures_check(const struct figures *f)
{
	uint64_t n, missed, both;

	if (!bucket_check(f->bucket, f->sum_ns, &n) ||
	    !bucket_check(f->missed_bucket, f->missed_sum_ns, &missed) || missed != f->missed ||
	    __builtin_add_overflow(n, missed, &both))
		return -EBADMSG;
	if (!figures_check_bounds(f, n) || !figures_check_foreign(f, n) ||
	    !figures_check_lists(f, n))
		return -EBADMSG;
	if (f->within > n || f->has_grid > 1 || f->torn > 1)
		return -EBADMSG;
	return 0;
}
