/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * May not starve the machine: a real-time thread that leaves no CPU to the system rests for 5 % of
 * every 100 ms unless its own waiting came to as much. Kernel throttling is no substitute: with it
 * ordinary processes still wait for 950 ms, and it may be off.
 *
 * Waits are counted by what the next wake-up's time promises, less what going to sleep and waking
 * costs at least; a loop at an interval of some microseconds waits often and sleeps never.
 */
#include "now.h"
#include <glib.h>
#include <stdbool.h>

#define REST_NS		 5000000ULL  /* how long */
#define REST_WINDOW_NS	 95000000ULL /* after how long */
#define REST_OVERHEAD_NS 20000ULL    /* of one wait */

struct rest {
	bool must;
	uint64_t window_end_ns;
	uint64_t waited_ns; /* in this window */
	uint32_t rests;
};

static inline void rest_init(struct rest *r, bool must, uint64_t now)
{
	*r = (struct rest){ .must = must, .window_end_ns = now + REST_WINDOW_NS };
}

/* After a sample of @latency_ns at @now; the loop is going to wait until @next_ns. true: rest
 * first. */
static inline bool rest_due(struct rest *r, uint64_t now, uint64_t latency_ns, uint64_t next_ns)
{
	bool due;

	if (G_LIKELY(!r->must))
		return false;
	if (next_ns > now + REST_OVERHEAD_NS)
		r->waited_ns += next_ns - now - REST_OVERHEAD_NS;
	if (G_LIKELY(now < r->window_end_ns))
		return false;
	/* held up for a whole window: it was not this thread that ran */
	due = r->waited_ns < REST_NS && latency_ns < REST_WINDOW_NS;
	r->waited_ns = 0;
	r->window_end_ns = now + REST_WINDOW_NS;
	return due;
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
