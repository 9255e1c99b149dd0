/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "irq-world.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

void irq_world_init(struct irq_world *w)
{
	w->root = g_dir_make_tmp("lrtbf-irq-XXXXXX", NULL);
	g_assert_nonnull(w->root);
	irq_world_folder(w, "proc");
}

void irq_world_done(struct irq_world *w)
{
	const char *argv[] = { "rm", "-rf", "--", w->root, NULL };

	g_assert_true(g_spawn_sync(NULL, (char **)argv, NULL, G_SPAWN_SEARCH_PATH, NULL, NULL, NULL,
				   NULL, NULL, NULL));
	g_free(w->root);
}

void irq_world_folder(const struct irq_world *w, const char *path)
{
	g_autofree char *whole = g_build_filename(w->root, path, NULL);

	g_assert_cmpint(g_mkdir_with_parents(whole, 0755), ==, 0);
}

void irq_world_move(const struct irq_world *w, const char *path, const char *to)
{
	g_autofree char *whole = g_build_filename(w->root, path, NULL);
	g_autofree char *there = g_build_filename(w->root, to, NULL);

	g_assert_cmpint(rename(whole, there), ==, 0);
}

static char *world_path(const struct irq_world *w, const char *path)
{
	g_autofree char *folder = g_path_get_dirname(path);

	irq_world_folder(w, folder);
	return g_build_filename(w->root, path, NULL);
}

void irq_world_put_bytes(const struct irq_world *w, const char *path, const void *bytes,
			 size_t size)
{
	g_autofree char *whole = world_path(w, path);

	g_assert_true(
		g_file_set_contents_full(whole, bytes, size, G_FILE_SET_CONTENTS_NONE, 0644, NULL));
}

void irq_world_put(const struct irq_world *w, const char *path, const char *text)
{
	irq_world_put_bytes(w, path, text, strlen(text));
}

void irq_world_link(const struct irq_world *w, const char *path, const char *target)
{
	g_autofree char *whole = world_path(w, path);

	g_assert_cmpint(symlink(target, whole), ==, 0);
}

void irq_world_process(const struct irq_world *w, pid_t tid, const char *comm, pid_t ppid,
		       unsigned flags, int policy, int priority, int nice, unsigned start)
{
	g_autofree char *stat = NULL, *status = NULL, *stat_path = NULL, *status_path = NULL;

	stat = g_strdup_printf("%d (%s) S %d 0 0 0 -1 %u 0 0 0 0 0 0 0 0 20 %d 1 0 %u 0 0 0 0 0 0 "
			       "0 0 0 0 0 0 0 0 0 17 0 %d %d 0 0 0 0 0 0 0 0 0 0 0\n",
			       tid, comm, ppid, flags, nice, start, priority, policy);
	status = g_strdup_printf("Name:\t%s\nState:\tS (sleeping)\nPid:\t%d\nPPid:\t%d\n"
				 "Cpus_allowed:\t3\nCpus_allowed_list:\t0-1\n",
				 comm, tid, ppid);
	stat_path = g_strdup_printf("proc/%d/stat", tid);
	status_path = g_strdup_printf("proc/%d/status", tid);
	irq_world_put(w, stat_path, stat);
	irq_world_put(w, status_path, status);
}

void irq_world_kthreadd(const struct irq_world *w)
{
	irq_world_process(w, 2, "kthreadd", 0, 0x208040u, 0, 0, 0, 1);
}

void irq_world_thread(const struct irq_world *w, pid_t tid, const char *comm)
{
	irq_world_process(w, tid, comm, 2, IRQ_WORLD_KTHREAD, 1, 50, 0, 100);
}

bool irq_world_keeps_links(void)
{
	struct open_how how = { .flags = O_PATH | O_CLOEXEC, .resolve = RESOLVE_BENEATH };
	int fd = (int)syscall(SYS_openat2, AT_FDCWD, ".", &how, sizeof(how));

	if (fd < 0) {
		g_test_skip("no openat2(2) here");
		return false;
	}
	close(fd);
	return true;
}
