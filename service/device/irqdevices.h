/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * Which devices an interrupt line works for, as sysfs tells: PCI address, driver, subsystem,
 * network interface, parallel port. Part of irqtable.c: read with a table, kept by nobody.
 *
 * A line is a device's when the device says so: PCI by its msi_irqs folder, or else by its irq file
 * while a driver is bound; other buses by their msi_irqs; PNP by the resources of a bound device; a
 * serial port by its irq file; a parallel port by /proc/sys/dev/parport. Of the rest, a device
 * whose name is an action of the line is taken for it, and at the very last an interface whose name
 * is. What hangs on a device (its children on other buses, interfaces, disks) counts for its line,
 * up to the first device above that has a line or is a PCI device.
 */
#include "irqtable.h"
#include "roottree.h"

struct irqdevices;

/* @lines: of struct irq_line. Never fails: what cannot be read is not known. */
struct irqdevices *irqdevices_read(const struct roottree *tree, const GPtrArray *lines);
struct irqdevices *irqdevices_free(struct irqdevices *d);

/* Appends what line @irq is known by, each once; strings go into @strings. */
void irqdevices_add_tags(const struct irqdevices *d, unsigned irq, GStringChunk *strings,
			 GArray *tags);
/*
 * The interface of a NAPI thread @comm, in @strings; of a cut name the only interface that begins
 * like it. NULL: none such. @d may be NULL: then the name as it is, if it is whole.
 */
const char *irqdevices_napi_interface(const struct irqdevices *d, const char *comm,
				      const struct kthread_name *what, GStringChunk *strings);
