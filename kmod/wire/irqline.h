/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef WIRE_IRQLINE_H
#define WIRE_IRQLINE_H
/*
 * Interrupt lines of our own, as real to the kernel as a chip's: in /proc/interrupts and /proc/irq,
 * with affinity, disabling and, where interrupts are threaded, a thread. Edge triggered.
 */
#include <linux/hrtimer.h>
#include <linux/irq_work.h>
#include <linux/smp.h>
#include <linux/types.h>

struct irq_domain;

struct irqline {
	/* configuration */
	unsigned int virq; /* Linux's number; 0: none */
	bool (*raise)(
		struct irqline *line); /* in hard interrupt context: is there one to be raised? */

	/* state */
	unsigned int cpu; /* where it comes */
	bool again;	  /* the kernel asks for one it had no use for */
	bool stopped;
	struct irq_work work;
	call_single_data_t csd;
	struct hrtimer timer;
};

/* For @lines lines; NULL: no memory. */
struct irq_domain *irqline_domain_new(unsigned int lines);
struct irq_domain *irqline_domain_free(struct irq_domain *domain);

/* Line @number of @domain. 0, -ENOMEM. irqline_done() also takes one that was never made. */
int irqline_init(struct irqline *line, struct irq_domain *domain, unsigned int number,
		 bool (*raise)(struct irqline *line));

/* No raise() runs or will run. Nobody kicks any more, nobody has the interrupt. */
void irqline_done(struct irqline *line);

/* From any context, with interrupts off: raise() is called on the line's CPU, at once if @now, and
 * at @next_ns (CLOCK_MONOTONIC; 0: then not). Calls are serialised by the caller. */
void irqline_kick(struct irqline *line, bool now, u64 next_ns);

#endif
