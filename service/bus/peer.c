/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The three answers differ in their arguments and in the one call into the model; who may give them
 * is the same for all: who may stop the session. A report is not copied while that is found out: it
 * lies in the message, which is kept as long.
 */
#include "peer.h"

#include "bus-internal.h"
#include "cleanup.h"
#include "dict.h"
#include "errors.h"
#include "options.h"
#include "peerreport.h"
#include <errno.h>
#include <string.h>

static const struct option_spec peer_ready_options[] = { { "version", 's' }, { NULL } };

enum peer_answer {
	PEER_ANSWER_READY,
	PEER_ANSWER_RESULT,
	PEER_ANSWER_FAILED,
};

struct peer_say {
	struct bus *bus;
	enum peer_answer answer;
	char *id; /* of the session here */
	uint32_t index;
	const char *text; /* in the message: the other session's id, report, reason */
	json_t *options;
};

static void peer_say_free(gpointer data)
{
	struct peer_say *p = data;

	g_free(p->id);
	json_decref(p->options);
	g_free(p);
}

static int peer_say(const struct peer_say *p, struct session *s, char **ret_message)
{
	switch (p->answer) {
	case PEER_ANSWER_READY:
		return session_peer_ready(s, p->index, p->text,
					  options_string(p->options, "version"), ret_message);
	case PEER_ANSWER_RESULT:
		return session_peer_result(s, p->index, p->text, strlen(p->text), ret_message);
	default:
		return session_peer_failed(s, p->text, ret_message);
	}
}

static int peer_go(sd_bus_message *call, uid_t caller, void *data, sd_bus_error *error)
{
	g_autofree char *message = NULL;
	struct peer_say *p = data;
	struct session *s = sessions_find(p->bus->model.sessions, p->id);
	int r;

	if (!s)
		return bus_error_setf(error, EINVAL, "Session %s has ended.", p->id);
	r = peer_say(p, s, &message);
	if (r < 0)
		return bus_error_set(error, r == -EBADMSG ? -EINVAL : r, message);
	r = sd_bus_reply_method_return(call, NULL);
	return r < 0 ? bus_error_set(error, r, NULL) : 0;
}

/* Arguments but the options, which are last. */
static int peer_read(sd_bus_message *m, struct peer_say *p)
{
	int r = 0;

	if (p->answer != PEER_ANSWER_FAILED)
		r = sd_bus_message_read_basic(m, 'u', &p->index);
	return r < 0 ? r : sd_bus_message_read_basic(m, 's', &p->text);
}

static int peer_method(sd_bus_message *m, struct bus *b, enum peer_answer answer,
		       const struct option_spec *options, sd_bus_error *error)
{
	struct authority_request request = {
		.action = ACTION_MEASURE,
		.others_action = ACTION_MANAGE,
		.owner = b->view.result->owner,
		.then = peer_go,
		.free = peer_say_free,
	};
	struct peer_say *p = g_new0(struct peer_say, 1);
	int r;

	p->bus = b;
	p->answer = answer;
	p->id = g_strdup(b->view.result->id);
	r = peer_read(m, p);
	if (r < 0)
		r = bus_error_argument(error, r);
	else if (strlen(p->text) > PEERREPORT_MAX)
		r = bus_error_setf(error, EMSGSIZE, "A peer's report is at most %d bytes large.",
				   PEERREPORT_MAX);
	else
		r = options_read(m, options, &p->options, error);
	if (r < 0) {
		peer_say_free(p);
		return r;
	}
	request.data = p;
	return authority_check(b->authority, m, &request, error);
}

int peer_method_ready(sd_bus_message *m, void *userdata, sd_bus_error *error)
{
	return peer_method(m, userdata, PEER_ANSWER_READY, peer_ready_options, error);
}

int peer_method_result(sd_bus_message *m, void *userdata, sd_bus_error *error)
{
	return peer_method(m, userdata, PEER_ANSWER_RESULT, options_none, error);
}

int peer_method_failed(sd_bus_message *m, void *userdata, sd_bus_error *error)
{
	return peer_method(m, userdata, PEER_ANSWER_FAILED, options_none, error);
}

static int peer_append_want(sd_bus_message *m, const struct session_peer_want *w)
{
	int r = dict_string(m, "what", w->what);

	if (r >= 0)
		r = dict_u32(m, "index", w->index);
	if (r >= 0)
		r = dict_string(m, "stage", w->stage);
	if (r >= 0)
		r = dict_string(m, "load", w->load);
	if (r >= 0)
		r = dict_u64(m, "duration_ns", w->duration_ns);
	return r < 0 ? r : dict_u64(m, "time_ns", w->time_ns);
}

int peer_property_wanted(sd_bus *bus, const char *path, const char *interface, const char *property,
			 sd_bus_message *reply, void *userdata, sd_bus_error *error)
{
	const struct view *v = &((struct bus *)userdata)->view;
	struct session_peer_want want;
	int r = sd_bus_message_open_container(reply, 'a', "{sv}");

	if (r >= 0 && v->live && session_peer_wanted(v->live, &want))
		r = peer_append_want(reply, &want);
	return r < 0 ? r : sd_bus_message_close_container(reply);
}

int peer_property_name(sd_bus *bus, const char *path, const char *interface, const char *property,
		       sd_bus_message *reply, void *userdata, sd_bus_error *error)
{
	const json_t *peer = ((struct bus *)userdata)->view.result->peer;

	return dict_text(reply, json_string_value(json_object_get(peer, "name")) ?: "");
}
