/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * struct irqpolicy, for the files that are behind irqpolicy.h: irqpolicy.c (owner, reload, apply,
 * restore), irqrun.c (one run over everything), irqwatch.c (threads that come later), irqmanual.c
 * (set by hand), irqsession.c (a session's rules and findings), irqstanding.c (lists).
 */
#include "irqapply.h"
#include "irqdesire.h"
#include "threadwatch.h"

/* A thread that has come a moment ago. */
struct irq_newcomer {
	struct tuning_subject subject;
	uint64_t created_ns; /* CLOCK_MONOTONIC; 0: not known */
	uint64_t seen_ns;
	unsigned sets; /* how often its policy was set */
};

struct irqpolicy {
	/* configuration */
	struct irqpolicy_params p;
	char *root, *runtime_dir;
	char *captured; /* not this machine's table: a sentence; NULL: it is */
	/* what changes */
	struct journal *journal; /* NULL: captured, or it cannot be had */
	char *unjournaled;	 /* why it cannot: a sentence; NULL: it can */
	GPtrArray *files;	 /* of struct rule: irq.d */
	GPtrArray *plan;	 /* of struct rule: of the session that measures; NULL */
	int measuring_priority;
	bool paused;
	bool reset;	     /* since the last run the machine has resumed, or a CPU come or gone */
	GHashTable *hands;   /* irq_key(-1) -> struct irq_hand */
	GHashTable *held;    /* irq_key() -> struct irq_held */
	GHashTable *refused; /* irq_key() -> sentence, see irqapply.h */
	GHashTable *said;    /* set: what news were told, as long as it stays so */
	GHashTable *newcomers; /* irq_key(-1) -> struct irq_newcomer */
	struct threadwatch *watch;
	sd_event_source *look, *settle;
	uint64_t look_end_ns, look_cost_ns; /* the last look: others wait for as long as it took */
	unsigned settle_step;
};

/* Why nothing may be set; NULL: it may. Borrowed. */
const char *irqpolicy_why_not(const struct irqpolicy *p);

/* --- irqrun.c: read, decide, carry out --- */

enum irq_run_flag {
	IRQ_RUN_INSIST = 1, /* somebody else's values too */
	IRQ_RUN_DRY = 2,
	IRQ_RUN_AGAIN = 4, /* try again what the kernel refused before */
	IRQ_RUN_NOTES = 8, /* say what is to be said of rules and lines */
};

struct irq_run {
	struct irq_table *table;
	GPtrArray *aims;    /* of struct irq_aim */
	GPtrArray *changes; /* of struct irq_change */
};

/* Everything. @ret: irq_run_done(). -errno: no table; @ret->changes says so, and is never NULL. */
int irqpolicy_run(struct irqpolicy *p, unsigned flags, struct irq_run *ret);
/*
 * One thread or line alone, in what is @asked for (NULL: in all), insisting or not. IRQ_RUN_DRY:
 * table and aims of what would be done, guards asked; nothing is done, and no changes are told.
 */
int irqpolicy_run_one(struct irqpolicy *p, const struct tuning_subject *s,
		      const bool asked[TUNING_ATTRIBUTES], unsigned flags, struct irq_run *ret);
void irq_run_done(struct irq_run *r);
/* Table, and aims as they are decided. */
int irqpolicy_decide(struct irqpolicy *p, bool insist, struct irq_run *ret);
/* News of a run over everything, each once as long as it stays so. */
void irqpolicy_tell(struct irqpolicy *p, const GPtrArray *changes);
/* The same of a run whose changes are the answer to a call: nobody else is told of them. */
void irqpolicy_answer(struct irqpolicy *p, const GPtrArray *changes);
/* False: it was told before. */
bool irqpolicy_say(struct irqpolicy *p, const struct irq_change *c);

/* --- irqwatch.c --- */

/* Begin or end watching, as there are rules: before a run, so that nobody comes in between. */
void irqwatch_update(struct irqpolicy *p);
void irqwatch_end(struct irqpolicy *p);
/* Empty: irq_key(-1) -> struct irq_newcomer. */
GHashTable *irqwatch_newcomers_new(void);
/* After a run: how long newcomers waited, and when to look at them once more. */
void irqwatch_note(struct irqpolicy *p, const struct irq_run *run);

GPtrArray *irq_changes_new(void);
