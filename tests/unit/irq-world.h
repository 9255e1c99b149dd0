/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* A made-up /proc and /sys in a temporary folder, for tests of what reads interrupts and threads.
 */
#include <glib.h>
#include <stdbool.h>
#include <sys/types.h>

struct irq_world {
	char *root;
};

void irq_world_init(struct irq_world *w);
void irq_world_done(struct irq_world *w);
/* A file below it, with the folders it needs. */
void irq_world_put(const struct irq_world *w, const char *path, const char *text);
void irq_world_put_bytes(const struct irq_world *w, const char *path, const void *bytes,
			 size_t size);
void irq_world_link(const struct irq_world *w, const char *path, const char *target);
void irq_world_move(const struct irq_world *w, const char *path, const char *to);
void irq_world_folder(const struct irq_world *w, const char *path);

#define IRQ_WORLD_KTHREAD 0x208040u /* flags of an ordinary kernel thread */
#define IRQ_WORLD_USER	  0x400000u

/* /proc/TID/{stat,status}; @policy 1 is fifo. */
void irq_world_process(const struct irq_world *w, pid_t tid, const char *comm, pid_t ppid,
		       unsigned flags, int policy, int priority, int nice, unsigned start);
/* kthreadd, and a kernel thread of fifo 50. */
void irq_world_kthreadd(const struct irq_world *w);
void irq_world_thread(const struct irq_world *w, pid_t tid, const char *comm);

/*
 * Whether a captured tree's links can be kept inside it here: not without openat2(2), as before
 * Linux 5.6 and under valgrind. The test is skipped then.
 */
bool irq_world_keeps_links(void);
