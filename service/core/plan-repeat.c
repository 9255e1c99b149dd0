/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Why A B C C B A and not A B C A B C: a machine drifts, it warms up, memory fragments, caches
 * fill. When every other round goes backwards, the mean time at which a stage was measured is the
 * same for all of them (for an even number of rounds), and a drift that is steady harms none more
 * than another.
 */
#include "plan.h"

unsigned plan_stage_count(const struct plan *p)
{
	return p->stages->len * (unsigned)p->repeat;
}

const struct plan_stage *plan_stage_at(const struct plan *p, unsigned index, unsigned *ret_repeat)
{
	unsigned n = p->stages->len, round = index / n, at = index % n;

	if (ret_repeat)
		*ret_repeat = round + 1;
	return p->stages->pdata[round % 2 ? n - 1 - at : at];
}

uint64_t plan_planned_ns(const struct plan *p)
{
	uint64_t sum = 0;

	for (guint i = 0; i < p->stages->len; i++)
		sum += ((const struct plan_stage *)p->stages->pdata[i])->duration_ns;
	return sum * (uint64_t)p->repeat;
}
