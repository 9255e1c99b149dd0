/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How often is a shift found that is not there, and how often is one found that is? Runs of each
 * kind with fixed seeds (500, or as many as the argument says); the table is that of
 * lrtbf-statistics(7). Fails when one does not hold what is demanded of it.
 */
#include "changepoint-trial.h"

#include <stdio.h>
#include <stdlib.h>

static const struct {
	const char *name;
	struct changepoint_trial trial;
	double flagged_most; /* of 500; 500: nothing is demanded */
	double flagged_least, near_least;
} cases[] = {
	{ "independent", { SERIES_GUMBEL, .n = 10 }, 12 },
	{ "independent", { SERIES_GUMBEL, .n = 30 }, 12 },
	{ "independent", { SERIES_GUMBEL, .n = 100 }, 12 },
	{ "independent", { SERIES_GUMBEL, .n = 365 }, 12 },
	{ "independent", { SERIES_GUMBEL, .n = 1000 }, 12 },
	{ "rounded", { SERIES_GUMBEL, .grid = 1, .n = 100 }, 12 },
	{ "rounded", { SERIES_GUMBEL, .grid = 1, .n = 365 }, 12 },
	{ "AR(1) 0.3", { SERIES_NORMAL, 0.3, .n = 30 }, 25 },
	{ "AR(1) 0.3", { SERIES_NORMAL, 0.3, .n = 100 }, 25 },
	{ "AR(1) 0.3", { SERIES_NORMAL, 0.3, .n = 365 }, 25 },
	{ "AR(1) 0.3", { SERIES_NORMAL, 0.3, .n = 1000 }, 25 },
	{ "AR(1) 0.6", { SERIES_NORMAL, 0.6, .n = 100 }, 500 },
	{ "AR(1) 0.6", { SERIES_NORMAL, 0.6, .n = 365 }, 500 },
	{ "shift 2 in the middle", { SERIES_GUMBEL, 0, 0, 100, 50, 50, 2 }, 500, 475, 425 },
	{ "the same, down", { SERIES_GUMBEL, 0, 0, 100, 50, 50, -2 }, 500, 475, 425 },
	{ "the same, AR(1) 0.3", { SERIES_NORMAL, 0.3, 0, 100, 50, 50, 2 }, 500, 475, 0 },
	{ "shift 1 in the middle", { SERIES_GUMBEL, 0, 0, 100, 50, 50, 1 }, 500 },
	{ "shift 2, the last 3", { SERIES_GUMBEL, 0, 0, 100, 97, 3, 2 }, 500 },
	{ "shift 2, the last 6", { SERIES_GUMBEL, 0, 0, 100, 94, 6, 2 }, 500 },
	{ "shift 3, the last 3", { SERIES_GUMBEL, 0, 0, 100, 97, 3, 3 }, 500 },
	{ "shift 2 for 30", { SERIES_GUMBEL, 0, 0, 1000, 300, 30, 2 }, 500 },
	{ "shift 2 for 60", { SERIES_GUMBEL, 0, 0, 1000, 300, 60, 2 }, 500 },
};

int main(int argc, char **argv)
{
	unsigned runs = argc > 1 ? (unsigned)atoi(argv[1]) : 500, broken = 0;

	printf("%-24s %5s %8s %6s %6s %8s\n", "series", "n", "flagged", "fresh", "exact",
	       "within 2");
	for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
		struct changepoint_count c =
			changepoint_trial_run(&cases[i].trial, runs, 4711 + (guint32)i);
		double scale = 500.0 / runs;
		bool bad = c.flagged * scale > cases[i].flagged_most ||
			   c.flagged * scale < cases[i].flagged_least ||
			   c.near * scale < cases[i].near_least;

		printf("%-24s %5zu %7.1f%% %5.1f%% %5.1f%% %7.1f%%%s\n", cases[i].name,
		       cases[i].trial.n, 100.0 * c.flagged / runs, 100.0 * c.fresh / runs,
		       100.0 * c.exact / runs, 100.0 * c.near / runs, bad ? "  NOT HELD" : "");
		broken += bad;
	}
	return broken > 0;
}
