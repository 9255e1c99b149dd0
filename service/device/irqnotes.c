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
#include "ruleindex.h"

/* What of the table a rule matches. */
struct rule_reach {
	bool thread;
	bool unused;		     /* a line that nobody listens to */
	const struct irq_line *line; /* the first; NULL: none */
};

static bool rule_asks_of_threads(const struct rule *r)
{
	return r->policy >= 0 || r->priority >= 0 || r->has_nice;
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

/* Marks what the rules that match @tags reach; @line: whose they are, NULL: a thread's. */
static void reaches_add(GHashTable *reaches, const struct ruleindex *index, const GArray *tags,
			const struct irq_line *line)
{
	const struct rule_target target = rule_target_of(tags);
	g_autoptr(GPtrArray) rules = g_ptr_array_new();

	ruleindex_match(index, &target, rules);
	for (guint i = 0; i < rules->len; i++) {
		struct rule_reach *reach = g_hash_table_lookup(reaches, rules->pdata[i]);

		reach->thread |= !line;
		reach->unused |= line && line->unthreaded == IRQ_UNUSED;
		reach->line = reach->line ?: line;
	}
}

/* struct rule -> struct rule_reach, for all of @rules. */
static GHashTable *reaches_new(const struct irq_table *table, const GPtrArray *rules)
{
	GHashTable *reaches = g_hash_table_new_full(NULL, NULL, NULL, g_free);
	g_autoptr(ruleindex_t) index = ruleindex_new(rules);

	for (guint i = 0; i < rules->len; i++)
		g_hash_table_insert(reaches, rules->pdata[i], g_new0(struct rule_reach, 1));
	for (guint i = 0; i < table->threads->len; i++)
		reaches_add(reaches, index, ((struct irq_thread *)table->threads->pdata[i])->tags,
			    NULL);
	for (guint i = 0; i < table->lines->len; i++)
		reaches_add(reaches, index, ((struct irq_line *)table->lines->pdata[i])->tags,
			    table->lines->pdata[i]);
	return reaches;
}

/* A line that nobody listens to may get a thread yet. */
static void irqnotes_rule(const struct irq_table *table, const struct rule *r,
			  const struct rule_reach *reach, GPtrArray *changes)
{
	const struct irq_line *l = reach->line;

	if (reach->thread || (l && !rule_asks_of_threads(r)))
		return;
	if (l && !reach->unused)
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
	g_autoptr(GHashTable) reaches = NULL;

	if (!rules || rules->len == 0)
		return;
	reaches = reaches_new(table, rules);
	for (guint i = 0; i < rules->len; i++)
		irqnotes_rule(table, rules->pdata[i], g_hash_table_lookup(reaches, rules->pdata[i]),
			      changes);
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
