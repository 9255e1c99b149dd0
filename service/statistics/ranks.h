/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * A series by its ranks instead of its values: one outlier then weighs no more than any other.
 */
#include <stddef.h>

/* Ranks from 1 into @ret (@n); equal values share the mean of theirs. O(n log n). */
void ranks_of(const double *values, size_t n, double *ret);
/* Correlation of each value's rank with the next one's (-1..1); 0: n < 3, or all are equal. */
double ranks_lag1(const double *values, size_t n);
