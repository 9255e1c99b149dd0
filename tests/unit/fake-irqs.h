/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * A machine that is made: lines and threads that the policy of interrupts reads and sets, in place
 * of irqtable.c, tuning_get(), tuning_set() and threadwatch.c (the linker's --wrap). It counts what
 * is asked of it, refuses what it is told to, and stops the test when what must never be above
 * something is, even for a moment.
 */
#include "irqpolicy.h"
#include "threadwatch.h"

#include <glib.h>
#include <sched.h>

struct fake_thread {
	pid_t tid;
	uint64_t start_ticks;
	char name[64];
	int irq; /* -1: none */
	int policy;
	unsigned priority;
	int nice;
	bool reset_on_fork, bound;
	char affinity[32];
	int refuse;	  /* -errno of every change; 0: takes it */
	unsigned undone;  /* so many changes of its policy are undone at once, as by its start */
	unsigned twisted; /* of so many the kernel makes fifo 7 */
	unsigned priority_max; /* above it is refused; 0: nothing is */
};

struct fake_line {
	unsigned irq;
	char action[64], chip[32], hwirq[32], affinity[32];
	char interface[16];
	enum irq_unthreaded unthreaded; /* when it has no thread */
	int refuse;
};

struct fake {
	GArray *threads, *lines;
	bool captured;
	bool unseen;	   /* no thread is to be seen, as in a PID namespace */
	bool frozen;	   /* changes are dropped, and nobody hears of it: the process is dead */
	unsigned sets;	   /* changes asked for */
	unsigned reads;	   /* whole tables */
	unsigned searches; /* for irqbalance, among all processes */
	GString *log;	   /* changes made: "irq/24-a=fifo 60;" */
	/* what somebody else does right after the next table was read; NULL: nothing */
	void (*after_read)(struct fake *f);
	/* who watches */
	threadwatch_news_t watcher;
	void *watcher_data;
};

struct fake *fake_new(void); /* there is one at a time */
void fake_free(struct fake *f);

struct fake_thread *fake_thread(struct fake *f, const char *name); /* stops the test if none */
/* With what the kernel gives it: fifo 50 for irq/N-..., fifo 1 for others. */
void fake_add_thread(struct fake *f, pid_t tid, const char *name);
void fake_end_thread(struct fake *f, const char *name);
void fake_add_line(struct fake *f, unsigned irq, const char *action, const char *interface);
struct fake_line *fake_line(struct fake *f, unsigned irq);

/* "fifo 60", "other", "rr 33, reset on fork" */
void fake_assert_policy(struct fake *f, const char *name, const char *expected);
/* What somebody else does. */
void fake_chrt(struct fake *f, const char *name, int policy, unsigned priority);

/* All that can be read of it, for before and after. g_free(). */
char *fake_state(const struct fake *f);
