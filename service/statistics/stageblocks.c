/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "stageblocks.h"

#include <string.h>

static void stageblocks_join(struct figures_block *to, const struct figures_block *from)
{
	to->max_ns = MAX(to->max_ns, from->max_ns);
	to->sum_ns += from->sum_ns;
	to->count += from->count;
}

unsigned stageblocks_take(const struct figures *f, struct figures_block *ret)
{
	unsigned n = 0;
	uint64_t count = 0, short_of;

	for (uint32_t b = 0; b < f->n_blocks; b++) {
		if (f->blocks[b].count == 0)
			continue;
		ret[n++] = f->blocks[b];
		count += f->blocks[b].count;
	}
	short_of = n ? count / n / 2 : 0;
	if (n > 1 && ret[n - 1].count < short_of) {
		n--;
		stageblocks_join(&ret[n - 1], &ret[n]);
	}
	if (n > 1 && ret[0].count < short_of) {
		n--;
		stageblocks_join(&ret[1], &ret[0]);
		memmove(ret, ret + 1, n * sizeof(*ret));
	}
	return n;
}
