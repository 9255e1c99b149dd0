/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * /proc/PID/stat: who a process is. Pure. Fuzzed. Source: proc(5), fs/proc/array.c.
 */
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct proc_pid_stat {
	pid_t pid, ppid, session;
	char comm[64];	/* without its parentheses, which the name may have inside as well */
	char state;	/* 'R', 'S', 'Z', ... */
	uint32_t flags; /* PF_* of the kernel; PF_KTHREAD 0x200000 */
	int nice;
	int policy;	      /* SCHED_* */
	unsigned rt_prio;     /* 1..99; 0: none */
	int cpu;	      /* where it ran last */
	uint64_t start_ticks; /* since boot */
};

#define PROC_PF_KTHREAD	       0x00200000u
#define PROC_PF_NO_SETAFFINITY 0x04000000u /* the kernel bound it to its CPUs */

/* -EBADMSG for anything else. */
int proc_pid_stat_parse(const char *text, size_t size, struct proc_pid_stat *ret);
