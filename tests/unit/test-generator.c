/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "generator.h"

#include "timerunit.h"

#include <glib/gstdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A root with the three configuration folders, and a folder for units. */
struct world {
	char *root, *dest;
	char *dirs[4];
	GString *said;
};

static void on_say(const char *text, void *userdata)
{
	struct world *w = userdata;

	g_string_append_printf(w->said, "%s\n", text);
}

static void world_init(struct world *w, gconstpointer unused)
{
	umask(022);
	w->root = g_dir_make_tmp("lrtbf-generator-XXXXXX", NULL);
	w->dest = g_build_filename(w->root, "units", NULL);
	w->dirs[0] = g_build_filename(w->root, "etc/lrtbfd", NULL);
	w->dirs[1] = g_build_filename(w->root, "run/lrtbfd-config", NULL);
	w->dirs[2] = g_build_filename(w->root, "usr/lib/lrtbfd", NULL);
	w->dirs[3] = NULL;
	w->said = g_string_new(NULL);
	g_assert_cmpint(g_mkdir(w->dest, 0755), ==, 0);
}

static void world_done(struct world *w, gconstpointer unused)
{
	const char *argv[] = { "rm", "-rf", "--", w->root, NULL };

	g_assert_true(g_spawn_sync(NULL, (char **)argv, NULL, G_SPAWN_SEARCH_PATH, NULL, NULL, NULL,
				   NULL, NULL, NULL));
	g_string_free(w->said, TRUE);
	for (int i = 0; i < 3; i++)
		g_free(w->dirs[i]);
	g_free(w->dest);
	g_free(w->root);
}

static char *place(struct world *w, const char *path, const char *text)
{
	char *full = g_build_filename(w->root, path, NULL);
	g_autofree char *dir = g_path_get_dirname(full);

	g_assert_cmpint(g_mkdir_with_parents(dir, 0755), ==, 0);
	g_assert_true(g_file_set_contents(full, text, -1, NULL));
	return full;
}

static void put(struct world *w, const char *path, const char *text)
{
	g_autofree char *full = place(w, path, text);

	g_assert_cmpint(chmod(full, 0644), ==, 0);
}

static unsigned run(struct world *w)
{
	const struct generator_params g = {
		.config_dirs = (const char *const *)w->dirs,
		.root = w->root,
		.dest = w->dest,
		.say = on_say,
		.userdata = w,
	};

	g_string_truncate(w->said, 0);
	return generator_run(&g);
}

/* The timer's text, NULL: there is none; it is wanted exactly when it is there. */
static char *timer(struct world *w, const char *plan)
{
	g_autofree char *unit = g_strdup_printf("lrtbf-plan-%s.timer", plan);
	g_autofree char *path = g_build_filename(w->dest, unit, NULL);
	g_autofree char *link = g_build_filename(w->dest, "timers.target.wants", unit, NULL);
	g_autofree char *target = g_file_read_link(link, NULL);
	g_autofree char *expected = g_strconcat("../", unit, NULL);
	char *text = NULL;

	(void)g_file_get_contents(path, &text, NULL, NULL);
	g_assert_cmpstr(target, ==, text ? expected : NULL);
	return text;
}

/* The same of the one that only a persistent plan's on_boot has, which the other one wants. */
static char *boot_timer(struct world *w, const char *plan)
{
	g_autofree char *unit = g_strdup_printf("lrtbf-plan-%s-boot.timer", plan);
	g_autofree char *path = g_build_filename(w->dest, unit, NULL);
	char *text = NULL;

	(void)g_file_get_contents(path, &text, NULL, NULL);
	return text;
}

static void assert_line(const char *text, const char *line)
{
	g_auto(GStrv) lines = g_strsplit(text, "\n", -1);

	if (!g_strv_contains((const char *const *)lines, line))
		g_error("no line \"%s\" in:\n%s", line, text);
}

