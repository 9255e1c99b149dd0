/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Verdicts: the whole truth table of what makes a stage and a session pass, inconclusive or fail.
 */
#include "verdict.h"

#include <sched.h>
#include <string.h>

#define MS 1000000ULL
#define US 1000ULL

/* A plan with the given limits (NULL-ended) and stages. */
static struct plan *plan_of(guint stages, const char *const *limits)
{
	struct plan *p = g_new0(struct plan, 1);

	p->repeat = 1;
	p->stages = g_ptr_array_new();
	p->limits = g_array_new(FALSE, TRUE, sizeof(struct limit));
	for (guint i = 0; i < stages; i++)
		g_ptr_array_add(p->stages, NULL);
	for (; limits && *limits; limits++) {
		struct limit l;

		g_assert_cmpint(limit_parse(*limits, &l, NULL), ==, 0);
		g_array_append_val(p->limits, l);
	}
	return p;
}

static void plan_done(struct plan *p)
{
	g_ptr_array_unref(p->stages);
	g_array_unref(p->limits);
	g_free(p);
}

static struct figures *add_cpu(struct result_stage *s, int cpu, unsigned n, uint64_t latency_ns)
{
	struct result_cpu *c = result_cpu_new(cpu);

	c->figures->has_grid = 1;
	for (unsigned i = 0; i < n; i++)
		figures_record(c->figures, latency_ns, (i + 1) * MS);
	g_ptr_array_add(s->cpus, c);
	return c->figures;
}

/* A good stage: 2 CPUs, 1000 samples of 10 and 20 us, the whole time. */
static struct result_stage *good_stage(void)
{
	struct result_stage *s = result_stage_new();

	g_free(s->name);
	s->name = g_strdup("hd");
	s->complete = true;
	s->started_usec = 1;
	s->duration_ns = s->planned_ns = 1000 * MS;
	add_cpu(s, 0, 1000, 10 * US);
	add_cpu(s, 3, 1000, 20 * US);
	return s;
}

static struct figures *figures_of(struct result_stage *s, guint i)
{
	return ((struct result_cpu *)s->cpus->pdata[i])->figures;
}

static const struct finding *find(const GPtrArray *findings, const char *id)
{
	for (guint i = 0; i < findings->len; i++) {
		const struct finding *f = findings->pdata[i];

		if (strcmp(f->kind->id, id) == 0)
			return f;
	}
	return NULL;
}

static const char *const one_kept[] = { "max <= 20us", NULL };
static const char *const one_broken[] = { "max <= 19us", NULL };

/* Judge @s (freed) and compare. @id: the one finding there must be; NULL: none. */
static void check_stage(struct result_stage *s, const char *const *limits, const char *id,
			enum verdict v)
{
	struct plan *p = plan_of(1, limits);

	verdict_findings(s, p, p->limits);
	verdict_stage(s, p->limits);
	if (id && (s->findings->len != 1 || !find(s->findings, id))) {
		g_test_message("%u findings, not just %s", s->findings->len, id);
		g_test_fail();
	}
	if (!id && s->findings->len) {
		g_test_message("unexpected: %s", ((struct finding *)s->findings->pdata[0])->text);
		g_test_fail();
	}
	g_assert_cmpstr(verdict_to_string(s->verdict), ==, verdict_to_string(v));
	result_stage_free(s);
	plan_done(p);
}

/* How a good stage is made doubtful. */
static struct result_stage *migrated(void)
{
	struct result_stage *s = good_stage();

	figures_of(s, 1)->migrated = 1;
	return s;
}

static struct result_stage *pending(void)
{
	struct result_stage *s = good_stage();

	figures_of(s, 0)->pending_ns = 5 * US;
	return s;
}

static struct result_stage *early(void)
{
	struct result_stage *s = good_stage();

	figures_of(s, 0)->early = 2; /* of 1000 */
	return s;
}

static struct result_stage *killed(void)
{
	struct result_stage *s = good_stage();

	s->complete = false;
	return s;
}

static struct result_stage *idle_cpu(void)
{
	struct result_stage *s = good_stage();

	add_cpu(s, 5, 0, 0);
	return s;
}

static struct result_stage *absent_load(void)
{
	struct result_stage *s = good_stage();

	finding_add(s->findings, "load-absent", NULL);
	return s;
}

