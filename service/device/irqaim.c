/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "irqaim.h"

#include "tuning.h"
#include <inttypes.h>

struct irq_aim *irq_aim_new(struct irq_thread *t, struct irq_line *l, enum tuning_attribute a)
{
	struct irq_aim *aim = g_new0(struct irq_aim, 1);

	aim->thread = t;
	aim->line = l;
	aim->attribute = a;
	if (t)
		tuning_subject_of_thread(t, &aim->subject);
	else
		tuning_subject_of_line(l, &aim->subject);
	return aim;
}

void irq_aim_free(struct irq_aim *aim)
{
	if (!aim)
		return;
	tuning_subject_done(&aim->subject);
	tuning_value_done(&aim->is);
	tuning_value_done(&aim->want);
	tuning_value_done(&aim->ours);
	g_free(aim->message);
	g_free(aim);
}

char *irq_line_name(const struct irq_line *l)
{
	g_autofree char *actions = g_strjoinv(", ", l->actions);

	return g_utf8_make_valid(actions, -1);
}

/* What it was and what it is or should be now, as the outcome has it. */
static void irq_aim_tell_values(const struct irq_aim *aim, enum irq_outcome outcome,
				struct irq_change *c)
{
	if (aim->kind == IRQ_AIM_CANNOT)
		return;
	c->old = tuning_value_format(aim->attribute, &aim->is);
	if (outcome == IRQ_DRIFTED) {
		/* from ours to somebody else's */
		g_free(c->old);
		c->old = tuning_value_format(aim->attribute, &aim->ours);
		c->new = tuning_value_format(aim->attribute, &aim->is);
	} else if (aim->kind != IRQ_AIM_LEAVE && aim->kind != IRQ_AIM_FORGET) {
		c->new = tuning_value_format(aim->attribute, &aim->want);
	}
}

struct irq_change *irq_aim_tell(const struct irq_aim *aim, enum irq_outcome outcome, char *message)
{
	struct irq_change *c = g_new0(struct irq_change, 1);

	c->outcome = outcome;
	c->irq = aim->thread ? aim->thread->what.irq : (int)aim->line->irq;
	if (aim->thread) {
		c->tid = aim->thread->tid;
		c->start_ticks = aim->thread->start_ticks;
		c->name = g_utf8_make_valid(aim->thread->name, -1);
	} else {
		c->name = irq_line_name(aim->line);
	}
	c->attribute = aim->attribute;
	irq_aim_tell_values(aim, outcome, c);
	c->by = g_strdup(aim->kind == IRQ_AIM_PUT_BACK ? "before" : aim->by);
	c->file = g_strdup(aim->file);
	c->line = aim->line_number;
	c->message = message ?: g_strdup(aim->message);
	return c;
}

char *irq_aim_name(const struct irq_aim *aim)
{
	g_autofree char *actions = NULL;

	g_autofree char *name = NULL;

	if (aim->thread)
		return g_utf8_make_valid(aim->thread->name, -1);
	actions = g_strjoinv(", ", aim->line->actions);
	name = g_strdup_printf("interrupt line %u%s%s%s", aim->line->irq, *actions ? " (" : "",
			       actions, *actions ? ")" : "");
	return g_utf8_make_valid(name, -1);
}

char *irq_key(const struct tuning_subject *s, int a)
{
	if (s->is_line)
		return g_strdup_printf("line %u %d %s", s->irq, a, s->name);
	return g_strdup_printf("thread %d %" PRIu64 " %d", (int)s->tid, s->start_ticks, a);
}

bool irq_entry_holds(const struct tuning_entry *e, const struct tuning_value *v)
{
	return tuning_value_equal(e->attribute, v, &e->new) ||
	       (!e->sure && tuning_value_equal(e->attribute, v, &e->before));
}

void irq_value_replace(struct tuning_value *v, const struct tuning_value *by)
{
	struct tuning_value copy;

	tuning_value_copy(by, &copy);
	tuning_value_done(v);
	*v = copy;
}
