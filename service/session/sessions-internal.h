/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * struct sessions, for the two files that are behind sessions.h: sessions.c (queue, start, end) and
 * archive.c (results, wherever they are).
 */
#include "catalog.h"
#include "session.h"

struct sessions {
	struct sessions_params p;
	struct session_place place;
	struct house house;
	struct catalog *catalog;
	GQueue queued; /* of struct session, next first */
	GQueue ended;  /* of struct session, newest last */
	struct session *active;
	int lock_fd;		/* of the machine; -1: not held */
	sd_event_source *kick;	/* the queue is to be looked at */
	sd_event_source *retry; /* the machine's lock is to be tried again */
	sd_event_source *sweep; /* regions are to be removed */
	GPtrArray *regions;	/* paths, to remove once the store has written */
	GPtrArray *deletions;	/* of struct archive_deletion: asked of the store, not done yet */
	bool quiet;		/* news have no reader yet */
	bool shutdown;
};

/* An ended one leaves memory. */
void sessions_drop(struct sessions *m, struct session *s);
/* sessions_free(): deletions that the store still has may not look for sessions any more. */
void archive_forsake(struct sessions *m);
