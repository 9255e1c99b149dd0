/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "args.h"
#include "client.h"
#include "duration.h"
#include "plans.h"
#include "table.h"

static void plan_list_row(struct table *t, const json_t *p)
{
	int64_t duration = field_number(p, "duration_ns", -1);
	int64_t interval = field_number(p, "interval_ns", -1);
	bool valid = field_true(p, "valid");

	table_cell(t, field_text(p, "name"));
	table_cell(t, field_text(p, "instrument"));
	table_take(t, valid ? g_strdup_printf("%zu", json_array_size(json_object_get(p, "stages")))
			    : g_strdup("-"));
	table_take(t, duration < 0 ? g_strdup("-") : duration_format(duration));
	table_take(t, interval <= 0 ? g_strdup("-") : duration_format(interval));
	table_cell(t, field_text(p, "policy"));
	table_cell(t, valid ? field_text(p, "description") : "has problems: see 'plan check'");
}

static int plan_list_run(struct client *c, const struct args *a)
{
	static const char *const headings[] = { "NAME",	      "INSTRUMENT", ">STAGES",
						">DURATION",  ">INTERVAL",  "POLICY",
						"DESCRIPTION" };
	g_autoptr(GString) out = g_string_new(NULL);
	struct table *t;
	json_t *plans;
	int r = plans_read(c, &plans);

	if (r)
		return r;
	if (c->json)
		return client_print_json(plans);
	t = table_new(headings, G_N_ELEMENTS(headings));
	for (size_t i = 0; i < json_array_size(plans); i++)
		plan_list_row(t, json_array_get(plans, i));
	json_decref(plans);
	if (table_rows(t)) {
		table_print(t, out, &c->terminal);
		client_print(c, out);
	} else {
		say("There are no plans.");
	}
	table_free(t);
	return OUTCOME_DONE;
}

const struct verb verb_plan_list = {
	.name = "plan list",
	.operands = "",
	.help = "List plans",
	.run = plan_list_run,
};
