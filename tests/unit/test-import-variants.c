/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What other versions and options of the programs print, written down from their sources.
 */
#include "import-shared.h"

#include <errno.h>
#include <string.h>

/* Without rows of zeroes, a last column of sums, nothing above: all of it is known. */
static void test_cyclictest_variants(void)
{
	static const char sums[] = "# /dev/cpu_dma_latency set to 0us\n"
				   "policy: fifo: loadavg: 0.00 0.01 0.05 2/150 1234\n"
				   "# Histogram\n"
				   "000003 000010\t000000\t000010\n"
				   "000005 000020\t000004\t000024\n"
				   "# Total: 000000030 000000004 000000034\n"
				   "# Min Latencies: 00003 00005\n"
				   "# Avg Latencies: 00004 00005\n"
				   "# Max Latencies: 00005 00005\n"
				   "# Histogram Overflows: 00000 00000 00000\n"
				   "# Histogram Overflow at cycle number:\n"
				   "# Thread 0:\n"
				   "# Thread 1:\n\n";
	static const char again[] =
		"T: 0 ( 100) P:95 I:1000 C:      1 Min: 9 Act: 9 Avg: 9 Max: 9\n"
		"\033[1AT: 0 ( 100) P:95 I:1000 C:      2 Min: 8 Act: 9 Avg: 8 "
		"Max: 9\n";
	g_autoptr(GPtrArray) r = NULL, later = NULL;
	double d;

	g_assert_cmpint(read_text(NULL, sums, &r, NULL), ==, 0);
	g_assert_cmpuint(stage_of(r, 0)->cpus->len, ==, 2);
	assert_stated(cpu_of(r, 0, 0), 30, 3, 5, 4, 1);
	assert_stated(cpu_of(r, 0, 1), 4, 5, 5, 5, 1);
	g_assert_true(figures_stddev_ns(cpu_of(r, 0, 0), &d));
	g_assert_cmpuint(((const struct result *)r->pdata[0])->findings->len, ==, 0);
	g_assert_cmpint(read_text(NULL, again, &later, NULL), ==, 0);
	assert_stated(cpu_of(later, 0, 0), 2, 8, 9, 8, 1);
}

static void test_cyclictest_json_variants(void)
{
	static const char text[] =
		"{\n  \"file_version\": 1,\n"
		"  \"cmdline:\": \"cyclictest -D 4 \"--json=a\\b.json\" --histogram=100\",\n"
		"  \"rt_test_version\": \"2.5\",\n  \"resolution_in_ns\": 1,\n  \"thread\": {\n"
		"    \"0\": { \"histogram\": { \"83\": 2, \"85\": 2 }, \"cycles\": 4, \"min\": 83, "
		"\"max\": 85, \"avg\": 84.00, \"cpu\": 0, \"node\": 0 }\n  }\n}\n";
	g_autoptr(GPtrArray) r = NULL;
	double mean;

	g_assert_cmpint(read_text(NULL, text, &r, NULL), ==, 0);
	g_assert_cmpuint(cpu_of(r, 0, 0)->min_ns, ==, 83);
	g_assert_true(figures_mean_ns(cpu_of(r, 0, 0), &mean));
	g_assert_cmpfloat(mean, ==, 84);
	g_assert_cmpuint(cpu_of(r, 0, 0)->unplaced, ==, 0);
}

static void test_timerlat_variants(void)
{
	static const char text[] = "# RTLA timerlat histogram\n# Time unit is microseconds (us)\n"
				   "# Duration:   0 00:00:02\n"
				   "Index   IRQ-003   Thr-003   Usr-003\n"
				   "0             1         0         -\n"
				   "1             1         2         -\n"
				   "over:         0         0         0\n"
				   "count:        2         2         0\n"
				   "min:          0         1         -\n"
				   "avg:          0         1         -\n"
				   "max:          1         1         -\n"
				   "ALL:        IRQ       Thr       Usr\n"
				   "count:        2         2         0\n";
	g_autoptr(GPtrArray) r = NULL;

	g_assert_cmpint(read_text(NULL, text, &r, NULL), ==, 0);
	g_assert_cmpuint(r->len, ==, 3);
	assert_stated(cpu_of(r, 0, 0), 2, 0, 1, 0.5, 0.1);
	g_assert_cmpuint(figures_count(cpu_of(r, 2, 0)), ==, 0);
	g_assert_cmpint(((const struct result_cpu *)stage_of(r, 0)->cpus->pdata[0])->cpu, ==, 3);
}

