/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * One parallel port as it is at one moment: where it is, who has it, whether our kernel module is
 * there for it. Read below "/" or a captured tree; changes nothing. Owned by ports.c.
 *
 * A port is there when sysfs (the bus parport) or its settings in /proc/sys/dev/parport know it.
 */
#include "roottree.h"

#include <stdint.h>

enum port_state {
	PORT_ABSENT,	/* pulled: shown as long as a session has not ended over it */
	PORT_PRESENT,	/* a port, but the kernel module lrtbf is not there for it */
	PORT_BUSY,	/* another driver has it */
	PORT_READY,	/* the module's device is there, nobody has the port */
	PORT_MEASURING, /* a session or a test of ours has it, or somebody else through the module
			 */
	_PORT_STATE_MAX,
};

struct port {
	char *name; /* "parport0" */
	enum port_state state;
	char *holder;  /* driver that has it now: "lp", "ppdev0", "lrtbf"; NULL: nobody */
	uint64_t base; /* address; 0: none, as behind USB */
	int irq;       /* interrupt line; -1: none */
	char *driver;  /* of the device that it is on: "parport_pc"; NULL: not known */
	char *device;  /* that device, below /sys: "/devices/pnp0/00:04"; NULL: not known */
	char *node;    /* "/dev/lrtbf-parport0"; NULL: there is none */
	const char
		*role; /* what a session measures on it: "loopback"; NULL: none does. ports.c's */
};

/* The module's name, as a driver of ports. */
#define PORT_MODULE "lrtbf"

/* Names of all ports, sorted. g_ptr_array_unref(). */
GPtrArray *port_names(const struct roottree *t);
/* Its settings are there. Until then sysfs knows the port, but its driver is still asking what is
 * at its other end, which can take seconds. */
bool port_announced(const struct roottree *t, const char *name);
/* A name that a port can have: small letters and digits. Others are none of the kernel's. */
bool port_name_valid(const char *name);
/* As strcmp(), but parport2 comes before parport10. */
int port_name_compare(const char *x, const char *y);

/* 0, or -ENOENT: there is no such port. @ret: port_done(). */
int port_read(const struct roottree *t, const char *name, struct port *ret);
/* Holder and state alone, which change without any event. -ENOENT: gone. */
int port_read_holder(const struct roottree *t, struct port *p);
void port_done(struct port *p);

/* The name of the interrupt thread of port @p, "irq/7-parport0", and its tid. g_free(); NULL: none
 * or not to be seen. */
char *port_thread(const char *root, const struct port *p, pid_t *ret_tid);

const char *port_state_to_string(enum port_state s);
