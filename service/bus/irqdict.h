/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * Interrupt lines and threads as dictionaries, whose keys ListIrqs and ListThreads of
 * org.lrtbf1.Manager name.
 */
#include "irqpolicy.h"

#include <systemd/sd-bus.h>

/* What ListIrqs was asked for. */
struct irqdict_lines {
	const struct irq_listing *listing;
	bool counts;   /* of each CPU as well */
	bool threads;  /* their threads as well */
	bool captured; /* the table is no living machine's */
};

/* struct irqdict_lines: aa{sv}. -EMSGSIZE when there are too many for one message. */
int irqdict_append_lines(sd_bus_message *m, const void *lines);
/* struct irq_listing: aa{sv}. -EMSGSIZE as above. */
int irqdict_append_threads(sd_bus_message *m, const void *listing);
