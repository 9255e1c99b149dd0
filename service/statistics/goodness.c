/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "goodness.h"

#include <math.h>

/* A fit by moments may leave a value where the distribution has none: very unlikely instead. */
#define GOODNESS_LEAST 1e-12

double goodness_anderson(const struct gev *g, const double *sorted, size_t n)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++) {
		double u = gev_cdf(g, sorted[i]);

		u = fmin(fmax(u, GOODNESS_LEAST), 1 - GOODNESS_LEAST);
		sum += (2 * (double)i + 1) * log(u) + (2 * (double)(n - i) - 1) * log1p(-u);
	}
	return -(double)n - sum / (double)n;
}

static void goodness_round(double *values, size_t n, double grid)
{
	for (size_t i = 0; i < n && grid > 0; i++)
		values[i] = round(values[i] / grid) * grid;
}

double goodness_p(const struct gev *g, const double *sorted, size_t n, double grid,
		  unsigned samples, uint64_t seed)
{
	const guint32 seeds[] = { (guint32)seed, (guint32)(seed >> 32) };
	GRand *rand = g_rand_new_with_seed_array(seeds, G_N_ELEMENTS(seeds));
	g_autofree double *sample = g_new(double, n + 1);
	double found = goodness_anderson(g, sorted, n);
	unsigned worse = 0;

	for (unsigned i = 0; i < samples; i++) {
		struct gev refit;

		gev_sample(g, n, rand, sample);
		goodness_round(sample, n, grid);
		worse += !gev_fit(sample, n, &refit) ||
			 goodness_anderson(&refit, sample, n) >= found;
	}
	g_rand_free(rand);
	return (worse + 1.0) / (samples + 1.0);
}
