/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "goodness.h"
#include "likelihood.h"
#include "ranks.h"
#include "tail-trial.h"

#include <math.h>
#include <stdlib.h>

#define NEAR(x, y, eps) g_assert_cmpfloat_with_epsilon(x, y, eps)
#define VALUES		20000

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

static void test_gev(void)
{
	const struct gev gumbel = { 10, 2, 0 }, heavy = { 10, 2, 0.5 }, bounded = { 10, 2, -0.5 };

	NEAR(gev_quantile(&gumbel, exp(-1)), 10, 1e-12); /* y = 1: the location, whatever shape */
	NEAR(gev_quantile(&heavy, exp(-1)), 10, 1e-12);
	NEAR(gev_level(&gumbel, exp(-3)), 16, 1e-12);
	NEAR(gev_level(&heavy, 1.0 / 16), 10 + 2 * (4 - 1) / 0.5, 1e-12);
	NEAR(gev_level(&bounded, 1.0 / 16), 10 + 2 * (0.25 - 1) / -0.5, 1e-12);
	for (int i = -3; i <= 3; i++) {
		struct gev g = { -5, 3, i * 0.2 };

		for (double p = 0.05; p < 1; p += 0.1)
			NEAR(gev_cdf(&g, gev_quantile(&g, p)), p, 1e-9);
	}
	NEAR(gev_cdf(&heavy, 5), 0, 1e-300);  /* it begins at 6 */
	NEAR(gev_cdf(&bounded, 14), 1, 1e-9); /* where it ends */
}

/* Of values that stand as the distribution would have them, the fit is that distribution. */
static void test_fit(void)
{
	g_autofree double *v = g_new(double, VALUES);

	for (int s = -4; s <= 3; s++) {
		struct gev g = { 1e6, 500, s * 0.2 }, found;

		for (int i = 0; i < VALUES; i++)
			v[i] = gev_quantile(&g, (i + 0.5) / VALUES);
		g_assert_true(gev_fit(v, VALUES, &found));
		NEAR(found.shape, g.shape, 0.03); /* the values end earlier than a heavy tail */
		NEAR(found.scale, g.scale, 15);
		NEAR(found.location, g.location, 5);
	}
	for (int i = 0; i < VALUES; i++)
		v[i] = 7;
	g_assert_false(gev_fit(v, VALUES, &(struct gev){ 0 }));
	g_assert_false(gev_fit((double[]){ 1, 2 }, 2, &(struct gev){ 0 }));
}

/* In order, and with the distribution's own quantiles. */
static void test_sample(void)
{
	const struct gev g = { 100, 10, 0.1 };
	g_autofree double *v = g_new(double, VALUES);
	GRand *rand = g_rand_new_with_seed(3);

	gev_sample(&g, VALUES, rand, v);
	for (int i = 1; i < VALUES; i++)
		g_assert_cmpfloat(v[i - 1], <=, v[i]);
	NEAR(v[VALUES / 2], gev_quantile(&g, 0.5), 0.5);
	NEAR(v[VALUES * 99 / 100], gev_quantile(&g, 0.99), 4);
	g_rand_free(rand);
}

/*
 * Largest sea level of each year at Port Pirie, 1923 to 1987, in metres, and what S. Coles, "An
 * Introduction to Statistical Modeling of Extreme Values", section 3.4.1, finds with them.
 */
