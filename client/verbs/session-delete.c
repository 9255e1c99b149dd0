/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "args.h"
#include "client.h"

static int session_delete_one(struct client *c, const char *id)
{
	int r = client_check_text(id);

	return r ? r
		 : client_call(c, CLIENT_PATH, CLIENT_MANAGER, "DeleteSession", NULL, "sa{sv}", id,
			       0);
}

/* One that cannot be deleted does not keep the others; without a service there is no use going on.
 */
static int session_delete_run(struct client *c, const struct args *a)
{
	int worst = OUTCOME_DONE;

	client_may_ask(c);
	for (guint i = 0; i < a->operands->len; i++) {
		int r = session_delete_one(c, args_operand(a, i));

		if (r == OUTCOME_NO_DAEMON)
			return r;
		worst = MAX(worst, r);
	}
	return worst;
}

const struct verb verb_session_delete = {
	.name = "session delete",
	.operands = "ID...",
	.help = "Delete ended sessions with all their data",
	.min = 1,
	.max = VERB_ANY,
	.run = session_delete_run,
};
