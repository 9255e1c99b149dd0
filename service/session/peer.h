/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * The other machine of a session with two, as this one sees it: a name, and somebody who holds the
 * connection to it (the caller that started the session), is asked for its part of each stage and
 * answers. Nothing here speaks to that machine. Owned by a session, event loop's thread.
 *
 * For each stage: peer_begin() asks for its part, PEER_READY says that it runs; peer_end() asks for
 * its result, PEER_DONE says that it is there. Every wait has an end.
 */
#include "plan.h"
#include "result.h"
#include "sessions.h"

struct peer;

enum peer_news {
	PEER_ASKS,   /* what is asked changed: peer_wanted() */
	PEER_READY,  /* its part of the stage runs */
	PEER_DONE,   /* its part is in the result, or is not waited for any more */
	PEER_FAILED, /* peer_failure(); nothing more is asked */
};
typedef void (*peer_news_t)(enum peer_news what, void *userdata);

struct peer_params {
	sd_event *event;
	const char *name; /* copied */
	uint64_t wait_ns; /* for each answer */
	struct result
		*r; /* of the session, borrowed: it gets findings, conditions, parts of stages */
	peer_news_t news;
	void *userdata;
};

struct peer *peer_new(const struct peer_params *p);
struct peer *peer_free(struct peer *p);

/* @time_ns: the longest that stage @index may take from now on. PEER_ASKS from within. */
void peer_begin(struct peer *p, const struct plan_stage *spec, unsigned index, uint64_t time_ns);
bool peer_ready(const struct peer *p);
/* The stage that began, as far as it is known then: for struct result_stage. */
json_t *peer_part(const struct peer *p);
/*
 * The stage is over here. @hurry: somebody waits for the end. False: its result is not waited for,
 * nothing will come. PEER_ASKS from within.
 */
bool peer_end(struct peer *p, bool hurry);
/* Somebody waits for the end now. */
void peer_hurry(struct peer *p);
/* Ask for nothing more, wait for nothing; no news. */
void peer_forsake(struct peer *p);

bool peer_wanted(const struct peer *p, struct session_peer_want *ret);
const char *peer_failure(const struct peer *p); /* a sentence; NULL: it has not failed */
const char *peer_name(const struct peer *p);

/* What its connection's holder says; -EINVAL when that is not what is asked, with a sentence. */
int peer_say_ready(struct peer *p, unsigned stage, const char *id, const char *version,
		   char **ret_message);
/* -EBADMSG, -EMSGSIZE: not such a report. */
int peer_say_result(struct peer *p, unsigned stage, const char *report, size_t size,
		    char **ret_message);
int peer_say_failed(struct peer *p, const char *sentence, char **ret_message);
void peer_lost(struct peer *p); /* the holder has gone */
