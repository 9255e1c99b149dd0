/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * Every result, kept: an SQLite database in the state folder (lrtbfd.db, WAL), written by one worker
 * thread, never by the event loop (a commit can take half a second under a disk load).
 *
 * Calls are made by the event loop's thread. Writes are queued, done in order, and tried again every
 * second while the disk is full or the database locked: nothing queued is lost as long as the
 * daemon lives; a newer checkpoint of a stage replaces one that still waits. Reads use a connection of
 * their own and see what has been committed, or is queued for the sessions asked for by id.
 */
#include "result.h"
#include <systemd/sd-event.h>

struct store;

enum store_news {
	STORE_TROUBLE, /* a write failed and will be tried again: text says why and what to do */
	STORE_WELL,    /* writing works again */
};
typedef void (*store_news_t)(enum store_news what, const char *text, void *userdata);
/* r 0 or -errno with a sentence. Called on the event loop's thread. */
typedef void (*store_done_t)(int r, const char *message, void *userdata);

/*
 * Open or create. @event may be NULL (tests, tools: then store_flush() delivers). Refused with a
 * sentence: folder that cannot be written, not a database, one of a newer version.
 */
int store_open(const char *state_dir, sd_event *event, store_news_t news, void *userdata,
	       struct store **ret, char **ret_message);
/* Waits up to 5 s for what is queued, then gives up with a log line. */
struct store *store_close(struct store *s);

/* Queue the session's head (insert or update by id; row is given by the store). @r is copied. */
int store_put_session(struct store *s, const struct result *r);
/* Queue one stage with its CPUs, conditions of a checkpoint or its end. Copied. */
int store_put_stage(struct store *s, const char *id, const struct result_stage *stage);
/* Queue the deletion of a session with all that hangs on it. */
int store_delete(struct store *s, const char *id, store_done_t done, void *userdata);
/* Run until the queue is empty or @timeout_ns has passed (-ETIMEDOUT; text of the trouble in ret_message). */
int store_flush(struct store *s, uint64_t timeout_ns, char **ret_message);
/* Writes that still wait. */
unsigned store_pending(struct store *s);
/* Sentence of the present trouble; NULL: well. Borrowed until the next call. */
const char *store_trouble(struct store *s);
/* Nanoseconds the last commit took, and when it ended (CLOCK_MONOTONIC): for marking samples `self`. */
void store_last_commit(struct store *s, uint64_t *ret_start_mono_ns, uint64_t *ret_end_mono_ns);

/* Whole result; -ENOENT. */
int store_get(struct store *s, const char *id, struct result **ret, char **ret_message);
/* Newest ended session, of @plan when not NULL, that measured (done, stopped, failed, interrupted). */
int store_last(struct store *s, const char *plan, char **ret_id);

struct store_filter {
	const char *plan;	/* NULL: any */
	const char *label;
	const char *state;	/* one word, or several with commas */
	const char *verdict;
	uint64_t since_usec;	/* created at or after */
	int64_t owner;		/* uid; -1: any */
};
/*
 * Heads, newest first, at most @limit (1..1000). @cursor: "" or what the page before gave in ret_next ("" at
 * the end). -EINVAL for a cursor it did not give.
 */
int store_list(struct store *s, const struct store_filter *f, const char *cursor, unsigned limit,
	       GPtrArray **ret, char **ret_next, char **ret_message);
/* Sessions that had not ended when the database was last written, oldest first; whole. */
int store_unfinished(struct store *s, GPtrArray **ret, char **ret_message);
/* PRAGMA integrity_check; 0 or -EBADMSG with what it said. */
int store_check(struct store *s, char **ret_message);
