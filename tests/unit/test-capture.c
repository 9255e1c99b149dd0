/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Archives that tar(1) unpacks, and a captured table that reads as the one it was taken of. */
#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "capture.h"
#include "irq-world.h"
#include "irqtable.h"
#include "proc-pid.h"
#include "tar.h"

static void unpack(const struct irq_world *w, const void *bytes, size_t size)
{
	g_autofree char *file = g_build_filename(w->root, "archive.tar", NULL);
	g_autofree char *errors = NULL;
	const char *argv[] = { "tar", "-xf", file, "-C", w->root, NULL };
	int status;

	irq_world_put_bytes(w, "archive.tar", bytes, size);
	g_assert_true(g_spawn_sync(NULL, (char **)argv, NULL, G_SPAWN_SEARCH_PATH, NULL, NULL, NULL,
				   &errors, &status, NULL));
	g_assert_cmpstr(errors, ==, "");
	g_assert_cmpint(status, ==, 0);
}

static char *file(const struct irq_world *w, const char *name, gsize *ret_size)
{
	g_autofree char *path = g_build_filename(w->root, name, NULL);
	char *text;

	g_assert_true(g_file_get_contents(path, &text, ret_size, NULL));
	return text;
}

static char *target(const struct irq_world *w, const char *name)
{
	g_autofree char *path = g_build_filename(w->root, name, NULL);

	return g_file_read_link(path, NULL);
}

/* Names around every length at which the format changes. */
static void test_tar(void)
{
	static const size_t lengths[] = { 1,   8,   99,	 100, 101, 154, 155, 156,
					  157, 200, 254, 255, 256, 257, 300, 1000 };
	struct tar *t = tar_new(1700000000);
	struct irq_world w;
	size_t size;
	void *bytes;

	irq_world_init(&w);
	for (guint i = 0; i < G_N_ELEMENTS(lengths); i++) {
		for (int parts = 0; parts < 2; parts++) {
			/* folders of ten letters, or of as many as a name may have */
			size_t every = parts ? 200 : 11;
			g_autofree char *name = g_strdup_printf("%d%u", parts, i);
			g_autoptr(GString) path = g_string_new(name);
			g_autofree char *link = NULL;

			while (path->len < lengths[i])
				g_string_append_c(path, path->len % every == every - 1 &&
									path->len + 1 < lengths[i]
								? '/'
								: 'x');
			tar_add_file(t, path->str, path->str, path->len);
			link = g_strconcat("link/", name, NULL);
			tar_add_link(t, link, path->str);
		}
	}
	tar_add_folder(t, "an empty folder");
	tar_add_file(t, "empty", "", 0);
	tar_add_file(t, "block", w.root, 0);
	bytes = tar_finish(t, &size);
	g_assert_cmpuint(size % 10240, ==, 0);
	unpack(&w, bytes, size);
	g_free(bytes);
	for (guint i = 0; i < G_N_ELEMENTS(lengths); i++) {
		for (int parts = 0; parts < 2; parts++) {
			g_autofree char *link = g_strdup_printf("link/%d%u", parts, i);
			g_autofree char *path = target(&w, link), *text = NULL;
			gsize got;

			g_assert_nonnull(path);
			text = file(&w, path, &got);
			g_assert_cmpmem(text, got, path, strlen(path));
			g_assert_cmpuint(got, >=, lengths[i]);
		}
	}
	g_free(file(&w, "empty", &size));
	g_assert_cmpuint(size, ==, 0);
	g_autofree char *folder = g_build_filename(w.root, "an empty folder", NULL);
	g_assert_true(g_file_test(folder, G_FILE_TEST_IS_DIR));
	/* used again it is a new one */
	tar_add_file(t, "x", "y", 1);
	g_free(tar_finish(t, &size));
	g_assert_cmpuint(size, ==, 10240);
	g_assert_null(tar_free(t));
	irq_world_done(&w);
}

