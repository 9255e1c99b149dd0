// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The life of a run: set up, started, ended, stopped.
 *
 * Ending and stopping are two things because whoever finds out that it is over (enough pulses, too
 * many losses, too many interrupts) is often in an interrupt handler or is the run's own thread,
 * and neither can wait for the thread or give the port back. So it is ended there: `active` is
 * taken away, after which nothing is measured. And it is stopped from a system call, at the port's
 * removal or before the machine sleeps: there is time to wait until nothing of it runs any more.
 *
 * The thread is of class FIFO from before its first step, and bound. It sleeps where only
 * kthread_stop() or its timer wakes it, and does not count as load. It is no freezable one: before
 * anything is frozen all runs have been stopped (main.c).
 */
#include <linux/cpu.h>
#include <linux/kthread.h>
#include <linux/math64.h>
#include <linux/preempt.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <uapi/linux/sched/types.h>

#include "lrtbf.h"

#define PERIOD_MIN_NS (20 * NSEC_PER_USEC)
#define PERIOD_MAX_NS (10ULL * NSEC_PER_SEC)
#define TIMEOUT_NS    (500 * NSEC_PER_USEC)
#define PRIORITY      50
#define PRIORITY_MAX  98
#define LOSSES	      16
#define RATE	      20000
#define RATE_MIN      100
#define RATE_MAX      1000000
#define OFF_SHARE     500
#define OFF_SHARE_MAX 900
#define WATERMARK     1024

static const struct lrtbf_role_ops *const run_roles[] = {
	[LRTBF_ROLE_LOOPBACK] = &lrtbf_role_loopback,
	[LRTBF_ROLE_TARGET] = &lrtbf_role_target,
	[LRTBF_ROLE_LOGGER] = &lrtbf_role_logger,
	[LRTBF_ROLE_TIMER_IRQ] = &lrtbf_role_timer_irq,
	[LRTBF_ROLE_TIMER_KTHREAD] = &lrtbf_role_timer_kthread,
};

static void run_wake_readers(struct irq_work *work)
{
	struct lrtbf_run *run = container_of(work, struct lrtbf_run, wake);

	wake_up_interruptible(&run->readers);
}

struct lrtbf_run *lrtbf_run_new(struct lrtbf_node *node)
{
	struct lrtbf_run *run = kzalloc(sizeof(*run), GFP_KERNEL);
	int r;

	if (!run)
		return ERR_PTR(-ENOMEM);
	r = lrtbf_records_init(&run->records);
	if (r) {
		kfree(run);
		return ERR_PTR(r);
	}
	run->node = node;
	raw_spin_lock_init(&run->raw);
	mutex_init(&run->read_lock);
	init_waitqueue_head(&run->readers);
	init_irq_work(&run->wake, run_wake_readers);
	list_add(&run->link, &node->runs);
	return run;
}

void lrtbf_run_free(struct lrtbf_run *run)
{
	lrtbf_records_done(&run->records);
	kfree(run);
}

static void run_fill_in(struct lrtbf_setup *setup)
{
	u32 pulses = setup->period_ns ? div64_u64(4ULL * NSEC_PER_SEC, setup->period_ns) : 0;

	if (!setup->timeout_ns)
		setup->timeout_ns = min_t(u64, TIMEOUT_NS, setup->period_ns / 2);
	if (!setup->priority)
		setup->priority = PRIORITY;
	if (!setup->losses_max)
		setup->losses_max = LOSSES;
	if (!setup->rate_max)
		setup->rate_max = max_t(u32, RATE, pulses);
	if (!setup->off_share_max)
		setup->off_share_max = OFF_SHARE;
	if (!setup->watermark)
		setup->watermark = WATERMARK;
}

/* What is the same for every role. */
static bool run_setup_valid(const struct lrtbf_setup *setup)
{
	if (setup->role == LRTBF_ROLE_TARGET) {
		if (setup->period_ns)
			return false;
	} else if (setup->period_ns < PERIOD_MIN_NS || setup->period_ns > PERIOD_MAX_NS) {
		return false;
	}
	return setup->timeout_ns <= setup->period_ns / 2 && setup->priority <= PRIORITY_MAX &&
	       setup->rate_max >= RATE_MIN && setup->rate_max <= RATE_MAX &&
	       setup->off_share_max <= OFF_SHARE_MAX && setup->flags <= LRTBF_SETUP_VIRTUAL &&
	       setup->watermark <= LRTBF_RECORDS && !setup->reserved &&
	       (setup->cpu == -1 ||
		(setup->cpu >= 0 && setup->cpu < nr_cpu_ids && cpu_possible(setup->cpu)));
}

