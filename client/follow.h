/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * Being there until a session has ended: `session start --wait`, `session watch`, `session stop`.
 */
#include "client.h"
#include <systemd/sd-event.h>

enum follow_flags {
	FOLLOW_DRAW = 1,  /* live display, if stdout is a terminal */
	FOLLOW_STOPS = 2, /* Ctrl-C asks the service to stop the session, a second one leaves */
	FOLLOW_STOP = 4,  /* ask it to stop at once */
};

/* Somebody who works along with a session that is followed, in the same event loop. */
struct follow_partner {
	int (*attach)(sd_event *event, void *userdata); /* once; -errno */
	/* Called after each change, with all properties of the session at @path. */
	void (*changed)(const char *path, const json_t *properties, void *userdata);
	void *userdata;
};

/*
 * @start: a StartSession message to send once all signals are subscribed; NULL: follow @path.
 * Returns what the session's end means (outcome.h). *ret_path (g_free) is the session's, NULL when
 * there is nothing to report: it never started, the service went away or the user left. @partner:
 * NULL: nobody.
 */
int follow_session(struct client *c, sd_bus_message *start, const char *path, unsigned flags,
		   const struct follow_partner *partner, char **ret_path);
