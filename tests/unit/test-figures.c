/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Figures against exact arithmetic on sorted samples.
 */
#include "figures.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define HOUR_NS 3600000000000ULL

static int compare_u64(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

static struct figures *figures_of(const uint64_t *sample, size_t n)
{
	struct figures *f = figures_new();

	for (size_t i = 0; i < n; i++)
		figures_record(f, sample[i], i * 1000000);
	g_assert_cmpint(figures_check(f), ==, 0);
	return f;
}

static void assert_near(double value, double exact, double tolerance)
{
	if (fabs(value - exact) > tolerance * fabs(exact)) {
		g_test_message("%.17g is not within %g of %.17g", value, tolerance, exact);
		g_test_fail();
	}
}

/* ceil(p * n)-th smallest of @sorted; the middle of two for an even median. */
static double exact_percentile(const uint64_t *sorted, size_t n, uint32_t ppm)
{
	size_t rank = ((u128)n * ppm + 999999) / 1000000;

	if (ppm == 500000 && n % 2 == 0)
		return ((double)sorted[rank - 1] + (double)sorted[rank]) / 2;
	return (double)sorted[MAX(rank, 1) - 1];
}

static void check_against_exact(uint64_t *sample, size_t n)
{
	g_autofree struct figures *f = figures_of(sample, n);
	long double mean = 0, square = 0;
	u128 sum = 0, sum_sq = 0;
	uint64_t ns;
	double d;

	for (size_t i = 0; i < n; i++) {
		sum += sample[i];
		sum_sq += (u128)sample[i] * sample[i];
	}
	mean = (long double)sum / n;
	for (size_t i = 0; i < n; i++)
		square += (sample[i] - mean) * (sample[i] - mean);
	qsort(sample, n, sizeof(*sample), compare_u64);
	g_assert_cmpuint(figures_count(f), ==, n);
	g_assert_true(f->sum_ns == sum);
	g_assert_true(f->sum_sq_ns2 == sum_sq);
	g_assert_cmpuint(f->min_ns, ==, sample[0]);
	g_assert_cmpuint(f->max_ns, ==, sample[n - 1]);
	g_assert_true(figures_mean_ns(f, &d));
	assert_near(d, mean, 1e-6);
	g_assert_true(figures_stddev_ns(f, &d));
	assert_near(d, sqrtl(square / (n - 1)), 1e-6);
	for (const struct figures_percentile *p = figures_percentiles; p->name; p++) {
		bool known = figures_percentile_ns(f, p->ppm, false, &ns);

		g_assert_true(known == ((u128)n * (1000000 - p->ppm) >= 1000000));
		if (known)
			assert_near(ns, exact_percentile(sample, n, p->ppm), 0.01);
	}
	g_assert_cmpuint(f->n_worst, ==, MIN(n, FIGURES_WORST));
	for (uint32_t i = 0; i < f->n_worst; i++)
		g_assert_cmpuint(f->worst[i].latency_ns, ==, sample[n - 1 - i]);
}

static double random_normal(GRand *rand)
{
	return sqrt(-2 * log(1 - g_rand_double(rand))) * cos(2 * G_PI * g_rand_double(rand));
}

static void test_distributions(void)
{
	g_autoptr(GRand) rand = g_rand_new_with_seed(1);
	size_t n = 100001;
	g_autofree uint64_t *sample = g_new(uint64_t, n);

	for (int shape = 0; shape < 5; shape++) {
		for (size_t i = 0; i < n; i++) {
			switch (shape) {
			case 0: /* uniform, 1 ns .. 1 h */
				sample[i] = 1 + g_rand_double(rand) * HOUR_NS;
				break;
			case 1: /* log-normal around 20 us */
				sample[i] = exp(log(20000) + 0.8 * random_normal(rand));
				break;
			case 2: /* log-uniform, 1 ns .. 1 h */
				sample[i] = exp(g_rand_double(rand) * log(HOUR_NS));
				break;
			case 3: /* two peaks */
				sample[i] =
					(i % 3 ? 5000 : 900000) + g_rand_int_range(rand, 0, 100);
				break;
			default: /* a small spread on a large offset */
				sample[i] = 1000000000000 + g_rand_int_range(rand, -1, 2);
				break;
			}
		}
		check_against_exact(sample, n);
		check_against_exact(sample, n - 1); /* sorted, and an even number */
		check_against_exact(sample, 1000);
	}
}

static void test_median(void)
{
	const uint64_t even[] = { 5, 5, 9, 9 }, odd[] = { 5, 9, 9 };
	g_autofree struct figures *e = figures_of(even, 4), *o = figures_of(odd, 3);
	uint64_t ns;

	g_assert_true(figures_percentile_ns(e, 500000, false, &ns));
	g_assert_cmpuint(ns, ==, 7);
	g_assert_true(figures_percentile_ns(o, 500000, false, &ns));
	g_assert_cmpuint(ns, ==, 9);
}

static void test_few(void)
{
	const uint64_t sample[] = { 40000, 50000 };
	g_autofree struct figures *none = figures_of(sample, 0), *one = figures_of(sample, 1),
				  *two = figures_of(sample, 2);
	uint64_t ns;
	double d;

	g_assert_cmpuint(figures_count(none), ==, 0);
	g_assert_false(figures_mean_ns(none, &d));
	g_assert_false(figures_stddev_ns(none, &d));
	g_assert_false(figures_percentile_ns(none, 500000, false, &ns));
	g_assert_false(figures_percentile_ns(none, 0, false, &ns));

	g_assert_true(figures_mean_ns(one, &d));
	g_assert_cmpfloat(d, ==, 40000);
	g_assert_false(figures_stddev_ns(one, &d));
	g_assert_false(figures_percentile_ns(one, 500000, false, &ns)); /* n (1-p) < 1 */

	g_assert_true(figures_stddev_ns(two, &d));
	assert_near(d, sqrt(50000000), 1e-9);
	g_assert_true(figures_percentile_ns(two, 500000, false, &ns));
	assert_near(ns, 45000, 0.01);
	g_assert_false(figures_percentile_ns(two, 750000, false, &ns));
}

/* Samples of 0 are samples, but nobody's worst. */
static void test_zeroes(void)
{
	const uint64_t sample[] = { 0, 0, 5, 0 };
	g_autofree struct figures *f = figures_of(sample, 4), *none = figures_of(sample, 2);
	uint64_t ns;

	g_assert_cmpuint(f->n_worst, ==, 1);
	g_assert_cmpuint(f->max_ns, ==, 5);
	g_assert_cmpuint(f->min_ns, ==, 0);
	g_assert_true(figures_percentile_ns(f, 500000, false, &ns));
	g_assert_cmpuint(ns, ==, 0);
	g_assert_cmpuint(none->n_worst, ==, 0);
	g_assert_cmpuint(none->max_ns, ==, 0);
	g_assert_cmpuint(figures_count(none), ==, 2);
}

static void test_extremes(void)
{
	const uint64_t sample[] = { UINT64_MAX, 0, UINT64_MAX, 1, HOUR_NS };
	g_autofree struct figures *f = figures_of(sample, 5);
	uint64_t ns;
	double d;

	g_assert_cmpuint(f->min_ns, ==, 0);
	g_assert_cmpuint(f->max_ns, ==, UINT64_MAX);
	g_assert_cmpuint(figures_count(f), ==, 5);
	g_assert_true(figures_mean_ns(f, &d));
	assert_near(d, (2 * 18446744073709551615.0 + 1 + HOUR_NS) / 5, 1e-9);
	/* the sum of squares has wrapped; the deviation says so by coming from the buckets */
	g_assert_true(figures_stddev_ns(f, &d));
	assert_near(d, 18446744073709551615.0 * sqrt((3 * 0.16 + 2 * 0.36) / 4), 0.01);
	g_assert_true(figures_percentile_ns(f, 800000, false, &ns));
	assert_near(ns, 18446744073709551615.0, 0.01);
}

/* Corrected view against the loop it stands for. */
static void test_missed(void)
{
	const uint64_t latency[] = { 10, 999, 1000, 1001, 2500, 1000000, 3, 123456789 };
	g_autofree struct figures *f = figures_new();
	GArray *all = g_array_new(FALSE, FALSE, sizeof(uint64_t));
	uint64_t missed = 0, ns;
	long double sum = 0;
	double d;

	f->has_grid = 1;
	for (size_t i = 0; i < G_N_ELEMENTS(latency); i++) {
		uint64_t m = latency[i] / 1000;

		figures_record(f, latency[i], i);
		g_assert_cmpuint(figures_miss(f, latency[i], 1000), ==, m);
		missed += m;
		for (uint64_t k = 0; k <= m; k++) {
			uint64_t l = latency[i] - k * 1000;

			g_array_append_val(all, l);
			sum += l;
		}
	}
	g_assert_cmpuint(f->missed, ==, missed);
	g_assert_cmpuint(figures_corrected_count(f), ==, all->len);
	g_assert_cmpint(figures_check(f), ==, 0);
	g_assert_true(figures_corrected_mean_ns(f, &d));
	assert_near(d, sum / all->len, 1e-9);
	qsort(all->data, all->len, sizeof(uint64_t), compare_u64);
	for (const struct figures_percentile *p = figures_percentiles; p->name; p++)
		if (figures_percentile_ns(f, p->ppm, true, &ns))
			assert_near(ns, exact_percentile((uint64_t *)all->data, all->len, p->ppm),
				    0.01);
	g_array_free(all, TRUE);
}

static void test_close(void)
{
	g_autofree struct figures *f = figures_new();

	f->has_grid = 1;
	g_assert_cmpuint(figures_close(f, 5000, 1000, 4999), ==, 0);
	g_assert_cmpuint(f->pending_ns, ==, 0);
	g_assert_cmpuint(figures_close(f, 5000, 1000, 7999), ==, 3); /* 5000, 6000, 7000 */
	g_assert_cmpuint(f->pending_ns, ==, 2999);
	g_assert_cmpuint(f->missed, ==, 3);
	g_assert_true(f->missed_sum_ns == 2999 + 1999 + 999);
	g_assert_cmpuint(figures_count(f), ==, 0);
	g_assert_cmpuint(figures_corrected_count(f), ==, 3);
	g_assert_cmpint(figures_check(f), ==, 0);
}

static void test_within(void)
{
	const uint64_t sample[] = { 0, 99, 100, 101, 500 };
	g_autofree struct figures *f = figures_new(), *sum = figures_new(), *other = figures_new();

	f->within_bound_ns = 100;
	for (size_t i = 0; i < G_N_ELEMENTS(sample); i++)
		figures_record(f, sample[i], i);
	g_assert_cmpuint(f->within, ==, 3);
	figures_add(sum, f);
	figures_add(sum, f);
	g_assert_cmpuint(sum->within, ==, 6);
	other->within_bound_ns = 200;
	figures_record(other, 1, 1);
	figures_add(sum, other); /* two bounds: no share */
	g_assert_cmpuint(sum->within_bound_ns, ==, 0);
	g_assert_cmpuint(sum->within, ==, 0);
	g_assert_cmpint(figures_check(sum), ==, 0);
}

static uint64_t blocks_count(const struct figures *f)
{
	uint64_t n = 0;

	for (uint32_t i = 0; i < f->n_blocks; i++)
		n += f->blocks[i].count;
	return n;
}

static void test_blocks(void)
{
	g_autofree struct figures *f = figures_new();

	figures_record(f, 7, 0);
	figures_record(f, 9, 999999999);
	figures_record(f, 3, 5000000000); /* seconds 1..4 have none and keep their place */
	g_assert_cmpuint(f->n_blocks, ==, 6);
	g_assert_cmpuint(f->blocks[0].count, ==, 2);
	g_assert_cmpuint(f->blocks[0].max_ns, ==, 9);
	g_assert_cmpuint(f->blocks[0].sum_ns, ==, 16);
	g_assert_cmpuint(f->blocks[3].count, ==, 0);
	g_assert_cmpuint(f->blocks[5].max_ns, ==, 3);
	figures_record(f, 8, 4095999999999);
	g_assert_cmpuint(f->n_blocks, ==, 4096);
	g_assert_cmpuint(f->block_length_ns, ==, FIGURES_BLOCK_START_NS);
	figures_record(f, 1, 4096000000000); /* full: pairs merged */
	g_assert_cmpuint(f->block_length_ns, ==, 2 * FIGURES_BLOCK_START_NS);
	g_assert_cmpuint(f->n_blocks, ==, 2049);
	g_assert_cmpuint(f->blocks[0].count, ==, 2);
	g_assert_cmpuint(f->blocks[2].max_ns, ==, 3);
	g_assert_cmpuint(f->blocks[2047].max_ns, ==, 8);
	g_assert_cmpuint(f->blocks[2048].count, ==, 1);
	figures_record(f, 2, UINT64_MAX); /* no time is too far */
	g_assert_cmpuint(f->n_blocks, <=, FIGURES_BLOCKS);
	g_assert_cmpuint(blocks_count(f), ==, figures_count(f));
	figures_record(f, 2, 0); /* nor too early */
	g_assert_cmpuint(blocks_count(f), ==, figures_count(f));
	g_assert_cmpint(figures_check(f), ==, 0);
}

/* Adding in any order, with blocks of different lengths, is recording all in one. */
static void test_add(void)
{
	g_autoptr(GRand) rand = g_rand_new_with_seed(2);
	g_autofree struct figures *all = figures_new(), *ab = figures_new(), *ba = figures_new();
	struct figures *part[3];
	const uint64_t span[3] = { 10, 5000, 60000 }; /* seconds: lengths 1, 2 and 16 s */

	for (int i = 0; i < 3; i++)
		part[i] = figures_new();
	all->has_grid = part[0]->has_grid = part[1]->has_grid = 1;
	for (int i = 0; i < 3; i++) {
		for (int k = 0; k < 2000; k++) {
			uint64_t at = span[i] * 1000000000 / 2000 * k;
			uint64_t ns = exp(g_rand_double(rand) * 20);

			figures_record(part[i], ns, at);
			figures_miss(part[i], ns, 1000);
			figures_record(all, ns, at);
			figures_miss(all, ns, 1000);
		}
		part[i]->migrated = all->migrated = i;
	}
	all->migrated = 3;
	for (int i = 0; i < 3; i++) {
		figures_add(ab, part[i]);
		figures_add(ba, part[2 - i]);
	}
	g_assert_cmpint(figures_check(ab), ==, 0);
	g_assert_cmpmem(ab->bucket, sizeof(ab->bucket), all->bucket, sizeof(all->bucket));
	g_assert_cmpmem(ab->missed_bucket, sizeof(ab->bucket), all->missed_bucket,
			sizeof(all->bucket));
	g_assert_true(ab->sum_sq_ns2 == all->sum_sq_ns2);
	g_assert_true(ab->missed_sum_ns == all->missed_sum_ns);
	g_assert_cmpuint(ab->migrated, ==, 3);
	g_assert_cmpuint(ab->has_grid, ==, 1);
	g_assert_cmpuint(ab->n_blocks, ==, all->n_blocks);
	g_assert_cmpuint(ab->block_length_ns, ==, 16 * FIGURES_BLOCK_START_NS);
	g_assert_cmpmem(ab->blocks, sizeof(ab->blocks), all->blocks, sizeof(all->blocks));
	g_assert_cmpmem(ba->blocks, sizeof(ba->blocks), all->blocks, sizeof(all->blocks));
	for (int i = 0; i < FIGURES_WORST; i++) {
		g_assert_cmpuint(ab->worst[i].latency_ns, ==, all->worst[i].latency_ns);
		g_assert_cmpuint(ba->worst[i].latency_ns, ==, all->worst[i].latency_ns);
	}
	for (int i = 0; i < 3; i++)
		g_free(part[i]);
}

/* Not in real time: nothing wraps, memory is what it was. */
static void test_hundred_million(void)
{
	g_autofree struct figures *f = figures_new();
	const uint64_t n = 100000000;
	double d;

	for (uint64_t i = 0; i < n; i++)
		figures_record(f, HOUR_NS - (i & 1), i * 1000000);
	g_assert_cmpuint(figures_count(f), ==, n);
	g_assert_true(f->sum_ns == (u128)n * HOUR_NS - n / 2);
	g_assert_true(f->sum_sq_ns2 == (u128)n / 2 * HOUR_NS * HOUR_NS +
					       (u128)n / 2 * (HOUR_NS - 1) * (HOUR_NS - 1));
	g_assert_true(figures_mean_ns(f, &d));
	assert_near(d, HOUR_NS - 0.5, 1e-12);
	g_assert_true(figures_stddev_ns(f, &d));
	assert_near(d, 0.5, 1e-6);
	g_assert_cmpuint(blocks_count(f), ==, n);
	g_assert_cmpint(figures_check(f), ==, 0);
}

static void test_codec(void)
{
	g_autoptr(GRand) rand = g_rand_new_with_seed(3);
	g_autoptr(GByteArray) bytes = g_byte_array_new(), again = g_byte_array_new();
	g_autofree struct figures *f = figures_new(), *back = NULL, *none = figures_new();

	f->has_grid = 1;
	f->within_bound_ns = 30000;
	for (int i = 0; i < 100000; i++) {
		uint64_t ns = exp(log(20000) + 0.8 * random_normal(rand));

		figures_record(f, ns, i * 1000000ULL);
		figures_miss(f, ns, 100000);
	}
	f->worst[3].self = 1;
	f->migrated = 7;
	f->nominal_ns = UINT64_MAX;
	figures_close(f, 0, 1, 1000000);
	figures_encode(f, bytes);
	g_assert_cmpuint(bytes->len, <, 8192);
	g_assert_cmpint(figures_decode(bytes->data, bytes->len, &back), ==, 0);
	g_assert_cmpmem(f, sizeof(*f), back, sizeof(*back));
	figures_encode(back, again);
	g_assert_cmpmem(bytes->data, bytes->len, again->data, again->len);
	for (guint i = 0; i < bytes->len; i++) {
		struct figures *cut = NULL;

		g_assert_cmpint(figures_decode(bytes->data, i, &cut), ==, -EBADMSG);
		g_assert_null(cut);
	}
	g_byte_array_set_size(again, 0);
	figures_encode(none, again);
	g_free(g_steal_pointer(&back));
	g_assert_cmpint(figures_decode(again->data, again->len, &back), ==, 0);
	g_assert_cmpmem(none, sizeof(*none), back, sizeof(*back));
}

static void test_codec_refuses(void)
{
	g_autoptr(GByteArray) bytes = g_byte_array_new();
	g_autofree struct figures *f = figures_new();
	struct figures *back = NULL;

	figures_record(f, 1000, 0);
	f->max_ns = 5000000; /* no sample there */
	figures_encode(f, bytes);
	g_assert_cmpint(figures_decode(bytes->data, bytes->len, &back), ==, -EBADMSG);
	f->max_ns = 1000;
	f->missed = 3; /* no bucket has them */
	g_byte_array_set_size(bytes, 0);
	figures_encode(f, bytes);
	g_assert_cmpint(figures_decode(bytes->data, bytes->len, &back), ==, -EBADMSG);
	f->missed = 0;
	f->block_length_ns = 3 * FIGURES_BLOCK_START_NS; /* never doubled to that */
	g_byte_array_set_size(bytes, 0);
	figures_encode(f, bytes);
	g_assert_cmpint(figures_decode(bytes->data, bytes->len, &back), ==, -EBADMSG);
	f->block_length_ns = FIGURES_BLOCK_START_NS;
	g_byte_array_set_size(bytes, 0);
	figures_encode(f, bytes);
	bytes->data[0] = 2; /* version */
	g_assert_cmpint(figures_decode(bytes->data, bytes->len, &back), ==, -EBADMSG);
}

static void test_rebuild(void)
{
	g_autofree struct figures *f = figures_new();
	double d;

	for (int i = 0; i < 1000; i++)
		figures_record(f, 1000 + i, i);
	f->bucket[histogram_bucket(70000)]++; /* killed right after the bucket */
	f->sum_ns = 12345;
	f->sum_sq_ns2 = 1;
	f->missed_bucket[100] = 2;
	figures_rebuild(f);
	g_assert_cmpint(figures_check(f), ==, 0);
	g_assert_cmpuint(f->torn, ==, 1);
	g_assert_cmpuint(figures_count(f), ==, 1001);
	g_assert_cmpuint(f->min_ns, ==, 1000);
	assert_near(f->max_ns, 70000, 0.01);
	g_assert_cmpuint(f->missed, ==, 2);
	g_assert_true(figures_mean_ns(f, &d));
	assert_near(d, (1499.5 * 1000 + 70000) / 1001, 0.01);
	g_assert_true(figures_stddev_ns(f, &d));
	g_assert_cmpuint(blocks_count(f), ==, 1000);
	f->blocks[0].count = 3; /* not one off: a merge cut short */
	figures_rebuild(f);
	g_assert_cmpuint(f->n_blocks, ==, 0);
	g_assert_cmpint(figures_check(f), ==, 0);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/figures/distributions", test_distributions);
	g_test_add_func("/figures/median", test_median);
	g_test_add_func("/figures/few", test_few);
	g_test_add_func("/figures/zeroes", test_zeroes);
	g_test_add_func("/figures/extremes", test_extremes);
	g_test_add_func("/figures/missed", test_missed);
	g_test_add_func("/figures/close", test_close);
	g_test_add_func("/figures/within", test_within);
	g_test_add_func("/figures/blocks", test_blocks);
	g_test_add_func("/figures/add", test_add);
	g_test_add_func("/figures/hundred-million", test_hundred_million);
	g_test_add_func("/figures/codec", test_codec);
	g_test_add_func("/figures/codec-refuses", test_codec_refuses);
	g_test_add_func("/figures/rebuild", test_rebuild);
	return g_test_run();
}
