/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * A session among its own files: session.c (its stages, one after the other), session-end.c and
 * session-peer.c (the other machine that takes part).
 */
#include "session.h"

/* News of it, to sessions.c. */
void session_tell(struct session *s, enum sessions_news what);
/* Into the store: its head; a stage. */
void session_put(struct session *s);
void session_put_stage(struct session *s, const struct result_stage *stage);
/* Writing is in trouble, which is a finding. True: one that was not seen before. */
bool session_see_trouble(struct session *s);
/* Why it ends, in place of what was said before. Copied. */
void session_set_reason(struct session *s, const char *id, const char *sentence);
/* Go on from the event loop: whoever called must find the session as he left it. */
void session_schedule(struct session *s);

/*
 * Nothing of it runs any more. It ends failed when it has a reason with an id, stopped when
 * somebody asked for that, else done: now, or when its stages have been worked out.
 */
void session_finish(struct session *s);
void session_finish_now(struct session *s);
/* The same for one that still waits. */
void session_stop_queued(struct session *s, const char *sentence);
