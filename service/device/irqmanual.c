/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What is set by hand is a rule that only one thread or line matches, between a plan's rules and
 * those of irq.d. A call changes the rule, looks what would follow, and only then lets it follow:
 * all of what was asked for, or nothing.
 */
#include "irqpolicy-internal.h"

#include "kthread.h"
#include "message.h"
#include "policy.h"
#include "rule.h"
#include "tuning.h"
#include <errno.h>
#include <inttypes.h>

/* The rule */

static struct rule *rule_new(void)
{
	struct rule *r = g_new0(struct rule, 1);

	r->policy = r->priority = -1;
	return r;
}

/* g_ptr_array_unref(); of one rule, @old's or an empty one. */
static GPtrArray *hand_rules(const struct irq_hand *old)
{
	GPtrArray *rules = old ? rules_copy(old->rules) : rules_new();

	if (rules->len == 0)
		g_ptr_array_add(rules, rule_new());
	return rules;
}

static void hand_put(struct irqpolicy *p, const struct tuning_subject *s, GPtrArray *rules)
{
	struct irq_hand *h = g_new0(struct irq_hand, 1);

	tuning_subject_copy(s, &h->subject);
	h->rules = rules;
	g_hash_table_replace(p->hands, irq_key(s, -1), h);
}

static const struct irq_hand *hand_find(const struct irqpolicy *p, const struct tuning_subject *s)
{
	g_autofree char *key = irq_key(s, -1);

	return g_hash_table_lookup(p->hands, key);
}

/* As it was before a call that came to nothing; @rules NULL: there was none. */
static void hand_take_back(struct irqpolicy *p, const struct tuning_subject *s, GPtrArray *rules)
{
	g_autofree char *key = irq_key(s, -1);

	if (rules)
		hand_put(p, s, rules);
	else
		g_hash_table_remove(p->hands, key);
}

static void rule_name(struct rule *r, uid_t caller)
{
	g_free(r->name);
	r->name = g_strdup_printf("set by user %u", (unsigned)caller);
}

/* What is asked for */

static int wish_check(const struct irq_wish *w, char **ret_message)
{
	if (!w->has_policy && !w->has_priority && !w->has_nice && !w->has_affinity)
		return message_fail(ret_message, -EINVAL, "Nothing is asked for.");
	if (w->has_policy && !policy_is_ordinary(w->policy) && !policy_is_realtime(w->policy))
		return message_fail(ret_message, -EINVAL,
				    "The policy can be other, batch, idle, fifo or rr.");
	if (w->has_priority && (w->priority < 0 || w->priority > 99))
		return message_fail(ret_message, -EINVAL,
				    "The priority %d is not from 1 to 99 (0 with other, batch and "
				    "idle).",
				    w->priority);
	if (w->has_policy && w->has_priority && policy_is_realtime(w->policy) != (w->priority > 0))
		return message_fail(ret_message, -EINVAL, "Policy %s does not go with priority %d.",
				    policy_to_string(w->policy), w->priority);
	if (w->has_nice && (w->nice < -20 || w->nice > 19))
		return message_fail(ret_message, -EINVAL,
				    "The nice value %d is not from -20 to 19.", w->nice);
	return 0;
}

/* As chrt does: what is not given of policy and priority is what the thread has. */
static void wish_into_policy(const struct irq_wish *w, const struct irq_thread *t, struct rule *r)
{
	if (!w->has_policy && !w->has_priority)
		return;
	r->policy = w->has_policy ? w->policy : t->policy;
	r->priority = w->has_priority ? w->priority : (int)t->priority;
	if (policy_is_ordinary(r->policy))
		r->priority = -1;
	r->reset_on_fork = w->reset_on_fork;
	r->override = w->override;
}

static int wish_into_rule(const struct irq_wish *w, const struct irq_thread *t, struct rule *r,
			  char **ret_message)
{
	if (w->has_affinity && t->what.kind == KTHREAD_IRQ)
		return message_fail(ret_message, -EINVAL,
				    "%s runs where interrupt line %d is delivered: set the line's "
				    "affinity.",
				    t->name, t->what.irq);
	if (w->has_priority && !w->has_policy && w->priority > 0 && !policy_is_realtime(t->policy))
		return message_fail(ret_message, -EINVAL,
				    "%s has policy %s, which has no priority: give policy fifo or "
				    "rr as well.",
				    t->name, policy_to_string(t->policy) ?: "unknown");
	if (w->has_priority && !w->has_policy && w->priority == 0 && policy_is_realtime(t->policy))
		return message_fail(ret_message, -EINVAL,
				    "%s has policy %s, whose priority is from 1 to 99.", t->name,
				    policy_to_string(t->policy));
	if (w->has_policy && !w->has_priority && policy_is_realtime(w->policy) && t->priority == 0)
		return message_fail(ret_message, -EINVAL,
				    "Policy %s needs a priority from 1 to 99: %s has none.",
				    policy_to_string(w->policy), t->name);
	wish_into_policy(w, t, r);
	if (w->has_nice) {
		r->has_nice = true;
		r->nice = w->nice;
	}
	if (w->has_affinity) {
		g_free(r->affinity);
		r->affinity = g_strdup(w->affinity);
		r->override |= w->override;
	}
	return 0;
}

