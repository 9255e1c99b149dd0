/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The queue and the calls of sessions.h, with a measuring program that does the same every time. */
#include "session-world.h"

#include "clock.h"
#include "lock.h"

#include <errno.h>
#include <glib/gstdio.h>
#include <sqlite3.h>
#include <string.h>
#include <unistd.h>

static struct world *world_with(const char *name, unsigned ms, const char *load, const char *more)
{
	struct world *w = world_new();
	g_autofree char *text = world_plan_text(ms, load, more);

	world_load(w, "sleep", "command = ( \"sleep\", \"600\" );\n");
	world_load(w, "absent", "command = ( \"no-such-command-anywhere\" );\n");
	world_plan(w, name, text);
	world_open(w);
	return w;
}

static void assert_refused(struct world *w, const char *plan, json_t *wishes, bool queue, int err,
			   const char *says)
{
	g_autofree char *message = NULL;
	struct session *s = NULL;
	int r = sessions_start(w->sessions, plan, wishes, queue, 1000, &s, &message);

	g_assert_cmpint(r, ==, -err);
	g_assert_null(s);
	g_assert_nonnull(message);
	if (!strstr(message, says))
		g_error("\"%s\" does not say \"%s\"", message, says);
	json_decref(wishes);
}

static void test_measure(void)
{
	struct world *w = world_with("quick", 1200, "none", "limits = ( \"max <= 1s\" );");
	struct session *s = world_start(w, "quick");
	struct session_live live[4];
	struct result *r;
	int cpu;

	g_assert_cmpint(world_state(s), ==, SESSION_QUEUED);
	g_assert_cmpuint(session_queue_position(s), ==, 1);
	g_assert_null(sessions_active(w->sessions));
	g_assert_true(world_run_state(w, s, SESSION_RUNNING));
	g_assert_true(sessions_active(w->sessions) == s);
	g_assert_cmpstr(session_stage(s), ==, "none");
	g_assert_cmpuint(world_regions(w), ==, 1);
	world_wait(w, 1100 * NSEC_PER_MSEC);
	if (world_state(s) == SESSION_RUNNING) {
		g_assert_cmpuint(session_live(s, live, 4), ==, 1);
		g_assert_cmpint(live[0].cpu, ==, 0);
		g_assert_cmpuint(live[0].max_ns, ==, 1000);
		g_assert_cmpuint(live[0].count, >, 0);
	}
	g_assert_true(world_run_ended(w, s));
	g_assert_cmpint(world_state(s), ==, SESSION_DONE);
	g_assert_cmpuint(w->maxima, ==, 1);
	g_assert_cmpuint(session_maximum_ns(s, &cpu), ==, 1000);
	g_assert_cmpint(cpu, ==, 0);
	g_assert_true(g_str_has_prefix(w->news->str, "added active "));
	g_assert_true(strstr(w->news->str, "progress") != NULL);
	g_assert_true(g_str_has_suffix(w->news->str, "ended active "));

	r = world_result(w, session_result(s)->id);
	g_assert_cmpint(r->state, ==, SESSION_DONE);
	world_assert_session_verdict(r, VERDICT_PASS);
	g_assert_cmpuint(world_count(r), >, 200);
	g_assert_cmpuint(r->stages->len, ==, 1);
	g_assert_cmpuint(r->finished_usec, >=, r->started_usec);
	g_assert_cmpuint(r->started_usec, >=, r->created_usec);
	g_assert_nonnull(r->conditions);
	g_assert_nonnull(r->summary);
	g_assert_cmpstr(json_string_value(json_object_get(r->method, "policy")), ==, "other");
	result_free(r);
	/* figures are not kept in memory, the region goes once the store has them */
	g_assert_cmpuint(((struct result_stage *)session_result(s)->stages->pdata[0])->cpus->len,
			 ==, 0);
	world_wait(w, 600 * NSEC_PER_MSEC);
	g_assert_cmpuint(world_regions(w), ==, 0);
	world_free(w);
}

