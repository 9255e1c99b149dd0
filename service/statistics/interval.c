/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Why few and long batches: what is left of the likeness of neighbours in batches makes an interval
 * too narrow, and the longer a batch, the less is left. Twenty of them are better where neighbours
 * are independent, ten where they are not; so twenty are taken, and halved when these are still
 * alike. Fewer than ten tell too little of how much they differ.
 *
 * Why logarithms for a ratio: both sides' errors count then in the same way, and "twice" and "half"
 * are equally far from "the same".
 */
#include "interval.h"

#include "stageblocks.h"
#include "student.h"

#include <math.h>

#define INTERVAL_TWO_SIDED 0.975
#define INTERVAL_ALIKE	   0.2 /* lag-1 correlation of batches, above which they are joined */

/* As many batches as there may be of @n, such that they are as equal as can be. */
static unsigned interval_parts(unsigned n, unsigned most)
{
	unsigned each = (n + most - 1) / most;

	return each ? n / each : 0;
}

static double interval_mean(const double *v, unsigned n)
{
	double sum = 0;

	for (unsigned i = 0; i < n; i++)
		sum += v[i];
	return sum / n;
}

/* Of the mean of @n >= 2 values, squared. */
static double interval_error2(const double *v, unsigned n)
{
	double mean = interval_mean(v, n), square = 0;

	for (unsigned i = 0; i < n; i++)
		square += (v[i] - mean) * (v[i] - mean);
	return square / (n - 1) / n;
}

static double interval_lag1(const double *v, unsigned n)
{
	double mean = interval_mean(v, n), lagged = 0, square = 0;

	for (unsigned i = 0; i < n; i++) {
		square += (v[i] - mean) * (v[i] - mean);
		lagged += i ? (v[i] - mean) * (v[i - 1] - mean) : 0;
	}
	return square > 0 ? lagged / square : 0;
}

static void interval_join(const struct figures_block *b, unsigned n, unsigned parts, double *ret)
{
	for (unsigned i = 0; i < parts; i++) {
		double sum = 0, count = 0;

		for (unsigned k = i * n / parts; k < (i + 1) * n / parts; k++) {
			sum += (double)b[k].sum_ns;
			count += (double)b[k].count;
		}
		ret[i] = sum / count;
	}
}

unsigned interval_mean_batches(const struct result_stage *s, double *ret)
{
	g_autofree struct figures *all = result_stage_all(s);
	g_autofree struct figures_block *b = g_new(struct figures_block, FIGURES_BLOCKS);
	unsigned n = stageblocks_take(all, b), parts = interval_parts(n, INTERVAL_BATCHES_MAX);

	if (parts < INTERVAL_BATCHES_MIN)
		return 0;
	interval_join(b, n, parts, ret);
	if (interval_lag1(ret, parts) > INTERVAL_ALIKE) {
		parts = INTERVAL_BATCHES_MIN;
		interval_join(b, n, parts, ret);
	}
	return parts;
}

/* Spread evenly: batches that differ by less than a bucket would else seem to be equal. */
bool interval_percentile(const uint64_t *bucket, uint32_t ppm, unsigned beyond, double *ret)
{
	uint64_t n = histogram_count(bucket), below = 0;
	double rank = (double)n * ppm / 1e6, low, high;
	int b;

	if (n == 0 || (double)n - rank < beyond)
		return false;
	b = histogram_rank(bucket, NULL, (uint64_t)ceil(fmax(rank, 1)));
	if (b < 0)
		return false;
	for (int i = 0; i < b; i++)
		below += bucket[i];
	low = (double)histogram_low_ns((unsigned)b);
	high = (double)histogram_high_ns((unsigned)b);
	*ret = low + (high - low) * (rank - (double)below) / (double)bucket[b];
	return true;
}

static void interval_batch(const struct snapshots *s, unsigned from, unsigned to, uint64_t *ret)
{
	g_autofree uint64_t *one = g_new(uint64_t, HISTOGRAM_BUCKETS);

	snapshots_batch(s, from, ret);
	for (unsigned i = from + 1; i < to; i++) {
		snapshots_batch(s, i, one);
		for (unsigned b = 0; b < HISTOGRAM_BUCKETS; b++)
			ret[b] += one[b];
	}
}

