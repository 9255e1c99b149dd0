/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * The thread that writes. The event loop's thread hands it changes under the lock, and is told
 * through an eventfd that something happened: a deletion done, trouble come or gone.
 */
#include "db.h"
#include "pending.h"
#include "retain.h"

#include <sched.h>

struct worker;

/* Takes @db over when it succeeds. @wake_fd: eventfd, borrowed until worker_stop(). -errno of
 * pthread_create(3). */
int worker_start(sqlite3 *db, int wake_fd, struct worker **ret);
/* Waits for the transaction at hand; what still waits is dropped. Closes the database. */
struct worker *worker_stop(struct worker *w);

/* Around everything between here and worker_unlock(). Held briefly by both sides, never during I/O.
 */
void worker_lock(struct worker *w);
void worker_unlock(struct worker *w);
/* Where changes are put; call worker_kick() after. */
struct pending *worker_waiting(struct worker *w);
/* What is being written, older than what waits; NULL: nothing. Not to be changed. */
const struct pending *worker_busy(struct worker *w);
/* Present trouble; NULL: well. */
const char *worker_trouble(struct worker *w);
/* Deletions that were written since the last call; of struct pending_done. */
GPtrArray *worker_take_done(struct worker *w);
/* When the last transaction began and ended (CLOCK_MONOTONIC), whatever became of it; 0: none yet.
 */
void worker_times(struct worker *w, uint64_t *ret_start_ns, uint64_t *ret_end_ns);
/* There is something to write. @now: even if the wait after a failure is not over. */
void worker_kick(struct worker *w, bool now);
/* Wait until nothing is left to write or @end_us (g_get_monotonic_time()) has come. false: it has.
 */
bool worker_wait(struct worker *w, int64_t end_us);

/* Retention of @plan is to be done; replaces what was to be. */
void worker_retain(struct worker *w, const char *plan, const struct retention *keep);
void worker_set_quiet(struct worker *w, bool quiet);
bool worker_retaining(struct worker *w);
/* What was done since the last call, of struct retain_done; why the rest was not, or NULL. */
GPtrArray *worker_take_retained(struct worker *w, char **ret_failure);

int worker_set_cpus(struct worker *w, const cpu_set_t *cpus);
