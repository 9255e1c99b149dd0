/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * What rules know lines and threads by. Part of irqtable.c.
 *
 * A line: its number, each action, its devices (irqdevices.h), the names of its threads. An
 * interrupt thread: all of its line's but the other threads' names; its own name as it is and,
 * where the kernel has cut it, uncut. Another kernel thread: its name, and the interface it works
 * for.
 */
#include "irqdevices.h"
#include "irqtable.h"

/* After threads have been given to their lines. @devices: NULL: unknown. */
void irqtags_fill(struct irq_table *t, const struct irqdevices *devices);
/* Of a thread without its line. Strings go into @strings. */
void irqtags_fill_thread(struct irq_thread *t, const struct irqdevices *devices,
			 GStringChunk *strings);
