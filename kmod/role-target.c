// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Answers each interrupt: in the handler, from a kernel thread that the handler wakes, or from a
 * thread of user space that waits in LRTBF_WAIT. What it records is the way from the handler to the
 * answer, the part of the logger's figure that begins where interrupt latency ends.
 *
 * Whoever waits in LRTBF_WAIT is woken as a task and not through a wait queue: in hard interrupt
 * context on PREEMPT_RT a queue cannot be, and there is only one. It is alive while it is woken
 * under run->raw, which it takes before it leaves. The end of a run takes it out, so that it knows
 * a run that was started meanwhile for another one.
 */
#include <linux/delay.h>
#include <linux/sched/signal.h>

#include "lrtbf.h"

static int target_check(const struct lrtbf_setup *setup)
{
	switch (setup->answer) {
	case LRTBF_ANSWER_HANDLER:
	case LRTBF_ANSWER_KTHREAD:
	case LRTBF_ANSWER_USER:
		return setup->receive ? -EINVAL : 0;
	default:
		return -EINVAL;
	}
}

static bool target_needs_irq(const struct lrtbf_setup *setup)
{
	return true;
}

static bool target_needs_thread(const struct lrtbf_setup *setup)
{
	return setup->answer == LRTBF_ANSWER_KTHREAD;
}

/* The answer to the interrupt of @event_ns. */
static void target_give(struct lrtbf_run *run, u64 event_ns)
{
	u64 now_ns;

	lrtbf_port_ready(run);
	lrtbf_port_edge(run);
	now_ns = ktime_get_ns();
	run->counters.answers++;
	lrtbf_run_record(run, run->target.seq++, event_ns, now_ns - event_ns, 0);
	udelay(1); /* as short as an ACK may be, twice over */
	lrtbf_port_rest(run);
	if (run->counters.answers == run->setup.count)
		lrtbf_run_end(run, LRTBF_STOP_COUNT);
}

static void target_wake(struct task_struct *waiter)
{
	if (waiter)
		wake_up_process(waiter);
}

void lrtbf_target_end(struct lrtbf_run *run)
{
	struct task_struct *waiter = run->target.waiter;

	WRITE_ONCE(run->target.waiter, NULL);
	target_wake(waiter);
}

static void target_interrupt(struct lrtbf_run *run, u64 now_ns)
{
	struct lrtbf_target *target = &run->target;

	if (run->setup.answer == LRTBF_ANSWER_HANDLER) {
		target_give(run, now_ns);
		return;
	}
	if (target->open) {
		run->counters.missed++;
		return;
	}
	target->open = true;
	target->event = true;
	target->event_ns = now_ns;
	target_wake(run->thread ?: target->waiter);
}

static void target_give_from_thread(struct lrtbf_run *run)
{
	struct lrtbf_target *target = &run->target;
	unsigned long flags;

	raw_spin_lock_irqsave(&run->raw, flags);
	if (run->active && target->event) {
		target->event = false;
		target->open = false;
		target_give(run, target->event_ns);
	}
	raw_spin_unlock_irqrestore(&run->raw, flags);
}

static void target_work(struct lrtbf_run *run)
{
	for (;;) {
		set_current_state(TASK_IDLE);
		if (lrtbf_run_should_end(run))
			break;
		if (READ_ONCE(run->target.event)) {
			__set_current_state(TASK_RUNNING);
			target_give_from_thread(run);
		} else {
			schedule();
		}
	}
	__set_current_state(TASK_RUNNING);
}

/* Whether user space is to answer now. run->raw held. 0; -ENODEV, -ECANCELED, -EINVAL. */
static int target_of_user(const struct lrtbf_run *run)
{
	if (run->removed)
		return -ENODEV;
	if (!run->active)
		return -ECANCELED;
	return run->role == &lrtbf_role_target && run->setup.answer == LRTBF_ANSWER_USER ? 0
											 : -EINVAL;
}

static int target_wait_begin(struct lrtbf_run *run)
{
	unsigned long flags;
	int r;

	raw_spin_lock_irqsave(&run->raw, flags);
	r = target_of_user(run);
	if (!r && run->target.waiter)
		r = -EBUSY;
	if (!r)
		WRITE_ONCE(run->target.waiter, current);
	raw_spin_unlock_irqrestore(&run->raw, flags);
	return r;
}

/* What the wait that ended with @r comes to: an event that came in the last moment is one. */
static int target_wait_end(struct lrtbf_run *run, int r, u64 *ret_at_ns)
{
	struct lrtbf_target *target = &run->target;
	unsigned long flags;
	bool mine; /* the run that it waited for has not ended */

	raw_spin_lock_irqsave(&run->raw, flags);
	mine = target->waiter == current;
	if (mine)
		WRITE_ONCE(target->waiter, NULL);
	if (!mine) {
		r = run->removed ? -ENODEV : -ECANCELED;
	} else if (target->event) {
		target->event = false;
		*ret_at_ns = target->event_ns;
		r = 0;
	}
	raw_spin_unlock_irqrestore(&run->raw, flags);
	return r;
}

int lrtbf_target_wait(struct lrtbf_run *run, struct lrtbf_wait *wait)
{
	ktime_t until = ktime_add_safe(ktime_get(), min_t(u64, wait->timeout_ns, KTIME_MAX));
	int r = target_wait_begin(run);

	if (r)
		return r;
	for (;;) {
		set_current_state(TASK_INTERRUPTIBLE);
		if (READ_ONCE(run->target.event) || READ_ONCE(run->target.waiter) != current)
			break;
		if (signal_pending(current)) {
			r = -EINTR;
			break;
		}
		if (!wait->timeout_ns) {
			schedule();
		} else if (!schedule_hrtimeout(&until, HRTIMER_MODE_ABS)) {
			r = -ETIMEDOUT;
			break;
		}
	}
	__set_current_state(TASK_RUNNING);
	return target_wait_end(run, r, &wait->at_ns);
}

int lrtbf_target_answer(struct lrtbf_run *run)
{
	struct lrtbf_target *target = &run->target;
	unsigned long flags;
	int r;

	raw_spin_lock_irqsave(&run->raw, flags);
	r = target_of_user(run);
	if (!r && (!target->open || target->event))
		r = -EAGAIN;
	if (!r) {
		target->open = false;
		target_give(run, target->event_ns);
	}
	raw_spin_unlock_irqrestore(&run->raw, flags);
	return r;
}

const struct lrtbf_role_ops lrtbf_role_target = {
	.check = target_check,
	.needs_irq = target_needs_irq,
	.needs_thread = target_needs_thread,
	.work = target_work,
	.interrupt = target_interrupt,
};
