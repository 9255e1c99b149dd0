/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "duration.h"

#include <errno.h>
#include <glib.h>
#include <locale.h>
#include <string.h>

#define MIN_NS UINT64_C(60000000000)
#define H_NS   (60 * MIN_NS)

static void test_durations(void)
{
	static const struct {
		const char *text;
		uint64_t ns;
	} good[] = {
		{ "250us", 250000 },
		{ "250 us", 250000 },
		{ "  1.5s ", 1500000000 },
		{ "100ns", 100 },
		{ "1\xc2\xb5s", 1000 },
		{ "1\xce\xbcs", 1000 },
		{ "2h 30min", 2 * H_NS + 30 * MIN_NS },
		{ "2h30min", 2 * H_NS + 30 * MIN_NS },
		{ "1d 1ns", 24 * H_NS + 1 },
		{ "0.000000001s", 1 },
		{ "1.000000000000s", 1000000000 },
		{ "0.1h", 6 * MIN_NS },
		{ "0", 0 },
		{ "0s", 0 },
		{ "366d", 366 * 24 * H_NS },
		{ "4611686018427387904ns", UINT64_C(1) << 62 },
	};

	for (size_t i = 0; i < G_N_ELEMENTS(good); i++) {
		g_autofree char *why = NULL;
		uint64_t ns = 1234567;

		g_assert_cmpint(duration_parse(good[i].text, 0, &ns, &why), ==, 0);
		g_assert_cmpuint(ns, ==, good[i].ns);
		g_assert_null(why);
	}
}

static void test_bad_durations(void)
{
	static const struct {
		const char *text;
		int r;
	} bad[] = {
		{ "", -EINVAL },
		{ "   ", -EINVAL },
		{ "5", -EINVAL },
		{ "1.5", -EINVAL },
		{ "us", -EINVAL },
		{ "5 parsec", -EINVAL },
		{ "5S", -EINVAL },
		{ "5m", -EINVAL },
		{ "-1s", -EINVAL },
		{ "1s -1ms", -EINVAL },
		{ "1,5s", -EINVAL },
		{ "1.s", -EINVAL },
		{ ".5s", -EINVAL },
		{ "1e3s", -EINVAL },
		{ "0x10s", -EINVAL },
		{ "1..5s", -EINVAL },
		{ "0.5ns", -EINVAL },
		{ "1.0000000001s", -EINVAL },
		{ "0.00000000000000000000000000001s", -EINVAL },
		{ "1s 2h", -EINVAL },
		{ "1s 1s", -EINVAL },
		{ "1s 5", -EINVAL },
		{ "1s,", -EINVAL },
		{ "inf", -EINVAL },
		{ "\xff"
		  "5s",
		  -EINVAL },
		{ "5\xff", -EINVAL },
		{ "4611686018427387905ns", -ERANGE },
		{ "99999999999999999999s", -ERANGE },
		{ "18446744073709551616ns", -ERANGE },
		{ "1000000d", -ERANGE },
		{ "53375d 24h 5000000s", -ERANGE },
	};

	for (size_t i = 0; i < G_N_ELEMENTS(bad); i++) {
		g_autofree char *why = NULL;
		uint64_t ns = 77;
		int r = duration_parse(bad[i].text, 0, &ns, &why);

		if (r != bad[i].r)
			g_test_message("\"%s\" gave %d", bad[i].text, r);
		g_assert_cmpint(r, ==, bad[i].r);
		g_assert_cmpuint(ns, ==, 77);
		g_assert_nonnull(why);
		g_assert_true(g_utf8_validate(why, -1, NULL));
		g_assert_cmpint(duration_parse(bad[i].text, 0, &ns, NULL), ==, bad[i].r);
	}
}

static void test_default_unit(void)
{
	uint64_t ns;

	g_assert_cmpint(duration_parse("5", 1000, &ns, NULL), ==, 0);
	g_assert_cmpuint(ns, ==, 5000);
	g_assert_cmpint(duration_parse("1.5", 1000, &ns, NULL), ==, 0);
	g_assert_cmpuint(ns, ==, 1500);
	g_assert_cmpint(duration_parse("5ms", 1000, &ns, NULL), ==, 0);
	g_assert_cmpuint(ns, ==, 5000000);
	g_assert_cmpint(duration_parse("1s 5", 1000, &ns, NULL), ==, -EINVAL);
}

