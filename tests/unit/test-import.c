/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Outputs of other programs, as those printed them on a PREEMPT_RT machine: what they state is what
 * comes out.
 */
#include "import-shared.h"

#include <errno.h>
#include <math.h>
#include <string.h>

static void test_cyclictest(void)
{
	g_autoptr(GPtrArray) r = import_file("imports/cyclictest-rt-quiet.txt", NULL);
	uint64_t ns;

	g_assert_cmpstr(method(r, 0, "instrument"), ==, "imported from cyclictest");
	assert_stated(cpu_of(r, 0, 0), 1492, 82, 12525, 245, 1);
	assert_stated(cpu_of(r, 0, 1), 1196, 54, 12499, 244, 1);
	g_assert_false(figures_percentile_ns(cpu_of(r, 0, 0), 500000, false, &ns));
	g_assert_cmpuint(((const struct result *)r->pdata[0])->findings->len, ==, 1);
}

static void test_cyclictest_histogram(void)
{
	g_autoptr(GPtrArray) r = import_file("imports/cyclictest-rt-hist.txt", "cyclictest");
	uint64_t ns;
	double d;

	assert_stated(cpu_of(r, 0, 0), 2884 + 48, 32, 10932, 270, 1);
	assert_stated(cpu_of(r, 0, 1), 2902 + 38, 30, 12070, 254, 1);
	g_assert_cmpuint(cpu_of(r, 0, 0)->unplaced, ==, 48);
	g_assert_cmpuint(cpu_of(r, 0, 0)->unplaced_from_ns, ==, 2000000);
	g_assert_true(figures_percentile_ns(cpu_of(r, 0, 0), 500000, false, &ns));
	g_assert_false(figures_percentile_ns(cpu_of(r, 0, 0), 990000, false, &ns));
	g_assert_false(figures_stddev_ns(cpu_of(r, 0, 0), &d));
}

static void test_cyclictest_json(void)
{
	g_autoptr(GPtrArray) r = import_file("imports/cyclictest-rt.json", NULL);
	const struct result *result = r->pdata[0];

	g_assert_cmpstr(method(r, 0, "source"), ==, "cyclictest-json");
	assert_stated(cpu_of(r, 0, 0), 1915, 83, 7354, 455.35, 0.01);
	assert_stated(cpu_of(r, 0, 1), 1917, 76, 7947, 478.65, 0.01);
	g_assert_cmpuint(cpu_of(r, 0, 0)->unplaced, ==, 1914);
	g_assert_cmpuint(cpu_of(r, 0, 0)->unplaced_from_ns, ==, 100000); /* -h 100 */
	g_assert_cmpuint(result->started_usec, ==, G_GUINT64_CONSTANT(1796044716000000));
	g_assert_cmpuint(result->finished_usec - result->started_usec, ==, 4000000);
	g_assert_cmpstr(json_string_value(json_object_get(
				json_object_get(result->conditions, "kernel"), "release")),
			==, "6.1.0-57-rt-amd64");
}

static void test_jitterdebugger(void)
{
	g_autoptr(GPtrArray) r = import_file("imports/jitterdebugger-rt.json", NULL);

	g_assert_cmpstr(method(r, 0, "source"), ==, "jitterdebugger");
	assert_stated(cpu_of(r, 0, 0), 1968, 36, 12169, 201.57, 0.01);
	assert_stated(cpu_of(r, 0, 1), 1968, 102, 14215, 244.41, 0.01);
	g_assert_cmpuint(cpu_of(r, 0, 0)->unplaced, ==, 1968 - 1937);
	g_assert_cmpuint(cpu_of(r, 0, 0)->unplaced_from_ns, ==, 925000);
}

static void test_timerlat(void)
{
	g_autoptr(GPtrArray) r = import_file("imports/rtla-timerlat-hist.txt", NULL);

	g_assert_cmpuint(r->len, ==, 2);
	g_assert_cmpstr(method(r, 0, "context"), ==, "irq");
	g_assert_cmpstr(method(r, 1, "context"), ==, "thread");
	assert_stated(cpu_of(r, 0, 0), 7889, 38, 10389, 199, 1);
	assert_stated(cpu_of(r, 0, 1), 7871, 33, 6273, 214, 1);
	assert_stated(cpu_of(r, 1, 0), 7889, 54, 10767, 265, 1);
	assert_stated(cpu_of(r, 1, 1), 7871, 92, 7118, 272, 1);
	g_assert_cmpuint(cpu_of(r, 0, 0)->unplaced, ==, 2);
	g_assert_cmpint(json_integer_value(json_object_get(
				((const struct result *)r->pdata[0])->method, "resolution_ns")),
			==, 5000);
	g_assert_cmpuint(stage_of(r, 0)->duration_ns, ==, G_GUINT64_CONSTANT(8000000000));
}

static void test_osnoise(void)
{
	g_autoptr(GPtrArray) r = import_file("imports/rtla-osnoise-hist.txt", NULL);

	g_assert_cmpstr(method(r, 0, "quantity"), ==, "noise");
	assert_stated(cpu_of(r, 0, 0), 13179, 5, 100809, -1, 0);
	assert_stated(cpu_of(r, 0, 1), 12774, 5, 4813, -1, 0);
}

