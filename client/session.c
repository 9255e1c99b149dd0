/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The bus leaves out what has no value, the JSON contract says null: here the one becomes the
 * other.
 */
#include "session.h"

#include "figures-json.h"
#include <string.h>

static int session_active(struct client *c, char **ret_path)
{
	json_t *manager;
	const char *path;
	int r = client_properties(c, CLIENT_PATH, CLIENT_MANAGER, &manager);

	if (r)
		return r;
	path = field_text(manager, "ActiveSession");
	*ret_path = strlen(path) > 1 ? g_strdup(path) : NULL;
	json_decref(manager);
	return OUTCOME_DONE;
}

static int session_get(struct client *c, const char *name, char **ret_path)
{
	json_t *reply;
	const char *path;
	int r = client_check_text(name);

	if (!r)
		r = client_call(c, CLIENT_PATH, CLIENT_MANAGER, "GetSession", &reply, "s", name);
	if (r)
		return r;
	path = json_string_value(json_array_get(reply, 0));
	if (path)
		*ret_path = g_strdup(path);
	else
		r = say_error("The answer of lrtbfd has no session in it.");
	json_decref(reply);
	return r;
}

int session_resolve(struct client *c, const char *name, enum session_default otherwise,
		    char **ret_path)
{
	char *path;
	int r;

	if (name)
		return session_get(c, name, ret_path);
	if (otherwise == SESSION_LAST)
		return session_get(c, "last", ret_path);
	r = session_active(c, &path);
	if (r)
		return r;
	if (!path && otherwise == SESSION_ACTIVE)
		return say_error("No session is being measured.");
	if (!path)
		return session_get(c, "last", ret_path);
	*ret_path = path;
	return OUTCOME_DONE;
}

static const struct {
	const char *bus, *json;
} session_names[] = {
	{ "Id", "id" },
	{ "Plan", "plan" },
	{ "Label", "label" },
	{ "Owner", "owner" },
	{ "PeerName", "peer_name" },
	{ "State", "state" },
	{ "Verdict", "verdict" },
	{ "Reason", "reason" },
	{ "ReasonId", "reason_id" },
	{ "Stage", "stage" },
	{ "Progress", "progress" },
	{ "QueuePosition", "queue_position" },
	{ "CreatedUSec", "created_usec" },
	{ "StartedUSec", "started_usec" },
	{ "FinishedUSec", "finished_usec" },
	{ "Kept", "kept" },
	{ "Baseline", "baseline" },
	{ "ThinnedUSec", "thinned_usec" },
	{ "Warnings", "warnings" },
	{ "Figures", "figures" },
};

json_t *session_properties_json(const char *path, const json_t *properties)
{
	json_t *j = json_object();

	for (size_t i = 0; i < G_N_ELEMENTS(session_names); i++) {
		json_t *v = json_object_get(properties, session_names[i].bus);
		size_t n = strlen(session_names[i].bus);
		bool time = strcmp(session_names[i].bus + (n > 4 ? n - 4 : 0), "USec") == 0;

		if (v && !(time && json_integer_value(v) == 0))
			json_object_set(j, session_names[i].json, v);
		else
			json_object_set_new(j, session_names[i].json, json_null());
	}
	json_object_set_new(j, "path", json_string(path));
	return j;
}

static int session_fill_filter(sd_bus_message *m, const void *data)
{
	const char *key;
	json_t *value;
	int r;

	json_object_foreach ((json_t *)data, key, value) {
		if (json_is_string(value)) {
			r = client_append_text(m, key, json_string_value(value));
		} else {
			r = sd_bus_message_append(m, "{sv}", key, "t",
						  (uint64_t)json_integer_value(value));
			r = r < 0 ? client_fail(NULL, r) : OUTCOME_DONE;
		}
		if (r)
			return r;
	}
	return OUTCOME_DONE;
}

int session_list_page(struct client *c, const json_t *filter, const char *cursor, unsigned limit,
		      json_t **ret, char **ret_next)
{
	sd_bus_message *m = NULL;
	const char *next;
	json_t *reply;
	int r = client_message(c, CLIENT_PATH, CLIENT_MANAGER, "ListSessions", &m);

	if (!r)
		r = client_append_options(m, session_fill_filter, filter);
	if (!r) {
		r = sd_bus_message_append(m, "su", cursor, limit);
		r = r < 0 ? client_fail(NULL, r) : client_send(c, m, &reply);
	}
	sd_bus_message_unref(m);
	if (r)
		return r;
	next = json_string_value(json_array_get(reply, 1));
	*ret = json_incref(json_array_get(reply, 0));
	session_complete_page(*ret);
	*ret_next = g_strdup(next ? next : "");
	json_decref(reply);
	return OUTCOME_DONE;
}

/* Keys of @model that @o lacks. Either may be no object at all. */
static void session_complete_like(json_t *o, const json_t *model)
{
	const char *key;
	json_t *unused;

	if (!json_is_object(o))
		return;
	json_object_foreach ((json_t *)model, key, unused)
		if (!json_object_get(o, key))
			json_object_set_new(o, key, json_null());
}

static void session_complete_figures(json_t *f, const json_t *model)
{
	const json_t *percentiles = json_object_get(model, "percentiles");
	json_t *worst, *at;
	size_t i;

	session_complete_like(f, model);
	session_complete_like(json_object_get(f, "percentiles"), percentiles);
	session_complete_like(json_object_get(json_object_get(f, "corrected"), "percentiles"),
			      percentiles);
	worst = json_object_get(f, "worst");
	at = json_pack("{s:n}", "at_usec");
	for (i = 0; i < json_array_size(worst); i++)
		session_complete_like(json_array_get(worst, i), at);
	json_decref(at);
}

void session_complete_page(json_t *page)
{
	static const char *const keys[] = { "id",	    "plan",	     "label",
					    "owner",	    "state",	     "verdict",
					    "reason",	    "reason_id",     "instrument",
					    "policy",	    "wanted_policy", "priority",
					    "method",	    "overrides",     "created_usec",
					    "started_usec", "finished_usec", "duration_ns",
					    "planned_ns",   "interval_ns",   "summary",
					    "peer",	    "kept",	     "thinned_usec",
					    "baseline" };
	/* Figures of no sample have every key there is. */
	g_autofree struct figures *none = figures_new();
	json_t *figures = figures_to_json(none, 0, false), *session = json_object();

	for (size_t i = 0; i < G_N_ELEMENTS(keys); i++)
		json_object_set_new(session, keys[i], json_null());
	for (size_t i = 0; i < json_array_size(page); i++) {
		json_t *s = json_array_get(page, i);

		session_complete_like(s, session);
		session_complete_figures(json_object_get(s, "summary"), figures);
	}
	json_decref(session);
	json_decref(figures);
}

int64_t session_ended_usec(const json_t *session)
{
	int64_t finished = field_number(session, "finished_usec", 0);
	int64_t started = field_number(session, "started_usec", 0);

	if (finished || !started)
		return finished;
	return started + field_number(session, "duration_ns", 0) / 1000;
}
