/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Threads with a real-time policy, kernel and other. /proc is walked once, one file a thread: ten
 * microseconds each, before anything is measured.
 */
#include <stdbool.h>
#include <string.h>

#include "conditions-parts.h"
#include "policy.h"
#include "proc-pid.h"
#include "sysfile.h"

#define THREADS_MAX 20000 /* looked at */
#define LISTED_MAX  1000

static bool thread_stat(const char *root, const char *pid, const char *tid,
			struct proc_pid_stat *ret)
{
	g_autofree char *name = g_build_filename("proc", pid, tid ? "task" : "stat", tid,
						 tid ? "stat" : NULL, NULL);
	size_t size;
	g_autofree char *text = sysfile_bytes(root, name, 4096, &size);

	return text && proc_pid_stat_parse(text, size, ret) == 0;
}

static void thread_list(json_t *list, const struct proc_pid_stat *st)
{
	const char *policy = policy_to_string(st->policy);
	g_autofree char *name = g_utf8_make_valid(st->comm, -1);

	if (st->policy != SCHED_FIFO && st->policy != SCHED_RR && st->policy != SCHED_DEADLINE)
		return;
	if (json_array_size(list) >= LISTED_MAX)
		return;
	json_array_append_new(list, json_pack("{s:i, s:s, s:s, s:i, s:b}", "tid", (int)st->pid,
					      "name", name, "policy", policy ?: "unknown",
					      "priority", (int)st->rt_prio, "kernel",
					      (st->flags & PROC_PF_KTHREAD) != 0));
}

/* A captured tree may have processes without their task folders. */
static guint process_list(json_t *list, const char *root, const char *pid)
{
	g_autofree char *task = g_build_filename("proc", pid, "task", NULL);
	g_autoptr(GPtrArray) tids = sysfile_list(root, task);
	struct proc_pid_stat st;

	for (guint i = 0; i < tids->len; i++)
		if (thread_stat(root, pid, tids->pdata[i], &st))
			thread_list(list, &st);
	if (tids->len == 0 && thread_stat(root, pid, NULL, &st))
		thread_list(list, &st);
	return MAX(tids->len, 1);
}

static bool is_process(const char *name)
{
	return strspn(name, "0123456789") == strlen(name);
}

json_t *conditions_threads(const char *root)
{
	g_autoptr(GPtrArray) names = sysfile_list(root, "proc");
	json_t *list = json_array();
	guint seen = 0;

	for (guint i = 0; i < names->len && seen < THREADS_MAX; i++)
		if (is_process(names->pdata[i]))
			seen += process_list(list, root, names->pdata[i]);
	return list;
}

json_t *conditions_process_runs(const char *root, const char *comm)
{
	g_autoptr(GPtrArray) names = sysfile_list(root, "proc");

	for (guint i = 0; i < names->len; i++) {
		g_autofree char *text = NULL;

		if (!is_process(names->pdata[i]))
			continue;
		text = sysfile_text(root, "proc/%s/comm", (const char *)names->pdata[i]);
		if (g_strcmp0(text, comm) == 0)
			return json_true();
	}
	return json_false();
}
