/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * org.lrtbf1.Session at /org/lrtbf1/session/ID: one fallback vtable for every session there ever
 * was. Those in memory are also enumerated, so that ObjectManager lists them; older ones answer by
 * path.
 */
#include "bus-internal.h"

#include "absent.h"
#include "dict.h"
#include "errors.h"
#include "keep.h"
#include "live.h"
#include "log.h"
#include "options.h"
#include "peer.h"
#include "reports.h"
#include "tie.h"
#include <errno.h>
#include <string.h>

char *session_path(const char *id)
{
	return g_strconcat(BUS_SESSION_PATH "/", id, NULL);
}

/* Whose object is @path? 0: nobody's, and not one of a session either. */
static int session_look_up(const char *path, void *userdata, void **ret_found, sd_bus_error *error)
{
	struct bus *b = userdata;
	const char *id;
	int r;

	if (!g_str_has_prefix(path, BUS_SESSION_PATH "/"))
		return 0;
	id = path + strlen(BUS_SESSION_PATH "/");
	if (strchr(id, '/'))
		return 0;
	r = view_set(&b->view, b->model.sessions, id, error);
	if (r < 0)
		return r;
	*ret_found = b;
	return 1;
}

static int session_enumerate(sd_bus *bus, const char *prefix, void *userdata, char ***ret_nodes,
			     sd_bus_error *error)
{
	struct bus *b = userdata;
	g_autoptr(GPtrArray) all = sessions_all(b->model.sessions);
	char **nodes = calloc(all->len + 1, sizeof(*nodes)); /* sd-bus frees it */

	if (!nodes)
		return -ENOMEM;
	for (guint i = 0; i < all->len; i++) {
		g_autofree char *path = session_path(session_result(all->pdata[i])->id);

		nodes[i] = strdup(path);
	}
	*ret_nodes = nodes;
	return 0;
}

/* Stop */

struct stop {
	struct bus *bus;
	char *id;
};

static void stop_free(gpointer data)
{
	struct stop *s = data;

	g_free(s->id);
	g_free(s);
}

static int stop_go(sd_bus_message *call, uid_t caller, void *data, sd_bus_error *error)
{
	struct stop *s = data;
	struct session *session = sessions_find(s->bus->model.sessions, s->id);
	int r = 0;

	/* one that is in the store only has ended long ago */
	if (session)
		r = session_stop(session, caller);
	if (r >= 0)
		r = sd_bus_reply_method_return(call, NULL);
	return r < 0 ? bus_error_set(error, r, NULL) : 0;
}

static int method_stop(sd_bus_message *m, void *userdata, sd_bus_error *error)
{
	struct bus *b = userdata;
	struct authority_request request = {
		.action = ACTION_MEASURE,
		.others_action = ACTION_MANAGE,
		.owner = b->view.result->owner,
		.then = stop_go,
		.free = stop_free,
	};
	struct stop *s;
	int r;

	r = options_read_none(m, error);
	if (r < 0)
		return r;
	s = g_new0(struct stop, 1);
	s->bus = b;
	s->id = g_strdup(b->view.result->id);
	request.data = s;
	return authority_check(b->authority, m, &request, error);
}

/* Properties: one getter for those that are plain words and numbers, by name */

static int session_property_string(sd_bus *bus, const char *path, const char *interface,
				   const char *property, sd_bus_message *reply, void *userdata,
				   sd_bus_error *error)
{
	const struct view *v = &((struct bus *)userdata)->view;
	const struct result *r = v->result;
	const char *value = "";

	if (strcmp(property, "Id") == 0)
		value = r->id;
	else if (strcmp(property, "Plan") == 0)
		value = r->plan;
	else if (strcmp(property, "Label") == 0)
		value = r->label;
	else if (strcmp(property, "State") == 0)
		value = session_state_to_string(r->state);
	else if (strcmp(property, "Baseline") == 0)
		value = r->baseline;
	else if (strcmp(property, "Verdict") == 0)
		value = verdict_to_string(r->verdict);
	else if (strcmp(property, "Reason") == 0)
		value = r->reason;
	else if (strcmp(property, "ReasonId") == 0)
		value = r->reason_id;
	else if (v->live)
		value = session_stage(v->live);
	return dict_text(reply, value ?: "");
}

static int session_property_usec(sd_bus *bus, const char *path, const char *interface,
				 const char *property, sd_bus_message *reply, void *userdata,
				 sd_bus_error *error)
{
	const struct result *r = ((struct bus *)userdata)->view.result;
	const uint64_t *value = *property == 'C'   ? &r->created_usec
				: *property == 'S' ? &r->started_usec
				: *property == 'T' ? &r->thinned_usec
						   : &r->finished_usec;

	return sd_bus_message_append_basic(reply, 't', value);
}

static int session_property_owner(sd_bus *bus, const char *path, const char *interface,
				  const char *property, sd_bus_message *reply, void *userdata,
				  sd_bus_error *error)
{
	uint32_t owner = ((struct bus *)userdata)->view.result->owner;

	return sd_bus_message_append_basic(reply, 'u', &owner);
}

