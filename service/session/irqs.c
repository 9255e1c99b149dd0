/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Why rules come before the conditions: these are what a reader explains the figures by, so they
 * must show the priorities that were in force while it measured.
 */
#include "irqs.h"

#include "conditions.h"
#include "irqpolicy.h"
#include "log.h"

void irqs_begin(struct session *s)
{
	if (!s->place->irqpolicy || s->irqs)
		return;
	s->irqs = true;
	irqpolicy_session_begin(s->place->irqpolicy, s->plan->irq_rules, s->r->priority,
				s->r->findings);
}

void irqs_record(struct session *s)
{
	g_autofree char *message = NULL;
	struct irq_listing *l;

	if (!s->irqs || !s->r->conditions)
		return;
	if (irqpolicy_list(s->place->irqpolicy, &l, &message) < 0) {
		log_write(LOG_WARNING, s->r->id,
			  "The interrupts are not among the session's conditions: %s", message);
		return;
	}
	json_object_set_new(s->r->conditions, "interrupts", conditions_irqs(l));
	irq_listing_free(l);
}

bool irqs_watch(struct session *s)
{
	guint n = s->r->findings->len;

	if (s->irqs)
		irqpolicy_session_tick(s->place->irqpolicy, s->r->findings);
	return s->r->findings->len > n;
}

void irqs_end(struct session *s)
{
	if (!s->irqs)
		return;
	s->irqs = false;
	irqpolicy_session_end(s->place->irqpolicy, s->r->findings);
}
