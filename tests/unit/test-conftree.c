/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "conftree.h"

#include "conffile.h"

#include <errno.h>
#include <glib/gstdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Two configuration folders below one that goes with the test. */
struct tree {
	char *base, *strong, *weak;
	const char *dirs[4];
};

static void remove_below(const char *path)
{
	g_autoptr(GDir) dir = g_dir_open(path, 0, NULL);
	const char *name;

	while (dir && (name = g_dir_read_name(dir))) {
		g_autofree char *p = g_build_filename(path, name, NULL);

		if (g_file_test(p, G_FILE_TEST_IS_DIR) && !g_file_test(p, G_FILE_TEST_IS_SYMLINK))
			remove_below(p);
		else
			(void)g_unlink(p);
	}
	(void)g_rmdir(path);
}

static void tree_init(struct tree *t, gconstpointer unused)
{
	umask(022);
	t->base = g_dir_make_tmp("lrtbf-conftree-XXXXXX", NULL);
	t->strong = g_build_filename(t->base, "etc", NULL);
	t->weak = g_build_filename(t->base, "lib", NULL);
	t->dirs[0] = t->strong;
	t->dirs[1] = "/nonexistent/lrtbfd";
	t->dirs[2] = t->weak;
	t->dirs[3] = NULL;
}

static void tree_done(struct tree *t, gconstpointer unused)
{
	remove_below(t->base);
	g_free(t->base);
	g_free(t->strong);
	g_free(t->weak);
}

/* "etc/plans.d/a.conf" below the base, folders made. */
static char *place(struct tree *t, const char *path)
{
	char *full = g_build_filename(t->base, path, NULL);
	g_autofree char *dir = g_path_get_dirname(full);

	g_assert_cmpint(g_mkdir_with_parents(dir, 0755), ==, 0);
	return full;
}

static void write_text(struct tree *t, const char *path, const char *text)
{
	g_autofree char *full = place(t, path);
	FILE *f = fopen(full, "w");

	g_assert_nonnull(f);
	g_assert_cmpint(fputs(text, f), >=, 0);
	g_assert_cmpint(fclose(f), ==, 0);
}

static void link_to(struct tree *t, const char *path, const char *target)
{
	g_autofree char *full = place(t, path);

	g_assert_cmpint(symlink(target, full), ==, 0);
}

static void mode(struct tree *t, const char *path, mode_t bits)
{
	g_autofree char *full = place(t, path);

	g_assert_cmpint(chmod(full, bits), ==, 0);
}

static struct conftree_file *get(struct tree *t, const char *name)
{
	struct conftree_file *f;

	g_assert_cmpint(conftree_get(t->dirs, "plans.d", name, &f), ==, 0);
	return f;
}

/* The file is there, without text, and its one problem contains @part. */
static void refused(struct tree *t, const char *name, const char *part)
{
	g_autoptr(GPtrArray) problems = problems_new();
	struct conftree_file *f = get(t, name);
	g_autofree char *all = problems_format(f->problems);

	g_assert_null(f->text);
	if (f->problems->len != 1 || !strstr(all, part) || !strstr(all, f->path))
		g_error("%s: expected \"%s\" and got: %s", name, part, all);
	g_assert_null(conftree_file_parse(f, problems));
	g_assert_cmpuint(problems->len, ==, 1);
	conftree_file_free(f);
}

/* The file itself is good, and stands for nothing without its drop-in. */
static void dropin_refused(struct tree *t, const char *name, const char *part)
{
	g_autoptr(GPtrArray) problems = problems_new();
	struct conftree_file *f = get(t, name);
	g_autofree char *all = problems_format(f->problems);

	g_assert_nonnull(strstr(all, part));
	g_assert_null(conftree_file_parse(f, problems));
	conftree_file_free(f);
}

