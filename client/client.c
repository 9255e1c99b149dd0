/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Commands wait for each call: a command line has nothing else to do. The one that follows a
 * session uses the event loop (follow.c). The bus is opened with the first call, so that a wrong
 * command line or an unreadable file is said without a service.
 */
#include "client.h"

#include "args.h"
#include "figures-json.h"
#include "pager.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A person may have to type a password; libsystemd's own limit is 25 s. */
#define CLIENT_TIMEOUT_USEC (120 * 1000000ULL)

int client_init(struct client *c, const struct args *a)
{
	const char *env = getenv("LRTBF_BUS");
	unsigned places = args_has(a, "system") + args_has(a, "user") + args_has(a, "bus") +
			  args_has(a, "host") + args_has(a, "machine");

	*c = (struct client){
		.host = args_value(a, "host"),
		.machine = args_value(a, "machine"),
		.bus_address = args_value(a, "bus"),
		.json = args_has(a, "json"),
		.pager = !args_has(a, "no-pager"),
		.ask = !args_has(a, "no-ask-password"),
	};
	if (places > 1)
		return say_usage("Only one of --system, --user, --bus, --host and --machine.");
	if (args_has(a, "system"))
		c->bus_address = "system";
	else if (args_has(a, "user"))
		c->bus_address = "user";
	else if (!places)
		c->bus_address = env && *env ? env : "system";
	terminal_init(&c->terminal);
	return OUTCOME_DONE;
}

void client_done(struct client *c)
{
	c->bus = sd_bus_flush_close_unref(c->bus);
	agent_close(&c->agent);
}

static int client_open_address(const char *address, sd_bus **ret)
{
	sd_bus *bus = NULL;
	int r = sd_bus_new(&bus);

	if (r >= 0)
		r = sd_bus_set_address(bus, address);
	if (r >= 0)
		r = sd_bus_set_bus_client(bus, 1);
	if (r >= 0)
		r = sd_bus_negotiate_fds(bus, 1);
	if (r >= 0)
		r = sd_bus_start(bus);
	if (r < 0) {
		sd_bus_unref(bus);
		return r;
	}
	*ret = bus;
	return 0;
}

static int client_connect(struct client *c, sd_bus **ret)
{
	if (c->host)
		return sd_bus_open_system_remote(ret, c->host);
	if (c->machine)
		return sd_bus_open_system_machine(ret, c->machine);
	if (strcmp(c->bus_address, "system") == 0)
		return sd_bus_open_system(ret);
	if (strcmp(c->bus_address, "user") == 0)
		return sd_bus_open_user(ret);
	return client_open_address(c->bus_address, ret);
}

static int client_say_no_bus(const struct client *c, int r)
{
	const char *where = c->host ? c->host : c->machine ? c->machine : c->bus_address;

	if (r == -EINVAL) {
		say("'%s' is not a place to find a bus at.", where);
		return OUTCOME_USAGE;
	}
	say("No message bus (%s): %s.", where, g_strerror(-r));
	return OUTCOME_NO_DAEMON;
}

int client_open(struct client *c)
{
	int r;

	if (c->bus)
		return OUTCOME_DONE;
	r = client_connect(c, &c->bus);
	if (r < 0)
		return client_say_no_bus(c, r);
	(void)sd_bus_set_allow_interactive_authorization(c->bus, c->ask);
	(void)sd_bus_set_method_call_timeout(c->bus, CLIENT_TIMEOUT_USEC);
	return OUTCOME_DONE;
}

void client_may_ask(struct client *c)
{
	/* The agent answers the system bus's polkit and no other: not one on a private bus, in a
	 * container or on another machine. */
	if (c->ask && !c->agent.pid && c->bus_address && strcmp(c->bus_address, "system") == 0)
		agent_open(&c->agent);
}

int client_fail(const sd_bus_error *e, int r)
{
	enum outcome o = outcome_of_error(e, r);
	const char *text = e && e->message && *e->message ? e->message : g_strerror(abs(r));

	switch (o) {
	case OUTCOME_NO_DAEMON:
		say("lrtbfd does not answer, is it running? (%s)", text);
		break;
	case OUTCOME_NOT_AUTHORIZED:
		say("Not authorised: %s", text);
		break;
	default:
		say("%s", text);
	}
	return o;
}

