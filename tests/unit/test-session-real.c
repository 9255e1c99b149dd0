/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The same pipeline with the real lrtbf-measure: real timers, real stalls. */
#include "session-world.h"

#include "clock.h"
#include "session.h"

#include <signal.h>
#include <string.h>

static struct world *world_with(const char *text)
{
	struct world *w = world_new();

	g_setenv("LRTBF_FAKE_MEASURE", g_getenv("LRTBF_MEASURE"), TRUE);
	world_plan(w, "plan", text);
	world_open(w);
	return w;
}

static struct result *measured(struct world *w, struct session *s)
{
	struct result *r;

	g_assert_true(world_run_ended(w, s));
	r = world_result(w, session_result(s)->id);
	if (r->state != SESSION_DONE)
		g_error("%s: %s", session_state_to_string(r->state), r->reason);
	return r;
}

static struct result_cpu *cpu_of(const struct result *r, guint i)
{
	const struct result_stage *stage = r->stages->pdata[0];

	g_assert_cmpuint(i, <, stage->cpus->len);
	return stage->cpus->pdata[i];
}

static void test_timer(void)
{
	struct world *w =
		world_with("instrument = \"timer\"; policy = \"other\"; interval = \"1ms\"; "
			   "duration = \"1200ms\"; warm_up = \"300ms\"; cpus = \"all\"; "
			   "within = \"1s\"; limits = ( \"max <= 10s\", \"within >= 99%\" );\n");
	struct result *r = measured(w, world_start(w, "plan"));
	const struct result_stage *stage = r->stages->pdata[0];
	cpu_set_t seen;

	CPU_ZERO(&seen);
	for (guint i = 0; i < stage->cpus->len; i++) {
		const struct result_cpu *c = cpu_of(r, i);
		const struct figures *f = c->figures;

		CPU_SET(c->cpu, &seen);
		g_assert_cmpint(c->policy, ==, SCHED_OTHER);
		g_assert_cmpuint(f->warmup, >, 0);
		g_assert_cmpuint(figures_count(f), >, 50);
		g_assert_cmpuint(figures_count(f) + f->missed, ==, figures_corrected_count(f));
	}
	g_assert_cmpint(CPU_COUNT(&seen), ==, (int)stage->cpus->len);
	g_assert_cmpuint(stage->duration_ns, >, 1100 * NSEC_PER_MSEC);
	g_assert_cmpuint(stage->started_usec, >=, r->started_usec);
	g_assert_cmpuint(stage->metrics->len, >, 0);
	result_free(r);
	world_free(w);
}

static void test_cpuloop(void)
{
	struct world *w =
		world_with("instrument = \"cpuloop\"; policy = \"other\"; work = \"50us\"; "
			   "duration = \"700ms\"; cpus = \"0\";\n");
	struct result *r = measured(w, world_start(w, "plan"));
	const struct figures *f = cpu_of(r, 0)->figures;
	uint64_t duration_ns = ((struct result_stage *)r->stages->pdata[0])->duration_ns;
	uint64_t passes_ns = figures_count(f) * f->nominal_ns + (uint64_t)f->sum_ns;

	g_assert_cmpuint(figures_count(f), >, 0);
	g_assert_cmpuint(f->nominal_ns, >, 0);
	g_assert_cmpuint(f->has_grid, ==, 0);
	g_assert_cmpuint(duration_ns, >, 600 * NSEC_PER_MSEC);
	/* however busy the machine is: one pass after the other, and what others took is in them */
	g_assert_cmpuint(passes_ns, >, duration_ns / 2);
	g_assert_cmpuint(passes_ns, <, duration_ns * 11 / 10);
	result_free(r);
	world_free(w);
}

struct sampled {
	struct session *s;
	uint64_t n;
};

static bool has_samples(struct world *w, void *data)
{
	const struct sampled *d = data;
	struct result *r = world_result(w, session_result(d->s)->id);
	bool yes = world_count(r) >= d->n;

	result_free(r);
	return yes;
}

/* Measuring, and not only begun to prepare for it, however slow the machine. */
static void assert_measures(struct world *w, struct session *s)
{
	struct sampled d = { .s = s, .n = 200 };

	g_assert_true(world_run(w, 10 * NSEC_PER_SEC, has_samples, &d));
}

