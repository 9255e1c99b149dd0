/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Why everything is an exact sum: figures of a stage are added over CPUs, over repeats and over a
 * daemon's lives, and a report must not depend on the order in which that was done. So nothing is
 * a running mean; mean and deviation are taken from exact sums when somebody asks.
 *
 * Why sums cannot wrap: 2^64 samples of 2^64 ns fit the 128 bits of sum_ns. sum_sq_ns2 holds
 * 9e10 samples of 17 hours (2^128 / 2^92), or 2.6e13 of one hour; figures_stddev_ns() knows from
 * count and maximum when more than that might have gone in and takes the buckets then.
 *
 * Why blocks: the largest of a million samples that came in one burst says less than a million
 * samples spread over a day. A block's end is a multiple of its length, so two tables can be added
 * after halving the finer one, and blocks without a sample keep their place in time.
 */
#include "record.h"

#include <errno.h>
#include <math.h>
#include <string.h>

const struct figures_percentile figures_percentiles[] = {
	{ 500000, "50" },      { 750000, "75" },   { 900000, "90" },	{ 950000, "95" },
	{ 990000, "99" },      { 999000, "99.9" }, { 999900, "99.99" }, { 999990, "99.999" },
	{ 999999, "99.9999" }, { 0, NULL },
};

void figures_init(struct figures *f)
{
	memset(f, 0, sizeof(*f));
	f->min_ns = UINT64_MAX;
	f->block_length_ns = FIGURES_BLOCK_START_NS;
}

struct figures *figures_new(void)
{
	struct figures *f = g_new(struct figures, 1);

	figures_init(f);
	return f;
}

static void block_add(struct figures_block *dst, const struct figures_block *src)
{
	dst->max_ns = MAX(dst->max_ns, src->max_ns);
	dst->sum_ns += src->sum_ns;
	dst->count += src->count;
}

static void figures_double_blocks(struct figures *f)
{
	uint32_t n = (f->n_blocks + 1) / 2;

	for (uint32_t i = 0; i < n; i++) {
		struct figures_block pair = f->blocks[2 * i];

		if (2 * i + 1 < f->n_blocks)
			block_add(&pair, &f->blocks[2 * i + 1]);
		f->blocks[i] = pair;
	}
	memset(&f->blocks[n], 0, (f->n_blocks - n) * sizeof(*f->blocks));
	f->n_blocks = n;
	f->block_length_ns *= 2;
}

/* Blocks in between stay empty: n_blocks only ever says how far time has come. */
struct figures_block *record_advance(struct figures *f, uint64_t at_ns)
{
	uint64_t i;

	while ((i = at_ns / f->block_length_ns) >= FIGURES_BLOCKS)
		figures_double_blocks(f);
	if (i >= f->n_blocks)
		f->n_blocks = i + 1;
	return &f->blocks[i];
}

void record_move(struct record_place *place, struct figures *f, uint64_t at_ns)
{
	uint64_t i;

	place->block = record_advance(f, at_ns);
	i = (uint64_t)(place->block - f->blocks);
	if (__builtin_mul_overflow(i + 1, f->block_length_ns, &place->end_ns))
		place->end_ns = UINT64_MAX;
}

/* Sorted on insert: it happens about 32 * ln(n / 32) times in n samples. Of equals the first stays.
 */
static void worst_insert(struct figures *f, const struct worst_sample *w)
{
	uint32_t i = f->n_worst;

	if (i == FIGURES_WORST) {
		if (f->worst[i - 1].latency_ns >= w->latency_ns)
			return;
		i--;
	} else {
		f->n_worst++;
	}
	for (; i > 0 && f->worst[i - 1].latency_ns < w->latency_ns; i--)
		f->worst[i] = f->worst[i - 1];
	f->worst[i] = *w;
}

void record_worst(struct figures *f, uint64_t latency_ns, uint64_t at_ns)
{
	struct worst_sample w = { .latency_ns = latency_ns, .at_ns = at_ns };

	worst_insert(f, &w);
	f->max_ns = MAX(f->max_ns, latency_ns);
}

/* @n missed grid points, the first of which would have seen @first_ns, each next one @step_ns less.
 */
