/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "args.h"
#include "client.h"

static int session_delete_one(struct client *c, const char *id, bool force)
{
	int r = client_check_text(id);

	if (r)
		return r;
	if (!force) /* an older service knows no options here */
		return client_call(c, CLIENT_PATH, CLIENT_MANAGER, "DeleteSession", NULL, "sa{sv}",
				   id, 0);
	return client_call(c, CLIENT_PATH, CLIENT_MANAGER, "DeleteSession", NULL, "sa{sv}", id, 1,
			   "force", "b", 1);
}

/* One that cannot be deleted does not keep the others; without a service there is no use going on.
 */
static int session_delete_run(struct client *c, const struct args *a)
{
	int worst = OUTCOME_DONE;

	client_may_ask(c);
	for (guint i = 0; i < a->operands->len; i++) {
		int r = session_delete_one(c, args_operand(a, i), args_has(a, "force"));

		if (r == OUTCOME_NO_DAEMON)
			return r;
		worst = MAX(worst, r);
	}
	return worst;
}

static const struct option_spec session_delete_options[] = {
	{ "force", 0, NULL, "Even those that are marked to be kept" },
	{ NULL },
};

const struct verb verb_session_delete = {
	.name = "session delete",
	.operands = "ID...",
	.help = "Delete ended sessions with all their data",
	.options = session_delete_options,
	.min = 1,
	.max = VERB_ANY,
	.run = session_delete_run,
};