/* Nothing ticks in a daemon that has nothing to do. */
static void test_idle(void)
{
	struct world *w = world_with("quick", 300, "none", NULL);
	struct session *s = world_start(w, "quick");

	g_assert_true(world_run_ended(w, s));
	g_assert_cmpuint(w->maxima, ==, 1); /* told at the end: it was shorter than a second */
	world_wait(w, NSEC_PER_SEC);
	g_assert_cmpint(sd_event_run(w->event, 1500000), ==, 0);
	world_free(w);
}

static void test_order(void)
{
	struct world *w = world_with("quick", 300, "none", NULL);
	struct session *a = world_start(w, "quick"), *b = world_start(w, "quick");
	struct session *c = world_start(w, "quick"), *d = world_start(w, "quick");
	g_autoptr(GPtrArray) all = NULL;

	g_assert_cmpuint(sessions_queue_length(w->sessions), ==, 4);
	g_assert_true(world_run_state(w, a, SESSION_RUNNING));
	g_assert_cmpuint(session_queue_position(a), ==, 0);
	g_assert_cmpuint(session_queue_position(b), ==, 1);
	g_assert_cmpuint(session_queue_position(d), ==, 3);
	g_assert_cmpint(session_stop(c, 7), ==, 0);
	g_assert_cmpint(world_state(c), ==, SESSION_STOPPED);
	g_assert_true(strstr(session_result(c)->reason, "user 7") != NULL);
	g_assert_cmpuint(session_queue_position(d), ==, 2);
	g_assert_true(world_run_ended(w, a));
	g_assert_cmpint(world_state(d), ==, SESSION_QUEUED);
	g_assert_true(world_run_ended(w, b));
	g_assert_true(world_run_ended(w, d));
	g_assert_cmpint(world_state(d), ==, SESSION_DONE);
	all = sessions_all(w->sessions);
	g_assert_cmpuint(all->len, ==, 4);
	world_free(w);
}

static void test_limits(void)
{
	struct world *w = world_with("quick", 60000, "none", NULL);
	struct session *first;

	w->settings.queue_max = 4;
	w->settings.queue_max_per_caller = 3;
	first = world_start(w, "quick");
	g_assert_true(world_run_state(w, first, SESSION_RUNNING));
	assert_refused(w, "quick", NULL, false, EBUSY, session_result(first)->id);
	for (int i = 0; i < 3; i++)
		world_start(w, "quick");
	assert_refused(w, "quick", NULL, true, EDQUOT, "1000");
	w->settings.queue_max = 3;
	assert_refused(w, "quick", NULL, true, EDQUOT, "full");
	g_assert_cmpuint(sessions_queue_length(w->sessions), ==, 3);
	world_free(w);
}

/* As many plans as have the same hour wait, and root may start another; who is not root cannot say
 * so. */
static void test_limits_of_timers(void)
{
	struct world *w = world_with("quick", 60000, "none", NULL);
	g_autofree char *message = NULL;
	struct session *s;

	w->settings.queue_max = 5;
	w->settings.queue_max_per_caller = 1;
	g_assert_true(world_run_state(w, world_start(w, "quick"), SESSION_RUNNING));
	for (int i = 0; i < 3; i++)
		g_assert_cmpint(sessions_start_scheduled(w->sessions, "quick", NULL, true, NULL, 0,
							 &s, &message),
				==, 0);
	g_assert_cmpint(sessions_start(w->sessions, "quick", NULL, true, 0, &s, &message), ==, 0);
	g_assert_cmpint(sessions_start(w->sessions, "quick", NULL, true, 0, &s, &message), ==,
			-EDQUOT);
	g_assert_nonnull(strstr(message, "User 0 has 1 "));
	g_clear_pointer(&message, g_free);
	g_assert_cmpint(
		sessions_start_scheduled(w->sessions, "quick", NULL, true, NULL, 7, &s, &message),
		==, 0);
	w->settings.queue_max = 6;
	g_assert_cmpint(
		sessions_start_scheduled(w->sessions, "quick", NULL, true, NULL, 7, &s, &message),
		==, -EDQUOT);
	g_assert_nonnull(strstr(message, "User 7 has 1 "));
	world_free(w);
}

