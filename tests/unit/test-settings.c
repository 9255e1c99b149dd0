/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "settings.h"

#include "conftree.h"

#include <errno.h>
#include <string.h>

/* Read @text over the defaults; the problems as users see them ("": none). */
static char *settings_from(struct settings *s, char *text)
{
	struct conftree_file f = { .name = "lrtbfd",
				   .path = "lrtbfd.conf",
				   .text = text,
				   .size = strlen(text),
				   .problems = problems_new(),
				   .dropins = g_ptr_array_new() };
	g_autoptr(GPtrArray) problems = problems_new();
	int r;

	settings_init(s);
	r = settings_read(s, &f, problems);
	g_assert_cmpint(r, ==, problems->len ? -EINVAL : 0);
	g_ptr_array_unref(f.problems);
	g_ptr_array_unref(f.dropins);
	return problems_format(problems);
}

static void test_defaults(void)
{
	struct settings s;
	g_autofree char *empty = settings_from(&s, "");

	g_assert_cmpstr(empty, ==, "");
	g_assert_cmpuint(s.queue_max, ==, 64);
	g_assert_cmpuint(s.queue_max_per_caller, ==, 16);
	g_assert_cmpuint(s.ended_shown, ==, 20);
	g_assert_null(s.scratch_dir);
	g_assert_null(s.log_level);
	g_assert_null(s.housekeeping);
	g_assert_cmpint(settings_read(&s, NULL, NULL), ==, 0);
	settings_done(&s);
}

static void test_all(void)
{
	struct settings s;
	g_autofree char *problems =
		settings_from(&s, "queue_max = 1; queue_max_per_caller = 1024; ended_shown = 0;\n"
				  "scratch_dir = \"/srv/scratch\"; log_level = \"debug\"; "
				  "housekeeping = \"0,2-3\";");

	g_assert_cmpstr(problems, ==, "");
	g_assert_cmpuint(s.queue_max, ==, 1);
	g_assert_cmpuint(s.queue_max_per_caller, ==, 1024);
	g_assert_cmpuint(s.ended_shown, ==, 0);
	g_assert_cmpstr(s.scratch_dir, ==, "/srv/scratch");
	g_assert_cmpstr(s.log_level, ==, "debug");
	g_assert_cmpstr(s.housekeeping, ==, "0,2-3");
	settings_done(&s);
	g_assert_null(s.scratch_dir);
}

static void test_bad(void)
{
	static const struct {
		char *text;
		const char *part;
	} bad[] = {
		{ "\nqueue_max = 0;", "lrtbfd.conf:2: \"queue_max\" is 0" },
		{ "queue_max = 3000000000;", "lrtbfd.conf:1: 3000000000" },
		{ "queue_maxx = 1;", "did you mean \"queue_max\"?" },
		{ "ended_shown = -1;", "0 to 1000" },
		{ "scratch_dir = \"scratch\";", "path from /" },
		{ "log_level = \"loud\";", "debug, info" },
		{ "housekeeping = \"1-0\";", "backwards" },
		{ "housekeeping = 0;", "text in double quotes" },
		{ "queue_max", "\"=\" is expected" },
	};

	for (size_t i = 0; i < G_N_ELEMENTS(bad); i++) {
		struct settings s;
		g_autofree char *problems = settings_from(&s, bad[i].text);

		if (!strstr(problems, bad[i].part))
			g_error("%s: %s", bad[i].text, problems);
		g_assert_cmpuint(s.queue_max, ==, 64);
		settings_done(&s);
	}
}

/* What was good stands, so that one bad line does not undo the others. */
static void test_good_parts(void)
{
	struct settings s;
	g_autofree char *problems = settings_from(&s, "queue_max = 5;\nended_shown = \"x\";");

	g_assert_true(g_str_has_prefix(problems, "lrtbfd.conf:2: "));
	g_assert_cmpuint(s.queue_max, ==, 5);
	g_assert_cmpuint(s.ended_shown, ==, 20);
	settings_done(&s);
}

/* Nothing is removed by half a rule. */
static void test_keep(void)
{
	struct settings s;
	g_autofree char *good =
		settings_from(&s, "keep = { count = 7; summary_age = \"366 d\"; };");
	g_autofree char *bad = NULL;

	g_assert_cmpstr(good, ==, "");
	g_assert_true(s.keep.given);
	g_assert_cmpuint(s.keep.count, ==, 7);
	g_assert_cmpuint(s.keep.summary_age_ns, ==, UINT64_C(366) * 86400 * 1000000000);
	settings_done(&s);
	bad = settings_from(&s, "queue_max = 5;\nkeep = { count = 7; agee = \"90 d\"; };");
	g_assert_true(g_str_has_prefix(bad, "lrtbfd.conf:2: "));
	g_assert_cmpuint(s.queue_max, ==, 5);
	g_assert_false(s.keep.given);
	g_assert_false(retention_bounds(&s.keep));
	settings_done(&s);
}

/* "!" takes away from all CPUs of any machine, not from what happens to be on the stack. */
static void test_housekeeping(void)
{
	static const char *const good[] = { "!0", "!0-1022", "all", "7" };
	struct settings s;

	for (size_t i = 0; i < G_N_ELEMENTS(good); i++) {
		g_autofree char *text = g_strdup_printf("housekeeping = \"%s\";", good[i]);
		g_autofree char *problems = settings_from(&s, text);

		g_assert_cmpstr(problems, ==, "");
		g_assert_cmpstr(s.housekeeping, ==, good[i]);
		settings_done(&s);
	}
	g_free(settings_from(&s, "housekeeping = \"!0-1023\";"));
	g_assert_null(s.housekeeping);
	settings_done(&s);
}

/* The file that comes with it: only comments, and each of them a key that exists. */
static void test_shipped(void)
{
	const char *const dirs[] = { g_getenv("CONF"), NULL };
	g_autoptr(GPtrArray) problems = problems_new();
	g_autofree char *uncommented = NULL;
	g_autofree char *all = NULL;
	g_auto(GStrv) lines = NULL;
	struct conftree_file *f;
	struct settings s;

	g_assert_cmpint(conftree_get(dirs, "", "lrtbfd", &f), ==, 0);
	settings_init(&s);
	g_assert_cmpint(settings_read(&s, f, problems), ==, 0);
	settings_done(&s);
	lines = g_strsplit(f->text, "\n", -1);
	for (char **l = lines; *l; l++)
		if ((*l)[0] == '#' && (*l)[1] != ' ')
			(*l)[0] = ' ';
	uncommented = g_strjoinv("\n", lines);
	all = settings_from(&s, uncommented);
	g_assert_cmpstr(all, ==, "");
	g_assert_cmpstr(s.log_level, ==, "info");
	settings_done(&s);
	conftree_file_free(f);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/settings/defaults", test_defaults);
	g_test_add_func("/settings/all", test_all);
	g_test_add_func("/settings/bad", test_bad);
	g_test_add_func("/settings/good-parts", test_good_parts);
	g_test_add_func("/settings/keep", test_keep);
	g_test_add_func("/settings/housekeeping", test_housekeeping);
	g_test_add_func("/settings/shipped", test_shipped);
	return g_test_run();
}
