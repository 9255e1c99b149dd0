/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Outputs of other programs, as those printed them on a PREEMPT_RT machine: what they state is what
 * comes out, and what is wrong with a file is a sentence and nothing else.
 */
#include "import.h"

#include <errno.h>
#include <math.h>
#include <string.h>

static char *fixture(const char *name, gsize *ret_size)
{
	g_autofree char *path = g_build_filename(g_getenv("FIXTURES"), name, NULL);
	char *text;

	g_assert_true(g_file_get_contents(path, &text, ret_size, NULL));
	return text;
}

static GPtrArray *import_file(const char *name, const char *format)
{
	g_autofree char *message = NULL, *text = NULL;
	GPtrArray *results = NULL;
	gsize size;
	int r;

	text = fixture(name, &size);
	r = import_read(format, text, size, NULL, 1000000, &results, &message);
	if (r < 0)
		g_test_message("%s", message);
	g_assert_cmpint(r, ==, 0);
	return results;
}

static const struct result_stage *stage_of(const GPtrArray *results, guint i)
{
	g_assert_cmpuint(results->len, >, i);
	return ((const struct result *)results->pdata[i])->stages->pdata[0];
}

static const struct figures *cpu_of(const GPtrArray *results, guint i, guint cpu)
{
	const struct result_stage *s = stage_of(results, i);

	g_assert_cmpuint(s->cpus->len, >, cpu);
	return ((const struct result_cpu *)s->cpus->pdata[cpu])->figures;
}

static const char *method(const GPtrArray *results, guint i, const char *key)
{
	const struct result *r = results->pdata[i];

	return json_string_value(json_object_get(r->method, key));
}

/* Count, minimum and maximum as stated; @avg_us < 0: none is to be had. */
static void assert_stated(const struct figures *f, uint64_t count, uint64_t min_us, uint64_t max_us,
			  double avg_us, double precision_us)
{
	uint64_t ns;
	double mean;

	g_assert_cmpuint(figures_count(f), ==, count);
	g_assert_true(figures_min_ns(f, &ns));
	g_assert_cmpuint(ns, ==, min_us * 1000);
	g_assert_true(figures_max_ns(f, &ns));
	g_assert_cmpuint(ns, ==, max_us * 1000);
	if (avg_us < 0) {
		g_assert_false(figures_mean_ns(f, &mean));
		return;
	}
	g_assert_true(figures_mean_ns(f, &mean));
	g_assert_cmpfloat(mean / 1000, >=, avg_us - precision_us / 2);
	g_assert_cmpfloat(mean / 1000, <, avg_us + precision_us);
}

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

static int read_text(const char *format, const char *text, GPtrArray **ret, char **ret_message)
{
	return import_read(format, text, strlen(text), NULL, 1000000, ret, ret_message);
}

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

/* --- what is wrong --- */

static const char *const samples[] = {
	"imports/cyclictest-rt-quiet.txt", "imports/cyclictest-rt-hist.txt",
	"imports/cyclictest-rt.json",	   "imports/jitterdebugger-rt.json",
	"imports/rtla-timerlat-hist.txt",  "imports/rtla-osnoise-hist.txt",
	"imports/rteval-summary.xml",	   "lrtbf-2005-published.csv",
};

static const char *format_of(const char *name)
{
	g_autoptr(GPtrArray) r = import_file(name, NULL);

	return import_format(method(r, 0, "source"))->name;
}

/*
 * Cut anywhere within: a sentence, or, where what is left is whole lines of a thing that has no
 * end, less of it, never something else.
 */
static void test_cut(void)
{
	for (size_t i = 0; i < G_N_ELEMENTS(samples); i++) {
		const char *format = format_of(samples[i]);
		gsize size, step;
		g_autofree char *text = fixture(samples[i], &size);

		step = size > 3000 ? size / 301 : 1;
		for (gsize n = 0; n + 10 < size; n += step) {
			g_autofree char *message = NULL;
			g_autoptr(GPtrArray) r = NULL;
			int e = import_read(format, text, n, NULL, 1, &r, &message);

			if (e == 0) {
				g_assert_cmpint(text[n - 1], ==, '\n');
				continue;
			}
			g_assert_null(r);
			g_assert_cmpint(e, ==, -EBADMSG);
			g_assert_nonnull(message);
			g_assert_nonnull(strchr(message, ' '));
		}
	}
}

