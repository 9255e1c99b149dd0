/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * A generalized extreme value distribution by maximum likelihood, and 95 % intervals by profile
 * likelihood (S. Coles, "An Introduction to Statistical Modeling of Extreme Values", 2001, ch. 3):
 * all values of a level or of the shape with which the best of the other parameters explain the
 * data not much worse. Such an interval is as lopsided as the data are.
 */
#include "gev.h"

#include <stdint.h>

struct likelihood;

/*
 * @sorted (ascending, borrowed) of @n >= 10 values; @start: a fit of another kind, from which
 * searching begins. NULL: none can be found.
 */
struct likelihood *likelihood_new(const double *sorted, size_t n, const struct gev *start);
struct likelihood *likelihood_free(struct likelihood *l); /* NULL is fine; returns NULL */

/* The best. */
struct gev likelihood_gev(const struct likelihood *l);
/* 95 % intervals of gev_level(@y) and of the shape. An end that is nowhere is infinite. */
void likelihood_level(const struct likelihood *l, double y, double *ret_low, double *ret_high);
void likelihood_shape(const struct likelihood *l, double *ret_low, double *ret_high);
