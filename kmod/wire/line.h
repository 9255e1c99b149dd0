/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef WIRE_LINE_H
#define WIRE_LINE_H
/*
 * What arrives at one port: the levels of its status register and the pulses that raise its
 * interrupt, each at its time, and the faults on the way. Nothing overtakes on a line: what is
 * delayed delays what was sent after it.
 *
 * Nothing here locks: all under the wire's lock. Times are nanoseconds of CLOCK_MONOTONIC.
 */
#include <linux/types.h>

#include "edges.h"

/* Of what arrives at a port. "Every n-th" is exact, counted in pulses since it was set; 0: none. */
enum line_setting {
	LINE_DELAY_NS,	  /* all that arrives is so late */
	LINE_DROP_EVERY,  /* nothing arrives of every n-th pulse, up to the next */
	LINE_LATE_EVERY,  /* every n-th pulse ... */
	LINE_LATE_NS,	  /* ... comes so much later */
	LINE_STRAY_EVERY, /* after every n-th pulse an interrupt with no cause ... */
	LINE_STRAY_NS,	  /* ... so much later; also the distance of strays asked for by hand */
	LINE_ECHO, /* 1: the wire answers each pulse at once, as if somebody were at the port */
	LINE_SETTINGS
};

#define LINE_CHANGES 256 /* under way at a time, a power of two */

struct line_change {
	u64 due_ns;
	u64 number; /* of the pulse, if it is one */
	u8 status;
	bool pulse;
};

struct line {
	u64 settings[LINE_SETTINGS];
	u64 counted[LINE_SETTINGS]; /* pulses since it was set */
	struct edges edges;

	struct line_change changes[LINE_CHANGES];
	unsigned int head, seen, arrived; /* seen: shown by a read; arrived: latched or masked */
	u64 due_ns;			  /* of the last change: none is before it */
	u64 late_ns;			  /* of the pulse that is being sent */

	u8 sent;      /* the last that was sent */
	u8 passed;    /* the last before a dropped pulse */
	u8 forgotten; /* levels that changed with dropped pulses */
	u8 status;    /* as of the last read */
	bool frozen;  /* between a dropped pulse and the next */

	bool enabled; /* the port's interrupt */
	bool latched; /* to be raised */
	u32 strays;   /* to come, the first ... */
	u64 stray_ns; /* ... at */
};

/* @line is zeroed but for its edges; @status: levels at the beginning. */
void line_init(struct line *line, u8 status);

/* In range, 0; -ERANGE. */
int line_set(struct line *line, enum line_setting setting, u64 value);

/* At @at_ns, which is @now_ns or to come, the levels become @status. When the pulse in it arrives;
 * 0: none was in it, or it does not. @flags: of the edge. */
u64 line_send(struct line *line, u64 now_ns, u64 at_ns, u8 status, u32 flags);

/* Injects @count strays, the first at once. */
void line_stray(struct line *line, u64 now_ns, u32 count);

/* The status register. */
u8 line_status(struct line *line, u64 now_ns);

/* Whether what arrives from @now_ns on raises an interrupt. */
void line_enable(struct line *line, u64 now_ns, bool enabled);

/* What has arrived is latched. Whether an interrupt is to be raised. */
bool line_arrive(struct line *line, u64 now_ns);

/* The interrupt is raised now, if one is to be. */
bool line_raise(struct line *line, u64 now_ns);

/* When something arrives next that raises an interrupt; 0: nothing will. After line_arrive(). */
u64 line_next_ns(const struct line *line);

#endif
