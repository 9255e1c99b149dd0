/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * Kernel threads as /proc shows them: PF_KTHREAD, whatever a process calls itself. For irqtable.c
 * and who hears of a new thread. Reads only.
 */
#include "irqtable.h"
#include "roottree.h"

/* Where threads are read: folder "proc" of a tree. */
struct kthreads {
	struct rootdir proc;
	bool own; /* tids are those that system calls take, too */
};
void kthreads_open(const struct roottree *t, bool own, struct kthreads *ret);
void kthreads_close(struct kthreads *k);

/*
 * One thread: its strings go into @strings, it has no tags and no line. -ESRCH: gone, or dying;
 * -EPERM: no kernel thread; -EBADMSG: no stat of a process.
 */
int kthreads_read_one(const struct kthreads *k, pid_t tid, GStringChunk *strings,
		      struct irq_thread *ret);

/*
 * All that rules may name, by tid (struct irq_thread, irq_thread_free). @ret_seen: false where
 * kernel threads cannot be seen, as in a PID namespace. Never NULL. Interrupt threads of a captured
 * tree have no affinity yet: kthreads_read_affinity().
 */
GPtrArray *kthreads_read(const struct kthreads *k, GStringChunk *strings, bool *ret_seen);
/* The CPU list @tid may run on; NULL: unknown. */
char *kthreads_read_affinity(const struct kthreads *k, pid_t tid, GStringChunk *strings);
void irq_thread_free(void *thread);
