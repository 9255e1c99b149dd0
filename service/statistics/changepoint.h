/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * Did a series shift, and where? Pettitt's rank test (A. N. Pettitt, 1979) on the prewhitened
 * series (neighbours' likeness taken out first, or a slow wave looks like a shift), over and over
 * on the parts; and a rule for the last few, which that test is too slow for.
 */
#include <stdbool.h>
#include <stddef.h>

#define CHANGEPOINT_P 0.01 /* per look at a series */

struct changepoint {
	size_t at;	      /* the first of the new level */
	double p;	      /* of this test */
	double before, after; /* medians of the levels on its two sides */
	bool fresh;	      /* found by the rule for the last few */
};

/*
 * Finite values, any unit. Into @ret (the last @max of them), in order; returns how many. O(n log
 * n). Series under 10 values: none. A shift that is not there is found in about 1 % of looks at
 * independent values, in 2 % when the correlation of neighbours is 0.3 (tests/bench/changepoint.c);
 * one look is one call.
 */
size_t changepoint_find(const double *values, size_t n, struct changepoint *ret, size_t max);
