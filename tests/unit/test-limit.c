/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "limit.h"

#include <errno.h>
#include <string.h>

static struct limit parsed(const char *text)
{
	g_autofree char *why = NULL;
	struct limit l;

	if (limit_parse(text, &l, &why) < 0)
		g_error("%s", why);
	return l;
}

static void test_good(void)
{
	static const struct {
		const char *text;
		enum limit_figure figure;
		uint32_t ppm;
		uint64_t bound;
		const char *normalised;
	} good[] = {
		{ "max <= 100us", LIMIT_MAX, 0, 100000, "max <= 100us" },
		{ "max<=0.1ms", LIMIT_MAX, 0, 100000, "max <= 100us" },
		{ " min  <=  5us ", LIMIT_MIN, 0, 5000, "min <= 5us" },
		{ "avg <= 20us", LIMIT_AVG, 0, 20000, "avg <= 20us" },
		{ "stddev <= 5us", LIMIT_STDDEV, 0, 5000, "stddev <= 5us" },
		{ "p99.99 <= 50us", LIMIT_PERCENTILE, 999900, 50000, "p99.99 <= 50us" },
		{ "p99.9900 <= 50us", LIMIT_PERCENTILE, 999900, 50000, "p99.99 <= 50us" },
		{ "p50 <= 1us", LIMIT_PERCENTILE, 500000, 1000, "p50 <= 1us" },
		{ "p0.0001 <= 1us", LIMIT_PERCENTILE, 1, 1000, "p0.0001 <= 1us" },
		{ "p99.9999 <= 1us", LIMIT_PERCENTILE, 999999, 1000, "p99.9999 <= 1us" },
		{ "corrected.p99 <= 1ms", LIMIT_CORRECTED_PERCENTILE, 990000, 1000000,
		  "corrected.p99 <= 1ms" },
		{ "missed <= 0", LIMIT_MISSED, 0, 0, "missed <= 0" },
		{ "lost <= 3", LIMIT_LOST, 0, 3, "lost <= 3" },
		{ "within >= 99.9%", LIMIT_WITHIN, 0, 999000, "within >= 99.9%" },
		{ "within >= 100 %", LIMIT_WITHIN, 0, 1000000, "within >= 100%" },
		{ "p99.9 <= baseline + 10%", LIMIT_PERCENTILE, 999000, 0,
		  "p99.9 <= baseline + 10%" },
		{ "max<=baseline+1000%", LIMIT_MAX, 0, 0, "max <= baseline + 1000%" },
		{ " avg  <=  baseline ", LIMIT_AVG, 0, 0, "avg <= baseline" },
		{ "avg <= baseline + 0 %", LIMIT_AVG, 0, 0, "avg <= baseline" },
		{ "min <= baseline - 0.5000 %", LIMIT_MIN, 0, 0, "min <= baseline - 0.5%" },
		{ "stddev <= baseline - 99.9999%", LIMIT_STDDEV, 0, 0,
		  "stddev <= baseline - 99.9999%" },
		{ "corrected.p99.9999 <= baseline + 999.9999%", LIMIT_CORRECTED_PERCENTILE, 999999,
		  0, "corrected.p99.9999 <= baseline + 999.9999%" },
	};

	for (size_t i = 0; i < G_N_ELEMENTS(good); i++) {
		struct limit l = parsed(good[i].text), again;

		g_assert_cmpint(l.figure, ==, good[i].figure);
		g_assert_cmpuint(l.ppm, ==, good[i].ppm);
		g_assert_cmpuint(l.bound, ==, good[i].bound);
		g_assert_cmpstr(l.text, ==, good[i].normalised);
		again = parsed(l.text);
		g_assert_cmpmem(&l, sizeof(l), &again, sizeof(again));
	}
}

