/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "repeats.h"

#include "cleanup.h"
#include "notes.h"
#include "result-sample.h"

/* @n samples of @ns on one CPU; none: nothing was measured. */
static void add_stage(struct result *r, const char *name, unsigned repeat, unsigned n, uint64_t ns,
		      enum verdict v)
{
	struct result_stage *s = result_stage_new();
	struct result_cpu *c = result_cpu_new(0);

	s->index = r->stages->len;
	s->name = (g_free(s->name), g_strdup(name));
	s->repeat = repeat;
	s->verdict = v;
	for (unsigned i = 0; i < n; i++)
		figures_record(c->figures, ns, i * 1000);
	g_ptr_array_add(s->cpus, c);
	g_ptr_array_add(r->stages, s);
}

static struct spread mean_of(const GPtrArray *all, guint i)
{
	return repeats_spread(all->pdata[i], repeats_mean_ns, 0);
}

static void assert_spread(struct spread v, unsigned n, double median, double min, double max)
{
	g_assert_cmpuint(v.n, ==, n);
	g_assert_cmpfloat_with_epsilon(v.median, median, 1e-6);
	g_assert_cmpfloat_with_epsilon(v.min, min, 1e-6);
	g_assert_cmpfloat_with_epsilon(v.max, max, 1e-6);
}

static void test_grouped(void)
{
	struct result *r = result_new();
	g_autoptr(GPtrArray) all = NULL;
	const struct repeats *a;

	add_stage(r, "a", 1, 10, 1000, VERDICT_PASS);
	add_stage(r, "b", 1, 10, 7000, VERDICT_NONE);
	add_stage(r, "b", 2, 10, 5000, VERDICT_NONE);
	add_stage(r, "a", 2, 10, 9000, VERDICT_FAIL);
	add_stage(r, "a", 3, 10, 2000, VERDICT_INCONCLUSIVE);
	all = repeats_of(r);
	g_assert_cmpuint(all->len, ==, 2);
	a = all->pdata[0];
	g_assert_cmpstr(a->name, ==, "a");
	g_assert_cmpuint(a->stages->len, ==, 3);
	g_assert_cmpint(a->verdict, ==, VERDICT_FAIL);
	assert_spread(mean_of(all, 0), 3, 2000, 1000, 9000);
	assert_spread(mean_of(all, 1), 2, 6000, 5000, 7000);
	assert_spread(repeats_spread(a, repeats_max_ns, 0), 3, 2000, 1000, 9000);
	g_assert_true(repeats_worst(a) == r->stages->pdata[3]);
	g_assert_true(repeats_worst(all->pdata[1]) == r->stages->pdata[1]);
	result_free(r);
}

/* A repeat without the figure is not one of 0. */
static void test_partly_known(void)
{
	struct result *r = result_new();
	g_autoptr(GPtrArray) all = NULL;

	add_stage(r, "a", 1, 0, 0, VERDICT_NONE);
	add_stage(r, "a", 2, 1, 3000, VERDICT_NONE);
	add_stage(r, "a", 3, 100, 1000, VERDICT_NONE);
	all = repeats_of(r);
	assert_spread(mean_of(all, 0), 2, 2000, 1000, 3000);
	g_assert_cmpuint(repeats_spread(all->pdata[0], repeats_stddev_ns, 0).n, ==, 1);
	g_assert_cmpuint(repeats_spread(all->pdata[0], repeats_percentile_ns, 990000).n, ==, 1);
	g_assert_cmpuint(repeats_spread(all->pdata[0], repeats_percentile_ns, 999999).n, ==, 0);
	g_assert_true(repeats_worst(all->pdata[0]) == r->stages->pdata[1]);
	result_free(r);
}

static void test_none(void)
{
	for (const struct result_sample *s = result_samples; s->name; s++) {
		struct result *r = s->make();
		g_autoptr(GPtrArray) all = repeats_of(r);
		g_autoptr(json_t) json = repeats_json(r);
		bool repeats = g_str_equal(s->name, "repeats");

		g_assert_cmpuint(all->len, ==, repeats ? 2 : 0);
		g_assert_cmpuint(json_array_size(json), ==, repeats ? 2 : 0);
		result_free(r);
	}
}

static void test_json(void)
{
	struct result *r = result_new();
	g_autoptr(json_t) json = NULL;
	const json_t *a;
	const char *stage;
	json_int_t n, min, max;
	double median, low, high;

	add_stage(r, "a", 1, 10, 1000, VERDICT_PASS);
	add_stage(r, "b", 1, 10, 7000, VERDICT_PASS);
	add_stage(r, "a", 2, 10, 1501, VERDICT_PASS);
	json = repeats_json(r);
	g_assert_cmpuint(json_array_size(json), ==, 1); /* b is there once */
	a = json_array_get(json, 0);
	g_assert_cmpint(json_unpack((json_t *)a, "{s:s,s:I,s:I,s:I,s:{s:f,s:f,s:f}}", "stage",
				    &stage, "n", &n, "min_ns", &min, "max_ns", &max, "avg_ns",
				    "median", &median, "min", &low, "max", &high),
			==, 0);
	g_assert_cmpstr(stage, ==, "a");
	g_assert_cmpint(n, ==, 2);
	g_assert_cmpint(min, ==, 1000);
	g_assert_cmpint(max, ==, 1501);
	g_assert_cmpfloat(median, ==, 1250.5);
	g_assert_cmpfloat(low, ==, 1000);
	g_assert_cmpfloat(high, ==, 1501);
	g_assert_true(json_is_null(json_object_get(json_object_get(a, "percentiles"), "99.9999")));
	result_free(r);
}

/* What weakens one of several is said of that one. */
static void test_notes(void)
{
	struct result *r = result_new();
	g_autoptr(GPtrArray) notes = NULL;
	const struct note *n;

	add_stage(r, "a", 1, 10, 1000, VERDICT_INCONCLUSIVE);
	add_stage(r, "b", 1, 10, 1000, VERDICT_INCONCLUSIVE);
	add_stage(r, "a", 2, 10, 1000, VERDICT_INCONCLUSIVE);
	finding_add(((struct result_stage *)r->stages->pdata[1])->findings, "steal", NULL);
	finding_add(((struct result_stage *)r->stages->pdata[2])->findings, "steal", NULL);
	notes = notes_new(r);
	g_assert_cmpuint(notes->len, ==, 1);
	n = notes->pdata[0];
	g_assert_true(g_str_has_prefix(n->text, "stages b, a (repeat 2): "));
	result_free(r);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/repeats/grouped", test_grouped);
	g_test_add_func("/repeats/partly-known", test_partly_known);
	g_test_add_func("/repeats/none", test_none);
	g_test_add_func("/repeats/json", test_json);
	g_test_add_func("/repeats/notes", test_notes);
	return g_test_run();
}
