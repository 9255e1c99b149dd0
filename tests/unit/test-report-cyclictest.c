/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The reports in the formats of cyclictest over every sample, read as its own are.
 */
#include "report-shared.h"

#include <string.h>

/* The numbers behind "# @name:". */
static GArray *cyclictest_numbers(const char *text, const char *name)
{
	g_autofree char *lead = g_strdup_printf("# %s:", name);
	const char *line = strstr(text, lead);
	GArray *numbers = g_array_new(FALSE, FALSE, sizeof(uint64_t));
	char *end;

	g_assert_nonnull(line);
	for (const char *p = line + strlen(lead); *p && *p != '\n'; p = end) {
		uint64_t n = g_ascii_strtoull(p, &end, 10);

		if (end == p)
			break;
		g_array_append_val(numbers, n);
	}
	return numbers;
}

/* What plotting scripts do: rows without '#', blanks and tabs for commas. */
static void cyclictest_sum(const char *text, uint64_t *column, guint n)
{
	g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
	uint64_t us = 0;

	for (char **l = lines; *l; l++) {
		g_auto(GStrv) fields = NULL;

		if (**l == '#' || **l == '\0')
			continue;
		fields = g_strsplit_set(*l, " \t", -1);
		g_assert_cmpuint(g_strv_length(fields), ==, n + 1);
		g_assert_cmpuint(g_ascii_strtoull(fields[0], NULL, 10), ==, us++);
		for (guint i = 0; i < n; i++)
			column[i] += g_ascii_strtoull(fields[i + 1], NULL, 10);
	}
	g_assert_cmpuint(us, <=, 10000);
}

static void check_cyclictest(const struct result *r, const char *text)
{
	g_autoptr(GArray) total = cyclictest_numbers(text, "Total");
	g_autoptr(GArray) over = cyclictest_numbers(text, "Histogram Overflows");
	g_autofree struct figures *all = result_all(r);
	uint64_t column[128] = { 0 }, sum = 0;

	g_assert_cmpuint(total->len, >, 0);
	g_assert_cmpuint(total->len, ==, over->len);
	cyclictest_sum(text, column, total->len);
	for (guint i = 0; i < total->len; i++) {
		g_assert_cmpuint(column[i], ==, g_array_index(total, uint64_t, i));
		sum += column[i] + g_array_index(over, uint64_t, i);
	}
	g_assert_cmpuint(sum, ==, figures_count(all));
}

static void test_cyclictest(void)
{
	for (const struct result_sample *s = result_samples; s->name; s++) {
		struct result *r = s->make();
		g_autofree char *text = render("cyclictest", r, &plain);

		if (r->stages->len == 0)
			g_assert_nonnull(strstr(text, "measured on no CPU"));
		else
			check_cyclictest(r, text);
		result_free(r);
	}
}

/* A real one, read the same way: the reader of this test reads what cyclictest writes. */
static void test_cyclictest_fixture(void)
{
	g_autofree char *path =
		g_build_filename(g_getenv("FIXTURES"), "report", "cyclictest-h.txt", NULL);
	g_autofree char *text = NULL;
	g_autoptr(GArray) total = NULL;
	uint64_t column[2] = { 0 };

	g_assert_true(g_file_get_contents(path, &text, NULL, NULL));
	total = cyclictest_numbers(text, "Total");
	g_assert_cmpuint(total->len, ==, 2);
	cyclictest_sum(text, column, 2);
	g_assert_cmpuint(column[0], ==, g_array_index(total, uint64_t, 0));
	g_assert_cmpuint(column[1], ==, g_array_index(total, uint64_t, 1));
}

/* Lines of a cyclictest output without their numbers. */
static char *cyclictest_skeleton(const char *text)
{
	g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
	GString *out = g_string_new(NULL);

	for (char **l = lines; *l; l++) {
		if (**l != '#' || g_str_has_prefix(*l, "# lrtbfd") || strstr(*l, " is CPU "))
			continue;
		g_string_append_len(out, *l, strcspn(*l, ":"));
		g_string_append_c(out, '\n');
	}
	return g_string_free(out, FALSE);
}

static void test_cyclictest_same_lines(void)
{
	g_autofree char *path =
		g_build_filename(g_getenv("FIXTURES"), "report", "cyclictest-h.txt", NULL);
	struct result *r = sample_idle();
	g_autofree char *ours = render("cyclictest", r, &plain), *theirs = NULL, *a = NULL,
			*b = NULL;

	g_assert_true(g_file_get_contents(path, &theirs, NULL, NULL));
	a = cyclictest_skeleton(ours);
	b = cyclictest_skeleton(theirs);
	g_assert_cmpstr(a, ==, b);
	result_free(r);
}

static void test_cyclictest_json(void)
{
	for (const struct result_sample *s = result_samples; s->name; s++) {
		struct result *r = s->make();
		g_autofree struct figures *all = result_all(r);
		g_autofree char *text = render("cyclictest-json", r, &plain);
		json_t *j = json_loads(text, JSON_REJECT_DUPLICATES, NULL), *thread, *count;
		const char *key, *us;
		uint64_t total = 0;

		check_shape(j,
			    "file_version:i cmdline:s cmdline::s rt_test_version::s start_time:sn "
			    "end_time:sn return_code:i sysinfo:o num_threads:i resolution_in_ns:i "
			    "thread:o");
		json_object_foreach (json_object_get(j, "thread"), key, thread) {
			json_int_t sum = 0;

			check_shape(thread, "histogram:o cycles:i min:in max:in avg:rn cpu:i");
			json_object_foreach (json_object_get(thread, "histogram"), us, count)
				sum += json_integer_value(count);
			g_assert_cmpint(sum, ==,
					json_integer_value(json_object_get(thread, "cycles")));
			total += sum;
		}
		g_assert_cmpuint(total, ==, figures_count(all));
		json_decref(j);
		result_free(r);
	}
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/report/cyclictest/sums", test_cyclictest);
	g_test_add_func("/report/cyclictest/fixture", test_cyclictest_fixture);
	g_test_add_func("/report/cyclictest/same-lines", test_cyclictest_same_lines);
	g_test_add_func("/report/cyclictest/json", test_cyclictest_json);
	return g_test_run();
}
