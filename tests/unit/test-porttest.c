/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a test of a port finds, for everything that can be at a port: the module is made up. */
#include "porttest.h"

#include "portjob.h"

#include <errno.h>
#include <string.h>

struct bench {
	int irq;
	bool lines;	  /* a target answers on the lines */
	bool wire;	  /* and its answers interrupt */
	bool jumper;	  /* STROBE to ACK */
	unsigned skip;	  /* every so manieth pulse is lost */
	uint64_t foreign; /* interrupts of somebody else */
	bool storm;
	int error[4]; /* of the n-th run */
	unsigned runs;
	char log[128];
};

static bool bench_answers(const struct bench *b, const struct lrtbf_setup *s)
{
	if (s->role == LRTBF_ROLE_LOOPBACK)
		return b->jumper;
	return s->receive == LRTBF_RECEIVE_POLL ? b->lines : b->lines && b->wire;
}

static int bench_run(const struct lrtbf_setup *s, struct porttest_run *ret, void *userdata)
{
	struct bench *b = userdata;
	struct lrtbf_counters *c = &ret->counters;
	uint64_t pulses = MIN(s->count, 16); /* then it gives up */

	g_strlcat(b->log,
		  s->role == LRTBF_ROLE_LOOPBACK     ? "loopback;"
		  : s->receive == LRTBF_RECEIVE_POLL ? "poll;"
						     : "irq;",
		  sizeof(b->log));
	g_assert_cmpuint(s->size, ==, sizeof(*s));
	g_assert_cmpuint(s->timeout_ns, <=, s->period_ns / 2);
	if (b->error[b->runs])
		return b->error[b->runs++];
	b->runs++;
	ret->caps.irq = b->irq;
	ret->caps.access_ns = 1200;
	c->interrupts = s->receive == LRTBF_RECEIVE_POLL ? 0 : b->foreign;
	if (bench_answers(b, s)) {
		pulses = s->count;
		c->lost = b->skip ? pulses / b->skip : 0;
		c->samples = pulses - c->lost;
		c->interrupts += s->receive == LRTBF_RECEIVE_POLL ? 0 : c->samples;
	} else {
		c->lost = pulses;
		c->stop = b->storm ? LRTBF_STOP_STORM : LRTBF_STOP_LOSSES;
	}
	c->pulses = pulses;
	return 0;
}

static const struct porttest_plan plan = { "parport0", 100, PORTTEST_INTERVAL_NS };

static void assert_found(struct bench b, enum porttest_verdict v, const char *runs,
			 const char *words)
{
	struct porttest_result result;
	char *message = NULL;

	g_assert_cmpint(porttest(&plan, bench_run, &b, &result, &message), ==, 0);
	g_assert_null(message);
	g_assert_cmpstr(porttest_verdict_to_string(result.verdict), ==,
			porttest_verdict_to_string(v));
	g_assert_cmpstr(b.log, ==, runs);
	if (!strstr(result.text, words))
		g_error("\"%s\" is not in \"%s\"", words, result.text);
	porttest_done(&result);
}

static void test_jumper(void)
{
	assert_found((struct bench){ .irq = 7, .jumper = true }, PORTTEST_JUMPER, "poll;loopback;",
		     "all of 100 pulses");
	assert_found((struct bench){ .irq = 7, .jumper = true, .skip = 10 }, PORTTEST_JUMPER,
		     "poll;loopback;", "90 of 100 pulses");
}

static void test_cable(void)
{
	assert_found((struct bench){ .irq = 7, .lines = true, .wire = true }, PORTTEST_CABLE,
		     "poll;irq;", "receive poll or irq");
	assert_found((struct bench){ .irq = -1, .lines = true }, PORTTEST_CABLE, "poll;",
		     "the port has no interrupt");
	/* both: the cable is found first, and nothing is strobed */
	assert_found((struct bench){ .irq = 7, .lines = true, .wire = true, .jumper = true },
		     PORTTEST_CABLE, "poll;irq;", "Somebody answers");
}

static void test_no_interrupts(void)
{
	struct bench b = { .irq = 5, .lines = true };
	struct porttest_result result;

	assert_found(b, PORTTEST_NO_INTERRUPTS, "poll;irq;", "line 5 may be the wrong one");
	g_assert_cmpint(porttest(&plan, bench_run, &b, &result, NULL), ==, 0);
	/* the figures are of what was answered */
	g_assert_cmpuint(result.setup.receive, ==, LRTBF_RECEIVE_POLL);
	g_assert_cmpuint(result.run.counters.samples, ==, 100);
	porttest_done(&result);
}

static void test_nothing(void)
{
	assert_found((struct bench){ .irq = 7 }, PORTTEST_SILENT, "poll;loopback;",
		     "Nothing answers");
	assert_found((struct bench){ .irq = 7, .foreign = 12 }, PORTTEST_INTERRUPTS_ONLY,
		     "poll;loopback;", "12 interrupts came");
	assert_found((struct bench){ .irq = 7, .foreign = 5000, .storm = true },
		     PORTTEST_INTERRUPTS_ONLY, "poll;loopback;", "the line was masked");
	assert_found((struct bench){ .irq = -1 }, PORTTEST_NO_IRQ, "poll;", "has no interrupt");
}

