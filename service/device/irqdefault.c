/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Why lines are judged by what they have not: a line none of whose CPUs is left goes to all that
 * are online at that moment, which on the way into a suspend is any part of them. None of ours is
 * among those, or it had stayed.
 */
#include "irqdefault.h"

#include "cpulist.h"
#include "policy.h"

/* Half of the real-time range; one less for a secondary thread in later kernels. */
#define IRQ_PRIORITY 50
/* What has to run before ordinary processes, and no more than that. */
#define LOW_PRIORITY 1

bool irq_default_policy(const struct irq_thread *t, const struct tuning_value *v)
{
	switch (t->what.kind) {
	case KTHREAD_IRQ:
		return v->policy == SCHED_FIFO &&
		       (v->priority == IRQ_PRIORITY || v->priority == IRQ_PRIORITY - 1);
	case KTHREAD_KTIMERS:
	case KTHREAD_RCU:
	case KTHREAD_IRQ_WORK:
		return v->policy == SCHED_OTHER ||
		       (v->policy == SCHED_FIFO && v->priority == LOW_PRIORITY);
	default:
		return v->policy == SCHED_OTHER;
	}
}

bool irq_default_affinity(const char *root, bool is_line, const struct tuning_value *v,
			  const struct tuning_value *ours)
{
	cpu_set_t online, now, set, both;

	if (!v->affinity || !ours->affinity || cpulist_parse(v->affinity, NULL, &now, NULL) < 0 ||
	    cpulist_parse(ours->affinity, NULL, &set, NULL) < 0 ||
	    cpulist_online(root, &online) < 0)
		return false;
	CPU_AND(&both, &now, &online);
	if (CPU_EQUAL(&both, &online))
		return true;
	CPU_AND(&both, &now, &set);
	return is_line && CPU_COUNT(&both) == 0;
}
