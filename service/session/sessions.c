/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Why a queue in front of one active session and not one measurement for each CPU set: a session is
 * the load of every other on the same machine, whatever CPUs it uses.
 *
 * Nothing here is periodic. The queue is looked at when something happened (a session came, one
 * ended), from the event loop so that a caller has his reply first; only while another daemon holds
 * the machine's lock is it looked at once a second.
 */
#include "sessions-internal.h"

#include "cleanup.h"
#include "clock.h"
#include "cpulist.h"
#include "duration.h"
#include "keep.h"
#include "lock.h"
#include "log.h"
#include "regionfile.h"

#include <errno.h>
#include <signal.h>
#include <string.h>

#define SESSIONS_RETRY_NS NSEC_PER_SEC
#define SESSIONS_FLUSH_NS (2 * NSEC_PER_SEC)

static void sessions_news(struct sessions *m, enum sessions_news what, struct session *s)
{
	if (!m->quiet && m->p.news)
		m->p.news(what, s, m->p.userdata);
}

/* --- regions that are not needed any more --- */

static int on_sessions_sweep(sd_event_source *src, uint64_t usec, void *userdata);

static void sessions_unlink_regions(struct sessions *m)
{
	for (guint i = 0; i < m->regions->len; i++)
		(void)unlink(m->regions->pdata[i]); /* else the next start does */
	g_ptr_array_set_size(m->regions, 0);
}

/* A region goes when the store has what was in it: a daemon that dies before finds it again. */
static void sessions_sweep(struct sessions *m)
{
	m->sweep = sd_event_source_disable_unref(m->sweep);
	if (m->regions->len == 0)
		return;
	if (store_pending(m->p.store) == 0) {
		sessions_unlink_regions(m);
		return;
	}
	if (clock_timer(m->p.event, &m->sweep, SESSIONS_RETRY_NS / 4, on_sessions_sweep, m) < 0)
		log_warning("No timer to remove result regions by; they go at the next start.");
}

static int on_sessions_sweep(sd_event_source *src, uint64_t usec, void *userdata)
{
	sessions_sweep(userdata);
	return 0;
}

void sessions_take_regions(struct sessions *m, GPtrArray *paths)
{
	for (guint i = 0; i < paths->len; i++)
		g_ptr_array_add(m->regions, g_strdup(paths->pdata[i]));
	g_ptr_array_set_size(paths, 0);
	sessions_sweep(m);
}

/* --- the queue --- */

static void sessions_number(struct sessions *m)
{
	unsigned position = 0;

	for (GList *l = m->queued.head; l; l = l->next) {
		struct session *s = l->data;

		position++;
		if (s->position == position)
			continue;
		s->position = position;
		sessions_news(m, SESSIONS_CHANGED, s);
	}
}

void sessions_enqueue(struct sessions *m, struct session *s)
{
	g_queue_push_tail(&m->queued, s);
	s->position = m->queued.length;
	sessions_news(m, SESSIONS_ADDED, s);
	sessions_kick(m);
}

void sessions_drop(struct sessions *m, struct session *s)
{
	g_queue_remove(&m->ended, s);
	sessions_news(m, SESSIONS_FORGOTTEN, s);
	session_free(s);
}

/* Oldest ended ones leave memory when there are too many. */
static void sessions_forget(struct sessions *m, guint keep)
{
	while (m->ended.length > keep)
		sessions_drop(m, g_queue_peek_head(&m->ended));
}

static void sessions_release_machine(struct sessions *m)
{
	fd_close(m->lock_fd);
	m->lock_fd = -1;
}

static void sessions_take_ended(struct sessions *m, struct session *s)
{
	bool was_active = m->active == s;

	g_queue_remove(&m->queued, s);
	s->position = 0;
	g_queue_push_tail(&m->ended, s);
	if (was_active) {
		m->active = NULL;
		sessions_release_machine(m);
		store_set_quiet(m->p.store, false);
	}
	sessions_news(m, SESSIONS_ENDED, s);
	if (was_active)
		sessions_news(m, SESSIONS_ACTIVE, NULL);
	sessions_take_regions(m, s->regions);
	keep_plan(m, s->r->plan);
	sessions_number(m);
	sessions_kick(m);
}