static void test_stage_table(void)
{
	static const struct {
		struct result_stage *(*make)(void);
		const char *id;
	} doubts[] = {
		{ migrated, "migrated" },   { pending, "pending" },
		{ early, "early" },	    { killed, "incomplete" },
		{ idle_cpu, "no-samples" }, { absent_load, "load-absent" },
	};

	check_stage(good_stage(), NULL, NULL, VERDICT_NONE);
	check_stage(good_stage(), one_kept, NULL, VERDICT_PASS);
	check_stage(good_stage(), one_broken, NULL, VERDICT_FAIL);
	for (size_t i = 0; i < G_N_ELEMENTS(doubts); i++) {
		check_stage(doubts[i].make(), NULL, doubts[i].id, VERDICT_INCONCLUSIVE);
		check_stage(doubts[i].make(), one_kept, doubts[i].id, VERDICT_INCONCLUSIVE);
		check_stage(doubts[i].make(), one_broken, doubts[i].id, VERDICT_FAIL);
	}
}

/* What only warns changes no verdict. */
static void test_stage_warnings(void)
{
	struct result_stage *s = good_stage();

	figures_of(s, 0)->torn = 1;
	check_stage(s, one_kept, "torn", VERDICT_PASS);
	s = good_stage();
	finding_add(s->findings, "virtual", NULL);
	check_stage(s, NULL, "virtual", VERDICT_NONE);
}

/* The whole table: what is not named here only warns. */
static void test_weights(void)
{
	static const char *const inconclusive[] = {
		"no-samples", "migrated",     "pending",    "early",	      "too-few",
		"incomplete", "load-absent",  "load-died",  "load-no-effect", "steal",
		"suspended",  "cpu-offline",  "irq-rule",   "irq-drift-plan", "port-silent",
		"port-storm", "lost-records", "peer-doubt", "no-baseline",    NULL,
	};
	guint found = 0;

	for (const struct finding_kind *k = finding_kinds; k->id; k++) {
		bool is = k->weight == FINDING_INCONCLUSIVE;

		g_test_message("%s", k->id);
		g_assert_true(is == g_strv_contains(inconclusive, k->id));
		g_assert_true(strlen(k->text) > 10 && strlen(k->mend) > 5);
		found += is;
	}
	g_assert_cmpuint(found, ==, g_strv_length((char **)inconclusive));
}

/* Whom nobody asked has nothing to answer: that is one finding and not two. */
static void test_silent_target(void)
{
	struct result_stage *s = good_stage();

	for (guint i = 0; i < s->cpus->len; i++)
		figures_init(figures_of(s, i));
	s->port = json_pack("{s:s}", "role", "target");
	finding_add(s->findings, "port-silent", NULL);
	verdict_findings(s, NULL, NULL);
	g_assert_cmpuint(s->findings->len, ==, 1);
	json_object_set_new(s->port, "role", json_string("logger"));
	verdict_findings(s, NULL, NULL);
	g_assert_cmpuint(s->findings->len, ==, 2);
	result_stage_free(s);
}

/* Exactly one in a thousand is not over 0.1 %. */
static void test_stage_early_share(void)
{
	struct result_stage *s = good_stage();

	figures_of(s, 0)->early = 1;
	check_stage(s, one_kept, NULL, VERDICT_PASS);
	s = good_stage(); /* of all CPUs it is 0.1 %, of CPU 3 it is more */
	figures_of(s, 1)->early = 2;
	check_stage(s, one_kept, "early", VERDICT_INCONCLUSIVE);
}

static void test_stage_no_sample(void)
{
	struct result_stage *s = result_stage_new();

	s->complete = true;
	check_stage(s, one_kept, "no-samples", VERDICT_INCONCLUSIVE);
	s = result_stage_new();
	s->complete = true;
	add_cpu(s, 0, 0, 0);
	check_stage(s, NULL, "no-samples", VERDICT_INCONCLUSIVE);
	s = result_stage_new(); /* no sample, but one that is overdue by more than the limit */
	s->complete = true;
	add_cpu(s, 0, 0, 0)->pending_ns = 30 * US;
	verdict_findings(s, NULL, NULL);
	g_assert_nonnull(find(s->findings, "pending"));
	g_assert_nonnull(find(s->findings, "no-samples"));
	result_stage_free(s);
	s = result_stage_new();
	s->complete = true;
	add_cpu(s, 0, 0, 0)->pending_ns = 30 * US;
	{
		struct plan *p = plan_of(1, one_kept);

		verdict_stage(s, p->limits);
		g_assert_cmpint(s->verdict, ==, VERDICT_FAIL);
		plan_done(p);
	}
	result_stage_free(s);
}

