/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "args.h"
#include "client.h"
#include "follow.h"
#include "peer.h"
#include "report.h"
#include "session.h"
#include <stdio.h>
#include <string.h>

/* Wishes over the plan: sent as they are, under the plan's own key; the service reads them. */
static const struct {
	const char *option, *key;
} session_start_wishes[] = {
	{ "duration", "duration" },
	{ "interval", "interval" },
	{ "priority", "priority" },
	{ "policy", "policy" },
	{ "cpus", "cpus" },
	{ "load", "load" },
	{ "port", "port" },
	{ "label", "label" },
	{ "warm-up", "warm_up" },
	{ "break", "break" },
	{ "dma-latency", "dma_latency" },
	{ "peer", "peer" },
	{ "peer-wait", "peer_wait" },
};

/*
 * A dictionary has a key once, so several limits go in one value, with semicolons. An empty one
 * goes along, to be refused: a script whose variable is empty must not get a session without its
 * limit.
 */
static char *session_start_limits(const struct args *a)
{
	GString *all = NULL;

	for (guint i = 0; i < a->options->len; i++) {
		const struct args_option *o = a->options->pdata[i];

		if (strcmp(o->spec->name, "limit") != 0)
			continue;
		if (all)
			g_string_append_printf(all, "; %s", o->value);
		else
			all = g_string_new(o->value);
	}
	return all ? g_string_free(all, FALSE) : NULL;
}

static int session_start_fill(sd_bus_message *m, const void *data)
{
	const struct args *a = data;
	g_autofree char *limits = session_start_limits(a);
	int r = 0;

	for (size_t i = 0; !r && i < G_N_ELEMENTS(session_start_wishes); i++) {
		const char *value = args_value(a, session_start_wishes[i].option);

		if (value)
			r = client_append_text(m, session_start_wishes[i].key, value);
	}
	if (!r && limits)
		r = client_append_text(m, "limit", limits);
	if (!r && args_has(a, "no-queue"))
		r = client_append_flag(m, "queue", false);
	if (!r && args_has(a, "scheduled"))
		r = client_append_flag(m, "scheduled", true);
	return r;
}

static int session_start_message(struct client *c, const struct args *a, sd_bus_message **ret)
{
	const char *plan = args_operand(a, 0);
	sd_bus_message *m = NULL;
	int r = client_check_text(plan);

	if (!r)
		r = client_message(c, CLIENT_PATH, CLIENT_MANAGER, "StartSession", &m);
	if (r)
		return r;
	r = sd_bus_message_append(m, "s", plan);
	r = r < 0 ? client_fail(NULL, r) : client_append_options(m, session_start_fill, a);
	if (r) {
		sd_bus_message_unref(m);
		return r;
	}
	*ret = m;
	return OUTCOME_DONE;
}

/* @p: who works along, done with then; NULL: nobody. */
static int session_start_and_wait(struct client *c, sd_bus_message *m, struct peer *p)
{
	const struct follow_partner partner = p ? peer_partner(p) : (struct follow_partner){ 0 };
	g_autofree char *path = NULL;
	int r = follow_session(c, m, NULL, FOLLOW_DRAW | FOLLOW_STOPS, p ? &partner : NULL, &path);
	int shown;

	peer_close(p); /* nothing runs there any more when the report is read */
	if (!path)
		return r;
	shown = report_show(c, path);
	return r == OUTCOME_DONE ? shown : r;
}

static int session_start_and_go(struct client *c, sd_bus_message *m)
{
	json_t *reply;
	const char *id, *path;
	int r = client_send(c, m, &reply);

	if (r)
		return r;
	id = json_string_value(json_array_get(reply, 0));
	path = json_string_value(json_array_get(reply, 1));
	if (c->json)
		client_print_json(json_pack("{s:s?, s:s?}", "id", id, "path", path));
	else
		printf("%s\n", id ? id : "");
	json_decref(reply);
	return OUTCOME_DONE;
}

/* Two machines: we are the connection between them, so we stay. */
static int session_start_with_peer(struct client *c, const struct args *a, sd_bus_message *m)
{
	const struct peer_options o = {
		.where = args_value(a, "peer"),
		.plan = args_value(a, "peer-plan") ?: PEER_PLAN,
		.port = args_value(a, "peer-port"),
	};
	struct peer *p;
	int r = client_check_text(o.plan);

	if (!r && o.port)
		r = client_check_text(o.port);
	if (!r)
		r = peer_open(c, &o, &p);
	return r ? r : session_start_and_wait(c, m, p);
}

static int session_start_check(const struct args *a)
{
	static const char *const with_peer[] = { "peer-plan", "peer-port", "peer-wait" };

	for (size_t i = 0; i < G_N_ELEMENTS(with_peer); i++)
		if (args_has(a, with_peer[i]) && !args_has(a, "peer"))
			return say_usage("--%s goes with --peer.", with_peer[i]);
	if (args_has(a, "peer") && !args_either(a, "wait", "no-wait", true))
		return say_usage("--peer waits: lrtbfctl is the connection to the other machine.");
	return OUTCOME_DONE;
}

static int session_start_run(struct client *c, const struct args *a)
{
	sd_bus_message *m = NULL;
	int r = session_start_check(a);

	if (!r)
		r = session_start_message(c, a, &m);
	if (r)
		return r;
	client_may_ask(c);
	if (args_has(a, "peer"))
		r = session_start_with_peer(c, a, m);
	else if (args_either(a, "wait", "no-wait", false))
		r = session_start_and_wait(c, m, NULL);
	else
		r = session_start_and_go(c, m);
	sd_bus_message_unref(m);
	return r;
}

static const struct option_spec session_start_options_table[] = {
	{ "duration", 0, "TIME", "How long each stage measures: 10s, 1h" },
	{ "interval", 0, "TIME", "Period of the wake-ups: 250us" },
	{ "priority", 0, "N", "Real-time priority, 1 to 98" },
	{ "policy", 0, "POLICY", "fifo, rr, deadline, other, ..." },
	{ "cpus", 0, "LIST", "CPUs to measure: all, 0-3,8, !0" },
	{ "port", 0, "NAME", "Parallel port to measure: parport0" },
	{ "load", 0, "LOAD", "One stage under this load instead of the plan's" },
	{ "label", 0, "TEXT", "A name of your own for the session" },
	{ "warm-up", 0, "TIME", "Measured before, not counted" },
	{ "break", 0, "TIME", "End with the first sample that reaches this" },
	{ "dma-latency", 0, "TIME", "Wake-up latency asked of idle states" },
	{ "limit", 0, "LIMIT", "Another limit: 'max <= 100us'; may be repeated" },
	{ "peer", 0, "HOST", "[USER@]HOST of a machine that takes part and has the loads" },
	{ "peer-plan", 0, "PLAN", "What runs there (default: parport_target)" },
	{ "peer-port", 0, "NAME", "Its parallel port" },
	{ "peer-wait", 0, "TIME", "How long to wait for each answer of it (default: 1min)" },
	{ "no-queue", 0, NULL, "Fail when another session measures" },
	{ "scheduled", 0, NULL, "By the plan's schedule: skipped when it comes too late" },
	{ "wait", 0, NULL, "Stay until the end, then print the report" },
	{ "no-wait", 0, NULL, "Only print the id (default)" },
	{ NULL },
};

const struct verb verb_session_start = {
	.name = "session start",
	.operands = "PLAN",
	.help = "Start a session",
	.min = 1,
	.max = 1,
	.options = session_start_options_table,
	.run = session_start_run,
};
