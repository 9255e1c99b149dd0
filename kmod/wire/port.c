// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A port as the parport core knows it, which is what parport_pc makes of a PC's: registers, and an
 * interrupt with the core's handler and no flags, so that it is threaded wherever theirs would be.
 *
 * One lock for both directions: what a write does over there, and what the wire answers, is one
 * step for everybody who looks.
 *
 * The parport core replaces the operations of a port that is removed by dead ones without an owner,
 * and the module's reference of whoever still has it open (ppdev) would be lost for ever. So our
 * operations are put back, and know an old port by its not being the one that is plugged.
 */
#include <linux/interrupt.h>
#include <linux/ktime.h>
#include <linux/module.h>
#include <linux/parport.h>
#include <linux/platform_device.h>

#include "wire.h"

#define CONTROL_REST  (PARPORT_CONTROL_INIT | PARPORT_CONTROL_SELECT)
#define CONTROL_PINS  0x0f
#define CONTROL_INTEN 0x10
#define ECHO_PULSE_NS 2000

static struct wire_port *port_peer(struct wire_port *port)
{
	if (port->wire->cable == CABLE_JUMPER)
		return port;
	return &port->wire->ports[!port->number];
}

/* The pins of @port become @pins. Returns when the pulse in that arrives; 0: none. */
static u64 port_send(struct wire_port *port, u64 now_ns, u64 at_ns, struct cable_pins pins,
		     u32 flags)
{
	port->pins = pins;
	return line_send(&port_peer(port)->line, now_ns, at_ns,
			 cable_status(port->wire->cable, pins), flags);
}

static void port_echo(struct wire_port *port, u64 now_ns, u64 at_ns)
{
	enum cable cable = port->wire->cable;

	port_send(port, now_ns, at_ns, cable_pulse_begin(cable, port->pins), EDGE_ECHO);
	port_send(port, now_ns, at_ns + ECHO_PULSE_NS, cable_pulse_end(cable, port->pins),
		  EDGE_ECHO);
}

static void port_kick(struct wire_port *port, u64 now_ns)
{
	bool now = line_arrive(&port->line, now_ns);

	irqline_kick(&port->irq, now, line_next_ns(&port->line));
}

static void port_write(struct wire_port *port, u64 now_ns, struct cable_pins pins)
{
	struct wire_port *peer = port_peer(port);
	u64 due_ns = port_send(port, now_ns, now_ns, pins, 0);

	if (due_ns && peer != port && peer->line.settings[LINE_ECHO]) {
		port_echo(peer, now_ns, due_ns);
		port_kick(port, now_ns);
	}
	port_kick(peer, now_ns);
}

static void port_write_data(struct parport *parport, unsigned char data)
{
	struct wire_port *port = parport->private_data;
	unsigned long flags;

	raw_spin_lock_irqsave(&port->wire->lock, flags);
	if (port->parport == parport)
		port_write(port, ktime_get_ns(), (struct cable_pins){ data, port->pins.control });
	raw_spin_unlock_irqrestore(&port->wire->lock, flags);
}

static unsigned char port_read_data(struct parport *parport)
{
	struct wire_port *port = parport->private_data;

	return READ_ONCE(port->pins.data);
}

static void port_set_control(struct wire_port *port, u64 now_ns, u8 control)
{
	struct cable_pins pins = { port->pins.data, control };

	if ((control ^ port->pins.control) & CONTROL_INTEN) {
		line_enable(&port->line, now_ns, control & CONTROL_INTEN);
		port_kick(port, now_ns);
	}
	port_write(port, now_ns, pins);
}

/* Of the control register the bits of @mask are cleared and those of @value changed. As it is then.
 */
static unsigned char port_control(struct parport *parport, u8 mask, u8 value)
{
	struct wire_port *port = parport->private_data;
	unsigned long flags;
	u8 control;

	raw_spin_lock_irqsave(&port->wire->lock, flags);
	control = (port->pins.control & ~mask) ^ value;
	if (port->parport == parport)
		port_set_control(port, ktime_get_ns(), control);
	raw_spin_unlock_irqrestore(&port->wire->lock, flags);
	return control;
}

static void port_write_control(struct parport *parport, unsigned char control)
{
	port_control(parport, CONTROL_PINS, control & CONTROL_PINS);
}

static unsigned char port_read_control(struct parport *parport)
{
	struct wire_port *port = parport->private_data;

	return READ_ONCE(port->pins.control) & CONTROL_PINS;
}

static unsigned char port_frob_control(struct parport *parport, unsigned char mask,
				       unsigned char value)
{
	return port_control(parport, mask & CONTROL_PINS, value & CONTROL_PINS);
}

static unsigned char port_read_status(struct parport *parport)
{
	struct wire_port *port = parport->private_data;
	unsigned long flags;
	u8 status = 0xff;

	raw_spin_lock_irqsave(&port->wire->lock, flags);
	if (port->parport == parport)
		status = line_status(&port->line, ktime_get_ns());
	raw_spin_unlock_irqrestore(&port->wire->lock, flags);
	return status;
}

static void port_enable_irq(struct parport *parport)
{
	port_control(parport, CONTROL_INTEN, CONTROL_INTEN);
}

static void port_disable_irq(struct parport *parport)
{
	port_control(parport, CONTROL_INTEN, 0);
}