static void test_layers(struct tree *t, gconstpointer unused)
{
	g_autoptr(GPtrArray) files = NULL;
	struct conftree_file *f;

	write_text(t, "lib/plans.d/a.conf", "weak");
	write_text(t, "lib/plans.d/b.conf", "weak");
	write_text(t, "etc/plans.d/b.conf", "strong");
	write_text(t, "etc/plans.d/c.conf", "strong");
	write_text(t, "etc/plans.d/README", "not a plan");
	write_text(t, "etc/plans.d/.hidden.conf", "not a plan");
	write_text(t, "etc/plans.d/d.conf~", "not a plan");
	files = conftree_list(t->dirs, "plans.d");
	g_assert_cmpuint(files->len, ==, 3);
	for (guint i = 0; i < 3; i++) {
		f = files->pdata[i];
		g_assert_cmpint(f->name[0], ==, 'a' + i);
		g_assert_cmpstr(f->text, ==, i == 0 ? "weak" : "strong");
		g_assert_cmpuint(f->size, ==, strlen(f->text));
		g_assert_cmpuint(f->problems->len, ==, 0);
	}
	f = get(t, "b");
	g_assert_true(g_str_has_prefix(f->path, t->strong));
	conftree_file_free(f);
	g_assert_cmpint(conftree_get(t->dirs, "plans.d", "nowhere", &f), ==, -ENOENT);
	g_assert_cmpint(conftree_get(t->dirs, "plans.d", "../plans.d/b", &f), ==, -ENOENT);
	g_assert_cmpint(conftree_get(t->dirs, "loads.d", "b", &f), ==, -ENOENT);
}

static void test_mask(struct tree *t, gconstpointer unused)
{
	g_autoptr(GPtrArray) files = NULL;
	struct conftree_file *f;

	write_text(t, "lib/plans.d/a.conf", "weak");
	link_to(t, "etc/plans.d/a.conf", "/dev/null");
	write_text(t, "lib/plans.d/a.conf.d/x.conf", "rests with it");
	g_assert_cmpint(conftree_get(t->dirs, "plans.d", "a", &f), ==, -ENOENT);
	files = conftree_list(t->dirs, "plans.d");
	g_assert_cmpuint(files->len, ==, 0);
}

static void test_dropins(struct tree *t, gconstpointer unused)
{
	g_autoptr(GPtrArray) problems = problems_new();
	struct conftree_file *f, *d;
	struct conf *c;
	int64_t n = 0;

	write_text(t, "lib/plans.d/a.conf", "v = 1; w = 1; x = 1; y = 1;");
	write_text(t, "lib/plans.d/a.conf.d/10-x.conf", "w = 2; x = 2;");
	write_text(t, "etc/plans.d/a.conf.d/20-x.conf", "x = 3;");
	write_text(t, "lib/plans.d/a.conf.d/30-x.conf", "y = 9;");
	write_text(t, "etc/plans.d/a.conf.d/30-x.conf", "y = 4;");
	write_text(t, "lib/plans.d/a.conf.d/40-x.conf", "v = 9;");
	link_to(t, "etc/plans.d/a.conf.d/40-x.conf", "/dev/null");
	f = get(t, "a");
	g_assert_cmpuint(f->dropins->len, ==, 3);
	d = f->dropins->pdata[2];
	g_assert_cmpstr(d->name, ==, "30-x");
	g_assert_true(g_str_has_prefix(d->path, t->strong));
	c = conftree_file_parse(f, problems);
	g_assert_nonnull(c);
	for (int i = 0; i < 4; i++) {
		char key[2] = { 'v' + i };

		g_assert_cmpint(conf_take_integer(conf_root(c), key, 0, 9, &n), ==, 0);
		g_assert_cmpint(n, ==, i + 1);
	}
	conf_free(c);
	conftree_file_free(f);

	/* one that cannot be read is the plan's problem */
	mode(t, "etc/plans.d/a.conf.d/20-x.conf", 0666);
	f = get(t, "a");
	g_assert_cmpuint(f->problems->len, ==, 1);
	g_assert_null(conftree_file_parse(f, problems));
	g_assert_cmpuint(problems->len, ==, 1);
	conftree_file_free(f);
}

static char *merged(const struct conftree_file *f)
{
	g_autoptr(GPtrArray) problems = problems_new();
	struct conf *c = conftree_file_parse(f, problems);
	const char *value = NULL;
	char *copy;

	g_assert_nonnull(c);
	g_assert_cmpint(conf_take_string(conf_root(c), "a", &value), ==, 0);
	copy = g_strdup(value);
	conf_free(c);
	return copy;
}

