/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "args.h"
#include "client.h"
#include "follow.h"
#include "session.h"

/*
 * Waits for the end (a second at most), so that `session report last` after it is about this one.
 * How the session ended is not this command's result: it did what was asked.
 */
static int session_stop_run(struct client *c, const struct args *a)
{
	g_autofree char *path = NULL, *ended = NULL;
	int r = session_resolve(c, args_operand(a, 0), SESSION_ACTIVE, &path);

	if (r)
		return r;
	client_may_ask(c);
	r = follow_session(c, NULL, path, FOLLOW_STOP, NULL, &ended);
	return ended ? OUTCOME_DONE : r;
}

const struct verb verb_session_stop = {
	.name = "session stop",
	.operands = "[ID]",
	.help = "Stop a session (default: the one that measures); its data is kept",
	.max = 1,
	.run = session_stop_run,
};
