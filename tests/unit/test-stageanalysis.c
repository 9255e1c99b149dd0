/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "stageanalysis.h"

#include "stageblocks.h"

#include <math.h>
/* after jansson.h, which it looks for */
#include "cleanup.h"

#define NEAR(x, y, eps) g_assert_cmpfloat_with_epsilon(x, y, eps)

static struct result_stage *stage_new(unsigned cpus)
{
	struct result_stage *s = result_stage_new();

	for (unsigned i = 0; i < cpus; i++)
		g_ptr_array_add(s->cpus, result_cpu_new((int)i));
	return s;
}

static struct figures *stage_figures(struct result_stage *s, unsigned cpu)
{
	return ((struct result_cpu *)s->cpus->pdata[cpu])->figures;
}

/* @seconds of samples, a hundred in each, exponential above 5 us; with snapshots of the first CPU.
 */
static void stage_measure(struct result_stage *s, unsigned seconds, guint32 seed)
{
	GRand *rand = g_rand_new_with_seed(seed);

	s->snapshots = snapshots_free(s->snapshots);
	s->snapshots = snapshots_new();
	for (unsigned t = 0; t < seconds * 100; t++) {
		for (unsigned c = 0; c < s->cpus->len; c++)
			figures_record(stage_figures(s, c),
				       (uint64_t)(5000 - 1000 * log1p(-g_rand_double(rand))),
				       t * 10000000ULL);
		if (t % 500 == 499)
			snapshots_offer(s->snapshots, t * 10000000ULL, stage_figures(s, 0)->bucket);
	}
	g_rand_free(rand);
}

static double real_at(json_t *o, const char *key)
{
	json_t *v = json_object_get(o, key);

	g_assert_true(json_is_number(v));
	return json_number_value(v);
}

static void test_whole(void)
{
	struct result_stage *s = stage_new(2);
	g_autoptr(json_t) a = NULL;
	json_t *intervals, *worst, *tail, *level, *pair;

	stage_measure(s, 300, 1);
	a = stageanalysis_new(s);
	intervals = json_object_get(a, "intervals");
	g_assert_cmpint(json_integer_value(json_object_get(intervals, "batches")), >=, 10);
	pair = json_object_get(intervals, "avg_ns");
	g_assert_cmpfloat(json_number_value(json_array_get(pair, 0)), <, 6000);
	g_assert_cmpfloat(json_number_value(json_array_get(pair, 1)), >, 6000);
	pair = json_object_get(json_object_get(intervals, "percentiles"), "90");
	g_assert_cmpfloat(json_number_value(json_array_get(pair, 0)), <, 5000 + 1000 * log(10));
	g_assert_cmpfloat(json_number_value(json_array_get(pair, 1)), >, 5000 + 1000 * log(10));
	g_assert_true(json_is_null(
		json_object_get(json_object_get(intervals, "percentiles"), "99.9999")));

	worst = json_object_get(a, "worst");
	NEAR(real_at(worst, "blocks"), 300, 1e-9);
	NEAR(real_at(worst, "length_ns"), 1e9, 1e-9);
	NEAR(real_at(worst, "chance"), 0.01, 1e-12);

	tail = json_object_get(a, "tail");
	NEAR(real_at(tail, "blocks"), 300, 1e-9);
	NEAR(real_at(tail, "merged"), 1, 1e-9);
	NEAR(real_at(tail, "block_length_ns"), 1e9, 1e-9);
	/* of the larger of both CPUs' maxima: 200 samples of an exponential distribution */
	NEAR(real_at(tail, "location_ns"), 5000 + 1000 * log(200), 300);
	NEAR(real_at(tail, "scale_ns"), 1000, 200);
	NEAR(real_at(tail, "shape"), 0, 0.2);
	level = json_array_get(json_object_get(tail, "levels"), 0);
	NEAR(real_at(level, "times"), 10, 1e-9);
	NEAR(real_at(level, "duration_ns"), 3000e9, 1);
	g_assert_cmpfloat(real_at(level, "low_ns"), <, 5000 + 1000 * log(200.0 * 3000));
	g_assert_cmpfloat(real_at(level, "high_ns"), >, 5000 + 1000 * log(200.0 * 3000));
	result_stage_free(s);
}

/* The same figures, the same analysis. */
static void test_same(void)
{
	struct result_stage *s = stage_new(1), *t = stage_new(1);
	g_autoptr(json_t) a = NULL, b = NULL;

	stage_measure(s, 120, 3);
	stage_measure(t, 120, 3);
	a = stageanalysis_new(s);
	b = stageanalysis_new(t);
	g_assert_true(json_equal(a, b));
	result_stage_free(s);
	result_stage_free(t);
}