void sessions_take_in(struct sessions *m, struct session *s)
{
	g_queue_push_tail(&m->ended, s);
	sessions_news(m, SESSIONS_ADDED, s);
	sessions_news(m, SESSIONS_ENDED, s);
	keep_plan(m, s->r->plan);
	sessions_kick(m);
}

static void on_session_news(enum sessions_news what, struct session *s, void *userdata)
{
	struct sessions *m = userdata;

	if (what == SESSIONS_ENDED)
		sessions_take_ended(m, s);
	else
		sessions_news(m, what, s);
}

static int on_sessions_retry(sd_event_source *src, uint64_t usec, void *userdata)
{
	struct sessions *m = userdata;

	m->retry = sd_event_source_disable_unref(m->retry);
	sessions_kick(m);
	return 0;
}

/* Another daemon measures: the one that waits for it says so, and the lock is tried again. */
static void sessions_wait_for_machine(struct sessions *m, struct session *s, const char *holder)
{
	if (strcmp(s->r->reason, holder) != 0) {
		g_free(s->r->reason);
		s->r->reason = g_strdup(holder);
		log_write(LOG_NOTICE, s->r->id, "Session %s waits: %s", s->r->id, holder);
		sessions_news(m, SESSIONS_CHANGED, s);
	}
	if (clock_timer(m->p.event, &m->retry, SESSIONS_RETRY_NS, on_sessions_retry, m) < 0)
		log_error("No timer to try the machine's lock again by");
}

static void sessions_skip(struct session *s)
{
	g_autofree char *within = duration_format(s->plan->schedule.start_within_ns);
	g_autofree char *sentence =
		g_strdup_printf("It waited for others longer than start_within = %s.", within);

	session_skip(s, sentence);
}

static void sessions_schedule(struct sessions *m)
{
	struct session *s = g_queue_peek_head(&m->queued);
	g_autofree char *message = NULL;
	int r;

	/* on a machine that is only a captured tree nothing can be measured: who waits goes on */
	if (m->shutdown || m->held || m->active || !s || strcmp(m->place.root, "/") != 0)
		return;
	if (session_overdue(s)) {
		sessions_skip(s); /* and the queue is looked at again */
		return;
	}
	r = lock_take(m->p.lock_path, &m->lock_fd, &message);
	if (r == -EBUSY) {
		sessions_wait_for_machine(m, s, message);
		return;
	}
	if (r < 0) {
		session_refuse(s, EIO, message);
		return;
	}
	g_queue_pop_head(&m->queued);
	s->position = 0;
	m->active = s;
	store_set_quiet(m->p.store, true);
	sessions_news(m, SESSIONS_ACTIVE, NULL);
	session_begin(s);
	sessions_number(m);
}

static int on_sessions_kick(sd_event_source *src, void *userdata)
{
	struct sessions *m = userdata;

	m->kick = sd_event_source_disable_unref(m->kick);
	if (m->p.settings)
		sessions_forget(m, m->p.settings->ended_shown);
	sessions_schedule(m);
	return 0;
}

void sessions_kick(struct sessions *m)
{
	int r;

	if (m->kick)
		return;
	r = sd_event_add_defer(m->p.event, &m->kick, on_sessions_kick, m);
	if (r < 0)
		log_error("The queue cannot be looked at: %s", g_strerror(-r));
}

/* --- at start --- */

void sessions_set_housekeeping(struct sessions *m)
{
	g_autofree char *message = NULL;
	cpu_set_t allowed;

	CPU_ZERO(&m->house.wanted);
	if (!m->p.settings->housekeeping)
		return;
	if (house_allowed(&m->house, &allowed) < 0 ||
	    cpulist_parse(m->p.settings->housekeeping, &allowed, &m->house.wanted, &message) < 0)
		log_warning("housekeeping = \"%s\" is of no use here: %s",
			    m->p.settings->housekeeping, message ?: "the CPUs are not known");
}

