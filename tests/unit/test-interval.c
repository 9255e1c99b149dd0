/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "interval-trial.h"

#include <math.h>

#define NEAR(x, y, eps) g_assert_cmpfloat_with_epsilon(x, y, eps)

/* Student's t of 9 degrees of freedom is 2.262157, of 2 degrees 4.302653 (tables). */
static void test_mean(void)
{
	const double ten[] = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 }, one[] = { 7, 7, 7 };
	struct interval v = interval_of_mean(ten, 10);

	g_assert_true(v.known);
	NEAR(v.low, 5.5 - 2.262157 * sqrt(55.0 / 6 / 10), 1e-5);
	NEAR(v.high, 5.5 + 2.262157 * sqrt(55.0 / 6 / 10), 1e-5);
	v = interval_of_mean(one, 3);
	g_assert_true(v.known);
	NEAR(v.low, 7, 1e-9);
	NEAR(v.high, 7, 1e-9);
	g_assert_false(interval_of_mean(ten, 1).known);
	g_assert_false(interval_of_mean(ten, 0).known);
}

/* With equal spread and number of both sides Welch's t is Student's with 2 (n - 1) degrees. */
static void test_ratio(void)
{
	const double a[] = { 10, 11, 12.1 }, b[] = { 20, 22, 24.2 }, zero[] = { 0, 1, 2 };
	double ratio = 0, half;
	struct interval v = interval_of_ratio(a, 3, b, 3, &ratio);

	half = 2.776445 * sqrt(2 * log(1.1) * log(1.1) / 3); /* t of 4 degrees of freedom */
	g_assert_true(v.known);
	NEAR(ratio, 2, 1e-9);
	NEAR(log(v.high), log(2) + half, 1e-6);
	NEAR(log(v.low), log(2) - half, 1e-6);
	v = interval_of_ratio(b, 3, a, 3, &ratio); /* turned round */
	NEAR(ratio, 0.5, 1e-9);
	NEAR(log(v.high), -log(2) + half, 1e-6);
	v = interval_of_ratio(a, 1, b, 3, &ratio);
	g_assert_false(v.known);
	g_assert_false(interval_of_ratio(zero, 3, b, 3, &ratio).known);
	v = interval_of_ratio(a, 0, b, 0, &ratio);
	g_assert_false(v.known);
	v = interval_of_ratio((double[]){ 3, 3 }, 2, (double[]){ 6, 6 }, 2, &ratio);
	g_assert_true(v.known);
	NEAR(v.low, 2, 1e-9);
	NEAR(v.high, 2, 1e-9);
}

/* One side does not vary: only the other one's degrees of freedom count. */
static void test_ratio_welch(void)
{
	const double a[] = { 5, 5, 5, 5, 5, 5 }, b[] = { 10, 11, 12.1 };
	double ratio = 0, half = 4.302653 * log(1.1) / sqrt(3);
	struct interval v = interval_of_ratio(a, 6, b, 3, &ratio);

	NEAR(ratio, 2.2, 1e-9);
	NEAR(log(v.high), log(2.2) + half, 1e-6);
}

/* The same with shares of the means for logarithms; one batch far above the others counts. */
static void test_runs(void)
{
	const double a[] = { 9, 10, 11 }, b[] = { 18, 20, 22 }, far[] = { 1, 1, 1, 1, 96 };
	const double none[] = { 0, 0, 0 };
	double ratio = 0, half = 2.776445 * sqrt(2 * 0.01 / 3); /* t of 4 degrees of freedom */
	struct interval v = interval_of_runs(a, 3, b, 3, &ratio);

	g_assert_true(v.known);
	NEAR(ratio, 2, 1e-9);
	NEAR(log(v.high), log(2) + half, 1e-6);
	NEAR(log(v.low), log(2) - half, 1e-6);
	v = interval_of_runs(a, 3, far, 5, &ratio); /* deviation 42.4853 of a mean of 20 */
	NEAR(ratio, 2, 1e-9);
	g_assert_cmpfloat(v.low, <, 0.2);
	g_assert_cmpfloat(v.high, >, 20);
	g_assert_false(interval_of_runs(a, 1, b, 3, &ratio).known);
	g_assert_false(interval_of_runs(a, 3, none, 3, &ratio).known);
}

static struct result_stage *stage_new(struct figures **ret_f)
{
	struct result_stage *s = result_stage_new();
	struct result_cpu *c = result_cpu_new(0);

	g_ptr_array_add(s->cpus, c);
	*ret_f = c->figures;
	return s;
}

