/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * What a measuring thread does to its block of the region per wake-up, inline. For region.c and the
 * instruments' loops.
 *
 * The bracket is a sequence lock: H.-J. Boehm, "Can Seqlocks Get Along With Programming Language
 * Memory Models?" (MSPC 2012). The number is odd inside; the fence after the first store keeps
 * later stores behind it, the release of the second keeps earlier ones before it. There is one
 * writer, so that neither needs a locked instruction.
 */
#include "record.h"
#include "region.h"

static inline void region_begin_inline(struct region_cpu *c)
{
	__atomic_store_n(&c->seq, c->seq + 1, __ATOMIC_RELAXED);
	__atomic_thread_fence(__ATOMIC_RELEASE);
}

static inline void region_end_inline(struct region_cpu *c)
{
	__atomic_store_n(&c->seq, c->seq + 1, __ATOMIC_RELEASE);
}

/*
 * region_record() for a loop, which knows the block and where it is: @next_ns is c->next_ns,
 * @interval_ns c->interval_ns (0: no grid), @place starts as all 0.
 */
static inline uint64_t region_record_inline(struct region_cpu *c, struct record_place *place,
					    uint64_t latency_ns, uint64_t at_ns, uint64_t next_ns,
					    uint64_t interval_ns, int64_t shift_ns)
{
	region_begin_inline(c);
	record_sample(&c->figures, place, latency_ns, at_ns);
	next_ns += interval_ns + (uint64_t)shift_ns;
	if (G_UNLIKELY(latency_ns >= interval_ns) && interval_ns > 0)
		next_ns += record_missed(&c->figures, latency_ns, interval_ns) * interval_ns;
	c->next_ns = next_ns;
	c->last_ns = latency_ns;
	c->last_at_ns = at_ns;
	region_end_inline(c);
	return next_ns;
}