static void test_timer(struct world *w, gconstpointer unused)
{
	g_autofree char *text = NULL, *none = NULL, *boot = NULL;

	put(w, "usr/lib/lrtbfd/plans.d/night.conf",
	    "schedule = [ \"Mon..Fri 02:00\", \"Sun 03:00 Europe/Berlin\" ];\n"
	    "persistent = true; wake_system = true; randomized_delay = \"90s\";\n"
	    "accuracy = \"1500us\"; on_boot = \"1h\";\n"
	    "description = \"x\\nExecStart=/bin/false\";\n");
	g_assert_cmpuint(run(w), ==, 0); /* the description is on two lines: refused */
	g_assert_nonnull(strstr(w->said->str, "night.conf:4:"));
	put(w, "usr/lib/lrtbfd/plans.d/night.conf",
	    "schedule = [ \"Mon..Fri 02:00\", \"Sun 03:00 Europe/Berlin\" ];\n"
	    "persistent = true; wake_system = true; randomized_delay = \"90s\";\n"
	    "accuracy = \"1500us\"; on_boot = \"1h\"; description = \"50%n\";\n");
	put(w, "usr/lib/lrtbfd/plans.d/hand.conf", "duration = \"1s\";\n");
	g_assert_cmpuint(run(w), ==, 1);
	g_assert_cmpstr(w->said->str, ==, "");
	text = timer(w, "night");
	none = timer(w, "hand");
	g_assert_null(none);
	assert_line(text, "SourcePath=/usr/lib/lrtbfd/plans.d/night.conf");
	assert_line(text, "Unit=lrtbf-session@night.service");
	assert_line(text, "OnCalendar=Mon..Fri 02:00");
	assert_line(text, "OnCalendar=Sun 03:00 Europe/Berlin");
	assert_line(text, "AccuracySec=1.5ms");
	assert_line(text, "RandomizedDelaySec=90s");
	assert_line(text, "Persistent=yes");
	assert_line(text, "WakeSystem=yes");
	g_assert_null(strchr(text, '%'));
	/* a persistent one has a timer of its own for each boot */
	g_assert_null(strstr(text, "OnBootSec"));
	assert_line(text, "Wants=lrtbf-plan-night-boot.timer");
	boot = boot_timer(w, "night");
	assert_line(boot, "PartOf=lrtbf-plan-night.timer");
	assert_line(boot, "Unit=lrtbf-session@night.service");
	assert_line(boot, "OnBootSec=1h");
	assert_line(boot, "WakeSystem=yes");
	g_assert_null(strstr(boot, "OnCalendar"));
	g_assert_null(strstr(boot, "Persistent"));
}

static void test_on_boot(struct world *w, gconstpointer unused)
{
	g_autofree char *text = NULL, *boot = NULL;

	put(w, "usr/lib/lrtbfd/plans.d/a.conf", "schedule = \"daily\"; on_boot = \"1h\";\n");
	g_assert_cmpuint(run(w), ==, 1);
	text = timer(w, "a");
	boot = boot_timer(w, "a");
	assert_line(text, "OnBootSec=1h");
	assert_line(text, "OnCalendar=daily");
	g_assert_null(strstr(text, "Wants="));
	g_assert_null(boot);
}

static void test_defaults(struct world *w, gconstpointer unused)
{
	g_autofree char *text = NULL;

	put(w, "usr/lib/lrtbfd/plans.d/a.conf", "schedule = \"daily\";\n");
	g_assert_cmpuint(run(w), ==, 1);
	text = timer(w, "a");
	assert_line(text, "AccuracySec=1s");
	g_assert_null(strstr(text, "Persistent"));
	g_assert_null(strstr(text, "OnBootSec"));
	g_assert_null(strstr(text, "Randomized"));
	g_assert_null(strstr(text, "WakeSystem"));
	/* once more over what is there, as it is at each reload of a test's folder */
	g_assert_cmpuint(run(w), ==, 1);
}

static void test_layers(struct world *w, gconstpointer unused)
{
	g_autofree char *mask = NULL, *a = NULL, *b = NULL, *c = NULL, *d = NULL;

	put(w, "usr/lib/lrtbfd/plans.d/a.conf", "schedule = \"daily\";\n");
	put(w, "usr/lib/lrtbfd/plans.d/b.conf", "schedule = \"daily\";\n");
	put(w, "usr/lib/lrtbfd/plans.d/c.conf", "schedule = \"daily\";\n");
	put(w, "usr/lib/lrtbfd/plans.d/d.conf", "schedule = \"daily\";\n");
	put(w, "run/lrtbfd-config/plans.d/a.conf", "schedule = \"weekly\";\n");
	put(w, "etc/lrtbfd/plans.d/b.conf.d/50-schedule.conf", "schedule = \"hourly\";\n");
	put(w, "etc/lrtbfd/plans.d/c.conf.d/50-schedule.conf", "schedule_enabled = false;\n");
	mask = g_build_filename(w->dirs[0], "plans.d/d.conf", NULL);
	g_assert_cmpint(symlink("/dev/null", mask), ==, 0);
	g_assert_cmpuint(run(w), ==, 2);
	a = timer(w, "a");
	b = timer(w, "b");
	c = timer(w, "c");
	d = timer(w, "d");
	assert_line(a, "OnCalendar=weekly");
	assert_line(a, "SourcePath=/run/lrtbfd-config/plans.d/a.conf");
	assert_line(b, "OnCalendar=hourly");
	g_assert_null(strstr(b, "daily"));
	g_assert_null(c);
	g_assert_null(d);
}

