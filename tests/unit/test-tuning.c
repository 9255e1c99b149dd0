/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Values and subjects as such, and lines on a made tree whose files refuse as the kernel's do.
 */
#include "lineaffinity.h"
#include "tuning-shared.h"

#include <errno.h>
#include <fcntl.h>
#include <glib.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* A made /proc, whose files answer a write as the kernel does. */
struct tree {
	char *proc;
};

static void tree_set_up(struct tree *t, gconstpointer data)
{
	t->proc = g_dir_make_tmp("test-tuning-XXXXXX", NULL);
	g_assert_nonnull(t->proc);
}

static void tree_tear_down(struct tree *t, gconstpointer data)
{
	g_autofree char *irq = g_build_filename(t->proc, "irq", NULL);

	for (unsigned n = 0; n < 10; n++) {
		g_autofree char *dir = g_strdup_printf("%s/%u", irq, n);
		g_autofree char *file = g_build_filename(dir, "smp_affinity_list", NULL);

		(void)remove(file);
		(void)rmdir(dir);
	}
	(void)rmdir(irq);
	g_assert_cmpint(rmdir(t->proc), ==, 0);
	g_free(t->proc);
}

static char *tree_file(struct tree *t, unsigned irq)
{
	g_autofree char *dir = g_strdup_printf("%s/irq/%u", t->proc, irq);

	g_assert_cmpint(g_mkdir_with_parents(dir, 0755), ==, 0);
	return g_build_filename(dir, "smp_affinity_list", NULL);
}

static void tree_link(struct tree *t, unsigned irq, const char *target)
{
	g_autofree char *file = tree_file(t, irq);

	g_assert_cmpint(symlink(target, file), ==, 0);
}

static void tree_text(struct tree *t, unsigned irq, const char *text)
{
	g_autofree char *file = tree_file(t, irq);
	FILE *f = fopen(file, "we"); /* written in place, no other file instead of it */

	g_assert_nonnull(f);
	g_assert_cmpint(fputs(text, f), >=, 0);
	g_assert_cmpint(fclose(f), ==, 0);
}

static void assert_line(struct tree *t, unsigned irq, unsigned cpus, int expected, const char *word)
{
	cpu_set_t wanted = set_of(cpus), online = set_of(0xf);
	g_autofree char *message = NULL;
	int r = lineaffinity_set(t->proc, irq, &wanted, &online, &message);

	g_test_message("%s", message ?: "done");
	g_assert_cmpint(r, ==, expected);
	g_assert_cmpint(message != NULL, ==, expected < 0);
	if (word)
		g_assert_nonnull(strstr(message, word));
	if (word)
		g_assert_nonnull(strstr(message, "ine "));
}

static void test_refusals(struct tree *t, gconstpointer data)
{
	cpu_set_t got;

	tree_link(t, 1, "/proc/self/mem"); /* at 0 there is nothing to write to: EIO */
	assert_line(t, 1, 1, -EIO, "manages it itself");
	tree_link(t, 2, "/dev/full");
	assert_line(t, 2, 1, -ENOSPC, "no interrupt vector left");
	assert_line(t, 3, 1, -ENODEV, "no interrupt line 3");
	/* takes everything, keeps nothing */
	tree_link(t, 4, "/dev/null");
	assert_line(t, 4, 1, -EBADE, "reads back as nothing");
	assert_line(t, 4, 0, -EINVAL, "needs a CPU");
	/* a text that is longer than what is written stays in part */
	tree_text(t, 5, "0-3\n");
	assert_line(t, 5, 1, -EBADE, "reads back");
	g_assert_cmpint(lineaffinity_get(t->proc, 5, &got), ==, -EBADMSG);
	tree_link(t, 6, t->proc); /* a folder */
	assert_line(t, 6, 1, -EISDIR, "stays where it is");
	/* the kernel says EINVAL to a write that it cannot make sense of, as this file to all */
	tree_link(t, 7, "/proc/self/timerslack_ns");
	assert_line(t, 7, 0xe, -EINVAL, "none of them is online");
	if (geteuid() == 0)
		return;
	tree_text(t, 8, "0-3\n");
	{
		g_autofree char *file = tree_file(t, 8);

		g_assert_cmpint(chmod(file, 0444), ==, 0);
		assert_line(t, 8, 1, -EPERM, "lets nobody move it");
	}
	tree_link(t, 9, "/etc/passwd");
	assert_line(t, 9, 1, -EPERM, "may not write");
}

/* Takes a list and has another one when it is asked. */
static void *other_list(void *data)
{
	const char *file = data;
	char text[64];
	int fd = open(file, O_RDONLY | O_CLOEXEC);

	while (fd >= 0 && read(fd, text, sizeof(text)) > 0)
		;
	close(fd);
	fd = open(file, O_WRONLY | O_CLOEXEC);
	g_assert_cmpint(write(fd, "2\n", 2), ==, 2);
	close(fd);
	return NULL;
}

