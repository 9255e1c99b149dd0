/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Guards look at the table as it will be, with all changes in it: to raise rcu and ksoftirqd
 * together is one step, though each alone might be refused. The changes are then made in an order
 * that is safe at each step: what has to be on top goes up first and comes down last. When one of
 * them fails all the same, those that follow are looked at again.
 *
 * Whatever is put back is not asked of the guards: it was there before us. But a value of ours that
 * would be forbidden beside it goes back too. And what is refused is nobody's wish: a value that an
 * earlier rule had set does not stay in its place.
 */
#include "irqapply.h"

#include "guard.h"
#include "irqdrift.h"
#include "rule.h"
#include "tuning.h"
#include <errno.h>

struct apply {
	const struct irqapply *in;
	bool dry;
	pid_t irqbalance; /* 0: does not run; -1: not looked for yet */
	bool failed;	  /* a change was not made: the table is not as it should be */
	GPtrArray *changes;
};

/* The table as it will be */

static void aim_put_in_table(const struct irq_aim *aim, const struct tuning_value *v)
{
	if (!aim->thread)
		return;
	if (aim->attribute == TUNING_POLICY) {
		aim->thread->policy = v->policy;
		aim->thread->priority = v->priority;
	} else if (aim->attribute == TUNING_NICE) {
		aim->thread->nice = v->nice;
	}
}

/* @now: what @aim's thread has while the table says what it will have; NULL: it has it already. */
static int apply_guard(const struct apply *a, const struct irq_aim *aim,
		       const struct tuning_value *now, unsigned overrides, char **ret_message)
{
	const struct guard guard = {
		.table = a->in->table,
		.measuring_priority = a->in->measuring_priority,
		.now = now,
	};

	if (!aim->thread)
		return 0;
	return guard_check(&guard, aim->thread, aim->attribute, &aim->want,
			   aim->override | overrides, ret_message);
}

/* What is there was set by us, and is not what was there before. */
static bool aim_is_ours(const struct irq_aim *aim)
{
	return aim->entry && irq_entry_holds(aim->entry, &aim->is) &&
	       !tuning_value_equal(aim->attribute, &aim->is, &aim->entry->old);
}

/* What it will be. */
static const struct tuning_value *aim_goal(const struct irq_aim *aim)
{
	switch (aim->kind) {
	case IRQ_AIM_SET:
	case IRQ_AIM_PUT_BACK:
		return &aim->want;
	case IRQ_AIM_CANNOT:
	case IRQ_AIM_REFUSED:
		return aim_is_ours(aim) ? &aim->entry->old : &aim->is;
	default:
		return &aim->is;
	}
}

/* In the table already, and forbidden there. */
static void aim_refuse(struct irq_aim *aim, char *message)
{
	aim->kind = IRQ_AIM_REFUSED;
	aim_put_in_table(aim, aim_goal(aim));
	g_free(aim->message);
	aim->message = message;
}

/* Ours, and forbidden beside what changes now. What was there before the measuring may stay. */
static bool apply_guard_kept(const struct apply *a, struct irq_aim *aim)
{
	g_autofree char *message = NULL;

	if (aim->kind != IRQ_AIM_KEEP || !aim->thread || aim->attribute != TUNING_POLICY ||
	    !aim_is_ours(aim) || apply_guard(a, aim, NULL, OVERRIDE_MEASURING, &message) >= 0)
		return false;
	aim->kind = IRQ_AIM_PUT_BACK;
	irq_value_replace(&aim->want, &aim->entry->old);
	aim->message = g_steal_pointer(&message);
	aim_put_in_table(aim, &aim->want);
	return true;
}

static bool apply_guard_set(const struct apply *a, struct irq_aim *aim)
{
	char *message = NULL;

	if (aim->kind != IRQ_AIM_SET || apply_guard(a, aim, &aim->is, 0, &message) >= 0)
		return false;
	aim_refuse(aim, message);
	return true;
}

static bool apply_guard_each(const struct apply *a, GPtrArray *aims,
			     bool (*guard)(const struct apply *a, struct irq_aim *aim))
{
	bool any = false;

	for (guint i = 0; i < aims->len; i++)
		any |= guard(a, aims->pdata[i]);
	return any;
}

