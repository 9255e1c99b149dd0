// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The parport driver. A port that is idle shows no trace of us: the device on it is registered at
 * START and unregistered at STOP. One that stays registered would keep others from having the port
 * exclusively, and the port's driver from being unloaded.
 *
 * It has no preempt callback, so that nobody takes the port away in the middle of a run; and no
 * wake-up callback, so that the parport core does not queue us for it.
 *
 * The lines are reached through the operations of the port's own driver and not by outb(), so that
 * ports that are no PC's, and ports in software, work as well. They are called with interrupts off
 * and in hard interrupt context; those of ports behind USB sleep, and such a port is refused. It is
 * known by having neither an address nor an interrupt.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/delay.h>
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/sort.h>

#include "compat.h"
#include "lrtbf.h"

#define LINE_ACK       0x08 /* D3, to ACK over there: its rise is the interrupt */
#define LINES_LEVEL    0x17 /* D0, D1, D2, D4 */
#define CONTROL_REST   (PARPORT_CONTROL_INIT | PARPORT_CONTROL_SELECT)
#define RATE_WINDOW_NS (50 * NSEC_PER_MSEC)
#define RATE_WINDOWS   20 /* per second */
#define ACCESSES       65
#define SETTLE_US      2000

void lrtbf_port_mask(struct lrtbf_run *run)
{
	run->port->ops->disable_irq(run->port);
}

u8 lrtbf_port_status(struct lrtbf_run *run)
{
	return run->port->ops->read_status(run->port);
}

/* The pin is the bit's inverse. */
void lrtbf_port_strobe(struct lrtbf_run *run, bool low)
{
	run->port->ops->write_control(run->port,
				      low ? CONTROL_REST | PARPORT_CONTROL_STROBE : CONTROL_REST);
}

void lrtbf_port_ready(struct lrtbf_run *run)
{
	run->data ^= LINES_LEVEL;
	if (run->setup.flags)
		run->port->ops->write_data(run->port, run->data);
}

void lrtbf_port_edge(struct lrtbf_run *run)
{
	if (run->setup.flags & LRTBF_SETUP_STROBE)
		lrtbf_port_strobe(run, false);
	else if (run->setup.flags & LRTBF_SETUP_VIRTUAL)
		lrtbf_port_strobe(run, true);
	else
		run->port->ops->write_data(run->port, run->data | LINE_ACK);
}

/* STROBE of a virtual machine's port rises with the interrupt disabled; in this order nothing
 * raises it. */
static void port_rest_virtual(struct lrtbf_run *run)
{
	run->port->ops->disable_irq(run->port);
	lrtbf_port_strobe(run, false);
	if (run->irq && !run->masked)
		run->port->ops->enable_irq(run->port);
}

void lrtbf_port_rest(struct lrtbf_run *run)
{
	if (run->setup.flags & LRTBF_SETUP_STROBE)
		lrtbf_port_strobe(run, true);
	else if (run->setup.flags & LRTBF_SETUP_VIRTUAL)
		port_rest_virtual(run);
	else
		run->port->ops->write_data(run->port, run->data);
}

/* parport's handler takes every interrupt for its own, so that the kernel never disables a stuck
 * line. */
static void port_limit_rate(struct lrtbf_run *run, u64 now_ns)
{
	if (now_ns - run->rate_ns >= RATE_WINDOW_NS) {
		run->rate_ns = now_ns;
		run->rate_count = 0;
	}
	if (++run->rate_count <= run->setup.rate_max / RATE_WINDOWS || run->masked)
		return;
	run->masked = true;
	lrtbf_port_mask(run);
	lrtbf_run_end(run, LRTBF_STOP_STORM);
}

/* In hard interrupt context, or in the line's thread. */
static void port_interrupt(void *data)
{
	u64 now_ns = ktime_get_ns();
	struct lrtbf_run *run = data;
	unsigned long flags;

	raw_spin_lock_irqsave(&run->raw, flags);
	/* an emulated port raises its interrupt again with each write until then */
	if (run->setup.flags & LRTBF_SETUP_VIRTUAL)
		lrtbf_port_status(run);
	if (run->active) {
		run->role->interrupt(run, now_ns);
		run->counters.interrupts++;
		lrtbf_run_note_context(run);
	}
	/* lowers the line of ports that hold it until then */
	lrtbf_port_status(run);
	port_limit_rate(run, now_ns);
	raw_spin_unlock_irqrestore(&run->raw, flags);
}

static int port_compare(const void *a, const void *b)
{
	u64 x = *(const u64 *)a, y = *(const u64 *)b;

	return x < y ? -1 : x > y;
}

/* How long one access takes, with the clock's own time in it. */
static u64 port_access_ns(struct lrtbf_run *run, bool write)
{
	u64 times[ACCESSES], begin;
	unsigned long flags;
	int i;

	for (i = 0; i < ACCESSES; i++) {
		raw_spin_lock_irqsave(&run->raw, flags);
		begin = ktime_get_ns();
		if (write)
			run->port->ops->write_data(run->port, run->data);
		else
			lrtbf_port_status(run);
		times[i] = ktime_get_ns() - begin;
		raw_spin_unlock_irqrestore(&run->raw, flags);
	}
	sort(times, ACCESSES, sizeof(times[0]), port_compare, NULL);
	return times[ACCESSES / 2];
}

/*
 * How many reads, and a write, may lie between a true latency and the measured one. The edge is
 * somewhere in the write that makes it, whose beginning is t0, or whose end a target's t1. Who
 * polls finds an answer that just missed one read with the next. And from the handler of the port's
 * own driver through the parport core to ours it takes no longer than a read.
 */
