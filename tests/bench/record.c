/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What recording one sample costs, in ns, warm, on a log-normal stream: what the timer's loop
 * does (the whole bracket of the region), the figures alone, and as the peer a bare array of
 * counters with a range, as most tools have. Medians of many rounds.
 */
#include "region-record.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define SAMPLES 65536
#define ROUNDS	101
#define RANGE	4096

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double median(double *value)
{
	qsort(value, ROUNDS, sizeof(*value), compare);
	return value[ROUNDS / 2];
}

/* Around 20 us with a long tail: what an idle machine's wake-ups look like. */
static uint64_t *stream_new(void)
{
	g_autoptr(GRand) rand = g_rand_new_with_seed(1);
	uint64_t *sample = g_new(uint64_t, SAMPLES);

	for (size_t i = 0; i < SAMPLES; i++) {
		double normal = sqrt(-2 * log(1 - g_rand_double(rand))) *
				cos(2 * G_PI * g_rand_double(rand));

		sample[i] = (uint64_t)exp(log(20000) + 0.8 * normal);
	}
	return sample;
}

static double bench_bare(const uint64_t *sample)
{
	static volatile uint64_t count[RANGE];
	double ns[ROUNDS];

	for (int round = 0; round < ROUNDS; round++) {
		uint64_t begin = now_ns();

		for (size_t i = 0; i < SAMPLES; i++)
			count[MIN(sample[i] / 1000, RANGE - 1)]++;
		ns[round] = (double)(now_ns() - begin) / SAMPLES;
	}
	return median(ns);
}

static double bench_figures(const uint64_t *sample)
{
	g_autofree struct figures *f = figures_new();
	double ns[ROUNDS];
	uint64_t at = 0;

	for (int round = 0; round < ROUNDS; round++) {
		uint64_t begin = now_ns();

		for (size_t i = 0; i < SAMPLES; i++, at += 1000000)
			figures_record(f, sample[i], at);
		ns[round] = (double)(now_ns() - begin) / SAMPLES;
	}
	return median(ns);
}

static double bench_region(const uint64_t *sample)
{
	g_autofree struct region_cpu *c = g_new0(struct region_cpu, 1);
	struct record_place place = { 0 };
	uint64_t next_ns = 0;
	double ns[ROUNDS];

	figures_init(&c->figures);
	c->figures.within_bound_ns = 50000;
	c->interval_ns = 1000000;
	for (int round = 0; round < ROUNDS; round++) {
		uint64_t begin = now_ns();

		for (size_t i = 0; i < SAMPLES; i++)
			next_ns = region_record_inline(c, &place, sample[i], next_ns, next_ns,
						       1000000, 0);
		ns[round] = (double)(now_ns() - begin) / SAMPLES;
	}
	return median(ns);
}

int main(void)
{
	g_autofree uint64_t *sample = stream_new();
	double bare = bench_bare(sample), figures = bench_figures(sample);
	double region = bench_region(sample);

	printf("bare array with a range  %6.2f ns\n", bare);
	printf("figures_record()         %6.2f ns  %5.2f of bare\n", figures, figures / bare);
	printf("the loop's record        %6.2f ns  %5.2f of bare  (target: at most 10 ns)\n",
	       region, region / bare);
	return 0;
}
