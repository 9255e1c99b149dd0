/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * struct sessions, for the files that are behind sessions.h: sessions.c (queue, start, end),
 * intake.c (how sessions come in), archive.c (results, wherever they are), adopt.c (those of
 * others) and checks.c.
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
	GPtrArray *adoptions;	/* of struct adoption: given to the store, not written yet */
	bool quiet;		/* news have no reader yet */
	bool shutdown;
	bool held; /* whoever waits goes on waiting */
};

/* Look at the queue, from the event loop. */
void sessions_kick(struct sessions *m);
/* One more waits. */
void sessions_enqueue(struct sessions *m, struct session *s);
/* Paths (of char *) to remove once the store has written; @paths is empty then. */
void sessions_take_regions(struct sessions *m, GPtrArray *paths);
/* One that never waited here and has ended: it is shown, and told of. Taken over. */
void sessions_take_in(struct sessions *m, struct session *s);
/* As the settings say. */
void sessions_set_housekeeping(struct sessions *m);

/* What an earlier life left: once, at start. -errno: logged. */
int intake_recover(struct sessions *m);
void intake_load_ended(struct sessions *m);
bool intake_id_taken(struct sessions *m, const char *id);

/* An ended one leaves memory. */
void sessions_drop(struct sessions *m, struct session *s);
/* sessions_free(): deletions that the store still has may not look for sessions any more. */
void archive_forsake(struct sessions *m);
/* The same for what comes in. */
void adopt_forsake(struct sessions *m);
