/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef WIRE_WIRE_H
#define WIRE_WIRE_H
/*
 * lrtbf-wire.ko: two parallel ports in memory and the cable between them, for tests of what is done
 * with parallel ports and for people who have none. cable.h: the pins; line.h: what arrives at a
 * port, and the faults; edges.h: the truth; irqline.h: its interrupt.
 *
 * Each port is a platform device, /sys/devices/platform/lrtbf-wire.N with the attributes of
 * settings.c; unbinding it from the driver unplugs the port, as with a real one's, and binding
 * plugs it in again, with the settings it had. The wire itself stays as long as the module.
 */
#include <linux/spinlock.h>

#include "cable.h"
#include "irqline.h"
#include "line.h"

#define WIRE_NAME  "lrtbf-wire"
#define WIRE_PORTS 2

struct dentry;
struct parport;
struct platform_device;

struct wire_port {
	struct wire *wire;
	unsigned int number;
	struct platform_device *device; /* NULL: not made */
	struct irqline irq;

	/* under wire->lock */
	struct parport *parport; /* NULL: unplugged */
	struct cable_pins pins;
	struct line line; /* what arrives here */
};

struct wire {
	raw_spinlock_t lock; /* innermost; taken in any context */
	enum cable cable;
	struct irq_domain *domain;
	struct dentry *debugfs;
	struct wire_port ports[WIRE_PORTS];
};

/* port.c. Its interrupt line is made here, with everything else that stays while it is unplugged.
 */
int wire_port_init(struct wire_port *port, struct wire *wire, unsigned int number, u32 history);
void wire_port_done(struct wire_port *port);

/* 0; -ENOMEM, or that of the interrupt's request. Process context; unplugged: no handler is
 * running, and no operation of ours is called by who still has the port. */
int wire_port_plug(struct wire_port *port);
void wire_port_unplug(struct wire_port *port);

/* @count strays, the first at once. */
void wire_port_stray(struct wire_port *port, u32 count);

/* settings.c: attributes of the platform device. */
extern const struct attribute_group *wire_settings_groups[];
struct wire_port *wire_port_of(struct device *device);

/* truth.c: files of the port below wire->debugfs. */
void wire_truth_add(struct wire_port *port);

#endif
