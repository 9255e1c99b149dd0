/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * All parallel ports, from the daemon's start on: which there are, and what state each is in. One
 * owner (daemon.c), event loop's thread only.
 *
 * udev's events are a reason to read all ports again, PORTS_QUIET_USEC after the last one of a
 * burst, PORTS_PATIENCE_USEC after its first at the latest; nothing in an event is used, and one
 * that was lost is a reason too. So a port that comes and goes at once, as parport_pc's legacy
 * probe makes one, is never told of. One that is still being made is looked at again every
 * PORTS_RETRY_USEC. Nothing wakes up while nothing happens. Who holds a port changes without an
 * event: it is read when somebody asks, ports_refresh().
 */
#include "port.h"

#include <systemd/sd-event.h>

#define PORTS_QUIET_USEC    UINT64_C(50000)
#define PORTS_PATIENCE_USEC UINT64_C(500000)
#define PORTS_RETRY_USEC    UINT64_C(250000)
#define PORTS_RETRIES	    40 /* then it is as it is: a kernel without these settings */

struct ports;

enum ports_news {
	PORTS_ADDED,
	PORTS_CHANGED, /* what: bits of enum port_change */
	PORTS_REMOVED, /* freed next */
};

enum port_change {
	PORT_CHANGE_STATE = 1,
	PORT_CHANGE_HOLDER = 2,
	PORT_CHANGE_BASE = 4,
	PORT_CHANGE_IRQ = 8,
	PORT_CHANGE_DRIVER = 16,
	PORT_CHANGE_DEVICE = 32,
	PORT_CHANGE_ROLE = 64,
};

/* May not free the ports. */
typedef void (*ports_news_t)(enum ports_news news, const struct port *p, unsigned what,
			     void *userdata);

struct ports_params {
	sd_event *event;
	const char *root;  /* "/": this machine; a captured tree is read once and never changes */
	ports_news_t news; /* never before ports_new() has returned; NULL: nobody */
	void *userdata;
};

/*
 * A machine without ports has none, which is no error. Events that cannot be had are none either:
 * all is read at each request then, and ports_watching() says so. -errno of sd-event; -ENOENT, ...:
 * no such tree.
 */
int ports_new(const struct ports_params *params, struct ports **ret);
struct ports *ports_free(struct ports *s);
bool ports_watching(const struct ports *s);

/* Of struct port, parport2 before parport10. Borrowed, until the event loop's next turn. */
const GPtrArray *ports_all(const struct ports *s);
const struct port *ports_find(const struct ports *s, const char *name); /* NULL: none */
/* Who holds them now. News, if any, come from within; a port that is gone goes. From within news
 * nothing happens. */
void ports_refresh(struct ports *s);
/* All of it, without waiting for events: something was done to them just now. */
void ports_read(struct ports *s);

/* A session or test begins to use a port, as @role (static); NULL: it has ended. Of a port that is
 * not there, nothing happens. */
void ports_set_role(struct ports *s, const char *name, const char *role);

/* The kernel module lrtbf is loaded, to be seen by its own device. */
bool ports_module_loaded(const struct ports *s);

/*
 * Can @name be measured with, as far as can be told without trying? -ENODEV: no such port (says
 * which there are and what about them), no module, no interrupt though @irq, behind USB; -EBUSY:
 * held, and by whom. With a sentence. What a session of ours has is not held.
 */
int ports_check(struct ports *s, const char *name, bool irq, char **ret_message);
/* "parport0 (ready)", "none": for sentences. g_free(). */
char *ports_describe(const struct ports *s);