static void sessions_set_place(struct sessions *m)
{
	const struct sessions_params *p = &m->p;

	m->place = (struct session_place){
		.event = p->event,
		.store = p->store,
		.measure_path = p->measure_path,
		.load_path = p->load_path,
		.runtime_dir = p->runtime_dir,
		.root = p->root,
		.scratch_dir = p->settings->scratch_dir
				       ? g_strdup(p->settings->scratch_dir)
				       : g_build_filename(p->state_dir, "scratch", NULL),
		.tag = regionfile_tag(p->state_dir),
		.house = &m->house,
		.irqpolicy = p->irqpolicy,
		.ports = p->ports,
		.cage = p->cage,
		.news = on_session_news,
		.userdata = m,
	};
	m->house = (struct house){ .root = p->root, .store = p->store };
	sessions_set_housekeeping(m);
}

int sessions_new(const struct sessions_params *p, struct sessions **ret)
{
	struct sessions *m = g_new0(struct sessions, 1);
	sigset_t chld;
	int r;

	m->p = *p;
	m->lock_fd = -1;
	m->quiet = true;
	m->regions = g_ptr_array_new_with_free_func(g_free);
	m->deletions = g_ptr_array_new();
	m->adoptions = g_ptr_array_new();
	/* sd_event_add_child(3) wants it so */
	sigemptyset(&chld);
	sigaddset(&chld, SIGCHLD);
	(void)sigprocmask(SIG_BLOCK, &chld, NULL); /* cannot fail with these arguments */
	sessions_set_place(m);
	m->catalog = catalog_read(p->config_dirs);
	r = intake_recover(m);
	if (r < 0) {
		sessions_free(m);
		return r;
	}
	intake_load_ended(m);
	keep_all(m);
	sessions_kick(m);
	m->quiet = false;
	*ret = m;
	return 0;
}

/* --- at the end --- */

static void session_drop(gpointer data)
{
	session_free(data);
}

struct sessions *sessions_free(struct sessions *m)
{
	if (!m)
		return NULL;
	m->quiet = m->shutdown = true;
	if (m->active)
		session_abandon(m->active, "lrtbfd was stopped.");
	sd_event_source_disable_unref(m->kick);
	sd_event_source_disable_unref(m->retry);
	sd_event_source_disable_unref(m->sweep);
	archive_forsake(m);
	adopt_forsake(m);
	/* nothing is left behind but what cannot be written in time: the next start finds it */
	if (m->regions->len > 0 && store_flush(m->p.store, SESSIONS_FLUSH_NS, NULL) == 0)
		sessions_unlink_regions(m);
	g_queue_clear_full(&m->queued, session_drop);
	g_queue_clear_full(&m->ended, session_drop);
	catalog_free(m->catalog);
	g_ptr_array_unref(m->regions);
	g_ptr_array_unref(m->deletions);
	g_ptr_array_unref(m->adoptions);
	fd_close(m->lock_fd);
	g_free(m->place.scratch_dir);
	g_free(m);
	return NULL;
}

void sessions_shutdown(struct sessions *m)
{
	m->shutdown = true;
	m->retry = sd_event_source_disable_unref(m->retry);
	if (m->active)
		session_stop_because(m->active, g_strdup("lrtbfd was stopped."));
	if (m->active)
		session_forsake_peer(m->active);
}

void sessions_hold(struct sessions *m)
{
	m->held = true;
}

bool sessions_idle(const struct sessions *m)
{
	return !m->active;
}

/* --- looking things up --- */

struct session *sessions_find(struct sessions *m, const char *id)
{
	if (m->active && strcmp(m->active->r->id, id) == 0)
		return m->active;
	for (GList *l = m->queued.head; l; l = l->next)
		if (strcmp(((struct session *)l->data)->r->id, id) == 0)
			return l->data;
	for (GList *l = m->ended.head; l; l = l->next)
		if (strcmp(((struct session *)l->data)->r->id, id) == 0)
			return l->data;
	return NULL;
}

struct session *sessions_active(struct sessions *m)
{
	return m->active;
}

unsigned sessions_queue_length(const struct sessions *m)
{
	return m->queued.length;
}

GPtrArray *sessions_all(struct sessions *m)
{
	GPtrArray *all = g_ptr_array_new();

	if (m->active)
		g_ptr_array_add(all, m->active);
	for (GList *l = m->queued.head; l; l = l->next)
		g_ptr_array_add(all, l->data);
	for (GList *l = m->ended.tail; l; l = l->prev)
		g_ptr_array_add(all, l->data);
	return all;
}