static void test_port_pirie(void)
{
	double v[] = {
		4.03, 3.83, 3.65, 3.88, 4.01, 4.08, 4.18, 3.80, 4.36, 3.96, 3.98, 4.69, 3.85,
		3.96, 3.85, 3.93, 3.75, 3.63, 3.57, 4.25, 3.97, 4.05, 4.24, 4.22, 3.73, 4.37,
		4.06, 3.71, 3.96, 4.06, 4.55, 3.79, 3.89, 4.11, 3.85, 3.86, 3.86, 4.21, 4.01,
		4.11, 4.24, 3.96, 4.21, 3.74, 3.85, 3.88, 3.66, 4.11, 3.71, 4.18, 3.90, 3.78,
		3.91, 3.72, 4.00, 3.66, 3.62, 4.33, 4.55, 3.75, 4.08, 3.90, 3.88, 3.94, 4.33
	};
	struct likelihood *l;
	struct gev g;
	double low, high;

	qsort(v, G_N_ELEMENTS(v), sizeof(*v), compare);
	g_assert_true(gev_fit(v, G_N_ELEMENTS(v), &g));
	l = likelihood_new(v, G_N_ELEMENTS(v), &g);
	g_assert_nonnull(l);
	g = likelihood_gev(l);
	NEAR(g.location, 3.87, 0.006);
	NEAR(g.scale, 0.198, 0.001);
	NEAR(g.shape, -0.050, 0.002);
	likelihood_level(l, -log(0.99), &low, &high); /* once in 100 years */
	NEAR(gev_quantile(&g, 0.99), 4.69, 0.006);
	NEAR(low, 4.50, 0.01);
	NEAR(high, 5.27, 0.01);
	likelihood_shape(l, &low, &high);
	NEAR(low, -0.21, 0.01);
	NEAR(high, 0.17, 0.01);
	likelihood_free(l);
	g_assert_null(likelihood_free(NULL));
}

static void test_ranks(void)
{
	const double v[] = { 5, 1, 5, 9, 2 }, up[] = { 1, 2, 3, 4, 5, 6, 700 },
		     same[] = { 1, 1, 1 };
	double r[5];

	ranks_of(v, 5, r);
	NEAR(r[0], 3.5, 1e-12);
	NEAR(r[1], 1, 1e-12);
	NEAR(r[2], 3.5, 1e-12);
	NEAR(r[3], 5, 1e-12);
	NEAR(r[4], 2, 1e-12);
	NEAR(ranks_lag1(up, 7), 16.0 / 28, 1e-12); /* by hand; the 700 counts as a 7 would */
	NEAR(ranks_lag1(same, 3), 0, 1e-12);
	NEAR(ranks_lag1(up, 2), 0, 1e-12);
}

/* Of three values that stand at 1/6, 3/6 and 5/6: by hand. */
static void test_anderson(void)
{
	const struct gev g = { 0, 1, 0 };
	double v[3], want = -3;

	for (int i = 0; i < 3; i++)
		v[i] = gev_quantile(&g, (2 * i + 1) / 6.0);
	want -= (log(1 / 6.0) + 3 * log(3 / 6.0) + 5 * log(5 / 6.0)) * 2 / 3;
	NEAR(goodness_anderson(&g, v, 3), want, 1e-9);
}

static void trial_fit(const struct tail_trial *t, guint32 seed, struct tail *ret)
{
	g_autofree double *maxima = g_new(double, t->blocks);
	GRand *rand = g_rand_new_with_seed(seed);

	tail_trial_maxima(t, rand, maxima);
	tail_fit(maxima, t->blocks, t->grid, 7, ret);
	g_rand_free(rand);
}

/* Numbers that make sense, the same each time, in any unit. */
static void test_tail(void)
{
	const struct tail_trial trial = { PARENT_GEV, 0.1, 300, 0 };
	g_autofree double *maxima = g_new(double, trial.blocks);
	GRand *rand = g_rand_new_with_seed(1);
	struct tail t, again;

	tail_trial_maxima(&trial, rand, maxima);
	tail_fit(maxima, 300, 0, 7, &t);
	tail_fit(maxima, 300, 0, 7, &again);
	g_assert_cmpint(t.refusal, ==, TAIL_FITS);
	g_assert_cmpmem(&t, sizeof(t), &again, sizeof(again));
	g_assert_cmpuint(t.blocks, ==, 300);
	g_assert_cmpuint(t.merged, ==, 1);
	g_assert_cmpuint(t.level[0].times, ==, 10);
	g_assert_cmpuint(t.level[1].times, ==, 100);
	g_assert_cmpfloat(t.level[0].low, <, t.level[0].level);
	g_assert_cmpfloat(t.level[0].level, <, t.level[0].high);
	g_assert_cmpfloat(t.level[0].level, <, t.level[1].level);
	g_assert_cmpfloat(t.shape_low, <, t.gev.shape);
	g_assert_cmpfloat(t.gev.shape, <, t.shape_high);
	for (int i = 0; i < 300; i++)
		maxima[i] = 50000 + 1000 * maxima[i];
	tail_fit(maxima, 300, 0, 7, &again);
	NEAR(again.level[0].high, 50000 + 1000 * t.level[0].high, 1);
	NEAR(again.p_value, t.p_value, 0.02);
	g_rand_free(rand);
}

