/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the text report is built of: cells, bins, tables, notes.
 */
#include "bins.h"
#include "cell.h"
#include "columns.h"
#include "notes.h"
#include "result-sample.h"
#include "table.h"

#include <sched.h>
#include <string.h>

#define SECOND 1000000000ULL

static void check_cell(char *text, const char *expected)
{
	g_assert_cmpstr(text, ==, expected);
	g_free(text);
}

static void test_cell_us(void)
{
	check_cell(cell_us(0, 1), "0.0");
	check_cell(cell_us(49, 1), "0.0");
	check_cell(cell_us(50, 1), "0.1");
	check_cell(cell_us(999, 1), "1.0");
	check_cell(cell_us(12349, 1), "12.3");
	check_cell(cell_us(12350, 1), "12.4");
	check_cell(cell_us(12345, 2), "12.35");
	check_cell(cell_us(12345, 3), "12.345");
	check_cell(cell_us(12500, 0), "13");
	check_cell(cell_us(3600 * SECOND, 1), "3600000000.0");
	check_cell(cell_us(UINT64_MAX, 1), "18446744073709551.6");
	check_cell(cell_us(UINT64_MAX, 3), "18446744073709551.615");
}

static void test_cell_duration(void)
{
	check_cell(cell_duration(0), "0ns");
	check_cell(cell_duration(999), "999ns");
	check_cell(cell_duration(1000), "1us");
	check_cell(cell_duration(12590), "12.5us");
	check_cell(cell_duration(SECOND - 1), "999.9ms");
	check_cell(cell_duration(10 * SECOND + 123456789), "10.1s");
	check_cell(cell_duration(60 * SECOND), "1min");
	check_cell(cell_duration(200 * SECOND), "3min 20s");
	check_cell(cell_duration(3600 * SECOND), "1h");
	check_cell(cell_duration(7500 * SECOND), "2h 5min");
	check_cell(cell_duration(90000 * SECOND), "1d 1h");
	check_cell(cell_duration(UINT64_MAX), "213503d 23h");
}

static void test_cell_percent(void)
{
	check_cell(cell_percent(0, 7), "0 %");
	check_cell(cell_percent(7, 7), "100 %");
	check_cell(cell_percent(1, 2), "50 %");
	check_cell(cell_percent(UINT64_MAX - 1, UINT64_MAX),
		   "99.9999 %"); /* never rounded to all */
	check_cell(cell_percent_bound(3, 10), "30 %");
	check_cell(cell_percent_bound(3, 11), "27.3 %");
	check_cell(cell_percent_bound(3, 4096), "0.074 %"); /* 0.0732: a bound goes up */
}

static void test_cell_time(void)
{
	check_cell(cell_time(0, false), "1970-01-01 00:00:00 UTC");
	check_cell(cell_time(1796004013250000, true), "2026-11-30 02:00:13.250000");
	check_cell(cell_time(UINT64_MAX, true), "586524-01-19 08:01:49.551615");
}

static void test_cell_text(void)
{
	check_cell(cell_text(NULL), "");
	check_cell(cell_text("plain \u00e4"), "plain \u00e4");
	check_cell(cell_text("a\tb\nc\rd"), "a b c d");
	check_cell(cell_text("\033[31m\007\177"), "?[31m??");
	check_cell(cell_text("\302\233x"), "?x"); /* C1: what some terminals take for escape [ */
	check_cell(cell_text("\u202ex"), "?x");	  /* turns the direction of writing */
	check_cell(cell_text("a\u2028b\u2029c"), "a b c");
	check_cell(cell_text("\xff"), "\ufffd");
	g_assert_cmpuint(columns_of("a\u00e4\u4e2d"), ==, 4);
}

static uint64_t bins_sum(const GArray *bins)
{
	uint64_t sum = 0, end = 0;

	for (guint i = 0; i < bins->len; i++) {
		const struct bin *b = &g_array_index(bins, struct bin, i);

		g_assert_cmpuint(b->low_ns, <, b->high_ns);
		if (i > 1) /* after a bin of zeros the next may begin anywhere */
			g_assert_cmpuint(b->low_ns, ==, end);
		end = b->high_ns;
		sum += b->count;
	}
	return sum;
}

/* Every sample is in the bins, and the shown lines are no more than asked for. */
static void test_bins_sum(void)
{
	for (const struct result_sample *s = result_samples; s->name; s++) {
		struct result *r = s->make();
		g_autofree struct figures *f = result_all(r);
		g_autoptr(GArray) bins = bins_new(f, 20);

		guint lines = 0;

		for (guint i = 0; i < bins->len; lines++)
			i += MAX(bins_gap(bins, i), 1);
		g_assert_cmpuint(bins_sum(bins), ==, figures_count(f));
		g_assert_cmpuint(lines, <=, 20);
		result_free(r);
	}
}

static void check_bins(const uint64_t *samples, size_t n, guint expected)
{
	g_autofree struct figures *f = figures_new();
	g_autoptr(GArray) bins = NULL;

	for (size_t i = 0; i < n; i++)
		figures_record(f, samples[i], (i + 1) * 1000000);
	bins = bins_new(f, 20);
	g_assert_cmpuint(bins->len, ==, expected);
	g_assert_cmpuint(bins_sum(bins), ==, n);
}

