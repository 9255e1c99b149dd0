/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A daemon that is killed at any moment, and the one after it. */
#include "session-world.h"

#include "clock.h"
#include "region.h"
#include "regionfile.h"
#include "session.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sqlite3.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static struct world *world_with(unsigned ms, const char *load, const char *more)
{
	g_autofree char *text = world_plan_text(ms, load, more);
	struct world *w = world_new();

	g_setenv("LRTBF_FAKE", "", TRUE);
	world_load(w, "sleep", "command = ( \"sleep\", \"600\" );\n");
	world_plan(w, "plan", text);
	return w;
}

/* A whole life in a process of its own, killed in state @state; how many were started. */
static void life(struct world *w, unsigned sessions, uint64_t run_ns)
{
	int pipe_fds[2], status;
	char c;
	pid_t pid;

	if (g_getenv("LRTBF_VALGRIND"))
		run_ns *= 10; /* a life goes by that much slower */
	g_assert_cmpint(pipe(pipe_fds), ==, 0);
	pid = fork();
	g_assert_cmpint(pid, >=, 0);
	if (pid == 0) {
		world_open(w);
		for (unsigned i = 0; i < sessions; i++)
			world_start(w, "plan");
		if (store_flush(w->store, 10 * NSEC_PER_SEC, NULL) < 0)
			_exit(1);
		world_wait(w, run_ns);
		_exit(write(pipe_fds[1], "x", 1) == 1 ? pause() : 1);
	}
	close(pipe_fds[1]);
	g_assert_cmpint(read(pipe_fds[0], &c, 1), ==, 1);
	close(pipe_fds[0]);
	kill(pid, SIGKILL);
	g_assert_cmpint(waitpid(pid, &status, 0), ==, pid);
	g_assert_true(WIFSIGNALED(status));
}

static struct session *only(struct world *w, enum session_state state)
{
	g_autoptr(GPtrArray) all = sessions_all(w->sessions);
	struct session *found = NULL;

	for (guint i = 0; i < all->len; i++) {
		if (world_state(all->pdata[i]) != state)
			continue;
		g_assert_null(found);
		found = all->pdata[i];
	}
	g_assert_nonnull(found);
	return found;
}

static void test_measuring(void)
{
	struct world *w = world_with(60000, "sleep", "limits = ( \"max <= 1s\" );");
	struct result_stage *stage;
	struct session *s;
	struct figures *f;
	struct result *r;

	life(w, 2, 800 * NSEC_PER_MSEC);
	g_assert_cmpuint(world_regions(w), ==, 1);
	world_open(w);
	s = only(w, SESSION_INTERRUPTED);
	r = world_result(w, session_result(s)->id);
	stage = r->stages->pdata[0];
	f = ((struct result_cpu *)stage->cpus->pdata[0])->figures;
	g_assert_cmpstr(stage->name, ==, "sleep");
	g_assert_cmpuint(figures_count(f), >, 100);
	g_assert_cmpuint(figures_count(f) + f->missed, ==, figures_corrected_count(f));
	g_assert_cmpuint(f->pending_ns, ==, 0);
	g_assert_cmpint(r->verdict, ==, VERDICT_INCONCLUSIVE);
	g_assert_cmpstr(r->reason, !=, "");
	g_assert_cmpuint(r->finished_usec, >, 0);
	world_assert_finding(stage->findings, "incomplete");
	result_free(r);
	/* the one that waited is taken up, the region is gone once the store has it */
	s = only(w, SESSION_QUEUED);
	g_assert_true(world_run_state(w, s, SESSION_RUNNING));
	world_wait(w, 500 * NSEC_PER_MSEC);
	g_assert_cmpuint(world_regions(w), ==, 1);
	g_assert_cmpint(store_check(w->store, NULL), ==, 0);
	world_free(w);
}