static void blocks_set(struct figures *f, unsigned n)
{
	f->n_blocks = n;
	f->block_length_ns = FIGURES_BLOCK_START_NS;
	for (unsigned i = 0; i < n; i++)
		f->blocks[i] = (struct figures_block){ .max_ns = 1000 + i,
						       .sum_ns = 100 * (uint64_t)(1000 + i % 2),
						       .count = 100 };
}

static void test_mean_batches(void)
{
	struct figures *f;
	struct result_stage *s = stage_new(&f);
	double batch[INTERVAL_BATCHES_MAX];

	g_assert_cmpuint(interval_mean_batches(s, batch), ==, 0);
	blocks_set(f, 9);
	g_assert_cmpuint(interval_mean_batches(s, batch), ==, 0);
	blocks_set(f, 10);
	g_assert_cmpuint(interval_mean_batches(s, batch), ==, 10);
	NEAR(batch[0], 1000, 1e-9);
	NEAR(batch[9], 1001, 1e-9);
	blocks_set(f, 20);
	g_assert_cmpuint(interval_mean_batches(s, batch), ==, 20);
	blocks_set(f, 21); /* two by two, and one of three */
	g_assert_cmpuint(interval_mean_batches(s, batch), ==, 10);
	NEAR(batch[0], 1000.5, 1e-9);
	blocks_set(f, 4000);
	g_assert_cmpuint(interval_mean_batches(s, batch), ==, 20);
	NEAR(batch[7], 1000.5, 1e-9);
	result_stage_free(s);
}

/* Warm-up and stalls leave blocks without samples; the stage's end cuts the last one short. */
static void test_mean_batches_gaps(void)
{
	struct figures *f;
	struct result_stage *s = stage_new(&f);
	double batch[INTERVAL_BATCHES_MAX];

	blocks_set(f, 12);
	f->blocks[0] = (struct figures_block){ 0 };
	f->blocks[11] = (struct figures_block){ .max_ns = 9000, .sum_ns = 9000, .count = 1 };
	g_assert_cmpuint(interval_mean_batches(s, batch), ==, 10);
	NEAR(batch[0], 1001, 1e-9);
	NEAR(batch[9], 109000.0 / 101, 1e-9);
	blocks_set(f, 11);
	f->blocks[0] = f->blocks[1] = (struct figures_block){ 0 };
	g_assert_cmpuint(interval_mean_batches(s, batch), ==, 0);
	result_stage_free(s);
}

/* Batches that are alike become fewer and longer ones: a slow wave. */
static void test_mean_batches_wave(void)
{
	struct figures *f;
	struct result_stage *s = stage_new(&f);
	double batch[INTERVAL_BATCHES_MAX];

	blocks_set(f, 400);
	for (unsigned i = 0; i < 400; i++)
		f->blocks[i].sum_ns = (uint64_t)(100 * (1000 + 100 * sin(i * 2 * G_PI / 200)));
	g_assert_cmpuint(interval_mean_batches(s, batch), ==, 10);
	result_stage_free(s);
}

/* CPUs are summed: one that has three times the samples counts three times. */
static void test_mean_batches_cpus(void)
{
	struct figures *f;
	struct result_stage *s = stage_new(&f);
	struct result_cpu *c = result_cpu_new(1);
	double batch[INTERVAL_BATCHES_MAX];

	g_ptr_array_add(s->cpus, c);
	blocks_set(f, 20);
	blocks_set(c->figures, 20);
	for (unsigned i = 0; i < 20; i++) {
		c->figures->blocks[i].count = 300;
		c->figures->blocks[i].sum_ns = 300 * 2000;
	}
	g_assert_cmpuint(interval_mean_batches(s, batch), ==, 20);
	NEAR(batch[0], (100 * 1000 + 300 * 2000) / 400.0, 1e-9);
	result_stage_free(s);
}

static void snapshots_fill(struct result_stage *s, unsigned n, unsigned samples, uint64_t seed)
{
	g_autofree uint64_t *bucket = g_new0(uint64_t, HISTOGRAM_BUCKETS);
	GRand *rand = g_rand_new_with_seed((guint32)seed);

	snapshots_free(s->snapshots);
	s->snapshots = snapshots_new();
	for (unsigned i = 0; i < n; i++) {
		for (unsigned k = 0; k < samples; k++)
			bucket[histogram_bucket(
				(uint64_t)(10000 - 2000 * log(1 - g_rand_double(rand))))]++;
		snapshots_offer(s->snapshots, i + 1, bucket);
	}
	g_rand_free(rand);
}