static void test_bad(void)
{
	static const char *const bad[] = {
		"",
		"max",
		"max <= ",
		"max < 5us",
		"max = 5us",
		"max >= 5us",
		"max == 5us",
		"max <== 5us",
		"max <= 5",
		"max <= 5 parsec",
		"max <= -5us",
		"maximum <= 5us",
		"p <= 5us",
		"p100 <= 5us",
		"p0 <= 5us",
		"p101 <= 5us",
		"p99.99999 <= 5us",
		"p99. <= 5us",
		"p-1 <= 5us",
		"p99,9 <= 5us",
		"pp99 <= 5us",
		"corrected.max <= 5us",
		"corrected.p <= 5us",
		"missed <= 5us",
		"missed <= -1",
		"missed <= 1.5",
		"lost <= x",
		"within <= 99%",
		"within >= 99",
		"within >= 101%",
		"within >= 99.99999%",
		"within >= -1%",
		"within >= %",
		"<= 5us",
		"max <= baseline + 10",
		"max <= baseline 10%",
		"max <= baseline +",
		"max <= baseline + %",
		"max <= baseline + 1000.0001%",
		"max <= baseline + 0.00001%",
		"max <= baseline - 100%",
		"max <= baseline + -5%",
		"max <= baseline * 1.1",
		"max <= baselines",
		"max <= 2 baseline",
		"max >= baseline",
		"p97 <= baseline + 5%",
		"missed <= baseline",
		"lost <= baseline + 5%",
		"within >= baseline - 1%",
		"max <= 5us max <= 6us",
		"max <= 9999999d",
		"missed <= 99999999999999999999",
	};
	g_autofree char *long_one = g_strnfill(5000, 'x');

	for (size_t i = 0; i < G_N_ELEMENTS(bad); i++) {
		g_autofree char *why = NULL;
		struct limit l = { .bound = 77 };

		if (limit_parse(bad[i], &l, &why) == 0)
			g_error("\"%s\" was taken", bad[i]);
		g_assert_nonnull(why);
		g_assert_cmpuint(l.bound, ==, 77);
	}
	g_assert_cmpint(limit_parse(long_one, &(struct limit){ 0 }, NULL), ==, -EINVAL);
}

static void judge(const char *text, const struct figures *f, enum limit_outcome outcome,
		  uint64_t value)
{
	struct limit l = parsed(text);
	uint64_t got = 4242;

	if (limit_judge(&l, f, &got) != outcome)
		g_error("\"%s\" was judged %d", text, limit_judge(&l, f, &got));
	g_assert_cmpuint(got, ==, outcome == LIMIT_UNKNOWN ? 4242 : value);
}

static void test_judge_samples(void)
{
	g_autofree struct figures *f = figures_new();

	f->has_grid = 1;
	f->within_bound_ns = 15000;
	for (int i = 0; i < 1000; i++)
		figures_record(f, i < 999 ? 10000 : 20000, i * 1000000);
	judge("max <= 20us", f, LIMIT_KEPT, 20000);
	judge("max <= 19999ns", f, LIMIT_BROKEN, 20000);
	judge("min <= 10us", f, LIMIT_KEPT, 10000);
	judge("min <= 9999ns", f, LIMIT_BROKEN, 10000);
	judge("avg <= 10010ns", f, LIMIT_KEPT, 10010);
	judge("avg <= 10009ns", f, LIMIT_BROKEN, 10010);
	judge("missed <= 0", f, LIMIT_KEPT, 0);
	judge("lost <= 0", f, LIMIT_KEPT, 0);
	judge("within >= 99.9%", f, LIMIT_KEPT, 999000);
	judge("within >= 99.9001%", f, LIMIT_BROKEN, 999000);
	judge("p99.99 <= 1s", f, LIMIT_UNKNOWN, 0); /* a thousand samples do not know it */
	judge("corrected.p99.99 <= 1s", f, LIMIT_UNKNOWN, 0);
	f->missed = 2;
	judge("missed <= 2", f, LIMIT_KEPT, 2);
	judge("missed <= 1", f, LIMIT_BROKEN, 2);
	f->lost = 1;
	judge("lost <= 0", f, LIMIT_BROKEN, 1);
}

static void judge_baseline(const char *text, double ns, const struct figures *f,
			   enum limit_outcome outcome, uint64_t bound)
{
	struct limit l = parsed(text);
	uint64_t value = 4242;

