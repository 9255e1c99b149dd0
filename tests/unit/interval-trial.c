/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "interval-trial.h"

#include <math.h>
#include <string.h>

#define TRIAL_SETTLED	100 /* values of a dependent series before the first that counts */
#define TRIAL_SNAPSHOTS 20
#define TRIAL_SESSIONS	10

static double trial_normal(GRand *rand)
{
	return sqrt(-2 * log1p(-g_rand_double(rand))) * cos(2 * G_PI * g_rand_double(rand));
}

static void trial_blocks(struct figures *f, unsigned blocks, double rho, GRand *rand)
{
	double x = 0;

	f->n_blocks = blocks;
	f->block_length_ns = FIGURES_BLOCK_START_NS;
	for (int i = -TRIAL_SETTLED; i < (int)blocks; i++) {
		x = rho * x + trial_normal(rand);
		if (i >= 0)
			f->blocks[i] = (struct figures_block){
				.max_ns = 20000,
				.sum_ns = (uint64_t)llround(1000 * (10000 + 100 * x)),
				.count = 1000,
			};
	}
}

static bool trial_holds(struct interval v, double truth)
{
	return v.known && v.low <= truth && truth <= v.high;
}

static bool trial_single(const struct figures *f, double truth)
{
	g_autofree double *v = g_new(double, f->n_blocks);

	for (uint32_t i = 0; i < f->n_blocks; i++)
		v[i] = (double)f->blocks[i].sum_ns / (double)f->blocks[i].count;
	return trial_holds(interval_of_mean(v, f->n_blocks), truth);
}

struct interval_count interval_trial_mean(unsigned runs, unsigned blocks, double rho, GRand *rand)
{
	struct interval_count c = { .runs = runs };
	struct result_stage *s = result_stage_new();
	struct result_cpu *cpu = result_cpu_new(0);
	double batch[INTERVAL_BATCHES_MAX];

	g_ptr_array_add(s->cpus, cpu);
	for (unsigned i = 0; i < runs; i++) {
		unsigned n;

		trial_blocks(cpu->figures, blocks, rho, rand);
		n = interval_mean_batches(s, batch);
		c.held += trial_holds(interval_of_mean(batch, n), 10000);
		c.single += trial_single(cpu->figures, 10000);
	}
	result_stage_free(s);
	return c;
}

struct interval_count interval_trial_percentile(unsigned runs, unsigned samples, uint32_t ppm,
						GRand *rand)
{
	struct interval_count c = { .runs = runs };
	struct result_stage *s = result_stage_new();
	g_autofree uint64_t *bucket = g_new(uint64_t, HISTOGRAM_BUCKETS);
	double batch[INTERVAL_BATCHES_MAX], truth = 10000 - 2000 * log1p(-(double)ppm / 1e6);

	for (unsigned i = 0; i < runs; i++) {
		unsigned n;

		snapshots_free(s->snapshots);
		s->snapshots = snapshots_new();
		memset(bucket, 0, HISTOGRAM_BUCKETS * sizeof(*bucket));
		for (unsigned k = 0; k < TRIAL_SNAPSHOTS * samples; k++) {
			double x = 10000 - 2000 * log1p(-g_rand_double(rand));

			bucket[histogram_bucket((uint64_t)x)]++;
			if ((k + 1) % samples == 0)
				snapshots_offer(s->snapshots, k + 1, bucket);
		}
		n = interval_percentile_batches(s, ppm, batch);
		c.held += trial_holds(interval_of_mean(batch, n), truth);
	}
	result_stage_free(s);
	return c;
}

struct interval_count interval_trial_ratio(unsigned runs, unsigned sessions, GRand *rand)
{
	struct interval_count c = { .runs = runs };
	double a[TRIAL_SESSIONS], b[TRIAL_SESSIONS], ratio;

	g_assert_cmpuint(sessions, <=, TRIAL_SESSIONS);
	for (unsigned i = 0; i < runs; i++) {
		for (unsigned k = 0; k < sessions; k++) {
			a[k] = 10000 * exp(0.05 * trial_normal(rand));
			b[k] = 12000 * exp(0.15 * trial_normal(rand));
		}
		c.held += trial_holds(interval_of_ratio(a, sessions, b, sessions, &ratio), 1.2);
	}
	return c;
}