/* What ends by itself says that it was cut off. */
static void test_cut_at_line(void)
{
	for (size_t i = 1; i < 7; i++) {
		const char *format = format_of(samples[i]);
		gsize size;
		g_autofree char *text = fixture(samples[i], &size);
		unsigned lines = 0;

		for (gsize n = 1; n < size / 2; n++) {
			g_autoptr(GPtrArray) r = NULL;

			if (text[n - 1] != '\n' || lines++ % 20)
				continue;
			g_assert_cmpint(import_read(format, text, n, NULL, 1, &r, NULL), ==,
					-EBADMSG);
		}
	}
}

static char *replaced(const char *text, const char *from, const char *to)
{
	g_auto(GStrv) parts = g_strsplit(text, from, -1);

	return g_strjoinv(to, parts);
}

/* Over Windows, and back. */
static void test_crlf(void)
{
	for (size_t i = 0; i < G_N_ELEMENTS(samples); i++) {
		g_autofree char *text = NULL, *crlf = NULL;
		g_autoptr(GPtrArray) a = import_file(samples[i], NULL), b = NULL;
		gsize size;

		text = fixture(samples[i], &size);
		crlf = replaced(text, "\n", "\r\n");
		g_assert_cmpint(read_text(NULL, crlf, &b, NULL), ==, 0);
		g_assert_cmpuint(a->len, ==, b->len);
		for (guint k = 0; k < a->len; k++) {
			g_autofree struct figures *x = result_all(a->pdata[k]),
						  *y = result_all(b->pdata[k]);

			g_assert_cmpmem(x, sizeof(*x), y, sizeof(*y));
		}
	}
}

static void test_refused(void)
{
	static const struct {
		const char *file, *from, *to, *says;
	} cases[] = {
		{ "imports/cyclictest-rt-quiet.txt", "Avg:  245", "Avg:  245,5", "decimal comma" },
		{ "imports/cyclictest-rt-quiet.txt", "C:   1492", "C: 99999999999999999999", "C:" },
		{ "imports/cyclictest-rt-quiet.txt", "Max:   12525", "Max:   7", "contradict" },
		{ "imports/cyclictest-rt-quiet.txt", "T: 1", "T: 99999", "1024" },
		{ "imports/cyclictest-rt-hist.txt", "# Total: 000002884", "# Total: 000002885",
		  "total" },
		{ "imports/cyclictest-rt-hist.txt", "000017 000000", "000002 000000", "line" },
		{ "imports/cyclictest-rt-hist.txt", "# Max Latencies: 10932",
		  "# Max Latencies: 1932", "contradict" },
		{ "imports/cyclictest-rt.json", "\"cycles\": 1915", "\"cycles\": -1", "cycles" },
		{ "imports/cyclictest-rt.json", "455.35", "455,35", "line" },
		{ "imports/cyclictest-rt.json", "\"1\": {", "\"0\": {", "uplicate" },
		{ "imports/cyclictest-rt.json", "\"83\": 1", "\"83\": 4000", "more samples" },
		{ "imports/cyclictest-rt.json", "\"thread\"", "\"threads\"", "output" },
		{ "imports/jitterdebugger-rt.json", "\"102\": 1", "\"-102\": 1", "no time" },
		{ "imports/jitterdebugger-rt.json", "1000", "0", "resolution" },
		{ "imports/rtla-timerlat-hist.txt", "count:     7889", "count:     7888",
		  "missing" },
		{ "imports/rtla-timerlat-hist.txt", "Thr-001", "Thr-000", "twice" },
		{ "imports/rtla-timerlat-hist.txt", "avg:        199", "avg:      199,5", "comma" },
		{ "imports/rtla-osnoise-hist.txt", "CPU-001", "CPU-9999", "column" },
		{ "imports/rteval-summary.xml", "<samples>31</samples>", "<samples>32</samples>",
		  "many samples" },
		{ "imports/rteval-summary.xml", "<maximum unit=\"us\">6", "<maximum unit=\"us\">7",
		  "minimum and maximum" },
		{ "imports/rteval-summary.xml", "core id=\"1\"", "core id=\"0\"", "twice" },
		{ "lrtbf-2005-published.csv", "3,irq,RT-V0.7.50-35,None,5.7",
		  "3,irq,RT-V0.7.50-35,None,5;7", "microseconds" },
		{ "lrtbf-2005-published.csv", "1,total,", "1,sum,", "table" },
		{ "lrtbf-2005-published.csv", "4,irq,Ipipe-0.7,Ping", "4,irq,Ipipe-0.7,None",
		  "twice" },
		{ "lrtbf-2005-published.csv", "4,lmbsum", "5,lmbsum", "which kernel" },
	};

	for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autofree char *text = NULL, *changed = NULL, *message = NULL;
		GPtrArray *r = NULL;
		gsize size;
		int e;

		text = fixture(cases[i].file, &size);
		changed = replaced(text, cases[i].from, cases[i].to);
		g_assert_cmpstr(text, !=, changed);
		e = read_text(NULL, changed, &r, &message);
		g_test_message("%s -> %s: %d %s", cases[i].from, cases[i].to, e, message);
		g_assert_cmpint(e, ==, -EBADMSG);
		g_assert_null(r);
		g_assert_nonnull(strstr(message, cases[i].says));
	}
}

