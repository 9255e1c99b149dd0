/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Rules as they lie in folders: which files are read, what replaces what, and those that are
 * shipped.
 */
#include "conftree.h"
#include "rule-shared.h"
#include "rule.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct tree {
	char *base;
	char *etc, *lib;
	const char *dirs[3];
};

static void tree_init(struct tree *t, gconstpointer unused)
{
	t->base = g_dir_make_tmp("lrtbf-rule-XXXXXX", NULL);
	t->etc = g_build_filename(t->base, "etc", NULL);
	t->lib = g_build_filename(t->base, "lib", NULL);
	g_assert_cmpint(mkdir(t->etc, 0755), ==, 0);
	g_assert_cmpint(mkdir(t->lib, 0755), ==, 0);
	t->dirs[0] = t->etc;
	t->dirs[1] = t->lib;
}

static void remove_tree(const char *path)
{
	g_autoptr(GDir) dir = g_dir_open(path, 0, NULL);
	const char *name;

	while (dir && (name = g_dir_read_name(dir))) {
		g_autofree char *inner = g_build_filename(path, name, NULL);

		if (g_file_test(inner, G_FILE_TEST_IS_DIR) &&
		    !g_file_test(inner, G_FILE_TEST_IS_SYMLINK))
			remove_tree(inner);
		else
			(void)unlink(inner);
	}
	(void)rmdir(path);
}

static void tree_done(struct tree *t, gconstpointer unused)
{
	remove_tree(t->base);
	g_free(t->base);
	g_free(t->etc);
	g_free(t->lib);
}

static void write_text(const struct tree *t, const char *name, const char *text)
{
	g_autofree char *path = g_build_filename(t->base, name, NULL);
	g_autofree char *dir = g_path_get_dirname(path);

	g_assert_cmpint(g_mkdir_with_parents(dir, 0755), ==, 0);
	g_assert_true(g_file_set_contents(path, text, -1, NULL));
	g_assert_cmpint(chmod(path, 0644), ==, 0);
}

/* Names of the rules that were read; *ret_problems as text. */
static char *names_read(const struct tree *t, char **ret_problems)
{
	g_autoptr(GPtrArray) problems = problems_new();
	g_autoptr(GPtrArray) rules = rules_read(t->dirs, problems);
	GString *names = g_string_new(NULL);

	for (guint i = 0; i < rules->len; i++)
		g_string_append_printf(names, "%s ", ((struct rule *)rules->pdata[i])->name);
	*ret_problems = problems_format(problems);
	return g_string_free(names, FALSE);
}

static void expect_read(const struct tree *t, const char *names)
{
	g_autofree char *problems = NULL;
	g_autofree char *got = names_read(t, &problems);

	g_assert_cmpstr(problems, ==, "");
	g_assert_cmpstr(got, ==, names);
}

static const char one_rule[] = "rules = ( { match = { irq = 1; }; nice = 1; } );";

static void test_read(struct tree *t, gconstpointer unused)
{
	g_autofree char *mask = g_build_filename(t->etc, "irq.d", "30-z.conf", NULL);

	expect_read(t, "");
	write_text(t, "lib/irq.d/20-b.conf", one_rule);
	write_text(t, "lib/irq.d/30-z.conf", one_rule);
	write_text(t, "etc/irq.d/10-net.conf",
		   "rules = ( { match = { irq = 1; }; nice = 1; },"
		   " { match = { irq = 2; }; nice = 1; } );");
	write_text(t, "etc/irq.d/a.conf", "# nothing\n");
	write_text(t, "etc/irq.d/README", "not rules");
	expect_read(t, "10-net/1 10-net/2 20-b/1 30-z/1 ");
	g_assert_cmpint(symlink("/dev/null", mask), ==, 0);
	expect_read(t, "10-net/1 10-net/2 20-b/1 ");
	/* a stronger folder's file replaces; a drop-in replaces the list, and is what is to blame
	 */
	write_text(t, "etc/irq.d/20-b.conf", "rules = ( );");
	write_text(t, "etc/irq.d/10-net.conf.d/x.conf", one_rule);
	expect_read(t, "10-net/1 ");
}

