/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "args.h"
#include "client.h"
#include "irqrules.h"
#include "table.h"

static void irq_rules_row(struct table *t, const json_t *rule)
{
	int64_t line = field_number(rule, "line", 0);
	g_autofree char *match = irqrules_match_text(rule), *sets = irqrules_sets_text(rule);

	table_cell(t, field_text(rule, "name"));
	if (line > 0)
		table_take(t,
			   g_strdup_printf("%s:%" G_GINT64_FORMAT, field_text(rule, "file"), line));
	else
		table_cell(t, field_text(rule, "file"));
	table_cell(t, match);
	table_cell(t, sets);
	if (*field_text(rule, "message"))
		table_take(t, g_strdup_printf("%s: %s", field_text(rule, "outcome"),
					      field_text(rule, "message")));
	else
		table_cell(t, field_text(rule, "outcome"));
}

static int irq_rules_run(struct client *c, const struct args *a)
{
	static const char *const headings[] = { "RULE", "FILE", "MATCH", "SETS", "NOW" };
	g_autoptr(GString) out = g_string_new(NULL);
	struct table *t;
	json_t *rules;
	int r = irqrules_read(c, &rules);

	if (r)
		return r;
	if (c->json)
		return client_print_json(rules);
	t = table_new(headings, G_N_ELEMENTS(headings));
	for (size_t i = 0; i < json_array_size(rules); i++)
		irq_rules_row(t, json_array_get(rules, i));
	json_decref(rules);
	if (table_rows(t)) {
		table_print(t, out, &c->terminal);
		client_print(c, out);
	} else {
		say("There are no rules.");
	}
	table_free(t);
	return OUTCOME_DONE;
}

const struct verb verb_irq_rules = {
	.name = "irq rules",
	.operands = "",
	.help = "List the rules, in the order in which they count",
	.run = irq_rules_run,
};
