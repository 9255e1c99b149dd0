/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Stages that are measured several times, and what is worked out of stages at the end. */
#include "session-world.h"

#include "clock.h"
#include "session.h"

#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static const char plan_of_three[] =
	"instrument = \"timer\"; policy = \"other\"; interval = \"1ms\"; cpus = \"0\"; repeat = "
	"3;\n"
	"warm_up = \"0ms\"; settle = \"0ms\"; duration = \"200ms\"; limits = [ \"max <= 1s\" ];\n"
	"stages = ( { name = \"a\"; load = \"none\"; },\n"
	"{ name = \"b\"; load = \"none\"; duration = \"300ms\"; } );\n";

static struct world *world_with(const char *plan)
{
	struct world *w = world_new();

	g_setenv("LRTBF_FAKE", "", TRUE);
	world_plan(w, "plan", plan);
	return w;
}

/* Periods that went by, measured or, on a busy machine, missed. */
static uint64_t elapsed(const struct result *r)
{
	g_autofree struct figures *all = result_all(r);

	return figures_corrected_count(all);
}

static char *order_of(const struct result *r)
{
	GString *text = g_string_new(NULL);

	for (guint i = 0; i < r->stages->len; i++) {
		const struct result_stage *s = r->stages->pdata[i];

		g_assert_cmpuint(s->index, ==, i);
		g_string_append_printf(text, "%s%u ", s->name, s->repeat);
	}
	return g_string_free(text, FALSE);
}

static void test_order(void)
{
	struct world *w = world_with(plan_of_three);
	g_autofree char *order = NULL;
	struct session *s;
	struct result *r;

	world_open(w);
	s = world_start(w, "plan");
	g_assert_cmpuint(session_result(s)->planned_ns, ==, 1500 * NSEC_PER_MSEC);
	r = world_assert_ends(w, s, SESSION_DONE);
	order = order_of(r);
	g_assert_cmpstr(order, ==, "a1 b1 b2 a2 a3 b3 ");
	g_assert_cmpuint(r->planned_ns, ==, 1500 * NSEC_PER_MSEC);
	g_assert_cmpfloat(w->progress, >, 0.8); /* of all of them */
	for (guint i = 0; i < r->stages->len; i++) {
		struct result_stage *stage = r->stages->pdata[i];

		g_assert_cmpuint(stage->limits->len, ==, 1);
		world_assert_verdict(stage->verdict, VERDICT_PASS, stage->findings);
		g_assert_cmpuint(stage->planned_ns, ==,
				 (*stage->name == 'a' ? 200 : 300) * NSEC_PER_MSEC);
	}
	world_assert_session_verdict(r, VERDICT_PASS);
	result_free(r);
	world_free(w);
}

static void stop_in_third(struct world *w, enum sessions_news what, struct session *s)
{
	if (what == SESSIONS_CHANGED && session_result(s)->stages->len == 3)
		session_stop(s, 42);
}

/* Stages that are missing are missing whatever their name. */
static void test_stopped(void)
{
	struct world *w = world_with(plan_of_three);
	struct session *s;
	struct result *r;

	w->hook = stop_in_third;
	world_open(w);
	s = world_start(w, "plan");
	r = world_assert_ends(w, s, SESSION_STOPPED);
	g_assert_cmpuint(r->stages->len, ==, 3);
	g_assert_cmpint(r->verdict, ==, VERDICT_INCONCLUSIVE);
	result_free(r);
	world_free(w);
}

/* The last of them breaks the limit: so does the session. */
static void test_every_one_is_judged(void)
{
	struct world *w = world_with(
		"instrument = \"timer\"; policy = \"other\"; interval = \"1ms\"; cpus = \"0\";\n"
		"warm_up = \"0ms\"; settle = \"0ms\"; repeat = 2; duration = \"200ms\";\n"
		"limits = [ \"max <= 999ns\" ];\n");
	struct session *s;
	struct result *r;

	world_open(w);
	s = world_start(w, "plan");
	r = world_assert_ends(w, s, SESSION_DONE);
	g_assert_cmpuint(r->stages->len, ==, 2);
	for (guint i = 0; i < 2; i++)
		g_assert_cmpint(((struct result_stage *)r->stages->pdata[i])->verdict, ==,
				VERDICT_FAIL);
	g_assert_cmpint(r->verdict, ==, VERDICT_FAIL);
	result_free(r);
	world_free(w);
}