/* A stall of a second is one sample of a second, and every grid point is accounted for. */
static void test_stall(void)
{
	struct world *w =
		world_with("instrument = \"timer\"; policy = \"other\"; interval = \"1ms\"; "
			   "duration = \"2500ms\"; warm_up = \"0ms\"; cpus = \"0\"; "
			   "limits = ( \"max <= 500ms\" );\n");
	struct session *s = world_start(w, "plan");
	const struct figures *f;
	struct result *r;
	pid_t child;

	assert_measures(w, s);
	child = world_child(w);
	kill(child, SIGSTOP);
	world_wait(w, NSEC_PER_SEC);
	kill(child, SIGCONT);
	r = measured(w, s);
	f = cpu_of(r, 0)->figures;
	g_assert_cmpuint(f->max_ns, >, 900 * NSEC_PER_MSEC);
	g_assert_cmpuint(f->worst[0].latency_ns, ==, f->max_ns);
	g_assert_cmpuint(f->worst[1].latency_ns, <, 900 * NSEC_PER_MSEC);
	g_assert_cmpuint(f->missed, >=, f->max_ns / NSEC_PER_MSEC);
	g_assert_cmpuint(figures_count(f) + f->missed, ==, figures_corrected_count(f));
	g_assert_cmpuint(figures_count(f) + f->missed, ==,
			 ((struct result_stage *)r->stages->pdata[0])->duration_ns / NSEC_PER_MSEC);
	g_assert_cmpint(r->verdict, ==, VERDICT_FAIL);
	result_free(r);
	world_free(w);
}

static void test_stall_across_the_end(void)
{
	struct world *w =
		world_with("instrument = \"timer\"; policy = \"other\"; interval = \"1ms\"; "
			   "duration = \"1s\"; warm_up = \"0ms\"; cpus = \"0\"; "
			   "limits = ( \"max <= 500ms\" );\n");
	struct session *s = world_start(w, "plan");
	const struct figures *f;
	struct result *r;

	assert_measures(w, s);
	kill(world_child(w), SIGSTOP);
	r = measured(w, s);
	f = cpu_of(r, 0)->figures;
	g_assert_cmpuint(f->pending_ns, >, 500 * NSEC_PER_MSEC);
	g_assert_cmpuint(figures_count(f) + f->missed, ==, figures_corrected_count(f));
	g_assert_cmpint(r->verdict, ==, VERDICT_FAIL);
	result_free(r);
	world_free(w);
}

static void test_break(void)
{
	struct world *w = world_with(
		"instrument = \"timer\"; policy = \"other\"; interval = \"1ms\"; "
		"duration = \"60s\"; warm_up = \"0ms\"; cpus = \"0\"; break = \"1ns\"; "
		"stages = ( { load = \"none\"; }, { name = \"b\"; load = \"none\"; } );\n");
	struct result *r = measured(w, world_start(w, "plan"));

	g_assert_true(strstr(r->reason, "break") != NULL);
	g_assert_cmpstr(r->reason_id, ==, "");
	g_assert_cmpuint(r->stages->len, ==, 1);
	g_assert_cmpuint(world_count(r), ==, 1);
	world_assert_session_verdict(r, VERDICT_NONE);
	result_free(r);
	world_free(w);
}

static void test_stop(void)
{
	struct world *w =
		world_with("instrument = \"timer\"; policy = \"other\"; interval = \"1ms\"; "
			   "duration = \"1h\"; warm_up = \"0ms\"; cpus = \"all\";\n");
	struct session *s = world_start(w, "plan");
	uint64_t start_ns;
	struct result *r;

	g_assert_true(world_run_state(w, s, SESSION_RUNNING));
	world_wait(w, 700 * NSEC_PER_MSEC);
	start_ns = clock_mono_ns();
	session_stop(s, 0);
	g_assert_true(world_run_ended(w, s));
	g_assert_cmpuint(clock_mono_ns() - start_ns, <, 2 * NSEC_PER_SEC);
	r = world_result(w, session_result(s)->id);
	g_assert_cmpint(r->state, ==, SESSION_STOPPED);
	g_assert_cmpuint(world_count(r), >, 100);
	g_assert_true(((struct result_stage *)r->stages->pdata[0])->complete);
	result_free(r);
	world_free(w);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/session/real/timer", test_timer);
	g_test_add_func("/session/real/cpuloop", test_cpuloop);
	g_test_add_func("/session/real/stall", test_stall);
	g_test_add_func("/session/real/stall-across-the-end", test_stall_across_the_end);
	g_test_add_func("/session/real/break", test_break);
	g_test_add_func("/session/real/stop", test_stop);
	return g_test_run();
}
