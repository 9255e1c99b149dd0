/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The store's life and its writes. A write turns its argument into rows at once (compact bytes, no
 * pointer into the caller's data), hangs them onto the queue and wakes the worker.
 *
 * Rows get their number here and not from the database: only so can a list show a session in its
 * place before it has been committed.
 */
#include "store-internal.h"

#include "query.h"
#include "schema.h"
#include <errno.h>
#include <string.h>
#include <sys/eventfd.h>

#define STORE_FILE     "lrtbfd.db"
#define STORE_CLOSE_NS (5 * 1000000000ULL)

static void store_tell_trouble(struct store *s, char *trouble)
{
	g_autofree char *told = s->told;

	s->told = trouble;
	if (!s->news || g_strcmp0(told, trouble) == 0)
		return;
	if (trouble)
		s->news(STORE_TROUBLE, trouble, s->userdata);
	else
		s->news(STORE_WELL, "Results are written again.", s->userdata);
}

static void store_tell_done(GPtrArray *done)
{
	for (guint i = 0; i < done->len; i++) {
		const struct pending_done *d = done->pdata[i];

		d->done(d->r, d->message, d->userdata);
	}
}

static void store_tell_retained(struct store *s, const GPtrArray *retained, const char *failure)
{
	for (guint i = 0; s->news && i < retained->len; i++) {
		const struct retain_done *d = retained->pdata[i];

		s->news(d->fate == RETAIN_THIN ? STORE_THINNED : STORE_REMOVED, d->id, s->userdata);
	}
	if (s->news && failure)
		s->news(STORE_RETENTION_FAILED, failure, s->userdata);
}

/* Tell what the worker left to tell. Callbacks may call the store again, but not close it. */
static void store_dispatch(struct store *s)
{
	g_autoptr(GPtrArray) retained = NULL;
	g_autoptr(GPtrArray) done = NULL;
	g_autofree char *failure = NULL;
	eventfd_t count;
	char *trouble;

	(void)eventfd_read(s->wake_fd, &count); /* nothing there: called by store_flush() */
	worker_lock(s->worker);
	trouble = g_strdup(worker_trouble(s->worker));
	done = worker_take_done(s->worker);
	retained = worker_take_retained(s->worker, &failure);
	worker_unlock(s->worker);
	store_tell_trouble(s, trouble);
	store_tell_done(done);
	store_tell_retained(s, retained, failure);
}

static int store_on_wake(sd_event_source *source, int fd, uint32_t events, void *userdata)
{
	store_dispatch(userdata);
	return 0;
}

static struct store *store_free(struct store *s)
{
	sd_event_source_disable_unref(s->source);
	db_close(s->reader); /* before the writer, whose closing folds the log into the file */
	worker_stop(s->worker);
	fd_close(s->wake_fd);
	g_free(s->told);
	g_free(s->lent);
	g_free(s->path);
	g_free(s);
	return NULL;
}

static void on_store_slow(const char *what, void *userdata)
{
	struct store *s = userdata;

	if (s->news)
		s->news(STORE_SLOW, what, s->userdata);
}

static int store_open_writer(struct store *s, char **ret_message)
{
	struct patience p = { .tell = on_store_slow, .userdata = s };
	sqlite3 *db;
	int r;

	r = db_open_writer(s->path, &db, ret_message);
	if (r < 0)
		return r;
	r = schema_migrate(db, schema_steps, &p, ret_message);
	if (r == 0)
		r = db_write_ahead(db, ret_message);
	if (r == 0)
		schema_prepare_vacuum(db, &p);
	if (r == 0) {
		r = worker_start(db, s->wake_fd, &s->worker);
		if (r < 0 && ret_message)
			*ret_message = g_strdup_printf("The store's thread cannot be started: %s.",
						       g_strerror(-r));
	}
	if (r < 0)
		db_close(db);
	return r;
}

static int store_open_all(struct store *s, sd_event *event, char **ret_message)
{
	int64_t last;
	int r;

	s->wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	r = s->wake_fd < 0 ? -errno : 0;
	if (r == 0 && event)
		r = sd_event_add_io(event, &s->source, s->wake_fd, EPOLLIN, store_on_wake, s);
	if (r < 0) {
		if (ret_message)
			*ret_message =
				g_strdup_printf("The store cannot be opened: %s.", g_strerror(-r));
		return r;
	}
	r = store_open_writer(s, ret_message);
	if (r == 0)
		r = db_open_reader(s->path, &s->reader, ret_message);
	if (r == 0)
		r = query_last_row(s->reader, &last, ret_message);
	if (r < 0)
		return r;
	s->next_row = last + 1;
	return 0;
}

