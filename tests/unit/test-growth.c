/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "growth.h"

#define S UINT64_C(1000000000)

static struct result_stage *stage_of_cpus(unsigned n)
{
	struct result_stage *s = result_stage_new();

	for (unsigned i = 0; i < n; i++)
		g_ptr_array_add(s->cpus, result_cpu_new((int)i));
	return s;
}

/* @n more samples of @ns on each CPU, and it has measured up to @at_ns. */
static void measure(struct result_stage *s, unsigned n, uint64_t ns, uint64_t at_ns)
{
	for (guint i = 0; i < s->cpus->len; i++) {
		struct result_cpu *c = s->cpus->pdata[i];

		for (unsigned k = 0; k < n; k++)
			figures_record(c->figures, ns, at_ns - 1);
	}
	s->duration_ns = at_ns;
}

static uint64_t batch_count(const struct result_stage *s, unsigned i)
{
	g_autofree uint64_t *bucket = g_new(uint64_t, HISTOGRAM_BUCKETS);
	uint64_t n = 0;

	snapshots_batch(s->snapshots, i, bucket);
	for (unsigned b = 0; b < HISTOGRAM_BUCKETS; b++)
		n += bucket[b];
	return n;
}

static void test_all_cpus(void)
{
	struct result_stage *s = stage_of_cpus(3);
	struct growth g = { .spacing_ns = 10 * S };

	measure(s, 5, 1000, 10 * S);
	growth_take(&g, s);
	measure(s, 7, 2000, 20 * S);
	growth_take(&g, s);
	g_assert_cmpuint(snapshots_count(s->snapshots), ==, 2);
	g_assert_cmpuint(snapshots_at_ns(s->snapshots, 0), ==, 10 * S);
	g_assert_cmpuint(snapshots_at_ns(s->snapshots, 1), ==, 20 * S);
	g_assert_cmpuint(batch_count(s, 0), ==, 15);
	g_assert_cmpuint(batch_count(s, 1), ==, 21);
	result_stage_free(s);
}

/* The end is taken when it is as far from the last one as the others are, and only then. */
static void test_end(void)
{
	static const struct {
		uint64_t end_ns;
		unsigned n;
	} ends[] = {
		{ 20 * S, 1 }, { 21 * S, 1 }, { 28 * S, 1 }, { 29 * S, 2 }, { 31 * S, 2 },
	};

	for (size_t i = 0; i < G_N_ELEMENTS(ends); i++) {
		struct result_stage *s = stage_of_cpus(1);
		struct growth g = { .spacing_ns = 10 * S };

		measure(s, 5, 1000, 20 * S);
		growth_take(&g, s);
		measure(s, 5, 1000, ends[i].end_ns);
		growth_end(&g, s);
		g_assert_cmpuint(snapshots_count(s->snapshots), ==, ends[i].n);
		result_stage_free(s);
	}
}

/* Nothing has been measured, nothing is to be taken, it was taken already. */
static void test_nothing(void)
{
	struct result_stage *s = stage_of_cpus(1);
	struct growth none = { 0 }, g = { .spacing_ns = S };

	measure(s, 5, 1000, 100 * S);
	growth_take(&none, s);
	growth_end(&none, s);
	g_assert_null(s->snapshots);
	s->duration_ns = 0;
	growth_take(&g, s);
	growth_end(&g, s);
	g_assert_null(s->snapshots);
	s->duration_ns = S;
	growth_take(&g, s);
	growth_take(&g, s);
	growth_end(&g, s);
	g_assert_cmpuint(snapshots_count(s->snapshots), ==, 1);
	result_stage_free(s);
}

/* A long stage: evenly spaced to its end, whatever had to be dropped. */
static void test_long(void)
{
	struct result_stage *s = stage_of_cpus(1);
	struct growth g = { .spacing_ns = 10 * S };
	unsigned n;

	for (uint64_t at = 10; at < 5000; at += 10) {
		measure(s, 1, 1000, at * S);
		growth_take(&g, s);
	}
	measure(s, 1, 1000, 5000 * S);
	growth_end(&g, s);
	n = snapshots_count(s->snapshots);
	g_assert_cmpuint(n, >=, SNAPSHOTS_MAX / 2 - 1);
	g_assert_cmpuint(n, <, SNAPSHOTS_MAX);
	for (unsigned i = 0; i < n; i++) {
		g_assert_cmpuint(batch_count(s, i), ==, batch_count(s, 0));
		g_assert_cmpuint(snapshots_at_ns(s->snapshots, i), ==,
				 (i + 1) * snapshots_at_ns(s->snapshots, 0));
	}
	result_stage_free(s);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/growth/all-cpus", test_all_cpus);
	g_test_add_func("/growth/end", test_end);
	g_test_add_func("/growth/nothing", test_nothing);
	g_test_add_func("/growth/long", test_long);
	return g_test_run();
}