static int session_property_kept(sd_bus *bus, const char *path, const char *interface,
				 const char *property, sd_bus_message *reply, void *userdata,
				 sd_bus_error *error)
{
	int kept = ((struct bus *)userdata)->view.result->kept;

	return sd_bus_message_append_basic(reply, 'b', &kept);
}

static int session_property_progress(sd_bus *bus, const char *path, const char *interface,
				     const char *property, sd_bus_message *reply, void *userdata,
				     sd_bus_error *error)
{
	double progress = view_progress(&((struct bus *)userdata)->view);

	return sd_bus_message_append_basic(reply, 'd', &progress);
}

static int session_property_queue_position(sd_bus *bus, const char *path, const char *interface,
					   const char *property, sd_bus_message *reply,
					   void *userdata, sd_bus_error *error)
{
	const struct view *v = &((struct bus *)userdata)->view;
	uint32_t position = v->live ? session_queue_position(v->live) : 0;

	return sd_bus_message_append_basic(reply, 'u', &position);
}

static int session_property_warnings(sd_bus *bus, const char *path, const char *interface,
				     const char *property, sd_bus_message *reply, void *userdata,
				     sd_bus_error *error)
{
	g_auto(GStrv) warnings = view_warnings(&((struct bus *)userdata)->view);
	int r;

	r = sd_bus_message_open_container(reply, 'a', "s");
	for (char **w = warnings; r >= 0 && *w; w++)
		r = dict_text(reply, *w);
	return r < 0 ? r : sd_bus_message_close_container(reply);
}

static int session_property_figures(sd_bus *bus, const char *path, const char *interface,
				    const char *property, sd_bus_message *reply, void *userdata,
				    sd_bus_error *error)
{
	return live_append_figures(reply, &((struct bus *)userdata)->view);
}

#define CONSTANT SD_BUS_VTABLE_PROPERTY_CONST
#define CHANGES	 SD_BUS_VTABLE_PROPERTY_EMITS_CHANGE

static const sd_bus_vtable session_vtable[] = {
	SD_BUS_VTABLE_START(0),
	SD_BUS_METHOD_WITH_ARGS("Stop", SD_BUS_ARGS("a{sv}", options), SD_BUS_NO_RESULT,
				method_stop, SD_BUS_VTABLE_UNPRIVILEGED),
	SD_BUS_METHOD_WITH_ARGS("SetKeep", SD_BUS_ARGS("b", keep, "a{sv}", options),
				SD_BUS_NO_RESULT, keep_method_set_keep, SD_BUS_VTABLE_UNPRIVILEGED),
	SD_BUS_METHOD_WITH_ARGS("GetResult", SD_BUS_ARGS("a{sv}", options),
				SD_BUS_RESULT("a{sv}", result), reports_method_get_result,
				SD_BUS_VTABLE_UNPRIVILEGED),
	SD_BUS_METHOD_WITH_ARGS("GetReport", SD_BUS_ARGS("s", format, "a{sv}", options),
				SD_BUS_RESULT("s", report), reports_method_get_report,
				SD_BUS_VTABLE_UNPRIVILEGED),
	SD_BUS_METHOD_WITH_ARGS("OpenReport", SD_BUS_ARGS("s", format, "a{sv}", options),
				SD_BUS_RESULT("h", report), reports_method_open_report,
				SD_BUS_VTABLE_UNPRIVILEGED),
	SD_BUS_METHOD_WITH_ARGS("PeerReady",
				SD_BUS_ARGS("u", index, "s", session, "a{sv}", options),
				SD_BUS_NO_RESULT, peer_method_ready, SD_BUS_VTABLE_UNPRIVILEGED),
	SD_BUS_METHOD_WITH_ARGS("PeerResult",
				SD_BUS_ARGS("u", index, "s", report, "a{sv}", options),
				SD_BUS_NO_RESULT, peer_method_result, SD_BUS_VTABLE_UNPRIVILEGED),
	SD_BUS_METHOD_WITH_ARGS("PeerFailed", SD_BUS_ARGS("s", reason, "a{sv}", options),
				SD_BUS_NO_RESULT, peer_method_failed, SD_BUS_VTABLE_UNPRIVILEGED),
	SD_BUS_SIGNAL_WITH_ARGS("NewMaximum", SD_BUS_ARGS("t", latency_ns, "i", cpu, "s", stage),
				0),
	SD_BUS_PROPERTY("Id", "s", session_property_string, 0, CONSTANT),
	SD_BUS_PROPERTY("Plan", "s", session_property_string, 0, CONSTANT),
	SD_BUS_PROPERTY("Label", "s", session_property_string, 0, CONSTANT),
	SD_BUS_PROPERTY("PeerName", "s", peer_property_name, 0, CONSTANT),
	SD_BUS_PROPERTY("PeerWanted", "a{sv}", peer_property_wanted, 0, CHANGES),
	SD_BUS_PROPERTY("Owner", "u", session_property_owner, 0, CONSTANT),
	SD_BUS_PROPERTY("State", "s", session_property_string, 0, CHANGES),
	SD_BUS_PROPERTY("Verdict", "s", session_property_string, 0, CHANGES),
	SD_BUS_PROPERTY("Reason", "s", session_property_string, 0, CHANGES),
	SD_BUS_PROPERTY("ReasonId", "s", session_property_string, 0, CHANGES),
	SD_BUS_PROPERTY("Stage", "s", session_property_string, 0, CHANGES),
	SD_BUS_PROPERTY("Progress", "d", session_property_progress, 0, CHANGES),
	SD_BUS_PROPERTY("QueuePosition", "u", session_property_queue_position, 0, CHANGES),
	SD_BUS_PROPERTY("CreatedUSec", "t", session_property_usec, 0, CONSTANT),
	SD_BUS_PROPERTY("StartedUSec", "t", session_property_usec, 0, CHANGES),
	SD_BUS_PROPERTY("FinishedUSec", "t", session_property_usec, 0, CHANGES),
	SD_BUS_PROPERTY("Kept", "b", session_property_kept, 0, CHANGES),
	SD_BUS_PROPERTY("Baseline", "s", session_property_string, 0, CHANGES),
	SD_BUS_PROPERTY("ThinnedUSec", "t", session_property_usec, 0, CHANGES),
	SD_BUS_PROPERTY("Warnings", "as", session_property_warnings, 0, CHANGES),
	SD_BUS_PROPERTY("Figures", "a{sv}", session_property_figures, 0, CHANGES),
	SD_BUS_VTABLE_END,
};