static u32 port_reads_between(const struct lrtbf_setup *setup)
{
	if (setup->role == LRTBF_ROLE_TARGET)
		return 0;
	return setup->receive == LRTBF_RECEIVE_POLL ? 2 : 1;
}

static void port_measure(struct lrtbf_run *run)
{
	u64 read_ns = port_access_ns(run, false), write_ns = port_access_ns(run, true);

	run->node->caps.access_ns = read_ns;
	run->counters.resolution_ns =
		min_t(u64, write_ns + port_reads_between(&run->setup) * read_ns, U32_MAX);
}

/* All lines at rest, the interrupt enabled where it is needed, and what that itself raised let by.
 */
static void port_settle(struct lrtbf_run *run)
{
	const struct parport_operations *ops = run->port->ops;
	unsigned long flags;

	raw_spin_lock_irqsave(&run->raw, flags);
	if (!run->irq)
		ops->disable_irq(run->port);
	ops->data_forward(run->port);
	ops->write_data(run->port, run->data);
	lrtbf_port_strobe(run, run->setup.flags & LRTBF_SETUP_STROBE);
	lrtbf_port_status(run);
	if (run->irq && !run->masked)
		ops->enable_irq(run->port);
	raw_spin_unlock_irqrestore(&run->raw, flags);
	usleep_range(SETTLE_US, 2 * SETTLE_US);
}

/* 0; -EBUSY, -ENXIO, -ENODEV, -EOPNOTSUPP. */
int lrtbf_port_claim(struct lrtbf_run *run)
{
	struct parport *port = run->node->port;
	bool irq = run->role->needs_irq && run->role->needs_irq(&run->setup);
	const struct pardev_cb callbacks = {
		.irq_func = irq ? port_interrupt : NULL,
		.private = run,
	};
	struct pardevice *pardev;
	int r;

	if (!port->base && port->irq == PARPORT_IRQ_NONE)
		return -EOPNOTSUPP;
	if (irq && port->irq == PARPORT_IRQ_NONE)
		return -ENXIO;
	pardev = parport_register_dev_model(port, KBUILD_MODNAME, &callbacks, port->number);
	if (!pardev) /* the reason is not told: somebody has it exclusively, or it is going away */
		return port->flags & PARPORT_FLAG_EXCL ? -EBUSY : -ENODEV;
	run->port = port;
	/* a claim writes what is saved for the device: STROBE is left as the last run left it */
	if (run->setup.flags & LRTBF_SETUP_STROBE)
		port->ops->save_state(port, pardev->state);
	r = parport_claim(pardev);
	if (r) {
		parport_unregister_device(pardev);
		run->port = NULL;
		return -EBUSY;
	}
	run->pardev = pardev;
	run->irq = irq;
	port_settle(run);
	port_measure(run);
	return 0;
}

/*
 * When it returns the handler is not running and will not be called. STROBE stays low where that is
 * its rest: its rise is a pulse or an answer to the other machine, which may be waiting for one.
 * Whoever has the port next raises it, as he sets all lines.
 */
void lrtbf_port_release(struct lrtbf_run *run)
{
	unsigned long flags;

	if (!run->pardev)
		return;
	raw_spin_lock_irqsave(&run->raw, flags);
	lrtbf_port_mask(run);
	run->port->ops->write_data(run->port, 0);
	lrtbf_port_strobe(run, run->setup.flags & LRTBF_SETUP_STROBE);
	raw_spin_unlock_irqrestore(&run->raw, flags);
	parport_release(run->pardev);
	parport_unregister_device(run->pardev);
	run->pardev = NULL;
	run->port = NULL;
	run->irq = false;
}

static u32 port_roles(const struct parport *port)
{
	if (port->irq == PARPORT_IRQ_NONE)
		return BIT(LRTBF_ROLE_LOGGER);
	return BIT(LRTBF_ROLE_LOOPBACK) | BIT(LRTBF_ROLE_TARGET) | BIT(LRTBF_ROLE_LOGGER);
}

static void port_attach(struct parport *port)
{
	const u32 roles =
		BIT(LRTBF_ROLE_LOOPBACK) | BIT(LRTBF_ROLE_TARGET) | BIT(LRTBF_ROLE_LOGGER);
	struct lrtbf_node *node;
	char name[sizeof(node->name)];
	int r;

	/* the other ports of a multiplexer have the lines of the first */
	if (port->physport != port || lrtbf_node_find(port))
		return;
	snprintf(name, sizeof(name), "lrtbf-%s", port->name);
	node = lrtbf_node_new(name, roles, 1);
	if (!node) {
		pr_err("%s: no memory for its device\n", port->name);
		return;
	}
	node->of_port = true;
	node->port = port;
	node->caps.roles = port_roles(port);
	node->caps.irq = port->irq;
	node->caps.base = port->base;
	strscpy(node->caps.port, port->name, sizeof(node->caps.port));
	r = lrtbf_node_add(node);
	if (r) {
		pr_err("%s: no device: %d\n", port->name, r);
		lrtbf_node_put(node);
	}
}

static void port_detach(struct parport *port)
{
	struct lrtbf_node *node = lrtbf_node_find(port);

	if (node)
		lrtbf_node_remove(node, LRTBF_STOP_DETACHED);
}

static struct parport_driver port_driver = {
	.name = KBUILD_MODNAME, .match_port = port_attach, .detach = port_detach, LRTBF_DRIVER_MODEL
};

int lrtbf_port_register(void)
{
	return parport_register_driver(&port_driver);
}

void lrtbf_port_unregister(void)
{
	parport_unregister_driver(&port_driver);
}
