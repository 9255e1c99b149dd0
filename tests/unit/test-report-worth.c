/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the text report says of how much figures are worth, and the numbers behind it.
 */
#include "power.h"
#include "report-shared.h"
#include "stageanalysis.h"

#include <math.h>
#include <string.h>

#define NEAR(x, y, eps) g_assert_cmpfloat_with_epsilon(x, y, eps)
#define MS		1000000ULL

/* In a report lines are broken anywhere: words only. */
static char *words(const struct result *r)
{
	g_autofree char *text = render("text", r, &plain);
	g_auto(GStrv) parts = g_strsplit_set(text, " \n", -1);
	GString *s = g_string_new(NULL);

	for (char **w = parts; *w; w++)
		if (**w)
			g_string_append_printf(s, "%s%s", s->len ? " " : "", *w);
	return g_string_free(s, FALSE);
}

static void assert_says(const struct result *r, const char *what, bool said)
{
	g_autofree char *text = words(r);

	if ((strstr(text, what) != NULL) == said)
		return;
	g_test_message("%s: \"%s\" in: %s", said ? "missing" : "too much", what, text);
	g_test_fail();
}

static void test_power(void)
{
	const uint64_t hour_ns = 3600000 * MS;

	NEAR(power_rate_bound_hz(hour_ns) * 3600, 3, 1e-9);
	NEAR(power_chance(1.0 / 3600, hour_ns), 1 - exp(-1), 1e-12);
	NEAR(power_chance(3.0 / 3600, hour_ns), 0.950213, 1e-6); /* why it is three */
	NEAR(power_chance(0, hour_ns), 0, 1e-12);
	NEAR(power_chance(1e-12, 1000 * MS), 1e-12, 1e-18); /* nothing lost by cancelling */
	NEAR((double)power_duration_ns(1.0 / 3600, 0.95), 2.995732 * (double)hour_ns, 1e7);
	NEAR(power_chance(1.0 / 86400, power_duration_ns(1.0 / 86400, 0.99)), 0.99, 1e-9);
	g_assert_cmpuint(power_duration_ns(1e-30, 0.95), ==, UINT64_MAX);
}

/*
 * What polling shows of one machine, and what shows of two at once. The last two are the counts
 * above 50 us of the mails of 2005.
 */
static void test_expected(void)
{
	NEAR(power_expected(1e-5, 1, 600000), 6, 1e-9);
	NEAR(power_expected(1e-5, 1e-5, 600000), 0.00006, 1e-12);
	NEAR(power_expected(36 / 833000.0, 36 / 833000.0, 833000), 0.00155582, 1e-8);
	NEAR(power_expected(213 / 781000.0, 213 / 781000.0, 781000), 0.05809091, 1e-8);
}

/* A logger with @late of @n samples of 60 us, one of 100 us, the rest of 10. */
static struct result *logger(unsigned n, unsigned late, const char *receive)
{
	struct result *r = sample_port();
	struct result_stage *s = r->stages->pdata[0];
	struct figures *f = ((struct result_cpu *)s->cpus->pdata[0])->figures;

	figures_init(f);
	for (unsigned i = 0; i < n; i++)
		figures_record(f, (i < late - 1 ? 60 : i < late ? 100 : 10) * 1000, i * MS);
	json_object_set_new(s->port, "receive", json_string(receive));
	json_decref(s->analysis);
	s->analysis = stageanalysis_new(s);
	return r;
}

static json_t *both_of(const struct result *r)
{
	return json_object_get(((struct result_stage *)r->stages->pdata[0])->analysis, "both");
}

static void assert_seed(unsigned n, unsigned late, const char *expected)
{
	struct result *r = logger(n, late, "irq");
	const json_t *both = both_of(r);
	g_autofree char *count = g_strdup_printf("%u of %u samples took ", late, n);
	g_autofree char *once = g_strdup_printf("expected in %s of them", expected);

	g_assert_cmpint(json_integer_value(json_object_get(both, "count")), ==, late);
	g_assert_cmpint(json_integer_value(json_object_get(both, "samples")), ==, n);
	g_assert_cmpint(json_integer_value(json_object_get(both, "above_ns")), <=, 50000);
	g_assert_cmpint(json_integer_value(json_object_get(both, "above_ns")), >, 49000);
	NEAR(json_number_value(json_object_get(both, "expected")), (double)late * late / n, 1e-9);
	assert_says(r, count, true);
	assert_says(r, once, true);
	assert_says(r, "Two latencies in one figure:", true);
	result_free(r);
}

static void test_both(void)
{
	struct result *r;

	if (g_getenv("LRTBF_VALGRIND")) {
		assert_seed(8330, 3, "0.0011");
	} else {
		assert_seed(833000, 36, "0.0016");
		assert_seed(781000, 213, "0.058");
	}
	r = logger(1000, 20, "irq"); /* nothing rare */
	g_assert_true(json_is_null(both_of(r)));
	assert_says(r, "Two latencies in one figure:", true);
	assert_says(r, "both at once is expected", false);
	result_free(r);
	r = logger(1000, 2, "poll");
	g_assert_true(json_is_null(both_of(r)));
	assert_says(r, "Two latencies in one figure:", false);
	result_free(r);
}

