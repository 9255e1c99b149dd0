/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cpuloop: how long is a fixed piece of work held up?
 *
 * Sees what no timer shows: interrupts, SMIs, a hypervisor, anything that takes the CPU from a
 * thread that never sleeps. A pass is a chain of dependent integer operations in registers, so that
 * memory has no part in it; its undisturbed duration is the shortest of the warm-up.
 *
 * Why the warm-up is at least half a second: a nominal time that is the minimum of 1000 passes is
 * beaten by chance about once in 1000 later ones, and a pass faster than nominal means that the
 * CPU's clock changed.
 */
#include "instrument.h"
#include "now.h"
#include "region-record.h"
#include "rest.h"
#include "worker.h"

#define WORK_DEFAULT_NS	   100000ULL
#define WARM_UP_PASSES	   1000
#define WARM_UP_MIN_NS	   500000000ULL
#define CALIBRATION_ROUNDS 10000

/* No memory, no branch but the loop's own, nothing for the compiler to shorten. */
static __attribute__((noinline)) uint64_t work(uint64_t rounds)
{
	uint64_t x = rounds | 1;

	for (uint64_t i = 0; i < rounds; i++) {
		x ^= x << 13;
		x ^= x >> 7;
		x ^= x << 17;
		__asm__ volatile("" : "+r"(x));
	}
	return x;
}

static uint64_t pass_ns(uint64_t rounds, uint64_t *ret_now)
{
	uint64_t begin = now_ns();

	(void)work(rounds);
	*ret_now = now_ns();
	return *ret_now - begin;
}

/* Rounds that take about @work_ns, from the fastest of several tries. */
static uint64_t calibrate(uint64_t work_ns)
{
	uint64_t best = UINT64_MAX, now;

	for (int i = 0; i < 50; i++)
		best = MIN(best, pass_ns(CALIBRATION_ROUNDS, &now));
	return MAX(1, (uint64_t)((u128)work_ns * CALIBRATION_ROUNDS / MAX(best, 1)));
}

static uint64_t warm_up(struct worker *w, uint64_t rounds, struct rest *rest)
{
	const uint64_t until_ns = now_ns() + MAX(w->order->warmup_ns, WARM_UP_MIN_NS);
	uint64_t nominal_ns = UINT64_MAX, longest_ns = 0, passes = 0, now;

	do {
		uint64_t ns = pass_ns(rounds, &now);

		nominal_ns = MIN(nominal_ns, ns);
		longest_ns = MAX(longest_ns, ns);
		passes++;
		if (rest_due(rest, now, ns - nominal_ns, 0))
			(void)rest_take(rest, now);
	} while ((passes < WARM_UP_PASSES || now < until_ns) && !worker_stopped(w));

	region_begin(w->block);
	w->block->figures.warmup = passes;
	w->block->figures.warmup_max_ns = longest_ns - nominal_ns;
	w->block->figures.nominal_ns = nominal_ns;
	w->block->figures.within_bound_ns = w->order->within_ns;
	region_end(w->block);
	if (w->order->break_ns > 0 && longest_ns - nominal_ns >= w->order->break_ns)
		w->warmup_broke_ns = longest_ns - nominal_ns;
	return nominal_ns;
}

static void cpuloop_early(struct region_cpu *c)
{
	region_begin(c);
	c->figures.early++;
	region_end(c);
}

static void cpuloop_measure(struct worker *w, uint64_t rounds, uint64_t nominal_ns,
			    struct rest *rest)
{
	struct region_cpu *c = w->block;
	const uint32_t *cpu_word = now_cpu_word();
	const uint64_t start_ns = *w->start_ns, break_ns = w->order->break_ns ?: UINT64_MAX;
	struct record_place place = { 0 };
	uint64_t now = now_ns();

	while (now < worker_end_ns(w)) {
		uint64_t ns = pass_ns(rounds, &now);
		uint64_t sample_ns = ns > nominal_ns ? ns - nominal_ns : 0;

		if (G_UNLIKELY(now_cpu(cpu_word) != w->cpu)) {
			(void)region_migrate(c, sample_ns, now - start_ns, 0);
			rest_moved(rest, now);
		} else {
			if (G_UNLIKELY(ns < nominal_ns))
				cpuloop_early(c);
			(void)region_record_inline(c, &place, sample_ns, now - start_ns, 0, 0, 0);
			if (G_UNLIKELY(sample_ns >= break_ns)) {
				w->broke_ns = sample_ns;
				return;
			}
		}
		if (G_UNLIKELY(rest_due(rest, now, sample_ns, 0)))
			now = rest_take(rest, now);
	}
}

static void cpuloop_run(struct worker *w)
{
	uint64_t rounds = calibrate(w->order->work_ns ?: WORK_DEFAULT_NS), nominal_ns;
	struct rest rest;

	rest_init(&rest, w->realtime, w->spare, now_ns());
	nominal_ns = warm_up(w, rounds, &rest);
	worker_begin(w, now_ns() + w->order->duration_ns);
	cpuloop_measure(w, rounds, nominal_ns, &rest);
	w->rests = rest.rests;
}

const struct instrument instrument_cpuloop = {
	.name = "cpuloop",
	.description = "how long a fixed piece of work is held up, one spinning thread per CPU",
	.work = true,
	.spins = true,
	.roles = 1 << ROLE_NONE,
	.run = cpuloop_run,
};
