/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * Sessions as the user names them: an id, "last", "last:PLAN", or nothing.
 */
#include "client.h"

/* Which session no name means. */
enum session_default {
	SESSION_ACTIVE, /* the one that measures; none: a sentence, OUTCOME_ERROR */
	SESSION_LAST,	/* the newest that has ended */
	SESSION_ACTIVE_OR_LAST,
};

/* @name NULL: as @otherwise says. @ret_path: g_free(). */
int session_resolve(struct client *c, const char *name, enum session_default otherwise,
		    char **ret_path);

/*
 * A session's properties as `session show --json` has them: the bus's names in lower case with '_',
 * null where there is no value. A reply with members missing gives an object with all of them.
 */
json_t *session_properties_json(const char *path, const json_t *properties);

/*
 * The newest sessions that @filter (object of strings and numbers as of ListSessions) lets through,
 * page by page from @cursor. *ret is the page (json_decref), *ret_next "" after the last one
 * (g_free).
 */
int session_list_page(struct client *c, const json_t *filter, const char *cursor, unsigned limit,
		      json_t **ret, char **ret_next);
/* Elements of such a page completed to the report's `session` objects, in place: null for what
 * lacks. */
void session_complete_page(json_t *page);
/* When the session ended, or would have; 0: not known. */
int64_t session_ended_usec(const json_t *session);
