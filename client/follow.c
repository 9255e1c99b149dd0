/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Signals are subscribed before the session is started, and its properties are read once after: a
 * session may end before the answer to StartSession has been looked at, and either the properties
 * say so or a signal still follows. Everything is asynchronous, so that Ctrl-C counts from the
 * start.
 *
 * State may say "done" a moment before the report is complete; SessionFinished says that it is. A
 * state without that signal (the subscription came in between) is believed after a grace time.
 */
#include "follow.h"

#include "live.h"
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <systemd/sd-event.h>

#define FOLLOW_GRACE_USEC (2 * 1000000ULL)

struct follow {
	/* configuration */
	struct client *c;
	unsigned flags;
	const struct follow_partner *partner; /* NULL: nobody */
	/* changes */
	sd_event *event;
	char *path; /* NULL: StartSession has not answered */
	json_t *properties;
	struct live live;
	unsigned interrupts; /* how often Ctrl-C was pressed */
	bool stop_sent;
	bool known;    /* the properties were read once */
	bool complete; /* the session has ended, its report is there */
	bool grace;    /* the grace time runs */
	sd_bus_slot *slots[4];
};

static void follow_leave(struct follow *f, int outcome)
{
	live_clear(&f->live);
	(void)sd_event_exit(f->event, outcome);
}

static void follow_draw(struct follow *f)
{
	if (f->known && (f->flags & FOLLOW_DRAW) && f->c->terminal.moves && !f->c->json &&
	    !f->complete)
		live_draw(&f->live, f->properties, &f->c->terminal);
}

static void follow_complete(struct follow *f)
{
	if (f->complete)
		return;
	f->complete = true;
	follow_leave(f, outcome_of_session(field_text(f->properties, "State"),
					   field_text(f->properties, "Verdict")));
}

static int on_follow_grace(sd_event_source *s, uint64_t usec, void *userdata)
{
	follow_complete(userdata);
	return 0;
}

static bool follow_state_ended(const char *state)
{
	static const char *const live[] = { "", "queued", "preparing", "running", "finishing" };

	for (size_t i = 0; i < G_N_ELEMENTS(live); i++)
		if (strcmp(state, live[i]) == 0)
			return false;
	return true;
}

static void follow_look(struct follow *f)
{
	if (f->known && f->partner)
		f->partner->changed(f->path, f->properties, f->partner->userdata);
	if (f->known && follow_state_ended(field_text(f->properties, "State"))) {
		if (*field_text(f->properties, "Verdict")) {
			follow_complete(f);
		} else if (!f->grace) {
			f->grace = true;
			if (sd_event_add_time_relative(f->event, NULL, CLOCK_MONOTONIC,
						       FOLLOW_GRACE_USEC, 0, on_follow_grace,
						       f) < 0)
				follow_complete(f);
		}
	}
	follow_draw(f);
}

static int on_follow_stopped(sd_bus_message *m, void *userdata, sd_bus_error *unused)
{
	struct follow *f = userdata;
	const sd_bus_error *e = sd_bus_message_get_error(m);

	if (!e)
		return 0;
	live_clear(&f->live);
	if (f->flags & FOLLOW_STOP)
		follow_leave(f, client_fail(e, 0));
	else
		client_fail(e, 0);
	return 0;
}

static void follow_stop(struct follow *f)
{
	int r;

	if (!f->path || f->stop_sent)
		return;
	f->stop_sent = true;
	r = sd_bus_call_method_async(f->c->bus, NULL, CLIENT_SERVICE, f->path, CLIENT_SESSION,
				     "Stop", on_follow_stopped, f, "a{sv}", 0);
	if (r < 0)
		follow_leave(f, client_fail(NULL, r));
}

static int on_follow_properties(sd_bus_message *m, void *userdata, sd_bus_error *unused)
{
	struct follow *f = userdata;
	const sd_bus_error *e = sd_bus_message_get_error(m);
	json_t *reply;
	int r;

	if (e) {
		follow_leave(f, client_fail(e, 0));
		return 0;
	}
	r = variant_read_all(m, &reply);
	if (r < 0) {
		follow_leave(f, client_fail(NULL, r));
		return 0;
	}
	json_object_update(f->properties, json_array_get(reply, 0));
	json_decref(reply);
	f->known = true;
	follow_look(f);
	return 0;
}