/*
 * Each refusal changes the table for the others: until there is none. Who moves is asked first:
 * what stays as it is makes way only for what was there before us.
 */
static void apply_guards(const struct apply *a, GPtrArray *aims)
{

	for (guint i = 0; i < aims->len; i++)
		aim_put_in_table(aims->pdata[i], aim_goal(aims->pdata[i]));
	while (apply_guard_each(a, aims, apply_guard_set) ||
	       apply_guard_each(a, aims, apply_guard_kept))
		;
}

/* Order */

/* How far up a thread of the kernel's own has to be: irq_work over rcu over softirqs. */
static int aim_height(const struct irq_aim *aim)
{
	switch (aim->thread ? aim->thread->what.kind : KTHREAD_OTHER) {
	case KTHREAD_IRQ_WORK:
		return 2;
	case KTHREAD_RCU:
		return 1;
	default:
		return 0;
	}
}

static int policy_height(const struct tuning_value *v)
{
	return (int)v->priority; /* 0 for other, batch, idle, among which nothing is at stake */
}

static int aim_turn(const struct irq_aim *aim)
{
	bool raises = policy_height(aim_goal(aim)) >= policy_height(&aim->is);

	if (aim->attribute != TUNING_POLICY)
		return 6;
	return raises ? 2 - aim_height(aim) : 3 + aim_height(aim);
}

static gint aim_compare_turns(gconstpointer x, gconstpointer y)
{
	const struct irq_aim *a = *(struct irq_aim *const *)x;
	const struct irq_aim *b = *(struct irq_aim *const *)y;

	return aim_turn(a) - aim_turn(b);
}

/* What came of it */

static void apply_tell(struct apply *a, struct irq_aim *aim, enum irq_outcome outcome,
		       char *message)
{
	struct irq_change *c = irq_aim_tell(aim, outcome, message);

	aim->change = c;
	g_ptr_array_add(a->changes, c);
}

static void apply_in_force(const struct apply *a, const struct irq_aim *aim)
{
	if (a->in->in_force)
		a->in->in_force(aim, a->in->userdata);
}

static void apply_forget(const struct apply *a, struct irq_aim *aim)
{
	if (!a->dry)
		/* when that cannot be written, the next start finds it put back already */
		(void)journal_forget(a->in->journal, &aim->subject, aim->attribute);
	aim->entry = NULL;
	aim->by = NULL;
}

static void apply_tell_drift(struct apply *a, struct irq_aim *aim)
{
	if (aim->attribute == TUNING_AFFINITY && a->irqbalance < 0)
		a->irqbalance = irqbalance_find("/");
	apply_tell(a, aim, IRQ_DRIFTED, irq_drift_sentence(aim, a->irqbalance));
}

static void apply_tell_refused(struct apply *a, struct irq_aim *aim, int error, char *message)
{
	a->failed = true;
	aim->error = error;
	aim_put_in_table(aim, &aim->is);
	apply_tell(a, aim, IRQ_REFUSED, message);
}

/* The kernel's no, which is not asked for again until somebody has changed something. */
static void apply_note_refused(const struct apply *a, const struct irq_aim *aim,
			       const char *message)
{
	if (a->in->refused)
		g_hash_table_replace(a->in->refused, irq_key(&aim->subject, (int)aim->attribute),
				     g_strdup(message));
}

static const char *apply_refused_before(const struct apply *a, const struct irq_aim *aim)
{
	g_autofree char *key = irq_key(&aim->subject, (int)aim->attribute);

	return a->in->refused ? g_hash_table_lookup(a->in->refused, key) : NULL;
}

/* Changes */

/* The journal may have forgotten it. */
static void apply_find_entry(const struct apply *a, struct irq_aim *aim)
{
	aim->entry = journal_find(a->in->journal, &aim->subject, aim->attribute);
}

