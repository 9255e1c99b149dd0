/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * In a process namespace of its own, kill(-1) reaches everything at once. Without one the children
 * of the caller are killed, and killed again: what they leave behind becomes the caller's child (it
 * is a subreaper), so that each round reaches one generation deeper, also what has called setsid()
 * or forked twice. Only direct children are ever signalled, which cannot be recycled ids: they stay
 * until the caller reaps them.
 */
#include "tree.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <glib.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "cleanup.h"
#include "monotonic.h"
#include "proc-pid.h"

typedef DIR dir_t;
G_DEFINE_AUTOPTR_CLEANUP_FUNC(dir_t, closedir)

/* 1: none left. */
static int tree_reap(void)
{
	pid_t pid;

	do {
		pid = waitpid(-1, NULL, WNOHANG);
	} while (pid > 0 || (pid < 0 && errno == EINTR));
	return pid < 0 && errno == ECHILD;
}

/* The kernel's own list; not in every configuration. */
static int tree_kill_listed(void)
{
	g_autofree char *text = NULL, *path = NULL;
	char *at, *end;

	path = g_strdup_printf("/proc/self/task/%d/children", getpid());
	if (!g_file_get_contents(path, &text, NULL, NULL))
		return -ENOENT;
	for (at = text;; at = end) {
		long pid = strtol(at, &end, 10);

		if (end == at)
			return 0;
		kill(pid, SIGKILL);
	}
}

static void tree_kill_found(void)
{
	g_autoptr(dir_t) dir = opendir("/proc");
	struct dirent *d;

	while (dir && (d = readdir(dir))) {
		g_autofree char *text = NULL, *path = NULL;
		struct proc_pid_stat st;
		gsize size;

		if (!g_ascii_isdigit(*d->d_name))
			continue;
		path = g_build_filename("/proc", d->d_name, "stat", NULL);
		if (g_file_get_contents(path, &text, &size, NULL) &&
		    proc_pid_stat_parse(text, size, &st) == 0 && st.ppid == getpid())
			kill(st.pid, SIGKILL);
	}
}

int tree_kill(bool namespaced, uint64_t timeout_ns)
{
	uint64_t start_ns = monotonic_ns();
	struct timespec moment = { .tv_nsec = 500000 };

	while (!tree_reap()) {
		if (namespaced)
			kill(-1, SIGKILL);
		else if (tree_kill_listed() < 0)
			tree_kill_found();
		if (tree_reap())
			break;
		if (monotonic_ns() - start_ns > timeout_ns)
			return -ETIMEDOUT;
		nanosleep(&moment, NULL);
	}
	return 0;
}