static void test_refusals(void)
{
	struct world *w = world_with("quick", 300, "none", NULL);
	char *huge = g_strnfill(1 << 20, 'x');

	world_plan(w, "broken", "instrument = \"timer\"; intervall = \"1ms\";\n");
	world_plan(w, "elsewhere",
		   "instrument = \"timer\"; policy = \"other\"; cpus = \"1023\"; "
		   "duration = \"1s\";\n");
	world_plan(w, "unloaded",
		   "instrument = \"timer\"; policy = \"other\"; duration = \"1s\"; "
		   "stages = ( { load = \"nobody_wrote_it\"; } );\n");
	g_ptr_array_unref(sessions_reload(w->sessions));
	assert_refused(w, "nothing", NULL, true, ESRCH, "nothing");
	assert_refused(w, huge, NULL, true, ESRCH, "no plan");
	assert_refused(w, "../quick", NULL, true, ESRCH, "no plan");
	assert_refused(w, "../quick", NULL, true, ESRCH, "../quick");
	assert_refused(w, "nothing", NULL, true, ESRCH, "plan list");
	assert_refused(w, "broken", NULL, true, EBADMSG, "intervall");
	assert_refused(w, "unloaded", NULL, true, EBADMSG, "nobody_wrote_it");
	assert_refused(w, "elsewhere", NULL, true, EBADMSG, "1023");
	assert_refused(w, "quick", json_pack("{ss}", "cpus", "1022"), true, EINVAL, "1022");
	assert_refused(w, "quick", json_pack("{ss}", "durration", "1s"), true, EINVAL, "durration");
	assert_refused(w, "quick", json_pack("{ss}", "duration", "1 fortnight"), true, EINVAL,
		       "duration");
	assert_refused(w, "quick", json_pack("{si}", "duration", 5), true, EINVAL, "string");
	assert_refused(w, "quick", json_pack("{ss}", "load", "nobody_wrote_it"), true, EINVAL,
		       "nobody_wrote_it");
	g_assert_cmpuint(sessions_queue_length(w->sessions), ==, 0);
	g_assert_cmpstr(w->news->str, ==, "");
	g_free(huge);
	world_free(w);
}

static void test_wishes(void)
{
	struct world *w = world_with("quick", 60000, "none", NULL);
	g_autofree char *message = NULL;
	json_t *wishes = json_pack("{ssssss}", "duration", "300ms", "label", "night", "limit",
				   "max <= 10ns");
	struct session *s = NULL;
	struct result *r;

	g_assert_cmpint(sessions_start(w->sessions, "quick", wishes, true, 0, &s, &message), ==, 0);
	json_decref(wishes);
	g_assert_cmpuint(session_result(s)->planned_ns, ==, 300 * NSEC_PER_MSEC);
	g_assert_cmpstr(session_result(s)->label, ==, "night");
	g_assert_true(world_run_ended(w, s));
	r = world_result(w, session_result(s)->id);
	g_assert_cmpint(r->verdict, ==, VERDICT_FAIL);
	g_assert_cmpstr(json_string_value(json_object_get(r->overrides, "label")), ==, "night");
	result_free(r);
	world_free(w);
}

/* Another daemon measures: Busy names it, a queued session waits for it. */
static void test_machine_lock(void)
{
	struct world *w = world_with("quick", 300, "none", NULL);
	g_autofree char *pid = g_strdup_printf("%d", getpid());
	struct session *s;
	char *message = NULL;
	int fd;

	g_assert_cmpint(lock_take(w->lock, &fd, &message), ==, 0);
	assert_refused(w, "quick", NULL, false, EBUSY, pid);
	s = world_start(w, "quick");
	world_wait(w, 1200 * NSEC_PER_MSEC);
	g_assert_cmpint(world_state(s), ==, SESSION_QUEUED);
	g_assert_true(strstr(session_result(s)->reason, pid) != NULL);
	close(fd);
	g_assert_true(world_run_ended(w, s));
	g_assert_cmpint(world_state(s), ==, SESSION_DONE);
	g_assert_cmpstr(session_result(s)->reason, ==, "");
	/* and it is given back */
	g_assert_cmpint(lock_take(w->lock, &fd, &message), ==, 0);
	close(fd);
	world_free(w);
}

