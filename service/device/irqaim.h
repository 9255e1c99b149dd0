/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * An aim: what one attribute of one thread or line is, what it should be, by whom, and so what is
 * to be done. Made by irqdesire.c, carried out by irqapply.c. Borrows the table, the rules and the
 * journal's entries it was made of: it lives no longer than the event that it was made in.
 */
#include "irqpolicy.h"

enum irq_aim_kind {
	IRQ_AIM_KEEP,	  /* as it should be */
	IRQ_AIM_SET,	  /* `want` is to be set */
	IRQ_AIM_PUT_BACK, /* nobody wants ours any more: `want` is what was there before us */
	IRQ_AIM_FORGET,	  /* the same, and it is there already */
	IRQ_AIM_DRIFT,	  /* `want` should be there, and somebody else's value is */
	IRQ_AIM_LEAVE,	  /* nobody wants ours any more, and somebody else's value is there */
	IRQ_AIM_CANNOT,	  /* no value can be made of what a rule asks for: `message` */
	IRQ_AIM_REFUSED,  /* a guard is against `want`: `message` */
};

struct irq_aim {
	enum irq_aim_kind kind;
	struct irq_thread *thread; /* one of the two is NULL */
	struct irq_line *line;
	struct tuning_subject subject;
	enum tuning_attribute attribute;
	struct tuning_value is, want;
	struct tuning_value ours;   /* DRIFT, LEAVE: what we had left there */
	struct tuning_entry *entry; /* of the journal; NULL: never changed by us */
	const char *by;		    /* rule, "set by user N"; NULL: nobody's wish */
	const char *file;	    /* of a rule; NULL */
	unsigned line_number;
	unsigned override; /* of enum rule_override */
	bool plan;	   /* a plan's rule wants it */
	char *message;
	/* what came of it, once carried out */
	int error;			 /* -errno of the change */
	const struct irq_change *change; /* what was told of it, borrowed; NULL: nothing */
};

struct irq_aim *irq_aim_new(struct irq_thread *t, struct irq_line *l, enum tuning_attribute a);
void irq_aim_free(struct irq_aim *aim);
/* What is told of it. @message: kept; NULL: the aim's own. */
struct irq_change *irq_aim_tell(const struct irq_aim *aim, enum irq_outcome outcome, char *message);

/* "irq/24-eth0", "interrupt line 24 (eth0)", as UTF-8 (the kernel takes any name). g_free(). */
char *irq_aim_name(const struct irq_aim *aim);
/* Its actions. g_free(). */
char *irq_line_name(const struct irq_line *l);

/* Whom and what in one word, for hash tables. @a -1: of all attributes. g_free(). */
char *irq_key(const struct tuning_subject *s, int a);

/* @v is what we have left there, as far as the journal knows. */
bool irq_entry_holds(const struct tuning_entry *e, const struct tuning_value *v);

/* Over a value that is there. */
void irq_value_replace(struct tuning_value *v, const struct tuning_value *by);
