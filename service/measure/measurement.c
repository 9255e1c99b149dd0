/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Why the control thread only waits for signals: it outranks the measuring threads, and every
 * wake-up of it would be a disturbance made by the measurement itself. Threads tell it of their
 * changes with SIGUSR1, others tell it to end with SIGTERM, and sigtimedwait() takes both and the
 * time-out in one call.
 *
 * Why a thread that does not come back is left alone: only it may write its block. The region says
 * when measuring ended, readers account for the wake-up that never came (region_close_cpu()), and
 * the end of the process ends the thread.
 */
#include "measurement.h"

#include "cpulist.h"
#include "crew.h"
#include "footing.h"
#include "instrument.h"
#include "now.h"
#include "policy.h"
#include "reason.h"
#include "rights.h"

#include <errno.h>
#include <glib.h>
#include <signal.h>
#include <unistd.h>

#define PREPARE_NS 10000000000ULL /* for all threads to be ready */
#define LATE_NS	   50000000ULL	  /* a thread may be behind its end before it is woken */
#define GRACE_NS   250000000ULL	  /* for threads to come back after that */
#define NUDGE_NS   10000000ULL	  /* between two signals to a thread */

struct measurement {
	/* configuration */
	const struct order *order;
	const struct instrument *instrument;
	struct region_header *header;
	cpu_set_t reachable;
	/* changes */
	struct crew crew;
	int dma_fd;
	bool stopped; /* a signal said so */
};

int measurement_fail(struct region_header *h, int error, const char *text)
{
	g_strlcpy(h->reason_id, reason_from_errno(error), sizeof(h->reason_id));
	g_strlcpy(h->text, text, sizeof(h->text));
	region_set_phase(h, REGION_FAILED);
	return error;
}

static int measurement_fail_take(struct measurement *m, int error, char *text)
{
	int r = measurement_fail(m->header, error, text);

	g_free(text);
	return r;
}

static void measurement_warn(struct measurement *m, const char *id)
{
	char *warnings = m->header->warnings;

	if (*warnings)
		g_strlcat(warnings, " ", sizeof(m->header->warnings));
	g_strlcat(warnings, id, sizeof(m->header->warnings));
}

/* --- signals --- */

static sigset_t measurement_signals(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGHUP);
	sigaddset(&set, SIGUSR1); /* from workers */
	return set;
}

/* Everything blocked in this thread and those it makes; SIGXCPU is for workers alone. */
static void measurement_block_signals(void)
{
	sigset_t set = measurement_signals();

	sigaddset(&set, SIGUSR2);
	sigaddset(&set, SIGXCPU);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
}

/* Until news of a worker, a signal to stop, or @until_ns. */
static void measurement_wait(struct measurement *m, uint64_t until_ns)
{
	sigset_t set = measurement_signals();
	uint64_t now = now_ns();
	struct timespec t = now_timespec(until_ns > now ? until_ns - now : 0);
	int sig = sigtimedwait(&set, NULL, &t);

	if (sig == SIGTERM || sig == SIGINT || sig == SIGHUP)
		m->stopped = true;
}

/* --- preparation --- */

static int measurement_lock_memory(struct measurement *m)
{
	int r = footing_lock_memory();

	if (r == 0)
		return 0;
	if (m->order->lock_memory && !policy_is_ordinary((int)m->order->policy))
		return measurement_fail_take(m, r == -ENOMEM ? -EPERM : r, rights_memory_text(r));
	measurement_warn(m, "memory-unlocked");
	return 0;
}

static void measurement_hold_dma_latency(struct measurement *m)
{
	if (m->order->dma_latency_us < 0)
		return;
	if (footing_hold_dma_latency(m->order->dma_latency_us, &m->dma_fd) < 0)
		measurement_warn(m, "dma-latency");
	else
		m->header->dma_latency_us = m->order->dma_latency_us;
}

