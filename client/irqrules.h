/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * The rules of irq.d as ListIrqRules tells them, in the order in which they count.
 */
#include "client.h"

/* An array of objects with every key of the contract, null where there is no value; json_decref().
 */
int irqrules_read(struct client *c, json_t **ret);
/* The rule by which @change is, borrowed; NULL: none. */
const json_t *irqrules_find(const json_t *rules, const json_t *change);
/* "interface=eth* driver=e1000e"; "fifo 60, nice 5, affinity 0-1, override rcu". g_free(). */
char *irqrules_match_text(const json_t *rule);
char *irqrules_sets_text(const json_t *rule);
