/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How lrtbfctl writes quantities, foreign strings and tables, and reads points in time. */
#include "outcome.h"
#include "table.h"
#include "text.h"
#include "when.h"
#include <errno.h>
#include <stdlib.h>
#include <time.h>

static void check_take(char *got, const char *expected)
{
	g_assert_cmpstr(got, ==, expected);
	g_free(got);
}

static void test_latency(void)
{
	check_take(text_latency(0), "0 ns");
	check_take(text_latency(999), "999 ns");
	check_take(text_latency(1000), "1.0 us");
	check_take(text_latency(12345), "12.3 us");
	check_take(text_latency(12350), "12.4 us");
	check_take(text_latency(999949), "999.9 us");
	check_take(text_latency(999950), "1.00 ms"); /* not 1000.0 us */
	check_take(text_latency(999994999), "999.99 ms");
	check_take(text_latency(999995000), "1.000 s");
	check_take(text_latency(2001000000), "2.001 s");
	check_take(text_latency(UINT64_MAX), "18446744073.710 s");
}

static void test_span(void)
{
	check_take(text_span(0), "0 s");
	check_take(text_span(250000), "250.0 us");
	check_take(text_span(1200000000), "1.2 s");
	check_take(text_span(10000123456), "10 s");
	check_take(text_span(59999999999), "60 s");
	check_take(text_span(60000000000), "1 min");
	check_take(text_span(5400000000000), "1 h 30 min");
	check_take(text_span(26ULL * 3600 * 1000000000), "1 d 2 h");
	check_take(text_span(UINT64_MAX), "213503 d 23 h");
}

static void test_clean(void)
{
	check_take(text_clean("a\033[2Jb\n\tc", true), "a?[2Jb??c");
	check_take(text_clean("\xc2\x9b"
			      "2J",
			      true),
		   "?2J"); /* CSI of 8 bit terminals */
	check_take(text_clean("\xe2\x80\xae"
			      "x",
			      true),
		   "?x"); /* turns the writing direction */
	check_take(text_clean("gr\xc3\xbc\xc3\x9f", true), "gr\xc3\xbc\xc3\x9f");
	check_take(text_clean("gr\xc3\xbc\xc3\x9f", false), "gr??");
	check_take(text_clean("\xff", false), "?");
}

static void test_nearest(void)
{
	static const char *const words[] = { "start", "stop", "list", "ID", NULL };

	g_assert_cmpstr(text_nearest("strat", words), ==, "start");
	g_assert_cmpstr(text_nearest("stpo", words), ==, "stop");
	g_assert_null(text_nearest("xy", words));
	g_assert_null(text_nearest("", words));
	g_assert_null(text_nearest(
		"a-word-that-is-longer-than-sixty-three-bytes-and-so-is-no-slip-of-it", words));
}

static void test_wrap(void)
{
	g_autoptr(GString) out = g_string_new(NULL);

	text_wrap(out, "one two  three averyveryverylongword four", 2, 12);
	g_assert_cmpstr(out->str, ==, "  one two\n  three\n  averyveryverylongword\n  four\n");
	g_string_truncate(out, 0);
	text_wrap(out, "one two three", 2, 0);
	g_assert_cmpstr(out->str, ==, "  one two three\n");
}

static void test_table(void)
{
	static const char *const headings[] = { "ID", ">MAX", "LABEL" };
	const struct terminal ascii = { 0 }, utf8 = { .utf8 = true };
	struct table *t = table_new(headings, 3);
	g_autoptr(GString) out = g_string_new(NULL);

	g_assert_cmpuint(table_rows(t), ==, 0);
	table_cell(t, "a");
	table_take(t, g_strdup("12.3 us"));
	table_cell(t, "\xe6\xb8\xac"); /* two columns wide */
	table_cell(t, "bcd");
	table_cell(t, "");
	table_cell(t, "e\033f");
	g_assert_cmpuint(table_rows(t), ==, 2);
	table_print(t, out, &utf8);
	g_assert_cmpstr(out->str, ==,
			"ID       MAX  LABEL\n"
			"a    12.3 us  \xe6\xb8\xac\n"
			"bcd        -  e?f\n");
	g_string_truncate(out, 0);
	table_print(t, out, &ascii);
	g_assert_cmpstr(out->str, ==,
			"ID       MAX  LABEL\n"
			"a    12.3 us  ?\n"
			"bcd        -  e?f\n");
	table_free(t);
}

#define NOW 1796004000000000ULL /* 2026-11-30 02:00 UTC */

