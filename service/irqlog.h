/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * What happened to interrupt threads, as sentences: the daemon's log, and what lrtbfd --restore
 * prints.
 */
#include "irqpolicy.h"

/* "irq/24-eth0: fifo 60 instead of fifo 50 (net/1), 12.3 ms after it came". g_free(). */
char *irqlog_format(const struct irq_change *c);
/* Into the log, with the weight that it has. @left: of what an earlier daemon left. */
void irqlog_write(const struct irq_change *c, bool left);
