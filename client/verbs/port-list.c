/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "args.h"
#include "client.h"
#include "ports.h"
#include "table.h"

static void port_list_row(struct table *t, const json_t *row)
{
	table_cell(t, field_text(row, "name"));
	table_cell(t, field_text(row, "state"));
	table_take(t, ports_base(row) ?: g_strdup("-"));
	table_take(t, ports_irq(row) ?: g_strdup("-"));
	table_cell(t, field_text(row, "thread"));
	table_cell(t, field_text(row, "driver"));
	table_take(t, ports_explain(row));
}

static int port_list_run(struct client *c, const struct args *a)
{
	static const char *const headings[] = { "NAME",	  "STATE",  ">BASE", ">IRQ",
						"THREAD", "DRIVER", "MEANS" };
	g_autoptr(GString) out = g_string_new(NULL);
	struct table *t;
	json_t *rows;
	int r = ports_read(c, &rows);

	if (r)
		return r;
	if (c->json)
		return client_print_json(rows);
	t = table_new(headings, G_N_ELEMENTS(headings));
	for (size_t i = 0; i < json_array_size(rows); i++)
		port_list_row(t, json_array_get(rows, i));
	json_decref(rows);
	if (table_rows(t)) {
		table_print(t, out, &c->terminal);
		client_print(c, out);
	} else {
		say("This machine has no parallel port, or no driver for it is loaded.");
	}
	table_free(t);
	return OUTCOME_DONE;
}

const struct verb verb_port_list = {
	.name = "port list",
	.operands = "",
	.help = "List parallel ports and what state they are in",
	.run = port_list_run,
};