int client_message(struct client *c, const char *path, const char *interface, const char *member,
		   sd_bus_message **ret)
{
	int r = client_open(c);

	if (r)
		return r;
	r = sd_bus_message_new_method_call(c->bus, ret, CLIENT_SERVICE, path, interface, member);
	if (r < 0)
		return client_fail(NULL, r);
	if (c->no_start)
		(void)sd_bus_message_set_auto_start(*ret, 0);
	return OUTCOME_DONE;
}

int client_send_raw(struct client *c, sd_bus_message *m, sd_bus_message **ret)
{
	sd_bus_error e = SD_BUS_ERROR_NULL;
	int r = sd_bus_call(c->bus, m, 0, &e, ret);

	r = r < 0 ? client_fail(&e, r) : OUTCOME_DONE;
	sd_bus_error_free(&e);
	return r;
}

int client_read(sd_bus_message *reply, json_t **ret)
{
	int r = variant_read_all(reply, ret);

	if (r < 0)
		return say_error("The answer of lrtbfd cannot be read: %s.", g_strerror(-r));
	return OUTCOME_DONE;
}

int client_send(struct client *c, sd_bus_message *m, json_t **ret)
{
	sd_bus_message *reply = NULL;
	int r = client_send_raw(c, m, &reply);

	if (r == OUTCOME_DONE && ret)
		r = client_read(reply, ret);
	sd_bus_message_unref(reply);
	return r;
}

int client_call(struct client *c, const char *path, const char *interface, const char *member,
		json_t **ret, const char *types, ...)
{
	sd_bus_message *m = NULL;
	va_list ap;
	int r = client_message(c, path, interface, member, &m);

	if (r)
		return r;
	va_start(ap, types);
	r = sd_bus_message_appendv(m, types, ap);
	va_end(ap);
	r = r < 0 ? client_fail(NULL, r) : client_send(c, m, ret);
	sd_bus_message_unref(m);
	return r;
}

int client_properties(struct client *c, const char *path, const char *interface, json_t **ret)
{
	json_t *reply;
	int r = client_call(c, path, CLIENT_PROPERTIES, "GetAll", &reply, "s", interface);

	if (r)
		return r;
	*ret = json_incref(json_array_get(reply, 0));
	json_decref(reply);
	return OUTCOME_DONE;
}

int client_check_text(const char *text)
{
	if (g_utf8_validate(text, -1, NULL))
		return OUTCOME_DONE;
	return say_error("'%s' is not UTF-8.", text);
}

int client_append_text(sd_bus_message *m, const char *key, const char *text)
{
	int r = client_check_text(text);

	if (r)
		return r;
	r = sd_bus_message_append(m, "{sv}", key, "s", text);
	return r < 0 ? client_fail(NULL, r) : OUTCOME_DONE;
}

int client_append_flag(sd_bus_message *m, const char *key, bool value)
{
	int r = sd_bus_message_append(m, "{sv}", key, "b", (int)value);

	return r < 0 ? client_fail(NULL, r) : OUTCOME_DONE;
}

int client_append_options(sd_bus_message *m, client_fill_t fill, const void *data)
{
	int r = sd_bus_message_open_container(m, SD_BUS_TYPE_ARRAY, "{sv}");

	if (r < 0)
		return client_fail(NULL, r);
	r = fill ? fill(m, data) : OUTCOME_DONE;
	if (r)
		return r;
	r = sd_bus_message_close_container(m);
	return r < 0 ? client_fail(NULL, r) : OUTCOME_DONE;
}

void client_print(struct client *c, const GString *text)
{
	struct pager p;

	pager_open(&p, c->pager && c->terminal.tty);
	(void)fwrite(text->str, 1, text->len,
		     stdout); /* stdout's error flag is looked at in main() */
	pager_close(&p);
}

int client_print_json(json_t *j)
{
	g_autofree char *text = json_text(j, true);

	printf("%s\n", text);
	json_decref(j);
	return OUTCOME_DONE;
}
