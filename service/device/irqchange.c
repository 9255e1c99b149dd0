/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "irqpolicy.h"

static const char *const irq_outcomes[] = {
	[IRQ_WOULD] = "would",	   [IRQ_SET] = "set",	      [IRQ_PUT_BACK] = "put-back",
	[IRQ_DRIFTED] = "drifted", [IRQ_REFUSED] = "refused", [IRQ_WAITS] = "waits",
	[IRQ_NEVER] = "never",	   [IRQ_UNEQUAL] = "unequal",
};

const char *irq_outcome_to_string(enum irq_outcome o)
{
	return irq_outcomes[o];
}

struct irq_change *irq_change_copy(const struct irq_change *c)
{
	struct irq_change *copy = g_memdup2(c, sizeof(*c));

	copy->name = g_strdup(c->name);
	copy->old = g_strdup(c->old);
	copy->new = g_strdup(c->new);
	copy->by = g_strdup(c->by);
	copy->file = g_strdup(c->file);
	copy->message = g_strdup(c->message);
	return copy;
}

void irq_change_free(struct irq_change *c)
{
	if (!c)
		return;
	g_free(c->name);
	g_free(c->old);
	g_free(c->new);
	g_free(c->by);
	g_free(c->file);
	g_free(c->message);
	g_free(c);
}