static void append_tags(GString *s, const GArray *tags)
{
	for (guint i = 0; i < tags->len; i++) {
		const struct rule_tag *tag = &g_array_index(tags, struct rule_tag, i);

		g_string_append_printf(s, " %d=%s", tag->key, tag->value);
	}
}

/* All of a table but its counts and when it was read. */
static char *describe(const struct irq_table *t)
{
	GString *s = g_string_new(NULL);

	g_string_append_printf(s, "%u %d %d\n", t->n_cpus, t->threaded, t->threads_seen);
	for (guint i = 0; i < t->lines->len; i++) {
		const struct irq_line *l = t->lines->pdata[i];
		g_autofree char *actions = g_strjoinv("|", l->actions);

		g_string_append_printf(s, "%u %s %s %s [%s] %u %s %s %s %d %u", l->irq, l->chip,
				       l->hwirq, l->trigger, actions, l->n_counts, l->affinity,
				       l->effective, irq_unthreaded_to_string(l->unthreaded),
				       l->parent, l->threads->len);
		append_tags(s, l->tags);
		g_string_append_c(s, '\n');
	}
	for (guint i = 0; i < t->threads->len; i++) {
		const struct irq_thread *thread = t->threads->pdata[i];

		g_string_append_printf(s, "%d %" G_GUINT64_FORMAT " %s %d %d %u %d %d", thread->tid,
				       thread->start_ticks, thread->name,
				       thread->line ? (int)thread->line->irq : -1, thread->policy,
				       thread->priority, thread->nice, thread->bound);
		/* of an interrupt thread, a captured tree has the line's */
		if (!thread->line)
			g_string_append_printf(s, " %s", thread->affinity);
		append_tags(s, thread->tags);
		g_string_append_c(s, '\n');
	}
	for (guint i = 0; i < t->rows->len; i++) {
		const struct irq_row *row = t->rows->pdata[i];

		g_string_append_printf(s, "%s %s %u\n", row->name, row->text, row->n_counts);
	}
	return g_string_free(s, FALSE);
}

static char *describe_root(const char *root)
{
	struct irq_table *t = NULL;
	char *s;

	g_assert_cmpint(irqtable_read(root, &t), ==, 0);
	s = describe(t);
	irqtable_free(t);
	return s;
}

/* Captures @root into @w and says what is there. */
static char *capture(const char *root, const struct irq_world *w)
{
	g_autofree char *message = NULL;
	size_t size;
	void *bytes;

	g_assert_cmpint(capture_table(root, &bytes, &size, &message), ==, 0);
	g_assert_null(message);
	unpack(w, bytes, size);
	g_free(bytes);
	return describe_root(w->root);
}

static void test_cases(void)
{
	g_autofree char *folder = g_build_filename(g_getenv("FIXTURES"), "irq-cases", NULL);
	GDir *dir = g_dir_open(folder, 0, NULL);
	const char *name;

	g_assert_nonnull(dir);
	while ((name = g_dir_read_name(dir))) {
		g_autofree char *root = g_build_filename(folder, name, NULL);
		g_autofree char *before = describe_root(root), *after = NULL;
		struct irq_world w;

		irq_world_init(&w);
		after = capture(root, &w);
		g_assert_cmpstr(after, ==, before);
		irq_world_done(&w);
	}
	g_dir_close(dir);
}

