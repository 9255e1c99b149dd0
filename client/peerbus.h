/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * The connection to the lrtbfd of another machine.
 */
#include <systemd/sd-bus.h>

/*
 * @where: [USER@]HOST, by ssh, or a D-Bus address. -EINVAL: neither. That ssh cannot connect shows
 * with the first call.
 */
int peerbus_open(const char *where, sd_bus **ret);
/* The address that @where means; NULL: none. g_free(). Pure. */
char *peerbus_address(const char *where);