static void figures_add_missed(struct figures *f, uint64_t first_ns, uint64_t step_ns, uint64_t n)
{
	u128 steps = (u128)(n - 1) * step_ns; /* <= first_ns */

	f->missed += n;
	f->missed_sum_ns += (u128)n * first_ns - steps * n / 2;
	histogram_add_progression(f->missed_bucket, first_ns, step_ns, n);
}

uint64_t record_missed(struct figures *f, uint64_t latency_ns, uint64_t interval_ns)
{
	uint64_t n = latency_ns / interval_ns;

	if (n > 0)
		figures_add_missed(f, latency_ns - interval_ns, interval_ns, n);
	return n;
}

void figures_record(struct figures *f, uint64_t latency_ns, uint64_t at_ns)
{
	struct record_place place = { 0 };

	record_sample(f, &place, latency_ns, at_ns);
}

uint64_t figures_miss(struct figures *f, uint64_t latency_ns, uint64_t interval_ns)
{
	return record_miss(f, latency_ns, interval_ns);
}

uint64_t figures_close(struct figures *f, uint64_t next_ns, uint64_t interval_ns, uint64_t now_ns)
{
	uint64_t n;

	if (now_ns < next_ns || interval_ns == 0)
		return 0;
	f->pending_ns = now_ns - next_ns;
	n = f->pending_ns / interval_ns + 1;
	figures_add_missed(f, f->pending_ns, interval_ns, n);
	return n;
}

static void figures_add_blocks(struct figures *dst, const struct figures *src)
{
	uint64_t ratio;

	while (dst->block_length_ns < src->block_length_ns)
		figures_double_blocks(dst);
	ratio = dst->block_length_ns / src->block_length_ns;
	for (uint32_t i = 0; i < src->n_blocks; i++)
		block_add(&dst->blocks[i / ratio], &src->blocks[i]);
	if (src->n_blocks > 0)
		dst->n_blocks = MAX(dst->n_blocks, (src->n_blocks - 1) / ratio + 1);
}

/* A share of samples within two different bounds is no share at all. */
static void figures_add_within(struct figures *dst, const struct figures *src)
{
	if (figures_count(dst) == 0)
		dst->within_bound_ns = src->within_bound_ns;
	if (dst->within_bound_ns == src->within_bound_ns) {
		dst->within += src->within;
	} else if (figures_count(src) > 0) {
		dst->within = 0;
		dst->within_bound_ns = 0;
	}
}

static uint64_t smaller_known(uint64_t a, uint64_t b)
{
	return a == 0 || (b != 0 && b < a) ? b : a;
}

static bool figures_empty(const struct figures *f)
{
	return figures_count(f) == 0 && f->stated == 0;
}

/* Mean and deviation of both, from theirs: T. F. Chan, G. H. Golub, R. J. LeVeque, 1979. */
static void figures_pool(struct figures *dst, const struct figures *src)
{
	double n = (double)figures_count(dst), m = (double)figures_count(src);
	double mean, mean2, stddev = 0, stddev2 = 0;
	bool known = figures_mean_ns(dst, &mean) && figures_mean_ns(src, &mean2);
	bool spread = known && figures_stddev_ns(dst, &stddev) && figures_stddev_ns(src, &stddev2);

	dst->stated &= ~(uint32_t)(FIGURES_STATED_MEAN | FIGURES_STATED_STDDEV);
	dst->stated_mean_ns = dst->stated_stddev_ns = 0;
	if (!known || n <= 0 || m <= 0)
		return;
	dst->stated |= FIGURES_STATED_MEAN;
	dst->stated_mean_ns = (mean * n + mean2 * m) / (n + m);
	if (!spread)
		return;
	dst->stated |= FIGURES_STATED_STDDEV;
	dst->stated_stddev_ns = sqrt(((n - 1) * stddev * stddev + (m - 1) * stddev2 * stddev2 +
				      n * m / (n + m) * (mean - mean2) * (mean - mean2)) /
				     (n + m - 1));
}

