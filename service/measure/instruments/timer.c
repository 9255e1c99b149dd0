/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * timer: how late is a wake-up that was asked for at a certain time?
 *
 * Why absolute times on a grid and not "sleep for an interval": with relative sleeps every latency
 * moves all later wake-ups, and a machine that is always late looks as if it were on time. The grid
 * stays where it is; a wake-up later than an interval has missed the points that it passed over.
 *
 * Why the warm-up is a loop of its own: what is tested once per sample there must not be tested
 * once per sample here.
 */
#include "instrument.h"
#include "now.h"
#include "region-record.h"
#include "rest.h"
#include "worker.h"

#define STAGGER_NS 1000000ULL /* first wake-ups of all CPUs lie within this time */

struct dither {
	uint64_t range_ns; /* 0: none */
	uint64_t state;	   /* xorshift64*: S. Vigna, ACM TOMS 42 (2016) */
	uint64_t ns;	   /* of the wake-up that is awaited */
};

/* How much further than a grid point the next wake-up is, against this one. */
static inline int64_t dither_shift(struct dither *d)
{
	uint64_t before = d->ns;

	if (G_LIKELY(d->range_ns == 0))
		return 0;
	d->state ^= d->state >> 12;
	d->state ^= d->state << 25;
	d->state ^= d->state >> 27;
	d->ns = (uint64_t)(((u128)(d->state * 0x2545f4914f6cdd1dULL) * (d->range_ns + 1)) >> 64);
	return (int64_t)(d->ns - before);
}

/*
 * The time after a wait. It is before @next_ns when a signal cut the wait short: then the caller's
 * loop begins again, and ends there if it was asked to.
 */
static inline uint64_t timer_wait(uint64_t next_ns)
{
	struct timespec t = now_timespec(next_ns);

	now_sleep_until(&t);
	return now_ns();
}

/* Each CPU's phase; the first point lies ahead, however late the thread was released. */
static void timer_begin(struct worker *w)
{
	struct region_cpu *c = w->block;
	uint64_t interval_ns = w->order->interval_ns, now = now_ns();
	uint64_t first_ns = *w->start_ns + MIN(interval_ns, STAGGER_NS) +
			    MIN(interval_ns, STAGGER_NS) * w->index / w->n_workers;

	if (first_ns <= now)
		first_ns += ((now - first_ns) / interval_ns + 1) * interval_ns;
	region_begin(c);
	c->interval_ns = interval_ns;
	c->grid_ns = c->next_ns = first_ns;
	c->figures.has_grid = 1;
	c->figures.within_bound_ns = w->order->within_ns;
	region_end(c);
}

static __attribute__((noinline)) void timer_warm_up(struct worker *w, struct dither *dither,
						    struct rest *rest)
{
	const uint64_t start_ns = *w->start_ns, until_ns = start_ns + w->order->warmup_ns;
	const uint64_t break_ns = w->order->break_ns ?: UINT64_MAX;
	uint64_t next_ns = w->block->next_ns;

	while (next_ns < until_ns && !worker_stopped(w)) {
		uint64_t now = timer_wait(next_ns), latency_ns = now - next_ns;

		if (now < next_ns)
			continue;
		if (latency_ns >= break_ns)
			w->warmup_broke_ns = MAX(w->warmup_broke_ns, latency_ns);
		next_ns = region_warm_up(w->block, latency_ns, now - start_ns, until_ns,
					 dither_shift(dither));
		if (rest_due(rest, now, latency_ns, next_ns))
			next_ns = region_skip(w->block, rest_take(rest, now));
	}
}

/* Not inline, like the warm-up: the loop has the registers for itself. */
static __attribute__((noinline)) void timer_measure(struct worker *w, struct dither *dither,
						    struct rest *rest)
{
	struct region_cpu *c = w->block;
	const uint32_t *cpu_word = now_cpu_word();
	const int cpu = w->cpu;
	const uint64_t start_ns = *w->start_ns, break_ns = w->order->break_ns ?: UINT64_MAX;
	const uint64_t interval_ns = c->interval_ns;
	struct record_place place = { 0 };
	uint64_t next_ns = c->next_ns;

	while (next_ns < worker_end_ns(w)) {
		uint64_t now = timer_wait(next_ns), latency_ns = now - next_ns;

		if (G_UNLIKELY(now < next_ns))
			continue;
		if (G_UNLIKELY(now_cpu(cpu_word) != cpu)) {
			next_ns =
				region_migrate(c, latency_ns, now - start_ns, dither_shift(dither));
			rest_moved(rest, now);
		} else {
			next_ns = region_record_inline(c, &place, latency_ns, now - start_ns,
						       next_ns, interval_ns, dither_shift(dither));
			if (G_UNLIKELY(latency_ns >= break_ns)) {
				w->broke_ns = latency_ns;
				return;
			}
		}
		if (G_UNLIKELY(rest_due(rest, now, latency_ns, next_ns)))
			next_ns = region_skip(c, rest_take(rest, now));
	}
}

static void timer_run(struct worker *w)
{
	struct dither dither = { .range_ns = w->order->dither_ns };
	struct rest rest;

	timer_begin(w);
	dither.state = w->block->grid_ns | 1;
	rest_init(&rest, w->realtime, w->spare, now_ns());
	timer_warm_up(w, &dither, &rest);
	worker_begin(w, *w->start_ns + w->order->warmup_ns + w->order->duration_ns);
	timer_measure(w, &dither, &rest);
	w->rests = rest.rests;
}

const struct instrument instrument_timer = {
	.name = "timer",
	.description = "lateness of timed wake-ups on a fixed grid, one thread per CPU",
	.interval = true,
	.grid = true,
	.dither = true,
	.roles = 1 << ROLE_NONE,
	.run = timer_run,
};
