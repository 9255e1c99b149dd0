/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Mean, deviation and percentiles of figures.
 *
 * Why 256-bit integers for one subtraction: the variance is (n * sum_sq - sum^2) / (n * (n - 1)),
 * and for samples that differ little the two terms agree in nearly all of their digits (1e12 +- 1
 * ns: in the first 24). In floating point nothing would be left; in integers the difference is
 * exact, and only the quotient is rounded.
 */
#include "figures.h"

#include <math.h>

struct u256 {
	u128 high, low;
};

static struct u256 u256_product(u128 a, u128 b)
{
	u128 a0 = (uint64_t)a, a1 = a >> 64, b0 = (uint64_t)b, b1 = b >> 64;
	u128 low = a0 * b0;
	u128 mid = a1 * b0 + (low >> 64); /* cannot wrap: (2^64-1)^2 + 2^64-1 < 2^128 */
	u128 mid2 = a0 * b1 + (uint64_t)mid;

	return (struct u256){
		.high = a1 * b1 + (mid >> 64) + (mid2 >> 64),
		.low = (mid2 << 64) | (uint64_t)low,
	};
}

/* a - b as a number; false when b > a. */
static bool u256_difference(struct u256 a, struct u256 b, double *ret)
{
	u128 low = a.low - b.low, high = a.high - b.high - (a.low < b.low);

	if (a.high < b.high || (a.high == b.high && a.low < b.low))
		return false;
	*ret = ldexp((double)high, 128) + (double)low;
	return true;
}

uint64_t figures_sample_ns(const struct figures *f, unsigned b)
{
	return CLAMP(histogram_mid_ns(b), f->min_ns, f->max_ns);
}

bool figures_mean_ns(const struct figures *f, double *ret_ns)
{
	uint64_t n = figures_placed(f);

	if (f->stated & FIGURES_STATED_MEAN) {
		*ret_ns = f->stated_mean_ns;
		return true;
	}
	if (n == 0 || f->unplaced > 0)
		return false;
	*ret_ns = (double)f->sum_ns / (double)n;
	return true;
}

static double figures_bucket_deviation(const struct figures *f, uint64_t n)
{
	double mean = (double)f->sum_ns / (double)n, sum = 0;

	for (unsigned b = 0; b < HISTOGRAM_BUCKETS; b++) {
		double d = f->bucket[b] ? (double)figures_sample_ns(f, b) - mean : 0;

		sum += (double)f->bucket[b] * d * d;
	}
	return sqrt(sum / (double)(n - 1));
}

bool figures_stddev_ns(const struct figures *f, double *ret_ns)
{
	uint64_t n = figures_placed(f);
	bool fits;
	double d;

	if (f->stated & FIGURES_STATED_STDDEV) {
		*ret_ns = f->stated_stddev_ns;
		return true;
	}
	if (n < 2 || f->unplaced > 0)
		return false;
	fits = f->max_ns == 0 || (u128)f->max_ns * f->max_ns <= ~(u128)0 / n;
	if (fits &&
	    u256_difference(u256_product(n, f->sum_sq_ns2), u256_product(f->sum_ns, f->sum_ns), &d))
		*ret_ns = sqrt(d / (double)n / (double)(n - 1));
	else
		*ret_ns = figures_bucket_deviation(f, n);
	return true;
}

bool figures_corrected_mean_ns(const struct figures *f, double *ret_ns)
{
	uint64_t n = figures_corrected_count(f);

	if (n == 0 || !f->has_grid)
		return false;
	*ret_ns = (double)(f->sum_ns + f->missed_sum_ns) / (double)n;
	return true;
}

static uint64_t figures_rank_ns(const struct figures *f, bool corrected, uint64_t rank)
{
	int b = histogram_rank(f->bucket, corrected ? f->missed_bucket : NULL, rank);

	if (b < 0) /* counters that wrapped: nothing measured can do it */
		return f->max_ns;
	if (corrected && f->missed_bucket[b]) /* [min, max] binds only what was a sample */
		return histogram_mid_ns(b);
	return figures_sample_ns(f, b);
}

/* The unplaced are not below unplaced_from_ns: those in buckets up to there have their rank. */
static bool figures_rank_known(const struct figures *f, uint64_t rank)
{
	int b = histogram_rank(f->bucket, NULL, rank);

	return f->unplaced_from_ns > 0 && b >= 0 && b <= (int)histogram_bucket(f->unplaced_from_ns);
}

bool figures_percentile_ns(const struct figures *f, uint32_t ppm, bool corrected, uint64_t *ret_ns)
{
	uint64_t n = corrected ? figures_corrected_count(f) : figures_count(f);
	uint64_t rank, last, a, b;

	g_assert(ppm < 1000000);
	if ((corrected && !f->has_grid) || (u128)n * (1000000 - ppm) < 1000000)
		return false;
	rank = MAX(1, (uint64_t)(((u128)n * ppm + 999999) / 1000000));
	last = rank + (ppm == 500000 && n % 2 == 0);
	if (f->unplaced > 0 && !figures_rank_known(f, last))
		return false;
	a = figures_rank_ns(f, corrected, rank);
	if (last > rank) {
		b = figures_rank_ns(f, corrected, rank + 1);
		a = MIN(a, b) + (MAX(a, b) - MIN(a, b)) / 2;
	}
	*ret_ns = a;
	return true;
}
