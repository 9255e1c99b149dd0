/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * The generalized extreme value distribution: what maxima of long blocks follow, whatever the
 * samples' own distribution is (R. A. Fisher and L. H. C. Tippett, 1928; A. F. Jenkinson, 1955):
 *
 *	F(x) = exp(-y),  y = (1 + shape (x - location) / scale)^(-1/shape)
 *
 * shape > 0: a heavy tail; 0: an exponential one (Gumbel); < 0: there is a largest value. Plain
 * data, pure functions, any unit.
 */
#include <glib.h>
#include <stdbool.h>
#include <stddef.h>

struct gev {
	double location, scale, shape;
};

/* The value that is exceeded with chance 1 - @p (0 < p < 1). */
double gev_quantile(const struct gev *g, double p);
/* The same for p = exp(-@y), exact where p is all but 1: in 1/@y blocks it is exceeded once. */
double gev_level(const struct gev *g, double y);
/* F(@x); 0 or 1 outside of where it has values. */
double gev_cdf(const struct gev *g, double x);

/*
 * By L-moments (J. R. M. Hosking, J. R. Wallis and E. F. Wood, 1985; unbiased estimators of
 * Hosking, 1990). @sorted ascending. false: no such distribution (n < 3, or no spread).
 */
bool gev_fit(const double *sorted, size_t n, struct gev *ret);

/* A sample of @n, ascending: into @ret. O(n). */
void gev_sample(const struct gev *g, size_t n, GRand *rand, double *ret);
