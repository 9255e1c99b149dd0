/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Why L-moments: they need no iteration over the data, always give an answer, and are hardly moved
 * by one extreme value; so hundreds of samples can be fitted. Intervals are not made from them
 * (likelihood.h).
 *
 * Samples come out in order without sorting: sums of exponential gaps, divided by their total, are
 * uniform order statistics.
 */
#include "gev.h"

#include <math.h>

#define GEV_SHAPE_0 1e-9 /* closer to 0 than that is taken for 0 */
/* Hosking's k = -shape: L-moments exist above -1 */
#define GEV_K_LOW  (-0.999)
#define GEV_K_HIGH 20.0
#define GEV_EULER  0.57721566490153286061
#define GEV_LN3	   1.09861228866810969140
#define GEV_HALVES 45 /* of that range: to 1e-12 */

double gev_level(const struct gev *g, double y)
{
	if (fabs(g->shape) < GEV_SHAPE_0)
		return g->location - g->scale * log(y);
	return g->location + g->scale * expm1(-g->shape * log(y)) / g->shape;
}

double gev_quantile(const struct gev *g, double p)
{
	return gev_level(g, -log(p));
}

double gev_cdf(const struct gev *g, double x)
{
	double w = (x - g->location) / g->scale;

	if (fabs(g->shape) < GEV_SHAPE_0)
		return exp(-exp(-w));
	if (1 + g->shape * w <= 0)
		return g->shape > 0 ? 0 : 1;
	return exp(-exp(-log1p(g->shape * w) / g->shape));
}

/* (1 - 3^-k) / (1 - 2^-k), which falls from 2 at -1 to 1: (3 + L-skewness) / 2. */
static double gev_skew(double k)
{
	if (fabs(k) < GEV_SHAPE_0)
		return GEV_LN3 / G_LN2;
	return expm1(-k * GEV_LN3) / expm1(-k * G_LN2);
}

static double gev_k(double l_skewness)
{
	double want = (3 + l_skewness) / 2, low = GEV_K_LOW, high = GEV_K_HIGH;

	for (int i = 0; i < GEV_HALVES; i++) {
		double mid = (low + high) / 2;

		if (gev_skew(mid) > want)
			low = mid;
		else
			high = mid;
	}
	return (low + high) / 2;
}

/* The first three L-moments, around the smallest value so that nothing is lost by cancelling. */
static void gev_moments(const double *sorted, size_t n, double *ret)
{
	double b0 = 0, b1 = 0, b2 = 0;

	for (size_t i = 0; i < n; i++) {
		double v = sorted[i] - sorted[0], k = (double)i;

		b0 += v;
		b1 += v * k;
		b2 += v * k * (k - 1);
	}
	b0 /= (double)n;
	b1 /= (double)n * ((double)n - 1);
	b2 /= (double)n * ((double)n - 1) * ((double)n - 2);
	ret[0] = sorted[0] + b0;
	ret[1] = 2 * b1 - b0;
	ret[2] = 6 * b2 - 6 * b1 + b0;
}

bool gev_fit(const double *sorted, size_t n, struct gev *ret)
{
	double l[3], k, gamma;

	if (n < 3)
		return false;
	gev_moments(sorted, n, l);
	if (!(l[1] > 0) || !isfinite(l[1]))
		return false;
	k = gev_k(l[2] / l[1]);
	if (fabs(k) < GEV_SHAPE_0) {
		ret->scale = l[1] / G_LN2;
		ret->location = l[0] - GEV_EULER * ret->scale;
		ret->shape = 0;
		return true;
	}
	gamma = tgamma(1 + k);
	ret->scale = l[1] * k / (-expm1(-k * G_LN2) * gamma);
	ret->location = l[0] - ret->scale * (1 - gamma) / k;
	ret->shape = -k;
	return ret->scale > 0 && isfinite(ret->scale) && isfinite(ret->location);
}

void gev_sample(const struct gev *g, size_t n, GRand *rand, double *ret)
{
	double total = 0;

	for (size_t i = 0; i < n; i++) {
		total -= log1p(-g_rand_double(rand));
		ret[i] = total;
	}
	total -= log1p(-g_rand_double(rand));
	for (size_t i = 0; i < n; i++)
		ret[i] = gev_level(g, -log(ret[i] / total));
}