/* 150 s of one CPU and what a second one did of it; exponential above 5 us. */
static struct result *exponential(unsigned seconds, unsigned seconds_1)
{
	struct result *r = sample_idle();
	struct result_stage *s = r->stages->pdata[0];
	GRand *rand = g_rand_new_with_seed(8);

	s->snapshots = snapshots_new();
	for (int c = 0; c < 2; c++)
		figures_init(((struct result_cpu *)s->cpus->pdata[c])->figures);
	for (unsigned t = 0; t < seconds * 200; t++) {
		uint64_t at_ns = (t + 1) * 5 * MS - 1;

		for (int c = 0; c < 2; c++)
			if (c == 0 || t < seconds_1 * 200)
				figures_record(
					((struct result_cpu *)s->cpus->pdata[c])->figures,
					(uint64_t)(15000 - 2000 * log1p(-g_rand_double(rand))),
					at_ns);
		if (t % 1000 == 999)
			snapshots_offer(s->snapshots, at_ns,
					((struct result_cpu *)s->cpus->pdata[0])->figures->bucket);
	}
	g_rand_free(rand);
	s->analysis = stageanalysis_new(s);
	return r;
}

static void test_bound(void)
{
	struct result *r = exponential(20, 20);

	assert_says(r, "At 95 %, a block of 1s holds a worse one with chance below 15 % (3 / 20 ",
		    true);
	assert_says(r, "(3 / 20 blocks); so it is for each CPU's own maximum.", true);
	assert_says(r, "What may still come is not estimated. 20 blocks are too few", true);
	assert_says(r, "if no cause appears", false);
	result_free(r);
	r = exponential(20, 6);
	assert_says(r, "(3 / 20 blocks); for each CPU's own maximum below 50 %.", true);
	result_free(r);
	r = exponential(20, 2); /* too short for one of its own */
	assert_says(r, "(3 / 20 blocks).", true);
	result_free(r);
}

/* The numbers are the analysis', in microseconds. */
static void assert_us(const struct result *r, const char *before, const json_t *ns,
		      const char *digits, const char *after)
{
	char us[G_ASCII_DTOSTR_BUF_SIZE];
	g_autofree char *text = NULL;

	g_assert_true(json_is_number(ns));
	g_ascii_formatd(us, sizeof(us), digits, json_number_value(ns) / 1000);
	text = g_strconcat(before, us, after, NULL);
	assert_says(r, text, true);
}

static void test_tail(void)
{
	struct result *r = exponential(150, 150);
	struct result_stage *s = r->stages->pdata[0];
	const json_t *tail = json_object_get(s->analysis, "tail");
	const json_t *level = json_array_get(json_object_get(tail, "levels"), 0);
	const json_t *intervals = json_object_get(s->analysis, "intervals");
	const json_t *median = json_object_get(json_object_get(intervals, "percentiles"), "50");

	g_assert_null(json_object_get(tail, "refused"));
	assert_says(r, "fits the maxima of 150 blocks of 1s", true);
	assert_says(r, "25min 10 ", true); /* ten times the 150 s */
	assert_says(r, "4h 10min 100 ", true);
	assert_us(r, "25min 10 ", json_object_get(level, "level_ns"), "%.1f", "");
	assert_us(r, " ", json_object_get(level, "high_ns"), "%.1f", " 4h 10min");
	assert_says(r, "This holds if no cause appears that has not yet shown itself", true);
	assert_us(r, "average's 95 % interval is ",
		  json_array_get(json_object_get(intervals, "avg_ns"), 0), "%.2f", " to");
	assert_us(r, "95 % from ", json_array_get(median, 0), "%.1f", "");
	assert_us(r, "95 % to ", json_array_get(median, 1), "%.1f", "");
	result_free(r);
}

/* No analysis (an older session), or one that is not as it should be: what there is is shown. */
static void test_without(void)
{
	struct result *r = exponential(20, 20);
	struct result_stage *s = r->stages->pdata[0];
	static const char *const odd[] = {
		"null",
		"[]",
		"{\"tail\": 3, \"intervals\": [1], \"both\": 5}",
		"{\"tail\": {\"levels\": [7, {\"level_ns\": \"x\"}]}, \"intervals\": {\"avg_ns\": "
		"[1]}}",
		"{\"tail\": {\"refused\": \"x\"}, \"intervals\": {\"percentiles\": {\"50\": [-1, "
		"1e300]}}}",
	};

	for (size_t i = 0; i < G_N_ELEMENTS(odd); i++) {
		json_decref(s->analysis);
		s->analysis = json_loads(odd[i], JSON_DECODE_ANY, NULL);
		assert_says(r, "with chance below 15 %", true);
		assert_says(r, "average's 95 %", false);
	}
	result_free(r);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/report/worth/power", test_power);
	g_test_add_func("/report/worth/expected", test_expected);
	g_test_add_func("/report/worth/both", test_both);
	g_test_add_func("/report/worth/bound", test_bound);
	g_test_add_func("/report/worth/tail", test_tail);
	g_test_add_func("/report/worth/without", test_without);
	return g_test_run();
}
