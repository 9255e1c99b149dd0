/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * The part of recording that runs between two wake-ups, inline so that the measuring loop makes one
 * call per sample. For figures.c and region.c; everybody else calls figures_record().
 *
 * The common path has no loop and no division. A loop remembers the current block and its end
 * (struct record_place). A new maximum is larger than the smallest of the worst kept, so that one
 * comparison stands for both.
 */
#include "figures.h"

/* The block that a loop records into; all 0 at first. Goes out of use with any other change of @f.
 */
struct record_place {
	struct figures_block *block;
	uint64_t end_ns; /* since stage start: first time after it */
};

/* The rare paths: figures.c. */
struct figures_block *record_advance(struct figures *f, uint64_t at_ns);
void record_move(struct record_place *place, struct figures *f, uint64_t at_ns);
void record_worst(struct figures *f, uint64_t latency_ns, uint64_t at_ns);
uint64_t record_missed(struct figures *f, uint64_t latency_ns, uint64_t interval_ns);

static inline void record_sample(struct figures *f, struct record_place *place, uint64_t latency_ns,
				 uint64_t at_ns)
{
	struct figures_block *block;

	if (G_UNLIKELY(at_ns >= place->end_ns))
		record_move(place, f, at_ns);
	block = place->block;
	f->bucket[histogram_bucket(latency_ns)]++;
	f->sum_ns += latency_ns;
	f->sum_sq_ns2 += (u128)latency_ns * latency_ns;
	if (latency_ns < f->min_ns)
		f->min_ns = latency_ns;
	if (latency_ns <= f->within_bound_ns)
		f->within++;
	block->count++;
	block->sum_ns += latency_ns;
	if (latency_ns > block->max_ns)
		block->max_ns = latency_ns;
	if (G_UNLIKELY(latency_ns > f->worst[FIGURES_WORST - 1].latency_ns))
		record_worst(f, latency_ns, at_ns);
}

static inline uint64_t record_miss(struct figures *f, uint64_t latency_ns, uint64_t interval_ns)
{
	if (G_LIKELY(latency_ns < interval_ns))
		return 0;
	return record_missed(f, latency_ns, interval_ns);
}
