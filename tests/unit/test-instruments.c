/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The instruments' loops without the program around them, and that plans know the same ones.
 */
#include "footing.h"
#include "instrument.h"
#include "plan-keys.h"
#include "rest.h"
#include "worker.h"

#include <signal.h>
#include <string.h>

#define MS 1000000ULL

static size_t plan_count(void)
{
	size_t n = 0;

	while (plan_instruments[n].name)
		n++;
	return n;
}

static void test_same_in_plans(void)
{
	size_t n;

	for (n = 0; instruments[n]; n++) {
		const struct plan_instrument *p = plan_instrument(instruments[n]->name);

		g_assert_nonnull(p);
		g_assert_cmpint(p->interval, ==, instruments[n]->interval);
		g_assert_cmpint(p->dither, ==, instruments[n]->dither);
		g_assert_cmpint(p->grid, ==, instruments[n]->grid);
		g_assert_cmpint(p->work, ==, instruments[n]->work);
		g_assert_cmpuint(p->roles, ==, instruments[n]->roles);
		g_assert_cmpuint((uint32_t)p->role, ==, instruments[n]->role);
	}
	g_assert_cmpuint(plan_count(), ==, n);
}

/* A loop that is let go in this thread, as if real-time on CPU @cpu with another one to spare. */
static void run(const char *name, struct order *o, int cpu, struct worker *w)
{
	static uint64_t start_ns;

	*w = (struct worker){
		.order = o,
		.cpu = cpu,
		.n_workers = 1,
		.realtime = true,
		.spare = true,
		.start_ns = &start_ns,
		.control = pthread_self(),
		.end_ns = WORKER_END_OPEN,
		.block = g_new0(struct region_cpu, 1),
	};
	figures_init(&w->block->figures);
	start_ns = now_ns();
	instrument_find(name)->run(w);
}

/* On whatever CPU it ended up: a thread of a real-time priority may not keep it. */
static void test_migrated_rests(gconstpointer data)
{
	struct worker w;
	struct order o;

	order_init(&o);
	o.interval_ns = 1000;
	o.duration_ns = 1500 * MS;
	run(data, &o, CPU_SETSIZE, &w);
	g_assert_cmpuint(w.block->figures.migrated, >, 0);
	g_assert_cmpuint(figures_count(&w.block->figures), ==, 0);
	g_assert_cmpuint(w.rests, >, 4); /* of 15 */
	g_free(w.block);
}

static void test_stopped_before(void)
{
	g_autofree struct region_cpu *c = g_new0(struct region_cpu, 1);
	struct worker w = { .block = c, .end_ns = 0, .control = pthread_self() };

	worker_begin(&w, 1000 * MS);
	g_assert_cmpuint(c->started, ==, 0);
	g_assert_cmpuint(w.begin_ns, ==, 0);
	g_assert_true(worker_stopped(&w));
}

/* A rest that lasts longer than it should: the rest of it is a sample. */
static void test_held_up_in_a_rest(void)
{
	uint64_t due_ns = now_ns() - 1000 * MS, next_ns;
	g_autofree struct region_cpu *c = g_new0(struct region_cpu, 1);
	struct rest r;

	figures_init(&c->figures);
	c->interval_ns = MS;
	c->grid_ns = c->next_ns = due_ns;
	rest_init(&r, true, false, due_ns - REST_WINDOW_NS);
	g_assert_true(rest_due(&r, due_ns, 0, due_ns));
	next_ns = region_skip(c, rest_take(&r, due_ns));
	g_assert_cmpuint(next_ns, ==, due_ns + REST_NS + MS);
	next_ns = region_record(c, now_ns() - next_ns, 1, 0);
	g_assert_cmpuint(c->figures.max_ns, >, 900 * MS);
	g_assert_cmpuint(c->figures.missed, >, 900);
	g_assert_cmpuint(figures_corrected_count(&c->figures), ==, (next_ns - c->grid_ns) / MS);
}

