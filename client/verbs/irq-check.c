/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Between the editor and "reload": what the service would say of the files as they are now. What
 * they match and set is not shown, because the rules that can be asked for are those in use.
 */
#include "args.h"
#include "client.h"
#include "irqbyrule.h"
#include "irqchange.h"
#include "plans.h"

static bool irq_check_refused(const json_t *changes)
{
	for (size_t i = 0; i < json_array_size(changes); i++)
		if (irqchange_is(json_array_get(changes, i), "refused"))
			return true;
	return false;
}

static int irq_check_run(struct client *c, const struct args *a)
{
	json_t *reply, *changes, *problems = json_array();
	g_autoptr(GString) out = g_string_new(NULL);
	int r;

	r = client_call(c, CLIENT_PATH, CLIENT_MANAGER, "CheckIrqRules", &reply, "a{sv}", 0);
	if (r) {
		json_decref(problems);
		return r;
	}
	plans_problems(json_array_get(reply, 0), "", out, problems);
	changes = json_array_get(reply, 1);
	if (json_array_size(problems) || irq_check_refused(changes))
		r = OUTCOME_ERROR;
	irqchange_complete(changes);
	if (c->json) {
		client_print_json(
			json_pack("{s:O, s:O?}", "problems", problems, "changes", changes));
	} else {
		irqbyrule_text(c, changes, NULL, out);
		client_print(c, out);
	}
	json_decref(problems);
	json_decref(reply);
	return r;
}

const struct verb verb_irq_check = {
	.name = "irq check",
	.operands = "",
	.help = "Check the rules' files as they are now, and show what a reload would change",
	.run = irq_check_run,
};