/* A stage that had ended is in the store as it ended, whatever its region still says. */
static void test_ended_stage(void)
{
	struct world *w = world_new();
	g_autoptr(GPtrArray) files = NULL;
	const struct regionfile *first;
	struct result_stage *stage;
	struct region_header *h;
	struct session *s;
	struct result *r;
	uint64_t count;
	int fd;

	g_setenv("LRTBF_FAKE", "", TRUE);
	world_plan(w, "plan",
		   "instrument = \"timer\"; policy = \"other\"; interval = \"1ms\"; cpus = \"0\";\n"
		   "warm_up = \"0ms\"; settle = \"50ms\"; stages = (\n"
		   "{ name = \"a\"; load = \"none\"; duration = \"200ms\"; },\n"
		   "{ name = \"b\"; load = \"none\"; duration = \"60s\"; } );\n");
	life(w, 1, 2500 * NSEC_PER_MSEC);
	files = regionfile_list(w->runtime, regionfile_tag(w->state));
	g_assert_cmpuint(files->len, ==, 2);
	first = files->pdata[0];
	g_assert_cmpuint(first->stage, ==, 0);
	fd = open(first->path, O_RDWR | O_CLOEXEC);
	g_assert_cmpint(region_map(fd, true, &h), ==, 0);
	region_set_phase(h, REGION_RUNNING);
	count = figures_count(&region_cpu(h, 0)->figures);
	region_record(region_cpu(h, 0), 5000, 1, 0);
	region_unmap(h);
	close(fd);
	world_open(w);
	s = only(w, SESSION_INTERRUPTED);
	r = world_result(w, session_result(s)->id);
	g_assert_cmpuint(r->stages->len, ==, 2);
	stage = r->stages->pdata[0];
	g_assert_true(stage->complete);
	g_assert_cmpuint(figures_count(((struct result_cpu *)stage->cpus->pdata[0])->figures), ==,
			 count);
	g_assert_false(((struct result_stage *)r->stages->pdata[1])->complete);
	result_free(r);
	world_free(w);
}

/* The store heard of the queued session and of nothing that came after: its samples are kept all
 * the same. */
static void test_begun_unheard(void)
{
	struct world *w = world_with(60000, "none", "limits = ( \"max <= 1s\" );");
	g_autofree char *path = g_build_filename(w->state, "lrtbfd.db", NULL);
	struct result_stage *stage;
	struct session *s;
	struct result *r;
	sqlite3 *db;

	life(w, 1, 500 * NSEC_PER_MSEC);
	g_assert_cmpint(sqlite3_open(path, &db), ==, SQLITE_OK);
	g_assert_cmpint(sqlite3_exec(db,
				     "UPDATE sessions SET state = 'queued', started_usec = 0;"
				     "DELETE FROM figures; DELETE FROM stages",
				     NULL, NULL, NULL),
			==, SQLITE_OK);
	sqlite3_close(db);
	world_open(w);
	s = only(w, SESSION_INTERRUPTED);
	r = world_result(w, session_result(s)->id);
	stage = r->stages->pdata[0];
	g_assert_cmpuint(world_count(r), >, 100);
	g_assert_cmpstr(stage->name, ==, "none");
	g_assert_cmpuint(r->started_usec, ==, stage->started_usec);
	g_assert_cmpint(r->verdict, ==, VERDICT_INCONCLUSIVE);
	result_free(r);
	world_wait(w, 500 * NSEC_PER_MSEC);
	g_assert_cmpuint(world_regions(w), ==, 0);
	world_free(w);
}

/* Killed before the store had anything: there is no plan, but there are the samples. */
static void test_never_stored(void)
{
	struct world *w = world_with(60000, "none", NULL);
	g_autofree char *path = g_build_filename(w->state, "lrtbfd.db", NULL);
	struct session *s;
	struct result *r;
	sqlite3 *db;

	life(w, 1, 600 * NSEC_PER_MSEC);
	g_assert_cmpint(sqlite3_open(path, &db), ==, SQLITE_OK);
	g_assert_cmpint(sqlite3_exec(db, "PRAGMA foreign_keys = ON; DELETE FROM sessions", NULL,
				     NULL, NULL),
			==, SQLITE_OK);
	sqlite3_close(db);
	world_open(w);
	s = only(w, SESSION_INTERRUPTED);
	r = world_result(w, session_result(s)->id);
	g_assert_cmpstr(r->plan, ==, "unknown");
	g_assert_cmpuint(world_count(r), >, 100);
	g_assert_cmpuint(r->started_usec, >, 0);
	g_assert_nonnull(strstr(r->reason, "not even its plan"));
	result_free(r);
	world_wait(w, 500 * NSEC_PER_MSEC);
	g_assert_cmpuint(world_regions(w), ==, 0);
	world_close(w);
	world_open(w);
	g_assert_nonnull(only(w, SESSION_INTERRUPTED));
	world_free(w);
}

/* What ended is in the store and its region goes; but not while the store cannot read it. */
static void test_ended_unreadable(void)
{
	struct world *w = world_with(60000, "none", NULL);
	g_autofree char *path = g_build_filename(w->state, "lrtbfd.db", NULL);
	sqlite3 *db;

	life(w, 1, 600 * NSEC_PER_MSEC);
	g_assert_cmpint(sqlite3_open(path, &db), ==, SQLITE_OK);
	g_assert_cmpint(sqlite3_exec(db,
				     "UPDATE sessions SET state = 'done';"
				     "ALTER TABLE figures RENAME TO away",
				     NULL, NULL, NULL),
			==, SQLITE_OK);
	world_open(w);
	g_assert_cmpuint(world_regions(w), ==, 1);
	world_close(w);
	g_assert_cmpint(sqlite3_exec(db, "ALTER TABLE away RENAME TO figures", NULL, NULL, NULL),
			==, SQLITE_OK);
	sqlite3_close(db);
	world_open(w);
	g_assert_cmpuint(world_regions(w), ==, 0);
	world_free(w);
}

