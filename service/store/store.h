/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * Every result, kept: an SQLite database in the state folder (lrtbfd.db, WAL), written by one
 * worker thread, never by the event loop (a commit can take half a second under a disk load).
 *
 * Calls are made by the event loop's thread. Writes are queued, done in order, and tried again
 * every second while the disk is full or the database locked: nothing queued is lost as long as the
 * daemon lives; a newer checkpoint of a stage replaces one that still waits, so the queue's memory
 * is bounded by the sessions in it. Reads use a connection of their own; they all see everything
 * that was queued before them, committed or not, deletions included. They wait for a lock at most
 * 50 ms.
 *
 * Rows are numbered when a session is first put, and never used again.
 */
#include "result.h"
#include "retention.h"
#include <sched.h>
#include <systemd/sd-event.h>

struct store;

enum store_news {
	STORE_TROUBLE, /* a write failed and will be tried again: text says why and what to do. Told
			* once, and again when the reason changes */
	STORE_WELL,    /* writing works again */
	STORE_SLOW, /* from within store_open(), at most once a second: text says what takes long,
		     * and that it goes on */
	STORE_THINNED,		/* retention took the details of the session whose id text is */
	STORE_REMOVED,		/* retention removed the session whose id text is */
	STORE_RETENTION_FAILED, /* text says why; nothing of that is tried again by itself */
};
typedef void (*store_news_t)(enum store_news what, const char *text, void *userdata);
/*
 * r 0 or -errno with a sentence. Called once, on the event loop's thread, from the event loop,
 * store_flush() or store_close() (-EIO: given up). May call the store, but not close it.
 */
typedef void (*store_done_t)(int r, const char *message, void *userdata);

/*
 * Open or create. @event may be NULL (tests, tools: then store_flush() delivers). Refused with a
 * sentence: folder that cannot be written, not a database (-EBADMSG), one of a newer version
 * (-EPROTONOSUPPORT), locked (-EBUSY), no room (-ENOSPC). The folder is made when missing (0750).
 */
int store_open(const char *state_dir, sd_event *event, store_news_t news, void *userdata,
	       struct store **ret, char **ret_message);
/* Waits up to 5 s for what is queued, then gives up, told as STORE_TROUBLE. NULL is fine. */
struct store *store_close(struct store *s);

/*
 * Queue the session's head (insert or update by id; row is given by the store: store_get() shows
 * it).
 * @r is copied. -EINVAL: a head from store_list(), which lacks plan and conditions and would lose
 * them.
 */
int store_put_session(struct store *s, const struct result *r);
/*
 * Queue one stage with its CPUs, as of a checkpoint or its end; replaces what is stored of it.
 * Copied. Put the session first: a stage of a session that is not there (deleted meanwhile) is
 * dropped.
 */
int store_put_stage(struct store *s, const char *id, const struct result_stage *stage);
/*
 * Queue whole results that came in together (of struct result, ids that are nowhere yet): they are
 * written in one transaction. @done: 0, or -EIO with a sentence when the first try failed; then
 * none of them is there, and none is tried again. -EIO at once, with a sentence: writing is in
 * trouble already. Copied.
 */
int store_put_results(struct store *s, const GPtrArray *results, store_done_t done, void *userdata,
		      char **ret_message);
/* Queue the deletion of a session with all that hangs on it. @done: -ENOENT when there is none. May
 * be NULL. */
int store_delete(struct store *s, const char *id, store_done_t done, void *userdata);
/*
 * Queue the mark of a session: one that is @kept is left alone by retention. @done: -ENOENT when
 * there is none. May be NULL. A head that is put later has its own mark. One that is no longer
 * kept belongs to no baseline any more.
 */
int store_mark(struct store *s, const char *id, bool kept, store_done_t done, void *userdata);

/*
 * The same for the baseline that a session belongs to: "" for none. One that belongs to one is kept
 * (store_mark()) as well.
 */
int store_set_baseline(struct store *s, const char *id, const char *baseline, store_done_t done,
		       void *userdata);

/*
 * See to it that of @plan's sessions no more is kept than @keep says: in steps, on the worker's
 * thread, when nothing waits to be written, one step at once and the others while it is not quiet.
 * Told as STORE_THINNED, STORE_REMOVED and STORE_RETENTION_FAILED. Once more for the same plan: the
 * newer rule counts. Room that is free then goes back to the file system.
 */
