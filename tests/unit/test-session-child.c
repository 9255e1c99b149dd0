/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Measurements that die, hang, give up or are held up: what was measured is kept and told right. */
#include "session-world.h"

#include "clock.h"
#include "session.h"

#include <signal.h>
#include <string.h>

static struct world *world_with(unsigned ms, const char *load, const char *how)
{
	g_autofree char *text = world_plan_text(ms, load, "limits = ( \"max <= 300ms\" );");
	struct world *w = world_new();

	g_setenv("LRTBF_FAKE", how, TRUE);
	world_load(w, "sleep", "command = ( \"sleep\", \"600\" );\n");
	world_plan(w, "plan", text);
	world_open(w);
	return w;
}

static void assert_invariant(const struct figures *f)
{
	g_assert_cmpuint(figures_count(f) + f->missed, ==, figures_corrected_count(f));
}

static void assert_reason(const struct result *r, const char *id, const char *says)
{
	g_assert_cmpstr(r->reason_id, ==, id);
	if (!strstr(r->reason, says))
		g_error("\"%s\" does not say \"%s\"", r->reason, says);
}

static void test_killed(void)
{
	struct world *w = world_with(60000, "sleep", "");
	struct session *s = world_start(w, "plan");
	struct result *r;

	g_assert_true(world_run_state(w, s, SESSION_RUNNING));
	world_wait(w, 400 * NSEC_PER_MSEC);
	kill(world_child(w), SIGKILL);
	r = world_assert_ends(w, s, SESSION_FAILED);
	assert_reason(r, "Failed", "SIGKILL");
	g_assert_cmpuint(world_count(r), >, 50);
	g_assert_false(((struct result_stage *)r->stages->pdata[0])->complete);
	g_assert_cmpint(r->verdict, ==, VERDICT_INCONCLUSIVE);
	result_free(r);
	/* the next one goes as if nothing had been */
	s = world_start(w, "plan");
	g_assert_true(world_run_state(w, s, SESSION_RUNNING));
	world_free(w);
}

static void test_torn(void)
{
	struct world *w = world_with(60000, "none", "torn");
	struct session *s = world_start(w, "plan");
	struct result *r = world_assert_ends(w, s, SESSION_FAILED);
	struct result_stage *stage = r->stages->pdata[0];
	struct figures *f = ((struct result_cpu *)stage->cpus->pdata[0])->figures;

	g_assert_cmpuint(f->torn, ==, 1);
	g_assert_cmpuint(figures_count(f), >, 50);
	world_assert_finding(stage->findings, "torn");
	result_free(r);
	world_free(w);
}

static void test_exits(void)
{
	struct world *w = world_with(60000, "none", "exit");
	struct session *s = world_start(w, "plan");
	struct result *r = world_assert_ends(w, s, SESSION_FAILED);

	assert_reason(r, "Failed", "status 3");
	g_assert_cmpuint(world_count(r), >, 50);
	result_free(r);
	world_free(w);
}

static void test_gives_up(void)
{
	struct world *w = world_with(60000, "none", "fail");
	struct session *s = world_start(w, "plan");
	struct result *r = world_assert_ends(w, s, SESSION_FAILED);

	assert_reason(r, "NotPermitted", "The fake has no rights.");
	result_free(r);
	world_free(w);
}

/* SIGTERM is not obeyed: the data is kept, and it takes no longer than promised. */
static void test_deaf(void)
{
	struct world *w = world_with(60000, "sleep", "deaf");
	struct session *s = world_start(w, "plan");
	uint64_t start_ns, took_ns;
	struct result *r;

	g_assert_true(world_run_state(w, s, SESSION_RUNNING));
	world_wait(w, 300 * NSEC_PER_MSEC);
	start_ns = clock_mono_ns();
	session_stop(s, 0);
	r = world_assert_ends(w, s, SESSION_STOPPED);
	took_ns = clock_mono_ns() - start_ns;
	/* half a second of patience; loads that have ended meanwhile are not waited for */
	g_test_message("took %llu ms", (unsigned long long)(took_ns / NSEC_PER_MSEC));
	g_assert_cmpuint(took_ns, <, 3 * NSEC_PER_SEC);
	g_assert_cmpuint(world_count(r), >, 50);
	result_free(r);
	world_free(w);
}