/* A whole life in a process of its own, killed while the third stage measures. */
static void life(struct world *w)
{
	int pipe_fds[2], status;
	char c;
	pid_t pid;

	g_assert_cmpint(pipe(pipe_fds), ==, 0);
	pid = fork();
	g_assert_cmpint(pid, >=, 0);
	if (pid == 0) {
		struct session *s;

		world_open(w);
		s = world_start(w, "plan");
		while (session_result(s)->stages->len < 3)
			world_wait(w, 10 * NSEC_PER_MSEC);
		world_wait(w, 300 * NSEC_PER_MSEC);
		_exit(write(pipe_fds[1], "x", 1) == 1 ? pause() : 1);
	}
	close(pipe_fds[1]);
	g_assert_cmpint(read(pipe_fds[0], &c, 1), ==, 1);
	close(pipe_fds[0]);
	kill(pid, SIGKILL);
	g_assert_cmpint(waitpid(pid, &status, 0), ==, pid);
	g_assert_true(WIFSIGNALED(status));
}

static void test_recovered(void)
{
	struct world *w = world_with(
		"instrument = \"timer\"; policy = \"other\"; interval = \"1ms\"; cpus = \"0\";\n"
		"warm_up = \"0ms\"; settle = \"0ms\"; repeat = 2; stages = (\n"
		"{ name = \"a\"; load = \"none\"; duration = \"200ms\"; },\n"
		"{ name = \"b\"; load = \"none\"; duration = \"1500ms\"; } );\n");
	g_autoptr(GPtrArray) all = NULL;
	g_autofree char *order = NULL;
	struct result *r;

	life(w);
	world_open(w);
	all = sessions_all(w->sessions);
	g_assert_cmpuint(all->len, ==, 1);
	r = world_result(w, session_result(all->pdata[0])->id);
	g_assert_cmpint(r->state, ==, SESSION_INTERRUPTED);
	order = order_of(r);
	g_assert_cmpstr(order, ==, "a1 b1 b2 ");
	g_assert_cmpuint(elapsed(r), >, 1000);
	result_free(r);
	world_free(w);
}

/* --- at the end --- */

static bool analysed(const struct result *r)
{
	bool all = true;

	for (guint i = 0; i < r->stages->len; i++) {
		const json_t *a = ((struct result_stage *)r->stages->pdata[i])->analysis;

		all = all && json_is_object(json_object_get(a, "intervals"));
	}
	return all;
}

static bool is_evaluated(struct world *w, void *data)
{
	return ((struct session *)data)->evaluation != NULL;
}

static struct session *run_to_evaluation(struct world *w)
{
	struct session *s;

	world_open(w);
	s = world_start(w, "plan");
	g_assert_true(world_run(w, 30 * NSEC_PER_SEC, is_evaluated, s));
	g_assert_cmpint(world_state(s), ==, SESSION_FINISHING);
	g_assert_cmpint(session_result(s)->verdict, ==, VERDICT_EMPTY);
	return s;
}

/* Whoever kills the daemon while stages are worked out finds the session ended. */
static void test_nothing_is_lost_meanwhile(void)
{
	struct world *w = world_with(plan_of_three);
	struct session *s = run_to_evaluation(w);
	struct result *r, *head = NULL;

	g_assert_cmpint(store_head(w->store, session_result(s)->id, &head, NULL), ==, 0);
	g_assert_null(strstr(w->news->str, "ended "));
	r = world_assert_ends(w, s, SESSION_DONE);
	g_assert_cmpint(head->state, ==, SESSION_DONE);
	g_assert_cmpint(head->verdict, ==, r->verdict);
	g_assert_cmpuint(head->finished_usec, ==, r->finished_usec);
	g_assert_nonnull(strstr(w->news->str, "ended "));
	g_assert_null(strstr(strstr(w->news->str, "ended ") + 1, "ended ")); /* told once */
	g_assert_true(analysed(r));
	result_free(head);
	result_free(r);
	world_free(w);
}

