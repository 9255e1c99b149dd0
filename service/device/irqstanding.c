/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A list decides like a run and then does nothing of it.
 */
#include "irqpolicy-internal.h"

#include "irqdrift.h"
#include "irqnotes.h"
#include "message.h"
#include <string.h>

static void standing_free(gpointer data)
{
	struct irq_standing *s = data;

	g_free(s->drift);
	g_free(s);
}

static struct irq_standing *listing_standing(struct irq_listing *l, const struct irq_aim *aim)
{
	gpointer whose = aim->thread ? (gpointer)aim->thread : (gpointer)aim->line;
	struct irq_standing *s = g_hash_table_lookup(l->standings, whose);

	if (!s) {
		s = g_new0(struct irq_standing, 1);
		g_hash_table_insert(l->standings, whose, s);
	}
	return s;
}

static void standing_add_drift(struct irq_standing *s, const struct irq_aim *aim, pid_t irqbalance)
{
	g_autofree char *earlier = s->drift;
	g_autofree char *sentence = irq_drift_sentence(aim, irqbalance);

	s->drifted = true;
	s->drift = g_strjoin(earlier ? " " : "", earlier ?: "", sentence, NULL);
}

/* Policy comes first of a thread's aims: its rule is the one that is named. */
static void listing_add(const struct irqpolicy *p, struct irq_listing *l, const struct irq_aim *aim,
			pid_t *irqbalance)
{
	struct irq_standing *s;

	if (aim->kind != IRQ_AIM_KEEP && aim->kind != IRQ_AIM_DRIFT &&
	    aim->kind != IRQ_AIM_PUT_BACK)
		return;
	s = listing_standing(l, aim);
	if (!s->rule)
		s->rule = aim->by;
	if (aim->kind != IRQ_AIM_DRIFT)
		return;
	if (aim->attribute == TUNING_AFFINITY && *irqbalance < 0)
		*irqbalance = irqbalance_find(p->root);
	standing_add_drift(s, aim, *irqbalance);
}

int irqpolicy_list(struct irqpolicy *p, struct irq_listing **ret, char **ret_message)
{
	pid_t irqbalance = -1;
	struct irq_listing *l;
	struct irq_run run;
	int r;

	r = irqpolicy_decide(p, false, &run);
	if (r < 0)
		return message_fail(ret_message, r, "The table of interrupts cannot be read: %s.",
				    g_strerror(-r));
	l = g_new0(struct irq_listing, 1);
	l->standings = g_hash_table_new_full(NULL, NULL, NULL, standing_free);
	l->notes = irq_changes_new();
	for (guint i = 0; i < run.aims->len; i++)
		listing_add(p, l, run.aims->pdata[i], &irqbalance);
	irqnotes_rules(run.table, p->plan, l->notes);
	irqnotes_rules(run.table, p->files, l->notes);
	irqnotes_unequal(run.table, l->notes);
	l->table = g_steal_pointer(&run.table);
	irq_run_done(&run);
	*ret = l;
	return 0;
}

void irq_listing_free(struct irq_listing *l)
{
	if (!l)
		return;
	g_hash_table_unref(l->standings);
	g_ptr_array_unref(l->notes);
	irqtable_free(l->table);
	g_free(l);
}
