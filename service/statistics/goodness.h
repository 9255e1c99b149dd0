/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * Does a fitted distribution look like the data? T. W. Anderson and D. A. Darling's statistic
 * (1952), which looks at the tails, with the p value from samples of the fitted distribution that
 * are rounded as the data are and fitted in their turn (W. Stute, W. González Manteiga and M.
 * Presedo Quindimil, 1993): no table fits when parameters were estimated, and none knows the grid.
 */
#include "gev.h"

#include <stdint.h>

/* Of @sorted (ascending) against @g. */
double goodness_anderson(const struct gev *g, const double *sorted, size_t n);
/*
 * The chance of a worse statistic if @g, which gev_fit() made of @sorted, were right. @grid: the
 * step that the data are rounded to, 0: none. @samples to take of it; the least p is 1/(samples+1).
 */
double goodness_p(const struct gev *g, const double *sorted, size_t n, double grid,
		  unsigned samples, uint64_t seed);
