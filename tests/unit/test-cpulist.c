/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cpulist.h"

#include <errno.h>
#include <glib.h>
#include <glib/gstdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static cpu_set_t cpus(const char *text)
{
	cpu_set_t set;

	g_assert_cmpint(cpulist_parse(text, NULL, &set, NULL), ==, 0);
	return set;
}

static void check(const char *text, const cpu_set_t *allowed, const char *expected)
{
	g_autofree char *why = NULL;
	g_autofree char *got = NULL;
	cpu_set_t set;

	if (cpulist_parse(text, allowed, &set, &why) < 0)
		g_error("\"%s\": %s", text, why);
	got = cpulist_format(&set);
	g_assert_cmpstr(got, ==, expected);
}

static void test_plain(void)
{
	check("0", NULL, "0");
	check("0-3,8", NULL, "0-3,8");
	check("2,0,1", NULL, "0-2");
	check(" 1 , 3 ", NULL, "1,3");
	check("5 - 7", NULL, "5-7");
	check("0-127", NULL, "0-127");
	check("63,64,65", NULL, "63-65");
	check("0,1000-1023", NULL, "0,1000-1023");
	check("1,1,1-2", NULL, "1-2");
	check("0-1\n", NULL, "0-1"); /* as /sys has it */
	check("0007", NULL, "7");
}

static void test_relative(void)
{
	cpu_set_t allowed = cpus("0-3,6");

	check("all", &allowed, "0-3,6");
	check(" all ", &allowed, "0-3,6");
	check("!0", &allowed, "1-3,6");
	check("!2-3", &allowed, "0-1,6");
	check("! 2 - 3 , 6", &allowed, "0-1");
	check("!99", &allowed, "0-3,6");
	check("1,5", &allowed, "1,5"); /* whether it is allowed is cpulist_check()'s */
}

static void test_bad(void)
{
	static const struct {
		const char *text;
		int r;
	} bad[] = {
		{ "", -EINVAL },      { " ", -EINVAL },	     { ",", -EINVAL },
		{ "0,", -EINVAL },    { ",0", -EINVAL },     { "0,,1", -EINVAL },
		{ "3-1", -EINVAL },   { "1-", -EINVAL },     { "-1", -EINVAL },
		{ "0x1", -EINVAL },   { "a", -EINVAL },	     { "0 1", -EINVAL },
		{ "0-3:2", -EINVAL }, { "1.5", -EINVAL },    { "0-1-2", -EINVAL },
		{ "1024", -ERANGE },  { "0-1024", -ERANGE }, { "99999999999999999999", -ERANGE },
		{ "!", -EINVAL },     { "!0-3,6", -EINVAL }, { "!!0", -EINVAL },
		{ "0,!1", -EINVAL },  { "allx", -EINVAL },   { "all,0", -EINVAL },
		{ "!all", -EINVAL },  { "+1", -EINVAL },     { "\xff", -EINVAL },
	};
	cpu_set_t allowed = cpus("0-3,6");

	for (size_t i = 0; i < G_N_ELEMENTS(bad); i++) {
		g_autofree char *why = NULL;
		cpu_set_t set = cpus("17");
		g_autofree char *untouched = NULL;
		int r = cpulist_parse(bad[i].text, &allowed, &set, &why);

		if (r != bad[i].r)
			g_test_message("\"%s\" gave %d", bad[i].text, r);
		g_assert_cmpint(r, ==, bad[i].r);
		g_assert_nonnull(why);
		untouched = cpulist_format(&set);
		g_assert_cmpstr(untouched, ==, "17");
	}
	/* without an allowed set only plain lists are taken */
	g_assert_cmpint(cpulist_parse("all", NULL, &allowed, NULL), ==, -EINVAL);
	g_assert_cmpint(cpulist_parse("!0", NULL, &allowed, NULL), ==, -EINVAL);
}

static void test_check(void)
{
	cpu_set_t online = cpus("0-3"), allowed = cpus("0,2-3"), wanted;
	g_autofree char *off = NULL;
	g_autofree char *outside = NULL;
	g_autofree char *both = NULL;

	wanted = cpus("0,3");
	g_assert_cmpint(cpulist_check(&wanted, &allowed, &online, NULL), ==, 0);
	wanted = cpus("0,5,7");
	g_assert_cmpint(cpulist_check(&wanted, &allowed, &online, &off), ==, -EINVAL);
	g_assert_nonnull(strstr(off, "CPU 5,7 is offline"));
	wanted = cpus("0,1");
	g_assert_cmpint(cpulist_check(&wanted, &allowed, &online, &outside), ==, -EINVAL);
	g_assert_nonnull(strstr(outside, "CPU 1 is outside"));
	g_assert_nonnull(strstr(outside, "0,2-3"));
	wanted = cpus("1,9");
	g_assert_cmpint(cpulist_check(&wanted, &allowed, &online, &both), ==, -EINVAL);
	g_assert_nonnull(strstr(both, "CPU 9 is offline"));
	g_assert_nonnull(strstr(both, "CPU 1 is outside"));
}

static void test_format_empty(void)
{
	g_autofree char *text = NULL;
	cpu_set_t set;

	CPU_ZERO(&set);
	text = cpulist_format(&set);
	g_assert_cmpstr(text, ==, "");
}