static void test_percentile_batches(void)
{
	struct figures *f;
	struct result_stage *s = stage_new(&f);
	double batch[INTERVAL_BATCHES_MAX], mean = 0;

	g_assert_cmpuint(interval_percentile_batches(s, 500000, batch), ==, 0);
	snapshots_fill(s, 9, 1000, 1);
	g_assert_cmpuint(interval_percentile_batches(s, 500000, batch), ==, 0);
	snapshots_fill(s, 20, 1000, 2);
	g_assert_cmpuint(interval_percentile_batches(s, 990000, batch), ==, 20);
	for (unsigned i = 0; i < 20; i++)
		mean += batch[i] / 20;
	NEAR(mean, 10000 + 2000 * log(100), 200); /* 8 of its standard errors */
	/* one sample in a thousand: ten of them in ten thousand, not in each of ten batches */
	g_assert_cmpuint(interval_percentile_batches(s, 999000, batch), ==, 0);
	snapshots_fill(s, 10, 10000, 3);
	g_assert_cmpuint(interval_percentile_batches(s, 999000, batch), ==, 10);
	g_assert_cmpuint(interval_percentile_batches(s, 999900, batch), ==, 0);
	snapshots_fill(s, 20, 5000, 3); /* twenty are too many for that, ten are not */
	g_assert_cmpuint(interval_percentile_batches(s, 999000, batch), ==, 10);
	result_stage_free(s);
}

/* Evenly spread samples in a wide bucket: the percentile is that far into it. */
static void test_percentile_within_bucket(void)
{
	struct figures *f;
	struct result_stage *s = stage_new(&f);
	g_autofree uint64_t *bucket = g_new0(uint64_t, HISTOGRAM_BUCKETS);
	unsigned b = histogram_bucket(1 << 20);
	double batch[INTERVAL_BATCHES_MAX], width;

	s->snapshots = snapshots_new();
	for (unsigned i = 0; i < 10; i++) {
		bucket[b] += 100;
		snapshots_offer(s->snapshots, i + 1, bucket);
	}
	width = (double)(histogram_high_ns(b) - histogram_low_ns(b));
	g_assert_cmpuint(interval_percentile_batches(s, 250000, batch), ==, 10);
	for (unsigned i = 0; i < 10; i++)
		NEAR(batch[i], (1 << 20) + width / 4, 1e-6);
	result_stage_free(s);
}

/* As tests/bench/interval.c, with fewer runs. */
static void test_coverage(void)
{
	GRand *rand = g_rand_new_with_seed(20);
	bool slow = g_getenv("LRTBF_VALGRIND");
	unsigned runs = slow ? 4 : 500;
	struct interval_count alone = interval_trial_mean(runs, 300, 0, rand);
	struct interval_count alike = interval_trial_mean(runs, 300, 0.8, rand);
	struct interval_count percentile =
		interval_trial_percentile(slow ? 1 : 100, 500, 900000, rand);
	struct interval_count ratio = interval_trial_ratio(runs, 3, rand);

	g_test_message("held of %u: %u, dependent %u (single blocks %u), ratio %u; of %u: "
		       "percentile %u",
		       runs, alone.held, alike.held, alike.single, ratio.held, percentile.runs,
		       percentile.held);
	g_rand_free(rand);
	if (slow)
		return;
	g_assert_cmpuint(alone.held, >=, runs * 92 / 100);
	g_assert_cmpuint(alike.held, >=, runs * 87 / 100);
	g_assert_cmpuint(alike.single, <=, runs * 60 / 100); /* why there are batches */
	g_assert_cmpuint(ratio.held, >=, runs * 92 / 100);
	g_assert_cmpuint(percentile.held, >=, percentile.runs * 85 / 100);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/interval/mean", test_mean);
	g_test_add_func("/interval/ratio", test_ratio);
	g_test_add_func("/interval/ratio-welch", test_ratio_welch);
	g_test_add_func("/interval/runs", test_runs);
	g_test_add_func("/interval/mean-batches", test_mean_batches);
	g_test_add_func("/interval/mean-batches-gaps", test_mean_batches_gaps);
	g_test_add_func("/interval/mean-batches-wave", test_mean_batches_wave);
	g_test_add_func("/interval/mean-batches-cpus", test_mean_batches_cpus);
	g_test_add_func("/interval/percentile-batches", test_percentile_batches);
	g_test_add_func("/interval/percentile-within-bucket", test_percentile_within_bucket);
	g_test_add_func("/interval/coverage", test_coverage);
	return g_test_run();
}