/* A stop by the user gives no pass; without limits there is nothing to doubt. */
static void test_stage_stopped(void)
{
	struct result_stage *s = good_stage();

	s->planned_ns = 10000 * MS;
	check_stage(s, NULL, NULL, VERDICT_NONE);
	s = good_stage();
	s->planned_ns = 10000 * MS;
	check_stage(s, one_kept, "incomplete", VERDICT_INCONCLUSIVE);
	s = good_stage();
	s->planned_ns = 10000 * MS;
	check_stage(s, one_broken, "incomplete", VERDICT_FAIL);
	s = good_stage(); /* scheduling noise is no early end */
	s->planned_ns = 1010 * MS;
	check_stage(s, one_kept, NULL, VERDICT_PASS);
}

/* An end by the plan's break value is what the plan asked for. */
static void test_stage_broke(void)
{
	struct plan *p = plan_of(1, one_kept);
	struct result_stage *s = good_stage();

	p->break_ns = 20 * US;
	s->planned_ns = 10000 * MS;
	verdict_findings(s, p, p->limits);
	verdict_stage(s, p->limits);
	g_assert_cmpuint(s->findings->len, ==, 0);
	g_assert_cmpint(s->verdict, ==, VERDICT_PASS);
	p->break_ns = 21 * US; /* not reached: ended early by somebody else */
	verdict_findings(s, p, p->limits);
	verdict_stage(s, p->limits);
	g_assert_nonnull(find(s->findings, "incomplete"));
	g_assert_cmpint(s->verdict, ==, VERDICT_INCONCLUSIVE);
	result_stage_free(s);
	plan_done(p);
}

/* A limit whose baseline is not known is not kept, and the reason is told by who looked for it. */
static void test_stage_unbound(void)
{
	static const char *const unbound[] = { "avg <= baseline", NULL };
	static const char *const broken[] = { "avg <= baseline", "max <= 19us", NULL };

	check_stage(good_stage(), unbound, NULL, VERDICT_INCONCLUSIVE);
	check_stage(good_stage(), broken, NULL, VERDICT_FAIL);
}

static void test_stage_too_few(void)
{
	static const char *const deep[] = { "p99.99 <= 1s", NULL };
	static const char *const deep_and_broken[] = { "p99.99 <= 1s", "max <= 1us", NULL };
	static const char *const corrected[] = { "corrected.p99.99 <= 1s", NULL };
	struct result_stage *s = good_stage();
	struct plan *p = plan_of(1, deep);

	verdict_findings(s, p, p->limits);
	g_assert_cmpstr(find(s->findings, "too-few")->text, ==,
			"2000 samples are too few for the limit p99.99 <= 1s: it needs 10000.");
	result_stage_free(s);
	plan_done(p);
	check_stage(good_stage(), deep, "too-few", VERDICT_INCONCLUSIVE);
	check_stage(good_stage(), corrected, "too-few", VERDICT_INCONCLUSIVE);
	check_stage(good_stage(), deep_and_broken, "too-few", VERDICT_FAIL);
}

/* A limit on a figure that the instrument does not have is not kept silently. */
static void test_stage_no_grid(void)
{
	static const char *const missed[] = { "missed <= 0", NULL };
	struct result_stage *s = good_stage();

	check_stage(s, missed, NULL, VERDICT_PASS);
	s = good_stage();
	figures_of(s, 0)->has_grid = figures_of(s, 1)->has_grid = 0;
	check_stage(s, missed, "too-few", VERDICT_INCONCLUSIVE);
}

static void test_stage_limits(void)
{
	static const char *const limits[] = { "max <= 15us", "avg <= 15us", "avg <= 14us",
					      "p99.9999 <= 1s", NULL };
	struct result_stage *s = good_stage();
	struct plan *p = plan_of(1, limits);
	const struct result_limit *l;

	verdict_stage(s, p->limits);
	verdict_stage(s, p->limits); /* again: not twice as many */
	g_assert_cmpuint(s->limits->len, ==, 4);
	l = &g_array_index(s->limits, struct result_limit, 0);
	g_assert_cmpint(l->outcome, ==, LIMIT_BROKEN);
	g_assert_cmpint(l->cpu, ==, 3);
	g_assert_cmpuint(l->value, ==, 20 * US);
	g_assert_cmpstr(l->limit.text, ==, "max <= 15us");
	l++;
	g_assert_cmpint(l->outcome, ==, LIMIT_KEPT); /* of all samples, not of CPU 3 */
	g_assert_cmpint(l->cpu, ==, -1);
	g_assert_cmpuint(l->value, ==, 15 * US);
	l++;
	g_assert_cmpint(l->outcome, ==, LIMIT_BROKEN);
	l++;
	g_assert_cmpint(l->outcome, ==, LIMIT_UNKNOWN);
	g_assert_cmpint(l->cpu, ==, -1);
	result_stage_free(s);
	plan_done(p);
}

