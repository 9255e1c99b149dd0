/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A commit waits for the disk, for half a second and more under a disk load; so it has a thread of
 * its own, and only one, as SQLite has one writer anyway.
 *
 * Two sets of changes: `waiting`, which the event loop adds to, and `busy`, which the thread took
 * and writes without the lock. A failed `busy` stays as it is and is written again before anything
 * newer, so order is kept, and memory is bounded by two coalesced sets. Reads look into both.
 *
 * The thread asks for SCHED_OTHER itself: a daemon started under chrt(1) must not compete with what
 * it measures. All signals are blocked in it; with SIGXFSZ blocked, a file size limit is an error
 * like a full disk and not the end of the daemon.
 */
#include "worker.h"

#include "write.h"
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <time.h>

#define WORKER_RETRY_US G_USEC_PER_SEC

struct worker {
	/* fixed */
	pthread_t thread;
	sqlite3 *db; /* the thread's alone */
	int wake_fd;
	/* under the lock */
	pthread_mutex_t lock;
	pthread_cond_t work;	/* something to write, or to stop for */
	pthread_cond_t settled; /* nothing left to write */
	struct pending *waiting, *busy;
	GPtrArray *done;
	char *trouble;
	int64_t retry_us; /* not before this; 0: at once */
	uint64_t start_ns, end_ns;
	bool stop;
	/* retention, under the lock too */
	GHashTable *rules;   /* plan -> struct retain_rule: to do */
	GPtrArray *retained; /* of struct retain_done */
	char *failure;	     /* why it was given up */
	bool shrink;	     /* room may be free to be given back */
	bool quiet;	     /* only what is urgent */
};

struct retain_rule {
	struct retention keep;
	bool urgent; /* its first step, which is done although somebody measures */
};

/* What the thread is to do next. */
enum worker_task { WORKER_STOP, WORKER_WRITE, WORKER_RETAIN, WORKER_SHRINK };

static uint64_t worker_now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

void worker_lock(struct worker *w)
{
	pthread_mutex_lock(&w->lock);
}

void worker_unlock(struct worker *w)
{
	pthread_mutex_unlock(&w->lock);
}

static void worker_wait_until(struct worker *w, pthread_cond_t *cond, int64_t end_us)
{
	struct timespec t = {
		.tv_sec = end_us / G_USEC_PER_SEC,
		.tv_nsec = end_us % G_USEC_PER_SEC * 1000,
	};

	pthread_cond_timedwait(cond, &w->lock, &t);
}

static void worker_tell(struct worker *w)
{
	(void)eventfd_write(w->wake_fd, 1); /* fails only when it is full of news already */
}

/* Whose retention is next; NULL: nobody's, for the moment. Lock held. */
static const char *worker_next_plan(struct worker *w)
{
	struct retain_rule *rule;
	GHashTableIter iter;
	const char *plan;

	g_hash_table_iter_init(&iter, w->rules);
	while (g_hash_table_iter_next(&iter, (gpointer *)&plan, (gpointer *)&rule))
		if (rule->urgent || !w->quiet)
			return plan;
	return NULL;
}

/* Writes come first, and while some wait to be tried again there is no room to make others in. */
static enum worker_task worker_next(struct worker *w)
{
	while (!w->stop) {
		if (!w->busy && w->waiting->changes->len > 0) {
			w->busy = w->waiting;
			w->waiting = pending_new();
		}
		if (w->busy && w->retry_us <= g_get_monotonic_time())
			return WORKER_WRITE;
		if (w->busy)
			worker_wait_until(w, &w->work, w->retry_us);
		else if (worker_next_plan(w))
			return WORKER_RETAIN;
		else if (w->shrink && !w->quiet)
			return WORKER_SHRINK;
		else
			pthread_cond_wait(&w->work, &w->lock);
	}
	return WORKER_STOP;
}