static void test_kept_elsewhere(struct tree *t, gconstpointer data)
{
	g_autofree char *file = tree_file(t, 1);
	GThread *kernel;

	g_assert_cmpint(mkfifo(file, 0600), ==, 0);
	kernel = g_thread_new("kernel", other_list, file);
	assert_line(t, 1, 1, -EBADE, "reads back as 2");
	(void)g_thread_join(kernel); /* it returns nothing */
}

static void test_lists(struct tree *t, gconstpointer data)
{
	static const struct {
		const char *text;
		int r;
		unsigned bits;
	} rows[] = {
		{ "0-1\n", 0, 3 },	  { "0,1\n", 0, 3 },	       { "3", 0, 8 },
		{ "1,3-4\n", 0, 26 },	  { "\n", -EBADMSG, 0 },       { "", -EBADMSG, 0 },
		{ "all\n", -EBADMSG, 0 }, { "0-1\n2\n", -EBADMSG, 0 },
	};

	for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
		cpu_set_t got, expected = set_of(rows[i].bits);

		tree_text(t, 1, rows[i].text);
		g_assert_cmpint(lineaffinity_get(t->proc, 1, &got), ==, rows[i].r);
		if (rows[i].r == 0)
			g_assert_true(CPU_EQUAL(&got, &expected));
	}
	g_assert_cmpint(lineaffinity_get(t->proc, 2, &(cpu_set_t){ 0 }), ==, -ENODEV);
}

/* Set and read back: as CPUs, and whether it keeps those that are offline is the kernel's. */
static void test_same(void)
{
	cpu_set_t a = set_of(0x13), b = set_of(0x03), c = set_of(0x01), off = set_of(0x30);
	cpu_set_t online = set_of(0x0f);

	g_assert_true(affinity_same(&a, &a, &online));
	g_assert_true(affinity_same(&a, &b, &online));
	g_assert_false(affinity_same(&a, &c, &online));
	g_assert_true(affinity_same(&off, &off, &online));
	a = set_of(0x20);
	g_assert_false(affinity_same(&a, &off, &online)); /* neither has one that is online */
}

/* As a sandbox makes /proc/irq: in a mount namespace of its own. */
static void read_only(struct tree *t)
{
	if (unshare(CLONE_NEWNS) < 0 || mount("none", "/", "none", MS_REC | MS_PRIVATE, NULL) < 0 ||
	    mount(t->proc, t->proc, "none", MS_BIND, NULL) < 0 ||
	    mount("none", t->proc, "none", MS_REMOUNT | MS_BIND | MS_RDONLY, NULL) < 0)
		_exit(SKIP);
	assert_line(t, 1, 1, -EROFS, "ProtectKernelTunables=");
}

static void test_read_only(struct tree *t, gconstpointer data)
{
	int status;
	pid_t pid;

	tree_text(t, 1, "0\n");
	assert_line(t, 1, 1, 0, NULL);
	fflush(NULL);
	pid = fork();
	g_assert_cmpint(pid, >=, 0);
	if (pid == 0) {
		read_only(t);
		_exit(0);
	}
	g_assert_cmpint(waitpid(pid, &status, 0), ==, pid);
	if (WIFEXITED(status) && WEXITSTATUS(status) == SKIP)
		g_test_skip("no right to mount here");
	else
		g_assert_cmpint(status, ==, 0);
}

static void assert_format(enum tuning_attribute a, struct tuning_value v, const char *expected)
{
	g_autofree char *text = tuning_value_format(a, &v);

	g_assert_cmpstr(text, ==, expected);
}

static void test_format(void)
{
	assert_format(TUNING_POLICY, (struct tuning_value){ .policy = SCHED_FIFO, .priority = 50 },
		      "fifo 50");
	assert_format(TUNING_POLICY, (struct tuning_value){ .policy = SCHED_OTHER }, "other");
	assert_format(
		TUNING_POLICY,
		(struct tuning_value){ .policy = SCHED_RR, .priority = 1, .reset_on_fork = true },
		"rr 1, reset on fork");
	assert_format(TUNING_POLICY, (struct tuning_value){ .policy = 7 }, "policy 7");
	assert_format(TUNING_NICE, (struct tuning_value){ .nice = -20 }, "nice -20");
	assert_format(TUNING_AFFINITY, (struct tuning_value){ .affinity = (char *)"0-1" }, "0-1");
	assert_format(TUNING_AFFINITY, (struct tuning_value){ 0 }, "unknown");
}

static bool affinity_equal(const char *x, const char *y)
{
	struct tuning_value a = { .affinity = (char *)x }, b = { .affinity = (char *)y };

	return tuning_value_equal(TUNING_AFFINITY, &a, &b);
}