static void follow_read(struct follow *f)
{
	int r = sd_bus_call_method_async(f->c->bus, NULL, CLIENT_SERVICE, f->path,
					 CLIENT_PROPERTIES, "GetAll", on_follow_properties, f, "s",
					 CLIENT_SESSION);

	if (r < 0)
		follow_leave(f, client_fail(NULL, r));
}

static void follow_begin(struct follow *f)
{
	if ((f->flags & FOLLOW_STOP) || f->interrupts)
		follow_stop(f);
	follow_read(f);
}

static int on_follow_started(sd_bus_message *m, void *userdata, sd_bus_error *unused)
{
	struct follow *f = userdata;
	const sd_bus_error *e = sd_bus_message_get_error(m);
	const char *id, *path;
	int r;

	if (e) {
		follow_leave(f, client_fail(e, 0));
		return 0;
	}
	r = sd_bus_message_read(m, "so", &id, &path);
	if (r < 0) {
		follow_leave(f, client_fail(NULL, r));
		return 0;
	}
	f->path = g_strdup(path);
	follow_begin(f);
	return 0;
}

static int on_follow_changed(sd_bus_message *m, void *userdata, sd_bus_error *unused)
{
	struct follow *f = userdata;
	json_t *args;

	if (!f->path || strcmp(sd_bus_message_get_path(m), f->path) != 0)
		return 0;
	if (variant_read_all(m, &args) < 0)
		return 0; /* not what the interface says: the next one, or the end, will do */
	if (strcmp(CLIENT_SESSION, json_string_value(json_array_get(args, 0)) ?: "") == 0) {
		json_object_update(f->properties, json_array_get(args, 1));
		if (json_array_size(json_array_get(args, 2)))
			follow_read(f);
		else
			follow_look(f);
	}
	json_decref(args);
	return 0;
}

static int on_follow_finished(sd_bus_message *m, void *userdata, sd_bus_error *unused)
{
	struct follow *f = userdata;
	const char *id, *path, *state, *verdict;

	if (sd_bus_message_read(m, "soss", &id, &path, &state, &verdict) < 0 || !f->path ||
	    strcmp(path, f->path) != 0)
		return 0;
	json_object_set_new(f->properties, "State", json_string(state));
	json_object_set_new(f->properties, "Verdict", json_string(verdict));
	follow_complete(f);
	return 0;
}

static void follow_vanished(struct follow *f)
{
	if (f->complete)
		return;
	live_clear(&f->live);
	if (f->path)
		say("lrtbfd has gone away. What was measured is kept: when it runs again, see "
		    "'lrtbfctl session report %s'.",
		    strrchr(f->path, '/') + 1);
	else
		say("lrtbfd has gone away.");
	follow_leave(f, OUTCOME_NO_DAEMON);
}

static int on_follow_owner(sd_bus_message *m, void *userdata, sd_bus_error *unused)
{
	const char *name, *before, *after;

	if (sd_bus_message_read(m, "sss", &name, &before, &after) >= 0 && *before && !*after)
		follow_vanished(userdata);
	return 0;
}

static int on_follow_disconnected(sd_bus_message *m, void *userdata, sd_bus_error *unused)
{
	follow_vanished(userdata);
	return 0;
}

static int on_follow_interrupt(sd_event_source *s, const struct signalfd_siginfo *si,
			       void *userdata)
{
	struct follow *f = userdata;

	f->interrupts++;
	if (!(f->flags & FOLLOW_STOPS) || f->interrupts > 1) {
		live_clear(&f->live);
		say(f->flags & FOLLOW_STOPS ? "Left without waiting for the end."
					    : "Left; the session goes on.");
		follow_leave(f, OUTCOME_STOPPED);
	} else {
		follow_stop(f);
	}
	return 0;
}

static int on_follow_window(sd_event_source *s, const struct signalfd_siginfo *si, void *userdata)
{
	struct follow *f = userdata;

	terminal_init(&f->c->terminal);
	if (si->ssi_signo == SIGCONT)
		f->live.lines = 0; /* others have written below it meanwhile */
	follow_draw(f);
	return 0;
}

