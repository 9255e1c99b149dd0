/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a comparison says of sessions that are known: differences, intervals, and when it is silent.
 */
#include "comparison-made.h"

#include <math.h>
#include <string.h>

/* after jansson.h, which it looks for */
#include "cleanup.h"

#define NEAR(x, y, eps) g_assert_cmpfloat_with_epsilon(x, y, eps)

static double number(json_t *d, const char *key)
{
	g_assert_true(json_is_real(json_object_get(d, key)));
	return json_real_value(json_object_get(d, key));
}

static void check_no_interval(json_t *d)
{
	g_assert_true(json_is_null(json_object_get(d, "low")));
	g_assert_true(json_is_null(json_object_get(d, "high")));
}

static const char *basis(json_t *j, unsigned side)
{
	return json_string_value(json_object_get(made_row(j, side, "none"), "basis"));
}

/* --- one session on each side --- */

static void test_run(void)
{
	struct result *all[] = { made_measured("a", 10000, 1), made_measured("b", 11000, 2), NULL };
	g_autoptr(json_t) j = made_json(NULL, all);
	json_t *d = made_difference(j, 1, "none", "avg_ns");

	g_assert_cmpstr(basis(j, 1), ==, "run");
	NEAR(number(d, "percent"), 10, 0.2);
	NEAR(number(d, "percent"),
	     (made_figure(j, 1, "none", "avg_ns", "value") /
		      made_figure(j, 0, "none", "avg_ns", "value") -
	      1) * 100,
	     0.05);
	g_assert_cmpfloat(number(d, "low"), <, number(d, "percent"));
	g_assert_cmpfloat(number(d, "high"), >, number(d, "percent"));
	g_assert_cmpfloat(number(d, "high") - number(d, "low"), <, 1);
	g_assert_true(json_is_null(json_object_get(d, "shown")));
	d = made_difference(j, 1, "none", "p50_ns");
	NEAR(number(d, "percent"), 10, 0.5);
	g_assert_cmpfloat(number(d, "low"), >, 8);
	g_assert_cmpfloat(number(d, "high"), <, 12);
	check_no_interval(made_difference(j, 1, "none", "max_ns"));
	check_no_interval(made_difference(j, 1, "none", "min_ns"));
	check_no_interval(made_difference(j, 1, "none", "stddev_ns"));
	check_no_interval(made_difference(j, 1, "none", "p99.9_ns")); /* 0.6 samples per batch */
	g_assert_true(json_is_null(json_object_get(made_row(j, 0, "none"), "differences")));
}

static void test_run_equal(void)
{
	struct result *all[] = { made_measured("a", 10000, 1), made_measured("b", 10000, 1), NULL };
	struct comparison *c = made_comparison(NULL, all);
	g_autofree char *text = NULL;

	g_assert_cmpint(comparison_finish(c, NULL), ==, 0);
	text = made_text("text", c);
	g_assert_nonnull(strstr(text, "intervals of this run only"));
	g_assert_null(strchr(text, '~'));
	g_assert_nonnull(strstr(text, "0.0 (-"));
	comparison_free(c);
}

/* Ten batches take ten blocks; of less nothing is said. */
static void test_run_short(void)
{
	struct result *all[] = { made_session("a", "6.1"), made_session("b", "6.1"), NULL };
	g_autoptr(json_t) j = NULL;

	made_run(made_stage(all[0], "none"), 9, 10000, 1);
	made_run(made_stage(all[1], "none"), 60, 11000, 2);
	j = made_json(NULL, all);
	check_no_interval(made_difference(j, 1, "none", "avg_ns"));
	NEAR(number(made_difference(j, 1, "none", "avg_ns"), "percent"), 10, 0.5);
}

/* --- several --- */

static json_t *compare_many(unsigned a, unsigned b, double mean_b)
{
	struct result *all[12] = { NULL };
	unsigned n = 0;

	for (unsigned i = 0; i < a; i++)
		all[n++] = made_measured("a", 10000 + 50.0 * (i % 3), 10 + i);
	for (unsigned i = 0; i < b; i++)
		all[n++] = made_measured("b", mean_b + 50.0 * (i % 3), 20 + i);
	return made_json(NULL, all);
}

