/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Do the tail's 95 % intervals hold the truth? 500 runs of each kind with fixed seeds; the table is
 * that of lrtbf-statistics(7). Fails when one does not hold what is demanded of it.
 */
#include "tail-trial.h"

#include <stdio.h>
#include <stdlib.h>

static const struct {
	const char *name;
	struct tail_trial trial;
	unsigned held_least; /* of 500; 0: nothing is demanded */
	unsigned above_most;
	unsigned refused_least, refused_most;
} cases[] = {
	{ "shape 0", { PARENT_GEV, 0, 100, 0 }, 450, 40, 10, 40 },
	{ "shape 0", { PARENT_GEV, 0, 300, 0 }, 450, 40, 10, 40 },
	{ "shape 0", { PARENT_GEV, 0, 1000, 0 }, 450, 40, 10, 40 },
	{ "shape 0.2", { PARENT_GEV, 0.2, 100, 0 }, 450, 40, 10, 40 },
	{ "shape 0.2", { PARENT_GEV, 0.2, 300, 0 }, 450, 40, 10, 40 },
	{ "shape 0.2", { PARENT_GEV, 0.2, 1000, 0 }, 450, 40, 10, 40 },
	{ "shape -0.3", { PARENT_GEV, -0.3, 100, 0 }, 450, 40, 10, 40 },
	{ "shape -0.3", { PARENT_GEV, -0.3, 300, 0 }, 450, 40, 10, 40 },
	{ "shape -0.3", { PARENT_GEV, -0.3, 1000, 0 }, 450, 40, 10, 40 },
	{ "exponential", { PARENT_EXPONENTIAL, 0, 300, 0 }, 440, 40, 10, 40 },
	{ "Pareto 5", { PARENT_PARETO, 0.2, 300, 0 }, 440, 40, 10, 40 },
	{ "bounded -0.3", { PARENT_BOUNDED, -0.3, 300, 0 }, 440, 40, 10, 40 },
	{ "bounded -0.5", { PARENT_BOUNDED, -0.5, 300, 0 }, 440, 40, 10, 40 },
	{ "uniform", { PARENT_BOUNDED, -1, 300, 0 }, 440, 40, 0, 40 },
	{ "hidden mode", { PARENT_HIDDEN, 0, 300, 0 }, 0, 500, 0, 500 },
	{ "rounded to 1/5", { PARENT_GEV, 0, 300, 0.2 }, 450, 40, 10, 40 },
	{ "rounded to 1/3", { PARENT_GEV, 0, 300, 0.33 }, 0, 0, 475, 500 },
	{ "AR(1) 0.6", { PARENT_DEPENDENT, 0.6, 100, 0 }, 0, 500, 475, 500 },
	{ "AR(1) 0.6", { PARENT_DEPENDENT, 0.6, 300, 0 }, 0, 500, 475, 500 },
	{ "AR(1) 0.6", { PARENT_DEPENDENT, 0.6, 1000, 0 }, 0, 500, 475, 500 },
};

int main(int argc, char **argv)
{
	unsigned runs = argc > 1 ? (unsigned)atoi(argv[1]) : 500, broken = 0;

	puts("parent          blocks |  10x held  above  below | 100x held  shape held | refused");
	for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
		const struct tail_trial *t = &cases[i].trial;
		struct tail_count c = tail_trial_run(t, runs, 2000 + (guint32)i);
		unsigned refused = c.runs - c.refusal[TAIL_FITS];
		bool holds = runs != 500 || (refused >= cases[i].refused_least &&
					     refused <= cases[i].refused_most);

		if (cases[i].held_least && runs == 500)
			holds = holds && c.held >= cases[i].held_least && c.held <= 495 &&
				c.above <= cases[i].above_most;
		printf("%-15s %6zu | %9u %6u %6u | %9u %11u | %7u  %s\n", cases[i].name, t->blocks,
		       c.held, c.above, c.below, c.held_100, c.held_shape, refused,
		       holds ? "" : "DOES NOT HOLD");
		fflush(stdout);
		broken += !holds;
	}
	return broken ? EXIT_FAILURE : EXIT_SUCCESS;
}