struct deleted {
	int r;
	bool called;
};

static void on_deleted(int r, const char *message, void *userdata)
{
	struct deleted *d = userdata;

	g_assert_false(d->called);
	d->called = true;
	d->r = r;
}

static bool is_deleted(struct world *w, void *data)
{
	return ((struct deleted *)data)->called;
}

static void test_delete(void)
{
	struct world *w = world_with("quick", 60000, "none", NULL);
	struct session *s = world_start(w, "quick");
	g_autofree char *id = g_strdup(session_result(s)->id);
	struct deleted d = { 0 };
	char *message = NULL;
	struct result *r = NULL;

	g_assert_cmpint(sessions_delete(w->sessions, id, false, on_deleted, &d, &message), ==,
			-EINPROGRESS);
	g_clear_pointer(&message, g_free);
	g_assert_true(world_run_state(w, s, SESSION_RUNNING));
	g_assert_cmpint(sessions_delete(w->sessions, id, false, on_deleted, &d, &message), ==,
			-EINPROGRESS);
	g_clear_pointer(&message, g_free);
	session_stop(s, 0);
	g_assert_true(world_run_ended(w, s));
	g_assert_cmpint(sessions_delete(w->sessions, "last", false, on_deleted, &d, &message), ==,
			-EINVAL);
	g_clear_pointer(&message, g_free);
	g_assert_cmpint(sessions_delete(w->sessions, "last:quick", false, on_deleted, &d, &message),
			==, -EINVAL);
	g_clear_pointer(&message, g_free);
	g_assert_cmpint(sessions_delete(w->sessions, id, false, on_deleted, &d, &message), ==, 0);
	g_assert_true(world_run(w, 10 * NSEC_PER_SEC, is_deleted, &d));
	g_assert_cmpint(d.r, ==, 0);
	g_assert_cmpuint(w->forgotten, ==, 1);
	g_assert_null(sessions_find(w->sessions, id));
	g_assert_cmpint(sessions_result(w->sessions, id, &r, &message), ==, -ENOENT);
	g_clear_pointer(&message, g_free);
	d = (struct deleted){ 0 };
	g_assert_cmpint(sessions_delete(w->sessions, id, false, on_deleted, &d, &message), ==, 0);
	g_assert_true(world_run(w, 10 * NSEC_PER_SEC, is_deleted, &d));
	g_assert_cmpint(d.r, ==, -ENOENT);
	world_free(w);
}

static void test_resolve(void)
{
	struct world *w = world_with("quick", 300, "none", NULL);
	g_autofree char *id = NULL, *last = NULL;
	char *message = NULL;
	struct session *s;

	g_assert_cmpint(sessions_resolve(w->sessions, "last", &last, &message), ==, -ENOENT);
	g_clear_pointer(&message, g_free);
	s = world_start(w, "quick");
	id = g_strdup(session_result(s)->id);
	g_assert_true(world_run_ended(w, s));
	g_assert_cmpint(sessions_resolve(w->sessions, "last:quick", &last, &message), ==, 0);
	g_assert_cmpstr(last, ==, id);
	g_assert_cmpint(sessions_resolve(w->sessions, "last:slow", &last, &message), ==, -ENOENT);
	g_clear_pointer(&message, g_free);
	g_assert_cmpint(sessions_resolve(w->sessions, "../../etc", &last, &message), ==, -ENOENT);
	g_clear_pointer(&message, g_free);
	world_free(w);
}

/* "There is none" and "it cannot be read" are two answers. */
static void test_resolve_unreadable(void)
{
	struct world *w = world_with("quick", 300, "none", NULL);
	g_autofree char *path = g_build_filename(w->state, "lrtbfd.db", NULL);
	g_autofree char *message = NULL;
	char *last = NULL;
	sqlite3 *db;

	g_assert_cmpint(sqlite3_open(path, &db), ==, SQLITE_OK);
	g_assert_cmpint(sqlite3_exec(db, "DROP INDEX sessions_by_plan", NULL, NULL, NULL), ==,
			SQLITE_OK);
	sqlite3_close(db);
	g_assert_cmpint(sessions_resolve(w->sessions, "last:quick", &last, &message), ==, -EIO);
	g_assert_null(last);
	g_assert_nonnull(message);
	world_free(w);
}

