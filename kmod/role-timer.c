// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * How late a periodic timer is, without user space: in its own handler, and in a kernel thread that
 * it wakes. The handler is one of hard interrupt context on PREEMPT_RT too, where timers otherwise
 * run in a thread: what is measured is the interrupt. The timer is pinned, and says with each
 * record where it ran, because the kernel moves it when its CPU goes offline.
 */
#include <linux/smp.h>

#include "compat.h"
#include "lrtbf.h"

static int timer_check(const struct lrtbf_setup *setup)
{
	return setup->answer || setup->receive || setup->flags ? -EINVAL : 0;
}

/* One period, seen at @now_ns. */
static void timer_sample(struct lrtbf_run *run, u64 now_ns)
{
	u64 seq = lrtbf_run_advance(run, now_ns);

	/* the clock of another CPU may be a little behind */
	lrtbf_run_record(run, seq, run->due_ns, now_ns > run->due_ns ? now_ns - run->due_ns : 0, 0);
	lrtbf_run_note_context(run);
	if (run->counters.samples == run->setup.count)
		lrtbf_run_end(run, LRTBF_STOP_COUNT);
}

static enum hrtimer_restart timer_expired(struct hrtimer *timer)
{
	u64 now_ns = ktime_get_ns();
	struct lrtbf_run *run = container_of(timer, struct lrtbf_run, timer);
	unsigned long flags;
	bool again;

	raw_spin_lock_irqsave(&run->raw, flags);
	if (run->active) {
		run->counters.interrupts++;
		timer_sample(run, now_ns);
	}
	again = run->active;
	if (again)
		hrtimer_set_expires(timer, ns_to_ktime(run->next_ns));
	raw_spin_unlock_irqrestore(&run->raw, flags);
	return again ? HRTIMER_RESTART : HRTIMER_NORESTART;
}

static void timer_begin(void *data)
{
	struct lrtbf_run *run = data;

	hrtimer_start(&run->timer, ns_to_ktime(run->next_ns), HRTIMER_MODE_ABS_PINNED_HARD);
}

/* A timer runs on the CPU that starts it. 0; -ENXIO: it is offline. */
static int timer_irq_start(struct lrtbf_run *run)
{
	hrtimer_setup(&run->timer, timer_expired, CLOCK_MONOTONIC, HRTIMER_MODE_ABS_PINNED_HARD);
	if (run->setup.cpu >= 0)
		return smp_call_function_single(run->setup.cpu, timer_begin, run, true);
	timer_begin(run);
	return 0;
}

static void timer_irq_stop(struct lrtbf_run *run)
{
	hrtimer_cancel(&run->timer);
}

static void timer_kthread_work(struct lrtbf_run *run)
{
	unsigned long flags;
	u64 now_ns;

	while ((now_ns = lrtbf_run_sleep(run))) {
		raw_spin_lock_irqsave(&run->raw, flags);
		if (run->active)
			timer_sample(run, now_ns);
		raw_spin_unlock_irqrestore(&run->raw, flags);
	}
}

const struct lrtbf_role_ops lrtbf_role_timer_irq = {
	.check = timer_check,
	.start = timer_irq_start,
	.stop = timer_irq_stop,
};

const struct lrtbf_role_ops lrtbf_role_timer_kthread = {
	.check = timer_check,
	.work = timer_kthread_work,
};
