/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "args.h"
#include "client.h"
#include "ports.h"
#include "text.h"
#include <inttypes.h>

static void port_show_line(GString *out, const struct client *c, const char *key, const char *value)
{
	g_autofree char *clean = text_clean(value, c->terminal.utf8);

	g_string_append_printf(out, "%10s: %s\n", key, *clean ? clean : "-");
}

static void port_show_thread(GString *out, const struct client *c, const json_t *row)
{
	g_autofree char *text =
		field_has(row, "thread")
			? g_strdup_printf("%s (tid %" PRIi64 ")", field_text(row, "thread"),
					  field_number(row, "tid", 0))
			: g_strdup("none");

	port_show_line(out, c, "Thread", text);
}

static int port_show_run(struct client *c, const struct args *a)
{
	g_autoptr(GString) out = g_string_new(NULL);
	g_autofree char *state = NULL, *means = NULL, *base = NULL, *irq = NULL;
	json_t *row;
	int r = ports_read_one(c, args_operand(a, 0), &row);

	if (r)
		return r;
	if (c->json)
		return client_print_json(row);
	means = ports_explain(row);
	base = ports_base(row);
	irq = ports_irq(row);
	state = g_strdup_printf("%s%s%s", field_text(row, "state"), *means ? ": " : "", means);
	port_show_line(out, c, "Name", field_text(row, "name"));
	port_show_line(out, c, "State", state);
	port_show_line(out, c, "Held by",
		       field_has(row, "holder") ? field_text(row, "holder") : "nobody");
	port_show_line(out, c, "Base", base ?: "none");
	port_show_line(out, c, "Interrupt", irq ?: "none");
	port_show_thread(out, c, row);
	port_show_line(out, c, "Driver", field_text(row, "driver"));
	port_show_line(out, c, "Device", field_text(row, "device"));
	json_decref(row);
	client_print(c, out);
	return OUTCOME_DONE;
}

const struct verb verb_port_show = {
	.name = "port show",
	.operands = "[PORT]",
	.help = "Show a parallel port (default: the only one)",
	.max = 1,
	.run = port_show_run,
};
