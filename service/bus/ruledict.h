/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * Rules as dictionaries, whose keys ListIrqRules of org.lrtbf1.Manager names.
 */
#include "irqpolicy.h"

#include <systemd/sd-bus.h>

struct ruledict_list {
	const GPtrArray *rules;		   /* of struct rule */
	const struct irq_listing *listing; /* whose notes say what stands in a rule's way */
};

/* struct ruledict_list: aa{sv}. -EMSGSIZE when there are too many for one message. */
int ruledict_append(sd_bus_message *m, const void *list);
