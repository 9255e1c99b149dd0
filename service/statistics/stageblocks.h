/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * A stage's blocks of time as statistics want them: over all CPUs, with samples in each, and of one
 * length.
 */
#include "figures.h"

/*
 * The blocks of @f (all CPUs': result_stage_all()) into @ret (FIGURES_BLOCKS), in order; returns
 * how many. Those without samples (warm-up, stalls) are left out; a first or last one that was cut
 * short, with under half as many samples as others, is part of its neighbour.
 */
unsigned stageblocks_take(const struct figures *f, struct figures_block *ret);
