/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Files that were cut off, changed or made up: a sentence and nothing else, in bounded time.
 */
#include "import-shared.h"

#include <errno.h>
#include <string.h>

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
		{ "imports/cyclictest-rt-hist.txt", "# Min Latencies: 00032",
		  "# Min Latencies: 00031", "contradict" },
		{ "imports/rtla-timerlat-hist.txt", "min:         38", "min:         40", "rows" },
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

/* More CPUs than there are, in each way to say so. */
static void test_many(void)
{
	g_autoptr(GString) rtla = g_string_new("# RTLA timerlat histogram\nIndex");
	g_autoptr(GString) row = g_string_new("# Histogram\n000001");
	g_autoptr(GString) json = g_string_new("{ \"cpu\": {");
	g_autoptr(GString) csv = g_string_new("part,table,kernel,load\n");

	for (int i = 0; i < 5000; i++) {
		g_string_append_printf(rtla, " IRQ-%03d", i % 1000);
		g_string_append(row, "\t000001");
		g_string_append_printf(json,
				       "%s\"%d\": { \"histogram\": { \"1\": 1 }, \"count\": 1, "
				       "\"min\": 1, \"max\": 1, \"avg\": 1.0 }",
				       i ? "," : "", i);
		g_string_append_printf(csv, "1,irq,kernel%d,None,2,3,1,0.5\n", i);
	}
	g_string_append(rtla, "\n1 1\n");
	g_string_append(row, "\n# Min Latencies: 1\n");
	g_string_append(json, "} }\n");
	refuse_bytes(NULL, rtla->str, rtla->len, -EBADMSG);
	refuse_bytes(NULL, row->str, row->len, -EBADMSG);
	refuse_bytes(NULL, json->str, json->len, -EBADMSG);
	refuse_bytes(NULL, csv->str, csv->len, -EBADMSG);
}

/* A million brackets, a million elements, one in the other and side by side. */
static void test_deep(void)
{
	static const char *const open[] = { "{\"cpu\": {", "[", "<rteval>", "{},", "<rteval/>" };
	static const char *const formats[] = { "jitterdebugger", "cyclictest-json", "rteval",
					       "jitterdebugger", "rteval" };

	for (size_t i = 0; i < G_N_ELEMENTS(open); i++) {
		g_autoptr(GString) text = g_string_new(NULL);

		while (text->len < 4000000)
			g_string_append(text, open[i]);
		refuse_bytes(formats[i], text->str, text->len, -EBADMSG);
	}
}

/* A width that no multiple of which fits takes no longer to find than others. */
static void test_long_search(void)
{
	static const char text[] = "# RTLA timerlat histogram\nIndex   IRQ-000\n"
				   "1000000007    1\n"
				   "over:         0\n"
				   "count:        1\n"
				   "min: 1000000009\n"
				   "avg: 1000000009\n"
				   "max: 1000000009\n";

	refuse_bytes(NULL, text, strlen(text), -EBADMSG);
}

/* Each sample with single bytes changed, the same ones each time: a sentence, or what can be kept.
 */
static void test_any_byte(void)
{
	g_autoptr(GRand) rand = g_rand_new_with_seed(6);

	for (size_t i = 0; i < G_N_ELEMENTS(samples); i++) {
		const char *format = format_of(samples[i]);
		gsize size;
		g_autofree char *text = fixture(samples[i], &size);

		for (int n = 0; n < 100; n++) {
			g_autofree char *message = NULL;
			g_autoptr(GPtrArray) r = NULL;
			guint32 at = (guint32)g_rand_int_range(rand, 0, (gint32)size);
			char was = text[at];

			text[at] = (char)g_rand_int_range(rand, 1, 128);
			if (import_read(format, text, size, NULL, 1, &r, &message) < 0)
				g_assert_nonnull(strchr(message, ' '));
			else
				g_assert_cmpuint(r->len, >, 0);
			text[at] = was;
		}
	}
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/import-hostile/cut", test_cut);
	g_test_add_func("/import-hostile/cut-at-line", test_cut_at_line);
	g_test_add_func("/import-hostile/crlf", test_crlf);
	g_test_add_func("/import-hostile/refused", test_refused);
	g_test_add_func("/import-hostile/garbage", test_garbage);
	g_test_add_func("/import-hostile/many", test_many);
	g_test_add_func("/import-hostile/deep", test_deep);
	g_test_add_func("/import-hostile/long-search", test_long_search);
	g_test_add_func("/import-hostile/any-byte", test_any_byte);
	return g_test_run();
}