static void test_read_problems(struct tree *t, gconstpointer unused)
{
	g_autofree char *writable = g_build_filename(t->base, "etc/irq.d/60-open.conf", NULL);
	g_autofree char *problems = NULL;
	g_autofree char *names = NULL;

	write_text(t, "etc/irq.d/10-a.conf", "rules = ( {");
	write_text(t, "etc/irq.d/20-b.conf", one_rule);
	write_text(t, "etc/irq.d/30-c.conf", one_rule);
	write_text(t, "etc/irq.d/30-c.conf.d/x.conf",
		   "\nrules = ( { match = { irq = 1; }; nice = 100; },"
		   " { match = { irq = 2; }; nice = 1; } );");
	write_text(t, "etc/irq.d/40-Net.conf", one_rule);
	write_text(t, "etc/irq.d/50-net.bak.conf", one_rule);
	write_text(t, "etc/irq.d/60-open.conf", one_rule);
	g_assert_cmpint(chmod(writable, 0666), ==, 0);
	names = names_read(t, &problems);
	g_assert_cmpstr(names, ==, "20-b/1 30-c/2 ");
	g_assert_nonnull(strstr(problems, "irq.d/10-a.conf:1: "));
	g_assert_nonnull(strstr(problems, "irq.d/30-c.conf.d/x.conf:2: \"nice\" is 100"));
	g_assert_nonnull(strstr(problems, "40-Net.conf: is not read: a name has small letters, "
					  "digits, _ and - only"));
	g_assert_nonnull(strstr(problems, "50-net.bak.conf: is not read"));
	g_assert_nonnull(strstr(problems, "60-open.conf: may be written by"));
}

/* Whoever can put a file there sets priorities of kernel threads. */
static void test_open_folder(struct tree *t, gconstpointer unused)
{
	g_autofree char *folder = g_build_filename(t->base, "etc/irq.d", NULL);
	g_autofree char *problems = NULL;
	g_autofree char *names = NULL;

	write_text(t, "etc/irq.d/20-b.conf", one_rule);
	g_assert_cmpint(chmod(folder, 0775), ==, 0);
	names = names_read(t, &problems);
	g_assert_cmpstr(names, ==, "");
	g_assert_nonnull(strstr(problems, "the folder may be written by"));
}

/* Shipped: nothing is active, and what the comments show would work. */
static void test_shipped(void)
{
	const char *const dirs[] = { g_getenv("CONF"), NULL };
	g_autoptr(GPtrArray) problems = problems_new();
	g_autoptr(GPtrArray) rules = rules_read(dirs, problems);
	g_autofree char *path = g_build_filename(g_getenv("CONF"), "irq.d", "examples.conf", NULL);
	g_autofree char *all = problems_format(problems);
	g_autofree char *text = NULL;
	g_autoptr(GString) examples = g_string_new(NULL);
	g_autoptr(GPtrArray) shown = NULL;
	g_auto(GStrv) lines = NULL;

	g_assert_cmpstr(all, ==, "");
	g_assert_cmpuint(rules->len, ==, 0);
	g_assert_true(g_file_get_contents(path, &text, NULL, NULL));
	lines = g_strsplit(text, "\n", -1);
	for (char **l = lines; *l; l++)
		if (g_str_has_prefix(*l, "#\t"))
			g_string_append_printf(examples, "%s\n", *l + 2);
	shown = parsed(examples->str);
	g_assert_cmpuint(shown->len, >=, 5);
}

#define ADD(name, func) g_test_add("/rule/" name, struct tree, NULL, tree_init, func, tree_done)

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	ADD("read", test_read);
	ADD("read-problems", test_read_problems);
	ADD("open-folder", test_open_folder);
	g_test_add_func("/rule/shipped", test_shipped);
	return g_test_run();
}