/* Lock held. */
static void worker_succeeded(struct worker *w)
{
	bool caught_up = w->waiting->changes->len == 0;
	bool news = w->trouble && caught_up;

	for (guint i = 0; i < w->busy->changes->len; i++) {
		struct change *c = w->busy->changes->pdata[i];

		news = news || c->dones->len > 0;
		w->shrink = w->shrink || c->erase;
		g_ptr_array_extend_and_steal(w->done, g_steal_pointer(&c->dones));
		c->dones = g_ptr_array_new_with_free_func((GDestroyNotify)pending_done_free);
	}
	g_clear_pointer(&w->busy, pending_free);
	w->retry_us = 0;
	if (caught_up) {
		/* not sooner: "all is well" must mean that all is written */
		g_clear_pointer(&w->trouble, g_free);
		pthread_cond_broadcast(&w->settled);
	}
	if (news)
		worker_tell(w);
}

/* Lock held. */
static void worker_failed(struct worker *w, char *message)
{
	bool news = g_strcmp0(w->trouble, message) != 0;

	pending_give_up(w->busy, message, w->done);
	pending_give_up(w->waiting, message, w->done);
	news = news || w->done->len > 0;
	g_free(w->trouble);
	w->trouble = message;
	w->retry_us = g_get_monotonic_time() + WORKER_RETRY_US;
	if (news)
		worker_tell(w);
}

/* Lock held, but not while it writes; so in the others. */
static void worker_write(struct worker *w)
{
	char *message = NULL;
	int r;

	worker_unlock(w);
	r = write_changes(w->db, w->busy, &message);
	worker_lock(w);
	if (r < 0)
		worker_failed(w, message);
	else
		worker_succeeded(w);
}

/* No use in trying again before the next session has ended. Lock held. */
static void worker_give_up_retaining(struct worker *w, char *why)
{
	g_hash_table_remove_all(w->rules);
	w->shrink = false;
	g_free(w->failure);
	w->failure = why;
	worker_tell(w);
}

static void worker_retain_some(struct worker *w)
{
	g_autoptr(GPtrArray) done =
		g_ptr_array_new_with_free_func((GDestroyNotify)retain_done_free);
	g_autofree char *plan = g_strdup(worker_next_plan(w));
	struct retain_rule *rule = g_hash_table_lookup(w->rules, plan);
	struct retention keep = rule->keep;
	char *message = NULL;
	bool more = false;
	int r;

	rule->urgent = false;
	worker_unlock(w);
	r = retain_step(w->db, plan, &keep, (uint64_t)g_get_real_time(), done, &more, &message);
	worker_lock(w);
	if (r < 0) {
		worker_give_up_retaining(w, message);
		return;
	}
	rule = g_hash_table_lookup(w->rules, plan);
	/* asked for anew meanwhile: that is another one */
	if (!more && rule && !rule->urgent)
		g_hash_table_remove(w->rules, plan);
	if (done->len == 0)
		return;
	w->shrink = true;
	g_ptr_array_extend_and_steal(w->retained, g_steal_pointer(&done));
	worker_tell(w);
}

static void worker_shrink(struct worker *w)
{
	char *message = NULL;
	bool more = false;
	int r;

	worker_unlock(w);
	r = retain_shrink(w->db, &more, &message);
	worker_lock(w);
	if (r < 0)
		worker_give_up_retaining(w, message);
	else
		w->shrink = more; /* nobody else deletes */
}

static void *worker_run(void *data)
{
	static void (*const tasks[])(struct worker * w) = {
		[WORKER_WRITE] = worker_write,
		[WORKER_RETAIN] = worker_retain_some,
		[WORKER_SHRINK] = worker_shrink,
	};
	struct worker *w = data;
	enum worker_task task;

	worker_lock(w);
	while ((task = worker_next(w)) != WORKER_STOP) {
		uint64_t start_ns = worker_now_ns();

		tasks[task](w);
		w->start_ns = start_ns;
		w->end_ns = worker_now_ns();
	}
	worker_unlock(w);
	return NULL;
}

static int worker_spawn(struct worker *w)
{
	struct sched_param param = { 0 };
	sigset_t all, old;
	pthread_attr_t attr;
	int r;

	r = pthread_attr_init(&attr);
	if (r != 0)
		return -r;
	pthread_attr_setinheritsched(&attr, PTHREAD_EXPLICIT_SCHED);
	pthread_attr_setschedpolicy(&attr, SCHED_OTHER);
	pthread_attr_setschedparam(&attr, &param);
	/* a thread begins with its maker's mask */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	r = pthread_create(&w->thread, &attr, worker_run, w);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	pthread_attr_destroy(&attr);
	if (r != 0)
		return -r;
	pthread_setname_np(w->thread, "lrtbfd-store");
	return 0;
}