static int measurement_check_cpus(struct measurement *m)
{
	cpu_set_t online = m->reachable;
	char *message = NULL;
	int r;

	r = footing_reachable(&m->reachable);
	if (r < 0)
		return measurement_fail_take(
			m, r, g_strdup_printf("CPUs cannot be set: %s.", g_strerror(-r)));
	if (cpulist_online("/", &online) < 0)
		online = m->reachable; /* no /sys */
	r = cpulist_check(&m->order->cpus, &m->reachable, &online, &message);
	return r < 0 ? measurement_fail_take(m, r, message) : 0;
}

/* On the CPU asked for, else on one that is not measured, else anywhere. */
static void measurement_place_control(struct measurement *m)
{
	cpu_set_t cpus;

	CPU_ZERO(&cpus);
	if (m->order->control_cpu >= 0)
		CPU_SET(m->order->control_cpu, &cpus);
	if (m->order->control_cpu >= 0 && sched_setaffinity(0, sizeof(cpus), &cpus) == 0)
		return;
	CPU_XOR(&cpus, &m->reachable,
		&m->order->cpus); /* the measured ones are among the reachable */
	if (CPU_COUNT(&cpus) > 0)
		(void)sched_setaffinity(0, sizeof(cpus), &cpus); /* anywhere then */
}

static int measurement_outrank(struct measurement *m)
{
	struct policy_attr a = {
		.size = sizeof(a),
		.policy = SCHED_FIFO,
		.priority = m->order->policy == SCHED_DEADLINE ? 99 : m->order->priority + 1,
	};
	int r;

	if (policy_is_ordinary((int)m->order->policy))
		return 0;
	r = policy_set(0, &a);
	if (r < 0)
		return measurement_fail_take(m, r, rights_control_text(r, a.priority));
	return 0;
}

static int measurement_start_crew(struct measurement *m)
{
	bool realtime = !policy_is_ordinary((int)m->order->policy);
	bool spare = footing_spare(&m->reachable, &m->order->cpus);
	char *message = NULL;
	int r;

	r = crew_start(&m->crew, m->order, m->instrument, m->header, spare, &message);
	if (r < 0)
		return measurement_fail_take(m, r, message);
	if (realtime && !spare && m->instrument->spins)
		measurement_warn(m, "spinning");
	return 0;
}

static int measurement_await_ready(struct measurement *m)
{
	uint64_t until_ns = now_ns() + PREPARE_NS;
	struct worker *w;

	while (!m->stopped) {
		w = crew_find(&m->crew, WORKER_FAILED);
		if (w)
			return measurement_fail(m->header, w->error, w->text);
		w = crew_find(&m->crew, WORKER_PREPARING);
		if (!w)
			return 0;
		if (now_ns() >= until_ns)
			return measurement_fail_take(
				m, -EBUSY,
				g_strdup_printf(
					"The thread of CPU %d does not get to run: something "
					"of a higher priority holds the CPU.",
					w->cpu));
		measurement_wait(m, until_ns);
	}
	return measurement_fail(m->header, -ECANCELED, "Stopped before measuring began.");
}

static int measurement_prepare(struct measurement *m)
{
	int r;

	m->header->child_pid = getpid();
	region_set_phase(m->header, REGION_PREPARING);
	m->instrument = instrument_find(m->order->instrument);
	if (!m->instrument)
		return measurement_fail_take(
			m, -EINVAL,
			g_strdup_printf("There is no instrument %s.", m->order->instrument));
	if (!instrument_has_role(m->instrument, m->order->role))
		return measurement_fail_take(
			m, -EINVAL,
			g_strdup_printf("Instrument %s has no role %s.", m->order->instrument,
					role_to_string(m->order->role) ?: "none"));
	if (m->instrument->interval && m->order->role != ROLE_TARGET && m->order->interval_ns == 0)
		return measurement_fail_take(
			m, -EINVAL,
			g_strdup_printf("Instrument %s needs an interval.", m->order->instrument));
	r = measurement_check_cpus(m);
	if (r == 0)
		r = measurement_lock_memory(m);
	if (r < 0)
		return r;
	measurement_hold_dma_latency(m);
	measurement_block_signals();
	r = measurement_start_crew(m);
	if (r == 0)
		r = measurement_await_ready(m);
	if (r < 0)
		return r;
	measurement_place_control(m);
	return measurement_outrank(m);
}

