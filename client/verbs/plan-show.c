/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "args.h"
#include "client.h"
#include "planpower.h"
#include "plans.h"

static int plan_show_problems(const json_t *plan)
{
	g_autoptr(GString) out = g_string_new(NULL);

	plans_problems(json_object_get(plan, "problems"), field_text(plan, "path"), out, NULL);
	g_string_truncate(out, out->len ? out->len - 1 : 0);
	return say_error("The plan cannot be used: %s", out->str);
}

static int plan_show_text(struct client *c, const json_t *plan)
{
	g_autoptr(GString) out = g_string_new(field_text(plan, "text"));

	if (out->len && out->str[out->len - 1] != '\n')
		g_string_append_c(out, '\n');
	client_print(c, out);
	return OUTCOME_DONE;
}

static int plan_show_power(struct client *c, json_t *plan)
{
	g_autoptr(GString) out = g_string_new(NULL);
	json_t *power = planpower_json(plan);

	if (c->json) {
		json_object_set_new(plan, "power", power);
		return client_print_json(json_incref(plan));
	}
	planpower_print(power, out, &c->terminal);
	json_decref(power);
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
	else if (!field_has(plan, "text") && (!c->json || args_has(a, "power")))
		r = plan_show_problems(plan);
	else if (args_has(a, "power"))
		r = plan_show_power(c, plan);
	else if (c->json)
		r = client_print_json(json_incref(plan));
	else
		r = plan_show_text(c, plan);
	json_decref(plans);
	return r;
}

static const struct option_spec plan_show_options[] = {
	{ "power", 0, NULL, "How rare an event its time would show, and how long rarer ones take" },
	{ NULL },
};

const struct verb verb_plan_show = {
	.name = "plan show",
	.operands = "NAME",
	.help = "Print a plan's text",
	.options = plan_show_options,
	.min = 1,
	.max = 1,
	.run = plan_show_run,
};
