/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pointfigure.h"

#include <math.h>

static struct limit limit_of(const char *text)
{
	struct limit l;

	g_assert_cmpint(limit_parse(text, &l, NULL), ==, 0);
	return l;
}

static void test_value(void)
{
	static const struct {
		const char *limit;
		double value;
	} cases[] = {
		{ "max <= 1us", 4 },
		{ "min <= 1us", 2 },
		{ "avg <= 1us", 3 },
		{ "stddev <= 1us", 5 },
		{ "missed <= 1", 6 },
		{ "lost <= 1", 7 },
		{ "within >= 1%", 8 },
		{ "p50 <= 1us", 10 },
		{ "p99.9 <= 1us", 15 },
		{ "p99.9999 <= 1us", 18 },
		{ "corrected.p50 <= 1us", 110 },
		{ "corrected.p99.9999 <= 1us", 118 },
	};
	double percentiles[16], corrected[16];
	struct store_point p = {
		.min_ns = 2,
		.avg_ns = 3,
		.max_ns = 4,
		.stddev_ns = 5,
		.missed = 6,
		.lost = 7,
		.within = 8,
		.percentile_ns = percentiles,
		.corrected_ns = corrected,
	};
	struct limit l;

	for (int i = 0; i < 16; i++) {
		percentiles[i] = 10 + i;
		corrected[i] = 110 + i;
	}
	for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_test_message("%s", cases[i].limit);
		l = limit_of(cases[i].limit);
		g_assert_cmpfloat(pointfigure_value(&l, &p), ==, cases[i].value);
	}
	l = limit_of("p12.5 <= 1us"); /* points do not keep it */
	g_assert_true(isnan(pointfigure_value(&l, &p)));
	p.max_ns = NAN;
	l = limit_of("max <= 1us");
	g_assert_true(isnan(pointfigure_value(&l, &p)));
}

static void test_joined(void)
{
	struct limit max = limit_of("max <= 1us"), avg = limit_of("avg <= 1us");
	double odd[] = { 9, 1, 5 }, even[] = { 9, 1, 5, 2 }, one[] = { 7 };

	g_assert_cmpfloat(pointfigure_joined(&avg, odd, 3), ==, 5);
	g_assert_cmpfloat(pointfigure_joined(&avg, even, 4), ==, 3.5);
	g_assert_cmpfloat(pointfigure_joined(&avg, one, 1), ==, 7);
	g_assert_cmpfloat(pointfigure_joined(&max, odd, 3), ==, 9);
	g_assert_cmpfloat(pointfigure_joined(&max, even, 4), ==, 9);
	g_assert_true(isnan(pointfigure_joined(&max, one, 0)));
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/pointfigure/value", test_value);
	g_test_add_func("/pointfigure/joined", test_joined);
	return g_test_run();
}