/* After a crash between the journal's "will" and its "did": which of both is there is known now. */
static void apply_settle_entry(const struct apply *a, struct irq_aim *aim)
{
	const struct tuning_entry *e = aim->entry;

	if (!e || e->sure || a->dry)
		return;
	/* it stays unsure, and right, when that cannot be written */
	if (tuning_value_equal(aim->attribute, &aim->is, &e->new))
		(void)journal_did(a->in->journal, &aim->subject, aim->attribute);
	else
		(void)journal_wont(a->in->journal, &aim->subject, aim->attribute);
	apply_find_entry(a, aim);
}

/* A change that was announced and not made. */
static void apply_take_back(const struct apply *a, struct irq_aim *aim,
			    const struct tuning_value *now, int error)
{
	g_autofree char *message = NULL;

	if (error == -EBADE && /* the kernel made something else of it */
	    tuning_set(&aim->subject, aim->attribute, now, &message) < 0)
		return; /* announced, not confirmed: either value is ours, should it turn up */
	if (error == -ESRCH)
		(void)journal_forget(a->in->journal, &aim->subject, aim->attribute);
	else
		(void)journal_wont(a->in->journal, &aim->subject, aim->attribute);
	apply_find_entry(a, aim);
}

/* @now: what is there, read just before. */
static int apply_change(const struct apply *a, struct irq_aim *aim, const struct tuning_value *now,
			char **ret_message)
{
	int r;

	r = journal_will(a->in->journal, &aim->subject, aim->attribute, now, &aim->want, aim->by);
	if (r < 0) {
		*ret_message = g_strdup_printf("Nothing is changed, because the old value could "
					       "not be written down: %s.",
					       g_strerror(-r));
		return r;
	}
	r = tuning_set(&aim->subject, aim->attribute, &aim->want, ret_message);
	if (r == -EBADE) { /* the kernel's own start of a new thread may have come in between */
		g_clear_pointer(ret_message, g_free);
		r = tuning_set(&aim->subject, aim->attribute, &aim->want, ret_message);
	}
	if (r < 0) {
		apply_take_back(a, aim, now, r);
		return r;
	}
	/* without its "did" the next start takes either value for ours, which is right too */
	(void)journal_did(a->in->journal, &aim->subject, aim->attribute);
	return 0;
}

/* Between the table and now it became somebody else's. */
static bool apply_too_late(const struct irq_aim *aim, const struct tuning_value *now)
{
	return aim->entry && !tuning_value_equal(aim->attribute, now, &aim->is);
}

static void apply_drifted_now(struct apply *a, struct irq_aim *aim, const struct tuning_value *now)
{
	irq_value_replace(&aim->ours, &aim->is);
	irq_value_replace(&aim->is, now);
	aim_put_in_table(aim, &aim->is);
	a->failed = true;
	apply_tell_drift(a, aim);
}

/* Between the table and now it became somebody else's, or went away. */
static bool apply_put_back_too_late(struct apply *a, struct irq_aim *aim)
{
	struct tuning_value now = { 0 };
	bool late;

	if (tuning_get(&aim->subject, aim->attribute, &now) < 0)
		return false; /* setting it says why */
	late = !tuning_value_equal(aim->attribute, &now, &aim->is);
	if (late) {
		aim->kind = IRQ_AIM_LEAVE;
		apply_drifted_now(a, aim, &now);
		apply_forget(a, aim);
	}
	tuning_value_done(&now);
	return late;
}

static void apply_put_back(struct apply *a, struct irq_aim *aim)
{
	char *message = NULL;
	int r;

	if (a->dry) {
		apply_tell(a, aim, IRQ_WOULD, NULL);
		return;
	}
	if (apply_put_back_too_late(a, aim))
		return;
	r = tuning_set(&aim->subject, aim->attribute, &aim->want, &message);
	if (r == -ESRCH) {
		g_free(message);
		apply_forget(a, aim);
	} else if (r < 0) {
		/* kept in the journal: the next occasion, or the next start, tries again */
		apply_tell_refused(a, aim, r, message);
	} else {
		apply_tell(a, aim, IRQ_PUT_BACK, NULL);
		apply_forget(a, aim);
	}
}

/*
 * Before the refusal is told, which then says what is there. In the middle of a run that failed the
 * order is lost: then only what is safe beside what is there now, and the next run does the rest.
 */