int store_open(const char *state_dir, sd_event *event, store_news_t news, void *userdata,
	       struct store **ret, char **ret_message)
{
	struct store *s = g_new0(struct store, 1);
	int r;

	s->path = g_build_filename(state_dir, STORE_FILE, NULL);
	s->news = news;
	s->userdata = userdata;
	s->wake_fd = -1;
	r = store_open_all(s, event, ret_message);
	if (r < 0) {
		store_free(s);
		return r;
	}
	*ret = s;
	return 0;
}

/* Nobody who waits for a deletion is left without an answer. */
static void store_give_up(struct store *s, const char *why)
{
	g_autofree char *text =
		g_strdup_printf("Results of %u sessions were not written before the end: %s",
				store_pending(s), why);
	g_autoptr(GPtrArray) given_up =
		g_ptr_array_new_with_free_func((GDestroyNotify)pending_done_free);
	const struct pending *sets[2];

	worker_lock(s->worker);
	sets[0] = worker_busy(s->worker);
	sets[1] = worker_waiting(s->worker);
	for (int set = 0; set < 2; set++)
		for (guint i = 0; sets[set] && i < sets[set]->changes->len; i++) {
			const struct change *c = sets[set]->changes->pdata[i];

			for (guint k = 0; k < c->dones->len; k++) {
				struct pending_done *d = g_new0(struct pending_done, 1);

				*d = *(struct pending_done *)c->dones->pdata[k];
				d->id = NULL;
				d->r = -EIO;
				d->message = g_strdup(text);
				g_ptr_array_add(given_up, d);
			}
		}
	worker_unlock(s->worker);
	if (s->news)
		s->news(STORE_TROUBLE, text, s->userdata);
	store_tell_done(given_up);
}

struct store *store_close(struct store *s)
{
	g_autofree char *why = NULL;

	if (!s)
		return NULL;
	if (store_flush(s, STORE_CLOSE_NS, &why) < 0)
		store_give_up(s, why);
	return store_free(s);
}

static int64_t store_row(struct store *s, const struct result *r)
{
	g_auto(overlay_t) waiting = { 0 };
	int64_t row;

	if (r->row > 0)
		return r->row;
	store_overlay(s, r->id, &waiting);
	if (waiting.head)
		return waiting.head->number[HEAD_ROW];
	/* unreadable just now: then a number is wasted, the database keeps the row it gave */
	if (!waiting.erased && query_row(s->reader, r->id, &row, NULL) == 0)
		return row;
	return s->next_row++;
}

int store_put_session(struct store *s, const struct result *r)
{
	struct head_row *head;

	if (!r->stages || !*r->id)
		return -EINVAL;
	head = head_row_from_result(r, store_row(s, r));
	worker_lock(s->worker);
	pending_put_head(worker_waiting(s->worker), head);
	worker_kick(s->worker, false);
	worker_unlock(s->worker);
	return 0;
}

int store_put_stage(struct store *s, const char *id, const struct result_stage *stage)
{
	struct stage_row *row;

	if (!*id)
		return -EINVAL;
	row = stage_row_from_stage(stage);
	worker_lock(s->worker);
	pending_put_stage(worker_waiting(s->worker), id, row);
	worker_kick(s->worker, false);
	worker_unlock(s->worker);
	return 0;
}

int store_put_results(struct store *s, const GPtrArray *results, store_done_t done, void *userdata,
		      char **ret_message)
{
	const char *trouble;
	int r = 0;

	worker_lock(s->worker);
	trouble = worker_trouble(s->worker);
	if (trouble) {
		*ret_message = g_strdup(trouble);
		r = -EIO;
	}
	for (guint i = 0; r == 0 && i < results->len; i++)
		pending_put_whole(worker_waiting(s->worker), results->pdata[i], s->next_row++,
				  i + 1 == results->len ? done : NULL, userdata);
	worker_kick(s->worker, false);
	worker_unlock(s->worker);
	return r;
}

int store_delete(struct store *s, const char *id, store_done_t done, void *userdata)
{
	worker_lock(s->worker);
	pending_delete(worker_waiting(s->worker), id, done, userdata);
	worker_kick(s->worker, false);
	worker_unlock(s->worker);
	return 0;
}

