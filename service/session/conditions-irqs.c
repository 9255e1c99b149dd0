/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Every interrupt thread with its priority, rule or not, because which of them outranked the rest
 * is what a latency is explained by; of the lines, those that somebody listens to.
 */
#include "conditions.h"

#include "irqpolicy.h"
#include "policy.h"

/* Names come from drivers and may hold any bytes. */
static json_t *irqs_text(const char *text)
{
	g_autofree char *valid = text ? g_utf8_make_valid(text, -1) : NULL;

	return valid ? json_string(valid) : json_null();
}

static json_t *irqs_rule(const struct irq_listing *l, const void *subject)
{
	const struct irq_standing *s = g_hash_table_lookup(l->standings, subject);

	return irqs_text(s && !s->drifted ? s->rule : NULL);
}

static json_t *irqs_thread(const struct irq_listing *l, const struct irq_thread *t)
{
	json_t *o = json_object();

	json_object_set_new(o, "tid", json_integer(t->tid));
	json_object_set_new(o, "name", irqs_text(t->name));
	json_object_set_new(o, "policy", irqs_text(policy_to_string(t->policy)));
	json_object_set_new(o, "priority", json_integer(t->priority));
	json_object_set_new(o, "nice", json_integer(t->nice));
	json_object_set_new(o, "rule", irqs_rule(l, t));
	return o;
}

static json_t *irqs_threads(const struct irq_listing *l, const GPtrArray *threads)
{
	json_t *list = json_array();

	for (guint i = 0; i < threads->len; i++)
		json_array_append_new(list, irqs_thread(l, threads->pdata[i]));
	return list;
}

static json_t *irqs_line(const struct irq_listing *l, const struct irq_line *line)
{
	json_t *o = json_object(), *actions = json_array();

	for (char **a = line->actions; *a; a++)
		json_array_append_new(actions, irqs_text(*a));
	json_object_set_new(o, "irq", json_integer(line->irq));
	json_object_set_new(o, "actions", actions);
	json_object_set_new(o, "chip", irqs_text(line->chip));
	json_object_set_new(o, "trigger", irqs_text(line->trigger));
	json_object_set_new(o, "affinity", irqs_text(line->affinity));
	json_object_set_new(o, "effective", irqs_text(line->effective));
	json_object_set_new(o, "threaded", json_string(irq_unthreaded_to_string(line->unthreaded)));
	json_object_set_new(o, "rule", irqs_rule(l, line));
	json_object_set_new(o, "threads", irqs_threads(l, line->threads));
	return o;
}

json_t *conditions_irqs(const struct irq_listing *l)
{
	g_autoptr(GPtrArray) others = g_ptr_array_new();
	json_t *o = json_object(), *lines = json_array();
	const struct irq_table *t = l->table;

	for (guint i = 0; i < t->lines->len; i++) {
		const struct irq_line *line = t->lines->pdata[i];

		if (*line->actions)
			json_array_append_new(lines, irqs_line(l, line));
	}
	for (guint i = 0; i < t->threads->len; i++)
		if (!((const struct irq_thread *)t->threads->pdata[i])->line)
			g_ptr_array_add(others, t->threads->pdata[i]);
	json_object_set_new(o, "threaded", json_boolean(t->threaded));
	json_object_set_new(o, "lines", lines);
	json_object_set_new(o, "threads", irqs_threads(l, others));
	return o;
}
