/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "args.h"
#include "client.h"
#include "session.h"

static int session_keep_one(struct client *c, const char *name, int keep)
{
	g_autofree char *path = NULL;
	int r = session_resolve(c, name, SESSION_LAST, &path);

	return r ? r : client_call(c, path, CLIENT_SESSION, "SetKeep", NULL, "ba{sv}", keep, 0);
}

/* One that cannot be marked does not keep the others from it. */
static int session_keep_run(struct client *c, const struct args *a)
{
	int worst = OUTCOME_DONE, keep = !args_has(a, "off");

	client_may_ask(c);
	for (guint i = 0; i < a->operands->len; i++) {
		int r = session_keep_one(c, args_operand(a, i), keep);

		if (r == OUTCOME_NO_DAEMON)
			return r;
		worst = MAX(worst, r);
	}
	return worst;
}

static const struct option_spec session_keep_options[] = {
	{ "off", 0, NULL, "Take the mark away" },
	{ NULL },
};

const struct verb verb_session_keep = {
	.name = "session keep",
	.operands = "ID...",
	.help = "Mark sessions to be kept whole, whatever their plan's \"keep\" says",
	.options = session_keep_options,
	.min = 1,
	.max = VERB_ANY,
	.run = session_keep_run,
};