/* Links, devices, a line that is only a folder, and processes that are nobody's business. */
static void test_made(void)
{
	g_autofree char *before = NULL, *after = NULL, *link = NULL, *message = NULL;
	struct irq_world w, copy;
	size_t size;
	void *bytes;

	irq_world_init(&w);
	g_assert_cmpint(capture_table(w.root, &bytes, &size, &message), ==, -ENOENT);
	g_assert_nonnull(strstr(message, w.root));
	irq_world_kthreadd(&w);
	irq_world_put(&w, "proc/interrupts", "  CPU0\n 30: 1   PCI-MSIX  0-edge      a, b, c\n");
	irq_world_put(&w, "proc/version", "Linux version 6.12 (a@b) #1 SMP PREEMPT_RT Mon\n");
	irq_world_put(&w, "sys/kernel/irq/30/actions", "a, b,c\n");
	irq_world_put(&w, "proc/irq/30/smp_affinity_list", "0-1\n");
	irq_world_folder(&w, "sys/kernel/irq/31");
	irq_world_folder(&w, "proc/irq/32");
	irq_world_link(&w, "sys/bus/pci/devices/0000:00:03.0",
		       "../../../devices/pci0000:00/0000:00:03.0");
	irq_world_put(&w, "sys/devices/pci0000:00/0000:00:03.0/msi_irqs/30", "msix\n");
	irq_world_link(&w, "sys/devices/pci0000:00/0000:00:03.0/driver",
		       "../../../bus/pci/drivers/e1000e");
	irq_world_link(&w, "sys/class/net/eth0", "../../devices/pci0000:00/0000:00:03.0/net/eth0");
	irq_world_link(&w, "sys/class/net/evil", "/etc");
	irq_world_put(&w, "proc/sys/dev/parport/parport0/irq", "30\n");
	irq_world_thread(&w, 60, "irq/30-a, b");
	irq_world_thread(&w, 61, "napi/eth0-1");
	irq_world_thread(&w, 63, "kworker/0:1");
	irq_world_process(&w, 62, "irq/30-c", 1, IRQ_WORLD_USER, 0, 0, 0, 100);
	before = describe_root(w.root);
	g_test_message("%s", before);
	g_assert_nonnull(strstr(before, "[a, b|c]"));
	g_assert_nonnull(strstr(before, "=e1000e"));

	irq_world_init(&copy);
	after = capture(w.root, &copy);
	g_assert_cmpstr(after, ==, before);
	link = target(&copy, "sys/class/net/eth0");
	g_assert_cmpstr(link, ==, "../../devices/pci0000:00/0000:00:03.0/net/eth0");
	g_assert_null(target(&copy, "sys/class/net/evil"));
	for (int tid = 62; tid <= 63; tid++) {
		g_autofree char *path = g_strdup_printf("%s/proc/%d", copy.root, tid);

		g_assert_false(g_file_test(path, G_FILE_TEST_EXISTS));
	}
	irq_world_done(&copy);
	irq_world_done(&w);
}

/* No folder of a process that is no kernel thread. */
static void check_processes(const struct irq_world *w)
{
	g_autofree char *proc = g_build_filename(w->root, "proc", NULL);
	GDir *dir = g_dir_open(proc, 0, NULL);
	const char *name;

	while ((name = g_dir_read_name(dir))) {
		g_autofree char *path = g_build_filename("proc", name, "stat", NULL), *text = NULL;
		struct proc_pid_stat st;
		gsize size;

		if (!g_ascii_isdigit(*name))
			continue;
		text = file(w, path, &size);
		g_assert_cmpint(proc_pid_stat_parse(text, size, &st), ==, 0);
		g_assert_cmpuint(st.flags & PROC_PF_KTHREAD, !=, 0);
	}
	g_dir_close(dir);
}

/* This machine's table; it may change between the readings, but not three times in a row. */
static void test_here(void)
{
	bool same = false;

	for (int i = 0; i < 3 && !same; i++) {
		g_autofree char *before = describe_root("/"), *after = NULL;
		struct irq_world w;

		irq_world_init(&w);
		after = capture("/", &w);
		same = strcmp(before, after) == 0;
		check_processes(&w);
		if (!same)
			g_test_message("before:\n%s\nafter:\n%s", before, after);
		irq_world_done(&w);
	}
	g_assert_true(same);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/capture/tar", test_tar);
	g_test_add_func("/capture/cases", test_cases);
	g_test_add_func("/capture/made", test_made);
	g_test_add_func("/capture/here", test_here);
	return g_test_run();
}
