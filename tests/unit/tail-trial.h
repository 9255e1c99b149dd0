/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * Block maxima of which the truth is known, fitted many times: how often does the interval hold it?
 * A few in the unit tests, all of them on demand (tests/bench/tail.c).
 */
#include "tail.h"

enum tail_parent {
	PARENT_GEV,	    /* extreme values themselves, of `shape` */
	PARENT_EXPONENTIAL, /* these: the maximum of PARENT_SAMPLES samples is a block's */
	PARENT_PARETO,	    /* with exponent 5 */
	PARENT_BOUNDED,	    /* 1 - (1 - u)^-shape: has a largest value */
	PARENT_DEPENDENT,   /* normal, autoregressive with `shape` */
	PARENT_HIDDEN,	    /* as PARENT_GEV, but one block in PARENT_RARE is 50 scales worse */
};
#define PARENT_RARE    500
#define PARENT_SAMPLES 1000

struct tail_trial {
	enum tail_parent parent;
	double shape;
	size_t blocks;
	double grid; /* rounded to this share of the scale; 0: not rounded */
};

struct tail_count {
	unsigned runs;
	unsigned fitted, held, above, below; /* of the 10x level, where there is an interval */
	unsigned held_100, held_shape;	     /* the same of the 100x level, and of the shape */
	unsigned refusal[_TAIL_REFUSAL_MAX];
};

/* What is exceeded with chance 63 % in @times as many blocks. */
double tail_trial_truth(const struct tail_trial *t, unsigned times);
/* Maxima in the order in which they were taken: into @ret. */
void tail_trial_maxima(const struct tail_trial *t, GRand *rand, double *ret);
struct tail_count tail_trial_run(const struct tail_trial *t, unsigned runs, guint32 seed);