/* As if it stood there: in its place among the others, which are ordered with their ".conf". */
static void test_set_dropin(struct tree *t, gconstpointer unused)
{
	static const struct {
		const char *name, *text, *value;
	} cases[] = {
		{ "50", "a = \"50\";", "60" },
		{ "70", "a = \"70\";", "70" },
		{ "60", "a = \"new\";", "70" },
		{ "70", NULL, "new" },
		{ "60-x", "a = \"x\";", "new" }, /* '-' is before '.' */
		{ "60", NULL, "x" },
		{ "60-x", NULL, "50" },
		{ "50", NULL, "0" },
		{ "50", NULL, "0" },
	};
	struct conftree_file *f;

	write_text(t, "etc/plans.d/p.conf", "a = \"0\";");
	write_text(t, "etc/plans.d/p.conf.d/60.conf", "a = \"60\";");
	f = get(t, "p");
	for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autofree char *value = NULL;

		conftree_file_set_dropin(f, cases[i].name, "/x", cases[i].text);
		value = merged(f);
		g_assert_cmpstr(value, ==, cases[i].value);
	}
	conftree_file_free(f);
}

static void test_lone_dropins(struct tree *t, gconstpointer unused)
{
	g_autoptr(GPtrArray) files = NULL;
	g_autoptr(GPtrArray) top = NULL;
	g_autoptr(GPtrArray) none = NULL;
	struct conftree_file *f;

	none = conftree_list(t->dirs, "");
	g_assert_cmpuint(none->len, ==, 0);
	write_text(t, "etc/plans.d/quik.conf.d/x.conf", "a = 1;");
	write_text(t, "etc/lrtbfd.conf.d/x.conf", "a = 1;");
	files = conftree_list(t->dirs, "plans.d");
	g_assert_cmpuint(files->len, ==, 1);
	f = files->pdata[0];
	g_assert_cmpuint(f->problems->len, ==, 1);
	top = conftree_list(t->dirs, "");
	g_assert_cmpuint(top->len, ==, 1);
	f = top->pdata[0];
	g_assert_cmpstr(f->name, ==, "lrtbfd");
	g_assert_cmpstr(f->text, ==, "");
	g_assert_cmpuint(f->dropins->len, ==, 1);
	g_assert_cmpuint(f->problems->len, ==, 0);
}

/* None of these may block, be read, or be answered by the weaker folder's file of the same name. */
static void test_refused(struct tree *t, gconstpointer unused)
{
	static const char names[] = "abcdefghijk";
	g_autofree char *fifo = place(t, "etc/plans.d/a.conf");
	g_autofree char *folder = place(t, "etc/plans.d/b.conf/x");
	g_autofree char *large = g_strnfill(1024 * 1024 + 1, '#');
	g_autofree char *elsewhere = place(t, "elsewhere.conf");
	g_autoptr(GPtrArray) files = NULL;

	for (const char *n = names; *n; n++) {
		g_autofree char *weak = g_strdup_printf("lib/plans.d/%c.conf", *n);

		write_text(t, weak, "weak");
	}
	write_text(t, "elsewhere.conf", "a = 1;");
	g_assert_nonnull(folder); /* its parent is b.conf */
	g_assert_cmpint(mkfifo(fifo, 0644), ==, 0);
	link_to(t, "etc/plans.d/c.conf", "/dev/zero");
	link_to(t, "etc/plans.d/d.conf", "/nonexistent/dangling");
	link_to(t, "etc/plans.d/e.conf", elsewhere);
	link_to(t, "etc/plans.d/f.conf", "../../../dev/null");
	write_text(t, "etc/plans.d/g.conf", large);
	write_text(t, "etc/plans.d/h.conf", "a = 1;");
	mode(t, "etc/plans.d/h.conf", 0664);
	write_text(t, "etc/plans.d/i.conf", "a = 1;");
	mode(t, "etc/plans.d/i.conf", 0646);
	write_text(t, "etc/plans.d/j.conf", "good");
	refused(t, "a", "fifo");
	refused(t, "b", "folder");
	refused(t, "c", "link");
	refused(t, "d", "link");
	refused(t, "e", "link");
	refused(t, "f", "link");
	refused(t, "g", "1 MiB");
	refused(t, "h", "chmod go-w");
	refused(t, "i", "chmod go-w");
	files = conftree_list(t->dirs, "plans.d");
	g_assert_cmpuint(files->len, ==, strlen(names));
	for (guint i = 0; i < files->len; i++) {
		const struct conftree_file *f = files->pdata[i];

		g_assert_cmpstr(f->text, ==,
				*f->name == 'j'	  ? "good"
				: *f->name == 'k' ? "weak"
						  : NULL);
	}
}

