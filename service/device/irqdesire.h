/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * The decision: a table, rules, what was set by hand and what we changed earlier -> aims, one for
 * each attribute that anybody wants or that still has a value of ours. Changes nothing; asks which
 * CPUs are online, and the one hook.
 *
 * The chain: a plan's rules > by hand > rules of irq.d > what was there before us.
 */
#include "irqaim.h"

/* An attribute that has been as somebody wanted it: what else it is found to be later is drift. */
struct irq_held {
	struct tuning_subject subject;
	enum tuning_attribute attribute;
	struct tuning_value value;
	char *name; /* for sentences */
	char *by;
	bool plan;    /* a plan's rule */
	bool drifted; /* and has been somebody else's since */
};

/* What was set by hand on one thread or line, as a rule that nothing else matches. */
struct irq_hand {
	struct tuning_subject subject;
	GPtrArray *rules; /* of one struct rule */
};

struct irqdesire {
	const struct irq_table *table;
	const GPtrArray *plan, *files; /* of struct rule; NULL: none */
	GHashTable *hands;	       /* irq_key(subject, -1) -> struct irq_hand; NULL: none */
	const GPtrArray *entries;      /* of the journal; NULL: none */
	GHashTable *held;	       /* irq_key() -> struct irq_held; NULL: none */
	GHashTable *fresh; /* irq_key(thread, -1): the kernel may still give them its own
			      default; NULL: none */
	const char *root;  /* whose CPUs "all" means */
	bool insist;	   /* somebody else's value is no reason to leave it */
	bool reset;	   /* the kernel may have given everybody its own default again */
	/* the table does not have this flag of a thread; NULL: nobody has it */
	bool (*reset_on_fork)(const struct irq_thread *t);
};

/* Members struct irq_aim (g_ptr_array_unref). */
GPtrArray *irqdesire(const struct irqdesire *d);

void irq_held_free(struct irq_held *h);
void irq_hand_free(struct irq_hand *h);