static void test_stopped_before_it_begins(void)
{
	struct world *w = world_with(60000, "none", "mute");
	struct session *s = world_start(w, "plan");
	struct result *r;

	g_assert_true(world_run_state(w, s, SESSION_RUNNING));
	world_wait(w, 200 * NSEC_PER_MSEC);
	session_stop(s, 0);
	r = world_assert_ends(w, s, SESSION_STOPPED);
	g_assert_cmpuint(world_count(r), ==, 0);
	result_free(r);
	world_free(w);
}

/* Held up at the end of its time: the wait that is still on counts, in every figure. */
static void test_held_up_across_the_end(void)
{
	struct world *w = world_with(800, "none", "");
	struct session *s = world_start(w, "plan");
	struct result_stage *stage;
	struct figures *f;
	struct result *r;

	g_assert_true(world_run_state(w, s, SESSION_RUNNING));
	world_wait(w, 400 * NSEC_PER_MSEC);
	kill(world_child(w), SIGSTOP);
	r = world_assert_ends(w, s, SESSION_DONE);
	stage = r->stages->pdata[0];
	f = ((struct result_cpu *)stage->cpus->pdata[0])->figures;
	assert_invariant(f);
	g_assert_cmpuint(f->pending_ns, >, NSEC_PER_SEC);
	g_assert_cmpuint(f->missed, >, 1000);
	/* as many milliseconds as it is said to have measured */
	g_assert_cmpuint(figures_count(f) + f->missed, ==, stage->duration_ns / NSEC_PER_MSEC);
	world_assert_finding(stage->findings, "pending");
	g_assert_cmpint(r->verdict, ==, VERDICT_FAIL);
	result_free(r);
	world_free(w);
}

/* And when it is stopped meanwhile. */
static void test_held_up_and_stopped(void)
{
	struct world *w = world_with(60000, "none", "");
	struct session *s = world_start(w, "plan");
	struct result_stage *stage;
	struct figures *f;
	struct result *r;

	g_assert_true(world_run_state(w, s, SESSION_RUNNING));
	world_wait(w, 300 * NSEC_PER_MSEC);
	kill(world_child(w), SIGSTOP);
	world_wait(w, 500 * NSEC_PER_MSEC);
	session_stop(s, 0);
	r = world_assert_ends(w, s, SESSION_STOPPED);
	stage = r->stages->pdata[0];
	f = ((struct result_cpu *)stage->cpus->pdata[0])->figures;
	assert_invariant(f);
	g_assert_cmpuint(f->pending_ns, >, 500 * NSEC_PER_MSEC);
	g_assert_cmpint(stage->verdict, ==, VERDICT_FAIL);
	result_free(r);
	world_free(w);
}

static void test_no_program(void)
{
	g_autofree char *real = g_strdup(g_getenv("LRTBF_FAKE_MEASURE"));
	struct session *s;
	struct result *r;
	struct world *w;

	g_setenv("LRTBF_FAKE_MEASURE", "/no/such/lrtbf-measure", TRUE);
	w = world_with(300, "sleep", "");
	s = world_start(w, "plan");
	r = world_assert_ends(w, s, SESSION_FAILED);
	assert_reason(r, "Failed",
		      "lrtbf-measure"); /* valgrind's spawn tells of it by an exit only */
	result_free(r);
	world_wait(w, 600 * NSEC_PER_MSEC);
	g_assert_cmpuint(world_regions(w), ==, 0);
	world_free(w);
	g_setenv("LRTBF_FAKE_MEASURE", real, TRUE);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/session/child/killed", test_killed);
	g_test_add_func("/session/child/torn", test_torn);
	g_test_add_func("/session/child/exits", test_exits);
	g_test_add_func("/session/child/gives-up", test_gives_up);
	g_test_add_func("/session/child/deaf", test_deaf);
	g_test_add_func("/session/child/stopped-before-it-begins", test_stopped_before_it_begins);
	g_test_add_func("/session/child/held-up-across-the-end", test_held_up_across_the_end);
	g_test_add_func("/session/child/held-up-and-stopped", test_held_up_and_stopped);
	g_test_add_func("/session/child/no-program", test_no_program);
	return g_test_run();
}
