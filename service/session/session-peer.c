/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A session's other machine: what it says, and what that does to the session.
 */
#include "session-internal.h"

#include "clock.h"
#include "log.h"
#include "message.h"
#include "peer.h"
#include "reason.h"
#include "stage.h"

#include <errno.h>

#define SESSION_PEER_WAIT_NS (60 * NSEC_PER_SEC)

static void session_take_peer_failure(struct session *s)
{
	const char *sentence = peer_failure(s->peer);

	if (session_ended(s))
		return;
	log_write(LOG_NOTICE, s->r->id, "%s", sentence);
	if (s->r->state == SESSION_QUEUED) {
		session_refuse(s, EREMOTEIO, sentence);
		return;
	}
	if (!s->stop_reason && !*s->r->reason_id)
		session_set_reason(s, reason_from_errno(EREMOTEIO), sentence);
	if (s->stage && !s->stage_over)
		stage_stop(s->stage);
	else
		session_schedule(s);
}

static void on_session_peer(enum peer_news what, void *userdata)
{
	struct session *s = userdata;

	switch (what) {
	case PEER_ASKS:
		session_tell(s, SESSIONS_CHANGED);
		break;
	case PEER_READY:
	case PEER_DONE:
		session_schedule(s);
		break;
	case PEER_FAILED:
		session_take_peer_failure(s);
		break;
	}
}

void session_set_peer(struct session *s, const struct session_peer_wish *wish)
{
	const struct peer_params p = {
		.event = s->place->event,
		.name = wish->name,
		.wait_ns = wish->wait_ns ?: SESSION_PEER_WAIT_NS,
		.r = s->r,
		.news = on_session_peer,
		.userdata = s,
	};

	s->peer = peer_new(&p);
	json_decref(s->r->peer);
	s->r->peer = json_pack("{s:s}", "name", wish->name);
}

void session_forsake_peer(struct session *s)
{
	if (!s->peer)
		return;
	peer_forsake(s->peer);
	if (s->stage_over)
		session_schedule(s);
}

bool session_peer_wanted(const struct session *s, struct session_peer_want *ret)
{
	return s->peer && peer_wanted(s->peer, ret);
}

static int session_check_peer(const struct session *s, char **ret_message)
{
	if (s->peer && !session_ended(s))
		return 0;
	return message_fail(ret_message, -EINVAL, "Session %s %s.", s->r->id,
			    s->peer ? "has ended" : "has no peer");
}

int session_peer_ready(struct session *s, unsigned index, const char *id, const char *version,
		       char **ret_message)
{
	int r = session_check_peer(s, ret_message);

	return r < 0 ? r : peer_say_ready(s->peer, index, id, version, ret_message);
}

int session_peer_result(struct session *s, unsigned index, const char *report, size_t size,
			char **ret_message)
{
	int r = session_check_peer(s, ret_message);

	return r < 0 ? r : peer_say_result(s->peer, index, report, size, ret_message);
}

int session_peer_failed(struct session *s, const char *sentence, char **ret_message)
{
	int r = session_check_peer(s, ret_message);

	return r < 0 ? r : peer_say_failed(s->peer, sentence, ret_message);
}

void session_caller_left(struct session *s)
{
	if (s->peer && !session_ended(s))
		peer_lost(s->peer);
	else
		session_stop_because(s, g_strdup("Its caller has gone."));
}