/* --- measuring --- */

static void measurement_begin(struct measurement *m)
{
	struct timespec real;

	clock_gettime(CLOCK_REALTIME, &real);
	m->crew.start_ns = now_ns();
	m->header->start_mono_ns = m->crew.start_ns;
	m->header->start_real_ns = (uint64_t)real.tv_sec * NSEC_PER_SEC + (uint64_t)real.tv_nsec;
	region_set_phase(m->header, REGION_RUNNING);
	crew_release(&m->crew);
}

/* A worker that does not get to its warm-up's end is waited for: its CPU is what is measured. */
static void measurement_await_end(struct measurement *m)
{
	while (!m->stopped && !crew_broke(&m->crew) && !crew_find_broken(&m->crew) &&
	       !crew_all_done(&m->crew)) {
		uint64_t end_ns = crew_end_ns(&m->crew), now = now_ns();

		m->header->begin_mono_ns = crew_begin_ns(&m->crew); /* for who reads along */
		if (end_ns != WORKER_END_OPEN && now >= end_ns + LATE_NS)
			return;
		measurement_wait(m, end_ns == WORKER_END_OPEN ? now + 3600 * NSEC_PER_SEC
							      : end_ns + LATE_NS);
	}
}

/* 0: all came back; > 0: how many did not. */
static int measurement_end_crew(struct measurement *m)
{
	uint64_t until_ns = now_ns() + GRACE_NS;

	while (!crew_all_done(&m->crew) && now_ns() < until_ns) {
		crew_stop(&m->crew);
		measurement_wait(m, MIN(now_ns() + NUDGE_NS, until_ns));
	}
	return crew_join(&m->crew);
}

static void on_measurement_finding(const char *id, void *userdata)
{
	measurement_warn(userdata, id);
}

static int measurement_finish(struct measurement *m)
{
	struct region_header *h = m->header;
	int stuck = measurement_end_crew(m);
	struct worker *broken = crew_find_broken(&m->crew);
	uint32_t rests;

	crew_sum_up(&m->crew, h, &rests);
	if (rests > 0 && !m->instrument->spins)
		measurement_warn(m, "spinning");
	if (h->faults_minor + h->faults_major > 0)
		measurement_warn(m, "page-faults");
	if (h->warmup_break_ns > 0)
		measurement_warn(m, "break-in-warmup");
	crew_findings(&m->crew, on_measurement_finding, m);
	h->end_mono_ns = now_ns();
	if (broken)
		(void)measurement_fail(h, broken->error, broken->text); /* told by the phase */
	else
		region_set_phase(h, REGION_ENDED);
	return stuck;
}

/* After a failed preparation: threads that wait for the start give up instead. */
static int measurement_give_up(struct measurement *m)
{
	crew_stop(&m->crew);
	crew_release(&m->crew);
	return measurement_end_crew(m);
}

/* The measurement's memory stays when a thread may still look at it. */
static void measurement_free(struct measurement *m)
{
	if (m->dma_fd >= 0)
		(void)close(m->dma_fd); /* gives the latency back */
	crew_done(&m->crew);
	g_free(m);
}

int measurement_run(const struct order *o, struct region_header *h)
{
	struct measurement *m = g_new0(struct measurement, 1);
	int r, stuck;

	m->order = o;
	m->header = h;
	m->dma_fd = -1;
	crew_init(&m->crew);
	r = measurement_prepare(m);
	if (r < 0) {
		stuck = measurement_give_up(m);
	} else {
		measurement_begin(m);
		measurement_await_end(m);
		r = stuck = measurement_finish(m);
	}
	if (stuck == 0)
		measurement_free(m);
	return r;
}
