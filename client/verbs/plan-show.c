/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "args.h"
#include "client.h"
#include "plans.h"
#include <string.h>

static int plan_show_text(struct client *c, const json_t *plan)
{
	g_autoptr(GString) out = g_string_new(field_text(plan, "text"));

	if (!field_has(plan, "text")) {
		plans_problems(json_object_get(plan, "problems"), field_text(plan, "path"), out,
			       NULL);
		g_string_truncate(out, out->len ? out->len - 1 : 0);
		return say_error("The plan cannot be used: %s", out->str);
	}
	if (out->len && out->str[out->len - 1] != '\n')
		g_string_append_c(out, '\n');
	client_print(c, out);
	return OUTCOME_DONE;
}

static int plan_show_run(struct client *c, const struct args *a)
{
	const char *name = args_operand(a, 0);
	json_t *plans, *plan;
	int r = plans_read(c, &plans);

	if (r)
		return r;
	plan = plans_find(plans, name);
	if (!plan)
		r = plans_say_unknown(plans, name);
	else if (c->json)
		r = client_print_json(json_incref(plan));
	else
		r = plan_show_text(c, plan);
	json_decref(plans);
	return r;
}

const struct verb verb_plan_show = {
	.name = "plan show",
	.operands = "NAME",
	.help = "Print a plan's text",
	.min = 1,
	.max = 1,
	.run = plan_show_run,
};
