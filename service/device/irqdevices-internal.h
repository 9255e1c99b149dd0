/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* What the parts of irqdevices.h share: irqdevices.c keeps and answers, irqsysfs.c reads. */
#include "irqdevices.h"

/* A device that interrupt lines belong to, or where the way up from what hangs on it ends. */
struct irqdevice {
	char *path;   /* below /sys: "devices/pci0000:00/0000:00:03.0" */
	GArray *tags; /* of struct rule_tag; strings are irqdevices.strings' */
	bool lined;   /* it has a line */
};

struct irqdevices {
	GHashTable *by_path; /* path -> struct irqdevice, which it owns */
	GHashTable *by_irq;  /* number -> GPtrArray of struct irqdevice */
	GPtrArray *interfaces;
	GStringChunk *strings;
};

struct irqdevice *irqdevices_get(struct irqdevices *d, const char *path);
/* @path's own or the first above it; NULL: none. */
struct irqdevice *irqdevices_above(const struct irqdevices *d, const char *path);
void irqdevices_add_line(struct irqdevices *d, struct irqdevice *device, unsigned irq);
void irqdevice_add_tag(struct irqdevices *d, struct irqdevice *device, enum rule_key key,
		       const char *value);

/* Everything of @tree into @d; @lines: of struct irq_line. */
void irqsysfs_read(struct irqdevices *d, const struct roottree *tree, const GPtrArray *lines);
