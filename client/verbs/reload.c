/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What is wrong with the files is printed as plan check does it, so that an editor can jump there.
 * The other files, and the other rules of a file, are in use all the same.
 */
#include "args.h"
#include "client.h"
#include "plans.h"

static int reload_run(struct client *c, const struct args *a)
{
	g_autoptr(GString) lines = g_string_new(NULL);
	json_t *reply, *problems = json_array();
	int r;

	client_may_ask(c);
	r = client_call(c, CLIENT_PATH, CLIENT_MANAGER, "Reload", &reply, "a{sv}", 0);
	if (!r) {
		plans_problems(json_array_get(reply, 0), "", lines, problems);
		json_decref(reply);
		r = json_array_size(problems) ? OUTCOME_ERROR : OUTCOME_DONE;
		if (c->json)
			client_print_json(json_incref(problems));
		else
			client_print(c, lines);
	}
	json_decref(problems);
	return r;
}

const struct verb verb_reload = {
	.name = "reload",
	.operands = "",
	.help = "Read configuration, plans, loads and rules again, and apply the rules",
	.run = reload_run,
};