/* The data lines are outputs, as of the first ports there were. */
static void port_data_direction(struct parport *parport)
{
}

static void port_init_state(struct pardevice *device, struct parport_state *state)
{
	state->u.pc.ctr = CONTROL_REST | (device->irq_func ? CONTROL_INTEN : 0);
	state->u.pc.ecr = 0;
}

static void port_save_state(struct parport *parport, struct parport_state *state)
{
	struct wire_port *port = parport->private_data;

	state->u.pc.ctr = READ_ONCE(port->pins.control);
}

static void port_restore_state(struct parport *parport, struct parport_state *state)
{
	port_control(parport, CONTROL_PINS | CONTROL_INTEN, state->u.pc.ctr);
}

static struct parport_operations port_operations = {
	.write_data = port_write_data,
	.read_data = port_read_data,
	.write_control = port_write_control,
	.read_control = port_read_control,
	.frob_control = port_frob_control,
	.read_status = port_read_status,
	.enable_irq = port_enable_irq,
	.disable_irq = port_disable_irq,
	.data_forward = port_data_direction,
	.data_reverse = port_data_direction,
	.init_state = port_init_state,
	.save_state = port_save_state,
	.restore_state = port_restore_state,
	/* in software, from the ones above */
	.epp_write_data = parport_ieee1284_epp_write_data,
	.epp_read_data = parport_ieee1284_epp_read_data,
	.epp_write_addr = parport_ieee1284_epp_write_addr,
	.epp_read_addr = parport_ieee1284_epp_read_addr,
	.ecp_write_data = parport_ieee1284_ecp_write_data,
	.ecp_read_data = parport_ieee1284_ecp_read_data,
	.ecp_write_addr = parport_ieee1284_ecp_write_addr,
	.compat_write_data = parport_ieee1284_write_compat,
	.nibble_read_data = parport_ieee1284_read_nibble,
	.byte_read_data = parport_ieee1284_read_byte,
	.owner = THIS_MODULE,
};

/* parport_pc's handler, and when it began; noted after it, being no part of what is measured. */
static irqreturn_t port_handler(int irq, void *data)
{
	struct parport *parport = data;
	struct wire_port *port = parport->private_data;
	u64 began_ns = ktime_get_ns();
	irqreturn_t r = parport_irq_handler(irq, parport);
	unsigned long flags;

	raw_spin_lock_irqsave(&port->wire->lock, flags);
	edges_handled(&port->line.edges, began_ns);
	raw_spin_unlock_irqrestore(&port->wire->lock, flags);
	return r;
}

static bool port_raise(struct irqline *irq)
{
	struct wire_port *port = container_of(irq, struct wire_port, irq);
	unsigned long flags;
	bool raise;

	raw_spin_lock_irqsave(&port->wire->lock, flags);
	raise = line_raise(&port->line, ktime_get_ns());
	irqline_kick(irq, false, line_next_ns(&port->line));
	raw_spin_unlock_irqrestore(&port->wire->lock, flags);
	return raise;
}

void wire_port_stray(struct wire_port *port, u32 count)
{
	u64 now_ns;
	unsigned long flags;

	raw_spin_lock_irqsave(&port->wire->lock, flags);
	now_ns = ktime_get_ns();
	line_stray(&port->line, now_ns, count);
	port_kick(port, now_ns);
	raw_spin_unlock_irqrestore(&port->wire->lock, flags);
}

static void port_set_parport(struct wire_port *port, struct parport *parport)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&port->wire->lock, flags);
	line_enable(&port->line, ktime_get_ns(), false);
	port->pins.control &= ~CONTROL_INTEN;
	port->parport = parport;
	raw_spin_unlock_irqrestore(&port->wire->lock, flags);
}

int wire_port_plug(struct wire_port *port)
{
	struct parport *parport =
		parport_register_port(0, port->irq.virq, PARPORT_DMA_NONE, &port_operations);
	int r;

	if (!parport)
		return -ENOMEM;
	parport->private_data = port;
	parport->dev = &port->device->dev;
	parport->modes = PARPORT_MODE_PCSPP | PARPORT_MODE_SAFEININT;
	r = request_irq(port->irq.virq, port_handler, 0, parport->name, parport);
	if (r) {
		parport_del_port(parport);
		return r;
	}
	port_set_parport(port, parport);
	parport_announce_port(parport);
	return 0;
}

void wire_port_unplug(struct wire_port *port)
{
	struct parport *parport = port->parport;
	unsigned long flags;

	parport_remove_port(parport);
	port_set_parport(port, NULL);
	parport->ops = &port_operations;
	free_irq(port->irq.virq, parport);
	raw_spin_lock_irqsave(&port->wire->lock, flags);
	edges_abandon(&port->line.edges);
	raw_spin_unlock_irqrestore(&port->wire->lock, flags);
	parport_del_port(parport);
}

int wire_port_init(struct wire_port *port, struct wire *wire, unsigned int number, u32 history)
{
	int r;

	port->wire = wire;
	port->number = number;
	port->pins.control = CONTROL_REST;
	line_init(&port->line, cable_status(wire->cable, port->pins));
	r = edges_init(&port->line.edges, history);
	if (r)
		return r;
	return irqline_init(&port->irq, wire->domain, number, port_raise);
}

void wire_port_done(struct wire_port *port)
{
	irqline_done(&port->irq);
	edges_done(&port->line.edges);
}
