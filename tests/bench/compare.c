/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How long a comparison of 50 sessions takes, from the store to the text: as 50 sides of one
 * session each, where every one has intervals of its own to be worked out, and as two sides of 25.
 * Beside it the same sessions read from the store and nothing else. Meant: below 200 ms.
 */
#include "../unit/store-fixture.h"
#include "comparison.h"

#include <stdio.h>

#define SESSIONS 50
#define ROUNDS	 5
#define CPUS	 4
#define SECONDS	 120

/* Two minutes at 1 ms on each CPU. */
static struct result *bench_session(unsigned n)
{
	g_autofree char *id = g_strdup_printf("s%u", n);
	struct result *r = fixture_head(id, "timer", SESSION_DONE);
	struct result_stage *s = result_stage_new();
	GRand *rand = g_rand_new_with_seed(n);
	g_autofree struct figures *all = NULL;

	r->verdict = VERDICT_NONE;
	s->name = (g_free(s->name), g_strdup("none"));
	s->load = (g_free(s->load), g_strdup("none"));
	s->repeat = 1;
	s->verdict = VERDICT_NONE;
	s->snapshots = snapshots_new();
	for (int c = 0; c < CPUS; c++)
		g_ptr_array_add(s->cpus, result_cpu_new(c));
	for (unsigned t = 0; t < SECONDS; t += 5) {
		for (int c = 0; c < CPUS; c++)
			for (unsigned i = 0; i < 5000; i++) {
				double x = g_rand_double(rand);

				figures_record(((struct result_cpu *)s->cpus->pdata[c])->figures,
					       (uint64_t)(3000 + 2000 * x + 10 / (x + 1e-4)),
					       (t * 1000 + i) * 1000000ULL + 1);
			}
		g_free(all);
		all = result_stage_all(s);
		snapshots_offer(s->snapshots, (t + 5) * 1000000000ULL, all->bucket);
	}
	g_ptr_array_add(r->stages, s);
	g_rand_free(rand);
	return r;
}

static void bench_fill(struct store *s)
{
	for (unsigned i = 0; i < SESSIONS; i++) {
		struct result *r = bench_session(i);

		fixture_put_whole(s, r);
		result_free(r);
	}
	fixture_flush(s);
}

/* Read all; into @c, unless it is NULL, as @sides sides. */
static void bench_read(struct store *s, struct comparison *c, unsigned sides)
{
	for (unsigned i = 0; i < SESSIONS; i++) {
		g_autofree char *id = g_strdup_printf("s%u", i), *message = NULL;
		struct result *r = NULL;

		g_assert_cmpint(store_get(s, id, &r, &message), ==, 0);
		if (c && i * sides % SESSIONS < sides)
			comparison_add_side(c, id);
		if (c)
			g_assert_cmpint(comparison_add(c, i * sides / SESSIONS, r, NULL), ==, 0);
		result_free(r);
	}
}

static double bench_ms(struct store *s, unsigned sides)
{
	double best = 0;

	for (unsigned i = 0; i < ROUNDS; i++) {
		int64_t begin = g_get_monotonic_time();
		struct comparison *c = sides ? comparison_new(NULL) : NULL;
		g_autoptr(GString) out = g_string_new(NULL);
		double ms;

		bench_read(s, c, sides);
		if (c) {
			g_assert_cmpint(comparison_finish(c, NULL), ==, 0);
			g_assert_cmpint(comparison_render("text", c, NULL, out, NULL), ==, 0);
		}
		comparison_free(c);
		ms = (double)(g_get_monotonic_time() - begin) / 1000;
		best = i == 0 || ms < best ? ms : best;
	}
	return best;
}

int main(void)
{
	g_autofree char *dir = fixture_dir();
	struct store *s = fixture_open(dir);
	double read;

	bench_fill(s);
	read = bench_ms(s, 0);
	printf("%d sessions of %d CPUs, %d s each; fastest of %d:\n", SESSIONS, CPUS, SECONDS,
	       ROUNDS);
	printf("  read from the store        %7.1f ms\n", read);
	for (unsigned sides = SESSIONS; sides >= 2; sides = sides == 2 ? 0 : 2) {
		double ms = bench_ms(s, sides);

		printf("  read and compared, %2u sides %6.1f ms   %5.2f of reading; meant: 200 "
		       "ms\n",
		       sides, ms, ms / read);
	}
	store_close(s);
	fixture_remove(dir);
	return 0;
}
