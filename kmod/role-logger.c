// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A pulse every period and the time of its answer.
 *
 * Polling: from the pulse to the answer interrupts are off on this CPU, so that the figure has
 * nothing of this machine's latency in it but the time of one read. That is bounded twice: by the
 * time-out, and by a rest with interrupts on after each pulse, as long as the share asks for. Most
 * status lines change with an answer and stay so, so one that comes between two pulses is seen
 * before the next is sent.
 *
 * A pulse that is being watched is watched to its end, also when the run is stopped meanwhile, and
 * counts.
 *
 * By interrupt: the handler of this machine takes the time, its latency included.
 */
#include <linux/delay.h>
#include <linux/irqflags.h>
#include <linux/math64.h>

#include "lrtbf.h"

#define POLL_MAX_NS (10 * NSEC_PER_MSEC)
/* What an answer changes for good; and for a moment, or for good by other targets than ours. */
#define LINES_LEVEL                                                                                \
	(PARPORT_STATUS_ERROR | PARPORT_STATUS_SELECT | PARPORT_STATUS_PAPEROUT |                  \
	 PARPORT_STATUS_BUSY)
#define LINE_ACK PARPORT_STATUS_ACK

static bool logger_polls(const struct lrtbf_setup *setup)
{
	return setup->receive == LRTBF_RECEIVE_POLL;
}

static bool logger_needs_irq(const struct lrtbf_setup *setup)
{
	return !logger_polls(setup);
}

static int logger_check(const struct lrtbf_setup *setup)
{
	if (setup->answer)
		return -EINVAL;
	if (setup->receive == LRTBF_RECEIVE_IRQ)
		return 0;
	return logger_polls(setup) && setup->timeout_ns <= POLL_MAX_NS && !setup->flags ? 0
											: -EINVAL;
}

static bool logger_due(struct lrtbf_run *run, u64 now_ns)
{
	unsigned long flags;
	bool send;

	raw_spin_lock_irqsave(&run->raw, flags);
	lrtbf_run_advance(run, now_ns);
	send = lrtbf_pulse_due(run, now_ns);
	if (send && now_ns < run->rest_ns) {
		run->counters.missed++;
		send = false;
	}
	raw_spin_unlock_irqrestore(&run->raw, flags);
	return send;
}

/* The time of the read that saw the lines other than @quiet; 0: out of time. Interrupts are off. */
static u64 logger_watch(struct lrtbf_run *run, u64 t0_ns, u8 quiet)
{
	for (;;) {
		u8 status = lrtbf_port_status(run);
		u64 now_ns = ktime_get_ns();

		if ((status ^ quiet) & (LINES_LEVEL | LINE_ACK))
			return now_ns;
		if (now_ns - t0_ns > run->setup.timeout_ns)
			return 0;
		cpu_relax();
	}
}

/* What came of one pulse, and how long interrupts were off for it. */
static void logger_settle(struct lrtbf_run *run, u64 t0_ns, u64 t1_ns, u64 off_ns)
{
	struct lrtbf_counters *counters = &run->counters;
	u32 share = run->setup.off_share_max;
	unsigned long flags;

	raw_spin_lock_irqsave(&run->raw, flags);
	lrtbf_pulse_sent(run, t0_ns);
	if (t1_ns)
		lrtbf_pulse_answer(run, t1_ns);
	else
		lrtbf_pulse_lost(run);
	counters->off_ns += off_ns;
	counters->off_max_ns = max(counters->off_max_ns, off_ns);
	counters->thread = task_pid_nr(current);
	counters->priority = current->rt_priority;
	run->rest_ns = ktime_get_ns() + div_u64(off_ns * (1000 - share), share);
	raw_spin_unlock_irqrestore(&run->raw, flags);
}

/* Whether the lines changed. */
static bool logger_poll_once(struct lrtbf_run *run, u8 quiet)
{
	unsigned long flags;
	u64 t0_ns, t1_ns, off_ns;

	lrtbf_port_ready(run);
	local_irq_save(flags);
	t0_ns = ktime_get_ns();
	lrtbf_port_edge(run);
	t1_ns = logger_watch(run, t0_ns, quiet);
	off_ns = ktime_get_ns() - t0_ns;
	local_irq_restore(flags);
	lrtbf_port_rest(run);
	logger_settle(run, t0_ns, t1_ns, off_ns);
	return t1_ns;
}

/* Something changed while no pulse was out. */
static void logger_stray(struct lrtbf_run *run)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&run->raw, flags);
	if (run->active)
		lrtbf_pulse_answer(run, ktime_get_ns());
	raw_spin_unlock_irqrestore(&run->raw, flags);
}

static void logger_poll(struct lrtbf_run *run)
{
	u8 last = lrtbf_port_status(run), status;
	u64 now_ns;

	while ((now_ns = lrtbf_run_sleep(run))) {
		status = lrtbf_port_status(run);
		if ((status ^ last) & LINES_LEVEL)
			logger_stray(run);
		last = status;
		/* not what the watch saw: the lines do not change all at one time */
		if (logger_due(run, now_ns) && logger_poll_once(run, status))
			last = lrtbf_port_status(run);
	}
}

static void logger_send(struct lrtbf_run *run)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&run->raw, flags);
	if (run->active) {
		lrtbf_port_ready(run);
		lrtbf_pulse_sent(run, ktime_get_ns());
		lrtbf_port_edge(run);
	}
	raw_spin_unlock_irqrestore(&run->raw, flags);

	udelay(1);

	raw_spin_lock_irqsave(&run->raw, flags);
	if (run->active)
		lrtbf_port_rest(run);
	raw_spin_unlock_irqrestore(&run->raw, flags);
}

static void logger_work(struct lrtbf_run *run)
{
	u64 now_ns;

	if (logger_polls(&run->setup)) {
		logger_poll(run);
		return;
	}
	while ((now_ns = lrtbf_run_sleep(run)))
		if (logger_due(run, now_ns))
			logger_send(run);
}

const struct lrtbf_role_ops lrtbf_role_logger = {
	.check = logger_check,
	.needs_irq = logger_needs_irq,
	.work = logger_work,
	.interrupt = lrtbf_pulse_answer,
};