static void test_owner(struct tree *t, gconstpointer unused)
{
	g_autofree char *path = place(t, "etc/plans.d/a.conf");

	if (geteuid() != 0) {
		g_test_skip("giving a file away needs root");
		return;
	}
	write_text(t, "etc/plans.d/a.conf", "a = 1;");
	g_assert_cmpint(chown(path, 12345, -1), ==, 0);
	refused(t, "a", "another user");
}

static void test_folder(struct tree *t, gconstpointer unused)
{
	g_autoptr(GPtrArray) files = NULL;
	g_autoptr(GPtrArray) blocked = NULL;
	struct conftree_file *f;

	write_text(t, "lib/plans.d/a.conf", "a = 1;");
	write_text(t, "etc/plans.d/b.conf", "b = 1;");
	mode(t, "etc/plans.d", 0777);
	refused(t, "b", "the folder may be written");
	refused(t, "a", "the folder may be written"); /* it might hold another a.conf */
	mode(t, "etc/plans.d", 0755);
	mode(t, "etc", 0775);
	refused(t, "b", "the folder may be written"); /* plans.d might be replaced */
	mode(t, "etc", 0755);
	mode(t, "etc/plans.d", 0777);
	files = conftree_list(t->dirs, "plans.d");
	g_assert_cmpuint(files->len, ==, 2);
	f = files->pdata[1];
	g_assert_cmpstr(f->name, ==, "plans.d");
	g_assert_cmpuint(f->problems->len, ==, 1);
	mode(t, "etc/plans.d", 0755);
	f = get(t, "a");
	g_assert_cmpstr(f->text, ==, "a = 1;");
	conftree_file_free(f);

	/* whoever can put a drop-in there can change the plan */
	write_text(t, "etc/plans.d/b.conf.d/10-x.conf", "c = 1;");
	mode(t, "etc/plans.d/b.conf.d", 0775);
	dropin_refused(t, "b", "b.conf.d: the folder may be written");
	mode(t, "etc/plans.d/b.conf.d", 0755);
	mode(t, "etc/plans.d/b.conf.d/10-x.conf", 0664);
	dropin_refused(t, "b", "10-x.conf: may be written by its group or others; chmod go-w it");
	mode(t, "etc/plans.d/b.conf.d/10-x.conf", 0644);
	f = get(t, "b");
	g_assert_cmpuint(f->problems->len, ==, 0);
	conftree_file_free(f);

	/* a file where the folder should be */
	write_text(t, "etc/loads.d", "x");
	blocked = conftree_list(t->dirs, "loads.d");
	g_assert_cmpuint(blocked->len, ==, 1);
}

/* Files that come and go while the folder is read are there or not there, never a problem. */
static void *flicker(void *data)
{
	struct tree *t = data;
	g_autofree char *path = g_build_filename(t->strong, "plans.d", "b.conf", NULL);

	for (int i = 0; i < 2000; i++) {
		(void)g_unlink(path);
		write_text(t, "etc/plans.d/b.conf", "strong");
	}
	return NULL;
}

static void test_vanishing(struct tree *t, gconstpointer unused)
{
	GThread *thread;

	write_text(t, "lib/plans.d/a.conf", "a");
	write_text(t, "lib/plans.d/b.conf", "weak");
	write_text(t, "etc/plans.d/b.conf", "strong");
	thread = g_thread_new("flicker", flicker, t);
	for (int i = 0; i < 500; i++) {
		g_autoptr(GPtrArray) files = NULL;

		files = conftree_list(t->dirs, "plans.d");
		g_assert_cmpuint(files->len, ==, 2);
		for (guint j = 0; j < files->len; j++)
			g_assert_cmpuint(((struct conftree_file *)files->pdata[j])->problems->len,
					 ==, 0);
	}
	g_thread_join(thread);
}