static bool interval_percentiles(const struct snapshots *s, unsigned parts, uint32_t ppm,
				 double *ret)
{
	g_autofree uint64_t *bucket = g_new(uint64_t, HISTOGRAM_BUCKETS);
	unsigned n = snapshots_count(s);

	for (unsigned i = 0; i < parts; i++) {
		interval_batch(s, i * n / parts, (i + 1) * n / parts, bucket);
		if (!interval_percentile(bucket, ppm, INTERVAL_BEYOND_MIN, &ret[i]))
			return false;
	}
	return true;
}

unsigned interval_percentile_batches(const struct result_stage *s, uint32_t ppm, double *ret)
{
	unsigned n = s->snapshots ? snapshots_count(s->snapshots) : 0;
	unsigned parts = interval_parts(n, INTERVAL_BATCHES_MAX);
	double batch[INTERVAL_BATCHES_MAX];

	if (parts > INTERVAL_BATCHES_MIN &&
	    (!interval_percentiles(s->snapshots, parts, ppm, batch) ||
	     interval_lag1(batch, parts) > INTERVAL_ALIKE))
		parts = INTERVAL_BATCHES_MIN;
	if (parts < INTERVAL_BATCHES_MIN || !interval_percentiles(s->snapshots, parts, ppm, batch))
		return 0;
	for (unsigned i = 0; i < parts; i++)
		ret[i] = batch[i];
	return parts;
}

struct interval interval_of_mean(const double *values, unsigned n)
{
	struct interval v = { .known = n >= 2 };
	double mean, half;

	if (!v.known)
		return v;
	mean = interval_mean(values, n);
	half = student_quantile(INTERVAL_TWO_SIDED, n - 1) * sqrt(interval_error2(values, n));
	v.low = mean - half;
	v.high = mean + half;
	return v;
}

/* Of the mean of logarithms; false: none of the kind. */
static bool interval_logs(const double *values, unsigned n, double *ret_mean, double *ret_error2)
{
	g_autofree double *logs = g_new(double, n + 1);

	for (unsigned i = 0; i < n; i++) {
		if (!(values[i] > 0))
			return false;
		logs[i] = log(values[i]);
	}
	*ret_mean = interval_mean(logs, n);
	*ret_error2 = n >= 2 ? interval_error2(logs, n) : 0;
	return n > 0;
}

/* Around mean_b - mean_a on the logarithmic scale, Welch's t; @error: squared, of each mean. */
static struct interval interval_welch(double difference, double error_a, unsigned n_a,
				      double error_b, unsigned n_b)
{
	double error = error_a + error_b, df, half = 0;

	if (error > 0) {
		df = error * error /
		     (error_a * error_a / (n_a - 1) + error_b * error_b / (n_b - 1));
		half = student_quantile(INTERVAL_TWO_SIDED, df) * sqrt(error);
	}
	return (struct interval){ true, exp(difference - half), exp(difference + half) };
}

struct interval interval_of_ratio(const double *a, unsigned n_a, const double *b, unsigned n_b,
				  double *ret_ratio)
{
	struct interval v = { .known = false };
	double mean_a, mean_b, error_a, error_b;

	if (!interval_logs(a, n_a, &mean_a, &error_a) || !interval_logs(b, n_b, &mean_b, &error_b))
		return v;
	*ret_ratio = exp(mean_b - mean_a);
	if (n_a < 2 || n_b < 2)
		return v;
	return interval_welch(mean_b - mean_a, error_a, n_a, error_b, n_b);
}

struct interval interval_of_runs(const double *a, unsigned n_a, const double *b, unsigned n_b,
				 double *ret_ratio)
{
	struct interval v = { .known = false };
	double mean_a, mean_b;

	if (n_a < 2 || n_b < 2)
		return v;
	mean_a = interval_mean(a, n_a);
	mean_b = interval_mean(b, n_b);
	if (!(mean_a > 0) || !(mean_b > 0))
		return v;
	*ret_ratio = mean_b / mean_a;
	return interval_welch(log(mean_b / mean_a), interval_error2(a, n_a) / (mean_a * mean_a),
			      n_a, interval_error2(b, n_b) / (mean_b * mean_b), n_b);
}
