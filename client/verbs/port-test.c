/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The service decides what it found and says it; here it is printed. The exit status says whether
 * something answered, which is what a script wants to know.
 */
#include "args.h"
#include "client.h"
#include "duration.h"
#include "ports.h"
#include "text.h"
#include <inttypes.h>

struct port_test {
	struct client *c;
	uint32_t pulses; /* 0: as the service likes */
	const char *interval;
};

static int port_test_wishes(const struct args *a, struct port_test *t)
{
	const char *pulses = args_value(a, "pulses");
	g_autofree char *why = NULL;
	uint64_t interval_ns;
	int64_t n = 0;

	t->interval = args_value(a, "interval");
	if (pulses && integer_parse(pulses, 1, UINT32_MAX, &n, &why) < 0)
		return say_usage("--pulses: %s", why);
	if (t->interval && duration_parse(t->interval, 0, &interval_ns, &why) < 0)
		return say_usage("--interval: %s", why);
	t->pulses = (uint32_t)n;
	return OUTCOME_DONE;
}

static int port_test_call(const struct port_test *t, const char *path, json_t **ret)
{
	sd_bus_message *m = NULL;
	json_t *reply;
	int r, e;

	client_may_ask(t->c);
	r = client_message(t->c, path, CLIENT_PORT, "Test", &m);
	if (r)
		return r;
	e = sd_bus_message_open_container(m, 'a', "{sv}");
	if (e >= 0 && t->pulses)
		e = sd_bus_message_append(m, "{sv}", "pulses", "u", t->pulses);
	if (e >= 0 && t->interval)
		e = sd_bus_message_append(m, "{sv}", "interval", "s", t->interval);
	if (e >= 0)
		e = sd_bus_message_close_container(m);
	r = e < 0 ? client_fail(NULL, e) : client_send(t->c, m, &reply);
	sd_bus_message_unref(m);
	if (r)
		return r;
	*ret = json_incref(json_array_get(reply, 0));
	json_decref(reply);
	return OUTCOME_DONE;
}

static void port_test_counts(GString *out, const json_t *found)
{
	static const char *const keys[] = { "pulses", "answers", "lost",
					    "late",   "strays",	 "interrupts" };
	const char *receive = field_text(found, "receive");

	g_string_append_printf(out, "Role %s%s%s:", field_text(found, "role"),
			       *receive ? ", receive " : "", receive);
	for (size_t i = 0; i < G_N_ELEMENTS(keys); i++)
		if (field_has(found, keys[i]))
			g_string_append_printf(out, "%s %" PRIi64 " %s", i ? "," : "",
					       field_number(found, keys[i], 0), keys[i]);
	g_string_append(out, ".\n");
}

static void port_test_latencies(GString *out, const json_t *found)
{
	g_autofree char *min = text_latency((uint64_t)MAX(field_number(found, "min_ns", 0), 0));
	g_autofree char *avg = text_latency((uint64_t)MAX(field_number(found, "avg_ns", 0), 0));
	g_autofree char *max = text_latency((uint64_t)MAX(field_number(found, "max_ns", 0), 0));
	g_autofree char *access =
		text_latency((uint64_t)MAX(field_number(found, "access_ns", 0), 0));

	if (field_has(found, "max_ns"))
		g_string_append_printf(out, "Latency: minimum %s, average %s, maximum %s.\n", min,
				       avg, max);
	if (field_has(found, "access_ns"))
		g_string_append_printf(out, "One access to the port takes %s.\n", access);
}

static void port_test_print(struct client *c, const char *name, const json_t *found)
{
	g_autofree char *text = text_clean(field_text(found, "text"), c->terminal.utf8);
	g_autofree char *verdict = text_clean(field_text(found, "verdict"), c->terminal.utf8);
	g_autoptr(GString) out = g_string_new(NULL);

	g_string_append_printf(out, "%s: %s\n", name, verdict);
	text_wrap(out, text, 4, c->terminal.width);
	if (field_has(found, "role")) {
		port_test_counts(out, found);
		port_test_latencies(out, found);
	}
	client_print(c, out);
}

static int port_test_outcome(const json_t *found)
{
	const char *verdict = field_text(found, "verdict");

	return g_str_equal(verdict, "jumper") || g_str_equal(verdict, "cable") ? OUTCOME_DONE
									       : OUTCOME_ERROR;
}

static int port_test_run(struct client *c, const struct args *a)
{
	struct port_test t = { .c = c };
	g_autofree char *path = NULL;
	json_t *row = NULL, *found = NULL;
	int r = port_test_wishes(a, &t);

	if (!r)
		r = ports_read_one(c, args_operand(a, 0), &row);
	if (r)
		return r;
	path = ports_path(field_text(row, "name"));
	r = path ? port_test_call(&t, path, &found)
		 : (int)say_error("The answer of lrtbfd cannot be read.");
	if (r == OUTCOME_DONE) {
		r = port_test_outcome(found);
		if (c->json)
			client_print_json(json_incref(found));
		else
			port_test_print(c, field_text(row, "name"), found);
		json_decref(found);
	}
	json_decref(row);
	return r;
}

static const struct option_spec port_test_options[] = {
	{ "pulses", 0, "N", "How many pulses (default: 100)" },
	{ "interval", 0, "TIME", "From one pulse to the next (default: 2ms)" },
	{ NULL },
};

const struct verb verb_port_test = {
	.name = "port test",
	.operands = "[PORT]",
	.help = "Find out what is at a parallel port: a jumper, a cable, nothing (unplug printers)",
	.max = 1,
	.options = port_test_options,
	.run = port_test_run,
};