static void test_rteval(void)
{
	g_autoptr(GPtrArray) r = import_file("imports/rteval-summary.xml", NULL);

	g_assert_cmpuint(stage_of(r, 0)->cpus->len, ==, 2);
	assert_stated(cpu_of(r, 0, 0), 31, 3, 9, 139. / 31, 0.001);
	assert_stated(cpu_of(r, 0, 1), 10, 4, 6, 4.6, 0.001);
}

static const struct result *labelled(const GPtrArray *results, const char *label,
				     const char *quantity)
{
	for (guint i = 0; i < results->len; i++) {
		const struct result *r = results->pdata[i];

		if (strcmp(r->label, label) == 0 &&
		    strcmp(method(results, i, "quantity"), quantity) == 0)
			return r;
	}
	return NULL;
}

static void test_lrtbf_2005(void)
{
	g_autoptr(GPtrArray) r = import_file("lrtbf-2005-published.csv", NULL);
	const struct result *irq = labelled(r, "RT-V0.7.50-35 (part 3)", "latency");
	const struct result *lmbench = labelled(r, "RT-V0.7.50-35 (part 3)", "overhead");
	const struct result_stage *hell, *plain;
	const struct result_value *v;
	const struct figures *f;
	uint64_t ns;
	double d;

	g_assert_cmpuint(r->len, ==, 2 * (4 + 3 + 3 + 3));
	g_assert_nonnull(irq);
	g_assert_cmpuint(irq->stages->len, ==, 6);
	hell = irq->stages->pdata[5];
	g_assert_cmpstr(hell->name, ==, "DoHell");
	f = ((const struct result_cpu *)hell->cpus->pdata[0])->figures;
	g_assert_false(figures_count_known(f));
	g_assert_true(figures_max_ns(f, &ns));
	g_assert_cmpuint(ns, ==, 59100);
	g_assert_true(figures_mean_ns(f, &d));
	g_assert_cmpfloat(d, ==, 7900);
	g_assert_true(figures_stddev_ns(f, &d));
	g_assert_cmpfloat(d, ==, 1800);
	g_assert_false(result_is_latency(lmbench));
	plain = lmbench->stages->pdata[0];
	g_assert_cmpuint(plain->values->len, ==, 7);
	v = plain->values->pdata[0];
	g_assert_cmpstr(v->name, ==, "total");
	g_assert_cmpfloat(v->value, ==, 155);
	v = plain->values->pdata[2];
	g_assert_cmpstr(v->name, ==, "open/close");
	g_assert_cmpstr(v->unit, ==, "us");
	g_assert_cmpfloat(v->value, ==, 3.7);
	g_assert_cmpint(v->decimals, ==, 1);
}

static void test_options(void)
{
	struct import_options o = {
		.name = "a b.txt", .label = "board 7", .load = "hell", .kernel = "6.6.6"
	};
	g_autoptr(GPtrArray) results = NULL;
	g_autofree char *text = NULL, *message = NULL;
	const struct result *r;
	GPtrArray *none = NULL;
	gsize size;

	text = fixture("imports/cyclictest-rt.json", &size);
	g_assert_cmpint(import_read(NULL, text, size, &o, 1, &results, NULL), ==, 0);
	r = results->pdata[0];
	g_assert_cmpstr(r->label, ==, "board 7");
	g_assert_cmpstr(stage_of(results, 0)->name, ==, "hell");
	g_assert_cmpstr(json_string_value(json_object_get(json_object_get(r->conditions, "kernel"),
							  "release")),
			==, "6.6.6");
	g_assert_true(result_id_valid(r->id));
	g_assert_cmpint(r->state, ==, SESSION_DONE);
	g_assert_cmpint(import_read(NULL, "x\n", 2, &o, 1, &none, &message), ==, -EBADMSG);
	g_assert_true(g_str_has_prefix(message, "a b.txt"));
	o.label = "two\nlines";
	g_assert_cmpint(import_read(NULL, text, size, &o, 1, &none, NULL), ==, -EINVAL);
	o.label = NULL;
	o.load = "";
	g_assert_cmpint(import_read(NULL, text, size, &o, 1, &none, NULL), ==, -EINVAL);
	g_assert_null(none);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/import/cyclictest", test_cyclictest);
	g_test_add_func("/import/cyclictest-histogram", test_cyclictest_histogram);
	g_test_add_func("/import/cyclictest-json", test_cyclictest_json);
	g_test_add_func("/import/jitterdebugger", test_jitterdebugger);
	g_test_add_func("/import/timerlat", test_timerlat);
	g_test_add_func("/import/osnoise", test_osnoise);
	g_test_add_func("/import/rteval", test_rteval);
	g_test_add_func("/import/lrtbf-2005", test_lrtbf_2005);
	g_test_add_func("/import/options", test_options);
	return g_test_run();
}