static void test_sessions(void)
{
	g_autoptr(json_t) apart = compare_many(3, 3, 11000), equal = compare_many(3, 3, 10000);
	g_autoptr(json_t) five = compare_many(5, 5, 11000);
	json_t *d = made_difference(apart, 1, "none", "avg_ns");
	double width = number(d, "high") - number(d, "low");

	g_assert_cmpstr(basis(apart, 1), ==, "sessions");
	NEAR(number(d, "percent"), 10, 0.2);
	g_assert_true(json_is_true(json_object_get(d, "shown")));
	/* means 50 ns apart: deviation 0.5 %, t of 4 degrees of freedom 2.776 */
	NEAR(width, 2 * 2.776 * 0.5 * sqrt(2.0 / 3) * 1.1, 0.3);
	check_no_interval(made_difference(apart, 1, "none", "max_ns"));

	d = made_difference(equal, 1, "none", "avg_ns");
	g_assert_true(json_is_false(json_object_get(d, "shown")));
	g_assert_cmpfloat(number(d, "low"), <, 0);
	g_assert_cmpfloat(number(d, "high"), >, 0);

	d = made_difference(five, 1, "none", "avg_ns");
	g_assert_cmpfloat(number(d, "high") - number(d, "low"), <, width);
	d = made_difference(five, 1, "none", "p99_ns");
	g_assert_true(json_is_true(json_object_get(d, "shown")));
}

static void test_too_few_sessions(void)
{
	static const unsigned sides[][2] = { { 2, 2 }, { 1, 3 }, { 3, 2 }, { 2, 1 } };

	for (size_t i = 0; i < G_N_ELEMENTS(sides); i++) {
		g_autoptr(json_t) j = compare_many(sides[i][0], sides[i][1], 10000);
		json_t *d = made_difference(j, 1, "none", "avg_ns");

		g_assert_null(basis(j, 1));
		check_no_interval(d);
		g_assert_true(json_is_null(json_object_get(d, "shown")));
		g_assert_cmpint(json_integer_value(json_object_get(j, "intervals")), ==, 0);
	}
}

static void test_tilde(void)
{
	struct result *all[7] = { NULL };
	g_autofree char *text = NULL;
	struct comparison *c;

	for (unsigned i = 0; i < 6; i++)
		all[i] = made_measured(i < 3 ? "a" : "b", 10000 + 50.0 * (i % 3), i);
	c = made_comparison(NULL, all);
	g_assert_cmpint(comparison_finish(c, NULL), ==, 0);
	text = made_text("text", c);
	g_assert_nonnull(strstr(text, "intervals over sessions"));
	g_assert_nonnull(strstr(text, "  ~ (-"));
	comparison_free(c);
}

/* Worked out by hand: 10, 12 and 90 us; 1, 2 and 3 samples. */
static struct result *session_of(const char *label, unsigned n, uint64_t us)
{
	struct result *r = made_session(label, "6.1");
	struct figures *f = made_figures(made_stage(r, "none"));

	f->has_grid = 1;
	f->missed = n;
	for (unsigned i = 0; i < n; i++)
		figures_record(f, us * MADE_US, i + 1);
	return r;
}

static void check_figure(json_t *j, const char *key, double value, double low, double high)
{
	g_test_message("%s", key);
	NEAR(made_figure(j, 0, "none", key, "value"), value, 1e-6);
	NEAR(made_figure(j, 0, "none", key, "low"), low, 1e-6);
	NEAR(made_figure(j, 0, "none", key, "high"), high, 1e-6);
}

static void test_median(void)
{
	struct result *all[] = { session_of("a", 1, 12), session_of("a", 2, 90),
				 session_of("a", 3, 10), session_of("b", 1, 24), NULL };
	g_autoptr(json_t) j = made_json(NULL, all);

	check_figure(j, "avg_ns", 12000, 10000, 90000);
	check_figure(j, "min_ns", 12000, 10000, 90000);
	check_figure(j, "max_ns", 90000, 10000, 90000);
	check_figure(j, "count", 6, 1, 3);
	check_figure(j, "missed", 6, 1, 3);
	NEAR(number(made_difference(j, 1, "none", "avg_ns"), "percent"), 100, 1e-9);
}

static struct result *repeats_of(const char *label, const uint64_t *us, unsigned n)
{
	struct result *r = made_session(label, "6.1");

	for (unsigned i = 0; i < n; i++) {
		struct result_stage *s = made_stage(r, "none");
		struct figures *f = made_figures(s);

		s->repeat = i + 1;
		figures_record(f, us[i] * MADE_US, 1);
	}
	return r;
}

