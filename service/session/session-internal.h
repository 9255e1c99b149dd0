/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * A session among its own files: session.c (its states, from the beginning to the end) and
 * session-peer.c (the other machine that takes part).
 */
#include "session.h"

/* News of it, to sessions.c. */
void session_tell(struct session *s, enum sessions_news what);
/* Why it ends, in place of what was said before. Copied. */
void session_set_reason(struct session *s, const char *id, const char *sentence);
/* Go on from the event loop: whoever called must find the session as he left it. */
void session_schedule(struct session *s);
