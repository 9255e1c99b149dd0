// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Made and unmade as a whole. The two platform devices are of this module, so that there is one
 * thing to load; they bring the ports through the driver core and not by calls from here, so that a
 * port is unplugged in the way that every driver's is: by unbind.
 *
 * The module cannot be unloaded while anybody has one of the ports registered, by the parport
 * core's reference of the operations' owner.
 */
#define pr_fmt(text) KBUILD_MODNAME ": " text

#include <linux/debugfs.h>
#include <linux/module.h>
#include <linux/parport.h>
#include <linux/platform_device.h>
#include <linux/slab.h>

#include "../compat.h"
#include "wire.h"

#define HISTORY_MIN (4 * LINE_CHANGES)
#define HISTORY_MAX (1 << 24)

static char *cable = "data";
module_param(cable, charp, 0444);
MODULE_PARM_DESC(cable,
		 "data (D3 to ACK, crossed; default), strobe (STROBE to ACK, crossed), jumper");

static uint history = 1 << 15;
module_param(history, uint, 0444);
MODULE_PARM_DESC(history, "edges kept for each port in debugfs (32768)");

#define SETTING(name, text)                                                                        \
	static unsigned long long name[WIRE_PORTS];                                                \
	static int name##_count;                                                                   \
	module_param_array(name, ullong, &name##_count, 0444);                                     \
	MODULE_PARM_DESC(name, text ", for each port; also an attribute of its device")

SETTING(delay_ns, "all that arrives is so late (0)");
SETTING(drop_every, "nothing arrives of every n-th pulse (0: of none)");
SETTING(late_every, "every n-th pulse is late_ns late (0: none)");
SETTING(late_ns, "see late_every");
SETTING(stray_every, "an extra interrupt after every n-th pulse (0: none)");
SETTING(stray_ns, "so long after it (100000)");
SETTING(echo, "1: the wire answers each pulse to the port itself (0)");

static struct wire *the_wire;

static int main_set(struct wire *wire, enum line_setting setting, const unsigned long long *values,
		    int count)
{
	int i, r = 0;

	for (i = 0; i < count && !r; i++)
		r = line_set(&wire->ports[i].line, setting, values[i]);
	return r;
}

static int main_settings(struct wire *wire)
{
	return main_set(wire, LINE_DELAY_NS, delay_ns, delay_ns_count) ?:
	       main_set(wire, LINE_DROP_EVERY, drop_every, drop_every_count) ?:
	       main_set(wire, LINE_LATE_EVERY, late_every, late_every_count) ?:
	       main_set(wire, LINE_LATE_NS, late_ns, late_ns_count) ?:
	       main_set(wire, LINE_STRAY_EVERY, stray_every, stray_every_count) ?:
	       main_set(wire, LINE_STRAY_NS, stray_ns, stray_ns_count) ?:
	       main_set(wire, LINE_ECHO, echo, echo_count);
}

static int wire_probe(struct platform_device *device)
{
	return wire_port_plug(wire_port_of(&device->dev));
}

static void wire_remove(struct platform_device *device)
{
	wire_port_unplug(wire_port_of(&device->dev));
}

WIRE_REMOVE(wire_platform_remove, wire_remove)

static struct platform_driver wire_driver = {
	.probe = wire_probe,
	.remove = wire_platform_remove,
	.driver = {
		.name = WIRE_NAME,
		.dev_groups = wire_settings_groups,
	},
};

static int main_add_device(struct wire_port *port)
{
	struct platform_device *device = platform_device_alloc(WIRE_NAME, port->number);
	int r;

	if (!device)
		return -ENOMEM;
	r = platform_device_add_data(device, &port, sizeof(port));
	if (!r) {
		/* before it is bound */
		port->device = device;
		r = platform_device_add(device);
	}
	if (r) {
		port->device = NULL;
		platform_device_put(device);
	}
	return r;
}

/* Takes what was made of it, in any stage. The driver is gone. */
static void main_free(struct wire *wire)
{
	int i;

	debugfs_remove(wire->debugfs);
	for (i = 0; i < WIRE_PORTS; i++)
		wire_port_done(&wire->ports[i]);
	irqline_domain_free(wire->domain);
	kvfree(wire);
}

static void main_remove_devices(struct wire *wire)
{
	int i;

	for (i = 0; i < WIRE_PORTS; i++)
		if (wire->ports[i].device)
			platform_device_unregister(wire->ports[i].device);
}

/* The wire with nothing at its ends. */
static int main_make(struct wire *wire)
{
	int i, r;

	raw_spin_lock_init(&wire->lock);
	r = cable_from_string(cable, &wire->cable);
	if (r) {
		pr_err("cable=%s: it is data, strobe or jumper\n", cable);
		return r;
	}
	wire->domain = irqline_domain_new(WIRE_PORTS);
	if (!wire->domain)
		return -ENOMEM;
	for (i = 0; i < WIRE_PORTS && !r; i++)
		r = wire_port_init(&wire->ports[i], wire, i,
				   clamp(history, HISTORY_MIN, HISTORY_MAX));
	if (r)
		return r;
	r = main_settings(wire);
	if (r)
		pr_err("a parameter is out of range\n");
	return r;
}

static int main_plug(struct wire *wire)
{
	int i, r;

	wire->debugfs = debugfs_create_dir(WIRE_NAME, NULL);
	for (i = 0; i < WIRE_PORTS; i++)
		wire_truth_add(&wire->ports[i]);
	r = platform_driver_register(&wire_driver);
	if (r)
		return r;
	for (i = 0; i < WIRE_PORTS && !r; i++)
		r = main_add_device(&wire->ports[i]);
	if (r) {
		main_remove_devices(wire);
		platform_driver_unregister(&wire_driver);
	}
	return r;
}

static int __init main_init(void)
{
	struct wire *wire = kvzalloc(sizeof(*wire), GFP_KERNEL);
	int r;

	if (!wire)
		return -ENOMEM;
	r = main_make(wire) ?: main_plug(wire);
	if (r) {
		main_free(wire);
		return r;
	}
	the_wire = wire;
	return 0;
}

static void __exit main_exit(void)
{
	main_remove_devices(the_wire);
	platform_driver_unregister(&wire_driver);
	main_free(the_wire);
}

module_init(main_init);
module_exit(main_exit);
MODULE_DESCRIPTION("Two parallel ports in memory, with the cable between them");
MODULE_LICENSE("GPL");
