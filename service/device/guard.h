/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * What must not be set, because machines die of it. Pure: looks at the table as it would be.
 *
 * Never: migration/N, cpuhp/N, the watchdog's threads, threads of policy deadline, the affinity of
 * a thread the kernel has bound. With an override in the rule or the call: ksoftirqd or ktimers
 * above any rcu thread (rcu callbacks that wait for softirqs that wait for rcu), rcu above
 * irq_work, anything at or above a measuring thread. Equal is allowed among the first: all are fifo
 * 1 on a stock PREEMPT_RT kernel. Order: deadline > fifo and rr by priority > other, batch, idle.
 */
#include "irqtable.h"
#include "journal.h"

struct guard {
	const struct irq_table *table; /* as it would be: with what the others are about to get */
	/*
	 * What the thread has now. A change that leaves what is forbidden as it is, or makes less
	 * of it, is let through: kernels begin with some of it. NULL: not known, then nothing is.
	 */
	const struct tuning_value *now;
	int measuring_priority; /* of the measuring threads; 0: nobody measures at a real-time one
				 */
};

/*
 * May @t get policy and priority of @v (TUNING_POLICY), or @v at all? Nice is nobody's danger.
 * @overrides: of enum rule_override. 0, or -EKEYREJECTED with a sentence: which guard, against
 * which thread, and the word that sets it aside, if any does.
 */
int guard_check(const struct guard *g, const struct irq_thread *t, enum tuning_attribute a,
		const struct tuning_value *v, unsigned overrides, char **ret_message);