static int follow_subscribe(struct follow *f)
{
	static const struct {
		const char *rule;
		sd_bus_message_handler_t handler;
	} matches[] = {
		{ "type='signal',sender='" CLIENT_SERVICE "',path_namespace='" CLIENT_PATH
		  "/session',"
		  "interface='" CLIENT_PROPERTIES "',member='PropertiesChanged'",
		  on_follow_changed },
		{ "type='signal',sender='" CLIENT_SERVICE "',path='" CLIENT_PATH "',"
		  "interface='" CLIENT_MANAGER "',member='SessionFinished'",
		  on_follow_finished },
		{ "type='signal',sender='org.freedesktop.DBus',interface='org.freedesktop.DBus',"
		  "member='NameOwnerChanged',arg0='" CLIENT_SERVICE "'",
		  on_follow_owner },
		{ "type='signal',sender='org.freedesktop.DBus.Local',"
		  "path='/org/freedesktop/DBus/Local',interface='org.freedesktop.DBus.Local',"
		  "member='Disconnected'",
		  on_follow_disconnected },
	};

	for (size_t i = 0; i < G_N_ELEMENTS(matches); i++) {
		int r = sd_bus_add_match(f->c->bus, &f->slots[i], matches[i].rule,
					 matches[i].handler, f);

		if (r < 0)
			return r;
	}
	G_STATIC_ASSERT(G_N_ELEMENTS(matches) == G_N_ELEMENTS(f->slots));
	return 0;
}

static int follow_signals(struct follow *f, sigset_t *ret_before)
{
	static const int window[] = { SIGWINCH, SIGCONT };
	sigset_t mask;
	int r;

	sigemptyset(&mask);
	sigaddset(&mask, SIGINT);
	sigaddset(&mask, SIGWINCH);
	sigaddset(&mask, SIGCONT);
	if (sigprocmask(SIG_BLOCK, &mask, ret_before) < 0)
		return -errno;
	r = sd_event_add_signal(f->event, NULL, SIGINT, on_follow_interrupt, f);
	for (size_t i = 0; r >= 0 && i < G_N_ELEMENTS(window); i++)
		r = sd_event_add_signal(f->event, NULL, window[i], on_follow_window, f);
	return r;
}

static int follow_run(struct follow *f, sd_bus_message *start)
{
	int r = sd_bus_attach_event(f->c->bus, f->event, SD_EVENT_PRIORITY_NORMAL);

	if (r >= 0 && f->partner)
		r = f->partner->attach(f->event, f->partner->userdata);
	(void)sd_bus_set_close_on_exit(f->c->bus, 0); /* the report is fetched after the loop */
	if (r >= 0)
		r = follow_subscribe(f);
	if (r < 0)
		return client_fail(NULL, r);
	if (start) {
		r = sd_bus_call_async(f->c->bus, NULL, start, on_follow_started, f, 0);
		if (r < 0)
			return client_fail(NULL, r);
	} else {
		follow_begin(f);
	}
	r = sd_event_loop(f->event);
	return r < 0 ? client_fail(NULL, r) : r;
}

int follow_session(struct client *c, sd_bus_message *start, const char *path, unsigned flags,
		   const struct follow_partner *partner, char **ret_path)
{
	struct follow f = { .c = c, .flags = flags, .partner = partner, .path = g_strdup(path) };
	sigset_t before;
	int r;

	*ret_path = NULL;
	r = client_open(c);
	if (r)
		return r;
	sigemptyset(&before);
	f.properties = json_object();
	r = sd_event_new(&f.event);
	if (r >= 0)
		r = follow_signals(&f, &before);
	r = r < 0 ? client_fail(NULL, r) : follow_run(&f, start);
	if (f.complete)
		*ret_path = g_steal_pointer(&f.path);
	for (size_t i = 0; i < G_N_ELEMENTS(f.slots); i++)
		sd_bus_slot_unref(f.slots[i]);
	/* Answers still to come find nobody: messages are dispatched by the event loop only. */
	(void)sd_bus_detach_event(c->bus);
	sd_event_unref(f.event);
	(void)sigprocmask(SIG_SETMASK, &before, NULL);
	json_decref(f.properties);
	g_free(f.path);
	return r;
}
