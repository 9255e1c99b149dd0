/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * What may still come: the generalized extreme value distribution of block maxima, levels of return
 * with 95 % intervals, and the tests without which such a fit convinces nobody. Pure; the same data
 * and seed give the same numbers.
 *
 * It holds if no cause appears that has not yet shown itself, which no fit can know: it is never
 * part of a verdict.
 */
#include "gev.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TAIL_BLOCKS_MIN	   100
#define TAIL_EXCEED_CHANCE 0.63 /* 1 - 1/e: a level exceeded once on average */
#define TAIL_LEVELS	   2

enum tail_refusal {
	TAIL_FITS,
	TAIL_TOO_FEW,  /* under TAIL_BLOCKS_MIN blocks */
	TAIL_ALIKE,    /* neighbours depend on one another, or pairs of them would be too few */
	TAIL_GRID,     /* the source's resolution is above a quarter of the fitted scale */
	TAIL_MISFIT,   /* Anderson-Darling p below 0.05 */
	TAIL_CONSTANT, /* all maxima are equal, or nearly so: nothing to fit */
	_TAIL_REFUSAL_MAX,
};

struct tail_level {
	unsigned times;		 /* 10: of ten times as long */
	double level, low, high; /* what is exceeded in it with TAIL_EXCEED_CHANCE */
};

struct tail {
	enum tail_refusal refusal;
	size_t blocks;	    /* that were fitted */
	unsigned merged;    /* blocks in each of these: 1 or 2 */
	double correlation; /* lag-1 rank correlation of what was fitted */
	double grid;	    /* what was passed */
	struct gev gev;	    /* no meaning when refused before it was fitted */
	double shape_low,
		shape_high; /* these, and the levels, have a meaning with TAIL_FITS only */
	double p_value;	    /* Anderson-Darling's, with TAIL_MISFIT too */
	struct tail_level level[TAIL_LEVELS]; /* 10x, 100x */
};

/*
 * @maxima in the order in which they were taken, any unit; @grid: the step that they are rounded to
 * (same unit; 0: none). Takes some 0.1 to 1 s: not for the event loop.
 */
void tail_fit(const double *maxima, size_t n, double grid, uint64_t seed, struct tail *ret);

/* The step that values seem to be rounded to: the least gap between two that differ; 0: none do. */
double tail_grid(const double *values, size_t n);

/* "too-few", ...; and a sentence about @t (g_free()). */
const char *tail_refusal_id(enum tail_refusal r);
char *tail_refusal_sentence(const struct tail *t);