/* Repeats within a session are one reading; three of them give its interval. */
static void test_repeats(void)
{
	const uint64_t a[] = { 10, 12, 11 }, b[] = { 22, 20, 24 }, two[] = { 10, 30 };
	struct result *all[] = { repeats_of("a", a, 3), repeats_of("b", b, 3), NULL };
	struct result *few[] = { repeats_of("a", two, 2), repeats_of("b", two, 2), NULL };
	g_autoptr(json_t) j = made_json(NULL, all), k = made_json(NULL, few);
	json_t *d = made_difference(j, 1, "none", "avg_ns");

	check_figure(j, "avg_ns", 11000, 11000, 11000);
	check_figure(j, "max_ns", 12000, 12000, 12000);
	g_assert_cmpstr(basis(j, 1), ==, "run");
	NEAR(number(d, "percent"), 100, 1e-9);
	/* errors 1/11 and 2/22 over the root of 3, t of 4 degrees of freedom */
	NEAR(number(d, "high"), 200 * exp(2.776445 / 11 * sqrt(2.0 / 3)) - 100, 0.06);
	check_figure(k, "avg_ns", 20000, 20000, 20000);
	check_no_interval(made_difference(k, 1, "none", "avg_ns"));
}

/* --- how many intervals --- */

static unsigned count_intervals(json_t *j)
{
	json_t *table, *row, *d;
	const char *key;
	unsigned n = 0;
	size_t i, k;

	json_array_foreach (json_object_get(j, "tables"), i, table)
		json_array_foreach (json_object_get(table, "rows"), k, row)
			json_object_foreach (json_object_get(row, "differences"), key, d)
				n += json_is_real(json_object_get(d, "low"));
	return n;
}

static void test_count(void)
{
	struct result *all[] = { made_measured("a", 10000, 1), made_measured("b", 11000, 2),
				 made_measured("c", 9000, 3), NULL };
	struct comparison *c = made_comparison(NULL, all);
	g_autofree char *text = NULL, *said = NULL;
	g_autoptr(json_t) j = NULL;
	unsigned n;

	g_assert_cmpint(comparison_finish(c, NULL), ==, 0);
	j = comparison_json(c);
	n = count_intervals(j);
	g_assert_cmpuint(n, >=, 6);
	g_assert_cmpint(json_integer_value(json_object_get(j, "intervals")), ==, n);
	text = made_text("text", c);
	said = g_strdup_printf("%u intervals of 95 %% are in these tables", n);
	g_assert_nonnull(strstr(text, said));
	comparison_free(c);
}

/* --- rounding --- */

static void check_rounding(double a, double b, int decimals, double percent, bool alike)
{
	struct result *all[] = { made_benchmark("a", "fork", a, decimals),
				 made_benchmark("b", "fork", b, decimals), NULL };
	g_autoptr(json_t) j = made_json(NULL, all);
	json_t *d = made_difference(j, 1, "plain", "fork");

	g_test_message("%g %g", a, b);
	g_assert_cmpfloat(number(d, "percent"), ==, percent);
	g_assert_true(json_is_false(json_object_get(d, "shown")) == alike);
	g_assert_true(json_is_true(json_object_get(d, "shown")) == !alike);
}

static void test_rounding(void)
{
	check_rounding(2, 2.05, 2, 3, false);  /* 2.5, away from zero */
	check_rounding(2, 1.95, 2, -3, false); /* -2.5 */
	check_rounding(2, 2.049, 3, 2, false); /* 2.45 */
	check_rounding(200, 201, 0, 1, false); /* 0.5 is one */
	check_rounding(200, 199, 0, -1, false);
	check_rounding(1000, 1004.9, 1, 0, true); /* 0.49 */
	check_rounding(1000, 995.1, 1, 0, true);
	check_rounding(5, 5, 0, 0, true);
	check_rounding(0.3, 0.6, 1, 100, false);
}

/* Nothing over nothing is no percentage. */
static void test_zero(void)
{
	struct result *all[] = { session_of("a", 20, 0), session_of("b", 20, 5), NULL };
	g_autoptr(json_t) j = made_json(NULL, all);

	g_assert_true(
		json_is_null(json_object_get(made_difference(j, 1, "none", "avg_ns"), "percent")));
	NEAR(made_figure(j, 0, "none", "avg_ns", "value"), 0, 1e-9);
}

/* --- fail_above --- */

static enum verdict judge(double bound, struct result *a, struct result *b, char **ret_text)
{
	struct comparison_options o = { .fail_above = bound };
	struct result *all[] = { a, b, NULL };
	struct comparison *c = made_comparison(&o, all);
	enum verdict v;

