/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * Changes that are to be written: one entry per session, in the order in which the sessions first
 * came. No thread, no SQLite; worker.c guards two of these with its lock.
 *
 * Coalescing keeps it bounded: an entry holds one head and one row set per stage, the newest; a
 * deletion drops what was to be written before it.
 */
#include "rows.h"
#include "store.h"

struct pending_done { /* who waits for a deletion or a mark */
	bool mark;    /* for the mark, or that a whole session is written */
	store_done_t done;
	void *userdata;
	char *id;
	int r; /* set when it was written, or given up */
	char *message;
};

struct change {
	char *id;
	bool erase;	       /* delete first what the database has */
	bool existed;	       /* what is to be deleted was there, in the queue or the database */
	struct head_row *head; /* then write this; NULL: unchanged */
	GPtrArray *stages;     /* and these; of struct stage_row, one per index */
	int kept;	       /* then set the mark (1) or take it away (0); -1: as it is */
	char *baseline;	       /* and this baseline; NULL: as it is */
	bool once;	       /* a session that came whole: tried once, then given up */
	GPtrArray *dones;      /* of struct pending_done */
};

struct pending {
	GPtrArray *changes; /* owns */
	GHashTable *by_id;
};

struct pending *pending_new(void);
void pending_free(struct pending *p);

/* Rows are taken over. */
void pending_put_head(struct pending *p, struct head_row *head);
void pending_put_stage(struct pending *p, const char *id, struct stage_row *stage);
/* @kept -1, @baseline NULL: as it is. */
void pending_mark(struct pending *p, const char *id, int kept, const char *baseline,
		  store_done_t done, void *userdata);
void pending_delete(struct pending *p, const char *id, store_done_t done, void *userdata);
/*
 * A session that is nowhere yet, with all its stages, whatever else is put into @p before it is
 * written. @done: NULL but for the last of those that belong together.
 */
void pending_put_whole(struct pending *p, const struct result *r, int64_t row, store_done_t done,
		       void *userdata);
/* Writing failed: those that are tried once are to be no more. What those hear is added to @done.
 */
void pending_give_up(struct pending *p, const char *why, GPtrArray *done);

void pending_done_free(struct pending_done *d);

/*
 * What waits for one session, over what the database has: references, so that it outlives the
 * lock. Start with zeroes, apply the older changes first.
 */
struct overlay {
	bool erased;	       /* what the database has is no more */
	struct head_row *head; /* NULL: as in the database */
	GPtrArray *stages;     /* of struct stage_row; NULL: as in the database */
	bool marked;	       /* these count, whatever head says: */
	int kept;	       /* -1: as it is */
	char *baseline;	       /* NULL: as it is */
};
void overlay_apply(struct overlay *o, const struct change *c);
void overlay_clear(struct overlay *o);
void overlay_free(struct overlay *o);

typedef struct overlay overlay_t; /* for g_auto() */
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(overlay_t, overlay_clear)
