/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * What /proc/sys/dev/parport/NAME says of a port, and where resources of a device begin. Pure.
 * Fuzzed. Source: drivers/parport/procfs.c, drivers/pnp/interface.c, drivers/pci/pci-sysfs.c.
 */
#include <stdbool.h>
#include <stdint.h>

/* base-addr, "888\t1912": the second one is of ECP's registers. 0: none, or no such text. */
uint64_t proc_parport_base(const char *text);
/* irq, "7" or "none". -1: none, or no such text. */
int proc_parport_irq(const char *text);
/* devices/active: who has claimed it, UTF-8, g_free(); NULL: "none". */
char *proc_parport_active(const char *text);

/* Does a line of a pnp device's resources ("io 0x378-0x37f") or of a pci device's resource
 * ("0x0378 0x037f 0x0101") begin at @base? */
bool resource_begins(const char *text, uint64_t base);
