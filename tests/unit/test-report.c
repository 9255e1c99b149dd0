/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Every format over every sample: against golden files (UPDATE_FIXTURES=1 writes them anew), under
 * a locale with a decimal comma, and for what must hold whatever the format is; and the CSV.
 */
#include "report-shared.h"

#include <errno.h>
#include <glib/gstdio.h>
#include <locale.h>
#include <string.h>

/* @expected and @actual as files, compared by diff(1) into the test's messages. */
static void show_diff(const char *expected, const char *actual)
{
	g_autofree char *dir = g_dir_make_tmp("lrtbf-report-XXXXXX", NULL), *out = NULL;
	g_autofree char *path = g_build_filename(dir, "actual", NULL);
	const char *argv[] = { "diff", "-u", expected, path, NULL };

	g_assert_true(g_file_set_contents(path, actual, -1, NULL));
	if (g_spawn_sync(NULL, (char **)argv, NULL, G_SPAWN_SEARCH_PATH, NULL, NULL, &out, NULL,
			 NULL, NULL))
		g_test_message("%.4000s", out);
	g_unlink(path);
	g_rmdir(dir);
}

static void check_golden(const char *name, const char *actual)
{
	g_autofree char *path = g_build_filename(g_getenv("FIXTURES"), "report", name, NULL);
	g_autofree char *expected = NULL;

	if (g_strcmp0(g_getenv("UPDATE_FIXTURES"), "1") == 0) {
		g_autofree char *dir = g_path_get_dirname(path);

		g_mkdir_with_parents(dir, 0755);
		g_assert_true(g_file_set_contents(path, actual, -1, NULL));
		return;
	}
	if (!g_file_get_contents(path, &expected, NULL, NULL)) {
		g_test_message("%s cannot be read", path);
		g_test_fail();
		return;
	}
	if (strcmp(expected, actual) != 0) {
		show_diff(path, actual);
		g_test_fail();
	}
}

static void test_golden(void)
{
	static const struct {
		const char *sample, *format, *file;
		const struct report_options *options;
	} cases[] = {
		{ "idle", "text", "idle.txt", &pretty },
		{ "idle", "json", "idle.json", &plain },
		{ "idle", "csv", "idle.csv", &plain },
		{ "idle", "cyclictest", "idle.cyclictest", &plain },
		{ "idle", "cyclictest-json", "idle.cyclictest.json", &plain },
		{ "hell", "text", "hell.txt", &plain },
		{ "hell", "csv", "hell.csv", &plain },
		{ "failed", "text", "failed.txt", &plain },
		{ "failed", "json", "failed.json", &plain },
		{ "failed", "csv", "failed.csv", &plain },
		{ "failed", "cyclictest", "failed.cyclictest", &plain },
		{ "failed", "cyclictest-json", "failed.cyclictest.json", &plain },
		{ "queued", "text", "queued.txt", &plain },
		{ "gaps", "text", "gaps.txt", &pretty },
		{ "gaps", "csv", "gaps.csv", &plain },
		{ "gaps", "cyclictest-json", "gaps.cyclictest.json", &plain },
		{ "many", "text", "many.txt", &pretty },
		{ "port", "text", "port.txt", &pretty },
		{ "port", "json", "port.json", &plain },
		{ "peer", "text", "peer.txt", &pretty },
		{ "peer", "json", "peer.json", &plain },
		{ "repeats", "text", "repeats.txt", &plain },
		{ "hostile", "text", "hostile.txt", &plain },
		{ "hostile", "csv", "hostile.csv", &plain },
	};

	for (size_t i = 0; i < G_N_ELEMENTS(cases); i++)
		for (const struct result_sample *s = result_samples; s->name; s++) {
			struct result *r = NULL;
			g_autofree char *actual = NULL;

			if (strcmp(s->name, cases[i].sample) != 0)
				continue;
			r = s->make();
			actual = render(cases[i].format, r, cases[i].options);
			check_golden(cases[i].file, actual);
			result_free(r);
		}
}

/* What is left of a session says what is missing, and a format that has nothing of it says so. */
static void test_thinned(void)
{
	static const char *const refused[] = { "csv", "cyclictest", "cyclictest-json", "svg" };
	struct result *r = sample_idle();
	g_autofree char *text = NULL;
	struct report_options stage = { .stage = "none" };

	g_ptr_array_set_size(r->stages, 0);
	r->thinned_usec = 1796100000000000;
	json_decref(r->summary);
	r->summary = json_pack("{s:i,s:i,s:f,s:i,s:n}", "count", 20000, "min_ns", 4120, "avg_ns",
			       12345.678, "max_ns", 98765, "stddev_ns");
	finding_add(r->findings, "thinned", NULL);
	text = render("text", r, &plain);
	check_golden("thinned.txt", text);
	for (size_t i = 0; i <= G_N_ELEMENTS(refused); i++) {
		g_autoptr(GString) out = g_string_new(NULL);
		g_autofree char *message = NULL;
		bool narrow = i == G_N_ELEMENTS(refused);

		g_assert_cmpint(report_render(narrow ? "text" : refused[i], r,
					      narrow ? &stage : &plain, out, &message),
				==, -EOPNOTSUPP);
		g_assert_nonnull(strstr(message, "were removed"));
		g_assert_cmpuint(out->len, ==, 0);
	}
	/* a session without figures at all */
	g_clear_pointer(&r->summary, json_decref);
	g_free(render("text", r, &pretty));
	g_free(render("json", r, &plain));
	g_free(render("html", r, &plain));
	result_free(r);
}

