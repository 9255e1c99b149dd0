/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * In the order in which it is refused: every step is worth nothing without those before it.
 *
 * Neighbours that are alike (a late second is followed by a late one) make blocks fewer than they
 * look. Pairs are then merged, once: what is still alike in blocks of twice the length has a cause
 * of long breath, and a fit would sound surer than it can be. Merged ones must be clearly less
 * alike than single ones had to be, since with half the blocks the correlation is known less well.
 */
#include "tail.h"

#include "goodness.h"
#include "likelihood.h"
#include "ranks.h"

#include <math.h>
#include <string.h>

#define TAIL_ALIKE_MAX	      0.3 /* lag-1 rank correlation of blocks */
#define TAIL_ALIKE_MERGED_MAX 0.2
#define TAIL_GRID_SHARE	      4 /* the scale must be as many steps of the grid */
#define TAIL_MISFIT_P	      0.05
#define TAIL_SAMPLES	      199

static const unsigned tail_times[TAIL_LEVELS] = { 10, 100 };

static int tail_compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

static double *tail_sorted(const double *values, size_t n)
{
	double *sorted = g_new(double, n + 1);

	if (n)
		memcpy(sorted, values, n * sizeof(*values));
	qsort(sorted, n, sizeof(*sorted), tail_compare);
	return sorted;
}

double tail_grid(const double *values, size_t n)
{
	g_autofree double *sorted = tail_sorted(values, n);
	double least = 0;

	for (size_t i = 1; i < n; i++) {
		double gap = sorted[i] - sorted[i - 1];

		if (gap > 0 && (least == 0 || gap < least))
			least = gap;
	}
	return least;
}

/* Of @n values the maxima of pairs, in place; an odd one at the end is left out. */
static size_t tail_merge(double *values, size_t n)
{
	for (size_t i = 0; i < n / 2; i++)
		values[i] = fmax(values[2 * i], values[2 * i + 1]);
	return n / 2;
}

/* Are there enough of them that do not depend on one another? Maybe as pairs. */
static enum tail_refusal tail_independent(double *values, struct tail *t)
{
	if (t->blocks < TAIL_BLOCKS_MIN)
		return TAIL_TOO_FEW;
	if (tail_grid(values, t->blocks) == 0)
		return TAIL_CONSTANT;
	t->correlation = ranks_lag1(values, t->blocks);
	if (t->correlation <= TAIL_ALIKE_MAX)
		return TAIL_FITS;
	if (t->blocks / 2 < TAIL_BLOCKS_MIN)
		return TAIL_ALIKE;
	t->blocks = tail_merge(values, t->blocks);
	t->merged = 2;
	t->correlation = ranks_lag1(values, t->blocks);
	return t->correlation <= TAIL_ALIKE_MERGED_MAX ? TAIL_FITS : TAIL_ALIKE;
}

static void tail_levels(const struct likelihood *l, struct tail *t)
{
	for (size_t i = 0; i < TAIL_LEVELS; i++) {
		struct tail_level *v = &t->level[i];
		double y = 1 / ((double)t->blocks * tail_times[i]);

		v->times = tail_times[i];
		v->level = gev_level(&t->gev, y);
		likelihood_level(l, y, &v->low, &v->high);
	}
	likelihood_shape(l, &t->shape_low, &t->shape_high);
}

static enum tail_refusal tail_judge(const double *sorted, double grid, uint64_t seed,
				    struct tail *t)
{
	struct likelihood *l;
	struct gev moments;

	if (!gev_fit(sorted, t->blocks, &moments))
		return TAIL_CONSTANT;
	t->gev = moments;
	if (grid > moments.scale / TAIL_GRID_SHARE)
		return TAIL_GRID;
	t->p_value = goodness_p(&moments, sorted, t->blocks, grid, TAIL_SAMPLES, seed);
	l = likelihood_new(sorted, t->blocks, &moments);
	if (!l)
		return TAIL_MISFIT;
	t->gev = likelihood_gev(l);
	tail_levels(l, t);
	likelihood_free(l);
	return t->p_value < TAIL_MISFIT_P ? TAIL_MISFIT : TAIL_FITS;
}

void tail_fit(const double *maxima, size_t n, double grid, uint64_t seed, struct tail *ret)
{
	g_autofree double *values = g_memdup2(maxima, n * sizeof(*maxima)), *sorted = NULL;
	struct tail t = { .blocks = n, .merged = 1, .grid = grid };

	t.refusal = tail_independent(values, &t);
	if (t.refusal == TAIL_FITS) {
		sorted = tail_sorted(values, t.blocks);
		t.refusal = tail_judge(sorted, grid, seed, &t);
	}
	*ret = t;
}

const char *tail_refusal_id(enum tail_refusal r)
{
	static const char *const ids[_TAIL_REFUSAL_MAX] = {
		[TAIL_FITS] = "fits", [TAIL_TOO_FEW] = "too-few", [TAIL_ALIKE] = "alike",
		[TAIL_GRID] = "grid", [TAIL_MISFIT] = "misfit",	  [TAIL_CONSTANT] = "constant",
	};

	return ids[r];
}

char *tail_refusal_sentence(const struct tail *t)
{
	switch (t->refusal) {
	case TAIL_TOO_FEW:
		return g_strdup_printf("%zu blocks are too few for one: %d are needed.", t->blocks,
				       TAIL_BLOCKS_MIN);
	case TAIL_ALIKE:
		return g_strdup_printf(
			"A block's maximum depends on the one before (rank correlation %.2f%s): "
			"blocks are fewer than they look.",
			t->correlation, t->merged > 1 ? ", with pairs merged" : "");
	case TAIL_GRID:
		return g_strdup("The maxima are known too coarsely: the step between two values is "
				"above a quarter of how far they scatter.");
	case TAIL_MISFIT:
		return g_strdup_printf("No extreme value distribution fits the block maxima "
				       "(Anderson-Darling, p = %.3f): they have several causes.",
				       t->p_value);
	case TAIL_CONSTANT:
		return g_strdup("All block maxima are equal.");
	default:
		return g_strdup_printf(
			"An extreme value distribution fits the maxima of %zu blocks.", t->blocks);
	}
}
