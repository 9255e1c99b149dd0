/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Do 95 % intervals of averages, percentiles and ratios hold the truth? The table is that of
 * lrtbf-statistics(7).
 */
#include "interval-trial.h"

#include <stdio.h>

#define RUNS 2000

int main(void)
{
	static const double rhos[] = { 0, 0.3, 0.6, 0.8, 0.9 };
	static const unsigned blocks[] = { 60, 300, 1000 }, sessions[] = { 3, 5, 10 };
	static const uint32_t ppms[] = { 500000, 900000, 990000 };
	GRand *rand = g_rand_new_with_seed(1982);

	puts("average of dependent blocks:   batches   single blocks");
	for (size_t i = 0; i < G_N_ELEMENTS(rhos); i++)
		for (size_t k = 0; k < G_N_ELEMENTS(blocks); k++) {
			struct interval_count c =
				interval_trial_mean(RUNS, blocks[k], rhos[i], rand);

			printf("  AR(1) %.1f, %4u blocks         %5.1f %%         %5.1f %%\n",
			       rhos[i], blocks[k], 100.0 * c.held / RUNS, 100.0 * c.single / RUNS);
		}
	puts("percentiles, 20 snapshots of 2000 samples");
	for (size_t i = 0; i < G_N_ELEMENTS(ppms); i++) {
		struct interval_count c = interval_trial_percentile(RUNS / 4, 2000, ppms[i], rand);

		printf("  %g                          %5.1f %%\n", ppms[i] / 1e4,
		       400.0 * c.held / RUNS);
	}
	puts("ratio of sessions, spread 5 % against 15 %");
	for (size_t i = 0; i < G_N_ELEMENTS(sessions); i++) {
		struct interval_count c = interval_trial_ratio(RUNS, sessions[i], rand);

		printf("  %2u on each side               %5.1f %%\n", sessions[i],
		       100.0 * c.held / RUNS);
	}
	g_rand_free(rand);
	return 0;
}