static void test_refused(void)
{
	assert_found((struct bench){ .error = { -EBUSY } }, PORTTEST_BUSY, "poll;", "held");
	assert_found((struct bench){ .error = { -ENOENT } }, PORTTEST_NO_MODULE, "poll;",
		     "modprobe lrtbf");
	assert_found((struct bench){ .irq = 7, .error = { 0, -EBUSY } }, PORTTEST_BUSY,
		     "poll;loopback;", "held");
	assert_found((struct bench){ .irq = 7, .error = { 0, -ENXIO } }, PORTTEST_NO_IRQ,
		     "poll;loopback;", "no interrupt");
}

static void assert_error(struct bench b, int r, const char *words)
{
	struct porttest_result result;
	g_autofree char *message = NULL;

	g_assert_cmpint(porttest(&plan, bench_run, &b, &result, &message), ==, r);
	if (!message || !strstr(message, words))
		g_error("\"%s\" is not in \"%s\"", words, message);
}

static void test_errors(void)
{
	assert_error((struct bench){ .irq = 7, .error = { 0, -ENODEV } }, -ENODEV, "taken away");
	assert_error((struct bench){ .error = { -EOPNOTSUPP } }, -ENODEV, "USB");
	assert_error((struct bench){ .error = { -EACCES } }, -EPERM, "may not open");
	assert_error((struct bench){ .error = { -ECANCELED } }, -EBUSY, "broken off");
	assert_error((struct bench){ .error = { -ENOMEM } }, -EIO, "Cannot allocate");
	assert_error((struct bench){ .irq = 7, .lines = true, .error = { 0, -ENODEV } }, -ENODEV,
		     "taken away");
}

static void test_ranges(void)
{
	static const struct {
		uint32_t pulses;
		uint64_t interval_ns;
		int r;
	} cases[] = {
		{ 1, PORTTEST_INTERVAL_MIN_NS, 0 },
		{ 10000, PORTTEST_INTERVAL_NS, 0 },
		{ 0, PORTTEST_INTERVAL_NS, -EINVAL },
		{ 10001, PORTTEST_INTERVAL_MIN_NS, -EINVAL },
		{ 1, PORTTEST_INTERVAL_MIN_NS - 1, -EINVAL },
		{ 20, PORTTEST_INTERVAL_MAX_NS, 0 },
		{ 21, PORTTEST_INTERVAL_MAX_NS, -EINVAL },
		{ 1, UINT64_MAX, -EINVAL },
	};

	for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
		const struct porttest_plan p = { "parport0", cases[i].pulses,
						 cases[i].interval_ns };
		g_autofree char *message = NULL;

		g_assert_cmpint(porttest_check(&p, &message), ==, cases[i].r);
		g_assert_true(!message == !cases[i].r);
	}
}

/* --- in its thread --- */

struct wait {
	sd_event *event;
	struct portjob *job;
	int r;
	enum porttest_verdict verdict;
};

static void on_done(int r, const struct porttest_result *result, const char *message,
		    void *userdata)
{
	struct wait *w = userdata;

	w->r = r;
	w->verdict = result ? result->verdict : _PORTTEST_MAX;
	w->job = portjob_free(w->job); /* from within */
	sd_event_exit(w->event, 0);
}

static void assert_job(const char *node, int r, enum porttest_verdict v)
{
	struct wait w = { .r = 1 };

	g_assert_cmpint(sd_event_new(&w.event), >=, 0);
	g_assert_cmpint(portjob_new(w.event, &plan, node, on_done, &w, &w.job), ==, 0);
	g_assert_cmpint(sd_event_loop(w.event), ==, 0);
	g_assert_cmpint(w.r, ==, r);
	g_assert_cmpint(w.verdict, ==, v);
	sd_event_unref(w.event);
}

static void test_job(void)
{
	assert_job("/nowhere/lrtbf-parport0", 0, PORTTEST_NO_MODULE);
	assert_job("/dev/null", -EIO, _PORTTEST_MAX); /* knows no such request */
}

/* Freed at once: never told of. */
static void test_job_dropped(void)
{
	struct wait w = { .r = 1 };

	g_assert_cmpint(sd_event_new(&w.event), >=, 0);
	for (int i = 0; i < 50; i++) {
		g_assert_cmpint(portjob_new(w.event, &plan, "/nowhere", on_done, &w, &w.job), ==,
				0);
		w.job = portjob_free(w.job);
	}
	g_assert_cmpint(sd_event_run(w.event, 0), ==, 0);
	g_assert_cmpint(w.r, ==, 1);
	sd_event_unref(w.event);
}

int main(int argc, char *argv[])
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/porttest/jumper", test_jumper);
	g_test_add_func("/porttest/cable", test_cable);
	g_test_add_func("/porttest/no-interrupts", test_no_interrupts);
	g_test_add_func("/porttest/nothing", test_nothing);
	g_test_add_func("/porttest/refused", test_refused);
	g_test_add_func("/porttest/errors", test_errors);
	g_test_add_func("/porttest/ranges", test_ranges);
	g_test_add_func("/porttest/job", test_job);
	g_test_add_func("/porttest/job-dropped", test_job_dropped);
	return g_test_run();
}
