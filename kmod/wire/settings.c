// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Attributes of a port's platform device. The settings are one attribute each of the same kind,
 * with the names and meanings of line.h's; the others tell which port it became.
 *
 *   delay_ns drop_every late_every late_ns stray_every stray_ns echo    read and write
 *   stray     write N: so many strays now, stray_ns from one to the next
 *   port irq  "parport1", its interrupt
 *
 * Where single samples are compared with the truth, echo wants a delay_ns, at the port that asks,
 * longer than its write takes: else the answer is there before the write has returned.
 */
#include <linux/device.h>
#include <linux/kernel.h>
#include <linux/parport.h>
#include <linux/platform_device.h>
#include <linux/sysfs.h>

#include "wire.h"

struct setting_attribute {
	struct device_attribute attribute;
	enum line_setting setting;
};

struct wire_port *wire_port_of(struct device *device)
{
	return *(struct wire_port **)dev_get_platdata(device);
}

static enum line_setting setting_of(struct device_attribute *attribute)
{
	return container_of(attribute, struct setting_attribute, attribute)->setting;
}

static ssize_t setting_show(struct device *device, struct device_attribute *attribute, char *buffer)
{
	struct wire_port *port = wire_port_of(device);
	unsigned long flags;
	u64 value;

	raw_spin_lock_irqsave(&port->wire->lock, flags);
	value = port->line.settings[setting_of(attribute)];
	raw_spin_unlock_irqrestore(&port->wire->lock, flags);
	return sysfs_emit(buffer, "%llu\n", value);
}

static ssize_t setting_store(struct device *device, struct device_attribute *attribute,
			     const char *buffer, size_t size)
{
	struct wire_port *port = wire_port_of(device);
	unsigned long flags;
	u64 value;
	int r;

	r = kstrtou64(buffer, 10, &value);
	if (r)
		return r;
	raw_spin_lock_irqsave(&port->wire->lock, flags);
	r = line_set(&port->line, setting_of(attribute), value);
	raw_spin_unlock_irqrestore(&port->wire->lock, flags);
	return r ?: size;
}

#define SETTING(_name, _setting)                                                                   \
	static struct setting_attribute setting_##_name = {                                        \
		.attribute = __ATTR(_name, 0644, setting_show, setting_store),                     \
		.setting = _setting,                                                               \
	}

SETTING(delay_ns, LINE_DELAY_NS);
SETTING(drop_every, LINE_DROP_EVERY);
SETTING(late_every, LINE_LATE_EVERY);
SETTING(late_ns, LINE_LATE_NS);
SETTING(stray_every, LINE_STRAY_EVERY);
SETTING(stray_ns, LINE_STRAY_NS);
SETTING(echo, LINE_ECHO);

static ssize_t stray_store(struct device *device, struct device_attribute *attribute,
			   const char *buffer, size_t size)
{
	u32 count;
	int r = kstrtou32(buffer, 10, &count);

	if (r)
		return r;
	wire_port_stray(wire_port_of(device), count);
	return size;
}
static DEVICE_ATTR_WO(stray);

/* There as long as the port is plugged in: the driver core takes attributes away before it unbinds.
 */
static ssize_t port_show(struct device *device, struct device_attribute *attribute, char *buffer)
{
	return sysfs_emit(buffer, "%s\n", wire_port_of(device)->parport->name);
}
static DEVICE_ATTR_RO(port);

static ssize_t irq_show(struct device *device, struct device_attribute *attribute, char *buffer)
{
	return sysfs_emit(buffer, "%u\n", wire_port_of(device)->irq.virq);
}
static DEVICE_ATTR_RO(irq);

static struct attribute *settings_attrs[] = {
	&setting_delay_ns.attribute.attr,
	&setting_drop_every.attribute.attr,
	&setting_late_every.attribute.attr,
	&setting_late_ns.attribute.attr,
	&setting_stray_every.attribute.attr,
	&setting_stray_ns.attribute.attr,
	&setting_echo.attribute.attr,
	&dev_attr_stray.attr,
	&dev_attr_port.attr,
	&dev_attr_irq.attr,
	NULL,
};

static const struct attribute_group settings_group = { .attrs = settings_attrs };

const struct attribute_group *wire_settings_groups[] = { &settings_group, NULL };
