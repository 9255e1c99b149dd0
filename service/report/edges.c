/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Why not so many buckets each: within a power of two buckets are equally wide, so bins of equally
 * many would double their share of the logarithmic scale at every power of two, and their counts
 * would jump there by as much, in the middle of nowhere. Which buckets end a bin is therefore taken
 * from the logarithm.
 */
#include "edges.h"

#include <math.h>

#define EDGES_OCTAVE_MAX 16 /* bins: finer ones differ too much in width, with 64 buckets */

/* Cut @i of @n in the octave from 2^@octave. */
static uint64_t edges_at(unsigned octave, unsigned i, unsigned n)
{
	double part = exp2((double)i / n);

	if (octave < HISTOGRAM_SUB_BITS)
		return (uint64_t)llround(exp2(octave) * part);
	return (uint64_t)llround(HISTOGRAM_SUB * part) << (octave - HISTOGRAM_SUB_BITS);
}

static GArray *edges_fill(uint64_t from_ns, uint64_t to_ns, unsigned n)
{
	GArray *edges = g_array_new(FALSE, FALSE, sizeof(uint64_t));

	for (unsigned octave = 0; octave < 64; octave++)
		for (unsigned i = 0; i < n; i++) {
			uint64_t edge = edges_at(octave, i, n), *last;

			last = edges->len ? &g_array_index(edges, uint64_t, edges->len - 1) : NULL;
			if (edge <= from_ns && last)
				*last = edge;
			else if (!last || edge > *last)
				g_array_append_val(edges, edge);
			if (edge > to_ns && edges->len > 1)
				return edges;
		}
	g_array_append_val(edges, (const uint64_t){ UINT64_MAX });
	return edges;
}

GArray *edges_new(uint64_t from_ns, uint64_t to_ns, unsigned bins)
{
	from_ns = MAX(from_ns, 1);
	for (unsigned n = EDGES_OCTAVE_MAX;; n--) {
		GArray *edges = edges_fill(from_ns, to_ns, n);

		if (edges->len <= bins + 1 || n == 1)
			return edges;
		g_array_unref(edges);
	}
}

void edges_count(const GArray *edges, const struct figures *f, uint64_t *ret)
{
	for (guint i = 0; i + 1 < edges->len; i++) {
		uint64_t low = g_array_index(edges, uint64_t, i);
		uint64_t high = g_array_index(edges, uint64_t, i + 1);
		unsigned end = high == UINT64_MAX ? HISTOGRAM_BUCKETS : histogram_bucket(high);

		ret[i] = 0;
		for (unsigned b = histogram_bucket(low); b < end; b++)
			ret[i] += f->bucket[b];
	}
}
