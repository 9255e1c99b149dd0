/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * /proc/cpuinfo: "key : value" lines whose keys are each architecture's own. Pure. Fuzzed.
 */
#include <glib.h>
#include <stdbool.h>

struct proc_cpuinfo {		  /* of the first CPU */
	char *model;		  /* NULL: the architecture has no name for it */
	char *vendor, *microcode; /* NULL: not told */
	bool has_flags;		  /* there are x86's flags, so that hypervisor is an answer */
	bool hypervisor;	  /* runs in a virtual machine */
};

void proc_cpuinfo_parse(const char *text, size_t size, struct proc_cpuinfo *ret);
void proc_cpuinfo_done(struct proc_cpuinfo *c);
