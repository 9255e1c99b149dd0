/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * First what does least: pulses on the data lines, which a logger that polls sends, mean nothing to
 * a printer; the loopback's STROBE would make it print. Then the same by interrupt, to tell a cable
 * whose answers are only seen from one whose answers interrupt. The loopback comes last, when
 * nobody answered.
 *
 * A run that nobody answers ends by itself after 16 losses.
 */
#include "porttest.h"

#include "message.h"

#include <errno.h>
#include <inttypes.h>

/* Interrupts are off for so long while a lost answer is polled for. */
#define POLL_TIMEOUT_NS UINT64_C(1000000)

static const char *const porttest_verdicts[_PORTTEST_MAX] = {
	[PORTTEST_JUMPER] = "jumper",
	[PORTTEST_CABLE] = "cable",
	[PORTTEST_INTERRUPTS_ONLY] = "interrupts-only",
	[PORTTEST_NO_INTERRUPTS] = "no-interrupts",
	[PORTTEST_SILENT] = "silent",
	[PORTTEST_NO_MODULE] = "no-module",
	[PORTTEST_BUSY] = "busy",
	[PORTTEST_NO_IRQ] = "no-irq",
};

struct porttest {
	const struct porttest_plan *plan;
	porttest_run_t run;
	void *userdata;
	struct porttest_result *ret;
	char **ret_message;
	bool irq; /* the port has one */
};

const char *porttest_verdict_to_string(enum porttest_verdict v)
{
	return porttest_verdicts[v];
}

int porttest_check(const struct porttest_plan *plan, char **ret_message)
{
	if (plan->pulses < 1 || plan->pulses > PORTTEST_PULSES_MAX)
		return message_fail(ret_message, -EINVAL, "A test has 1 to %d pulses.",
				    PORTTEST_PULSES_MAX);
	if (plan->interval_ns < PORTTEST_INTERVAL_MIN_NS ||
	    plan->interval_ns > PORTTEST_INTERVAL_MAX_NS)
		return message_fail(ret_message, -EINVAL,
				    "The pulses of a test are 100us to 1s apart.");
	if (plan->pulses * plan->interval_ns > PORTTEST_MAX_NS)
		return message_fail(ret_message, -EINVAL,
				    "A test takes at most 20 s: fewer pulses, or a shorter "
				    "interval.");
	return 0;
}

static void porttest_say(struct porttest *t, enum porttest_verdict v, char *text)
{
	t->ret->verdict = v;
	g_free(t->ret->text);
	t->ret->text = text;
}

/* --- runs --- */

/* 1: a verdict, or a sentence for -errno. */
static int porttest_refused(struct porttest *t, int r)
{
	const char *port = t->plan->port;

	switch (r) {
	case -EBUSY:
		porttest_busy(port, NULL, t->ret);
		return 1;
	case -ENOENT:
		porttest_no_module(port, NULL, t->ret);
		return 1;
	case -ENXIO:
		porttest_say(t, PORTTEST_NO_IRQ, g_strdup_printf("%s has no interrupt.", port));
		return 1;
	case -ENODEV:
		return message_fail(t->ret_message, r, "%s was taken away during the test.", port);
	case -EOPNOTSUPP:
		return message_fail(t->ret_message, -ENODEV,
				    "%s is behind USB: its lines cannot be reached in time, and "
				    "nothing can be measured with it.",
				    port);
	case -EACCES:
	case -EPERM:
		return message_fail(t->ret_message, -EPERM,
				    "lrtbfd may not open the device of %s: run it as root, or give "
				    "its user the group of /dev/lrtbf-%s.",
				    port, port);
	case -ECANCELED:
		return message_fail(t->ret_message, -EBUSY, "The test of %s was broken off.", port);
	default:
		return message_fail(t->ret_message, -EIO, "The test of %s failed: %s.", port,
				    g_strerror(-r));
	}
}

/* 0, 1 (that was it), -errno. What it found is the result's, if it is to be. */
static int porttest_make(struct porttest *t, uint32_t role, uint32_t receive)
{
	const uint64_t half_ns = t->plan->interval_ns / 2;
	int r;

	t->ret->setup = (struct lrtbf_setup){
		.size = sizeof(t->ret->setup),
		.role = role,
		.receive = receive,
		.period_ns = t->plan->interval_ns,
		.timeout_ns =
			receive == LRTBF_RECEIVE_POLL ? MIN(half_ns, POLL_TIMEOUT_NS) : half_ns,
		.count = t->plan->pulses,
		.cpu = -1,
	};
	t->ret->run = (struct porttest_run){ 0 };
	r = t->run(&t->ret->setup, &t->ret->run, t->userdata);
	if (r < 0) {
		t->ret->setup.role = 0;
		return porttest_refused(t, r);
	}
	t->irq = t->ret->run.caps.irq >= 0;
	return 0;
}

/* Most pulses were answered: now and then one is by chance. */
static bool porttest_answered(const struct porttest *t)
{
	const struct lrtbf_counters *c = &t->ret->run.counters;

	return c->samples > 0 && c->samples * 2 >= c->pulses;
}

/* --- what it means --- */

static char *porttest_came_back(const struct porttest *t)
{
	const struct lrtbf_counters *c = &t->ret->run.counters;

	if (c->samples == c->pulses)
		return g_strdup_printf("all of %" PRIu64 " pulses", (uint64_t)c->pulses);
	return g_strdup_printf("%" PRIu64 " of %" PRIu64 " pulses (a contact may be loose)",
			       (uint64_t)c->samples, (uint64_t)c->pulses);
}

