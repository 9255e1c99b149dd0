// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * An interrupt line has one latch, so several pulses may become one interrupt and one call of the
 * handler. Whose that was is found by going over the pulses from `open` on: few, because `open`
 * follows when all is known of the one it stands at.
 */
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/ktime.h>
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "edges.h"

int edges_init(struct edges *edges, u32 size)
{
	edges->size = roundup_pow_of_two(size);
	edges->ring = kvcalloc(edges->size, sizeof(*edges->ring), GFP_KERNEL);
	return edges->ring ? 0 : -ENOMEM;
}

void edges_done(struct edges *edges)
{
	kvfree(edges->ring);
	edges->ring = NULL;
}

struct edge *edges_get(const struct edges *edges, u64 number)
{
	if (number >= edges->next || edges->next - number > edges->size)
		return NULL;
	return &edges->ring[number & (edges->size - 1)];
}

static u64 edges_oldest(const struct edges *edges)
{
	return edges->next > edges->size ? edges->next - edges->size : 0;
}

u64 edges_first(const struct edges *edges)
{
	return max(edges_oldest(edges), edges->base);
}

static void edges_count(struct edges *edges, u32 flags)
{
	static const u8 counts[] = {
		[COUNT_DROPPED] = EDGE_DROPPED, [COUNT_LATE] = EDGE_LATE,
		[COUNT_STRAYS] = EDGE_STRAY,	[COUNT_ECHOES] = EDGE_ECHO,
		[COUNT_MASKED] = EDGE_MASKED,	[COUNT_OVERFLOWS] = EDGE_OVERFLOW,
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(counts); i++)
		if (flags & counts[i])
			edges->counts[i]++;
}

u64 edges_add(struct edges *edges, u64 at_ns, u64 due_ns, u32 flags)
{
	u64 number = edges->next++;

	*edges_get(edges, number) = (struct edge){
		.at_ns = at_ns,
		.due_ns = due_ns,
		.flags = flags,
	};
	edges->counts[COUNT_PULSES]++;
	edges_count(edges, flags);
	return number;
}

void edges_flag(struct edges *edges, u64 number, u32 flags)
{
	struct edge *edge = edges_get(edges, number);

	edges_count(edges, flags);
	if (edge)
		edge->flags |= flags;
}

static bool edge_is_settled(const struct edge *edge)
{
	return edge->handled_ns || edge->flags & (EDGE_DROPPED | EDGE_MASKED | EDGE_OVERFLOW);
}

/* Those with an interrupt that is on its way or not yet handled begin here. */
static u64 edges_open(struct edges *edges)
{
	edges->open = max(edges->open, edges_oldest(edges));
	while (edges->open < edges->next && edge_is_settled(edges_get(edges, edges->open)))
		edges->open++;
	return edges->open;
}

void edges_raised(struct edges *edges, u64 now_ns)
{
	u64 number;

	edges->counts[COUNT_INTERRUPTS]++;
	for (number = edges_open(edges); number < edges->next; number++) {
		struct edge *edge = edges_get(edges, number);

		if (edge->flags & EDGE_LATCHED) {
			edge->flags &= ~EDGE_LATCHED;
			edge->raised_ns = now_ns;
		}
	}
}

void edges_handled(struct edges *edges, u64 began_ns)
{
	u64 number;

	edges->counts[COUNT_HANDLED]++;
	for (number = edges_open(edges); number < edges->next; number++) {
		struct edge *edge = edges_get(edges, number);

		if (edge->raised_ns && edge->raised_ns <= began_ns && !edge->handled_ns)
			edge->handled_ns = began_ns;
	}
}

void edges_abandon(struct edges *edges)
{
	u64 number;

	for (number = edges_open(edges); number < edges->next; number++) {
		struct edge *edge = edges_get(edges, number);

		if (!edge_is_settled(edge) && (edge->flags & EDGE_LATCHED || edge->raised_ns))
			edges_flag(edges, number, EDGE_MASKED);
		edge->flags &= ~EDGE_LATCHED;
	}
}

void edges_clear(struct edges *edges)
{
	edges->base = edges->next;
	memset(edges->counts, 0, sizeof(edges->counts));
}
