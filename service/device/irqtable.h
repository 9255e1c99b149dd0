/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * The table: every interrupt line with its threads, and the other kernel threads that rules may
 * name, as they are at one moment. Read whenever it is asked for, kept by nobody: policy, nice and
 * affinity change without any event. Reads below "/" or a captured tree; changes nothing.
 *
 * Actions come from /proc/interrupts where its line is beyond doubt, else from
 * /sys/kernel/irq/N/actions and it together, which tell names with commas in them, else from
 * whichever there is. Names and actions are bytes: the kernel takes any. A table that changes while
 * it is read is complete for what was there all the time: what went away meanwhile is left out.
 * Threads are PF_KTHREAD children of kthreadd, found in /proc/2/task/2/children where the kernel
 * has it, else by reading every process. In a PID namespace, where kthreadd is not to be seen,
 * there are no threads.
 */
#include "kthread.h"
#include "rule.h"

#include <stdint.h>
#include <sys/types.h>

struct irq_line;

struct irq_thread {
	pid_t tid;
	uint64_t start_ticks; /* with tid: its identity until the next boot */
	char *name;	      /* comm, as the kernel has it: any bytes */
	struct kthread_name what;
	struct irq_line *line; /* KTHREAD_IRQ whose line is in the table; else NULL */
	int policy;	       /* SCHED_* */
	unsigned priority;     /* 1..99 with fifo and rr, else 0 */
	int nice;
	bool bound;	/* PF_NO_SETAFFINITY: its affinity is the kernel's */
	char *affinity; /* CPU list it may run on; in a captured tree, an interrupt thread has its
			   line's; NULL: unknown */
	GArray *tags;	/* of struct rule_tag, what rules see; strings live as long as the table */
	GStringChunk *strings; /* of irqtable_read_thread()'s; NULL: they are the table's */
};

/* Why a line has no thread of its own. */
enum irq_unthreaded {
	IRQ_THREADED,	/* it has */
	IRQ_UNUSED,	/* no action: nobody listens */
	IRQ_NOT_FORCED, /* the kernel runs handlers in hard interrupt context (neither PREEMPT_RT
			   nor threadirqs) and this one's driver asked for no thread */
	IRQ_NO_THREAD,	/* a threading kernel, but this handler is exempt: IRQF_NO_THREAD,
			   IRQF_PERCPU, a timer */
	IRQ_NESTED,	/* runs in the thread of the line it hangs on */
	IRQ_UNSEEN,	/* kernel threads cannot be seen from here (PID namespace) */
};

struct irq_line {
	unsigned irq;
	char *chip, *hwirq, *trigger; /* "IO-APIC", "5", "edge"/"level"; NULL: unknown */
	char **actions;		      /* NULL-ended, maybe empty */
	guint n_counts;		      /* may be fewer than the table's CPUs */
	uint64_t *counts; /* in the order of the table's CPUs; 32 bits in the kernel: they wrap */
	char *affinity;	  /* asked for: smp_affinity_list; NULL: unknown */
	char *effective;  /* effective_affinity_list; NULL: unknown */
	enum irq_unthreaded unthreaded;
	int parent;	    /* IRQ_NESTED: the line it hangs on, when known; else -1 */
	GPtrArray *threads; /* of struct irq_thread, borrowed */
	GArray *tags;
};

/* A row of /proc/interrupts that is no line: "LOC", "IPI0", "ERR". */
struct irq_row {
	char *name, *text;
	guint n_counts;
	uint64_t *counts;
};

struct irq_table {
	uint64_t read_ns; /* CLOCK_MONOTONIC */
	guint n_cpus;
	int *cpus;	    /* of the columns */
	bool threaded;	    /* this kernel threads interrupts: PREEMPT_RT or threadirqs */
	bool threads_seen;  /* false: kernel threads cannot be seen from here */
	GPtrArray *lines;   /* of struct irq_line, by number */
	GPtrArray *threads; /* of struct irq_thread: interrupt threads and the namable others, by
			       tid */
	GPtrArray *rows;    /* of struct irq_row */
	GStringChunk *strings, *thread_strings;
};

/* -errno: /proc/interrupts cannot be read or is none. */
int irqtable_read(const char *root, struct irq_table **ret);
/* The same of a tree that is open; @own: its threads are those that system calls reach. */
struct roottree;
int irqtable_read_tree(const struct roottree *tree, bool own, struct irq_table **ret);
void irqtable_free(struct irq_table *t);

struct irq_line *irqtable_line(const struct irq_table *t, unsigned irq);  /* NULL: none */
struct irq_thread *irqtable_thread(const struct irq_table *t, pid_t tid); /* NULL: none */

/*
 * One thread alone, without its line's tags: for who has heard of it just now. -ESRCH: gone;
 * -EPERM: no kernel thread.
 */
int irqtable_read_thread(const char *root, pid_t tid, struct irq_thread *ret);
void irq_thread_done(struct irq_thread *t);

const char *irq_unthreaded_to_string(enum irq_unthreaded u); /* "threaded", "unused", ... */
/* A sentence for people, naming the parent; NULL for IRQ_THREADED. g_free(). */
char *irq_line_explain(const struct irq_line *l);

/* @root is this machine and shows the processes that system calls reach (not another namespace's
 * /proc), with the rights to set them both ways: only then may anything be set. 0, or -EXDEV with a
 * sentence. */
int irqtable_check_own(const char *root, char **ret_message);