static void test_rteval_without_statistics(void)
{
	static const char text[] = "<?xml version=\"1.0\"?>\n<rteval version=\"3\"><Measurements>"
				   "<Profile><cyclictest command_line=\"x\"/></Profile>"
				   "</Measurements></rteval>\n";
	g_autofree char *message = NULL;
	GPtrArray *r = NULL;

	g_assert_cmpint(read_text(NULL, text, &r, &message), ==, -EBADMSG);
	g_assert_nonnull(strstr(message, "no statistics"));
}

/* Later versions: no total, no rows of zeroes; a thread whose samples were all above. */
static void test_cyclictest_later(void)
{
	static const char text[] = "# Histogram\n"
				   "000003 000010\t000000\n"
				   "000005 000020\t000000\n"
				   "# Min Latencies: 00003 00400\n"
				   "# Avg Latencies: 00004 00450\n"
				   "# Max Latencies: 00005 00500\n"
				   "# Histogram Overflows: 00000 00007\n"
				   "# Histogram Overflow at cycle number:\n"
				   "# Thread 0: \n"
				   "# Thread 1: 0 1 2 # 00004 others\n\n";
	g_autoptr(GPtrArray) r = NULL;
	uint64_t ns;

	g_assert_cmpint(read_text(NULL, text, &r, NULL), ==, 0);
	assert_stated(cpu_of(r, 0, 0), 30, 3, 5, 13. / 3, 0.001);
	assert_stated(cpu_of(r, 0, 1), 7, 400, 500, 450, 1);
	g_assert_cmpuint(cpu_of(r, 0, 1)->unplaced_from_ns, ==, 6000);
	g_assert_false(figures_percentile_ns(cpu_of(r, 0, 1), 500000, false, &ns));
	assert_finding(r, 0, 0, "7 samples were above");
}

/* -v, with two cycles of thread 1 that were overrun. */
static void test_cyclictest_samples(void)
{
	static const char text[] = "# /dev/cpu_dma_latency set to 0us\n"
				   "Max CPUs = 2\n"
				   "       0:       0:      12\n"
				   "       1:       0:      15\n"
				   "       0:       1:      10\n"
				   "       1:       3:     115\n";
	g_autoptr(GPtrArray) r = NULL;
	uint64_t ns;

	g_assert_cmpint(read_text(NULL, text, &r, NULL), ==, 0);
	g_assert_cmpuint(stage_of(r, 0)->cpus->len, ==, 2);
	assert_stated(cpu_of(r, 0, 0), 2, 10, 12, 11, 0.001);
	g_assert_cmpuint(figures_count(cpu_of(r, 0, 1)), ==, 4);
	g_assert_cmpuint(figures_placed(cpu_of(r, 0, 1)), ==, 2);
	g_assert_false(figures_max_ns(cpu_of(r, 0, 1), &ns));
	g_assert_false(figures_min_ns(cpu_of(r, 0, 1), &ns));
	assert_finding(r, 0, 0, "no line for 2 samples");
}

