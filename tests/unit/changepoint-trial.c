/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "changepoint-trial.h"

#include <math.h>

#define TRIAL_SETTLED 100 /* values of a dependent series before the first that counts */
#define TRIAL_SHIFTS  64

static double trial_gumbel(GRand *rand)
{
	return -log(-log1p(-g_rand_double(rand))) * sqrt(6) / G_PI; /* deviation 1 */
}

static double trial_normal(GRand *rand)
{
	return sqrt(-2 * log1p(-g_rand_double(rand))) * cos(2 * G_PI * g_rand_double(rand));
}

/* Standard deviation 1, but for rounding. */
static double trial_next(const struct changepoint_trial *t, double *state, GRand *rand)
{
	if (t->parent == SERIES_GUMBEL)
		return trial_gumbel(rand);
	*state = t->likeness * *state + sqrt(1 - t->likeness * t->likeness) * trial_normal(rand);
	return *state;
}

void changepoint_trial_series(const struct changepoint_trial *t, GRand *rand, double *ret)
{
	double state = 0;

	for (unsigned i = 0; i < TRIAL_SETTLED; i++)
		(void)trial_next(t, &state, rand);
	for (size_t i = 0; i < t->n; i++) {
		ret[i] = trial_next(t, &state, rand);
		if (i >= t->at && i - t->at < t->length)
			ret[i] += t->shift;
		if (t->grid > 0)
			ret[i] = floor(ret[i] / t->grid) * t->grid;
	}
}

struct changepoint_count changepoint_trial_run(const struct changepoint_trial *t, unsigned runs,
					       guint32 seed)
{
	g_autofree double *values = g_new(double, t->n);
	struct changepoint_count count = { .runs = runs };
	GRand *rand = g_rand_new_with_seed(seed);

	for (unsigned run = 0; run < runs; run++) {
		struct changepoint found[TRIAL_SHIFTS];
		bool exact = false, near = false;
		size_t n;

		changepoint_trial_series(t, rand, values);
		n = changepoint_find(values, t->n, found, TRIAL_SHIFTS);
		for (size_t i = 0; i < n; i++) {
			exact = exact || found[i].at == t->at;
			near = near || (found[i].at + 2 >= t->at && found[i].at <= t->at + 2);
		}
		count.flagged += n > 0;
		count.fresh += n == 1 && found[0].fresh;
		count.exact += exact;
		count.near += near;
	}
	g_rand_free(rand);
	return count;
}