static void porttest_say_jumper(struct porttest *t)
{
	g_autofree char *answered = porttest_came_back(t);

	porttest_say(t, PORTTEST_JUMPER,
		     g_strdup_printf("A jumper leads STROBE (pin 1) to ACK (pin 10), or the port "
				     "is a virtual machine's: %s came back as interrupts. Measure "
				     "with the role loopback.",
				     answered));
}

static void porttest_say_cable(struct porttest *t)
{
	g_autofree char *answered = porttest_came_back(t);

	porttest_say(t, PORTTEST_CABLE,
		     g_strdup_printf("Somebody answers at the other end of a crossed cable: %s. "
				     "Measure with the role logger, %s.",
				     answered,
				     t->irq ? "receive poll or irq"
					    : "receive poll; the port has no interrupt"));
}

static void porttest_say_no_interrupts(struct porttest *t)
{
	porttest_say(t, PORTTEST_NO_INTERRUPTS,
		     g_strdup_printf(
			     "Somebody answers at the other end of a crossed cable, but the "
			     "answers raise no interrupt here: line %d may be the wrong one (see "
			     "the BIOS and the driver's option irq), or the cable has no wire to "
			     "ACK (pin 10). Measure with the role logger, receive poll.",
			     t->ret->run.caps.irq));
}

static void porttest_say_interrupts(struct porttest *t)
{
	const struct lrtbf_counters *c = &t->ret->run.counters;

	porttest_say(
		t, PORTTEST_INTERRUPTS_ONLY,
		g_strdup_printf(
			"%" PRIu64 " interrupts came, but not as answers to our pulses%s. "
			"When a logger runs at the other end this is how it looks: measure "
			"with the role target. Else another device raises line %d.",
			(uint64_t)c->interrupts,
			c->stop == LRTBF_STOP_STORM ? ", and so many that the line was masked" : "",
			t->ret->run.caps.irq));
}

static void porttest_say_silent(struct porttest *t)
{
	porttest_say(t, PORTTEST_SILENT,
		     g_strdup_printf(
			     "Nothing answers: no jumper leads STROBE (pin 1) to ACK (pin 10), and "
			     "nobody answers at the other end of a crossed cable. With a jumper in "
			     "place, interrupt line %d may be the wrong one: see the BIOS and the "
			     "driver's option irq.",
			     t->ret->run.caps.irq));
}

static void porttest_say_no_irq(struct porttest *t)
{
	porttest_say(
		t, PORTTEST_NO_IRQ,
		g_strdup_printf("%s has no interrupt, and nobody answers at the other end of a "
				"crossed cable. Without an interrupt it can only be a logger that "
				"polls: see the BIOS and the driver's option irq.",
				t->plan->port));
}

void porttest_no_module(const char *port, const char *why, struct porttest_result *ret)
{
	porttest_done(ret);
	ret->verdict = PORTTEST_NO_MODULE;
	ret->text = g_strdup_printf("The kernel module lrtbf is not there for %s%s%s: load it with "
				    "\"modprobe lrtbf\".",
				    port, why ? ", " : "", why ?: "");
}

void porttest_busy(const char *port, const char *holder, struct porttest_result *ret)
{
	porttest_done(ret);
	ret->verdict = PORTTEST_BUSY;
	if (holder)
		ret->text = g_strdup_printf("%s is held by the driver %s: end what uses it, or "
					    "unload that driver.",
					    port, holder);
	else
		ret->text = g_strdup_printf("%s is held by another driver or program.", port);
}

/* --- the order of it --- */

/* Somebody answers on the lines: by interrupt as well? */
static int porttest_cable(struct porttest *t)
{
	struct porttest_result polled = *t->ret;
	int r;

	if (!t->irq) {
		porttest_say_cable(t);
		return 1;
	}
	r = porttest_make(t, LRTBF_ROLE_LOGGER, LRTBF_RECEIVE_IRQ);
	if (r)
		return r;
	if (porttest_answered(t)) {
		porttest_say_cable(t);
		return 1;
	}
	/* what was answered is what is to be seen */
	t->ret->run = polled.run;
	t->ret->setup = polled.setup;
	porttest_say_no_interrupts(t);
	return 1;
}

static int porttest_jumper(struct porttest *t)
{
	int r;

	if (!t->irq) {
		porttest_say_no_irq(t);
		return 1;
	}
	r = porttest_make(t, LRTBF_ROLE_LOOPBACK, 0);
	if (r)
		return r;
	if (porttest_answered(t))
		porttest_say_jumper(t);
	else if (t->ret->run.counters.interrupts > 0)
		porttest_say_interrupts(t);
	else
		porttest_say_silent(t);
	return 1;
}

int porttest(const struct porttest_plan *plan, porttest_run_t run, void *userdata,
	     struct porttest_result *ret, char **ret_message)
{
	struct porttest_result result = { 0 };
	struct porttest t = {
		.plan = plan,
		.run = run,
		.userdata = userdata,
		.ret = &result,
		.ret_message = ret_message,
	};
	int r;

	r = porttest_check(plan, ret_message);
	if (r == 0)
		r = porttest_make(&t, LRTBF_ROLE_LOGGER, LRTBF_RECEIVE_POLL);
	if (r == 0)
		r = porttest_answered(&t) ? porttest_cable(&t) : porttest_jumper(&t);
	if (r < 0) {
		porttest_done(&result);
		return r;
	}
	*ret = result;
	return 0;
}

void porttest_done(struct porttest_result *r)
{
	g_free(r->text);
	*r = (struct porttest_result){ 0 };
}
