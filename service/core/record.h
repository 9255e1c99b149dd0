/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * The part of recording that runs between two wake-ups, inline so that the measuring loop makes one
 * call per sample. For figures.c and region.c; everybody else calls figures_record().
 *
 * The common path has no loop and no division: the block is found by comparing with the end of the
 * current one, a sample below the smallest of the worst kept is one comparison, and a sample below
 * the interval has missed nothing.
 */
#include "figures.h"

/* The rare paths: figures.c. */
struct figures_block *record_advance(struct figures *f, uint64_t at_ns);
void record_worst(struct figures *f, uint64_t latency_ns, uint64_t at_ns);
uint64_t record_missed(struct figures *f, uint64_t latency_ns, uint64_t interval_ns);

static inline struct figures_block *record_block(struct figures *f, uint64_t at_ns)
{
	uint32_t last = f->n_blocks - 1;

	if (G_LIKELY(f->n_blocks > 0 && at_ns - last * f->block_length_ns < f->block_length_ns))
		return &f->blocks[last];
	return record_advance(f, at_ns);
}

static inline void record_sample(struct figures *f, uint64_t latency_ns, uint64_t at_ns)
{
	struct figures_block *block = record_block(f, at_ns);

	f->bucket[histogram_bucket(latency_ns)]++;
	f->sum_ns += latency_ns;
	f->sum_sq_ns2 += (u128)latency_ns * latency_ns;
	if (latency_ns < f->min_ns)
		f->min_ns = latency_ns;
	if (latency_ns > f->max_ns)
		f->max_ns = latency_ns;
	f->within += f->within_bound_ns && latency_ns <= f->within_bound_ns;
	block->count++;
	block->sum_ns += latency_ns;
	if (latency_ns > block->max_ns)
		block->max_ns = latency_ns;
	if (G_UNLIKELY(f->n_worst < FIGURES_WORST ||
		       latency_ns > f->worst[FIGURES_WORST - 1].latency_ns))
		record_worst(f, latency_ns, at_ns);
}

static inline uint64_t record_miss(struct figures *f, uint64_t latency_ns, uint64_t interval_ns)
{
	if (G_LIKELY(latency_ns < interval_ns))
		return 0;
	return record_missed(f, latency_ns, interval_ns);
}
