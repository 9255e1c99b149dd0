/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * Being there until a session has ended: `session start --wait`, `session watch`, `session stop`.
 */
#include "client.h"

enum follow_flags {
	FOLLOW_DRAW = 1,  /* live display, if stdout is a terminal */
	FOLLOW_STOPS = 2, /* Ctrl-C asks the service to stop the session, a second one leaves */
	FOLLOW_STOP = 4,  /* ask it to stop at once */
};

/*
 * @start: a StartSession message to send once all signals are subscribed; NULL: follow @path.
 * Returns what the session's end means (outcome.h). *ret_path (g_free) is the session's, NULL when
 * there is nothing to report: it never started, the service went away or the user left.
 */
int follow_session(struct client *c, sd_bus_message *start, const char *path, unsigned flags,
		   char **ret_path);
