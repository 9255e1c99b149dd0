/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * May not starve the machine: a real-time thread that leaves no CPU to the system rests for 5 % of
 * every 100 ms unless its own waiting came to as much. Kernel throttling is no substitute: with it
 * ordinary processes still wait for 950 ms, and it may be off.
 *
 * A little over 5 %, because 5 % is what throttling and the fair server want for the others: a
 * thread that rests for exactly that falls short of it now and then, is held off for 50 ms, and
 * would report this as the machine's latency.
 *
 * Waits are counted by what the next wake-up's time promises, less what going to sleep and waking
 * costs at least; a loop at an interval of some microseconds waits often and sleeps never. They are
 * held against the time in which the thread itself ran: one that others held up did not hold up
 * anybody, and a rest would only take points out of its grid.
 */
#include "now.h"
#include <glib.h>
#include <stdbool.h>

#define REST_NS		 5000000ULL  /* how long */
#define REST_WINDOW_NS	 93000000ULL /* after how long */
#define REST_OVERHEAD_NS 20000ULL    /* of one wait */
#define REST_HELD_NS	 100000ULL   /* so late a sample is others' doing */

struct rest {
	bool realtime; /* keeps others from its CPU */
	bool must;     /* and no other CPU is left to them */
	uint64_t window_end_ns;
	uint64_t waited_ns, held_ns; /* in this window */
	uint32_t rests;
};

static inline void rest_init(struct rest *r, bool realtime, bool spare, uint64_t now)
{
	*r = (struct rest){
		.realtime = realtime,
		.must = realtime && !spare,
		.window_end_ns = now + REST_WINDOW_NS,
	};
}

/* The thread has been moved, maybe to the CPU that was left to the system. */
static inline void rest_moved(struct rest *r, uint64_t now)
{
	if (r->must || !r->realtime)
		return;
	r->must = true;
	r->window_end_ns = now + REST_WINDOW_NS;
}

/* After a sample of @latency_ns at @now; the loop is going to wait until @next_ns. true: rest
 * first. */
static inline bool rest_due(struct rest *r, uint64_t now, uint64_t latency_ns, uint64_t next_ns)
{
	uint64_t spent_ns, ran_ns, waited_ns;

	if (G_LIKELY(!r->must))
		return false;
	if (next_ns > now + REST_OVERHEAD_NS)
		r->waited_ns += next_ns - now - REST_OVERHEAD_NS;
	if (G_UNLIKELY(latency_ns >= REST_HELD_NS))
		r->held_ns += latency_ns;
	if (G_LIKELY(now < r->window_end_ns))
		return false;
	spent_ns = now - r->window_end_ns + REST_WINDOW_NS;
	ran_ns = spent_ns - MIN(spent_ns, r->waited_ns + r->held_ns);
	r->window_end_ns = now + REST_WINDOW_NS;
	waited_ns = r->waited_ns;
	r->waited_ns = r->held_ns = 0;
	return waited_ns * (REST_WINDOW_NS / REST_NS) < ran_ns;
}

/* Sleep; returns when the rest was over. What holds the thread up beyond that is latency again. */
static inline uint64_t rest_take(struct rest *r, uint64_t now)
{
	uint64_t end_ns = now + REST_NS;
	struct timespec t = now_timespec(end_ns);

	now_sleep_until(&t); /* cut short: a stop */
	r->rests++;
	r->window_end_ns = end_ns + REST_WINDOW_NS;
	return end_ns;
}
