/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tuning-shared.h"

#include <errno.h>
#include <glib.h>

int read_stat(pid_t tid, struct proc_pid_stat *ret)
{
	g_autofree char *path = g_strdup_printf("/proc/%d/stat", tid), *text = NULL;
	gsize size;

	if (!g_file_get_contents(path, &text, &size, NULL))
		return -ESRCH;
	return proc_pid_stat_parse(text, size, ret);
}

struct tuning_subject subject_of(const struct proc_pid_stat *stat)
{
	return (struct tuning_subject){ .tid = stat->pid,
					.start_ticks = stat->start_ticks,
					.name = (char *)stat->comm };
}

cpu_set_t set_of(unsigned bits)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	for (int i = 0; i < 32; i++)
		if (bits & (1u << i))
			CPU_SET(i, &set);
	return set;
}

bool find_thread(enum kthread_kind kind, struct proc_pid_stat *ret)
{
	for (pid_t tid = 2; tid < 2000; tid++) {
		struct kthread_name what;

		if (read_stat(tid, ret) < 0 || !(ret->flags & PROC_PF_KTHREAD))
			continue;
		kthread_name_parse(ret->comm, &what);
		if (what.kind == kind)
			return true;
	}
	return false;
}
