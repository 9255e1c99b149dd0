/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A rule may be written for a device that is not plugged in, so one that matches nothing only
 * waits. One that matches lines without a thread, and asks for what only a thread can have, will
 * wait forever: that is said, with the line's own reason.
 */
#include "irqnotes.h"

#include "glob.h"
#include "irqaim.h"
#include "policy.h"

static bool rule_target_matches(const struct rule *r, const GArray *tags)
{
	const struct rule_target target = {
		.tags = tags ? (const struct rule_tag *)(const void *)tags->data : NULL,
		.n_tags = tags ? tags->len : 0,
	};

	return rule_matches(r, &target);
}

static bool rule_asks_of_threads(const struct rule *r)
{
	return r->policy >= 0 || r->priority >= 0 || r->has_nice;
}

static bool rule_matches_thread(const struct rule *r, const struct irq_table *table)
{
	for (guint i = 0; i < table->threads->len; i++) {
		const struct irq_thread *t = table->threads->pdata[i];

		if (rule_target_matches(r, t->tags))
			return true;
	}
	return false;
}

/* Means only what nobody may touch. */
static bool rule_matches_protected(const struct rule *r)
{
	static const char *const names[] = { "migration/0", "cpuhp/0", "watchdog/0", "watchdogd" };

	for (size_t i = 0; r->match[RULE_KTHREAD] && i < G_N_ELEMENTS(names); i++)
		if (glob_match(r->match[RULE_KTHREAD], names[i]))
			return true;
	return false;
}

static void irqnotes_add(GPtrArray *changes, const struct rule *r, enum irq_outcome outcome,
			 int irq, char *message)
{
	struct irq_change *c = g_new0(struct irq_change, 1);

	c->outcome = outcome;
	c->irq = irq;
	c->attribute = -1;
	c->by = g_strdup(r->name);
	c->file = g_strdup(r->file);
	c->line = r->line;
	c->message = message;
	g_ptr_array_add(changes, c);
}

/* A line that nobody listens to may get a thread yet: NULL then, or when @r matches no line. */
static const struct irq_line *rule_matches_line(const struct rule *r, const struct irq_table *table,
						bool *ret_unused)
{
	const struct irq_line *found = NULL;

	for (guint i = 0; i < table->lines->len; i++) {
		const struct irq_line *l = table->lines->pdata[i];

		if (!rule_target_matches(r, l->tags))
			continue;
		*ret_unused |= l->unthreaded == IRQ_UNUSED;
		if (!found)
			found = l;
	}
	return found;
}

static void irqnotes_rule(const struct irq_table *table, const struct rule *r, GPtrArray *changes)
{
	const struct irq_line *l;
	bool unused = false;

	if (rule_matches_thread(r, table))
		return;
	l = rule_matches_line(r, table, &unused);
	if (l && !rule_asks_of_threads(r))
		return;
	if (l && !unused)
		irqnotes_add(changes, r, IRQ_NEVER, (int)l->irq, irq_line_explain(l));
	else if (!l && rule_matches_protected(r))
		irqnotes_add(
			changes, r, IRQ_NEVER, -1,
			g_strdup("The kernel's migration, cpuhp and watchdog threads are never "
				 "touched."));
	else if (!table->threads_seen && rule_asks_of_threads(r))
		irqnotes_add(changes, r, IRQ_NEVER, -1,
			     g_strdup("Kernel threads cannot be seen from here (a PID "
				      "namespace)."));
	else
		irqnotes_add(changes, r, IRQ_WAITS, l ? (int)l->irq : -1,
			     g_strdup("Nothing here matches it now."));
}

void irqnotes_rules(const struct irq_table *table, const GPtrArray *rules, GPtrArray *changes)
{
	for (guint i = 0; rules && i < rules->len; i++)
		irqnotes_rule(table, rules->pdata[i], changes);
}

static char *thread_rank_format(const struct irq_thread *t)
{
	const char *policy = policy_to_string(t->policy) ?: "unknown";
	g_autofree char *name = g_utf8_make_valid(t->name, -1);

	if (!policy_is_realtime(t->policy))
		return g_strdup_printf("%s %s", name, policy);
	return g_strdup_printf("%s %s %u", name, policy, t->priority);
}

/* fifo and rr of one priority wait for each other: they are equal. */
static bool thread_ranks_equal(const struct irq_thread *a, const struct irq_thread *b)
{
	if (policy_is_realtime(a->policy) && policy_is_realtime(b->policy))
		return a->priority == b->priority;
	return a->policy == b->policy;
}

static bool line_is_unequal(const struct irq_line *l)
{
	for (guint i = 1; l->threads && i < l->threads->len; i++)
		if (!thread_ranks_equal(l->threads->pdata[0], l->threads->pdata[i]))
			return true;
	return false;
}

static char *line_unequal_sentence(const struct irq_line *l)
{
	g_autoptr(GString) list = g_string_new(NULL);

	for (guint i = 0; i < l->threads->len; i++) {
		g_autofree char *rank = thread_rank_format(l->threads->pdata[i]);

		g_string_append_printf(list, "%s%s", i ? ", " : "", rank);
	}
	return g_strdup_printf("The threads of interrupt line %u have different priorities (%s); a "
			       "shared one-shot line stays masked until all of them have run, so "
			       "the lowest decides.",
			       l->irq, list->str);
}

void irqnotes_unequal(const struct irq_table *table, GPtrArray *changes)
{
	for (guint i = 0; i < table->lines->len; i++) {
		const struct irq_line *l = table->lines->pdata[i];
		struct irq_change *c;

		if (!line_is_unequal(l))
			continue;
		c = g_new0(struct irq_change, 1);
		c->outcome = IRQ_UNEQUAL;
		c->irq = (int)l->irq;
		c->name = irq_line_name(l);
		c->attribute = TUNING_POLICY;
		c->message = line_unequal_sentence(l);
		g_ptr_array_add(changes, c);
	}
}
