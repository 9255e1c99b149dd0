/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * The lines of the table: /proc/interrupts, /sys/kernel/irq and /proc/irq put together. Part of
 * irqtable.c.
 */
#include "irqtable.h"
#include "roottree.h"

struct proc_interrupts;

/* -ENOENT, -EBADMSG: there is no table of interrupts. */
int irqlines_parse(const struct roottree *tree, struct proc_interrupts **ret);
/* Fills cpus, lines and rows of @t: that table, whose counts it takes, and what the folders say. */
void irqlines_read(const struct roottree *tree, struct proc_interrupts *interrupts,
		   struct irq_table *t);
void irq_line_free(void *line);
void irq_row_free(void *row);
