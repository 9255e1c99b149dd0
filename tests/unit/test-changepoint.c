/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shifts that are there are found, those that are not are not; seeds are fixed. */
#include "changepoint-trial.h"

#include <math.h>
#include <string.h>

static size_t find(const double *values, size_t n, struct changepoint *ret)
{
	return changepoint_find(values, n, ret, 8);
}

static void test_nothing(void)
{
	double values[100];
	struct changepoint c[8];

	for (size_t n = 0; n < 10; n++) {
		for (size_t i = 0; i < n; i++)
			values[i] = i < n / 2 ? 1 : 100;
		g_assert_cmpuint(find(values, n, c), ==, 0);
	}
	for (size_t i = 0; i < 100; i++)
		values[i] = 42;
	g_assert_cmpuint(find(values, 100, c), ==, 0);
	for (size_t i = 0; i < 100; i++)
		values[i] = i % 2;
	g_assert_cmpuint(find(values, 100, c), ==, 0);
	/* one outlier is no level, whatever its size */
	values[50] = 1e300;
	g_assert_cmpuint(find(values, 100, c), ==, 0);
	g_assert_cmpuint(changepoint_find(values, 100, c, 0), ==, 0);
}

/* Places, levels and chance of clear steps. */
static void test_steps(void)
{
	static const double levels[] = { 10, 20, 5, 50 };
	double values[200];
	struct changepoint c[8];

	for (size_t i = 0; i < 200; i++)
		values[i] = levels[i / 50] + (double)(i * 7 % 5) / 10;
	g_assert_cmpuint(find(values, 200, c), ==, 3);
	for (size_t i = 0; i < 3; i++) {
		g_assert_cmpuint(c[i].at, ==, 50 * (i + 1));
		g_assert_cmpfloat(fabs(c[i].before - levels[i] - 0.2), <, 1e-9);
		g_assert_cmpfloat(fabs(c[i].after - levels[i + 1] - 0.2), <, 1e-9);
		g_assert_cmpfloat(c[i].p, <, CHANGEPOINT_P);
		g_assert_false(c[i].fresh);
	}
	/* no room for all of them: the last ones */
	g_assert_cmpuint(changepoint_find(values, 200, c, 2), ==, 2);
	g_assert_cmpuint(c[0].at, ==, 100);
	g_assert_cmpuint(c[1].at, ==, 150);
}

static void test_fresh(void)
{
	double values[40];
	struct changepoint c[8];

	for (size_t i = 0; i < 40; i++)
		values[i] = (double)(i * 7 % 11) + (i >= 36 ? 100 : 0);
	g_assert_cmpuint(find(values, 40, c), ==, 1);
	g_assert_cmpuint(c[0].at, ==, 36);
	g_assert_true(c[0].fresh);
	g_assert_cmpfloat(c[0].after, >, 100);
	/* two of them are not enough */
	for (size_t i = 36; i < 38; i++)
		values[i] -= 100;
	g_assert_cmpuint(find(values, 40, c), ==, 0);
}

/* The order of values is all that counts. */
static void test_ranks(void)
{
	struct changepoint_trial t = { SERIES_GUMBEL, 0, 0, 100, 50, 50, 2 };
	GRand *rand = g_rand_new_with_seed(3);
	double values[100], curved[100];
	struct changepoint a[8], b[8];
	size_t n;

	changepoint_trial_series(&t, rand, values);
	for (size_t i = 0; i < 100; i++)
		curved[i] = exp(3 * values[i]);
	n = find(values, 100, a);
	g_assert_cmpuint(n, >, 0);
	g_assert_cmpuint(find(curved, 100, b), ==, n);
	for (size_t i = 0; i < n; i++) {
		g_assert_cmpuint(a[i].at, ==, b[i].at);
		g_assert_cmpfloat(a[i].p, ==, b[i].p);
	}
	g_rand_free(rand);
}

static void test_alarms(void)
{
	static const struct {
		struct changepoint_trial trial;
		unsigned most; /* of 500 */
	} cases[] = {
		{ { SERIES_GUMBEL, .n = 30 }, 12 },	  { { SERIES_GUMBEL, .n = 100 }, 12 },
		{ { SERIES_GUMBEL, .n = 365 }, 12 },	  { { SERIES_NORMAL, 0.3, .n = 30 }, 25 },
		{ { SERIES_NORMAL, 0.3, .n = 100 }, 25 }, { { SERIES_NORMAL, 0.3, .n = 365 }, 25 },
	};
	unsigned runs = g_getenv("LRTBF_VALGRIND") ? 50 : 500;

	for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
		struct changepoint_count c =
			changepoint_trial_run(&cases[i].trial, runs, 20051 + i);

		g_test_message("case %zu: %u of %u", i, c.flagged, runs);
		g_assert_cmpuint(c.flagged, <=, cases[i].most);
	}
}

static void test_power(void)
{
	struct changepoint_trial t = { SERIES_GUMBEL, 0, 0, 100, 50, 50, 2 };
	unsigned runs = g_getenv("LRTBF_VALGRIND") ? 50 : 500;
	struct changepoint_count c = changepoint_trial_run(&t, runs, 20057);

	g_test_message("found %u, within 2 places %u, of %u", c.flagged, c.near, runs);
	g_assert_cmpuint(c.flagged * 100, >=, runs * 95);
	g_assert_cmpuint(c.near * 100, >=, runs * 85);
	/* one that came and went is seen too */
	t = (struct changepoint_trial){ SERIES_GUMBEL, 0, 0, 1000, 300, 60, 3 };
	c = changepoint_trial_run(&t, runs / 10, 20058);
	g_assert_cmpuint(c.flagged * 10, >=, c.runs * 8);
}

/* A hundred thousand values with a shift in each ten thousand. */
static void test_long(void)
{
	size_t n = g_getenv("LRTBF_VALGRIND") ? 5000 : 100000, found;
	g_autofree double *values = g_new(double, n);
	struct changepoint_trial t = { SERIES_GUMBEL, .n = n };
	GRand *rand = g_rand_new_with_seed(8);
	struct changepoint c[32];

	changepoint_trial_series(&t, rand, values);
	for (size_t i = 0; i < n; i++)
		values[i] += 2.0 * (double)(i * 10 / n);
	found = changepoint_find(values, n, c, 32);
	g_assert_cmpuint(found, >=, 9);
	g_assert_cmpuint(found, <=, 10);
	g_rand_free(rand);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/changepoint/nothing", test_nothing);
	g_test_add_func("/changepoint/steps", test_steps);
	g_test_add_func("/changepoint/fresh", test_fresh);
	g_test_add_func("/changepoint/ranks", test_ranks);
	g_test_add_func("/changepoint/alarms", test_alarms);
	g_test_add_func("/changepoint/power", test_power);
	g_test_add_func("/changepoint/long", test_long);
	return g_test_run();
}
