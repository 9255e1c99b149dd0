/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Who reads the log wants to know of what cannot be, of what somebody else did, and of threads that
 * came: how soon they had their priority. That rules were applied as they say is not worth a line
 * for each of a hundred threads.
 */
#include "irqlog.h"

#include "log.h"

static char *irqlog_who(const struct irq_change *c)
{
	bool named = c->name && *c->name;

	if (c->tid)
		return g_strdup_printf("%s (thread %d)", c->name, (int)c->tid);
	if (c->irq < 0)
		return NULL;
	return g_strdup_printf("Interrupt line %d%s%s%s", c->irq, named ? " (" : "",
			       named ? c->name : "", named ? ")" : "");
}

static char *irqlog_by(const struct irq_change *c)
{
	if (c->file)
		return g_strdup_printf("rule %s, %s:%u", c->by, c->file, c->line);
	return g_strdup(c->by ?: "lrtbfd");
}

/* A sentence that says it all already, about a rule, or a thread or line that it names itself. */
static char *irqlog_sentence(const struct irq_change *c)
{
	g_autofree char *by = irqlog_by(c);

	if (c->outcome == IRQ_DRIFTED || c->outcome == IRQ_UNEQUAL || !c->by)
		return g_strdup(c->message);
	return g_strdup_printf("%s (%s)", c->message, by);
}

static char *irqlog_values(const struct irq_change *c)
{
	const char *what = c->attribute == TUNING_AFFINITY ? "affinity " : "";
	g_autofree char *who = irqlog_who(c);
	g_autofree char *by = irqlog_by(c);
	g_autofree char *after =
		c->after_ns ? g_strdup_printf(", %.1f ms after it came", (double)c->after_ns / 1e6)
			    : NULL;

	if (c->outcome == IRQ_PUT_BACK)
		return g_strdup_printf("%s: put back to %s%s from %s.", who ?: "?", what,
				       c->new ?: "?", c->old ?: "?");
	return g_strdup_printf("%s: %s%s instead of %s (%s)%s.", who ?: "?", what, c->new ?: "?",
			       c->old ?: "?", by, after ?: "");
}

char *irqlog_format(const struct irq_change *c)
{
	if (c->message && c->outcome != IRQ_SET && c->outcome != IRQ_PUT_BACK)
		return irqlog_sentence(c);
	return irqlog_values(c);
}

static int irqlog_level(const struct irq_change *c)
{
	switch (c->outcome) {
	case IRQ_REFUSED:
	case IRQ_NEVER:
		return LOG_WARNING;
	case IRQ_UNEQUAL:
		return LOG_NOTICE;
	case IRQ_SET:
		return c->after_ns ? LOG_INFO : LOG_DEBUG;
	default:
		return LOG_DEBUG;
	}
}

static void irqlog_event(int level, enum log_event e, const struct irq_change *c, const char *text)
{
	g_autofree char *irq = c->irq >= 0 ? g_strdup_printf("%d", c->irq) : NULL;
	g_autofree char *tid = c->tid ? g_strdup_printf("%d", (int)c->tid) : NULL;
	g_autofree char *who = irqlog_who(c);
	const struct log_field fields[] = {
		{ "LRTBF_IRQ", irq },
		{ "LRTBF_TID", tid },
		{ "LRTBF_NAME", c->name && *c->name ? c->name : who },
		{ "LRTBF_RULE", c->file ? c->by : NULL },
		{ "LRTBF_OLD", c->old },
		{ "LRTBF_NEW", c->new },
		{ NULL },
	};

	log_event(level, e, fields, "%s", text);
}

void irqlog_write(const struct irq_change *c, bool left)
{
	g_autofree char *text = irqlog_format(c);

	if (c->outcome == IRQ_DRIFTED)
		irqlog_event(LOG_NOTICE, LOG_EVENT_PRIORITY_DRIFTED, c, text);
	else if (c->outcome == IRQ_PUT_BACK && left)
		irqlog_event(LOG_NOTICE, LOG_EVENT_TUNING_RESTORED, c, text);
	else
		log_write(irqlog_level(c), NULL, "%s", text);
}
