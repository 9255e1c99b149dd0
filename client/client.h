/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * The connection to lrtbfd and what all commands share: global options, terminal, calls.
 *
 * A call returns an enum outcome: OUTCOME_DONE, or what to end with after the sentence has been
 * said. Replies come as JSON (variant.h), an array of the reply's arguments. One process, one
 * thread, one client.
 */
#include "agent.h"
#include "outcome.h"
#include "say.h"
#include "terminal.h"
#include "variant.h"
#include <jansson.h>
#include <stdbool.h>
#include <systemd/sd-bus.h>

#define CLIENT_SERVICE	  "org.lrtbf1"
#define CLIENT_MANAGER	  "org.lrtbf1.Manager"
#define CLIENT_SESSION	  "org.lrtbf1.Session"
#define CLIENT_PATH	  "/org/lrtbf1"
#define CLIENT_PROPERTIES "org.freedesktop.DBus.Properties"

struct args;

struct client {
	/* configuration */
	const char *bus_address; /* "system", "user" or an address; NULL: @host or @machine */
	const char *host, *machine;
	bool json, pager, ask;
	struct terminal terminal;
	/* changes */
	bool no_start; /* calls never start the service */
	sd_bus *bus;   /* NULL: not connected */
	struct agent agent;
};

/* Takes the global options; connects to nothing. OUTCOME_USAGE when they contradict each other. */
int client_init(struct client *c, const struct args *a);
void client_done(struct client *c);
/* Connect; done already: nothing. */
int client_open(struct client *c);

/* Before calls that change something: see to it that a password can be asked for. */
void client_may_ask(struct client *c);

/* A method call to fill; connects when needed. sd_bus_message_unref(). */
int client_message(struct client *c, const char *path, const char *interface, const char *member,
		   sd_bus_message **ret);
/* Send it, wait for the reply. @ret: NULL or an array to json_decref(). */
int client_send(struct client *c, sd_bus_message *m, json_t **ret);
int client_send_raw(struct client *c, sd_bus_message *m, sd_bus_message **ret);
/* What a reply says, as client_send() gives it. */
int client_read(sd_bus_message *reply, json_t **ret);
/* Both at once for arguments that sd_bus_message_append() can take. */
int client_call(struct client *c, const char *path, const char *interface, const char *member,
		json_t **ret, const char *types, ...);
/* All properties of an object's interface, as an object; json_decref(). */
int client_properties(struct client *c, const char *path, const char *interface, json_t **ret);

/* Say what is wrong after a call has failed; returns its outcome. */
int client_fail(const sd_bus_error *e, int r);

/* Put @text into a message's dictionary: refused politely when it is not UTF-8. */
int client_append_text(sd_bus_message *m, const char *key, const char *text);
/* Fills a call's options; OUTCOME_DONE, or another outcome and the call is not made. */
typedef int (*client_fill_t)(sd_bus_message *m, const void *data);
/* A call's options, an a{sv}. @fill NULL: none. */
int client_append_options(sd_bus_message *m, client_fill_t fill, const void *data);
/* For a client_fill_t. */
int client_append_flag(sd_bus_message *m, const char *key, bool value);
/* -> OUTCOME_DONE, or OUTCOME_ERROR with a sentence: the bus takes UTF-8 only. */
int client_check_text(const char *text);

/* Print @text through the pager when it is long and stdout a terminal. */
void client_print(struct client *c, const GString *text);
/* Print @j for programs; takes it over. */
int client_print_json(json_t *j);