static void worker_free(struct worker *w)
{
	pending_free(w->waiting);
	pending_free(w->busy);
	g_ptr_array_unref(w->done);
	g_ptr_array_unref(w->retained);
	g_hash_table_unref(w->rules);
	g_free(w->failure);
	g_free(w->trouble);
	pthread_cond_destroy(&w->work);
	pthread_cond_destroy(&w->settled);
	pthread_mutex_destroy(&w->lock);
	g_free(w);
}

int worker_start(sqlite3 *db, int wake_fd, struct worker **ret)
{
	struct worker *w = g_new0(struct worker, 1);
	pthread_condattr_t attr;
	int r;

	w->db = db;
	w->wake_fd = wake_fd;
	w->waiting = pending_new();
	w->done = g_ptr_array_new_with_free_func((GDestroyNotify)pending_done_free);
	w->retained = g_ptr_array_new_with_free_func((GDestroyNotify)retain_done_free);
	w->rules = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
	pthread_mutex_init(&w->lock, NULL);
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&w->work, &attr);
	pthread_cond_init(&w->settled, &attr);
	pthread_condattr_destroy(&attr);
	r = worker_spawn(w);
	if (r < 0) {
		worker_free(w);
		return r;
	}
	*ret = w;
	return 0;
}

struct worker *worker_stop(struct worker *w)
{
	if (!w)
		return NULL;
	worker_lock(w);
	w->stop = true;
	pthread_cond_signal(&w->work);
	worker_unlock(w);
	pthread_join(w->thread, NULL);
	db_close(w->db);
	worker_free(w);
	return NULL;
}

struct pending *worker_waiting(struct worker *w)
{
	return w->waiting;
}

const struct pending *worker_busy(struct worker *w)
{
	return w->busy;
}

const char *worker_trouble(struct worker *w)
{
	return w->trouble;
}

GPtrArray *worker_take_done(struct worker *w)
{
	GPtrArray *done = w->done;

	w->done = g_ptr_array_new_with_free_func((GDestroyNotify)pending_done_free);
	return done;
}

void worker_times(struct worker *w, uint64_t *ret_start_ns, uint64_t *ret_end_ns)
{
	*ret_start_ns = w->start_ns;
	*ret_end_ns = w->end_ns;
}

void worker_kick(struct worker *w, bool now)
{
	if (now)
		w->retry_us = 0;
	pthread_cond_signal(&w->work);
}

bool worker_wait(struct worker *w, int64_t end_us)
{
	while (w->busy || w->waiting->changes->len > 0) {
		if (g_get_monotonic_time() >= end_us)
			return false;
		worker_wait_until(w, &w->settled, end_us);
	}
	return true;
}

void worker_retain(struct worker *w, const char *plan, const struct retention *keep)
{
	struct retain_rule *rule = g_new0(struct retain_rule, 1);

	rule->keep = *keep;
	rule->urgent = true;
	g_hash_table_replace(w->rules, g_strdup(plan), rule);
	pthread_cond_signal(&w->work);
}

void worker_set_quiet(struct worker *w, bool quiet)
{
	w->quiet = quiet;
	pthread_cond_signal(&w->work);
}

bool worker_retaining(struct worker *w)
{
	return g_hash_table_size(w->rules) > 0 || w->shrink;
}

GPtrArray *worker_take_retained(struct worker *w, char **ret_failure)
{
	GPtrArray *retained = w->retained;

	w->retained = g_ptr_array_new_with_free_func((GDestroyNotify)retain_done_free);
	*ret_failure = g_steal_pointer(&w->failure);
	return retained;
}

int worker_set_cpus(struct worker *w, const cpu_set_t *cpus)
{
	return -pthread_setaffinity_np(w->thread, sizeof(*cpus), cpus);
}