/* One bad file has its sentence, the others their timers. */
static void test_bad_files(struct world *w, gconstpointer unused)
{
	g_autofree char *bad = NULL, *open_path = NULL, *good = NULL, *odd = NULL, *open = NULL;
	g_autofree char *hostile = NULL;

	put(w, "etc/lrtbfd/plans.d/bad.conf", "schedule = \"daily\"; priority = 4711;\n");
	put(w, "etc/lrtbfd/plans.d/hostile.conf",
	    "schedule = \"daily\\n[Service]\\nExecStart=/bin/sh\";\n");
	put(w, "etc/lrtbfd/plans.d/Odd-Name%n.conf", "schedule = \"daily\";\n");
	put(w, "etc/lrtbfd/plans.d/good.conf", "schedule = \"daily\";\n");
	open_path = place(w, "etc/lrtbfd/plans.d/open.conf", "schedule = \"daily\";\n");
	g_assert_cmpint(chmod(open_path, 0666), ==, 0);
	g_assert_cmpuint(run(w), ==, 1);
	bad = timer(w, "bad");
	hostile = timer(w, "hostile");
	odd = timer(w, "Odd-Name%n");
	open = timer(w, "open");
	good = timer(w, "good");
	g_assert_null(bad);
	g_assert_null(hostile);
	g_assert_null(odd);
	g_assert_null(open);
	g_assert_nonnull(good);
	g_assert_nonnull(strstr(w->said->str, "bad.conf:1:"));
	g_assert_nonnull(strstr(w->said->str, "hostile.conf:1:"));
	g_assert_nonnull(strstr(w->said->str, "Odd-Name%n.conf"));
	g_assert_nonnull(strstr(w->said->str, "open.conf: may be written by"));
}

static void test_writable_folder(struct world *w, gconstpointer unused)
{
	g_autofree char *dir = g_build_filename(w->dirs[0], "plans.d", NULL);

	put(w, "etc/lrtbfd/plans.d/a.conf", "schedule = \"daily\";\n");
	g_assert_cmpint(chmod(dir, 0777), ==, 0);
	g_assert_cmpuint(run(w), ==, 0);
	g_assert_nonnull(strstr(w->said->str, "chmod go-w"));
}

static void test_nothing(struct world *w, gconstpointer unused)
{
	g_assert_cmpuint(run(w), ==, 0); /* no folder at all */
	g_assert_cmpstr(w->said->str, ==, "");
	put(w, "etc/lrtbfd/plans.d/a.conf", "schedule = \"daily\";\n");
	g_assert_cmpint(g_rmdir(w->dest), ==, 0);
	g_assert_cmpuint(run(w), ==, 0);
	g_assert_nonnull(strstr(w->said->str, "cannot be opened"));
	g_assert_cmpint(g_mkdir(w->dest, 0755), ==, 0);
}

/* What does not come from a checked plan is checked once more. */
static void test_unit_alone(void)
{
	struct schedule_calendar evil = { .text = (char *)"daily\n[Service]" };
	struct plan p = { .name = (char *)"a" };
	g_autofree char *text = NULL;

	schedule_init(&p.schedule);
	g_ptr_array_set_free_func(p.schedule.calendars, NULL);
	g_ptr_array_add(p.schedule.calendars, &evil);
	text = timerunit_format(&p, "/a path/%n");
	g_assert_nonnull(text);
	g_assert_null(strstr(text, "[Service]"));
	g_assert_null(strstr(text, "SourcePath"));
	p.name = (char *)"../a";
	g_assert_null(timerunit_format(&p, "/a"));
	schedule_done(&p.schedule);
}

#define ADD(name, function)                                                                        \
	g_test_add("/generator/" name, struct world, NULL, world_init, function, world_done)

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	ADD("timer", test_timer);
	ADD("on-boot", test_on_boot);
	ADD("defaults", test_defaults);
	ADD("layers", test_layers);
	ADD("bad-files", test_bad_files);
	ADD("writable-folder", test_writable_folder);
	ADD("nothing", test_nothing);
	g_test_add_func("/generator/unit-alone", test_unit_alone);
	return g_test_run();
}