/* The file of a queued session's plan goes away: it keeps the text it was queued with. */
static void test_plan_removed(void)
{
	struct world *w = world_with("quick", 300, "none", NULL);
	struct session *a = world_start(w, "quick"), *b = world_start(w, "quick");
	g_autofree char *path = g_build_filename(w->config, "plans.d", "quick.conf", NULL);
	g_autofree char *none = g_build_filename(w->config, "loads.d", "none.conf", NULL);
	struct result *r;

	g_assert_cmpint(g_unlink(path), ==, 0);
	g_assert_cmpint(g_unlink(none), ==, 0);
	world_reload(w);
	assert_refused(w, "quick", NULL, true, ESRCH, "quick");
	g_assert_true(world_run_ended(w, a));
	g_assert_true(world_run_ended(w, b));
	g_assert_cmpint(world_state(b), ==, SESSION_DONE);
	r = world_result(w, session_result(b)->id);
	g_assert_true(strstr(r->plan_text, "interval = \"1ms\"") != NULL);
	result_free(r);
	world_free(w);
}

static void test_ended_are_forgotten(void)
{
	struct world *w = world_with("quick", 60000, "none", NULL);
	struct session *first, *s[4];

	w->settings.ended_shown = 2;
	first = world_start(w, "quick");
	g_assert_true(world_run_state(w, first, SESSION_RUNNING));
	for (int i = 0; i < 4; i++)
		s[i] = world_start(w, "quick");
	for (int i = 0; i < 4; i++)
		session_stop(s[i], 0);
	world_wait(w, 100 * NSEC_PER_MSEC);
	g_assert_cmpuint(w->forgotten, ==, 2);
	/* those of earlier lives are shown again, newest first */
	world_close(w);
	world_open(w);
	{
		g_autoptr(GPtrArray) all = sessions_all(w->sessions);

		g_assert_cmpuint(all->len, ==, 2);
	}
	world_free(w);
}

static void test_shutdown(void)
{
	struct world *w = world_with("quick", 60000, "none", NULL);
	struct session *a = world_start(w, "quick"), *b = world_start(w, "quick");
	g_autofree char *first = g_strdup(session_result(a)->id);
	g_autofree char *second = g_strdup(session_result(b)->id);
	struct result *r;

	g_assert_true(world_run_state(w, a, SESSION_RUNNING));
	sessions_shutdown(w->sessions);
	assert_refused(w, "quick", NULL, true, EBUSY, "stopped");
	g_assert_true(world_run_ended(w, a));
	g_assert_true(sessions_idle(w->sessions));
	g_assert_cmpint(world_state(a), ==, SESSION_STOPPED);
	world_wait(w, 300 * NSEC_PER_MSEC);
	g_assert_cmpint(world_state(b), ==, SESSION_QUEUED);
	world_close(w);

	world_open(w);
	r = world_result(w, first);
	g_assert_cmpint(r->state, ==, SESSION_STOPPED);
	g_assert_true(strstr(r->reason, "lrtbfd") != NULL);
	result_free(r);
	b = sessions_find(w->sessions, second);
	g_assert_nonnull(b);
	g_assert_true(world_run_state(w, b, SESSION_RUNNING));
	/* no time to wait at all */
	world_close(w);
	world_open(w);
	r = world_result(w, second);
	g_assert_cmpint(r->state, ==, SESSION_STOPPED);
	result_free(r);
	world_free(w);
}