static void assert_refused(const struct tail_trial *t, enum tail_refusal why, const char *id,
			   const char *word)
{
	g_autofree char *sentence = NULL;
	struct tail tail;

	trial_fit(t, 11, &tail);
	g_assert_cmpint(tail.refusal, ==, why);
	g_assert_cmpstr(tail_refusal_id(why), ==, id);
	sentence = tail_refusal_sentence(&tail);
	g_assert_nonnull(strstr(sentence, word));
}

static void test_refused(void)
{
	assert_refused(&(struct tail_trial){ PARENT_GEV, 0, 99, 0 }, TAIL_TOO_FEW, "too-few",
		       "99 blocks are too few");
	assert_refused(&(struct tail_trial){ PARENT_GEV, 0, 300, 0.3 }, TAIL_GRID, "grid",
		       "coarsely");
	assert_refused(&(struct tail_trial){ PARENT_DEPENDENT, 0.8, 300, 0 }, TAIL_ALIKE, "alike",
		       "pairs merged");
	assert_refused(&(struct tail_trial){ PARENT_DEPENDENT, 0.8, 150, 0 }, TAIL_ALIKE, "alike",
		       "rank correlation");
	assert_refused(&(struct tail_trial){ PARENT_GEV, 0, 300, 1000 }, TAIL_CONSTANT, "constant",
		       "equal");
}

/* Two causes: most blocks around 0, a third of them around 30. */
static void test_misfit(void)
{
	const struct tail_trial trial = { PARENT_GEV, 0, 300, 0 };
	g_autofree char *sentence = NULL;
	double v[300];
	GRand *rand = g_rand_new_with_seed(1);
	struct tail t;

	tail_trial_maxima(&trial, rand, v);
	for (int i = 0; i < 300; i += 3)
		v[i] += 30;
	tail_fit(v, 300, 0, 1, &t);
	g_assert_cmpint(t.refusal, ==, TAIL_MISFIT);
	NEAR(t.p_value, 1 / 200.0, 1e-9);
	sentence = tail_refusal_sentence(&t);
	g_assert_nonnull(strstr(sentence, "p = 0.005"));
	g_rand_free(rand);
}

/* Every second block is like the one before: as pairs they are independent. */
static void test_merged(void)
{
	const struct tail_trial trial = { PARENT_GEV, 0, 200, 0 };
	double v[200], twice[401];
	GRand *rand = g_rand_new_with_seed(5);
	struct tail t, single;

	tail_trial_maxima(&trial, rand, v);
	for (int i = 0; i < 400; i++)
		twice[i] = v[i / 2];
	twice[400] = 1e6; /* an odd one has no partner */
	tail_fit(v, 200, 0, 1, &single);
	tail_fit(twice, 401, 0, 1, &t);
	g_assert_cmpint(single.refusal, ==, TAIL_FITS);
	g_assert_cmpint(t.refusal, ==, TAIL_FITS);
	g_assert_cmpuint(t.merged, ==, 2);
	g_assert_cmpuint(t.blocks, ==, 200);
	NEAR(t.level[0].high, single.level[0].high, 1e-9);
	g_rand_free(rand);
}