static void test_duration_text(void)
{
	static const struct {
		uint64_t ns;
		const char *text;
	} cases[] = {
		{ 0, "0s" },
		{ 1, "1ns" },
		{ 999, "999ns" },
		{ 250000, "250us" },
		{ 1500000, "1.5ms" },
		{ 1000001, "1.000001ms" },
		{ 1500000000, "1.5s" },
		{ 90000000000, "90s" },
		{ 10 * MIN_NS, "10min" },
		{ 90 * MIN_NS, "90min" },
		{ H_NS, "1h" },
		{ 366 * 24 * H_NS, "366d" },
		{ 24 * H_NS + 2 * H_NS + 3 * MIN_NS + 4500000000, "1d 2h 3min 4.5s" },
		{ 24 * H_NS + 1, "1d 1ns" },
	};

	for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autofree char *text = duration_format(cases[i].ns);

		g_assert_cmpstr(text, ==, cases[i].text);
	}
	/* every one is read back as itself */
	for (int i = 0; i < 100000; i++) {
		uint64_t ns = (((uint64_t)g_test_rand_int() << 32) | (uint32_t)g_test_rand_int()) >>
			      g_test_rand_int_range(2, 63);
		uint64_t back = ~ns;

		if (g_test_rand_bit())
			ns -= ns % 1000000;
		g_autofree char *text = duration_format(ns);

		g_assert_cmpint(duration_parse(text, 0, &back, NULL), ==, 0);
		g_assert_cmpuint(back, ==, ns);
	}
}

static void test_sizes(void)
{
	static const struct {
		const char *text;
		uint64_t bytes;
	} good[] = {
		{ "4096", 4096 },
		{ "512M", 512ULL << 20 },
		{ "100k", 102400 },
		{ "1G", 1ULL << 30 },
		{ "1 GiB", 1ULL << 30 },
		{ "1kB", 1000 },
		{ "2MB", 2000000 },
		{ "0.5k", 512 },
		{ "1.5G", 3ULL << 29 },
		{ "3T", 3ULL << 40 },
		{ "7B", 7 },
		{ "0", 0 },
		{ "0.0009765625k", 1 },
	};
	static const char *const bad[] = { "",	   "-1", "1.5", "0.3k",	   "1m",
					   "1k 1", "x",	 "1MM", "9999999T" };

	for (size_t i = 0; i < G_N_ELEMENTS(good); i++) {
		uint64_t bytes = 99;

		g_assert_cmpint(size_parse(good[i].text, &bytes, NULL), ==, 0);
		g_assert_cmpuint(bytes, ==, good[i].bytes);
	}
	for (size_t i = 0; i < G_N_ELEMENTS(bad); i++) {
		g_autofree char *why = NULL;
		uint64_t bytes = 99;

		g_assert_cmpint(size_parse(bad[i], &bytes, &why), <, 0);
		g_assert_nonnull(why);
		g_assert_cmpuint(bytes, ==, 99);
	}
}

static void test_numbers(void)
{
	int64_t whole = 0;

	g_assert_cmpint(integer_parse("-5", -10, 10, &whole, NULL), ==, 0);
	g_assert_cmpint(whole, ==, -5);
	g_assert_cmpint(integer_parse("11", -10, 10, &whole, NULL), ==, -ERANGE);
	g_assert_cmpint(integer_parse("99999999999999999999", 0, G_MAXINT64, &whole, NULL), ==,
			-ERANGE);
	g_assert_cmpint(integer_parse("4 ", 0, 10, &whole, NULL), ==, -EINVAL);
	g_assert_cmpint(integer_parse(" 4", 0, 10, &whole, NULL), ==, -EINVAL);
	g_assert_cmpint(integer_parse("4.0", 0, 10, &whole, NULL), ==, -EINVAL);
	g_assert_cmpint(integer_parse("0x4", 0, 10, &whole, NULL), ==, -EINVAL);
	g_assert_cmpint(integer_parse("", 0, 10, &whole, NULL), ==, -EINVAL);
	g_assert_cmpint(integer_parse("-", 0, 10, &whole, NULL), ==, -EINVAL);
	g_assert_cmpint(whole, ==, -5);
}

/* A decimal comma in the locale must change nothing, on the way in or out. */
static void test_locale(void)
{
	g_autofree char *number = NULL;
	uint64_t ns = 0;

	if (!setlocale(LC_ALL, "de_DE.UTF-8") && !setlocale(LC_ALL, "de_DE.utf8") &&
	    !setlocale(LC_ALL, "fr_FR.UTF-8")) {
		g_test_skip("no locale with a decimal comma is installed");
		return;
	}
	number = number_format(0.5, 3);
	g_assert_cmpstr(number, ==, "0.500");
	g_assert_cmpint(duration_parse("0.5s", 0, &ns, NULL), ==, 0);
	g_assert_cmpuint(ns, ==, 500000000);
	setlocale(LC_ALL, "C");
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/duration/good", test_durations);
	g_test_add_func("/duration/bad", test_bad_durations);
	g_test_add_func("/duration/default-unit", test_default_unit);
	g_test_add_func("/duration/text", test_duration_text);
	g_test_add_func("/duration/sizes", test_sizes);
	g_test_add_func("/duration/numbers", test_numbers);
	g_test_add_func("/duration/locale", test_locale);
	return g_test_run();
}