/* Fields of one record of RFC 4180, *@p moved behind it. */
static GPtrArray *csv_record(const char **p)
{
	GPtrArray *fields = g_ptr_array_new_with_free_func(g_free);
	const char *s = *p;

	for (;;) {
		GString *field = g_string_new(NULL);

		if (*s == '"') {
			for (s++; *s != '"' || s[1] == '"'; s++) {
				g_assert_cmpint(*s, !=, '\0');
				s += *s == '"';
				g_string_append_c(field, *s);
			}
			s++;
		} else {
			for (; *s && !strchr(",\n", *s); s++) {
				g_assert_cmpint(*s, !=, '"');
				g_string_append_c(field, *s);
			}
		}
		g_ptr_array_add(fields, g_string_free(field, FALSE));
		if (*s++ == ',')
			continue;
		g_assert_cmpint(s[-1], ==, '\n');
		*p = s;
		return fields;
	}
}

static void test_csv(void)
{
	static const char begin[] =
		"session,plan,label,stage,load,cpu,policy,priority,count,missed,";

	for (const struct result_sample *s = result_samples; s->name; s++) {
		struct result *r = s->make();
		g_autofree char *text = render("csv", r, &plain);
		const char *p = text;
		g_autoptr(GPtrArray) header = csv_record(&p);
		guint rows = 0, expected = 0;

		g_assert_true(g_str_has_prefix(text, begin));
		while (*p) {
			g_autoptr(GPtrArray) row = csv_record(&p);
			g_autofree char *label = g_utf8_make_valid(r->label, -1);

			rows++;
			g_assert_cmpuint(row->len, ==, header->len);
			g_assert_cmpstr(row->pdata[0], ==, r->id);
			g_assert_cmpstr(row->pdata[2], ==, label);
		}
		for (guint i = 0; i < r->stages->len; i++)
			expected += ((struct result_stage *)r->stages->pdata[i])->cpus->len + 1;
		g_assert_cmpuint(rows, ==, expected);
		result_free(r);
	}
}

static void test_unknown_format(void)
{
	g_autoptr(GString) out = g_string_new(NULL);
	g_autofree char *message = NULL;
	struct result *r = sample_idle();

	g_assert_cmpint(report_render("xml", r, &plain, out, &message), ==, -EINVAL);
	g_assert_true(
		g_str_has_prefix(message, "There is no report format \"xml\"; there are text,"));
	for (const struct report_format *const *f = report_formats; *f; f++)
		g_assert_nonnull(strstr(message, (*f)->name));
	g_assert_null(report_format("tex"));
	g_assert_cmpuint(out->len, ==, 0);
	result_free(r);
}

static void test_one_stage(void)
{
	struct report_options o = { .width = 80, .stage = "hd" };
	struct result *r = sample_hell();
	g_autofree char *text = render("text", r, &o), *message = NULL;
	g_autoptr(GString) out = g_string_new(NULL);

	g_assert_nonnull(strstr(text, "Stage 1 of 1: hd"));
	g_assert_null(strstr(text, "hackbench"));
	/* nor is it short of the other stages' time */
	g_assert_nonnull(strstr(text, "measured 10s\n"));
	o.stage = "mars";
	g_assert_cmpint(report_render("csv", r, &o, out, &message), ==, -EINVAL);
	g_assert_cmpstr(
		message, ==,
		"The session has no stage \"mars\"; it has none, hd, hackbench, dohell_xenomai.");
	g_assert_cmpuint(r->stages->len, ==, 4);
	result_free(r);
}

static void check_locale(GPtrArray *expected)
{
	guint n = 0;

	for (const struct result_sample *s = result_samples; s->name; s++) {
		struct result *r = s->make();

		for (const struct report_format *const *f = report_formats; *f; f++) {
			g_autofree char *text = render((*f)->name, r, &pretty);

			if (expected->len == n)
				g_ptr_array_add(expected, g_strdup(text));
			g_assert_cmpstr(text, ==, expected->pdata[n++]);
		}
		result_free(r);
	}
}

/* A locale with a decimal comma is made for the purpose: byte for byte the same. */
static void test_locale(void)
{
	g_autoptr(GPtrArray) expected = g_ptr_array_new_with_free_func(g_free);
	g_autofree char *dir = g_dir_make_tmp("lrtbf-locale-XXXXXX", NULL);
	g_autofree char *path = g_build_filename(dir, "de_DE.UTF-8", NULL);
	const char *make[] = { "localedef", "-i", "de_DE", "-f", "UTF-8", path, NULL };
	const char *drop[] = { "rm", "-r", dir, NULL };
	GSpawnFlags flags = G_SPAWN_SEARCH_PATH | G_SPAWN_STDERR_TO_DEV_NULL;

	g_assert_true(
		g_spawn_sync(NULL, (char **)make, NULL, flags, NULL, NULL, NULL, NULL, NULL, NULL));
	check_locale(expected);
	g_setenv("LOCPATH", dir, TRUE);
	g_assert_nonnull(setlocale(LC_ALL, "de_DE.UTF-8"));
	g_assert_cmpstr(localeconv()->decimal_point, ==, ",");
	check_locale(expected);
	g_assert_nonnull(setlocale(LC_ALL, "C"));
	g_unsetenv("LOCPATH");
	g_assert_true(
		g_spawn_sync(NULL, (char **)drop, NULL, flags, NULL, NULL, NULL, NULL, NULL, NULL));
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/report/golden", test_golden);
	g_test_add_func("/report/thinned", test_thinned);
	g_test_add_func("/report/csv", test_csv);
	g_test_add_func("/report/unknown-format", test_unknown_format);
	g_test_add_func("/report/one-stage", test_one_stage);
	g_test_add_func("/report/locale", test_locale);
	return g_test_run();
}
