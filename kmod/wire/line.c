// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Levels are computed from the clock at the read and not by a timer: who polls with interrupts off,
 * on the only CPU there is, sees an answer when it is due. Interrupts need a timer, but whether a
 * pulse raises one is decided by what was enabled when it arrived and not when the timer came; so
 * what has arrived is latched or masked before the enabling changes.
 *
 * Two readers follow the writer through one ring of changes: `seen` for levels, `arrived` for
 * interrupts.
 *
 * Who answers by changing the levels and is watched for changes is off by one after a dropped
 * answer: the next one would bring them back to what they were, no change. So what changed together
 * with a dropped pulse is forgotten for good, as if it had not been sent, until drop_every is set
 * anew.
 */
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/time64.h>

#include "cable.h"
#include "line.h"

static struct line_change *line_change(struct line *line, unsigned int i)
{
	return &line->changes[i & (LINE_CHANGES - 1)];
}

void line_init(struct line *line, u8 status)
{
	line->sent = status;
	line->passed = status;
	line->status = status;
	line->settings[LINE_STRAY_NS] = 100 * NSEC_PER_USEC;
}

int line_set(struct line *line, enum line_setting setting, u64 value)
{
	static const struct {
		u64 min, max;
	} ranges[] = {
		[LINE_DELAY_NS] = { 0, 10ULL * NSEC_PER_SEC },
		[LINE_DROP_EVERY] = { 0, U32_MAX },
		[LINE_LATE_EVERY] = { 0, U32_MAX },
		[LINE_LATE_NS] = { 0, 10ULL * NSEC_PER_SEC },
		[LINE_STRAY_EVERY] = { 0, U32_MAX },
		[LINE_STRAY_NS] = { NSEC_PER_USEC, NSEC_PER_SEC },
		[LINE_ECHO] = { 0, 1 },
	};

	if (value < ranges[setting].min || value > ranges[setting].max)
		return -ERANGE;
	line->settings[setting] = value;
	line->counted[setting] = 0;
	if (setting == LINE_DROP_EVERY)
		line->forgotten = 0;
	return 0;
}

/* One pulse more: is it an n-th? */
static bool line_every(struct line *line, enum line_setting setting)
{
	u64 every = line->settings[setting], rest;

	div64_u64_rem(++line->counted[setting], every ?: U64_MAX, &rest);
	return !rest;
}

/* Changes without a pulse raise nothing, at any time. */
static void line_skip(struct line *line)
{
	while (line->arrived != line->head && !line_change(line, line->arrived)->pulse)
		line->arrived++;
}

static void line_latch(struct line *line, u64 number)
{
	edges_flag(&line->edges, number, line->enabled ? EDGE_LATCHED : EDGE_MASKED);
	line->latched |= line->enabled;
}

/* A stray that nobody could take is none: where many are due, those are passed over at once. */
static void line_arrive_strays(struct line *line, u64 now_ns)
{
	u64 each_ns = line->settings[LINE_STRAY_NS], passed;

	while (line->enabled && line->strays && line->stray_ns <= now_ns) {
		line_latch(line,
			   edges_add(&line->edges, line->stray_ns, line->stray_ns, EDGE_STRAY));
		line->strays--;
		line->stray_ns += each_ns;
	}
	if (line->strays && line->stray_ns <= now_ns) {
		passed = min_t(u64, line->strays, div64_u64(now_ns - line->stray_ns, each_ns) + 1);
		line->strays -= passed;
		line->stray_ns += passed * each_ns;
	}
}

bool line_arrive(struct line *line, u64 now_ns)
{
	line_skip(line);
	while (line->arrived != line->head && line_change(line, line->arrived)->due_ns <= now_ns) {
		line_latch(line, line_change(line, line->arrived++)->number);
		line_skip(line);
	}
	line_arrive_strays(line, now_ns);
	return line->latched;
}

bool line_raise(struct line *line, u64 now_ns)
{
	if (!line_arrive(line, now_ns))
		return false;
	line->latched = false;
	edges_raised(&line->edges, now_ns);
	return true;
}