static void test_short(void)
{
	struct result_stage *s = stage_new(1);
	g_autoptr(json_t) a = NULL;
	json_t *tail;

	stage_measure(s, 20, 2);
	a = stageanalysis_new(s);
	tail = json_object_get(a, "tail");
	g_assert_cmpstr(json_string_value(json_object_get(tail, "refused")), ==, "too-few");
	g_assert_cmpint(json_integer_value(json_object_get(tail, "blocks")), ==, 20);
	g_assert_nonnull(
		strstr(json_string_value(json_object_get(tail, "reason")), "100 are needed"));
	NEAR(real_at(json_object_get(a, "worst"), "chance"), 0.15, 1e-12);
	result_stage_free(s);
}

static void assert_nothing(struct result_stage *s)
{
	g_autoptr(json_t) a = stageanalysis_new(s);
	json_t *intervals = json_object_get(a, "intervals"), *v;
	const char *key;

	g_assert_true(json_is_null(json_object_get(intervals, "avg_ns")));
	json_object_foreach (json_object_get(intervals, "percentiles"), key, v)
		g_assert_true(json_is_null(v));
	g_assert_cmpint(json_integer_value(json_object_get(intervals, "batches")), ==, 0);
	g_assert_true(json_is_null(json_object_get(a, "worst")));
}

/* No CPU, no sample, one sample, what another program counted: answers, and none made up. */
static void test_nothing(void)
{
	struct result_stage *none = stage_new(0), *silent = stage_new(2), *foreign = stage_new(1);
	struct figures *f = stage_figures(foreign, 0);
	g_autoptr(json_t) a = NULL;

	assert_nothing(none);
	assert_nothing(silent);
	figures_record(stage_figures(silent, 0), 5000, 0);
	assert_nothing(silent);
	for (unsigned i = 0; i < 1000; i++)
		f->bucket[histogram_bucket(1000 + i)]++;
	f->min_ns = 1000;
	f->max_ns = 1999;
	f->unplaced = 3;
	f->unplaced_from_ns = 100000;
	assert_nothing(foreign);
	a = stageanalysis_new(foreign);
	g_assert_true(json_is_null(json_object_get(a, "tail")));
	result_stage_free(none);
	result_stage_free(silent);
	result_stage_free(foreign);
}

/* A clock that ticks every 4 us, and latencies that scatter by 1 us. */
static void test_coarse(void)
{
	struct result_stage *s = stage_new(1);
	struct figures *f = stage_figures(s, 0);
	GRand *rand = g_rand_new_with_seed(4);
	g_autoptr(json_t) a = NULL;

	for (unsigned t = 0; t < 20000; t++)
		figures_record(f, (uint64_t)(round(2 - 0.25 * log1p(-g_rand_double(rand))) * 4000),
			       t * 10000000ULL);
	a = stageanalysis_new(s);
	g_assert_cmpstr(json_string_value(json_object_get(json_object_get(a, "tail"), "refused")),
			==, "grid");
	g_rand_free(rand);
	result_stage_free(s);
}

static void test_blocks(void)
{
	struct result_stage *s = stage_new(1);
	struct figures *f = stage_figures(s, 0);
	g_autofree struct figures_block *b = g_new(struct figures_block, FIGURES_BLOCKS);

	g_assert_cmpuint(stageblocks_take(f, b), ==, 0);
	f->n_blocks = 6;
	f->blocks[1] = (struct figures_block){ 900, 1000, 2 };
	f->blocks[2] = (struct figures_block){ 200, 10000, 100 };
	f->blocks[4] = (struct figures_block){ 300, 11000, 100 };
	f->blocks[5] = (struct figures_block){ 250, 400, 2 };
	g_assert_cmpuint(stageblocks_take(f, b), ==, 2);
	g_assert_cmpuint(b[0].max_ns, ==, 900);
	g_assert_cmpuint(b[0].sum_ns, ==, 11000);
	g_assert_cmpuint(b[0].count, ==, 102);
	g_assert_cmpuint(b[1].max_ns, ==, 300);
	g_assert_cmpuint(b[1].sum_ns, ==, 11400);
	g_assert_cmpuint(b[1].count, ==, 102);
	f->n_blocks = 2; /* one alone is what it is */
	g_assert_cmpuint(stageblocks_take(f, b), ==, 1);
	g_assert_cmpuint(b[0].count, ==, 2);
	result_stage_free(s);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/stageanalysis/whole", test_whole);
	g_test_add_func("/stageanalysis/same", test_same);
	g_test_add_func("/stageanalysis/short", test_short);
	g_test_add_func("/stageanalysis/nothing", test_nothing);
	g_test_add_func("/stageanalysis/coarse", test_coarse);
	g_test_add_func("/stageanalysis/blocks", test_blocks);
	return g_test_run();
}
