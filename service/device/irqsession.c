/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * While a session measures: its plan's rules come first, the guard knows the measuring threads'
 * priority, and whatever makes its numbers doubtful becomes a finding. Threads that are at or above
 * that priority already stay there, and conditions name them: to take priorities away from what
 * nobody asked us about is not for a measurement to do.
 */
#include "irqpolicy-internal.h"

#include "finding.h"
#include "irqdrift.h"
#include "irqnotes.h"
#include "rule.h"
#include "tuning.h"
#include <errno.h>

/* Findings of a run */

static void find_rule(GPtrArray *findings, const struct irq_aim *aim, const char *sentence)
{
	g_autofree char *name = irq_aim_name(aim);

	finding_add(findings, "irq-rule", "Rule %s is not in force on %s: %s", aim->by ?: "?", name,
		    sentence);
}

static void find_aim(const struct irqpolicy *p, GPtrArray *findings, const struct irq_aim *aim)
{
	const char *sentence = aim->change ? aim->change->message : NULL;

	if (aim->kind == IRQ_AIM_DRIFT)
		finding_add(findings, aim->plan ? "irq-drift-plan" : "irq-drift", "%s",
			    sentence ?: "");
	else if (!aim->plan || !aim->change || aim->error == -ESRCH)
		return;
	else if (aim->change->outcome == IRQ_REFUSED)
		find_rule(findings, aim, sentence ?: "");
	else if (aim->change->outcome == IRQ_WOULD)
		find_rule(findings, aim, irqpolicy_why_not(p) ?: "");
}

static void find_notes(const struct irqpolicy *p, const struct irq_table *table,
		       GPtrArray *findings)
{
	g_autoptr(GPtrArray) notes = irq_changes_new();

	irqnotes_rules(table, p->plan, notes);
	irqnotes_unequal(table, notes);
	for (guint i = 0; i < notes->len; i++) {
		const struct irq_change *c = notes->pdata[i];

		if (c->outcome == IRQ_UNEQUAL)
			finding_add(findings, "irq-unequal", "%s", c->message);
		else
			finding_add(findings,
				    c->outcome == IRQ_NEVER ? "irq-rule" : "irq-rule-waits",
				    "Rule %s of the plan: %s", c->by, c->message);
	}
}

static void find_all(const struct irqpolicy *p, const struct irq_run *run, GPtrArray *findings)
{
	for (guint i = 0; i < run->aims->len; i++)
		find_aim(p, findings, run->aims->pdata[i]);
	find_notes(p, run->table, findings);
	if (p->paused && p->files->len > 0)
		finding_add(findings, "irq-paused", NULL);
}

/* Everything as it should be now, and what that says of a measurement. */
static void irqsession_run(struct irqpolicy *p, unsigned flags, GPtrArray *findings)
{
	struct irq_run run;
	int r;

	r = irqpolicy_run(p, flags | IRQ_RUN_NOTES, &run);
	irqpolicy_tell(p, run.changes);
	if (r < 0 && findings && p->plan) {
		const struct irq_change *c = run.changes->pdata[0];

		finding_add(findings, "irq-rule", "%s", c->message);
	}
	if (r >= 0 && findings)
		find_all(p, &run, findings);
	irq_run_done(&run);
}

void irqpolicy_find(struct irqpolicy *p, GPtrArray *findings)
{
	struct irq_run run;

	if (irqpolicy_run(p, IRQ_RUN_DRY, &run) >= 0)
		find_all(p, &run, findings);
	irq_run_done(&run);
}

/* Begin, end */

void irqpolicy_session_begin(struct irqpolicy *p, const GPtrArray *rules, int priority,
			     GPtrArray *findings)
{
	g_clear_pointer(&p->plan, g_ptr_array_unref);
	p->plan = rules && rules->len > 0 ? rules_copy(rules) : NULL;
	p->measuring_priority = priority;
	irqwatch_update(p);
	irqsession_run(p, IRQ_RUN_AGAIN, findings);
}

void irqpolicy_session_end(struct irqpolicy *p, GPtrArray *findings)
{
	/* what has drifted since the last tick, while it still is the plan's */
	irqsession_run(p, 0, findings);
	p->measuring_priority = 0;
	g_clear_pointer(&p->plan, g_ptr_array_unref);
	irqwatch_update(p);
	irqsession_run(p, IRQ_RUN_AGAIN, NULL);
}

/* Once a second */

/* Without its sentence. */
static struct irq_change *held_change(const struct irq_held *h, const struct tuning_value *now)
{
	struct irq_change *c = g_new0(struct irq_change, 1);
	struct kthread_name what;

	c->outcome = IRQ_DRIFTED;
	c->irq = (int)h->subject.irq;
	if (!h->subject.is_line) {
		kthread_name_parse(h->subject.name, &what);
		c->irq = what.irq;
	}
	c->tid = h->subject.tid;
	c->start_ticks = h->subject.start_ticks;
	c->name = g_strdup(h->name);
	c->attribute = (int)h->attribute;
	c->old = tuning_value_format(h->attribute, &h->value);
	c->new = tuning_value_format(h->attribute, now);
	c->by = g_strdup(h->by);
	return c;
}

struct tick {
	GPtrArray *findings;
	pid_t irqbalance; /* 0: does not run; -1: not looked for yet, which takes every process */
};

static void tick_tell(struct tick *t, const struct irqpolicy *p, const struct irq_held *h,
		      const struct tuning_value *now, struct irq_change *c)
{
	if (h->attribute == TUNING_AFFINITY && t->irqbalance < 0)
		t->irqbalance = irqbalance_find(p->root);
	c->message = irq_drift_format(h->name, h->by, h->attribute, &h->value, now, t->irqbalance);
	finding_add(t->findings, h->plan ? "irq-drift-plan" : "irq-drift", "%s", c->message);
	if (p->p.news)
		p->p.news(c, p->p.userdata);
}

static void tick_look_at(struct tick *t, struct irqpolicy *p, struct irq_held *h)
{
	struct tuning_value now = { 0 };
	struct irq_change *c;

	/* ended, or not to be read: the end of the session sees to that */
	if (tuning_get(&h->subject, h->attribute, &now) < 0)
		return;
	if (!tuning_value_equal(h->attribute, &now, &h->value)) {
		h->drifted = true;
		c = held_change(h, &now);
		if (irqpolicy_say(p, c))
			tick_tell(t, p, h, &now, c);
		irq_change_free(c);
	}
	tuning_value_done(&now);
}

void irqpolicy_session_tick(struct irqpolicy *p, GPtrArray *findings)
{
	struct tick t = { .findings = findings, .irqbalance = -1 };
	GHashTableIter iter;
	gpointer value;

	/* reset: a look is about to come, which tells the kernel's doing from somebody's */
	if (p->captured || p->reset)
		return;
	g_hash_table_iter_init(&iter, p->held);
	while (g_hash_table_iter_next(&iter, NULL, &value))
		tick_look_at(&t, p, value);
}