/* What is known in part: before anything else is added, as it looks at what both were. */
static void figures_add_foreign(struct figures *dst, const struct figures *src)
{
	uint64_t ns;

	if (figures_empty(src) || (!figures_foreign(dst) && !figures_foreign(src)))
		return;
	if (figures_empty(dst)) {
		dst->stated = src->stated;
		dst->stated_mean_ns = src->stated_mean_ns;
		dst->stated_stddev_ns = src->stated_stddev_ns;
		dst->unplaced_from_ns = src->unplaced_from_ns;
	} else {
		uint32_t stated = (dst->stated | src->stated) & FIGURES_STATED_NO_COUNT;

		if (figures_min_ns(dst, &ns) && figures_min_ns(src, &ns))
			stated |= FIGURES_STATED_MIN;
		if (figures_max_ns(dst, &ns) && figures_max_ns(src, &ns))
			stated |= FIGURES_STATED_MAX;
		figures_pool(dst, src);
		dst->stated &= FIGURES_STATED_MEAN | FIGURES_STATED_STDDEV;
		dst->stated |= stated;
		if (dst->unplaced == 0)
			dst->unplaced_from_ns = src->unplaced_from_ns;
		else if (src->unplaced > 0)
			dst->unplaced_from_ns = MIN(dst->unplaced_from_ns, src->unplaced_from_ns);
	}
	dst->unplaced += src->unplaced;
}

void figures_add(struct figures *dst, const struct figures *src)
{
	figures_add_within(dst, src); /* these two look at the counts before they change */
	figures_add_foreign(dst, src);
	for (unsigned b = 0; b < HISTOGRAM_BUCKETS; b++) {
		dst->bucket[b] += src->bucket[b];
		dst->missed_bucket[b] += src->missed_bucket[b];
	}
	dst->sum_ns += src->sum_ns;
	dst->sum_sq_ns2 += src->sum_sq_ns2;
	dst->missed_sum_ns += src->missed_sum_ns;
	dst->min_ns = MIN(dst->min_ns, src->min_ns);
	dst->max_ns = MAX(dst->max_ns, src->max_ns);
	dst->missed += src->missed;
	dst->lost += src->lost;
	dst->late += src->late;
	dst->migrated += src->migrated;
	dst->early += src->early;
	dst->overrun += src->overrun;
	dst->warmup += src->warmup;
	dst->warmup_max_ns = MAX(dst->warmup_max_ns, src->warmup_max_ns);
	dst->nominal_ns = smaller_known(dst->nominal_ns, src->nominal_ns);
	dst->pending_ns = MAX(dst->pending_ns, src->pending_ns);
	dst->has_grid |= src->has_grid;
	dst->torn |= src->torn;
	for (uint32_t i = 0; i < src->n_worst; i++)
		worst_insert(dst, &src->worst[i]);
	figures_add_blocks(dst, src);
}

uint64_t figures_placed(const struct figures *f)
{
	return histogram_count(f->bucket);
}

uint64_t figures_count(const struct figures *f)
{
	return figures_placed(f) + f->unplaced;
}

bool figures_count_known(const struct figures *f)
{
	return !(f->stated & FIGURES_STATED_NO_COUNT);
}

bool figures_foreign(const struct figures *f)
{
	return f->unplaced > 0 || f->stated != 0;
}

bool figures_min_ns(const struct figures *f, uint64_t *ret_ns)
{
	bool seen = figures_placed(f) > 0 && (f->unplaced == 0 || f->unplaced_from_ns >= f->min_ns);

	if (!seen && !(f->stated & FIGURES_STATED_MIN))
		return false;
	*ret_ns = f->min_ns;
	return true;
}

bool figures_max_ns(const struct figures *f, uint64_t *ret_ns)
{
	bool seen = figures_placed(f) > 0 && f->unplaced == 0;

	if (!seen && !(f->stated & FIGURES_STATED_MAX))
		return false;
	*ret_ns = f->max_ns;
	return true;
}

uint64_t figures_corrected_count(const struct figures *f)
{
	return figures_count(f) + f->missed;
}

uint32_t figures_blocks_taken(const struct figures *f)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < f->n_blocks; i++)
		n += f->blocks[i].count > 0;
	return n;
}