/* A wake-up that never came counts as the maximum of its CPU. */
static void test_stage_pending_is_maximum(void)
{
	struct plan *p = plan_of(1, one_kept);
	struct result_stage *s = good_stage();
	const struct result_limit *l;

	figures_of(s, 0)->pending_ns = 500 * MS;
	verdict_stage(s, p->limits);
	l = &g_array_index(s->limits, struct result_limit, 0);
	g_assert_cmpint(s->verdict, ==, VERDICT_FAIL);
	g_assert_cmpint(l->cpu, ==, 0);
	g_assert_cmpuint(l->value, ==, 500 * MS);
	result_stage_free(s);
	plan_done(p);
}

static void test_stage_texts(void)
{
	struct result_stage *s = good_stage();

	figures_of(s, 0)->migrated = 2;
	figures_of(s, 1)->migrated = 3;
	figures_of(s, 1)->pending_ns = 1500 * US;
	add_cpu(s, 4, 0, 0);
	s->complete = false;
	s->planned_ns = 60000 * MS;
	verdict_findings(s, NULL, NULL);
	g_assert_cmpstr(find(s->findings, "migrated")->text, ==,
			"5 samples were taken on another CPU than theirs and not counted (CPU 0: "
			"2, CPU 3: 3).");
	g_assert_cmpstr(find(s->findings, "pending")->text, ==,
			"A wake-up on CPU 3 was overdue by 1.5ms when the measuring ended.");
	g_assert_cmpstr(find(s->findings, "no-samples")->text, ==, "No sample was taken on CPU 4.");
	g_assert_cmpstr(find(s->findings, "incomplete")->text, ==, "The stage ran for 1s of 1min.");
	result_stage_free(s);
}

/* --- sessions --- */

static struct result *session_of(enum session_state state, const enum verdict *stages, guint n)
{
	struct result *r = result_new();

	r->state = state;
	for (guint i = 0; i < n; i++) {
		struct result_stage *s = good_stage();

		s->verdict = stages[i];
		g_ptr_array_add(r->stages, s);
	}
	return r;
}

static void check_session(enum session_state state, guint planned, const char *const *limits,
			  const enum verdict *stages, guint n, const char *finding, enum verdict v)
{
	struct result *r = session_of(state, stages, n);
	struct plan *p = plan_of(planned, limits);

	if (finding)
		finding_add(r->findings, finding, NULL);
	verdict_session(r, p);
	g_assert_cmpstr(verdict_to_string(r->verdict), ==, verdict_to_string(v));
	g_assert_true(v >= VERDICT_INCONCLUSIVE ? *r->reason : !*r->reason);
	g_assert_true(n ? r->summary != NULL : r->summary == NULL);
	result_free(r);
	plan_done(p);
}

static void test_session_table(void)
{
	static const enum verdict pass[] = { VERDICT_PASS, VERDICT_PASS };
	static const enum verdict none[] = { VERDICT_NONE, VERDICT_NONE };
	static const enum verdict doubt[] = { VERDICT_PASS, VERDICT_INCONCLUSIVE };
	static const enum verdict fail[] = { VERDICT_FAIL, VERDICT_INCONCLUSIVE };
	static const enum verdict half[] = { VERDICT_PASS, VERDICT_EMPTY };

	check_session(SESSION_DONE, 2, one_kept, pass, 2, NULL, VERDICT_PASS);
	check_session(SESSION_DONE, 2, NULL, none, 2, NULL, VERDICT_NONE);
	check_session(SESSION_DONE, 2, one_kept, doubt, 2, NULL, VERDICT_INCONCLUSIVE);
	check_session(SESSION_DONE, 2, one_kept, fail, 2, NULL, VERDICT_FAIL);
	/* what was found about the session as a whole */
	check_session(SESSION_DONE, 2, one_kept, pass, 2, "virtual", VERDICT_PASS);
	check_session(SESSION_DONE, 2, one_kept, pass, 2, "suspended", VERDICT_INCONCLUSIVE);
	check_session(SESSION_DONE, 2, NULL, none, 2, "suspended", VERDICT_INCONCLUSIVE);
	check_session(SESSION_DONE, 2, one_kept, fail, 2, "suspended", VERDICT_FAIL);
	/* stages that never were measured, by whatever reason */
	check_session(SESSION_STOPPED, 2, one_kept, pass, 1, NULL, VERDICT_INCONCLUSIVE);
	check_session(SESSION_STOPPED, 2, one_kept, half, 2, NULL, VERDICT_INCONCLUSIVE);
	check_session(SESSION_STOPPED, 2, one_kept, fail, 1, NULL, VERDICT_FAIL);
	check_session(SESSION_STOPPED, 2, NULL, none, 1, NULL, VERDICT_NONE);
	/* ended before anything was measured */
	check_session(SESSION_STOPPED, 2, NULL, NULL, 0, NULL, VERDICT_NONE);
	check_session(SESSION_STOPPED, 2, one_kept, NULL, 0, NULL, VERDICT_INCONCLUSIVE);
	check_session(SESSION_FAILED, 2, NULL, NULL, 0, NULL, VERDICT_INCONCLUSIVE);
	check_session(SESSION_INTERRUPTED, 2, one_kept, pass, 2, NULL, VERDICT_INCONCLUSIVE);
	check_session(SESSION_INTERRUPTED, 2, one_kept, fail, 2, NULL, VERDICT_FAIL);
}