u64 line_next_ns(const struct line *line)
{
	u64 next_ns = line->strays ? line->stray_ns : 0;

	if (!line->enabled)
		return 0;
	if (line->arrived != line->head)
		next_ns = min_not_zero(next_ns,
				       line->changes[line->arrived & (LINE_CHANGES - 1)].due_ns);
	return next_ns;
}

void line_enable(struct line *line, u64 now_ns, bool enabled)
{
	line_arrive(line, now_ns);
	line->enabled = enabled;
}

/* The levels as they are now. @read: somebody sees them. */
static void line_follow(struct line *line, u64 now_ns, bool read)
{
	while (line->seen != line->head && line_change(line, line->seen)->due_ns <= now_ns) {
		const struct line_change *change = line_change(line, line->seen++);
		struct edge *edge = NULL;

		line->status = change->status;
		if (change->pulse && read)
			edge = edges_get(&line->edges, change->number);
		if (edge)
			edge->seen_ns = now_ns;
	}
}

u8 line_status(struct line *line, u64 now_ns)
{
	line_follow(line, now_ns, true);
	return line->status;
}

void line_stray(struct line *line, u64 now_ns, u32 count)
{
	if (!line->strays)
		line->stray_ns = now_ns;
	line->strays = min_t(u64, (u64)line->strays + count, U32_MAX);
}

/* A pulse begins: what becomes of it. */
static u32 line_faults(struct line *line, u64 at_ns)
{
	bool drop = line_every(line, LINE_DROP_EVERY), late = line_every(line, LINE_LATE_EVERY);

	if (line_every(line, LINE_STRAY_EVERY))
		line_stray(line,
			   at_ns + line->settings[LINE_DELAY_NS] + line->settings[LINE_STRAY_NS],
			   1);
	line->late_ns = late && !drop ? line->settings[LINE_LATE_NS] : 0;
	if (drop)
		return EDGE_DROPPED;
	return late ? EDGE_LATE : 0;
}

/* Where nobody reads, room is made without. */
static bool line_is_full(struct line *line, u64 now_ns)
{
	if (line->head - line->seen >= LINE_CHANGES)
		line_follow(line, now_ns, false);
	return line->head - line->seen >= LINE_CHANGES ||
	       line->head - line->arrived >= LINE_CHANGES;
}

/* From here to the next pulse nothing passes; @before: the levels that went with what did. */
static void line_freeze(struct line *line, u8 before)
{
	line->frozen = true;
	line->passed = before;
}

static void line_thaw(struct line *line, u8 before)
{
	if (line->frozen)
		line->forgotten ^= (before ^ line->passed) & CABLE_LEVELS;
	line->frozen = false;
}

static void line_push(struct line *line, u8 status, bool pulse, u64 number)
{
	*line_change(line, line->head++) = (struct line_change){
		.due_ns = line->due_ns,
		.number = number,
		.status = status ^ line->forgotten,
		.pulse = pulse,
	};
}

static u64 line_due_ns(const struct line *line, u64 at_ns)
{
	return max(at_ns + line->settings[LINE_DELAY_NS] + line->late_ns, line->due_ns);
}

u64 line_send(struct line *line, u64 now_ns, u64 at_ns, u8 status, u32 flags)
{
	u8 before = line->sent;
	bool pulse = status & ~before & CABLE_ACK;
	u64 number = 0;
	bool full;

	if (status == before)
		return 0;
	line->sent = status;
	line_arrive(line, now_ns);
	full = line_is_full(line, now_ns);
	if (pulse) {
		line_thaw(line, before);
		flags |= line_faults(line, at_ns);
		if (full)
			flags |= EDGE_OVERFLOW;
		number = edges_add(&line->edges, at_ns, line_due_ns(line, at_ns), flags);
		if (flags & (EDGE_DROPPED | EDGE_OVERFLOW))
			line_freeze(line, before);
	} else if (full && !line->frozen) {
		line_freeze(line, before);
	}
	if (line->frozen)
		return 0;
	line->due_ns = line_due_ns(line, at_ns);
	line_push(line, status, pulse, number);
	return pulse ? line->due_ns : 0;
}
