/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * Retention: which sessions of a plan become their summary or go, and doing it, in steps that are
 * short enough not to keep checkpoints waiting. On the worker's thread but for the choice, which is
 * pure.
 */
#include "db.h"
#include "retention.h"

enum retain_fate {
	RETAIN_WHOLE,
	RETAIN_THIN, /* its details go */
	RETAIN_GONE, /* all of it goes */
};

struct retain_entry { /* a session */
	int64_t row;
	bool kept, thinned, ended, measured;
	uint64_t ended_usec;		   /* CLOCK_REALTIME */
	uint64_t head_bytes, detail_bytes; /* details: 0 when thinned */
	enum retain_fate fate;		   /* set by retain_choose() */
};

/*
 * All @n sessions of a plan, newest first; those that ended before older ones get their time. Who
 * is thinned already is RETAIN_WHOLE or RETAIN_GONE.
 */
void retain_choose(struct retain_entry *entries, size_t n, const struct retention *keep,
		   uint64_t now_usec);

struct retain_done {
	char *id;
	enum retain_fate fate;
};
void retain_done_free(struct retain_done *d);

/*
 * One transaction of it for @plan: adds to @done (of struct retain_done) what it did. *ret_more:
 * there is more to do. -errno with a sentence: nothing was done.
 */
int retain_step(sqlite3 *db, const char *plan, const struct retention *keep, uint64_t now_usec,
		GPtrArray *done, bool *ret_more, char **ret_message);
/*
 * One step of giving free room back to the file system, all but RETAIN_RESERVE_BYTES; the last one
 * folds the log into the file.
 */
int retain_shrink(sqlite3 *db, bool *ret_more, char **ret_message);
#define RETAIN_RESERVE_BYTES (1 << 20) /* what the next results take anyway */