/* More than the 5 % that the kernel would otherwise take in one piece of 50 ms. */
static void test_rests_more_than_throttling_wants(void)
{
	uint64_t now = 0, rested_ns = 0;
	struct rest r;

	rest_init(&r, true, false, now);
	while (now < 10000 * MS) {
		now += MS / 10;
		if (!rest_due(&r, now, 0, 0))
			continue;
		/* as rest_take(), without the sleep */
		now += REST_NS;
		rested_ns += REST_NS;
		r.window_end_ns = now + REST_WINDOW_NS;
	}
	g_assert_cmpfloat((double)rested_ns / (double)now, >, 0.0505);
}

/* Whoever runs 93 ms of every 98, it is not the thread that sleeps for 1 ms in between. */
static void test_no_rest_when_held_up(void)
{
	uint64_t now = 0;
	struct rest r;

	rest_init(&r, true, false, now);
	for (int i = 0; i < 100; i++) {
		now += 93 * MS;
		g_assert_false(rest_due(&r, now, 92 * MS, now + MS / 2));
		for (int k = 0; k < 4; k++) {
			now += MS;
			g_assert_false(rest_due(&r, now, MS / 50, now + MS));
		}
	}
}

/* A hypervisor's pauses let nobody run: a thread that spins in between rests. */
static void test_rests_although_held_up(void)
{
	unsigned rests = 0;
	uint64_t now = 0;
	struct rest r;

	rest_init(&r, true, false, now);
	while (now < 1000 * MS) {
		for (int k = 0; k < 100; k++) {
			now += MS / 10;
			rests += rest_due(&r, now, 0, 0);
		}
		now += MS;
		rests += rest_due(&r, now, MS, 0);
	}
	g_assert_cmpuint(rests, >=, 9);
}

static bool spare(uint64_t reachable, uint64_t measured, uint64_t isolated, bool preempt_rt)
{
	cpu_set_t sets[3];
	const uint64_t bits[] = { reachable, measured, isolated };

	for (guint i = 0; i < G_N_ELEMENTS(bits); i++) {
		CPU_ZERO(&sets[i]);
		for (int cpu = 0; cpu < 64; cpu++)
			if (bits[i] >> cpu & 1)
				CPU_SET(cpu, &sets[i]);
	}
	return footing_is_spare(&sets[0], &sets[1], &sets[2], preempt_rt);
}

/* On PREEMPT_RT the timers of ordinary processes are served on the CPU on which they are. */
static void test_spare(void)
{
	g_assert_true(spare(0x3, 0x2, 0, false));
	g_assert_false(spare(0x3, 0x3, 0, false));
	g_assert_false(spare(0x3, 0x2, 0x1, false)); /* nobody runs on what is left */
	g_assert_false(spare(0x3, 0x2, 0, true));
	g_assert_true(spare(0x3, 0x2, 0x2, true));
	g_assert_true(spare(0xf, 0xc, 0xc, true));
	g_assert_false(spare(0xf, 0xe, 0xc, true)); /* one of them is not isolated */
	g_assert_false(spare(0xc, 0xc, 0xc, true));
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	signal(SIGUSR1, SIG_IGN); /* to the control thread, which is this one */
	g_test_add_func("/instruments/same-in-plans", test_same_in_plans);
	g_test_add_data_func("/instruments/migrated-rests/timer", "timer", test_migrated_rests);
	g_test_add_data_func("/instruments/migrated-rests/cpuloop", "cpuloop", test_migrated_rests);
	g_test_add_func("/instruments/stopped-before", test_stopped_before);
	g_test_add_func("/instruments/held-up-in-a-rest", test_held_up_in_a_rest);
	g_test_add_func("/instruments/rests-more-than-throttling-wants",
			test_rests_more_than_throttling_wants);
	g_test_add_func("/instruments/no-rest-when-held-up", test_no_rest_when_held_up);
	g_test_add_func("/instruments/spare", test_spare);
	g_test_add_func("/instruments/rests-although-held-up", test_rests_although_held_up);
	return g_test_run();
}
