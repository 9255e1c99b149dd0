/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "args.h"
#include "client.h"
#include "irqbyrule.h"
#include "irqchange.h"
#include "irqrules.h"

static int irq_apply_run(struct client *c, const struct args *a)
{
	g_autoptr(GString) out = g_string_new(NULL);
	json_t *changes, *known = NULL;
	bool dry = args_has(a, "dry-run");
	int r, rules;

	if (!dry)
		client_may_ask(c);
	r = irqchange_call_policy(c, "ApplyIrqPolicy", dry, &changes);
	if (!changes)
		return r;
	irqchange_complete(changes);
	if (c->json) {
		client_print_json(changes);
		return r;
	}
	rules = json_array_size(changes) ? irqrules_read(c, &known) : OUTCOME_DONE;
	irqbyrule_text(c, changes, known, out);
	client_print(c, out);
	json_decref(changes);
	json_decref(known);
	return MAX(r, rules);
}

static const struct option_spec irq_apply_options[] = {
	{ "dry-run", 0, NULL, "Only show what would change" },
	{ NULL },
};

const struct verb verb_irq_apply = {
	.name = "irq apply",
	.operands = "",
	.help = "Bring the rules into force now, and show what that changes",
	.options = irq_apply_options,
	.run = irq_apply_run,
};
