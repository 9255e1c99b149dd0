/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "args.h"
#include "client.h"
#include "follow.h"
#include "report.h"
#include "session.h"

static int session_watch_run(struct client *c, const struct args *a)
{
	g_autofree char *path = NULL, *ended = NULL;
	int r = session_resolve(c, args_operand(a, 0), SESSION_ACTIVE, &path), shown;

	if (r)
		return r;
	r = follow_session(c, NULL, path, FOLLOW_DRAW, NULL, &ended);
	if (!ended)
		return r;
	shown = report_show(c, ended);
	return r == OUTCOME_DONE ? shown : r;
}

const struct verb verb_session_watch = {
	.name = "session watch",
	.operands = "[ID]",
	.help = "Follow a session (default: the one that measures), then print its report",
	.max = 1,
	.run = session_watch_run,
};
