// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A pulse on STROBE, which a jumper leads to ACK of the same port, raises the port's own interrupt
 * when the pin rises again; so that is the edge. The data lines carry the low byte of the pulse's
 * number, for whoever listens: nothing is measured by it.
 */
#include <linux/delay.h>

#include "lrtbf.h"

static bool loopback_needs_irq(const struct lrtbf_setup *setup)
{
	return true;
}

static int loopback_check(const struct lrtbf_setup *setup)
{
	return setup->answer || setup->receive || setup->flags ? -EINVAL : 0;
}

static bool loopback_lower(struct lrtbf_run *run, u64 now_ns)
{
	unsigned long flags;
	bool send;

	raw_spin_lock_irqsave(&run->raw, flags);
	lrtbf_run_advance(run, now_ns);
	send = lrtbf_pulse_due(run, now_ns);
	if (send) {
		run->port->ops->write_data(run->port, run->counters.pulses);
		lrtbf_port_strobe(run, true);
	}
	raw_spin_unlock_irqrestore(&run->raw, flags);
	return send;
}

static void loopback_raise(struct lrtbf_run *run)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&run->raw, flags);
	if (run->active) {
		lrtbf_pulse_sent(run, ktime_get_ns());
		lrtbf_port_strobe(run, false);
	}
	raw_spin_unlock_irqrestore(&run->raw, flags);
}

static void loopback_work(struct lrtbf_run *run)
{
	u64 now_ns;

	while ((now_ns = lrtbf_run_sleep(run))) {
		if (!loopback_lower(run, now_ns))
			continue;
		udelay(1); /* as short as an ACK may be, twice over */
		loopback_raise(run);
	}
}

const struct lrtbf_role_ops lrtbf_role_loopback = {
	.check = loopback_check,
	.needs_irq = loopback_needs_irq,
	.work = loopback_work,
	.interrupt = lrtbf_pulse_answer,
};