static void test_stages_and_loads(void)
{
	struct world *w = world_new();
	struct session *s;
	struct result *r;

	world_load(w, "sleep", "command = ( \"sleep\", \"600\" );\n");
	world_load(w, "absent", "command = ( \"no-such-command-anywhere\" );\n");
	world_plan(w, "two",
		   "instrument = \"timer\"; policy = \"other\"; duration = \"300ms\"; cpus = \"0\";"
		   "interval = \"1ms\"; warm_up = \"0ms\"; settle = \"50ms\"; "
		   "limits = ( \"max <= 1s\" ); stages = ( { load = \"none\"; }, "
		   "{ load = \"sleep\"; }, { load = \"absent\"; } );\n");
	world_open(w);
	s = world_start(w, "two");
	g_assert_true(world_run_ended(w, s));
	g_assert_cmpint(world_state(s), ==, SESSION_DONE);
	r = world_result(w, session_result(s)->id);
	g_assert_cmpuint(r->stages->len, ==, 3);
	for (unsigned i = 0; i < 3; i++) {
		struct result_stage *stage = r->stages->pdata[i];
		g_autofree struct figures *all = result_stage_all(stage);

		g_assert_cmpuint(stage->index, ==, i);
		g_assert_true(stage->complete);
		g_assert_cmpuint(figures_count(all), >, 50);
		world_assert_verdict(stage->verdict, i == 2 ? VERDICT_INCONCLUSIVE : VERDICT_PASS,
				     stage->findings);
		g_assert_true(world_has_finding(stage->findings, "load-absent") == (i == 2));
	}
	g_assert_cmpint(r->verdict, ==, VERDICT_INCONCLUSIVE);
	world_assert_finding(((struct result_stage *)r->stages->pdata[2])->findings, "load-absent");
	result_free(r);
	world_free(w);
}

static void see_findings(struct world *w, enum sessions_news what, struct session *s)
{
	const struct result_stage *stage;

	if (what != SESSIONS_CHANGED || world_state(s) != SESSION_RUNNING || !*session_stage(s))
		return;
	stage = session_result(s)->stages->pdata[0];
	*(bool *)w->hook_data |= world_has_finding(stage->findings, "load-died");
}

/* A load that dies is told while the measurement goes on, not only at its end. */
static void test_trouble_is_told(void)
{
	struct world *w = world_with("long", 60000, "short", NULL);
	bool seen = false;
	struct session *s;

	world_load(w, "short", "command = ( \"sleep\", \"0.6\" );\n");
	world_reload(w);
	w->hook = see_findings;
	w->hook_data = &seen;
	s = world_start(w, "long");
	g_assert_true(world_run_state(w, s, SESSION_RUNNING));
	for (int i = 0; i < 50 && !seen; i++)
		world_wait(w, 100 * NSEC_PER_MSEC);
	g_assert_true(seen);
	g_assert_cmpint(world_state(s), ==, SESSION_RUNNING);
	w->hook = NULL;
	world_free(w);
}

static void test_stop_while_preparing(void)
{
	struct world *w = world_with("quick", 300, "none", NULL);
	struct session *s;
	uint64_t start_ns;
	struct result *r;

	world_plan(w, "slow",
		   "instrument = \"timer\"; policy = \"other\"; duration = \"60s\"; "
		   "cpus = \"0\"; settle = \"30s\"; stages = ( { load = \"sleep\"; } );\n");
	world_reload(w);
	s = world_start(w, "slow");
	g_assert_true(world_run_state(w, s, SESSION_PREPARING));
	world_wait(w, 300 * NSEC_PER_MSEC);
	g_assert_cmpint(world_state(s), ==, SESSION_PREPARING);
	start_ns = clock_mono_ns();
	session_stop(s, 0);
	session_stop(s, 0);
	g_assert_true(world_run_ended(w, s));
	g_assert_cmpuint(clock_mono_ns() - start_ns, <, 3 * NSEC_PER_SEC);
	g_assert_cmpint(world_state(s), ==, SESSION_STOPPED);
	r = world_result(w, session_result(s)->id);
	g_assert_cmpuint(world_count(r), ==, 0);
	result_free(r);
	world_free(w);
}

