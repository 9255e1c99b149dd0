/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "histogram.h"

#include <glib.h>
#include <string.h>

/* Buckets follow each other without a gap up to the end of 64 bits, none wider than 1/64. */
static void test_buckets(void)
{
	g_assert_cmpuint(histogram_bucket(0), ==, 0);
	g_assert_cmpuint(histogram_bucket(UINT64_MAX), ==, HISTOGRAM_BUCKETS - 1);
	g_assert_cmpuint(histogram_high_ns(HISTOGRAM_BUCKETS - 1), ==, UINT64_MAX);
	for (unsigned b = 0; b < HISTOGRAM_BUCKETS; b++) {
		uint64_t low = histogram_low_ns(b), high = histogram_high_ns(b);
		uint64_t mid = histogram_mid_ns(b);
		uint64_t last = b + 1 < HISTOGRAM_BUCKETS ? high - 1 : high;

		g_assert_cmpuint(histogram_bucket(low), ==, b);
		g_assert_cmpuint(histogram_bucket(last), ==, b);
		g_assert_cmpuint(histogram_bucket(mid), ==, b);
		g_assert_cmpuint((last - low) * 64, <=, last);
		g_assert_cmpfloat((double)(last - mid), <=, 0.008 * (double)last);
		g_assert_cmpfloat((double)(mid - low), <=, 0.008 * (double)mid);
	}
}

/* The closed form against the loop that it stands for. */
static void test_progression(void)
{
	g_autoptr(GRand) rand = g_rand_new_with_seed(5);

	for (int round = 0; round < 200; round++) {
		g_autofree uint64_t *fast = g_new0(uint64_t, HISTOGRAM_BUCKETS);
		g_autofree uint64_t *slow = g_new0(uint64_t, HISTOGRAM_BUCKETS);
		uint64_t step = 1 + g_rand_int_range(rand, 0, round % 2 ? 10 : 100000);
		uint64_t n = g_rand_int_range(rand, 0, 3000);
		uint64_t first = n * step + g_rand_int_range(rand, 0, 1000);

		histogram_add_progression(fast, first, step, n);
		for (uint64_t k = 0; k < n; k++)
			slow[histogram_bucket(first - k * step)]++;
		g_assert_cmpmem(fast, HISTOGRAM_BUCKETS * sizeof(*fast), slow,
				HISTOGRAM_BUCKETS * sizeof(*slow));
	}
}

/* Not O(n): this would take centuries. */
static void test_progression_long(void)
{
	g_autofree uint64_t *bucket = g_new0(uint64_t, HISTOGRAM_BUCKETS);

	histogram_add_progression(bucket, UINT64_MAX - 1, 1, UINT64_MAX);
	g_assert_cmpuint(histogram_count(bucket), ==, UINT64_MAX);
	g_assert_cmpuint(bucket[0], ==, 1);
	g_assert_cmpuint(bucket[127], ==, 1);
	g_assert_cmpuint(bucket[128], ==, 2);
}

static void test_rank(void)
{
	g_autofree uint64_t *a = g_new0(uint64_t, HISTOGRAM_BUCKETS);
	g_autofree uint64_t *b = g_new0(uint64_t, HISTOGRAM_BUCKETS);

	g_assert_cmpint(histogram_rank(a, NULL, 1), ==, -1);
	a[3] = 2;
	a[9] = 1;
	b[5] = 4;
	g_assert_cmpint(histogram_rank(a, NULL, 0), ==, -1);
	g_assert_cmpint(histogram_rank(a, NULL, 2), ==, 3);
	g_assert_cmpint(histogram_rank(a, NULL, 3), ==, 9);
	g_assert_cmpint(histogram_rank(a, NULL, 4), ==, -1);
	g_assert_cmpint(histogram_rank(a, b, 3), ==, 5);
	g_assert_cmpint(histogram_rank(a, b, 7), ==, 9);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/histogram/buckets", test_buckets);
	g_test_add_func("/histogram/progression", test_progression);
	g_test_add_func("/histogram/progression-long", test_progression_long);
	g_test_add_func("/histogram/rank", test_rank);
	return g_test_run();
}
