/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * Kernel threads by their names: which are interrupt threads and of which line, which others rules
 * may name, which nobody may touch. Pure. Fuzzed. A name alone proves nothing: whoever asks has
 * seen PF_KTHREAD first, because a user's process may call itself anything.
 *
 * Sources: kernel/irq/manage.c (irq/N-NAME, irq/N-s-NAME), kernel/softirq.c, kernel/rcu/tree*.h,
 * kernel/irq_work.c, net/core/dev.c (napi/DEV-ID, backlog_napi/N), kernel/stop_machine.c,
 * kernel/cpu.c, kernel/watchdog*.c, drivers/watchdog/watchdog_dev.c.
 */
#include <stdbool.h>

enum kthread_kind {
	KTHREAD_OTHER,	      /* no rule can name it */
	KTHREAD_IRQ,	      /* irq/N-NAME, irq/N-s-NAME */
	KTHREAD_KSOFTIRQD,    /* ksoftirqd/N */
	KTHREAD_KTIMERS,      /* ktimers/N, ktimersoftd/N */
	KTHREAD_RCU,	      /* rcuc/N, rcub/N, rcu_preempt, rcu_sched, rcuog/N, rcuop/N, ... */
	KTHREAD_IRQ_WORK,     /* irq_work/N */
	KTHREAD_NAPI,	      /* napi/INTERFACE-ID */
	KTHREAD_BACKLOG_NAPI, /* backlog_napi/N */
	KTHREAD_PROTECTED,    /* migration/N, cpuhp/N, watchdog/N, watchdogd: never touched */
};

struct kthread_name {
	enum kthread_kind kind;
	int irq;	  /* KTHREAD_IRQ: the line; else -1 */
	bool secondary;	  /* irq/N-s-: runs the threaded part of a forced-threaded handler */
	int cpu;	  /* of NAME/N; -1: none */
	const char *rest; /* KTHREAD_IRQ: the action, maybe cut, may be ""; else NULL. In comm */
	unsigned interface_size; /* KTHREAD_NAPI: bytes of the interface's name, at comm + 5 */
};

/* @comm: as the kernel has it. Never fails: what is no such name is KTHREAD_OTHER. */
void kthread_name_parse(const char *comm, struct kthread_name *ret);
/* A rule may name it: all but OTHER and PROTECTED. */
bool kthread_kind_namable(enum kthread_kind kind);
/* "irq", "ksoftirqd", "ktimers", "rcu", "irq_work", "napi", "backlog_napi", "protected", "other".
 */
const char *kthread_kind_to_string(enum kthread_kind kind);
/*
 * Whether @x and @y may be one thread's name: equal, or one is the other's first 15 characters.
 * Kernels from 6.4 on show a new thread by those until it has run for the first time, and by its
 * whole name from then on (kernel/kthread.c, get_kthread_comm()).
 */
bool kthread_name_same(const char *x, const char *y);
/* As long as names that are cut: there may be more of it. */
bool kthread_name_is_cut(const char *comm);
/*
 * Whether the interrupt thread @comm runs @action: equal, or @comm is as much of "irq/N-ACTION" as
 * fits in the 15 characters of kernels that cut, or in the 63 that the others show.
 */
bool kthread_runs_action(const char *comm, const char *action);
