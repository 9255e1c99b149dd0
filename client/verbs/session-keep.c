/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "args.h"
#include "client.h"
#include "session.h"

struct session_keep {
	struct client *c;
	int keep;
	const char *baseline; /* NULL: as it is */
};

static int session_keep_fill(sd_bus_message *m, const void *data)
{
	const struct session_keep *k = data;

	/* an older service knows no options here */
	return k->baseline ? client_append_text(m, "baseline", k->baseline) : OUTCOME_DONE;
}

static int session_keep_one(const struct session_keep *k, const char *name)
{
	g_autofree char *path = NULL;
	sd_bus_message *m = NULL;
	int r = session_resolve(k->c, name, SESSION_LAST, &path);

	if (!r)
		r = client_message(k->c, path, CLIENT_SESSION, "SetKeep", &m);
	if (!r) {
		r = sd_bus_message_append(m, "b", k->keep);
		r = r < 0 ? client_fail(NULL, r) : client_append_options(m, session_keep_fill, k);
	}
	if (!r)
		r = client_send(k->c, m, NULL);
	sd_bus_message_unref(m);
	return r;
}

/* One that cannot be marked does not keep the others from it. */
static int session_keep_run(struct client *c, const struct args *a)
{
	const struct session_keep k = {
		.c = c,
		.keep = !args_has(a, "off"),
		.baseline = args_value(a, "baseline"),
	};
	int worst = OUTCOME_DONE;

	if (!k.keep && k.baseline)
		return say_usage("--off takes the baseline away, too: no --baseline with it.");
	client_may_ask(c);
	for (guint i = 0; i < a->operands->len; i++) {
		int r = session_keep_one(&k, args_operand(a, i));

		if (r == OUTCOME_NO_DAEMON)
			return r;
		worst = MAX(worst, r);
	}
	return worst;
}

static const struct option_spec session_keep_options[] = {
	{ "off", 0, NULL, "Take the mark away, and with it the baseline" },
	{ "baseline", 0, "NAME", "It belongs to this baseline from now on (empty: to none)" },
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