/* 0; -EBUSY, -EINVAL. */
int lrtbf_run_setup(struct lrtbf_run *run, const struct lrtbf_setup *setup)
{
	struct lrtbf_setup full = *setup;
	const struct lrtbf_role_ops *role;
	int r;

	if (READ_ONCE(run->active))
		return -EBUSY;
	if (full.role >= ARRAY_SIZE(run_roles) || !(run->node->roles & BIT(full.role)))
		return -EINVAL;
	run_fill_in(&full);
	if (!run_setup_valid(&full))
		return -EINVAL;
	role = run_roles[full.role];
	r = role->check ? role->check(&full) : 0;
	if (r)
		return r;
	/* what ended by itself still is what it was set up for */
	lrtbf_run_stop(run, LRTBF_STOP_ASKED);
	run->setup = full;
	run->role = role;
	return 0;
}

bool lrtbf_run_should_end(const struct lrtbf_run *run)
{
	return kthread_should_stop() || !READ_ONCE(run->active);
}

bool lrtbf_run_readable(const struct lrtbf_run *run)
{
	return !READ_ONCE(run->active) ||
	       lrtbf_records_count(&run->records) >= run->setup.watermark;
}

void lrtbf_run_record(struct lrtbf_run *run, u64 seq, u64 at_ns, u64 latency_ns, u32 flags)
{
	const struct lrtbf_record record = {
		.seq = seq,
		.at_ns = at_ns,
		.latency_ns = latency_ns,
		.flags = flags,
		.cpu = raw_smp_processor_id(),
	};

	if (!flags)
		run->counters.samples++;
	if (!lrtbf_records_add(&run->records, &record))
		run->counters.lost_records++;
	else if (lrtbf_records_count(&run->records) == run->setup.watermark)
		irq_work_queue(&run->wake);
}

void lrtbf_run_note_context(struct lrtbf_run *run)
{
	struct lrtbf_counters *counters = &run->counters;

	if (in_hardirq()) {
		counters->context |= LRTBF_CONTEXT_HARDIRQ;
	} else {
		counters->context |= LRTBF_CONTEXT_THREAD;
		counters->thread = task_pid_nr(current);
		counters->priority = current->rt_priority;
	}
}

u64 lrtbf_run_advance(struct lrtbf_run *run, u64 now_ns)
{
	u64 period_ns = run->setup.period_ns, passed = 0, due = run->period;

	run->due_ns = run->next_ns;
	if (now_ns >= run->due_ns + period_ns)
		passed = div64_u64(now_ns - run->due_ns, period_ns);
	run->counters.missed += passed;
	run->next_ns = run->due_ns + (passed + 1) * period_ns;
	run->period += passed + 1;
	return due;
}

u64 lrtbf_run_sleep(struct lrtbf_run *run)
{
	u64 next_ns = run->next_ns; /* only this thread changes it */
	ktime_t until = ns_to_ktime(next_ns);
	u64 now_ns = 0;

	for (;;) {
		set_current_state(TASK_IDLE);
		if (lrtbf_run_should_end(run)) {
			__set_current_state(TASK_RUNNING);
			return 0;
		}
		schedule_hrtimeout(&until, HRTIMER_MODE_ABS);
		now_ns = ktime_get_ns();
		if (now_ns >= next_ns)
			return lrtbf_run_should_end(run) ? 0 : now_ns;
	}
}

/* Ends the run as far as can be done in any context: nothing is measured afterwards. */
void lrtbf_run_end(struct lrtbf_run *run, enum lrtbf_stop reason)
{
	if (!run->active)
		return;
	/* a reader that finds it ended finds all records */
	smp_store_release(&run->active, false);
	run->counters.running = 0;
	run->counters.stop = reason;
	if (run->irq)
		lrtbf_port_mask(run);
	if (run->role == &lrtbf_role_target)
		lrtbf_target_end(run);
	irq_work_queue(&run->wake);
}

