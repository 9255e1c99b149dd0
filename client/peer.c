/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The session here decides everything: when a stage begins and ends, how long anybody is waited
 * for, what a failure means. So there is one way to fail here: say so to it, once; it ends, which
 * ends the event loop, and what runs there is stopped on the way out.
 *
 * "It runs there" is believed when its progress is above 0: in state running lrtbf-measure may not
 * have begun, and a target that does not answer yet would be counted as losses.
 */
#include "peer.h"

#include "duration.h"
#include "peerbus.h"
#include <errno.h>
#include <string.h>

#define PEER_CALL_USEC (20 * G_USEC_PER_SEC)
/* a session that measures tells something a second */
#define PEER_SILENT_USEC (30 * G_USEC_PER_SEC)
#define PEER_LOOK_USEC	 (5 * G_USEC_PER_SEC)
#define PEER_MORE_NS	 40000000000ULL /* beyond the stage: then it ends without us */
#define PEER_REPORT_MAX	 (8 * 1024 * 1024)
#define PEER_REASON_MAX	 1000

enum peer_phase {
	PEER_IDLE,
	PEER_STARTING, /* StartSession was called */
	PEER_WAITING,  /* for it to measure */
	PEER_RUNNING,
	PEER_STOPPING, /* Stop was called, it has not ended */
	PEER_READING,  /* its result was asked for */
};

struct peer {
	/* configuration */
	struct client *c;
	struct peer_options o;
	sd_bus *bus;
	char *version;
	/* changes */
	sd_event *event;
	enum peer_phase phase;
	char *session;	 /* path here; NULL: not known yet */
	int64_t index;	 /* of the stage; -1: none yet */
	char *id, *path; /* there */
	json_t *properties;
	uint64_t heard_usec;
	char *failure;
	bool told; /* @failure was */
	sd_bus_slot *slots[4];
};

/* --- failing --- */

static int on_peer_told(sd_bus_message *m, void *userdata, sd_bus_error *unused)
{
	return 0; /* refused: the session has ended already */
}

static void peer_tell(struct peer *p)
{
	if (p->told || !p->failure || !p->session)
		return;
	p->told = true;
	(void)sd_bus_call_method_async(p->c->bus, NULL, CLIENT_SERVICE, p->session, CLIENT_SESSION,
				       "PeerFailed", on_peer_told, p, "sa{sv}", p->failure,
				       0); /* else there is nobody to tell */
}

static void peer_fail(struct peer *p, char *sentence)
{
	if (p->failure) {
		g_free(sentence);
		return;
	}
	p->failure = sentence;
	if (strlen(p->failure) > PEER_REASON_MAX)
		*g_utf8_find_prev_char(p->failure, p->failure + PEER_REASON_MAX) = '\0';
	peer_tell(p);
}

/* A call there did not succeed; @doing: "The plan was refused". */
static void peer_fail_call(struct peer *p, const char *doing, const sd_bus_error *e, int r)
{
	const char *text = e && e->message && *e->message ? e->message : g_strerror(abs(r));

	peer_fail(p, g_strdup_printf("%s: %s", doing, text));
}

/* What the session there is asked for, and what is waited for then. */
static void peer_ask(struct peer *p, const char *method, sd_bus_message_handler_t handler,
		     enum peer_phase phase, const char *unsent)
{
	int r = sd_bus_call_method_async(p->bus, NULL, CLIENT_SERVICE, p->path, CLIENT_SESSION,
					 method, handler, p, "a{sv}", 0);

	p->phase = phase;
	if (r < 0)
		peer_fail_call(p, unsent, NULL, r);
}

/* --- its result --- */

static int on_peer_handed(sd_bus_message *m, void *userdata, sd_bus_error *unused)
{
	const sd_bus_error *e = sd_bus_message_get_error(m);

	if (e)
		peer_fail_call(userdata, "Its report was not taken", e, 0);
	return 0;
}

static void peer_hand(struct peer *p, const json_t *report)
{
	char *text = json_dumps(report, JSON_COMPACT);
	int r;

	p->phase = PEER_IDLE;
	if (!text || strlen(text) > PEER_REPORT_MAX) {
		peer_fail(p, g_strdup("Its report is too large."));
	} else {
		r = sd_bus_call_method_async(p->c->bus, NULL, CLIENT_SERVICE, p->session,
					     CLIENT_SESSION, "PeerResult", on_peer_handed, p,
					     "usa{sv}", (uint32_t)p->index, text, 0);
		if (r < 0)
			peer_fail_call(p, "Its report cannot be sent", NULL, r);
	}
	free(text); /* jansson's allocator, not glib's */
}