static void test_grid(void)
{
	NEAR(tail_grid((double[]){ 5000, 3000, 3000, 8000 }, 4), 2000, 1e-9);
	NEAR(tail_grid((double[]){ 5000, 5000 }, 2), 0, 1e-9);
	NEAR(tail_grid(NULL, 0), 0, 1e-9);
}

/* Odd data: no crash, no NaN in what is said to fit. */
static void test_odd(void)
{
	g_autofree double *v = g_new(double, 4096);
	GRand *rand = g_rand_new_with_seed(9);
	struct tail t;

	for (int kind = 0; kind < 6; kind++) {
		size_t n = kind == 5 && !g_getenv("LRTBF_VALGRIND") ? 4096 : 200;

		for (size_t i = 0; i < n; i++) {
			double u = g_rand_double(rand);

			v[i] = kind == 0   ? (double)(i % 2)
			       : kind == 1 ? (double)i
			       : kind == 2 ? pow(1 - u, -3)
			       : kind == 3 ? pow(u, 0.1)
			       : kind == 4 ? (i == 77 ? 1e18 : 1000 + u)
					   : floor(-1000 * log(1 - u));
		}
		tail_fit(v, n, tail_grid(v, n), 1, &t);
		g_test_message("kind %d: %s", kind, tail_refusal_id(t.refusal));
		if (t.refusal != TAIL_FITS)
			continue;
		g_assert_true(isfinite(t.level[1].level));
		g_assert_false(isnan(t.level[1].high));
		g_assert_cmpfloat(t.level[1].low, <=, t.level[1].high);
	}
	g_rand_free(rand);
}

/* As tests/bench/tail.c, with fewer runs: what is demanded of 500 less three standard errors. */
static void test_coverage(void)
{
	static const struct tail_trial trials[] = {
		{ PARENT_GEV, 0, 100, 0 },	   { PARENT_GEV, 0.2, 100, 0 },
		{ PARENT_GEV, -0.3, 300, 0 },	   { PARENT_EXPONENTIAL, 0, 300, 0 },
		{ PARENT_PARETO, 0.2, 300, 0 },	   { PARENT_BOUNDED, -0.3, 300, 0 },
		{ PARENT_DEPENDENT, 0.6, 300, 0 },
	};
	unsigned runs = g_getenv("LRTBF_VALGRIND") ? 2 : 60;

	for (size_t i = 0; i < G_N_ELEMENTS(trials); i++) {
		struct tail_count c = tail_trial_run(&trials[i], runs, 100 + (guint32)i);
		unsigned refused = runs - c.refusal[TAIL_FITS];

		g_test_message("%zu: of %u runs %u hold the truth, %u lie below it, %u are refused",
			       i, runs, c.held, c.above, refused);
		if (runs < 10)
			continue;
		if (trials[i].parent == PARENT_DEPENDENT) {
			g_assert_cmpuint(refused, >=, runs * 9 / 10);
			continue;
		}
		g_assert_cmpuint(c.held, >=, runs * 85 / 100);
		g_assert_cmpuint(c.above, <=, runs * 12 / 100);
		g_assert_cmpuint(refused, <=, runs * 15 / 100);
	}
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/tail/gev", test_gev);
	g_test_add_func("/tail/fit", test_fit);
	g_test_add_func("/tail/sample", test_sample);
	g_test_add_func("/tail/port-pirie", test_port_pirie);
	g_test_add_func("/tail/ranks", test_ranks);
	g_test_add_func("/tail/anderson", test_anderson);
	g_test_add_func("/tail/numbers", test_tail);
	g_test_add_func("/tail/refused", test_refused);
	g_test_add_func("/tail/misfit", test_misfit);
	g_test_add_func("/tail/merged", test_merged);
	g_test_add_func("/tail/grid", test_grid);
	g_test_add_func("/tail/odd", test_odd);
	g_test_add_func("/tail/coverage", test_coverage);
	return g_test_run();
}