int store_mark(struct store *s, const char *id, bool kept, store_done_t done, void *userdata)
{
	worker_lock(s->worker);
	pending_mark(worker_waiting(s->worker), id, kept, kept ? NULL : "", done, userdata);
	worker_kick(s->worker, false);
	worker_unlock(s->worker);
	return 0;
}

int store_set_baseline(struct store *s, const char *id, const char *baseline, store_done_t done,
		       void *userdata)
{
	worker_lock(s->worker);
	pending_mark(worker_waiting(s->worker), id, *baseline ? 1 : -1, baseline, done, userdata);
	worker_kick(s->worker, false);
	worker_unlock(s->worker);
	return 0;
}

void store_retain(struct store *s, const char *plan, const struct retention *keep)
{
	worker_lock(s->worker);
	worker_retain(s->worker, plan, keep);
	worker_unlock(s->worker);
}

void store_set_quiet(struct store *s, bool quiet)
{
	worker_lock(s->worker);
	worker_set_quiet(s->worker, quiet);
	worker_unlock(s->worker);
}

bool store_retaining(struct store *s)
{
	bool retaining;

	worker_lock(s->worker);
	retaining = worker_retaining(s->worker);
	worker_unlock(s->worker);
	return retaining;
}

int store_flush(struct store *s, uint64_t timeout_ns, char **ret_message)
{
	int64_t end_us =
		g_get_monotonic_time() + (int64_t)(MIN(timeout_ns, (uint64_t)INT64_MAX / 2) / 1000);
	bool empty;

	worker_lock(s->worker);
	worker_kick(s->worker, true);
	empty = worker_wait(s->worker, end_us);
	worker_unlock(s->worker);
	store_dispatch(s);
	if (empty)
		return 0;
	if (ret_message) {
		const char *trouble = store_trouble(s);

		*ret_message = g_strdup(trouble ? trouble : "The disk is too slow.");
	}
	return -ETIMEDOUT;
}

unsigned store_pending(struct store *s)
{
	const struct pending *busy;
	unsigned n;

	worker_lock(s->worker);
	busy = worker_busy(s->worker);
	n = worker_waiting(s->worker)->changes->len + (busy ? busy->changes->len : 0);
	worker_unlock(s->worker);
	return n;
}

const char *store_trouble(struct store *s)
{
	g_free(s->lent);
	worker_lock(s->worker);
	s->lent = g_strdup(worker_trouble(s->worker));
	worker_unlock(s->worker);
	return s->lent;
}

void store_last_commit(struct store *s, uint64_t *ret_start_mono_ns, uint64_t *ret_end_mono_ns)
{
	worker_lock(s->worker);
	worker_times(s->worker, ret_start_mono_ns, ret_end_mono_ns);
	worker_unlock(s->worker);
}

int store_set_cpus(struct store *s, const cpu_set_t *cpus)
{
	return worker_set_cpus(s->worker, cpus);
}

/* Lock held; the older set first. */
static void store_add_overlays(const struct pending *p, GHashTable *overlays)
{
	for (guint i = 0; p && i < p->changes->len; i++) {
		const struct change *c = p->changes->pdata[i];
		struct overlay *o = g_hash_table_lookup(overlays, c->id);

		if (!o) {
			o = g_new0(struct overlay, 1);
			g_hash_table_insert(overlays, g_strdup(c->id), o);
		}
		overlay_apply(o, c);
	}
}

GHashTable *store_overlays(struct store *s)
{
	GHashTable *overlays = g_hash_table_new_full(g_str_hash, g_str_equal, g_free,
						     (GDestroyNotify)overlay_free);

	worker_lock(s->worker);
	store_add_overlays(worker_busy(s->worker), overlays);
	store_add_overlays(worker_waiting(s->worker), overlays);
	worker_unlock(s->worker);
	return overlays;
}

static void store_overlay_from(const struct pending *p, const char *id, struct overlay *o)
{
	const struct change *c = p ? g_hash_table_lookup(p->by_id, id) : NULL;

	if (c)
		overlay_apply(o, c);
}

void store_overlay(struct store *s, const char *id, struct overlay *ret)
{
	*ret = (struct overlay){ 0 };
	worker_lock(s->worker);
	store_overlay_from(worker_busy(s->worker), id, ret);
	store_overlay_from(worker_waiting(s->worker), id, ret);
	worker_unlock(s->worker);
}
