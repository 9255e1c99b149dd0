/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The credentials that sd-bus can attach to a message come by a blocking call to the bus, so the
 * uid is asked for with a call of our own. Unique names are never given twice on a bus: there is
 * nothing that could become stale between the two answers. Nothing is remembered after a call is
 * answered.
 *
 * The number of calls that wait is bounded three times: per connection (one that floods us), per
 * uid (one that opens many connections and lets polkit's dialogues wait), and in all.
 */
#include "authority.h"

#include "cleanup-bus.h"
#include "errors.h"
#include "log.h"
#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#define AUTHORITY_MAX		 256
#define AUTHORITY_MAX_PER_UID	 16
#define AUTHORITY_MAX_PER_SENDER 64
#define AUTHORITY_DIALOGUE_USEC	 (300 * G_USEC_PER_SEC)

#define POLKIT_NAME	 "org.freedesktop.PolicyKit1"
#define POLKIT_PATH	 "/org/freedesktop/PolicyKit1/Authority"
#define POLKIT_INTERFACE "org.freedesktop.PolicyKit1.Authority"

struct authority {
	sd_bus *bus;
	GPtrArray *checks; /* of struct check: those that wait */
	unsigned last_id;  /* of cancellation ids */
};

struct check {
	struct authority *authority;
	sd_bus_message *call;
	struct authority_request request;
	const char *action; /* the one that is asked of polkit */
	uid_t caller;	    /* AUTHORITY_NO_OWNER until known */
	bool interactive;
	char *cancellation_id; /* NULL: polkit is not asked yet */
	sd_bus_slot *answer;   /* the call that is under way */
	sd_bus_slot *vanished; /* watches the caller's name */
};

static void check_free(gpointer data)
{
	struct check *c = data;

	if (c->request.free)
		c->request.free(c->request.data);
	sd_bus_slot_unref(c->answer);
	sd_bus_slot_unref(c->vanished);
	sd_bus_message_unref(c->call);
	g_free(c->cancellation_id);
	g_free(c);
}

static void check_end(struct check *c)
{
	g_ptr_array_remove_fast(c->authority->checks, c);
}

static void check_refuse(struct check *c, const char *message)
{
	g_auto(sd_bus_error) error = SD_BUS_ERROR_NULL;

	bus_error_set(&error, EACCES, message);
	bus_reply_error(c->call, &error);
	check_end(c);
}

static void check_allow(struct check *c)
{
	g_auto(sd_bus_error) error = SD_BUS_ERROR_NULL;
	int r;

	r = c->request.then(c->call, c->caller, c->request.data, &error);
	if (r < 0) {
		if (!sd_bus_error_is_set(&error))
			bus_error_set(&error, r, NULL);
		bus_reply_error(c->call, &error);
	}
	check_end(c);
}

static unsigned authority_waiting_uid(const struct authority *a, uid_t uid)
{
	unsigned n = 0;

	for (guint i = 0; i < a->checks->len; i++) {
		const struct check *c = a->checks->pdata[i];

		n += c->cancellation_id && c->caller == uid;
	}
	return n;
}

static unsigned authority_waiting_sender(const struct authority *a, const char *sender)
{
	unsigned n = 0;

	for (guint i = 0; i < a->checks->len; i++) {
		const struct check *c = a->checks->pdata[i];

		n += strcmp(sd_bus_message_get_sender(c->call), sender) == 0;
	}
	return n;
}

static void check_refuse_by_polkit(struct check *c, bool challenge)
{
	g_autofree char *message = g_strdup_printf(
		"uid %u may not do this (polkit action %s)%s.", (unsigned)c->caller, c->action,
		challenge && !c->interactive ? " without being asked for a password" : "");

	check_refuse(c, message);
}

static int on_polkit_answer(sd_bus_message *m, void *userdata, sd_bus_error *ret_error)
{
	const sd_bus_error *e = sd_bus_message_get_error(m);
	g_autofree char *message = NULL;
	struct check *c = userdata;
	int allowed, challenge, r;

	if (e) {
		message = g_strdup_printf("Only root may do this: polkit cannot be asked (%s).",
					  e->message ?: e->name);
		check_refuse(c, message);
		return 0;
	}
	r = sd_bus_message_enter_container(m, 'r', "bba{ss}");
	if (r >= 0)
		r = sd_bus_message_read(m, "bb", &allowed, &challenge);
	if (r < 0)
		check_refuse(c, "polkit gave an answer that cannot be understood.");
	else if (allowed)
		check_allow(c);
	else
		check_refuse_by_polkit(c, challenge);
	return 0;
}

static int on_caller_vanished(sd_bus_message *m, void *userdata, sd_bus_error *ret_error)
{
	struct check *c = userdata;
	int r;

	/* no answer is wanted: a dialogue that stays open for longer harms nobody */
	r = sd_bus_call_method_async(c->authority->bus, NULL, POLKIT_NAME, POLKIT_PATH,
				     POLKIT_INTERFACE, "CancelCheckAuthorization", NULL, NULL, "s",
				     c->cancellation_id);
	if (r < 0)
		log_debug("A polkit dialogue could not be cancelled, ignoring: %s", g_strerror(-r));
	check_end(c);
	return 0;
}

/* Without a handler of its own, sd-bus gives the connection up when a match is refused. */
static int on_watching(sd_bus_message *m, void *userdata, sd_bus_error *ret_error)
{
	const sd_bus_error *e = sd_bus_message_get_error(m);

	if (e)
		log_debug("A caller cannot be watched, ignoring: %s", e->message ?: e->name);
	return 0;
}

static int check_watch_caller(struct check *c)
{
	g_autofree char *rule = g_strdup_printf(
		"type='signal',sender='org.freedesktop.DBus',path='/org/freedesktop/DBus',"
		"interface='org.freedesktop.DBus',member='NameOwnerChanged',arg0='%s'",
		sd_bus_message_get_sender(c->call));

	return sd_bus_add_match_async(c->authority->bus, &c->vanished, rule, on_caller_vanished,
				      on_watching, c);
}

static int check_ask_polkit(struct check *c)
{
	struct authority *a = c->authority;
	g_autoptr(sd_bus_message) m = NULL;
	int r;

	r = check_watch_caller(c);
	if (r < 0)
		return r;
	r = sd_bus_message_new_method_call(a->bus, &m, POLKIT_NAME, POLKIT_PATH, POLKIT_INTERFACE,
					   "CheckAuthorization");
	if (r < 0)
		return r;
	c->cancellation_id = g_strdup_printf("lrtbfd-%u", ++a->last_id);
	c->interactive = sd_bus_message_get_allow_interactive_authorization(c->call) > 0;
	r = sd_bus_message_append(m, "(sa{sv})sa{ss}us", "system-bus-name", 1, "name", "s",
				  sd_bus_message_get_sender(c->call), c->action, 0,
				  (uint32_t)c->interactive, c->cancellation_id);
	if (r < 0)
		return r;
	sd_bus_slot_unref(g_steal_pointer(&c->answer));
	return sd_bus_call_async(a->bus, &c->answer, m, on_polkit_answer, c,
				 c->interactive ? AUTHORITY_DIALOGUE_USEC : 0);
}

/* The caller's uid is known. */
static void check_decide(struct check *c)
{
	const struct authority_request *q = &c->request;
	g_auto(sd_bus_error) error = SD_BUS_ERROR_NULL;
	int r;

	c->action = q->action;
	if (q->others_action && q->owner != c->caller)
		c->action = q->others_action;
	if (c->caller == 0 || c->caller == geteuid()) {
		check_allow(c);
		return;
	}
	if (authority_waiting_uid(c->authority, c->caller) >= AUTHORITY_MAX_PER_UID) {
		bus_error_limit(&error, "Too many calls of this user wait for polkit.");
		bus_reply_error(c->call, &error);
		check_end(c);
		return;
	}
	r = check_ask_polkit(c);
	if (r < 0) {
		log_warning("polkit cannot be asked: %s", g_strerror(-r));
		check_refuse(c, "polkit cannot be asked.");
	}
}

static int on_uid_answer(sd_bus_message *m, void *userdata, sd_bus_error *ret_error)
{
	struct check *c = userdata;
	uint32_t uid;

	if (sd_bus_message_is_method_error(m, NULL) || sd_bus_message_read(m, "u", &uid) < 0) {
		check_refuse(c, "The bus does not know who called.");
		return 0;
	}
	c->caller = uid;
	check_decide(c);
	return 0;
}

int authority_check(struct authority *a, sd_bus_message *call,
		    const struct authority_request *request, sd_bus_error *error)
{
	const char *sender = sd_bus_message_get_sender(call);
	struct check *c = g_new0(struct check, 1);
	int r;

	c->authority = a;
	c->call = sd_bus_message_ref(call);
	c->request = *request;
	c->caller = AUTHORITY_NO_OWNER;
	if (!sender) {
		check_free(c);
		return bus_error_set(error, EACCES, "The call has no sender.");
	}
	if (a->checks->len >= AUTHORITY_MAX ||
	    authority_waiting_sender(a, sender) >= AUTHORITY_MAX_PER_SENDER) {
		check_free(c);
		return bus_error_limit(error,
				       "Too many calls wait for authorisation; wait for answers.");
	}
	r = sd_bus_call_method_async(a->bus, &c->answer, "org.freedesktop.DBus",
				     "/org/freedesktop/DBus", "org.freedesktop.DBus",
				     "GetConnectionUnixUser", on_uid_answer, c, "s", sender);
	if (r < 0) {
		check_free(c);
		return bus_error_set(error, r, "The bus cannot be asked who called.");
	}
	g_ptr_array_add(a->checks, c);
	return 1;
}

struct authority *authority_new(sd_bus *bus)
{
	struct authority *a = g_new0(struct authority, 1);

	a->bus = sd_bus_ref(bus);
	a->checks = g_ptr_array_new_with_free_func(check_free);
	return a;
}

struct authority *authority_free(struct authority *a)
{
	if (!a)
		return NULL;
	g_ptr_array_unref(a->checks);
	sd_bus_unref(a->bus);
	g_free(a);
	return NULL;
}
