/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Why these: softirqs run rcu callbacks and the timers that end grace periods, rcu threads wait for
 * interrupt work to wake them. With the order turned around, a busy one above keeps the one it
 * waits for from running, and the machine stands still with both waiting.
 *
 * One table of pairs for both sides: "a above b" comes about by raising a as well as by lowering b,
 * and is refused either way, to whoever moves.
 */
#include "guard.h"

#include "message.h"
#include "policy.h"
#include "tuning.h"

#include <errno.h>
#include <limits.h>

static const struct guard_pair {
	enum kthread_kind upper, lower; /* upper may not be above lower */
	enum rule_override override;
	const char *word, *why;
} guard_pairs[] = {
	{ KTHREAD_KSOFTIRQD, KTHREAD_RCU, OVERRIDE_SOFTIRQ, "softirq",
	  "a busy softirq thread then keeps rcu from running, which in the end holds up "
	  "everything" },
	{ KTHREAD_KTIMERS, KTHREAD_RCU, OVERRIDE_SOFTIRQ, "softirq",
	  "a busy timer thread then keeps rcu from running, which in the end holds up everything" },
	{ KTHREAD_RCU, KTHREAD_IRQ_WORK, OVERRIDE_RCU, "rcu",
	  "rcu waits for interrupt work, which then cannot run while rcu is busy" },
};

/* Who runs before whom: 0 of ordinary policies, 1..99, deadline above all. */
static int guard_rank(int policy, unsigned priority)
{
	if (policy == SCHED_DEADLINE)
		return INT_MAX;
	return policy_is_realtime(policy) ? (int)priority : 0;
}

static char *guard_format(int policy, unsigned priority)
{
	const struct tuning_value v = { .policy = policy, .priority = priority };

	return tuning_value_format(TUNING_POLICY, &v);
}

static int guard_refuse_pair(const struct guard_pair *p, const struct irq_thread *t,
			     const struct tuning_value *v, const struct irq_thread *other,
			     char **ret_message)
{
	g_autofree char *mine = guard_format(v->policy, v->priority);
	g_autofree char *its = guard_format(other->policy, other->priority);
	bool above = t->what.kind == p->upper;

	return message_fail(ret_message, -EKEYREJECTED,
			    "%s (thread %d) at %s would be %s %s (thread %d) at %s: %s. Give them "
			    "the same priority, or set this aside with the override \"%s\".",
			    t->name, t->tid, mine, above ? "above" : "below", other->name,
			    other->tid, its, p->why, p->word);
}

/* The first of the pair's other kind that @t, at @rank, would be on the wrong side of. */
static const struct irq_thread *guard_find(const struct guard *g, const struct guard_pair *p,
					   const struct irq_thread *t, int rank)
{
	bool above = t->what.kind == p->upper;

	for (guint i = 0; i < g->table->threads->len; i++) {
		const struct irq_thread *other = g_ptr_array_index(g->table->threads, i);
		int its = guard_rank(other->policy, other->priority);

		if (other->tid != t->tid && other->what.kind == (above ? p->lower : p->upper) &&
		    (above ? rank > its : rank < its))
			return other;
	}
	return NULL;
}

static int guard_check_pair(const struct guard *g, const struct guard_pair *p,
			    const struct irq_thread *t, const struct tuning_value *v,
			    char **ret_message)
{
	int rank = guard_rank(v->policy, v->priority);
	const struct irq_thread *other;
	int was;

	if (t->what.kind != p->upper && t->what.kind != p->lower)
		return 0;
	if (g->now) {
		was = guard_rank(g->now->policy, g->now->priority);
		/* not moving towards it: if it is so, it was before */
		if (t->what.kind == p->upper ? rank <= was : rank >= was)
			return 0;
	}
	other = guard_find(g, p, t, rank);
	return other ? guard_refuse_pair(p, t, v, other, ret_message) : 0;
}

static int guard_check_measuring(const struct guard *g, const struct irq_thread *t,
				 const struct tuning_value *v, char **ret_message)
{
	int rank = guard_rank(v->policy, v->priority);
	g_autofree char *wanted = NULL;

	if (g->measuring_priority <= 0 || rank < g->measuring_priority)
		return 0;
	if (g->now && rank <= guard_rank(g->now->policy, g->now->priority))
		return 0;
	wanted = guard_format(v->policy, v->priority);
	return message_fail(ret_message, -EKEYREJECTED,
			    "%s (thread %d) at %s would not wait for the measuring threads (fifo "
			    "%d), whose figures would then show it instead of the machine. Choose "
			    "a priority below, or set this aside with the override \"measuring\".",
			    t->name, t->tid, wanted, g->measuring_priority);
}

static int guard_check_policy(const struct guard *g, const struct irq_thread *t,
			      const struct tuning_value *v, unsigned overrides, char **ret_message)
{
	int r = 0;

	if (v->policy == SCHED_DEADLINE)
		return message_fail(ret_message, -EKEYREJECTED,
				    "%s (thread %d) cannot get the policy deadline, which would "
				    "put it before everything.",
				    t->name, t->tid);
	for (size_t i = 0; i < G_N_ELEMENTS(guard_pairs) && r >= 0; i++)
		if (!(overrides & guard_pairs[i].override))
			r = guard_check_pair(g, &guard_pairs[i], t, v, ret_message);
	if (r >= 0 && !(overrides & OVERRIDE_MEASURING))
		r = guard_check_measuring(g, t, v, ret_message);
	return r;
}

int guard_check(const struct guard *g, const struct irq_thread *t, enum tuning_attribute a,
		const struct tuning_value *v, unsigned overrides, char **ret_message)
{
	if (t->what.kind == KTHREAD_PROTECTED)
		return message_fail(ret_message, -EKEYREJECTED,
				    "%s (thread %d) is never touched: the machine depends on it "
				    "as the kernel made it.",
				    t->name, t->tid);
	if (t->policy == SCHED_DEADLINE || (g->now && g->now->policy == SCHED_DEADLINE))
		return message_fail(ret_message, -EKEYREJECTED,
				    "%s (thread %d) has the policy deadline and is never touched: "
				    "its runtime and period could not be put back.",
				    t->name, t->tid);
	if (a == TUNING_AFFINITY && t->bound)
		return message_fail(ret_message, -EKEYREJECTED,
				    "%s (thread %d) is bound to its CPUs by the kernel: it has no "
				    "affinity to set.",
				    t->name, t->tid);
	return a == TUNING_POLICY ? guard_check_policy(g, t, v, overrides, ret_message) : 0;
}
