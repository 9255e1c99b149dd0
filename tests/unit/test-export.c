/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What formats for programs share: names that stay apart, numbers that are exact, test cases whose
 * worst is the verdict, gauges. What readers of the formats make of them is in tests/formats.
 */
#include "cases.h"
#include "decimal.h"
#include "metricfile.h"
#include "quantity.h"
#include "result-sample.h"
#include "stagename.h"

#include <locale.h>
#include <string.h>

static void check_time(uint64_t ns, unsigned ps, uint64_t per_second, const char *expected)
{
	g_autoptr(GString) out = g_string_new("x");

	decimal_append_time(out, ns, ps, per_second);
	g_assert_cmpstr(out->str + 1, ==, expected);
}

static void test_decimal(void)
{
	check_time(0, 0, 1, "0");
	check_time(1, 0, 1, "0.000000001");
	check_time(0, 1, 1, "0.000000000001");
	check_time(12345678901, 230, 1, "12.34567890123");
	check_time(48696, 0, 1000000, "48.696");
	check_time(48000, 0, 1000000, "48");
	check_time(4549, 969, 1000000, "4.549969");
	check_time(4549, 969, 1000000000, "4549.969");
	check_time(UINT64_MAX, 999, 1, "18446744073.709551615999");
	check_time(UINT64_MAX, 999, 1000000000, "18446744073709551615.999");
}

/* Each percentile that there is, sampled and corrected, under the key of the JSON report. */
static void test_quantities(void)
{
	for (const struct figures_percentile *p = figures_percentiles; p->name; p++) {
		g_autofree char *sampled = g_strconcat("percentiles ", p->name, NULL);
		g_autofree char *corrected = g_strconcat("corrected ", sampled, NULL);
		unsigned found = 0;

		for (const struct quantity *q = quantities; q->key; q++) {
			bool same = strcmp(q->key, q->corrected ? corrected : sampled) == 0;

			found += same && q->ppm == p->ppm && !q->metric;
		}
		g_assert_cmpuint(found, ==, 2);
	}
}

static void test_stored(void)
{
	json_t *j = json_pack("{s:I,s:f,s:n,s:{s:i}}", "max_ns", (json_int_t)48696, "avg_ns",
			      3460.853, "min_ns", "percentiles", "99.9", 9664);
	unsigned known = 0;

	for (const struct quantity *q = quantities; q->key; q++) {
		g_autoptr(GString) out = g_string_new(NULL);
		struct amount a;

		if (!quantity_stored(q, j, &a))
			continue;
		known++;
		quantity_append(out, q, &a, 1000000);
		g_assert_cmpstr(out->str, ==,
				strcmp(q->name, "max") == 0   ? "48.696"
				: strcmp(q->name, "avg") == 0 ? "3.460853"
							      : "9.664");
	}
	g_assert_cmpuint(known, ==, 3);
	json_decref(j);
	for (const struct quantity *q = quantities; q->key; q++) {
		struct amount a;

		g_assert_false(quantity_stored(q, NULL, &a));
	}
}

static void test_names(void)
{
	static const char *const names[] = { "hd", "hd", "hd-2", "", "a\nb", "hd" };
	static const char *const expected[] = { "hd", "hd-2", "hd-2-2", "-", "a b", "hd-3" };
	struct result *r = sample_queued();
	g_auto(GStrv) got = NULL;

	for (size_t i = 0; i < G_N_ELEMENTS(names); i++) {
		struct result_stage *s = result_stage_new();

		g_free(s->name);
		s->name = g_strdup(names[i]);
		s->repeat = 1;
		g_ptr_array_add(r->stages, s);
	}
	got = stagename_all(r);
	g_assert_cmpuint(g_strv_length(got), ==, G_N_ELEMENTS(names));
	for (size_t i = 0; i < G_N_ELEMENTS(names); i++)
		g_assert_cmpstr(got[i], ==, expected[i]);
	result_free(r);
}