static void apply_put_back_ours(struct apply *a, struct irq_aim *aim)
{
	struct irq_aim *back;

	if (!aim_is_ours(aim))
		return;
	back = irq_aim_new(aim->thread, aim->line, aim->attribute);
	back->kind = IRQ_AIM_PUT_BACK;
	back->entry = aim->entry;
	back->by = aim->entry->by;
	irq_value_replace(&back->is, &aim->is);
	irq_value_replace(&back->want, &aim->entry->old);
	if (!a->failed || apply_guard(a, back, &back->is, OVERRIDE_MEASURING, &back->message) >= 0)
		apply_put_back(a, back);
	if (!back->entry) { /* so it is done */
		aim->entry = NULL;
		irq_value_replace(&aim->is, back->kind == IRQ_AIM_LEAVE ? &back->is : &back->want);
	}
	irq_aim_free(back);
}

static void apply_failed(struct apply *a, struct irq_aim *aim, int r, char *message)
{
	if (r == -ESRCH) { /* it has ended, and what was to be done with it */
		g_free(message);
		aim->error = r;
		a->failed = true;
		return;
	}
	apply_note_refused(a, aim, message);
	a->failed = true;
	apply_put_back_ours(a, aim);
	apply_tell_refused(a, aim, r, message);
}

static void apply_set(struct apply *a, struct irq_aim *aim)
{
	const char *before = apply_refused_before(a, aim);
	struct tuning_value now = { 0 };
	char *message = NULL;
	int r;

	if (a->failed && apply_guard(a, aim, &aim->is, 0, &message) < 0) {
		apply_put_back_ours(a, aim);
		apply_tell_refused(a, aim, -EKEYREJECTED, message);
		return;
	}
	if (before) {
		apply_tell_refused(a, aim, -EIO, g_strdup(before));
		return;
	}
	r = tuning_get(&aim->subject, aim->attribute, &now);
	if (r < 0) {
		message = g_strdup_printf("What is there now cannot be read: %s.", g_strerror(-r));
	} else if (apply_too_late(aim, &now)) {
		apply_drifted_now(a, aim, &now);
		tuning_value_done(&now);
		return;
	} else {
		r = apply_change(a, aim, &now, &message);
	}
	tuning_value_done(&now);
	if (r < 0) {
		apply_failed(a, aim, r, message);
		return;
	}
	apply_tell(a, aim, IRQ_SET, NULL);
	apply_in_force(a, aim);
}

static void apply_one(struct apply *a, struct irq_aim *aim)
{
	switch (aim->kind) {
	case IRQ_AIM_KEEP:
		apply_settle_entry(a, aim);
		apply_in_force(a, aim);
		break;
	case IRQ_AIM_SET:
		if (a->dry)
			apply_tell(a, aim, IRQ_WOULD, NULL);
		else
			apply_set(a, aim);
		break;
	case IRQ_AIM_PUT_BACK:
		apply_put_back(a, aim);
		break;
	case IRQ_AIM_FORGET:
		apply_forget(a, aim);
		break;
	case IRQ_AIM_DRIFT:
		apply_tell_drift(a, aim);
		break;
	case IRQ_AIM_LEAVE:
		apply_tell_drift(a, aim);
		apply_forget(a, aim);
		break;
	case IRQ_AIM_CANNOT:
	case IRQ_AIM_REFUSED:
		apply_put_back_ours(a, aim);
		apply_tell(a, aim, IRQ_REFUSED, NULL);
		break;
	}
}

static struct apply apply_begin(const struct irqapply *in)
{
	return (struct apply){
		.in = in,
		.dry = in->dry || !in->journal,
		.irqbalance = -1,
	};
}

void irqapply_guards(const struct irqapply *in, GPtrArray *aims)
{
	const struct apply a = apply_begin(in);

	apply_guards(&a, aims);
}

GPtrArray *irqapply(const struct irqapply *in, GPtrArray *aims)
{
	struct apply a = apply_begin(in);

	a.changes = g_ptr_array_new_with_free_func((GDestroyNotify)irq_change_free);
	apply_guards(&a, aims);
	g_ptr_array_sort(aims, aim_compare_turns);
	for (guint i = 0; i < aims->len; i++)
		apply_one(&a, aims->pdata[i]);
	return a.changes;
}