static int on_peer_result(sd_bus_message *m, void *userdata, sd_bus_error *unused)
{
	const sd_bus_error *e = sd_bus_message_get_error(m);
	struct peer *p = userdata;
	json_t *reply = NULL;
	int r = e ? 0 : variant_read_all(m, &reply);

	p->heard_usec = (uint64_t)g_get_monotonic_time();
	if (e || r < 0)
		peer_fail_call(p, "Its report cannot be had", e, r);
	else
		peer_hand(p, json_array_get(reply, 0));
	json_decref(reply);
	return 0;
}

static int on_peer_stopped(sd_bus_message *m, void *userdata, sd_bus_error *unused)
{
	const sd_bus_error *e = sd_bus_message_get_error(m);

	if (e)
		peer_fail_call(userdata, "It does not stop", e, 0);
	return 0;
}

/* --- its session --- */

static int on_peer_ready(sd_bus_message *m, void *userdata, sd_bus_error *unused)
{
	return 0; /* refused: the session here has other plans, and says so by its properties */
}

static void peer_run(struct peer *p)
{
	int r = sd_bus_call_method_async(p->c->bus, NULL, CLIENT_SERVICE, p->session,
					 CLIENT_SESSION, "PeerReady", on_peer_ready, p, "usa{sv}",
					 (uint32_t)p->index, p->id, 1, "version", "s", p->version);

	p->phase = PEER_RUNNING;
	if (r < 0)
		peer_fail_call(p, "That it runs cannot be told", NULL, r);
}

/* It has ended, in @state. */
static void peer_ended(struct peer *p, const char *state)
{
	const char *reason = field_text(p->properties, "Reason");

	if (p->phase == PEER_STOPPING)
		peer_ask(p, "GetResult", on_peer_result, PEER_READING,
			 "Its report cannot be asked for");
	else if (p->phase == PEER_WAITING || p->phase == PEER_RUNNING)
		peer_fail(p, g_strdup_printf("Its session %s ended too early (%s)%s%s", p->id,
					     state, *reason ? ": " : ".", reason));
}

static void peer_look(struct peer *p)
{
	if (p->phase == PEER_WAITING &&
	    strcmp(field_text(p->properties, "State"), "running") == 0 &&
	    field_real(p->properties, "Progress", 0) > 0)
		peer_run(p);
}

static int on_peer_properties(sd_bus_message *m, void *userdata, sd_bus_error *unused)
{
	const sd_bus_error *e = sd_bus_message_get_error(m);
	struct peer *p = userdata;
	const char *state;
	json_t *reply = NULL;
	int r = e ? 0 : variant_read_all(m, &reply);

	if (e || r < 0) {
		peer_fail_call(p, "Its session cannot be followed", e, r);
		return 0;
	}
	json_object_update(p->properties, json_array_get(reply, 0));
	json_decref(reply);
	state = field_text(p->properties, "State");
	if (*field_text(p->properties, "Verdict")) /* before its path was known here */
		peer_ended(p, state);
	else
		peer_look(p);
	return 0;
}

static int on_peer_started(sd_bus_message *m, void *userdata, sd_bus_error *unused)
{
	const sd_bus_error *e = sd_bus_message_get_error(m);
	struct peer *p = userdata;
	const char *id, *path;
	int r = e ? 0 : sd_bus_message_read(m, "so", &id, &path);

	p->heard_usec = (uint64_t)g_get_monotonic_time();
	if (e || r < 0) {
		p->phase = PEER_IDLE;
		peer_fail_call(p, "Its session was not started", e, r);
		return 0;
	}
	p->phase = PEER_WAITING;
	p->id = g_strdup(id);
	p->path = g_strdup(path);
	r = sd_bus_call_method_async(p->bus, NULL, CLIENT_SERVICE, p->path, CLIENT_PROPERTIES,
				     "GetAll", on_peer_properties, p, "s", CLIENT_SESSION);
	if (r < 0)
		peer_fail_call(p, "Its session cannot be followed", NULL, r);
	return 0;
}

static int peer_append_wishes(const struct peer *p, sd_bus_message *m, const json_t *want)
{
	const char *id = strrchr(p->session, '/') + 1;
	g_autofree char *label = g_strdup_printf("for %s on %s", id, g_get_host_name());
	uint64_t time_ns = (uint64_t)MAX(field_number(want, "time_ns", 0), 0) + PEER_MORE_NS;
	g_autofree char *duration = duration_format(time_ns);
	int r = sd_bus_message_append(m, "{sv}{sv}{sv}{sv}{sv}", "load", "s",
				      field_text(want, "load"), "duration", "s", duration, "label",
				      "s", label, "queue", "b", 0, "tied", "b", 1);

	if (r >= 0 && p->o.port)
		r = sd_bus_message_append(m, "{sv}", "port", "s", p->o.port);
	return r;
}