static void test_queued_only(void)
{
	struct world *w = world_with(300, "none", NULL);
	g_autoptr(GPtrArray) all = NULL;

	life(w, 3, 0);
	world_open(w);
	all = sessions_all(w->sessions);
	g_assert_cmpuint(all->len, ==, 3);
	for (guint i = 0; i < all->len; i++)
		g_assert_true(world_run_ended(w, all->pdata[i]));
	g_assert_cmpint(world_state(all->pdata[1]), ==, SESSION_DONE);
	g_assert_cmpint(world_state(all->pdata[2]), ==, SESSION_DONE);
	world_free(w);
}

/* Wishes are a part of what waited; a plan that cannot be read any more is no reason to forget it.
 */
static void test_queued_with_wishes(void)
{
	struct world *w = world_with(60000, "none", NULL);
	json_t *wishes = json_pack("{ssss}", "duration", "300ms", "label", "x");
	g_autofree char *message = NULL;
	struct session *s;

	world_open(w);
	g_assert_cmpint(sessions_start(w->sessions, "plan", wishes, true, 5, &s, &message), ==, 0);
	json_decref(wishes);
	world_close(w);
	world_open(w);
	s = only(w, SESSION_QUEUED);
	g_assert_cmpuint(session_result(s)->owner, ==, 5);
	g_assert_true(world_run_ended(w, s));
	g_assert_cmpint(world_state(s), ==, SESSION_DONE);
	g_assert_cmpuint(session_result(s)->planned_ns, ==, 300 * NSEC_PER_MSEC);
	world_free(w);
}

static void test_unreadable_plan(void)
{
	struct world *w = world_with(300, "none", NULL);
	struct result *r = result_new();
	struct session *s;

	world_open(w);
	g_free(r->id);
	g_free(r->plan);
	g_free(r->plan_text);
	r->id = g_strdup("s20200101T000000Z_0001");
	r->plan = g_strdup("plan");
	r->plan_text = g_strdup("what = (");
	r->created_usec = 1;
	g_assert_cmpint(store_put_session(w->store, r), ==, 0);
	result_free(r);
	world_close(w);
	world_open(w);
	s = only(w, SESSION_FAILED);
	g_assert_cmpstr(session_result(s)->reason_id, ==, "InvalidPlan");
	world_free(w);
}

/* The region of a child that outlives its daemon, and of sessions nobody knows. */
static void test_strays(void)
{
	struct world *w = world_with(300, "none", NULL);
	uint32_t tag = regionfile_tag(w->state);
	g_autofree char *message = NULL, *ours = NULL, *theirs = NULL;
	cpu_set_t cpus;
	int fd;

	CPU_ZERO(&cpus);
	CPU_SET(0, &cpus);
	g_assert_cmpint(regionfile_create(w->runtime, tag, "s20200101T000000Z_0001", 0, &cpus, &fd,
					  &ours, &message),
			==, 0);
	close(fd);
	g_assert_cmpint(regionfile_create(w->runtime, tag + 1, "s20200101T000000Z_0002", 0, &cpus,
					  &fd, &theirs, &message),
			==, 0);
	close(fd);
	world_open(w);
	g_assert_cmpint(access(ours, F_OK), ==, -1);
	g_assert_cmpint(access(theirs, F_OK), ==, 0);
	world_free(w);
}

static pid_t region_child(struct world *w)
{
	g_autoptr(GPtrArray) files = regionfile_list(w->runtime, regionfile_tag(w->state));
	struct region_header *h;
	pid_t pid;
	int fd;

	g_assert_cmpuint(files->len, ==, 1);
	fd = open(((struct regionfile *)files->pdata[0])->path, O_RDWR | O_CLOEXEC);
	g_assert_cmpint(fd, >=, 0);
	g_assert_cmpint(region_map(fd, false, &h), ==, 0);
	pid = h->child_pid;
	region_unmap(h);
	close(fd);
	return pid;
}

/* Gone, or dead and not taken leave of by whoever inherited it. */
static bool is_dead(pid_t pid)
{
	g_autofree char *path = g_strdup_printf("/proc/%d/stat", pid);
	g_autofree char *text = NULL;

	return !g_file_get_contents(path, &text, NULL, NULL) || strstr(text, ") Z ") ||
	       strstr(text, ") X ");
}