	g_assert_true(l.baseline && l.unbound);
	g_assert_cmpint(limit_judge(&l, f, &value), ==, LIMIT_UNKNOWN);
	g_assert_cmpuint(value, ==, 4242);
	limit_set_baseline(&l, ns);
	g_assert_cmpuint(l.bound, ==, bound);
	g_assert_cmpint(limit_judge(&l, f, &value), ==, outcome);
}

/* It has no bound before the baseline is known; what equals the baseline is kept. */
static void test_judge_baseline(void)
{
	g_autofree struct figures *f = figures_new();

	f->has_grid = 1;
	for (int i = 0; i < 3; i++)
		figures_record(f, i < 2 ? 10000 : 10001, i * 1000000);
	judge_baseline("avg <= baseline", 10000 + 1.0 / 3, f, LIMIT_KEPT, 10001);
	judge_baseline("avg <= baseline", 9999.9, f, LIMIT_BROKEN, 10000);
	judge_baseline("max <= baseline", 10001, f, LIMIT_KEPT, 10001);
	judge_baseline("max <= baseline + 10%", 1000, f, LIMIT_BROKEN, 1100);
	judge_baseline("max <= baseline - 50%", 20002, f, LIMIT_KEPT, 10001);
	judge_baseline("max <= baseline - 50%", 20000, f, LIMIT_BROKEN, 10000);
	judge_baseline("p50 <= baseline + 1000%", 910, f, LIMIT_KEPT, 10010);
	judge_baseline("max <= baseline", 0, f, LIMIT_BROKEN, 0);
	judge_baseline("max <= baseline + 1000%", 1e300, f, LIMIT_KEPT, UINT64_C(1) << 62);
}

/* What never came counts against the maximum. */
static void test_judge_pending(void)
{
	g_autofree struct figures *f = figures_new();

	f->has_grid = 1;
	f->pending_ns = 300000;
	judge("max <= 100us", f, LIMIT_BROKEN, 300000);
	judge("max <= 300us", f, LIMIT_UNKNOWN, 0); /* no sample, and the end is not known */
	figures_record(f, 10000, 1);
	judge("max <= 100us", f, LIMIT_BROKEN, 300000);
	judge("max <= 300us", f, LIMIT_KEPT, 300000);
	f->pending_ns = 0;
	judge("max <= 100us", f, LIMIT_KEPT, 10000);
}

static void test_judge_nothing(void)
{
	static const char *const all[] = { "max <= 1h",	   "min <= 1h",	   "avg <= 1h",
					   "stddev <= 1h", "p50 <= 1h",	   "missed <= 99",
					   "lost <= 99",   "within >= 0%", "corrected.p50 <= 1h" };
	g_autofree struct figures *f = figures_new();

	f->has_grid = 1;
	f->within_bound_ns = 1;
	for (size_t i = 0; i < G_N_ELEMENTS(all); i++)
		judge(all[i], f, LIMIT_UNKNOWN, 0);
	/* broken is broken even so */
	f->missed = 5;
	judge("missed <= 4", f, LIMIT_BROKEN, 5);
	f->lost = 5;
	judge("lost <= 4", f, LIMIT_BROKEN, 5);
	/* without a grid there is nothing to miss */
	f->has_grid = 0;
	judge("missed <= 4", f, LIMIT_UNKNOWN, 0);
}

static void test_judge_one_sample(void)
{
	g_autofree struct figures *f = figures_new();

	figures_record(f, 7000, 1);
	judge("avg <= 7us", f, LIMIT_KEPT, 7000);
	judge("stddev <= 7us", f, LIMIT_UNKNOWN, 0);
	judge("corrected.p50 <= 7us", f, LIMIT_UNKNOWN, 0);
	judge("within >= 1%", f, LIMIT_UNKNOWN, 0); /* no bound was counted */
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/limit/good", test_good);
	g_test_add_func("/limit/bad", test_bad);
	g_test_add_func("/limit/judge-samples", test_judge_samples);
	g_test_add_func("/limit/judge-baseline", test_judge_baseline);
	g_test_add_func("/limit/judge-pending", test_judge_pending);
	g_test_add_func("/limit/judge-nothing", test_judge_nothing);
	g_test_add_func("/limit/judge-one-sample", test_judge_one_sample);
	return g_test_run();
}
