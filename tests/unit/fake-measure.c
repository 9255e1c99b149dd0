/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Stands in for lrtbf-measure where a test wants one that behaves badly, or the same every time.
 *Takes the same order and region; records a sample of 1000 ns each interval. LRTBF_FAKE says how:
 *
 *	fail		gives up with NotPermitted
 *	deaf		ignores SIGTERM
 *	mute		never begins
 *	exit		exits with 3 after 300 ms
 *	orphan		lives on when its parent dies
 *	torn		kills itself in the middle of a write after 300 ms
 */
#include "order.h"
#include "region.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

static volatile sig_atomic_t stop;

static void on_signal(int signo)
{
	stop = 1;
}

static uint64_t now(clockid_t id)
{
	struct timespec t;

	clock_gettime(id, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static void begin(struct region_header *h, const struct order *o)
{
	h->child_pid = getpid();
	h->start_mono_ns = now(CLOCK_MONOTONIC);
	h->start_real_ns = now(CLOCK_REALTIME);
	h->dma_latency_us = -1;
	for (unsigned i = 0; i < h->n_cpus; i++) {
		struct region_cpu *c = region_cpu(h, i);

		region_begin(c);
		c->policy = (int)o->policy;
		c->priority = (int)o->priority;
		c->interval_ns = o->interval_ns;
		c->grid_ns = c->next_ns = h->start_mono_ns + o->interval_ns;
		c->figures.has_grid = 1;
		c->started = 1;
		region_end(c);
	}
	region_set_phase(h, REGION_RUNNING);
}

static void one_round(struct region_header *h)
{
	uint64_t next = region_cpu(h, 0)->next_ns;
	struct timespec t = { (time_t)(next / 1000000000), (long)(next % 1000000000) };

	while (!stop && clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL) == EINTR)
		;
	for (unsigned i = 0; !stop && i < h->n_cpus; i++) {
		struct region_cpu *c = region_cpu(h, i);

		region_record(c, 1000, c->next_ns + 1000 - h->start_mono_ns, 0);
	}
}

static void misbehave(struct region_header *h, const char *how)
{
	if (strcmp(how, "exit") == 0)
		exit(3);
	if (strcmp(how, "torn") == 0) {
		region_begin(region_cpu(h, 0));
		kill(getpid(), SIGKILL);
	}
}

static int fail(struct region_header *h)
{
	strcpy(h->reason_id, "NotPermitted");
	strcpy(h->text, "The fake has no rights.");
	region_set_phase(h, REGION_FAILED);
	return 1;
}

int main(int argc, char **argv)
{
	const char *how = getenv("LRTBF_FAKE") ?: "";
	struct region_header *h;
	struct order o;
	g_autofree char *message = NULL;

	if (strcmp(how, "orphan") != 0)
		prctl(PR_SET_PDEATHSIG, SIGKILL);
	signal(SIGTERM, strcmp(how, "deaf") == 0 ? SIG_IGN : on_signal);
	if (order_read(3, &o, &message) < 0 || region_map(4, true, &h) < 0) {
		fprintf(stderr, "fake-measure: %s\n", message ?: "no region");
		return 2;
	}
	flock(4, LOCK_EX | LOCK_NB);
	if (strcmp(how, "fail") == 0)
		return fail(h);
	while (strcmp(how, "mute") == 0 && !stop)
		pause();
	begin(h, &o);
	while (!stop && now(CLOCK_MONOTONIC) < h->start_mono_ns + o.duration_ns) {
		one_round(h);
		if (now(CLOCK_MONOTONIC) > h->start_mono_ns + 300000000)
			misbehave(h, how);
	}
	for (unsigned i = 0; i < h->n_cpus; i++)
		region_cpu(h, i)->done = 1;
	h->end_mono_ns = now(CLOCK_MONOTONIC);
	region_set_phase(h, REGION_ENDED);
	return 0;
}
