/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tail-trial.h"

#include <math.h>

#define TRIAL_SETTLED 100 /* values of a dependent series before the first that counts */
#define TRIAL_WORSE   50

/* The value that one sample exceeds with chance @q. */
static double parent_exceeded(const struct tail_trial *t, double q)
{
	switch (t->parent) {
	case PARENT_EXPONENTIAL:
		return -log(q);
	case PARENT_PARETO:
		return pow(q, -1.0 / 5);
	default:
		return 1 - pow(q, -t->shape);
	}
}

/* The value that a block of the parent exceeds with chance 1 - exp(-@y). */
static double trial_level(const struct tail_trial *t, double y)
{
	struct gev g = { .scale = 1, .shape = t->shape };

	if (t->parent == PARENT_GEV || t->parent == PARENT_DEPENDENT)
		return gev_level(&g, y);
	if (t->parent == PARENT_HIDDEN) /* beyond it the others do not count */
		return TRIAL_WORSE + gev_level(&g, -log1p(-y * PARENT_RARE));
	return parent_exceeded(t, -expm1(-y / PARENT_SAMPLES));
}

double tail_trial_truth(const struct tail_trial *t, unsigned times)
{
	return trial_level(t, 1.0 / ((double)t->blocks * times));
}

static double trial_normal(GRand *rand)
{
	return sqrt(-2 * log1p(-g_rand_double(rand))) * cos(2 * G_PI * g_rand_double(rand));
}

static double trial_next(const struct tail_trial *t, double before, GRand *rand)
{
	struct tail_trial gev = { PARENT_GEV, t->shape, t->blocks, 0 };

	if (t->parent == PARENT_DEPENDENT)
		return t->shape * before + trial_normal(rand);
	if (t->parent == PARENT_HIDDEN)
		return trial_next(&gev, 0, rand) +
		       (g_rand_double(rand) * PARENT_RARE < 1 ? TRIAL_WORSE : 0);
	return trial_level(t, -log1p(-g_rand_double(rand)));
}

void tail_trial_maxima(const struct tail_trial *t, GRand *rand, double *ret)
{
	double x = 0;

	for (unsigned i = 0; t->parent == PARENT_DEPENDENT && i < TRIAL_SETTLED; i++)
		x = t->shape * x + trial_normal(rand);
	for (size_t i = 0; i < t->blocks; i++) {
		x = trial_next(t, x, rand);
		ret[i] = t->grid > 0 ? round(x / t->grid) * t->grid : x;
	}
}

static void trial_count(const struct tail_trial *trial, const struct tail *t, struct tail_count *c)
{
	double truth = tail_trial_truth(trial, 10), more = tail_trial_truth(trial, 100);

	c->refusal[t->refusal]++;
	if (t->refusal != TAIL_FITS && t->refusal != TAIL_MISFIT)
		return;
	c->fitted++;
	c->above += truth > t->level[0].high;
	c->below += truth < t->level[0].low;
	c->held += truth >= t->level[0].low && truth <= t->level[0].high;
	c->held_100 += more >= t->level[1].low && more <= t->level[1].high;
	c->held_shape += trial->shape >= t->shape_low && trial->shape <= t->shape_high;
}

struct tail_count tail_trial_run(const struct tail_trial *t, unsigned runs, guint32 seed)
{
	g_autofree double *maxima = g_new(double, t->blocks);
	struct tail_count c = { .runs = runs };
	GRand *rand = g_rand_new_with_seed(seed);

	for (unsigned i = 0; i < runs; i++) {
		struct tail tail;

		tail_trial_maxima(t, rand, maxima);
		tail_fit(maxima, t->blocks, t->grid, seed + i, &tail);
		trial_count(t, &tail, &c);
	}
	g_rand_free(rand);
	return c;
}
