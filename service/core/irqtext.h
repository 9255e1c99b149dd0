/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * What stands behind the counts of an interrupt in /proc/interrupts: chip, hardware number, trigger
 * and whose handlers. Pure. Fuzzed with proc-interrupts.h. Source: show_interrupts() of
 * kernel/irq/proc.c.
 */
#include <stdbool.h>
#include <stddef.h>

struct irqtext { /* parts of the text that was parsed; NULL and 0: not there */
	const char *chip, *hwirq, *actions;
	size_t chip_size, hwirq_size, actions_size;
	const char *trigger; /* "edge", "level"; NULL: not said */
	bool sure; /* hardware number and trigger are there, with the kernel's own blanks behind
		      them, and so the actions begin for certain where they are said to */
};

/* @text: blanks around it removed. Never fails: what cannot be told is left out. */
void irqtext_parse(const char *text, size_t size, struct irqtext *ret);

/*
 * How many bytes of @actions ("eth0, parport0") the first name has; the next one begins
 * IRQTEXT_SEPARATOR_SIZE behind it. Names with ", " inside cannot be told from two.
 */
size_t irqtext_action_size(const char *actions, size_t size);
#define IRQTEXT_SEPARATOR_SIZE 2

/*
 * The same from two sources that separate differently: @sysfs has "," between names
 * (/sys/kernel/irq/N/actions), @proc has ", ". Together they tell names that hold either. Bytes of
 * the first name, which both begin with; the next one begins 1 behind it in @sysfs and 2 behind it
 * in @proc. 0 with @sysfs not empty: they are not of the same moment, or a name is empty.
 */
size_t irqtext_action_size_both(const char *sysfs, size_t sysfs_size, const char *proc,
				size_t proc_size);