static int peer_start_message(const struct peer *p, const json_t *want, sd_bus_message **ret)
{
	int r = sd_bus_message_new_method_call(p->bus, ret, CLIENT_SERVICE, CLIENT_PATH,
					       CLIENT_MANAGER, "StartSession");

	if (r >= 0)
		r = sd_bus_message_append(*ret, "s", p->o.plan);
	if (r >= 0)
		r = sd_bus_message_open_container(*ret, SD_BUS_TYPE_ARRAY, "{sv}");
	if (r >= 0)
		r = peer_append_wishes(p, *ret, want);
	return r < 0 ? r : sd_bus_message_close_container(*ret);
}

static void peer_start(struct peer *p, const json_t *want)
{
	sd_bus_message *m = NULL;
	int r;

	p->phase = PEER_STARTING;
	p->index = field_number(want, "index", 0);
	g_clear_pointer(&p->id, g_free);
	g_clear_pointer(&p->path, g_free);
	json_object_clear(p->properties);
	r = peer_start_message(p, want, &m);
	if (r >= 0)
		r = sd_bus_call_async(p->bus, NULL, m, on_peer_started, p, 0);
	sd_bus_message_unref(m);
	if (r < 0)
		peer_fail_call(p, "Its session cannot be started", NULL, r);
}

/* --- what the session here asks --- */

static void peer_changed(const char *path, const json_t *properties, void *userdata)
{
	const json_t *want = json_object_get(properties, "PeerWanted");
	const char *what = field_text(want, "what");
	struct peer *p = userdata;

	if (!p->session)
		p->session = g_strdup(path);
	peer_tell(p);
	if (p->failure)
		return;
	if (strcmp(what, "begin") == 0 && p->phase == PEER_IDLE &&
	    field_number(want, "index", 0) != p->index)
		peer_start(p, want);
	else if (strcmp(what, "end") == 0 && p->phase == PEER_RUNNING &&
		 field_number(want, "index", 0) == p->index)
		peer_ask(p, "Stop", on_peer_stopped, PEER_STOPPING, "It cannot be stopped");
}

/* --- news from there --- */

static int on_peer_changed(sd_bus_message *m, void *userdata, sd_bus_error *unused)
{
	struct peer *p = userdata;
	json_t *args;

	p->heard_usec = (uint64_t)g_get_monotonic_time();
	if (!p->path || strcmp(sd_bus_message_get_path(m), p->path) != 0 ||
	    variant_read_all(m, &args) < 0)
		return 0;
	if (strcmp(CLIENT_SESSION, json_string_value(json_array_get(args, 0)) ?: "") == 0) {
		json_object_update(p->properties, json_array_get(args, 1));
		peer_look(p);
	}
	json_decref(args);
	return 0;
}

static int on_peer_finished(sd_bus_message *m, void *userdata, sd_bus_error *unused)
{
	const char *id, *path, *state, *verdict;
	struct peer *p = userdata;

	if (sd_bus_message_read(m, "soss", &id, &path, &state, &verdict) >= 0 && p->path &&
	    strcmp(path, p->path) == 0)
		peer_ended(p, state);
	return 0;
}

static int on_peer_owner(sd_bus_message *m, void *userdata, sd_bus_error *unused)
{
	const char *name, *before, *after;
	struct peer *p = userdata;

	if (sd_bus_message_read(m, "sss", &name, &before, &after) >= 0 && *before && !*after)
		peer_fail(p, g_strdup("lrtbfd has gone away there."));
	return 0;
}

static int on_peer_disconnected(sd_bus_message *m, void *userdata, sd_bus_error *unused)
{
	peer_fail(userdata, g_strdup("The connection to it broke."));
	return 0;
}

static int on_peer_silence(sd_event_source *s, uint64_t usec, void *userdata)
{
	struct peer *p = userdata;
	uint64_t now_usec = (uint64_t)g_get_monotonic_time();

	if (p->phase == PEER_RUNNING && now_usec > p->heard_usec + PEER_SILENT_USEC)
		peer_fail(p,
			  g_strdup_printf("Nothing was heard of it for %llu s.",
					  (unsigned long long)(PEER_SILENT_USEC / G_USEC_PER_SEC)));
	(void)sd_event_source_set_time_relative(s, PEER_LOOK_USEC);
	return sd_event_source_set_enabled(s, SD_EVENT_ONESHOT);
}