/* A thread that never ran: its average is no number. */
static void test_json_nan(void)
{
	static const char text[] =
		"{\n  \"version\": 1,\n  \"cpu\": {\n    \"0\": {\n      \"histogram\": {\n"
		"        \"5\": 3\n      },\n      \"count\": 3,\n      \"min\": 5,\n"
		"      \"max\": 5,\n      \"avg\": 5.00\n    },\n"
		"    \"1\": {\n      \"histogram\": {      },\n      \"count\": 0,\n"
		"      \"min\": 4294967295,\n      \"max\": 0,\n      \"avg\": -nan\n    }\n  "
		"}\n}\n";
	g_autoptr(GPtrArray) r = NULL;

	g_assert_cmpint(read_text(NULL, text, &r, NULL), ==, 0);
	g_assert_cmpstr(method(r, 0, "source"), ==, "jitterdebugger");
	assert_stated(cpu_of(r, 0, 0), 3, 5, 5, 5, 0.001);
	g_assert_cmpuint(figures_count(cpu_of(r, 0, 1)), ==, 0);
}

/*
 * Rows far apart do not make them wide: what is above is above one step, and a sample is where its
 * row says. Events that were missed are told.
 */
static void test_timerlat_sparse(void)
{
	static const char text[] = "# RTLA timerlat histogram\n# Time unit is microseconds (us)\n"
				   "# Duration:   0 00:00:02\n"
				   "Index   IRQ-000\n"
				   "100           1\n"
				   "200           1\n"
				   "over:         1\n"
				   "count:        3\n"
				   "min:        100\n"
				   "avg:        233\n"
				   "max:        400\n"
				   "ALL:        IRQ\n"
				   "12 (0.50%) events missed, results might not be accurate\n";
	g_autoptr(GPtrArray) r = NULL;
	uint64_t ns;

	g_assert_cmpint(read_text(NULL, text, &r, NULL), ==, 0);
	assert_stated(cpu_of(r, 0, 0), 3, 100, 400, 233, 1);
	g_assert_cmpuint(cpu_of(r, 0, 0)->unplaced_from_ns, ==, 201000);
	g_assert_true(figures_percentile_ns(cpu_of(r, 0, 0), 500000, false, &ns));
	g_assert_cmpuint(histogram_bucket(ns), ==, histogram_bucket(200000));
	assert_finding(r, 0, 0, "1 samples were above");
	assert_finding(r, 0, 1, "12 (0.50%) events missed");
}

/* A minimum within a row tells how wide rows are at least, and so do rows of zeroes. */
static void test_timerlat_wide(void)
{
	static const char text[] = "# RTLA timerlat histogram\n# Time unit is microseconds (us)\n"
				   "Index   IRQ-000\n%s"
				   "20            4\n"
				   "over:         1\n"
				   "count:        5\n"
				   "min:         %u\n"
				   "avg:         25\n"
				   "max:         45\n";
	static const struct {
		const char *zeroes;
		unsigned min, resolution_us;
	} cases[] = {
		{ "", 20, 1 },
		{ "", 23, 4 },
		{ "", 24, 5 },
		{ "", 25, 10 },
		{ "0             0\n10            0\n", 20, 10 },
	};

	for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autofree char *file = g_strdup_printf(text, cases[i].zeroes, cases[i].min);
		g_autoptr(GPtrArray) r = NULL;
		const struct result *result;

		g_assert_cmpint(read_text(NULL, file, &r, NULL), ==, 0);
		result = r->pdata[0];
		g_assert_cmpint(
			json_integer_value(json_object_get(result->method, "resolution_ns")), ==,
			cases[i].resolution_us * 1000);
		g_assert_cmpuint(cpu_of(r, 0, 0)->unplaced_from_ns, ==,
				 (20 + cases[i].resolution_us) * 1000);
		assert_stated(cpu_of(r, 0, 0), 5, cases[i].min, 45, 25, 1);
	}
}

/* Later versions print an average with decimals; it is taken no more than the others. */
static void test_osnoise_later(void)
{
	static const char text[] = "# RTLA osnoise histogram\n# Time unit is nanoseconds (ns)\n"
				   "# Duration:   0 00:00:02\n"
				   "Index   CPU-001\n"
				   "1000          2\n"
				   "over:         1\n"
				   "count:        3\n"
				   "min:       1000\n"
				   "avg:    2333.33\n"
				   "max:       5000\n";
	g_autoptr(GPtrArray) r = NULL;
	const struct figures *f;

	g_assert_cmpint(read_text(NULL, text, &r, NULL), ==, 0);
	f = cpu_of(r, 0, 0);
	assert_stated(f, 3, 1, 5, -1, 0);
	g_assert_cmpuint(f->unplaced_from_ns, ==, 1001);
}