	g_assert_cmpint(comparison_finish(c, NULL), ==, 0);
	v = comparison_verdict(c);
	if (ret_text)
		*ret_text = made_text("text", c);
	comparison_free(c);
	return v;
}

static struct result *with_spike(struct result *r)
{
	struct result_stage *s = r->stages->pdata[0];

	figures_record(made_figures(s), 40000, 60 * MADE_SECOND - 1);
	return r;
}

static void test_fail_above(void)
{
	g_autofree char *text = NULL;
	struct result *shorter = made_session("b", "6.1"), *empty = made_session("b", "6.1");

	made_run(made_stage(shorter, "none"), 5, 13000, 2);
	made_figures(made_stage(empty, "none"));
	g_assert_cmpint(judge(5, made_measured("a", 10000, 1), made_measured("b", 11000, 2), NULL),
			==, VERDICT_FAIL);
	g_assert_cmpint(judge(15, made_measured("a", 10000, 1), made_measured("b", 11000, 2), NULL),
			==, VERDICT_PASS);
	/* less is no growth */
	g_assert_cmpint(judge(5, made_measured("a", 10000, 1), made_measured("b", 9000, 2), NULL),
			==, VERDICT_PASS);
	/* grew by more, but there is no interval that shows it */
	g_assert_cmpint(judge(5, made_measured("a", 10000, 1), shorter, NULL), ==,
			VERDICT_INCONCLUSIVE);
	g_assert_cmpint(judge(5, made_measured("a", 10000, 1), empty, NULL), ==,
			VERDICT_INCONCLUSIVE);
	/* another program's: at its word */
	g_assert_cmpint(judge(5, made_benchmark("a", "fork", 93, 0),
			      made_benchmark("b", "fork", 157, 0), NULL),
			==, VERDICT_FAIL);
	/* as much is not more */
	g_assert_cmpint(judge(10, made_benchmark("a", "fork", 10, 0),
			      made_benchmark("b", "fork", 11, 0), NULL),
			==, VERDICT_PASS);
	/* a maximum is named and not judged */
	g_assert_cmpint(judge(10, made_measured("a", 10000, 1),
			      with_spike(made_measured("b", 10000, 2)), &text),
			==, VERDICT_PASS);
	g_assert_nonnull(strstr(text, "b, none: max +"));
	g_assert_nonnull(strstr(text, "not judged"));
}

/* Not sure: the interval reaches from below the bound to above it. */
static void test_fail_above_unsure(void)
{
	struct result *all[7] = { NULL };
	struct comparison_options o = { .fail_above = 4 };
	struct comparison *c;

	for (unsigned i = 0; i < 6; i++)
		all[i] = made_measured(i < 3 ? "a" : "b", (i < 3 ? 10000 : 10500) + 400.0 * (i % 3),
				       i);
	c = made_comparison(&o, all);
	g_assert_cmpint(comparison_finish(c, NULL), ==, 0);
	g_assert_cmpint(comparison_verdict(c), ==, VERDICT_INCONCLUSIVE);
	comparison_free(c);
}

/* A stage that is in doubt is no ground to pass on. */
static void test_fail_above_doubt(void)
{
	struct result *b = made_measured("b", 10000, 2);

	finding_add(((struct result_stage *)b->stages->pdata[0])->findings, "load-died", NULL);
	g_assert_cmpint(judge(10, made_measured("a", 10000, 1), b, NULL), ==, VERDICT_INCONCLUSIVE);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/comparison/run", test_run);
	g_test_add_func("/comparison/run-equal", test_run_equal);
	g_test_add_func("/comparison/run-short", test_run_short);
	g_test_add_func("/comparison/sessions", test_sessions);
	g_test_add_func("/comparison/too-few-sessions", test_too_few_sessions);
	g_test_add_func("/comparison/tilde", test_tilde);
	g_test_add_func("/comparison/median", test_median);
	g_test_add_func("/comparison/repeats", test_repeats);
	g_test_add_func("/comparison/count", test_count);
	g_test_add_func("/comparison/rounding", test_rounding);
	g_test_add_func("/comparison/zero", test_zero);
	g_test_add_func("/comparison/fail-above", test_fail_above);
	g_test_add_func("/comparison/fail-above-unsure", test_fail_above_unsure);
	g_test_add_func("/comparison/fail-above-doubt", test_fail_above_doubt);
	return g_test_run();
}
