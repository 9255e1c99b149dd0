/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * Series of which the truth is known, searched many times: how often is a shift found that is not
 * there, and how often is one found where it is? A few in the unit tests, all of them on demand
 * (tests/bench/changepoint.c).
 */
#include "changepoint.h"

#include <glib.h>

enum changepoint_parent {
	SERIES_GUMBEL, /* independent */
	SERIES_NORMAL, /* autoregressive with `likeness` */
};

struct changepoint_trial {
	enum changepoint_parent parent;
	double likeness;
	double grid; /* rounded to this; 0: not rounded */
	size_t n;
	size_t at, length; /* of values that are shifted; length 0: none is */
	double shift;	   /* in standard deviations */
};

struct changepoint_count {
	unsigned runs;
	unsigned flagged;     /* something was found */
	unsigned fresh;	      /* only by the rule for the last few */
	unsigned exact, near; /* at its place; not more than 2 places from it */
};

void changepoint_trial_series(const struct changepoint_trial *t, GRand *rand, double *ret);
struct changepoint_count changepoint_trial_run(const struct changepoint_trial *t, unsigned runs,
					       guint32 seed);