static void test_stop_while_running(void)
{
	struct world *w = world_with("slow", 60000, "sleep", "limits = ( \"max <= 1s\" );");
	struct session *s = world_start(w, "slow"), *next;
	uint64_t start_ns;
	struct result *r;

	g_assert_true(world_run_state(w, s, SESSION_RUNNING));
	world_wait(w, 500 * NSEC_PER_MSEC);
	start_ns = clock_mono_ns();
	session_stop(s, 42);
	/* one that is asked for while the first is on its way out waits its turn */
	next = world_start(w, "slow");
	g_assert_true(world_run_ended(w, s));
	g_assert_cmpuint(clock_mono_ns() - start_ns, <, 3 * NSEC_PER_SEC);
	g_assert_cmpint(world_state(s), ==, SESSION_STOPPED);
	g_assert_cmpfloat(w->progress, <, 0.5); /* never says that all of it was measured */
	session_stop(s, 42);
	g_assert_cmpint(world_state(s), ==, SESSION_STOPPED);
	r = world_result(w, session_result(s)->id);
	g_assert_cmpuint(world_count(r), >, 50);
	g_assert_true(strstr(r->reason, "user 42") != NULL);
	/* a second of a planned minute is no pass */
	g_assert_cmpint(r->verdict, ==, VERDICT_INCONCLUSIVE);
	result_free(r);
	g_assert_true(world_run_state(w, next, SESSION_RUNNING));
	world_free(w);
}

/* In that very state: a stop changes nothing any more, one that is asked for waits its turn. */
static void while_finishing(struct world *w, enum sessions_news what, struct session *s)
{
	if (what != SESSIONS_CHANGED || world_state(s) != SESSION_FINISHING || w->hook_data)
		return;
	g_assert_cmpint(session_stop(s, 42), ==, 0);
	g_assert_cmpint(world_state(s), ==, SESSION_FINISHING);
	w->hook_data = world_start(w, "quick");
}

static void test_while_finishing(void)
{
	struct world *w = world_with("quick", 300, "sleep", NULL);
	struct session *s = world_start(w, "quick"), *next;

	w->hook = while_finishing;
	g_assert_true(world_run_ended(w, s));
	g_assert_cmpint(world_state(s), ==, SESSION_DONE);
	g_assert_cmpstr(session_result(s)->reason_id, ==, "");
	g_assert_null(strstr(session_result(s)->reason, "user 42"));
	next = w->hook_data;
	g_assert_nonnull(next);
	g_assert_true(world_run_ended(w, next));
	g_assert_cmpint(world_state(next), ==, SESSION_DONE);
	world_free(w);
}

/* A live result is as new as the moment it is asked for. */
static void test_live_result(void)
{
	struct world *w = world_with("slow", 60000, "none", NULL);
	struct session *s = world_start(w, "slow");
	struct result *a, *b;

	g_assert_true(world_run_state(w, s, SESSION_RUNNING));
	world_wait(w, 400 * NSEC_PER_MSEC);
	a = world_result(w, session_result(s)->id);
	g_usleep(200000);
	b = world_result(w, session_result(s)->id);
	g_assert_cmpuint(world_count(b), >, world_count(a));
	g_assert_cmpint(b->state, ==, SESSION_RUNNING);
	g_assert_cmpint(b->verdict, ==, VERDICT_EMPTY);
	result_free(a);
	result_free(b);
	world_free(w);
}

static void test_checks(void)
{
	struct world *w = world_with("quick", 300, "none", NULL);
	g_autoptr(GPtrArray) good = NULL, bad = NULL, unloaded = NULL, system = NULL;
	const struct plan_entry *e;

	good = sessions_check_plan(w->sessions, "instrument = \"timer\"; policy = \"other\"; "
						"duration = \"1s\";");
	g_assert_cmpuint(good->len, ==, 0);
	bad = sessions_check_plan(w->sessions, "interval = \"0\"; colour = 1;");
	g_assert_cmpuint(bad->len, >=, 2);
	unloaded = sessions_check_plan(w->sessions,
				       "instrument = \"timer\"; policy = \"other\"; "
				       "duration = \"1s\"; stages = ( { load = \"x\"; } );");
	g_assert_cmpuint(unloaded->len, ==, 1);
	g_assert_cmpuint(sessions_plans(w->sessions, &e), ==, 1);
	g_assert_cmpstr(e[0].name, ==, "quick");
	system = sessions_check_system(w->sessions);
	g_assert_nonnull(system);
	world_free(w);
}