static int peer_subscribe(struct peer *p)
{
	static const struct {
		const char *rule;
		sd_bus_message_handler_t handler;
	} matches[] = {
		{ "type='signal',sender='" CLIENT_SERVICE "',path_namespace='" CLIENT_PATH
		  "/session',interface='" CLIENT_PROPERTIES "',member='PropertiesChanged'",
		  on_peer_changed },
		{ "type='signal',sender='" CLIENT_SERVICE "',path='" CLIENT_PATH "',"
		  "interface='" CLIENT_MANAGER "',member='SessionFinished'",
		  on_peer_finished },
		{ "type='signal',sender='org.freedesktop.DBus',interface='org.freedesktop.DBus',"
		  "member='NameOwnerChanged',arg0='" CLIENT_SERVICE "'",
		  on_peer_owner },
		{ "type='signal',sender='org.freedesktop.DBus.Local',"
		  "path='/org/freedesktop/DBus/Local',interface='org.freedesktop.DBus.Local',"
		  "member='Disconnected'",
		  on_peer_disconnected },
	};

	G_STATIC_ASSERT(G_N_ELEMENTS(matches) == G_N_ELEMENTS(p->slots));
	for (size_t i = 0; i < G_N_ELEMENTS(matches); i++) {
		int r = sd_bus_add_match(p->bus, &p->slots[i], matches[i].rule, matches[i].handler,
					 p);

		if (r < 0)
			return r;
	}
	return 0;
}

/* --- life --- */

static int peer_attach(sd_event *event, void *userdata)
{
	struct peer *p = userdata;
	int r;

	p->event = sd_event_ref(event);
	p->heard_usec = (uint64_t)g_get_monotonic_time();
	r = sd_bus_attach_event(p->bus, event, SD_EVENT_PRIORITY_NORMAL);
	if (r >= 0)
		r = sd_event_add_time_relative(event, NULL, CLOCK_MONOTONIC, PEER_LOOK_USEC, 0,
					       on_peer_silence, p);
	return r;
}

struct follow_partner peer_partner(struct peer *p)
{
	return (struct follow_partner){ .attach = peer_attach,
					.changed = peer_changed,
					.userdata = p };
}

static int peer_say_unreachable(const struct peer *p, const sd_bus_error *e, int r)
{
	say("Peer %s: lrtbfd does not answer there (%s).", p->o.where,
	    e && e->message && *e->message ? e->message : g_strerror(abs(r)));
	return outcome_of_error(e, r);
}

int peer_open(struct client *c, const struct peer_options *o, struct peer **ret)
{
	sd_bus_error e = SD_BUS_ERROR_NULL;
	struct peer *p = g_new0(struct peer, 1);
	char *version = NULL;
	int r;

	p->c = c;
	p->o = *o;
	p->index = -1;
	p->properties = json_object();
	r = peerbus_open(o->where, &p->bus);
	if (r == -EINVAL) {
		peer_close(p);
		return say_usage("--peer=%s is neither [USER@]HOST nor a D-Bus address.", o->where);
	}
	/* a person may have to type a password for ssh: libsystemd's limit is what there is */
	if (r >= 0)
		r = sd_bus_get_property_string(p->bus, CLIENT_SERVICE, CLIENT_PATH, CLIENT_MANAGER,
					       "Version", &e, &version);
	if (r >= 0)
		r = peer_subscribe(p);
	if (r < 0) {
		r = peer_say_unreachable(p, &e, r);
		sd_bus_error_free(&e);
		peer_close(p);
		return r;
	}
	(void)sd_bus_set_method_call_timeout(p->bus, PEER_CALL_USEC);
	p->version = g_strdup(version);
	free(version); /* libsystemd's allocator, not glib's */
	*ret = p;
	return OUTCOME_DONE;
}

/*
 * Best effort: the session there is tied to the connection that is closed next. No answer is waited
 * for, since the machine there may be the reason why we leave.
 */
static void peer_end(struct peer *p)
{
	if (p->path && p->phase >= PEER_WAITING && p->phase <= PEER_STOPPING)
		(void)sd_bus_call_method_async(p->bus, NULL, CLIENT_SERVICE, p->path,
					       CLIENT_SESSION, "Stop", NULL, NULL, "a{sv}", 0);
}

void peer_close(struct peer *p)
{
	if (!p)
		return;
	if (p->event)
		(void)sd_bus_detach_event(p->bus);
	peer_end(p);
	for (size_t i = 0; i < G_N_ELEMENTS(p->slots); i++)
		sd_bus_slot_unref(p->slots[i]);
	sd_bus_flush_close_unref(p->bus);
	sd_event_unref(p->event);
	json_decref(p->properties);
	g_free(p->version);
	g_free(p->session);
	g_free(p->id);
	g_free(p->path);
	g_free(p->failure);
	g_free(p);
}
