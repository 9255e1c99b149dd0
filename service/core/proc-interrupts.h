/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * /proc/interrupts: one line per interrupt, one column per CPU that is online. Pure. Fuzzed.
 * Source: kernel/irq/proc.c, the architectures' arch_show_interrupts().
 */
#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

struct proc_irq {
	char *name;	  /* "24", "LOC", "IPI0" */
	bool device;	  /* the name is a number: a line that devices raise */
	guint n_counts;	  /* columns it has: as many as CPUs, fewer, or 1 for a total */
	bool total;	  /* its only count is not a CPU's */
	uint64_t *counts; /* in the order of the table's CPUs */
	char *text; /* what stands behind the counts, blanks around it removed; "" when nothing */
	char *actions; /* of a device: whose handlers, "eth0, parport0"; else as text */
	/* of a device, as far as the text says so; else NULL */
	char *chip, *hwirq;  /* "IO-APIC", "5" */
	const char *trigger; /* "edge", "level" */
	char **action_list;  /* actions at ", ", NULL-ended; a name with ", " inside comes apart */
	bool sure;	     /* where the actions begin is beyond doubt */
};

struct proc_interrupts {
	guint n_cpus;
	int *cpus;	     /* numbers of the CPUs in the title line, in its order */
	GPtrArray *lines;    /* of struct proc_irq */
	GHashTable *by_name; /* the first line of each name */
	GStringChunk *strings;
};

/* -EBADMSG: no table of interrupts. Lines that are none are left out. */
int proc_interrupts_parse(const char *text, size_t size, struct proc_interrupts **ret);
void proc_interrupts_free(struct proc_interrupts *t);
const struct proc_irq *proc_interrupts_find(const struct proc_interrupts *t, const char *name);

/*
 * How often the line @name came between two readings: on CPUs that both have, since one that went
 * offline takes its column along; a line that is new counts from 0. false: not there, or unknown.
 */
bool proc_interrupts_delta(const struct proc_interrupts *before,
			   const struct proc_interrupts *after, const char *name, uint64_t *ret);
