/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Why at checkpoints and not each second: a snapshot is of use only with what the store has, and
 * adding up the distributions of many CPUs takes time on the machine that is measured.
 *
 * Why not always one at the end: a batch that is much shorter than the others varies more than
 * they do, and an interval made of both says too much or too little.
 */
#include "growth.h"

#define GROWTH_FITS(ns) ((ns) - (ns) / 8)

static void growth_offer(struct growth *g, struct result_stage *s)
{
	g_autofree uint64_t *bucket = g_new0(uint64_t, HISTOGRAM_BUCKETS);

	for (guint i = 0; i < s->cpus->len; i++) {
		const struct figures *f = ((struct result_cpu *)s->cpus->pdata[i])->figures;

		for (unsigned b = 0; b < HISTOGRAM_BUCKETS; b++)
			bucket[b] += f->bucket[b];
	}
	if (!s->snapshots)
		s->snapshots = snapshots_new();
	(void)snapshots_offer(s->snapshots, s->duration_ns, bucket); /* every second one, or torn */
	g->last_ns = s->duration_ns;
}

void growth_take(struct growth *g, struct result_stage *s)
{
	if (g->spacing_ns > 0 && s->duration_ns > g->last_ns)
		growth_offer(g, s);
}

void growth_end(struct growth *g, struct result_stage *s)
{
	if (g->spacing_ns > 0 && s->duration_ns >= g->last_ns + GROWTH_FITS(g->spacing_ns))
		growth_offer(g, s);
}
