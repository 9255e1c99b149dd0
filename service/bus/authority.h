/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * May this caller do that? uid 0 and the daemon's own uid may do everything; of all others polkit
 * is asked. On a bus without polkit they may change nothing.
 *
 * Nothing here blocks: whose connection a name is, is asked of the bus, then polkit, and the call
 * goes on when the answers came. A caller that leaves meanwhile takes his call with him.
 */
#include <glib.h>
#include <sys/types.h>
#include <systemd/sd-bus.h>

struct authority;

#define AUTHORITY_NO_OWNER ((uid_t)-1)

/* polkit's actions, as dbus/org.lrtbf1.policy describes them. */
#define ACTION_MEASURE	 "org.lrtbf1.measure"
#define ACTION_MANAGE	 "org.lrtbf1.manage-results"
#define ACTION_CONFIGURE "org.lrtbf1.configure"
#define ACTION_IRQS	 "org.lrtbf1.set-irq-priority"

/*
 * Goes on with the call: answers it, or returns negative with @error set, which is answered then.
 * @caller: uid.
 */
typedef int (*authority_then_t)(sd_bus_message *call, uid_t caller, void *data,
				sd_bus_error *error);

struct authority_request {
	const char *action;	   /* polkit's id, static */
	const char *others_action; /* asked instead when @owner is another uid; NULL: the same */
	uid_t owner;		   /* of the thing that is changed; AUTHORITY_NO_OWNER: nobody */
	authority_then_t then;
	void *data;
	GDestroyNotify free; /* of data, called once in any case; may be NULL */
};

struct authority *authority_new(sd_bus *bus);
struct authority *authority_free(struct authority *a); /* calls that wait are dropped */

/*
 * For a method handler's `return`: 1, the call will be answered later; negative with @error set
 * (NotAuthorized; LimitsExceeded: too many wait already).
 */
int authority_check(struct authority *a, sd_bus_message *call,
		    const struct authority_request *request, sd_bus_error *error);