static void refuse_bytes(const char *format, const char *data, size_t size, int e)
{
	g_autofree char *message = NULL;
	GPtrArray *r = NULL;

	g_assert_cmpint(import_read(format, data, size, NULL, 1, &r, &message), ==, e);
	g_assert_null(r);
	g_assert_nonnull(message);
}

static void test_garbage(void)
{
	static const char bomb[] =
		"<?xml version=\"1.0\"?>\n<!DOCTYPE lolz [\n<!ENTITY a \"aaaaaaaaaa\">\n"
		"<!ENTITY b \"&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;\">\n]>\n"
		"<rteval><clargs>&b;&b;</clargs></rteval>\n";
	size_t size = 4 << 20;
	g_autofree char *large = g_malloc(size), *zeroes = g_malloc0(100),
			*huge = g_malloc0(IMPORT_SIZE_MAX + 1);

	refuse_bytes(NULL, bomb, strlen(bomb), -EBADMSG);
	refuse_bytes(NULL, "", 0, -EBADMSG);
	refuse_bytes(NULL, zeroes, 100, -EBADMSG);
	refuse_bytes(NULL, "\xff\xfe\x00", 3, -EBADMSG);
	refuse_bytes(NULL, "nothing of it\n", 14, -EBADMSG);
	refuse_bytes("timerlat", "x\n", 2, -EINVAL);
	refuse_bytes(NULL, huge, IMPORT_SIZE_MAX + 1, -EMSGSIZE);
	for (const struct import_format *const *f = import_formats; *f; f++) {
		for (size_t c = 0; c < 4; c++) {
			memset(large, "[0T<"[c], size);
			refuse_bytes((*f)->name, large, size, -EBADMSG);
		}
		for (size_t i = 0; i < size; i++)
			large[i] = "T: 0 (# 1\n"[i % 10];
		refuse_bytes((*f)->name, large, size, -EBADMSG);
	}
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
	g_test_add_func("/import/cyclictest-variants", test_cyclictest_variants);
	g_test_add_func("/import/cyclictest-json", test_cyclictest_json);
	g_test_add_func("/import/cyclictest-json-variants", test_cyclictest_json_variants);
	g_test_add_func("/import/jitterdebugger", test_jitterdebugger);
	g_test_add_func("/import/timerlat", test_timerlat);
	g_test_add_func("/import/timerlat-variants", test_timerlat_variants);
	g_test_add_func("/import/osnoise", test_osnoise);
	g_test_add_func("/import/rteval", test_rteval);
	g_test_add_func("/import/rteval-without-statistics", test_rteval_without_statistics);
	g_test_add_func("/import/lrtbf-2005", test_lrtbf_2005);
	g_test_add_func("/import/cut", test_cut);
	g_test_add_func("/import/cut-at-line", test_cut_at_line);
	g_test_add_func("/import/crlf", test_crlf);
	g_test_add_func("/import/refused", test_refused);
	g_test_add_func("/import/garbage", test_garbage);
	g_test_add_func("/import/options", test_options);
	return g_test_run();
}