static int run_thread(void *data)
{
	struct lrtbf_run *run = data;

	run->role->work(run);
	/* kthread_stop() needs it alive */
	for (;;) {
		set_current_state(TASK_IDLE);
		if (kthread_should_stop())
			break;
		schedule();
	}
	__set_current_state(TASK_RUNNING);
	return 0;
}

static bool run_has_thread(const struct lrtbf_run *run)
{
	return run->role->work &&
	       (!run->role->needs_thread || run->role->needs_thread(&run->setup));
}

/* The thread, as it should be but not woken yet. */
static int run_make_thread(struct lrtbf_run *run)
{
	const struct sched_attr attr = {
		.size = sizeof(attr),
		.sched_policy = SCHED_FIFO,
		.sched_priority = run->setup.priority,
	};
	struct task_struct *thread;
	int r;

	if (run->node->of_port)
		thread = kthread_create(run_thread, run, "%s", run->node->name);
	else
		thread = kthread_create(run_thread, run, "lrtbf-timer/%d", run->setup.cpu);
	if (IS_ERR(thread))
		return PTR_ERR(thread);
	if (run->setup.cpu >= 0)
		kthread_bind(thread, run->setup.cpu);
	r = sched_setattr_nocheck(thread, &attr);
	if (r) {
		kthread_stop(thread);
		return r;
	}
	run->thread = thread;
	run->counters.worker = task_pid_nr(thread);
	return 0;
}

static void run_reset(struct lrtbf_run *run)
{
	mutex_lock(&run->read_lock);
	lrtbf_records_reset(&run->records);
	mutex_unlock(&run->read_lock);
	run->counters = (struct lrtbf_counters){};
	run->pulse = (struct lrtbf_pulse){};
	run->target = (struct lrtbf_target){};
	run->data = 0;
	run->rate_count = 0;
	run->masked = false;
	run->rest_ns = 0;
}

/* From here on what comes counts. */
static int run_activate(struct lrtbf_run *run)
{
	unsigned long flags;
	bool masked;

	raw_spin_lock_irqsave(&run->raw, flags);
	run->counters.running = 1;
	/* the first period is a whole one; a thread has been made by then */
	run->next_ns = ktime_get_ns() + run->setup.period_ns;
	run->period = 0;
	run->rate_count = 0;
	WRITE_ONCE(run->active, true);
	masked = run->masked;
	if (masked)
		lrtbf_run_end(run, LRTBF_STOP_STORM);
	raw_spin_unlock_irqrestore(&run->raw, flags);
	if (run->thread)
		wake_up_process(run->thread);
	else if (run->role->start && !masked)
		return run->role->start(run);
	return 0;
}

static int run_start_parts(struct lrtbf_run *run)
{
	int r;

	if (run->node->of_port) {
		r = lrtbf_port_claim(run);
		if (r)
			return r;
	}
	if (run_has_thread(run)) {
		r = run_make_thread(run);
		if (r)
			return r;
	}
	return run_activate(run);
}

/* 0; a negative errno, see the ioctl header. */
int lrtbf_run_start(struct lrtbf_run *run)
{
	bool online;
	int r;

	if (run->removed)
		return -ENODEV;
	if (lrtbf_suspending())
		return -EAGAIN;
	if (!run->role)
		return -EINVAL;
	if (READ_ONCE(run->active))
		return -EBUSY;
	lrtbf_run_stop(run, LRTBF_STOP_ASKED);

	cpus_read_lock();
	online = run->setup.cpu < 0 || cpu_online(run->setup.cpu);
	cpus_read_unlock();
	if (!online)
		return -ENXIO;
	run_reset(run);
	run->started = true;
	r = run_start_parts(run);
	if (r)
		lrtbf_run_stop(run, LRTBF_STOP_ASKED);
	return r;
}

void lrtbf_run_stop(struct lrtbf_run *run, enum lrtbf_stop reason)
{
	unsigned long flags;

	if (!run->started)
		return;
	raw_spin_lock_irqsave(&run->raw, flags);
	lrtbf_run_end(run, reason);
	raw_spin_unlock_irqrestore(&run->raw, flags);
	if (run->thread)
		kthread_stop(run->thread);
	run->thread = NULL;
	if (run->role->stop)
		run->role->stop(run);
	lrtbf_port_release(run);
	irq_work_sync(&run->wake);
	run->started = false;
}