/* The worst case is the verdict, in every sample. */
static void test_cases(void)
{
	for (const struct result_sample *s = result_samples; s->name; s++) {
		struct result *r = s->make();
		g_autoptr(GPtrArray) cases = cases_new(r);
		unsigned fail = cases_count(cases, CASES_ALL, CASE_FAIL);
		unsigned doubt = cases_count(cases, CASES_ALL, CASE_INCONCLUSIVE);

		g_assert_cmpuint(cases_count(cases, CASES_SESSION, CASE_PASS) +
					 cases_count(cases, CASES_SESSION, CASE_SKIP) +
					 cases_count(cases, CASES_SESSION, CASE_INCONCLUSIVE) +
					 cases_count(cases, CASES_SESSION, CASE_FAIL),
				 ==, 1);
		if (r->verdict == VERDICT_FAIL)
			g_assert_cmpuint(fail, >, 0);
		else
			g_assert_cmpuint(fail, ==, 0);
		if (r->verdict == VERDICT_PASS)
			g_assert_cmpuint(doubt, ==, 0);
		if (r->verdict == VERDICT_INCONCLUSIVE)
			g_assert_cmpuint(doubt, >, 0);
		result_free(r);
	}
}

/* A limit kept by a stage that cannot be trusted is no pass; a broken one is broken all the same.
 */
static void test_doubt(void)
{
	struct result *r = sample_idle();
	struct result_stage *s = r->stages->pdata[0];
	g_autoptr(GPtrArray) good = cases_new(r), doubtful = NULL, broken = NULL;

	g_assert_cmpuint(cases_count(good, 0, CASE_PASS), ==, 3);
	finding_add(s->findings, "migrated", NULL);
	doubtful = cases_new(r);
	g_assert_cmpuint(cases_count(doubtful, 0, CASE_INCONCLUSIVE), ==, 3);
	g_array_index(s->limits, struct result_limit, 0).outcome = LIMIT_BROKEN;
	broken = cases_new(r);
	g_assert_cmpuint(cases_count(broken, 0, CASE_FAIL), ==, 1);
	g_assert_cmpuint(cases_count(broken, 0, CASE_INCONCLUSIVE), ==, 2);
	result_free(r);
}

static void test_gauges(void)
{
	g_autoptr(GString) out = g_string_new(NULL), labels = g_string_new(NULL);
	struct metricfile m;

	metricfile_label(labels, "a", "x\"y\\z\n\r\xff\u2028\u00e4");
	metricfile_label(labels, "b", NULL);
	metricfile_init(&m, out);
	metricfile_family(&m, "empty", NULL, "Nothing.");
	metricfile_family(&m, "some", "seconds", "Some.");
	metricfile_sample_time(&m, labels->str, 1500000000, 0);
	metricfile_family(&m, "also_empty", NULL, "Nothing.");
	metricfile_family(&m, "bare", NULL, "Bare.");
	metricfile_sample_number(&m, "", 7);
	metricfile_family(&m, "last", NULL, "Nothing.");
	metricfile_end(&m);
	g_assert_cmpstr(out->str, ==,
			"# HELP some_seconds Some.\n# TYPE some_seconds gauge\n"
			"# UNIT some_seconds seconds\n"
			"some_seconds{a=\"x\\\"y\\\\z\\n\ufffd\ufffd\ufffd\u00e4\",b=\"\"} 1.5\n"
			"# HELP bare Bare.\n# TYPE bare gauge\nbare 7\n# EOF\n");
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	(void)setlocale(LC_ALL, "de_DE.UTF-8"); /* a decimal comma, where there is one */
	g_test_add_func("/export/decimal", test_decimal);
	g_test_add_func("/export/quantities", test_quantities);
	g_test_add_func("/export/stored", test_stored);
	g_test_add_func("/export/names", test_names);
	g_test_add_func("/export/cases", test_cases);
	g_test_add_func("/export/doubt", test_doubt);
	g_test_add_func("/export/gauges", test_gauges);
	return g_test_run();
}
