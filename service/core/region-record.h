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

/* To the first grid point after @passed more of them, moved by @shift_ns. */
static inline uint64_t region_advance_inline(struct region_cpu *c, uint64_t latency_ns,
					     uint64_t at_ns, uint64_t passed, int64_t shift_ns)
{
	c->next_ns += (passed + 1) * c->interval_ns + (uint64_t)shift_ns;
	c->last_ns = latency_ns;
	c->last_at_ns = at_ns;
	return c->next_ns;
}

static inline uint64_t region_record_inline(struct region_cpu *c, uint64_t latency_ns,
					    uint64_t at_ns, int64_t shift_ns)
{
	uint64_t passed = 0, next_ns;

	region_begin_inline(c);
	record_sample(&c->figures, latency_ns, at_ns);
	if (c->interval_ns > 0)
		passed = record_miss(&c->figures, latency_ns, c->interval_ns);
	next_ns = region_advance_inline(c, latency_ns, at_ns, passed, shift_ns);
	region_end_inline(c);
	return next_ns;
}