static void test_names(struct tree *t, gconstpointer unused)
{
	static const char *const bad[] = { "", "A", "a-b", "a.b", "a/b", "..", "a b", "\xff", "ä" };
	g_autofree char *longest = g_strnfill(64, 'a');
	g_autofree char *too_long = g_strnfill(65, 'a');
	g_autoptr(GPtrArray) files = NULL;

	g_assert_true(conftree_name_valid("quick") && conftree_name_valid("0_9"));
	g_assert_true(conftree_name_valid(longest));
	g_assert_false(conftree_name_valid(too_long));
	for (size_t i = 0; i < G_N_ELEMENTS(bad); i++)
		g_assert_false(conftree_name_valid(bad[i]));

	/* files with such names are shown with the reason, in text that a bus can carry */
	write_text(t, "etc/plans.d/My-Plan.conf", "a = 1;");
	write_text(t, "etc/plans.d/x\xff\n\x1b.conf", "a = 1;");
	files = conftree_list(t->dirs, "plans.d");
	g_assert_cmpuint(files->len, ==, 2);
	for (guint i = 0; i < files->len; i++) {
		const struct conftree_file *f = files->pdata[i];
		g_autofree char *all = problems_format(f->problems);

		g_assert_null(f->text);
		g_assert_nonnull(strstr(all, "small letters"));
		g_assert_true(g_utf8_validate(all, -1, NULL) && g_utf8_validate(f->name, -1, NULL));
		g_assert_null(strpbrk(all, "\n\x1b"));
	}
}

/* Rules have an order, and so their files have names that plans may not have. */
static void test_ordered_names(struct tree *t, gconstpointer unused)
{
	static const char *const names[] = { "10-net", "a", "a-b" };
	struct conftree_file *f;
	g_autoptr(GPtrArray) files = NULL;
	g_autoptr(GPtrArray) plans = NULL;

	write_text(t, "etc/irq.d/a-b.conf", "a = 1;");
	write_text(t, "lib/irq.d/a.conf", "a = 1;");
	write_text(t, "lib/irq.d/10-net.conf", "a = 1;");
	write_text(t, "etc/irq.d/10-net.conf.d/x.conf", "a = 2;");
	files = conftree_list(t->dirs, "irq.d");
	g_assert_cmpuint(files->len, ==, G_N_ELEMENTS(names));
	for (guint i = 0; i < files->len; i++) {
		f = files->pdata[i];
		g_assert_cmpstr(f->name, ==, names[i]);
		g_assert_cmpuint(f->problems->len, ==, 0);
		g_assert_nonnull(f->text);
	}
	g_assert_cmpint(conftree_get(t->dirs, "irq.d", "10-net", &f), ==, 0);
	g_assert_cmpuint(f->dropins->len, ==, 1);
	conftree_file_free(f);
	g_assert_cmpint(conftree_get(t->dirs, "irq.d", "../irq.d/a", &f), ==, -ENOENT);

	write_text(t, "lib/plans.d/10-net.conf", "a = 1;");
	g_assert_cmpint(conftree_get(t->dirs, "plans.d", "10-net", &f), ==, -ENOENT);
	plans = conftree_list(t->dirs, "plans.d");
	g_assert_cmpuint(plans->len, ==, 1);
	g_assert_cmpuint(((struct conftree_file *)plans->pdata[0])->problems->len, ==, 1);
}

#define ADD(name, func) g_test_add("/conftree/" name, struct tree, NULL, tree_init, func, tree_done)

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	ADD("layers", test_layers);
	ADD("mask", test_mask);
	ADD("dropins", test_dropins);
	ADD("set-dropin", test_set_dropin);
	ADD("lone-dropins", test_lone_dropins);
	ADD("refused", test_refused);
	ADD("owner", test_owner);
	ADD("folder", test_folder);
	ADD("vanishing", test_vanishing);
	ADD("names", test_names);
	ADD("ordered-names", test_ordered_names);
	return g_test_run();
}