void store_retain(struct store *s, const char *plan, const struct retention *keep);
/* Something measures: nothing is written but what store_put_*() and the like asked for. */
void store_set_quiet(struct store *s, bool quiet);
/* Is there retention left to do? */
bool store_retaining(struct store *s);
/* Names of all plans that sessions have; g_strfreev(). */
int store_plans(struct store *s, char ***ret, char **ret_message);

/* Run until the queue is empty or @timeout_ns has passed (-ETIMEDOUT; text of the trouble in
 * ret_message). */
int store_flush(struct store *s, uint64_t timeout_ns, char **ret_message);
/* Sessions that have something to be written. */
unsigned store_pending(struct store *s);
/* Sentence of the present trouble; NULL: well. Borrowed until the next call. */
const char *store_trouble(struct store *s);
/*
 * When the last transaction began and ended (CLOCK_MONOTONIC), failed ones too, as they also keep
 * the disk busy: for marking samples `self`. 0 and 0: none yet.
 */
void store_last_commit(struct store *s, uint64_t *ret_start_mono_ns, uint64_t *ret_end_mono_ns);
/* Where the writing thread may run. -errno of sched_setaffinity(2). */
int store_set_cpus(struct store *s, const cpu_set_t *cpus);

/*
 * Whole result; -ENOENT; -EBADMSG: figures that cannot be decoded. Findings of a kind that this
 * build does not know come as kind "other-version" with their own text and weight.
 */
int store_get(struct store *s, const char *id, struct result **ret, char **ret_message);
/* The head alone, as of store_list(); -ENOENT. */
int store_head(struct store *s, const char *id, struct result **ret, char **ret_message);
/*
 * Newest ended session, of @plan when not NULL, that measured (done, stopped, failed, interrupted,
 * with started_usec set). -ENOENT.
 */
int store_last(struct store *s, const char *plan, char **ret_id);

struct store_filter {
	const char *plan; /* NULL: any */
	const char *label;
	const char *state; /* one word, or several with commas */
	const char *verdict;
	uint64_t since_usec;  /* created at or after */
	int64_t owner;	      /* uid; -1: any */
	const char *baseline; /* those that belong to it; NULL: any */
};
/*
 * Heads (struct result without stages, plan_text "", conditions NULL, summary without "blocks"),
 * newest first, at most @limit (1..1000). @f NULL: all. @cursor: "" or what the page before gave in
 * ret_next ("" at the end). -EINVAL for a cursor it did not give, and for words that are no state
 * or verdict.
 */
int store_list(struct store *s, const struct store_filter *f, const char *cursor, unsigned limit,
	       GPtrArray **ret, char **ret_next, char **ret_message);
/*
 * Sessions that had not ended when the database was last written, oldest first; whole. 0 with a
 * sentence in ret_message: figures of some could not be read; those come without stages.
 */
int store_unfinished(struct store *s, GPtrArray **ret, char **ret_message);
/* Integrity check of the whole file (slow); 0 or -EBADMSG with what it said. */
int store_check(struct store *s, char **ret_message);

/* --- figures of many sessions, without their distributions --- */

struct store_point {				/* one stage of a session that measured */
	const char *id, *stage, *load, *kernel; /* kernel "": not known */
	unsigned repeat;
	enum verdict verdict;
	uint64_t started_usec; /* of the session */
	/*
	 * NAN: there is none. within per million, as in limits. Of percentiles those of
	 * figures_percentiles[], in its order
	 */
	double count, min_ns, avg_ns, max_ns, stddev_ns, missed, lost, within;
	const double *percentile_ns, *corrected_ns;
};
/*
 * Calls @each for every stage named @stage (NULL: all) of the sessions of @plan, or of those that
 * belong to baseline @baseline (one of both is NULL), oldest first (in the order in which they were
 * put), at most the newest @limit sessions that have one (0: all). Strings and arrays are borrowed
 * during the call, which must not call the store. Only sessions that measured and have ended.
 * Sessions whose details retention took have theirs still, except those that a version before there
 * were points thinned. -errno with a sentence.
 */
typedef void (*store_point_t)(const struct store_point *p, void *userdata);
int store_points(struct store *s, const char *plan, const char *baseline, const char *stage,
		 unsigned limit, store_point_t each, void *userdata, char **ret_message);
