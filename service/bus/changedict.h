/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * Changes of threads and lines as dictionaries, whose keys ApplyIrqPolicy of org.lrtbf1.Manager
 * names.
 */
#include <systemd/sd-bus.h>

struct irq_change;

/* GPtrArray of struct irq_change: aa{sv}. -EMSGSIZE when there are too many for one message. */
int changedict_append_list(sd_bus_message *m, const void *changes);
/* One: a{sv}. */
int changedict_append(sd_bus_message *m, const struct irq_change *c);