/* A measurement that does not end with its daemon is ended before its session is told as over. */
static void test_orphan(void)
{
	struct world *w = world_with(60000, "none", NULL);
	struct session *s;
	struct result *r;
	pid_t pid;

	g_setenv("LRTBF_FAKE", "orphan", TRUE);
	life(w, 1, 500 * NSEC_PER_MSEC);
	pid = region_child(w);
	g_assert_cmpint(pid, >, 1);
	g_assert_false(is_dead(pid));
	world_open(w);
	g_assert_true(is_dead(pid));
	s = only(w, SESSION_INTERRUPTED);
	r = world_result(w, session_result(s)->id);
	g_assert_cmpuint(world_count(r), >, 100);
	result_free(r);
	world_free(w);
}

static void test_damaged_region(void)
{
	struct world *w = world_with(60000, "none", NULL);
	g_autoptr(GPtrArray) files = NULL;
	struct session *s;
	struct result *r;
	int fd;

	life(w, 1, 500 * NSEC_PER_MSEC);
	files = regionfile_list(w->runtime, regionfile_tag(w->state));
	g_assert_cmpuint(files->len, ==, 1);
	fd = open(((struct regionfile *)files->pdata[0])->path, O_WRONLY | O_TRUNC);
	g_assert_cmpint(fd, >=, 0);
	close(fd);
	world_open(w);
	s = only(w, SESSION_INTERRUPTED);
	r = world_result(w, session_result(s)->id);
	g_assert_cmpuint(r->stages->len, ==, 1);
	result_free(r);
	world_free(w);
}

static bool has_written(struct world *w, void *data)
{
	return store_pending(w->store) == 0;
}

/* Somebody else holds the database: the measurement goes on, and is kept as soon as it can be. */
static void test_store_trouble(void)
{
	struct world *w = world_with(2500, "none", "checkpoint = \"1s\";");
	g_autofree char *path = g_build_filename(w->state, "lrtbfd.db", NULL);
	g_autofree char *id = NULL;
	struct session *s;
	struct result *r;
	sqlite3 *db;

	world_open(w);
	s = world_start(w, "plan");
	id = g_strdup(session_result(s)->id);
	g_assert_true(world_run_state(w, s, SESSION_RUNNING));
	world_run(w, 5 * NSEC_PER_SEC, has_written, NULL);
	g_assert_cmpint(sqlite3_open(path, &db), ==, SQLITE_OK);
	while (sqlite3_exec(db, "BEGIN IMMEDIATE", NULL, NULL, NULL) == SQLITE_BUSY)
		g_usleep(1000);
	g_assert_true(world_run_ended(w, s));
	g_assert_cmpint(world_state(s), ==, SESSION_DONE);
	world_assert_finding(session_result(s)->findings, "store-trouble");
	world_wait(w, 600 * NSEC_PER_MSEC);
	g_assert_cmpuint(world_regions(w), ==, 1); /* not in the store yet: kept */
	g_assert_cmpint(sqlite3_exec(db, "ROLLBACK", NULL, NULL, NULL), ==, SQLITE_OK);
	sqlite3_close(db);
	g_assert_true(world_run(w, 10 * NSEC_PER_SEC, has_written, NULL));
	world_wait(w, 600 * NSEC_PER_MSEC);
	g_assert_cmpuint(world_regions(w), ==, 0);
	world_close(w);
	world_open(w);
	r = world_result(w, id);
	g_assert_cmpint(r->state, ==, SESSION_DONE);
	g_assert_cmpuint(world_count(r), >, 500);
	result_free(r);
	world_free(w);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/session/recover/measuring", test_measuring);
	g_test_add_func("/session/recover/ended-stage", test_ended_stage);
	g_test_add_func("/session/recover/begun-unheard", test_begun_unheard);
	g_test_add_func("/session/recover/never-stored", test_never_stored);
	g_test_add_func("/session/recover/ended-unreadable", test_ended_unreadable);
	g_test_add_func("/session/recover/queued-only", test_queued_only);
	g_test_add_func("/session/recover/queued-with-wishes", test_queued_with_wishes);
	g_test_add_func("/session/recover/unreadable-plan", test_unreadable_plan);
	g_test_add_func("/session/recover/strays", test_strays);
	g_test_add_func("/session/recover/orphan", test_orphan);
	g_test_add_func("/session/recover/damaged-region", test_damaged_region);
	g_test_add_func("/session/recover/store-trouble", test_store_trouble);
	return g_test_run();
}
