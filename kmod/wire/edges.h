/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef WIRE_EDGES_H
#define WIRE_EDGES_H
/*
 * The truth: each pulse that was sent to a port, and what became of it. A pulse is a rise of ACK;
 * its number counts the pulses to this port. The newest `history` of them are kept.
 *
 * Nothing here locks: all under the wire's lock. Times are nanoseconds of CLOCK_MONOTONIC; 0:
 * never.
 */
#include <linux/types.h>

enum edge_flags {
	EDGE_DROPPED = 1, /* injected: nothing of it arrives */
	EDGE_LATE = 2,	  /* injected: late_ns on top of delay_ns */
	EDGE_STRAY = 4,	  /* injected: an interrupt that no pulse was sent for */
	EDGE_ECHO = 8,	  /* the wire's own answer to a pulse */
	EDGE_MASKED = 16, /* the port's interrupt was not enabled when it arrived, or the port went:
			     no handler */
	EDGE_OVERFLOW = 32, /* too many were under way at a time: lost */
	EDGE_LATCHED = 64,  /* arrived, the interrupt is on its way */
};

struct edge {
	u64 at_ns;	/* the write that made it; of an echo, when what it answers arrived */
	u64 due_ns;	/* its arrival: a read of the status register from then on shows it */
	u64 seen_ns;	/* the first read that did */
	u64 raised_ns;	/* its interrupt was given to the kernel; as one where several were latched
			 */
	u64 handled_ns; /* the handler began */
	u32 flags;
};

enum edge_count {
	COUNT_PULSES,
	COUNT_DROPPED,
	COUNT_LATE,
	COUNT_STRAYS,
	COUNT_ECHOES,
	COUNT_MASKED,
	COUNT_OVERFLOWS,
	COUNT_INTERRUPTS, /* raised */
	COUNT_HANDLED,	  /* calls of the handler */
	COUNT_MAX
};

struct edges {
	struct edge *ring;
	u32 size;	       /* power of two */
	u64 next;	       /* number of the next one */
	u64 base;	       /* number of the first since cleared */
	u64 open;	       /* no interrupt is still to come for those before it */
	u64 counts[COUNT_MAX]; /* since cleared */
};

/* 0, -ENOMEM; @size is rounded up to a power of two. edges_done() takes what was never made. */
int edges_init(struct edges *edges, u32 size);
void edges_done(struct edges *edges);

/* A new pulse; its number. */
u64 edges_add(struct edges *edges, u64 at_ns, u64 due_ns, u32 flags);

/* More flags for @number, counted. */
void edges_flag(struct edges *edges, u64 number, u32 flags);

/* NULL: not there any more, or yet. */
struct edge *edges_get(const struct edges *edges, u64 number);

/* The interrupt that all latched ones stand for was raised; the handler of those that were raised
 * by then began at @began_ns. */
void edges_raised(struct edges *edges, u64 now_ns);
void edges_handled(struct edges *edges, u64 began_ns);

/* There is no handler any more that one would come to. */
void edges_abandon(struct edges *edges);

/* Number of the oldest to be shown. */
u64 edges_first(const struct edges *edges);

/* The next one is number 0 to whom they are shown, and all counts are 0. */
void edges_clear(struct edges *edges);

#endif