/* Another thread's worth of narrowing: the mask that a parent gave us counts. */
static void test_allowed_follows_mask(void)
{
	cpu_set_t before, narrow, now;
	int first = -1;

	g_assert_cmpint(cpulist_allowed("/", &before), ==, 0);
	g_assert_cmpint(CPU_COUNT(&before), >, 0);
	if (CPU_COUNT(&before) < 2) {
		g_test_skip("one CPU cannot be narrowed");
		return;
	}
	for (int cpu = 0; cpu < CPU_SETSIZE && first < 0; cpu++)
		if (CPU_ISSET(cpu, &before))
			first = cpu;
	CPU_ZERO(&narrow);
	CPU_SET(first, &narrow);
	g_assert_cmpint(sched_setaffinity(0, sizeof(narrow), &narrow), ==, 0);
	g_assert_cmpint(cpulist_allowed("/", &now), ==, 0);
	g_assert_true(CPU_EQUAL(&now, &narrow));
	g_assert_cmpint(sched_setaffinity(0, sizeof(before), &before), ==, 0);
}

/* An isolated CPU is in no inherited mask, and can be named all the same. */
static void test_reachable_isolated(void)
{
	g_autofree char *root = g_dir_make_tmp("lrtbf-cpulist-XXXXXX", NULL);
	g_autofree char *dir = g_build_filename(root, "sys/devices/system/cpu", NULL);
	g_autofree char *file = g_build_filename(dir, "isolated", NULL);
	g_autofree char *last_text = NULL;
	cpu_set_t before, narrow, last, now, own;

	g_assert_cmpint(cpulist_allowed("/", &before), ==, 0);
	if (CPU_COUNT(&before) < 2) {
		g_test_skip("one CPU cannot be narrowed");
		return;
	}
	narrow = before;
	CPU_ZERO(&last);
	for (int cpu = CPU_SETSIZE - 1; CPU_COUNT(&last) == 0; cpu--)
		if (CPU_ISSET(cpu, &before)) {
			CPU_CLR(cpu, &narrow);
			CPU_SET(cpu, &last);
		}
	last_text = cpulist_format(&last);
	g_assert_cmpint(sched_setaffinity(0, sizeof(narrow), &narrow), ==, 0);

	cpulist_reachable(root, &narrow, &now); /* no such file */
	g_assert_true(CPU_EQUAL(&now, &narrow));
	g_assert_cmpint(g_mkdir_with_parents(dir, 0755), ==, 0);
	g_assert_true(g_file_set_contents(file, "\n", -1, NULL));
	cpulist_reachable(root, &narrow, &now);
	g_assert_true(CPU_EQUAL(&now, &narrow));
	g_assert_true(g_file_set_contents(file, last_text, -1, NULL));
	cpulist_reachable(root, &narrow, &now);
	g_assert_true(CPU_EQUAL(&now, &before));
	/* there is no such CPU to move to */
	g_assert_true(g_file_set_contents(file, "1023", -1, NULL));
	cpulist_reachable(root, &narrow, &now);
	g_assert_true(CPU_EQUAL(&now, &narrow));

	g_assert_cmpint(sched_getaffinity(0, sizeof(own), &own), ==, 0);
	g_assert_true(CPU_EQUAL(&own, &narrow));
	g_assert_cmpint(sched_setaffinity(0, sizeof(before), &before), ==, 0);
	g_unlink(file);
}

static void test_captured_tree(void)
{
	g_autofree char *root = g_dir_make_tmp("lrtbf-cpulist-XXXXXX", NULL);
	g_autofree char *dir = g_build_filename(root, "sys/devices/system/cpu", NULL);
	g_autofree char *file = g_build_filename(dir, "online", NULL);
	g_autofree char *text = NULL;
	cpu_set_t set;

	g_assert_cmpint(cpulist_online(root, &set), <, 0);
	g_assert_cmpint(g_mkdir_with_parents(dir, 0755), ==, 0);
	g_assert_true(g_file_set_contents(file, "0,2-5,127\n", -1, NULL));
	g_assert_cmpint(cpulist_allowed(root, &set), ==, 0);
	text = cpulist_format(&set);
	g_assert_cmpstr(text, ==, "0,2-5,127");
	g_assert_true(g_file_set_contents(file, "garbage", -1, NULL));
	g_assert_cmpint(cpulist_online(root, &set), ==, -EINVAL);
	g_assert_cmpint(g_unlink(file), ==, 0);
	for (char *d = dir; strlen(d) >= strlen(root); *strrchr(d, '/') = '\0')
		g_assert_cmpint(g_rmdir(d), ==, 0);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/cpulist/plain", test_plain);
	g_test_add_func("/cpulist/relative", test_relative);
	g_test_add_func("/cpulist/bad", test_bad);
	g_test_add_func("/cpulist/check", test_check);
	g_test_add_func("/cpulist/format-empty", test_format_empty);
	g_test_add_func("/cpulist/allowed-follows-mask", test_allowed_follows_mask);
	g_test_add_func("/cpulist/reachable-isolated", test_reachable_isolated);
	g_test_add_func("/cpulist/captured-tree", test_captured_tree);
	return g_test_run();
}