static int session_find(sd_bus *bus, const char *path, const char *interface, void *userdata,
			void **ret_found, sd_bus_error *error)
{
	int r = session_look_up(path, userdata, ret_found, error);

	return absent_answer(bus, path, interface, session_vtable, r, error);
}

int session_publish(struct bus *b)
{
	int r;

	r = sd_bus_add_fallback_vtable(b->bus, NULL, BUS_SESSION_PATH, BUS_SESSION_IFACE,
				       session_vtable, session_find, b);
	if (r < 0)
		return r;
	return sd_bus_add_node_enumerator(b->bus, NULL, BUS_SESSION_PATH, session_enumerate, b);
}

/* News */

static int session_changed(struct bus *b, const char *path)
{
	return sd_bus_emit_properties_changed(b->bus, path, BUS_SESSION_IFACE, "State", "Verdict",
					      "Reason", "ReasonId", "Stage", "Progress",
					      "QueuePosition", "StartedUSec", "FinishedUSec",
					      "Warnings", "Figures", "PeerWanted", NULL);
}

/* Of one that may be in the store alone: what was remembered of it is old. */
static void session_changed_beside(struct bus *b, const char *id)
{
	g_autofree char *path = session_path(id);
	int r;

	view_forget(&b->view, id);
	r = sd_bus_emit_properties_changed(b->bus, path, BUS_SESSION_IFACE, "Kept", "Baseline",
					   "ThinnedUSec", "Warnings", NULL);
	if (r < 0)
		log_debug("A change of session %s could not be told, ignoring: %s", id,
			  g_strerror(-r));
}

void session_marked(struct bus *b, const char *id)
{
	session_changed_beside(b, id);
}

void bus_session_retained(struct bus *b, const char *id, bool gone)
{
	if (gone)
		view_forget(&b->view, id);
	else
		session_changed_beside(b, id);
}

static int session_new_maximum(struct bus *b, const char *path, const struct session *s)
{
	int cpu = -1;
	uint64_t latency_ns = session_maximum_ns(s, &cpu);

	return sd_bus_emit_signal(b->bus, path, BUS_SESSION_IFACE, "NewMaximum", "tis", latency_ns,
				  (int32_t)cpu, session_stage(s));
}

static int session_forgotten(struct bus *b, const char *path, struct session *s)
{
	int r;

	b->view.leaving = s;
	r = sd_bus_emit_object_removed(b->bus, path);
	b->view.leaving = NULL;
	b->view.live = NULL;
	b->view.result = NULL;
	return r;
}

void session_news(struct bus *b, enum sessions_news what, struct session *s)
{
	g_autofree char *path = s ? session_path(session_result(s)->id) : NULL;
	int r = 0;

	switch (what) {
	case SESSIONS_ADDED:
		r = sd_bus_emit_object_added(b->bus, path);
		break;
	case SESSIONS_ENDED:
		tie_drop(b, session_result(s)->id);
		r = session_changed(b, path);
		break;
	case SESSIONS_CHANGED:
		r = session_changed(b, path);
		break;
	case SESSIONS_PROGRESS:
		r = sd_bus_emit_properties_changed(b->bus, path, BUS_SESSION_IFACE, "Progress",
						   "Figures", NULL);
		break;
	case SESSIONS_MAXIMUM:
		r = session_new_maximum(b, path, s);
		break;
	case SESSIONS_FORGOTTEN:
		r = session_forgotten(b, path, s);
		break;
	case SESSIONS_ACTIVE:
		break;
	}
	if (r < 0)
		log_debug("News of a session could not be told, ignoring: %s", g_strerror(-r));
}