static void put_old(struct store *store, unsigned i)
{
	struct result *r = result_new();

	g_free(r->id);
	g_free(r->plan);
	r->id = g_strdup_printf("s%02u", i);
	r->plan = g_strdup("old");
	r->state = SESSION_DONE;
	r->created_usec = r->started_usec = r->finished_usec = 1;
	g_assert_cmpint(store_put_session(store, r), ==, 0);
	result_free(r);
}

static bool is_retained(struct world *w, void *data)
{
	return !store_retaining(w->store);
}

/* While one measures, the store makes nothing smaller but the first few. */
static void test_quiet_store(void)
{
	const struct retention keep = { .given = true, .count = 1 };
	struct world *w = world_with("long", 60000, "none", NULL);
	struct session *s = world_start(w, "long");

	for (unsigned i = 0; i < 40; i++)
		put_old(w->store, i);
	g_assert_cmpint(store_flush(w->store, 10 * NSEC_PER_SEC, NULL), ==, 0);
	g_assert_true(world_run_state(w, s, SESSION_RUNNING));
	store_retain(w->store, "old", &keep);
	g_assert_false(world_run(w, 500 * NSEC_PER_MSEC, is_retained, NULL));
	g_assert_cmpint(session_stop(s, 0), ==, 0);
	g_assert_true(world_run_ended(w, s));
	g_assert_true(world_run(w, 10 * NSEC_PER_SEC, is_retained, NULL));
	world_free(w);
}

/* An id that only the store remembers, as of a board whose clock begins anew at each boot. */
static void test_id_taken(void)
{
	struct world *w = world_with("quick", 300, "none", NULL);
	uint64_t now_usec = (uint64_t)g_get_real_time();
	g_autoptr(GPtrArray) taken = g_ptr_array_new_with_free_func(g_free);
	struct session *s;

	for (unsigned i = 0; i < 30; i++) { /* for this second, and those that the test may take */
		struct result *r = result_new();

		g_random_set_seed(7);
		g_free(r->id);
		r->id = result_id_new(now_usec + i * G_USEC_PER_SEC);
		r->state = SESSION_DONE;
		g_ptr_array_add(taken, g_strdup(r->id));
		g_assert_cmpint(store_put_session(w->store, r), ==, 0);
		result_free(r);
	}
	g_random_set_seed(7);
	s = world_start(w, "quick");
	for (guint i = 0; i < taken->len; i++)
		g_assert_cmpstr(session_result(s)->id, !=, taken->pdata[i]);
	world_free(w);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/sessions/measure", test_measure);
	g_test_add_func("/sessions/idle", test_idle);
	g_test_add_func("/sessions/order", test_order);
	g_test_add_func("/sessions/limits", test_limits);
	g_test_add_func("/sessions/limits-of-timers", test_limits_of_timers);
	g_test_add_func("/sessions/refusals", test_refusals);
	g_test_add_func("/sessions/wishes", test_wishes);
	g_test_add_func("/sessions/machine-lock", test_machine_lock);
	g_test_add_func("/sessions/delete", test_delete);
	g_test_add_func("/sessions/resolve", test_resolve);
	g_test_add_func("/sessions/resolve-unreadable", test_resolve_unreadable);
	g_test_add_func("/sessions/plan-removed", test_plan_removed);
	g_test_add_func("/sessions/ended-are-forgotten", test_ended_are_forgotten);
	g_test_add_func("/sessions/shutdown", test_shutdown);
	g_test_add_func("/sessions/stages-and-loads", test_stages_and_loads);
	g_test_add_func("/sessions/trouble-is-told", test_trouble_is_told);
	g_test_add_func("/sessions/stop-while-preparing", test_stop_while_preparing);
	g_test_add_func("/sessions/stop-while-running", test_stop_while_running);
	g_test_add_func("/sessions/while-finishing", test_while_finishing);
	g_test_add_func("/sessions/live-result", test_live_result);
	g_test_add_func("/sessions/checks", test_checks);
	g_test_add_func("/sessions/quiet-store", test_quiet_store);
	g_test_add_func("/sessions/id-taken", test_id_taken);
	return g_test_run();
}
