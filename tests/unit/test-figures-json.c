/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "figures-json.h"

#include <locale.h>
#include <string.h>

static json_t *parse(const char *text)
{
	json_t *j = json_loads(text, 0, NULL);

	g_assert_nonnull(j);
	return j;
}

static json_t *json_of(const struct figures *f)
{
	json_t *j = figures_to_json(f, 0, true);
	g_autofree char *text = json_text(j, false);

	json_decref(j);
	return parse(text);
}

static void test_no_data(void)
{
	static const char *const nulls[] = { "missed",	   "pending_ns",   "min_ns", "avg_ns",
					     "max_ns",	   "stddev_ns",	   "within", "corrected",
					     "nominal_ns", "warmup_max_ns" };
	g_autofree struct figures *f = figures_new();
	json_t *j = json_of(f);

	g_assert_cmpint(json_integer_value(json_object_get(j, "count")), ==, 0);
	for (size_t i = 0; i < G_N_ELEMENTS(nulls); i++) {
		g_test_message("%s", nulls[i]);
		g_assert_true(json_is_null(json_object_get(j, nulls[i])));
	}
	g_assert_true(json_is_null(json_object_get(json_object_get(j, "percentiles"), "50")));
	g_assert_true(json_is_false(json_object_get(j, "torn")));
	g_assert_cmpuint(json_array_size(json_object_get(j, "histogram")), ==, 0);
	g_assert_cmpuint(json_array_size(json_object_get(j, "worst")), ==, 0);
	json_decref(j);
}

static void test_figures(void)
{
	g_autofree struct figures *f = figures_new();
	json_t *j, *corrected, *worst, *maxima, *within, *histogram;

	f->has_grid = 1;
	f->within_bound_ns = 2000;
	figures_record(f, 1000, 0);
	figures_record(f, 2000, 10000000);
	figures_record(f, 2500, 2100000000);
	figures_miss(f, 2500, 1000);
	j = figures_to_json(f, 1600000000000000000, true);
	g_assert_cmpint(json_integer_value(json_object_get(j, "count")), ==, 3);
	g_assert_cmpint(json_integer_value(json_object_get(j, "missed")), ==, 2);
	g_assert_cmpint(json_integer_value(json_object_get(j, "pending_ns")), ==, 0);
	g_assert_cmpfloat(json_real_value(json_object_get(j, "avg_ns")), ==, 1833.333);
	g_assert_cmpfloat(json_real_value(json_object_get(j, "stddev_ns")), ==, 763.763);
	corrected = json_object_get(j, "corrected");
	g_assert_cmpint(json_integer_value(json_object_get(corrected, "count")), ==, 5);
	g_assert_cmpfloat(json_real_value(json_object_get(corrected, "avg_ns")), ==, 1500);
	within = json_object_get(j, "within");
	g_assert_cmpint(json_integer_value(json_object_get(within, "bound_ns")), ==, 2000);
	g_assert_cmpfloat(json_real_value(json_object_get(within, "share")), ==, 0.666666667);
	worst = json_array_get(json_object_get(j, "worst"), 0);
	g_assert_cmpint(json_integer_value(json_object_get(worst, "latency_ns")), ==, 2500);
	g_assert_cmpint(json_integer_value(json_object_get(worst, "at_usec")), ==,
			1600000002100000);
	maxima = json_object_get(json_object_get(j, "blocks"), "maxima");
	g_assert_cmpuint(json_array_size(maxima), ==, 3);
	g_assert_true(json_is_null(json_array_get(maxima, 1)));
	histogram = json_object_get(j, "histogram");
	g_assert_cmpuint(json_array_size(histogram), ==, 3);
	for (size_t i = 0; i < 3; i++) {
		json_t *bucket = json_array_get(histogram, i);

		g_assert_cmpint(json_integer_value(json_array_get(bucket, 0)), <,
				json_integer_value(json_array_get(bucket, 1)));
		g_assert_cmpint(json_integer_value(json_array_get(bucket, 2)), ==, 1);
	}
	json_decref(j);
	j = figures_to_json(f, 0, false);
	g_assert_null(json_object_get(j, "histogram"));
	json_decref(j);
}

static void test_text(void)
{
	json_t *j = json_pack("{s:f,s:i,s:[i]}", "b", 12.345, "a", 1, "c", 2);
	g_autofree char *text = json_text(j, false), *again = NULL;

	g_assert_cmpstr(text, ==, "{\"b\":12.345,\"a\":1,\"c\":[2]}");
	if (setlocale(LC_ALL, "de_DE.UTF-8") || setlocale(LC_ALL, "de_DE.utf8")) {
		again = json_text(j, false);
		g_assert_cmpstr(again, ==, text);
		setlocale(LC_ALL, "C");
	}
	json_decref(j);
}

static void test_largest(void)
{
	g_autofree struct figures *f = figures_new();
	json_t *j;

	figures_record(f, UINT64_MAX, 0);
	j = json_of(f);
	g_assert_cmpint(json_integer_value(json_object_get(j, "max_ns")), ==, INT64_MAX);
	json_decref(j);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/figures-json/no-data", test_no_data);
	g_test_add_func("/figures-json/figures", test_figures);
	g_test_add_func("/figures-json/text", test_text);
	g_test_add_func("/figures-json/largest", test_largest);
	return g_test_run();
}