static void test_session_reason(void)
{
	static const enum verdict stages[] = { VERDICT_EMPTY, VERDICT_EMPTY };
	struct result *r = session_of(SESSION_DONE, stages, 2);
	struct plan *p = plan_of(2, one_broken);

	for (guint i = 0; i < 2; i++)
		verdict_stage(r->stages->pdata[i], p->limits);
	verdict_session(r, p);
	g_assert_cmpstr(r->reason, ==, "Stage hd: max <= 19us is broken: 20us on CPU 3.");
	g_free(r->reason);
	r->reason = g_strdup("");
	plan_done(p);

	p = plan_of(2, NULL);
	finding_add(((struct result_stage *)r->stages->pdata[1])->findings, "steal", NULL);
	for (guint i = 0; i < 2; i++)
		verdict_stage(r->stages->pdata[i], p->limits);
	verdict_session(r, p);
	g_assert_cmpstr(r->reason, ==,
			"Stage hd: The hypervisor took more than 1 % of the CPU time for others.");

	g_free(r->reason); /* what is there already stays */
	r->reason = g_strdup("Stopped by user 1000.");
	verdict_session(r, p);
	g_assert_cmpstr(r->reason, ==, "Stopped by user 1000.");
	result_free(r);
	plan_done(p);
}

static void test_session_summary(void)
{
	static const enum verdict stages[] = { VERDICT_PASS, VERDICT_PASS };
	struct result *r = session_of(SESSION_DONE, stages, 2);

	verdict_session(r, NULL);
	verdict_session(r, NULL);
	g_assert_cmpint(json_integer_value(json_object_get(r->summary, "count")), ==, 4000);
	g_assert_cmpint(json_integer_value(json_object_get(r->summary, "max_ns")), ==, 20 * US);
	g_assert_cmpint(json_integer_value(json_object_get(r->summary, "duration_ns")), ==,
			2000 * MS);
	g_assert_null(json_object_get(r->summary, "histogram"));
	result_free(r);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/verdict/stage/table", test_stage_table);
	g_test_add_func("/verdict/stage/warnings", test_stage_warnings);
	g_test_add_func("/verdict/weights", test_weights);
	g_test_add_func("/verdict/silent-target", test_silent_target);
	g_test_add_func("/verdict/stage/early-share", test_stage_early_share);
	g_test_add_func("/verdict/stage/no-sample", test_stage_no_sample);
	g_test_add_func("/verdict/stage/stopped", test_stage_stopped);
	g_test_add_func("/verdict/stage/broke", test_stage_broke);
	g_test_add_func("/verdict/stage/too-few", test_stage_too_few);
	g_test_add_func("/verdict/stage/unbound", test_stage_unbound);
	g_test_add_func("/verdict/stage/no-grid", test_stage_no_grid);
	g_test_add_func("/verdict/stage/limits", test_stage_limits);
	g_test_add_func("/verdict/stage/pending-is-maximum", test_stage_pending_is_maximum);
	g_test_add_func("/verdict/stage/texts", test_stage_texts);
	g_test_add_func("/verdict/session/table", test_session_table);
	g_test_add_func("/verdict/session/reason", test_session_reason);
	g_test_add_func("/verdict/session/summary", test_session_summary);
	return g_test_run();
}