/* Whether it would be, and how it went */

static bool aim_is_of(const struct irq_aim *aim, const struct tuning_subject *s)
{
	return tuning_subject_equal(&aim->subject, s);
}

static int aim_trouble(const struct irq_aim *aim, char **ret_message)
{
	if (aim->kind == IRQ_AIM_CANNOT || aim->kind == IRQ_AIM_REFUSED) {
		*ret_message = g_strdup(aim->message);
		return aim->kind == IRQ_AIM_CANNOT ? -EINVAL : -EKEYREJECTED;
	}
	if (aim->error == 0)
		return 0;
	*ret_message = aim->change ? g_strdup(aim->change->message)
				   : g_strdup_printf("%s has ended.", aim->subject.name);
	return aim->error == -ESRCH ? -ENODEV : aim->error;
}

/* Only attributes that the call is about: others of the thread may have been refused long ago. */
static int run_trouble(const struct irq_run *run, const struct tuning_subject *s,
		       const bool asked[TUNING_ATTRIBUTES], char **ret_message)
{
	int r = 0;

	for (guint i = 0; i < run->aims->len && r >= 0; i++) {
		const struct irq_aim *aim = run->aims->pdata[i];

		if (!aim_is_of(aim, s) || !asked[aim->attribute])
			continue;
		if (aim->plan)
			return message_fail(ret_message, -EBUSY,
					    "The plan of the session that measures sets this (rule "
					    "%s): wait for its end, or stop it.",
					    aim->by);
		r = aim_trouble(aim, ret_message);
	}
	return r;
}

static int irqmanual_may_set(const struct irqpolicy *p, char **ret_message)
{
	const char *why = irqpolicy_why_not(p);

	return why ? message_fail(ret_message, -EPERM, "Nothing can be set here: %s", why) : 0;
}

/* @rules: by hand from now on; taken. */
static int irqmanual_set(struct irqpolicy *p, const struct tuning_subject *s, GPtrArray *rules,
			 const bool asked[TUNING_ATTRIBUTES], GPtrArray **ret_changes,
			 char **ret_message)
{
	const struct irq_hand *old = hand_find(p, s);
	GPtrArray *earlier = old ? rules_copy(old->rules) : NULL;
	struct irq_run would, run = { 0 };
	int r;

	hand_put(p, s, rules);
	r = irqpolicy_run_one(p, s, asked, IRQ_RUN_DRY | IRQ_RUN_INSIST, &would);
	if (r >= 0)
		r = run_trouble(&would, s, asked, ret_message);
	irq_run_done(&would);
	if (r >= 0)
		r = irqpolicy_run_one(p, s, asked, IRQ_RUN_INSIST, &run);
	if (r >= 0)
		r = run_trouble(&run, s, asked, ret_message);
	if (r >= 0) {
		*ret_changes = g_steal_pointer(&run.changes);
		g_clear_pointer(&earlier, g_ptr_array_unref);
		irq_run_done(&run);
		return 0;
	}
	hand_take_back(p, s, earlier);
	if (run.aims) { /* some of it was done */
		irq_run_done(&run);
		/* its trouble is in the next list */
		(void)irqpolicy_run_one(p, s, asked, 0, &run);
	}
	irq_run_done(&run);
	if (!*ret_message)
		*ret_message = g_strdup_printf("The table of interrupts cannot be read: %s.",
					       g_strerror(-r));
	return r;
}

/* Threads */

/* One that no rule may name: why. */
static int irqmanual_refuse_thread(const struct irqpolicy *p, pid_t tid, uint64_t start_ticks,
				   char **ret_message)
{
	struct irq_thread t;
	int r;

	r = irqtable_read_thread(p->root, tid, &t);
	if (r < 0 || t.start_ticks != start_ticks) {
		if (r >= 0)
			irq_thread_done(&t);
		return message_fail(ret_message, -ENODEV, "There is no kernel thread %d any more.",
				    (int)tid);
	}
	(void)message_fail(
		ret_message, -EKEYREJECTED,
		t.what.kind == KTHREAD_PROTECTED
			? "%s keeps the machine alive: it is never touched."
			: "%s is no thread that interrupts are handled in: it is left alone.",
		t.name);
	irq_thread_done(&t);
	return -EKEYREJECTED;
}

static int irqmanual_find_thread(struct irqpolicy *p, pid_t tid, uint64_t start_ticks,
				 struct irq_table **ret_table, struct irq_thread **ret,
				 char **ret_message)
{
	struct irq_table *table;
	struct irq_thread *t;
	int r;

	r = irqtable_read(p->root, &table);
	if (r < 0)
		return message_fail(ret_message, r, "The table of interrupts cannot be read: %s.",
				    g_strerror(-r));
	t = irqtable_thread(table, tid);
	if (!t || t->start_ticks != start_ticks) {
		irqtable_free(table);
		return irqmanual_refuse_thread(p, tid, start_ticks, ret_message);
	}
	*ret_table = table;
	*ret = t;
	return 0;
}

