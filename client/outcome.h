/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * What lrtbfctl ends with: the exit statuses that scripts rely on, and how a session's end or a bus
 * error becomes one of them. The only place that decides it.
 */
#include <systemd/sd-bus.h>

enum outcome {
	OUTCOME_DONE = 0,	    /* done, and nothing failed */
	OUTCOME_ERROR = 1,	    /* error, or a session that failed */
	OUTCOME_EXCEEDED = 2,	    /* a limit was exceeded */
	OUTCOME_INCONCLUSIVE = 3,   /* the result cannot be trusted; stale or missing */
	OUTCOME_NOT_AUTHORIZED = 4, /* the caller may not */
	OUTCOME_NO_DAEMON = 5,	    /* no bus, or no daemon on it */
	OUTCOME_STOPPED = 6,	    /* session stopped or interrupted, or the user left */
	OUTCOME_USAGE = 64,	    /* the command line is wrong */
};

/* Of a session that has ended; words as on the bus. */
enum outcome outcome_of_session(const char *state, const char *verdict);

/* Of a failed call: by @e's name if set, else by the errno @r (negative). */
enum outcome outcome_of_error(const sd_bus_error *e, int r);