static void when(const char *text, uint64_t expected_usec)
{
	uint64_t usec = 0;

	g_assert_cmpint(when_parse(text, NOW, &usec, NULL), ==, 0);
	g_assert_cmpuint(usec, ==, expected_usec);
}

static void when_refused(const char *text)
{
	g_autofree char *message = NULL;
	uint64_t usec = 7;

	g_assert_cmpint(when_parse(text, NOW, &usec, &message), ==, -EINVAL);
	g_assert_nonnull(message);
}

static void test_when(void)
{
	when("now", NOW);
	when("2h", NOW - 7200 * 1000000ULL);
	when("2h 30min", NOW - 9000 * 1000000ULL);
	when("10000d", NOW - 10000ULL * 86400 * 1000000);
	when("30000d", 0); /* before the epoch */
	when("@0", 0);
	when("@1796004000", NOW);
	when("2026-11-30", NOW - 7200 * 1000000ULL);
	when("2026-11-30 02:00", NOW);
	when("2026-11-30T02:00:01", NOW + 1000000);
	when("today", NOW - 7200 * 1000000ULL);
	when("yesterday", NOW - (7200 + 86400) * 1000000ULL);
	when("2028-02-29", 1835395200ULL * 1000000);
}

static void test_when_refused(void)
{
	static const char *const bad[] = {
		"",
		"2",
		"soon",
		"@",
		"@-1",
		"@1.5",
		"@99999999999999999999",
		"2026-02-31",
		"2027-02-29",
		"2026-13-01",
		"2026-00-10",
		"2026-11-3",
		"2026-11-30 ",
		"2026-11-30 24:00",
		"2026-11-30 02",
		"2026-11-30 02:00:",
		"2026-11-30 02:00:60",
		"2026-11-30 02:00 x",
		"-2026-11-3",
		"1969-01-01",
		"26-11-30",
		"2026-11-30\n",
		"-5h",
	};

	for (size_t i = 0; i < G_N_ELEMENTS(bad); i++)
		when_refused(bad[i]);
}

static void test_outcome(void)
{
	const sd_bus_error denied = SD_BUS_ERROR_MAKE_CONST("org.lrtbf1.Error.NotAuthorized", "no");
	const sd_bus_error spawn =
		SD_BUS_ERROR_MAKE_CONST("org.freedesktop.DBus.Error.Spawn.ExecFailed", "no");
	const sd_bus_error right = SD_BUS_ERROR_MAKE_CONST("org.lrtbf1.Error.NotPermitted", "no");

	g_assert_cmpint(outcome_of_session("done", "pass"), ==, OUTCOME_DONE);
	g_assert_cmpint(outcome_of_session("done", "none"), ==, OUTCOME_DONE);
	g_assert_cmpint(outcome_of_session("done", "fail"), ==, OUTCOME_EXCEEDED);
	g_assert_cmpint(outcome_of_session("done", "inconclusive"), ==, OUTCOME_INCONCLUSIVE);
	g_assert_cmpint(outcome_of_session("failed", "fail"), ==, OUTCOME_ERROR);
	g_assert_cmpint(outcome_of_session("stopped", "pass"), ==, OUTCOME_STOPPED);
	g_assert_cmpint(outcome_of_session("interrupted", ""), ==, OUTCOME_STOPPED);
	g_assert_cmpint(outcome_of_error(&denied, 0), ==, OUTCOME_NOT_AUTHORIZED);
	g_assert_cmpint(outcome_of_error(&spawn, 0), ==, OUTCOME_NO_DAEMON);
	g_assert_cmpint(outcome_of_error(&right, 0), ==,
			OUTCOME_ERROR); /* the daemon's right, not ours */
	g_assert_cmpint(outcome_of_error(NULL, -ECONNREFUSED), ==, OUTCOME_NO_DAEMON);
	g_assert_cmpint(outcome_of_error(NULL, -ENOMEM), ==, OUTCOME_ERROR);
}

int main(int argc, char *argv[])
{
	g_test_init(&argc, &argv, NULL);
	g_assert_cmpint(setenv("TZ", "UTC", 1), ==, 0);
	tzset();
	g_test_add_func("/ctl-text/latency", test_latency);
	g_test_add_func("/ctl-text/span", test_span);
	g_test_add_func("/ctl-text/clean", test_clean);
	g_test_add_func("/ctl-text/nearest", test_nearest);
	g_test_add_func("/ctl-text/wrap", test_wrap);
	g_test_add_func("/ctl-text/table", test_table);
	g_test_add_func("/ctl-text/when", test_when);
	g_test_add_func("/ctl-text/when-refused", test_when_refused);
	g_test_add_func("/ctl-text/outcome", test_outcome);
	return g_test_run();
}
