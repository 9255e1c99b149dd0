/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * What is to be said of rules and lines besides what changes: rules that match nothing now, rules
 * that never can be in force here, lines whose threads have different priorities. Pure.
 */
#include "irqpolicy.h"

/* Appends IRQ_WAITS and IRQ_NEVER for rules of @rules (NULL: none) to @changes. */
void irqnotes_rules(const struct irq_table *table, const GPtrArray *rules, GPtrArray *changes);
/* Appends IRQ_UNEQUAL. */
void irqnotes_unequal(const struct irq_table *table, GPtrArray *changes);