static void test_equal(void)
{
	struct tuning_value a = { .policy = SCHED_FIFO, .priority = 50, .nice = 3 }, b = a;

	g_assert_true(tuning_value_equal(TUNING_POLICY, &a, &b));
	b.nice = 4;
	g_assert_true(tuning_value_equal(TUNING_POLICY, &a, &b));
	g_assert_false(tuning_value_equal(TUNING_NICE, &a, &b));
	b.reset_on_fork = true;
	g_assert_false(tuning_value_equal(TUNING_POLICY, &a, &b));
	b = a;
	b.priority = 49;
	g_assert_false(tuning_value_equal(TUNING_POLICY, &a, &b));
	g_assert_true(affinity_equal("0-1", "0,1"));
	g_assert_true(affinity_equal("0-1", "1,0"));
	g_assert_true(affinity_equal(NULL, NULL));
	g_assert_false(affinity_equal("0", "0-1023,0"));
	g_assert_false(affinity_equal("0", NULL));
	g_assert_false(affinity_equal("1022", "1023"));
	g_assert_false(affinity_equal("0", "nonsense"));
}

static void test_subjects(void)
{
	char *actions[] = { (char *)"eth0", (char *)"i801 smbus", NULL };
	struct irq_line l = { .irq = 5, .actions = actions };
	struct irq_thread thread = { .tid = 7, .start_ticks = 9, .name = (char *)"irq/5-eth0" };
	struct tuning_subject a, b;

	tuning_subject_of_line(&l, &a);
	g_assert_true(a.is_line && a.irq == 5);
	g_assert_cmpstr(a.name, ==, "eth0, i801 smbus");
	tuning_subject_done(&a);
	l.chip = (char *)"IO-APIC";
	l.hwirq = (char *)"5";
	tuning_subject_of_line(&l, &a);
	g_assert_cmpstr(a.name, ==, "IO-APIC 5");
	/* whoever uses it comes and goes */
	l.actions[0] = NULL;
	tuning_subject_of_line(&l, &b);
	g_assert_true(tuning_subject_equal(&a, &b));
	b.irq = 6;
	g_assert_false(tuning_subject_equal(&a, &b));
	tuning_subject_done(&b);
	tuning_subject_of_thread(&thread, &b);
	g_assert_false(tuning_subject_equal(&a, &b));
	tuning_subject_done(&a);
	tuning_subject_copy(&b, &a);
	g_assert_true(tuning_subject_equal(&a, &b));
	g_assert_true(a.name != b.name);
	b.start_ticks++;
	g_assert_false(tuning_subject_equal(&a, &b));
	b.start_ticks--;
	/* first seen before it had the rest of its name */
	g_free(a.name);
	a.name = g_strdup("irq/5-i801_smbu");
	g_assert_false(tuning_subject_equal(&a, &b));
	g_free(b.name);
	b.name = g_strdup("irq/5-i801_smbus");
	g_assert_true(tuning_subject_equal(&a, &b));
	b.tid++;
	g_assert_false(tuning_subject_equal(&a, &b));
	tuning_subject_done(&a);
	tuning_subject_done(&b);
}

static void test_resolve(struct tree *t, gconstpointer data)
{
	static const struct {
		const char *text, *list;
		int r;
	} rows[] = { { "all", "0-2,5", 0 },    { "!0-1", "2,5", 0 },	 { "2,0", "0,2", 0 },
		     { "1,7", "1,7", 0 },      { "3-4", NULL, -EINVAL }, { "!0-5", NULL, -EINVAL },
		     { "x", NULL, -EINVAL },   { "", NULL, -EINVAL },	 { "99999", NULL, -ERANGE },
		     { "2,0,1,5", "0-2,5", 0 } };
	g_autofree char *dir = g_build_filename(t->proc, "sys", "devices", "system", "cpu", NULL);
	g_autofree char *file = g_build_filename(dir, "online", NULL), *list = NULL;
	g_autofree char *message = NULL;

	g_assert_cmpint(tuning_affinity_resolve(t->proc, "all", &list, &message), <, 0);
	g_assert_nonnull(message);
	g_assert_cmpint(g_mkdir_with_parents(dir, 0755), ==, 0);
	g_assert_true(g_file_set_contents(file, "0-2,5\n", -1, NULL));
	for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
		g_clear_pointer(&message, g_free);
		g_clear_pointer(&list, g_free);
		g_assert_cmpint(tuning_affinity_resolve(t->proc, rows[i].text, &list, &message), ==,
				rows[i].r);
		g_assert_cmpstr(list, ==, rows[i].list);
		g_assert_cmpint(message != NULL, ==, rows[i].r < 0);
	}
	g_assert_cmpint(unlink(file), ==, 0);
	for (int i = 0; i < 4; i++) {
		g_assert_cmpint(rmdir(dir), ==, 0);
		*strrchr(dir, '/') = '\0';
	}
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
#define TREE(name, fn)                                                                             \
	g_test_add("/tuning/" name, struct tree, NULL, tree_set_up, fn, tree_tear_down)
	g_test_add_func("/tuning/format", test_format);
	g_test_add_func("/tuning/equal", test_equal);
	g_test_add_func("/tuning/subjects", test_subjects);
	g_test_add_func("/tuning/same", test_same);
	TREE("resolve", test_resolve);
	TREE("lists", test_lists);
	TREE("refusals", test_refusals);
	TREE("kept-elsewhere", test_kept_elsewhere);
	TREE("read-only", test_read_only);
	return g_test_run();
}