static GPtrArray *rteval(const char *from, const char *to)
{
	g_autofree char *text = NULL, *changed = NULL, *message = NULL;
	GPtrArray *r = NULL;
	gsize size;

	text = fixture("imports/rteval-summary.xml", &size);
	changed = replaced(text, from, to);
	g_assert_cmpstr(text, !=, changed);
	if (read_text(NULL, changed, &r, &message) < 0)
		g_test_message("%s", message);
	g_assert_nonnull(r);
	return r;
}

/* It reckons no mean of one sample, and looks no closer at the very end of its histogram. */
static void test_rteval_edges(void)
{
	static const char one[] =
		"<core id=\"2\" priority=\"95\"><statistics><samples>1</samples>"
		"<minimum unit=\"us\">7</minimum><maximum unit=\"us\">7</maximum>"
		"<mean unit=\"us\">0.0</mean></statistics><histogram nbuckets=\"1\">"
		"<bucket index=\"7\" value=\"1\"/></histogram></core></cyclictest>";
	g_autoptr(GPtrArray) single = rteval("</cyclictest>", one);
	g_autoptr(GPtrArray) end = rteval("<maximum unit=\"us\">6", "<maximum unit=\"us\">3500");
	uint64_t ns;

	assert_stated(cpu_of(single, 0, 2), 1, 7, 7, 7, 0.001);
	g_assert_true(figures_max_ns(cpu_of(end, 0, 1), &ns));
	g_assert_cmpuint(ns, ==, 3500000);
	assert_finding(end, 0, 0, "how many is not known");
}

/* What ran, how long, and that timerlat's contexts are one. */
static void test_rteval_about(void)
{
	g_autoptr(GPtrArray) loads = rteval(
		"<Measurements>", "<loads load_average=\"3.2\"><command_line name=\"kcompile\" "
				  "job_instances=\"4\">make</command_line><command_line "
				  "name=\"hackbench\"/></loads><Measurements>");
	g_autoptr(GPtrArray) timerlat = rteval("cyclictest", "timerlat");

	g_assert_cmpstr(stage_of(loads, 0)->name, ==, "kcompile+hackbench");
	g_assert_cmpuint(stage_of(loads, 0)->duration_ns, ==, G_GUINT64_CONSTANT(600000000000));
	g_assert_cmpstr(method(loads, 0, "context"), ==, NULL);
	g_assert_cmpstr(method(timerlat, 0, "context"), ==, "irq+thread+user");
	assert_finding(timerlat, 0, 0, "without telling");
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/import-variants/cyclictest", test_cyclictest_variants);
	g_test_add_func("/import-variants/cyclictest-later", test_cyclictest_later);
	g_test_add_func("/import-variants/cyclictest-samples", test_cyclictest_samples);
	g_test_add_func("/import-variants/cyclictest-json", test_cyclictest_json_variants);
	g_test_add_func("/import-variants/json-nan", test_json_nan);
	g_test_add_func("/import-variants/timerlat", test_timerlat_variants);
	g_test_add_func("/import-variants/timerlat-sparse", test_timerlat_sparse);
	g_test_add_func("/import-variants/timerlat-wide", test_timerlat_wide);
	g_test_add_func("/import-variants/osnoise-later", test_osnoise_later);
	g_test_add_func("/import-variants/rteval-without-statistics",
			test_rteval_without_statistics);
	g_test_add_func("/import-variants/rteval-edges", test_rteval_edges);
	g_test_add_func("/import-variants/rteval-about", test_rteval_about);
	return g_test_run();
}
