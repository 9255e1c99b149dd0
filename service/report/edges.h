/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * Cuts through a range of latencies at edges of the histogram's buckets, so that counts between two
 * cuts are exact, and about evenly spaced on a logarithmic scale, so that a smooth distribution
 * looks smooth.
 */
#include "figures.h"

/*
 * From the last edge at or below @from_ns (0 counts as 1) to the first one above @to_ns, as fine as
 * @bins bins allow. GArray of uint64_t, at least two, rising; g_array_unref().
 */
GArray *edges_new(uint64_t from_ns, uint64_t to_ns, unsigned bins);

/* Samples of @f in the bins between @edges: into @ret, edges->len - 1 of them. */
void edges_count(const GArray *edges, const struct figures *f, uint64_t *ret);