/* Whoever stops it then takes nothing from it but what is not worked out yet. */
static void test_stopped_meanwhile(void)
{
	struct world *w = world_with(plan_of_three);
	struct session *s = run_to_evaluation(w);
	struct result *r;

	session_stop(s, 42);
	r = world_assert_ends(w, s, SESSION_DONE);
	g_assert_cmpuint(r->stages->len, ==, 6);
	g_assert_cmpstr(r->reason_id, ==, "");
	g_assert_null(strstr(r->reason, "user 42"));
	result_free(r);
	world_free(w);
}

/* The daemon ends, at once or in good order, while stages are worked out. */
static void test_daemon_ends_meanwhile(void)
{
	for (int orderly = 0; orderly <= 1; orderly++) {
		struct world *w = world_with(plan_of_three);
		struct session *s = run_to_evaluation(w);
		g_autofree char *id = g_strdup(session_result(s)->id);
		struct result *r;

		if (orderly) {
			sessions_shutdown(w->sessions);
			g_assert_true(world_run_ended(w, s));
		}
		world_close(w);
		g_assert_cmpuint(world_regions(w), ==, 0);
		world_open(w);
		r = world_result(w, id);
		g_assert_cmpint(r->state, ==, SESSION_DONE);
		g_assert_cmpuint(r->stages->len, ==, 6);
		g_assert_cmpuint(elapsed(r), >, 1400);
		result_free(r);
		world_free(w);
	}
}

/* What was measured of a stopped one is worked out, too, if it takes no time. */
static void test_stopped_is_worked_out(void)
{
	struct world *w =
		world_with("instrument = \"timer\"; policy = \"other\"; cpus = \"0\";\n"
			   "interval = \"1ms\"; warm_up = \"0ms\"; duration = \"60s\";\n");
	struct session *s;
	struct result *r;

	world_open(w);
	s = world_start(w, "plan");
	g_assert_true(world_run_state(w, s, SESSION_RUNNING));
	world_wait(w, 300 * NSEC_PER_MSEC);
	session_stop(s, 42);
	r = world_assert_ends(w, s, SESSION_STOPPED);
	g_assert_true(analysed(r));
	result_free(r);
	world_free(w);
}

/* At checkpoints and at the end, as the store has them. */
static void test_snapshots(void)
{
	struct world *w =
		world_with("instrument = \"timer\"; policy = \"other\"; cpus = \"0\";\n"
			   "interval = \"1ms\"; warm_up = \"0ms\"; duration = \"3500ms\";\n"
			   "checkpoint = \"1s\";\n");
	const struct result_stage *stage;
	struct session *s;
	struct result *r;
	uint64_t before = 0;

	world_open(w);
	s = world_start(w, "plan");
	r = world_assert_ends(w, s, SESSION_DONE);
	stage = r->stages->pdata[0];
	g_assert_nonnull(stage->snapshots);
	g_assert_cmpuint(snapshots_count(stage->snapshots), >=, 2);
	for (unsigned i = 0; i < snapshots_count(stage->snapshots); i++) {
		g_assert_cmpuint(snapshots_at_ns(stage->snapshots, i), >, before);
		before = snapshots_at_ns(stage->snapshots, i);
	}
	g_assert_cmpuint(before, <=, stage->duration_ns);
	result_free(r);
	world_free(w);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/session/repeats/order", test_order);
	g_test_add_func("/session/repeats/stopped", test_stopped);
	g_test_add_func("/session/repeats/every-one-is-judged", test_every_one_is_judged);
	g_test_add_func("/session/repeats/recovered", test_recovered);
	g_test_add_func("/session/end/nothing-is-lost-meanwhile", test_nothing_is_lost_meanwhile);
	g_test_add_func("/session/end/stopped-meanwhile", test_stopped_meanwhile);
	g_test_add_func("/session/end/daemon-ends-meanwhile", test_daemon_ends_meanwhile);
	g_test_add_func("/session/end/stopped-is-worked-out", test_stopped_is_worked_out);
	g_test_add_func("/session/snapshots", test_snapshots);
	return g_test_run();
}
