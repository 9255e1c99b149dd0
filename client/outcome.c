/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A session that was stopped or broken off is 6 whatever its verdict: its figures are of a shorter
 * run than was asked for, and a script that waits for a full one must see that first.
 */
#include "outcome.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>

enum outcome outcome_of_session(const char *state, const char *verdict)
{
	if (strcmp(state, "failed") == 0)
		return OUTCOME_ERROR;
	if (strcmp(state, "done") != 0)
		return OUTCOME_STOPPED;
	if (strcmp(verdict, "fail") == 0)
		return OUTCOME_EXCEEDED;
	if (strcmp(verdict, "inconclusive") == 0)
		return OUTCOME_INCONCLUSIVE;
	return OUTCOME_DONE;
}

static const struct {
	const char *name;
	enum outcome outcome;
} outcome_errors[] = {
	{ "org.lrtbf1.Error.NotAuthorized", OUTCOME_NOT_AUTHORIZED },
	{ SD_BUS_ERROR_ACCESS_DENIED, OUTCOME_NOT_AUTHORIZED },
	{ SD_BUS_ERROR_AUTH_FAILED, OUTCOME_NOT_AUTHORIZED },
	{ SD_BUS_ERROR_INTERACTIVE_AUTHORIZATION_REQUIRED, OUTCOME_NOT_AUTHORIZED },
	/* the sides of a comparison: there is no answer to what was asked */
	{ "org.lrtbf1.Error.NotComparable", OUTCOME_INCONCLUSIVE },
	{ SD_BUS_ERROR_SERVICE_UNKNOWN, OUTCOME_NO_DAEMON },
	{ SD_BUS_ERROR_NAME_HAS_NO_OWNER, OUTCOME_NO_DAEMON },
	{ SD_BUS_ERROR_NO_REPLY, OUTCOME_NO_DAEMON },
	{ SD_BUS_ERROR_TIMEOUT, OUTCOME_NO_DAEMON },
	{ SD_BUS_ERROR_DISCONNECTED, OUTCOME_NO_DAEMON },
	{ SD_BUS_ERROR_NO_SERVER, OUTCOME_NO_DAEMON },
};

enum outcome outcome_of_error(const sd_bus_error *e, int r)
{
	static const char spawn[] = "org.freedesktop.DBus.Error.Spawn.", local[] = "System.Error.";

	if (e && e->name && strncmp(e->name, local, strlen(local)) == 0) {
		r = -sd_bus_error_get_errno(e); /* libsystemd's own trouble, not an answer */
	} else if (e && e->name) {
		for (size_t i = 0; i < sizeof(outcome_errors) / sizeof(*outcome_errors); i++)
			if (strcmp(outcome_errors[i].name, e->name) == 0)
				return outcome_errors[i].outcome;
		if (strncmp(e->name, spawn, strlen(spawn)) == 0)
			return OUTCOME_NO_DAEMON;
		return OUTCOME_ERROR;
	}
	switch (-r) {
	case EPERM:
	case EACCES:
		return OUTCOME_NOT_AUTHORIZED;
	case ENOENT:
	case ECONNREFUSED:
	case ECONNRESET:
	case ENOTCONN:
	case EHOSTDOWN:
	case EPIPE:
	case ESHUTDOWN:
	case ETIMEDOUT:
		return OUTCOME_NO_DAEMON;
	default:
		return OUTCOME_ERROR;
	}
}
