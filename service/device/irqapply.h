/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * Aims carried out: guards, order, journal, the change itself, and what came of it.
 */
#include "irqaim.h"

struct irqapply {
	struct irq_table *table; /* the aims'; afterwards as it is then (or, dry, would be) */
	struct journal *journal; /* NULL: nothing may be set, as with `dry` */
	bool dry;
	int measuring_priority;
	/* irq_key() -> char *: what the kernel refused, and in which sentence; it is not tried
	 * again while it is in here. NULL: always tried, nothing kept. */
	GHashTable *refused;
	/* NULL, or called for each attribute that is as wanted: found so, or set now */
	void (*in_force)(const struct irq_aim *aim, void *userdata);
	void *userdata;
};

/* Members struct irq_change: all but what was right already. g_ptr_array_unref(). */
GPtrArray *irqapply(const struct irqapply *a, GPtrArray *aims);
/* Only the guards: aims that they are against become IRQ_AIM_REFUSED. Nothing is set. */
void irqapply_guards(const struct irqapply *a, GPtrArray *aims);