int irqpolicy_set_thread(struct irqpolicy *p, pid_t tid, uint64_t start_ticks,
			 const struct irq_wish *wish, uid_t caller, GPtrArray **ret_changes,
			 char **ret_message)
{
	const bool asked[TUNING_ATTRIBUTES] = {
		[TUNING_POLICY] = wish->has_policy || wish->has_priority,
		[TUNING_NICE] = wish->has_nice,
		[TUNING_AFFINITY] = wish->has_affinity,
	};
	struct tuning_subject s = { 0 };
	struct irq_table *table = NULL;
	struct irq_thread *t = NULL;
	GPtrArray *rules = NULL;
	int r;

	r = irqmanual_may_set(p, ret_message);
	if (r >= 0)
		r = wish_check(wish, ret_message);
	if (r >= 0)
		r = irqmanual_find_thread(p, tid, start_ticks, &table, &t, ret_message);
	if (r >= 0) {
		tuning_subject_of_thread(t, &s);
		rules = hand_rules(hand_find(p, &s));
		rule_name(rules->pdata[0], caller);
		r = wish_into_rule(wish, t, rules->pdata[0], ret_message);
	}
	if (r >= 0)
		r = irqmanual_set(p, &s, g_steal_pointer(&rules), asked, ret_changes, ret_message);
	g_clear_pointer(&rules, g_ptr_array_unref);
	g_clear_pointer(&table, irqtable_free);
	tuning_subject_done(&s);
	return r;
}

/* Lines */

static int irqmanual_find_line(struct irqpolicy *p, unsigned irq, struct tuning_subject *ret,
			       char **ret_message)
{
	struct irq_table *table;
	struct irq_line *l;
	int r;

	r = irqtable_read(p->root, &table);
	if (r < 0)
		return message_fail(ret_message, r, "The table of interrupts cannot be read: %s.",
				    g_strerror(-r));
	l = irqtable_line(table, irq);
	if (l)
		tuning_subject_of_line(l, ret);
	else
		r = message_fail(ret_message, -ENODEV, "There is no interrupt line %u.", irq);
	irqtable_free(table);
	return r;
}

int irqpolicy_set_line(struct irqpolicy *p, unsigned irq, const char *cpus, uid_t caller,
		       GPtrArray **ret_changes, char **ret_message)
{
	static const bool asked[TUNING_ATTRIBUTES] = { [TUNING_AFFINITY] = true };
	g_autofree char *list = NULL;
	struct tuning_subject s = { 0 };
	GPtrArray *rules;
	struct rule *rule;
	int r;

	r = irqmanual_may_set(p, ret_message);
	if (r >= 0 && tuning_affinity_resolve(p->root, cpus, &list, ret_message) < 0)
		r = -EINVAL;
	if (r >= 0)
		r = irqmanual_find_line(p, irq, &s, ret_message);
	if (r < 0)
		return r;
	rules = hand_rules(hand_find(p, &s));
	rule = rules->pdata[0];
	rule_name(rule, caller);
	g_free(rule->affinity);
	rule->affinity = g_steal_pointer(&list);
	r = irqmanual_set(p, &s, rules, asked, ret_changes, ret_message);
	tuning_subject_done(&s);
	return r;
}

/* Undo */

static int irqmanual_undo(struct irqpolicy *p, const struct tuning_subject *s,
			  GPtrArray **ret_changes, char **ret_message)
{
	struct irq_run run;
	int r;

	hand_take_back(p, s, NULL);
	r = irqpolicy_run_one(p, s, NULL, 0, &run);
	if (r >= 0)
		*ret_changes = g_steal_pointer(&run.changes);
	else
		*ret_message = g_strdup_printf("The table of interrupts cannot be read: %s.",
					       g_strerror(-r));
	irq_run_done(&run);
	return r;
}

int irqpolicy_restore_thread(struct irqpolicy *p, pid_t tid, uint64_t start_ticks,
			     GPtrArray **ret_changes, char **ret_message)
{
	struct irq_table *table = NULL;
	struct irq_thread *t = NULL;
	struct tuning_subject s;
	int r;

	r = irqmanual_may_set(p, ret_message);
	if (r >= 0)
		r = irqmanual_find_thread(p, tid, start_ticks, &table, &t, ret_message);
	if (r < 0)
		return r;
	tuning_subject_of_thread(t, &s);
	irqtable_free(table);
	r = irqmanual_undo(p, &s, ret_changes, ret_message);
	tuning_subject_done(&s);
	return r;
}

int irqpolicy_restore_line(struct irqpolicy *p, unsigned irq, GPtrArray **ret_changes,
			   char **ret_message)
{
	struct tuning_subject s = { 0 };
	int r;

	r = irqmanual_may_set(p, ret_message);
	if (r >= 0)
		r = irqmanual_find_line(p, irq, &s, ret_message);
	if (r >= 0)
		r = irqmanual_undo(p, &s, ret_changes, ret_message);
	tuning_subject_done(&s);
	return r;
}