static void test_bins_edges(void)
{
	static const uint64_t zero[] = { 0, 0 }, one[] = { 1 }, both[] = { 0, 1 };
	static const uint64_t last[] = { UINT64_MAX }, ends[] = { 0, UINT64_MAX };
	static const uint64_t bound[] = { 9500, 10500 }, far[] = { 0, 10000 };

	check_bins(NULL, 0, 0);
	check_bins(zero, 2, 1);
	check_bins(one, 1, 1);
	check_bins(both, 2, 2);
	check_bins(last, 1, 1);
	check_bins(ends, 2, 2); /* nothing between zero and the first sample above it */
	check_bins(bound, 2, 2);
	check_bins(far, 2, 2);
}

static void test_bins_gap(void)
{
	g_autofree struct figures *f = figures_new();
	g_autoptr(GArray) bins = NULL;

	figures_record(f, 1000, 1);
	figures_record(f, 1500000000, 2);
	bins = bins_new(f, 20);
	g_assert_cmpuint(bins_gap(bins, 0), ==, 0);
	g_assert_cmpuint(bins_gap(bins, 1), ==, bins->len - 2);
	g_assert_cmpuint(bins_gap(bins, bins->len - 2), ==, 0); /* a run of one is a line anyway */
	g_assert_cmpuint(bins_gap(bins, bins->len - 1), ==, 0);
}

static void test_table_fold(void)
{
	static const struct report_options o = { .width = 40 };
	g_autoptr(GString) out = g_string_new(NULL);
	struct table *t = table_new();
	struct page p;

	page_init(&p, &o, out);
	table_column(t, "name", false);
	table_column(t, "first", true);
	table_column(t, "second", true);
	table_row(t, PAGE_PLAIN);
	table_cell(t, g_strdup("a"));
	table_cell(t, g_strdup("12345678901234567890"));
	table_cell(t, g_strdup("12345678901"));
	table_row(t, PAGE_PLAIN);
	table_cell(t, g_strdup("bb"));
	table_cell(t, NULL);
	table_print(t, &p);
	g_assert_cmpstr(out->str, ==,
			"  name                 first\n"
			"  a     12345678901234567890\n"
			"  bb                       -\n"
			"\n"
			"  name       second\n"
			"  a     12345678901\n"
			"  bb              -\n");
	table_free(t);
}

static void test_notes_order(void)
{
	struct result *r = sample_hell();
	g_autoptr(GPtrArray) notes = notes_new(r);
	static const char *const begins[] = {
		"Real-time priority was not permitted: measured with policy other instead of fifo.",
		"stage hackbench: 990 samples",
		"stage dohell_xenomai: The load netcat",
		"stage dohell_xenomai: The stage ran",
		"A virtual machine",
		"stages none, hackbench: The measuring threads",
	};

	g_assert_cmpuint(notes->len, ==, G_N_ELEMENTS(begins));
	for (guint i = 0; i < notes->len; i++) {
		const struct note *n = notes->pdata[i];

		if (!g_str_has_prefix(n->text, begins[i])) {
			g_test_message("%u is %s", i, n->text);
			g_test_fail();
		}
		g_assert_true(n->inconclusive == (i >= 1 && i <= 3));
	}
	result_free(r);
}

/* What every stage says is said once and without their names. */
static void test_notes_once(void)
{
	struct result *r = sample_hell();
	guint before, n = 0;

	{
		g_autoptr(GPtrArray) notes = notes_new(r);

		before = notes->len;
	}
	for (guint i = 0; i < r->stages->len; i++) {
		struct result_stage *s = r->stages->pdata[i];

		finding_add(s->findings, "memory-unlocked", NULL);
		finding_add(s->findings, "virtual", NULL); /* the session says it already */
	}
	{
		g_autoptr(GPtrArray) notes = notes_new(r);

		g_assert_cmpuint(notes->len, ==, before + 1);
		for (guint i = 0; i < notes->len; i++)
			n += g_str_has_prefix(((struct note *)notes->pdata[i])->text,
					      "Memory could not");
	}
	g_assert_cmpuint(n, ==, 1);
	result_free(r);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/report-parts/cell/us", test_cell_us);
	g_test_add_func("/report-parts/cell/duration", test_cell_duration);
	g_test_add_func("/report-parts/cell/percent", test_cell_percent);
	g_test_add_func("/report-parts/cell/time", test_cell_time);
	g_test_add_func("/report-parts/cell/text", test_cell_text);
	g_test_add_func("/report-parts/bins/sum", test_bins_sum);
	g_test_add_func("/report-parts/bins/edges", test_bins_edges);
	g_test_add_func("/report-parts/bins/gap", test_bins_gap);
	g_test_add_func("/report-parts/table/fold", test_table_fold);
	g_test_add_func("/report-parts/notes/order", test_notes_order);
	g_test_add_func("/report-parts/notes/once", test_notes_once);
	return g_test_run();
}
