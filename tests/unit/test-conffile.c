/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "conffile.h"

#include <errno.h>
#include <locale.h>
#include <stdio.h>
#include <string.h>

static struct conf *parsed(const char *text, GPtrArray *problems)
{
	return conf_parse(text, strlen(text), "x.conf", problems);
}

/* The one problem, as users see it, must begin with @begin and contain @part. */
static void expect(GPtrArray *problems, const char *begin, const char *part)
{
	g_autofree char *all = problems_format(problems);

	g_assert_true(g_utf8_validate(all, -1, NULL));
	if (problems->len != 1 || !g_str_has_prefix(all, begin) || !strstr(all, part))
		g_error("expected \"%s...%s...\" and got: %s", begin, part, all);
	g_ptr_array_set_size(problems, 0);
}

static void refused(const char *text, const char *begin, const char *part)
{
	g_autoptr(GPtrArray) problems = problems_new();

	g_assert_null(parsed(text, problems));
	expect(problems, begin, part);
}

static void test_takes(void)
{
	g_autoptr(GPtrArray) problems = problems_new();
	struct conf *c = parsed(
		"# a comment\n"
		"text = \"a\\\"b\"; yes = true; n = 5; big = 3000000000L; hex = 0x10\n"
		"time = \"1.5ms\"; room = \"1M\";\n"
		"many = [ \"a\", \"b\" ]; mixed = ( \"c\" ); none = [ ]; ints = [ 1, 0x2, 3 ];\n"
		"groups = ( { a = 1; },\n { a = 2; } ); // end",
		problems);
	g_autofree struct conf_group **groups = NULL;
	g_autofree int64_t *ints = NULL;
	g_auto(GStrv) many = NULL;
	g_auto(GStrv) mixed = NULL;
	g_auto(GStrv) none = NULL;
	struct conf_group *g = conf_root(c);
	const char *text;
	uint64_t ns, bytes;
	int64_t n;
	size_t len;
	bool yes = false;

	g_assert_nonnull(c);
	g_assert_cmpint(conf_take_string(g, "text", &text), ==, 0);
	g_assert_cmpstr(text, ==, "a\"b");
	g_assert_cmpint(conf_take_bool(g, "yes", &yes), ==, 0);
	g_assert_true(yes);
	g_assert_cmpint(conf_take_integer(g, "n", 0, 9, &n), ==, 0);
	g_assert_cmpint(n, ==, 5);
	g_assert_cmpint(conf_take_integer(g, "big", 0, G_MAXINT64, &n), ==, 0);
	g_assert_cmpint(n, ==, 3000000000);
	g_assert_cmpint(conf_take_integer(g, "hex", 0, 99, &n), ==, 0);
	g_assert_cmpint(n, ==, 16);
	g_assert_cmpint(conf_take_duration(g, "time", 0, 1000000000, &ns), ==, 0);
	g_assert_cmpuint(ns, ==, 1500000);
	g_assert_cmpint(conf_take_size(g, "room", &bytes), ==, 0);
	g_assert_cmpuint(bytes, ==, 1 << 20);
	g_assert_cmpint(conf_take_strings(g, "many", &many), ==, 0);
	g_assert_cmpuint(g_strv_length(many), ==, 2);
	g_assert_cmpint(conf_take_strings(g, "mixed", &mixed), ==, 0);
	g_assert_cmpstr(mixed[0], ==, "c");
	g_assert_cmpint(conf_take_strings(g, "none", &none), ==, 0);
	g_assert_null(none[0]);
	g_assert_cmpint(conf_take_integers(g, "ints", 1, 3, &ints, &len), ==, 0);
	g_assert_cmpuint(len, ==, 3);
	g_assert_cmpint(ints[1], ==, 2);
	g_assert_cmpint(conf_take_groups(g, "groups", &groups, &len), ==, 0);
	g_assert_cmpuint(len, ==, 2);
	g_assert_cmpint(conf_take_integer(groups[1], "a", 0, 9, &n), ==, 0);
	g_assert_cmpint(n, ==, 2);
	g_assert_cmpint(conf_take_integer(groups[0], "a", 0, 9, &n), ==, 0);
	g_assert_cmpint(conf_take_string(g, "absent", &text), ==, 1);
	g_assert_cmpint(conf_take_groups(g, "absent2", &groups, &len), ==, 1);
	g_assert_false(conf_has(g, "absent"));
	g_assert_true(conf_is_string(g, "text"));
	g_assert_false(conf_is_string(g, "n"));
	g_assert_cmpuint(conf_line(g, "time"), ==, 3);
	conf_done(c);
	g_assert_cmpuint(problems->len, ==, 0);
	conf_free(c);
}

/* Everything that libconfig reads as another number, or by the locale. */
static void test_numbers(void)
{
	refused("a = 1;\nb = 3000000000;", "x.conf:2: ", "3000000000L");
	refused("a = 99999999999999999999;", "x.conf:1: ", "64 bits");
	refused("a = -99999999999999999999;", "x.conf:1: ", "64 bits");
	refused("a = 99999999999999999999L;", "x.conf:1: ", "64 bits");
	refused("a = -3000000000;", "x.conf:1: ", "does not fit");
	refused("a = 2147483648;", "x.conf:1: ", "does not fit");
	refused("a = -2147483649;", "x.conf:1: ", "does not fit");
	refused("a = 0x80000000;", "x.conf:1: ", "does not fit");
	refused("a = 0xFFFFFFFFFFFFFFFFL;", "x.conf:1: ", "does not fit");
	refused("a = [ 1,\n 3000000000 ];", "x.conf:2: ", "does not fit");
	refused("g = ( { a = 3000000000; } );", "x.conf:1: ", "does not fit");
	refused("a = 1.5;", "x.conf:1: ", "fraction");
	refused("a = 1e5;", "x.conf:1: ", "fraction");
	refused("a = .5;", "x.conf:1: ", "fraction");
	refused("a = 250us;", "x.conf:1: ", "\"250us\"");
	refused("a = 5LLL;", "x.conf:1: ", "not a number");

	static const char *const good[] = {
		"a = 2147483647;",
		"a = -2147483648;",
		"a = 0x7fffffff;",
		"a = 9223372036854775807L;",
		"a = 3000000000L;",
		"a = 0xFFFFFFFFL;",
		"a = -9223372036854775808L;",
		"a = 5LL;",
		"# 3000000000\na = 1;",
		"a = 1; // 1.5 @include",
		"/* 3000000000\n @x */ a = 1;",
		"a = 1; b = \"3000000000 1.5 @include \\\" 3000000000\";",
	};

	for (size_t i = 0; i < G_N_ELEMENTS(good); i++) {
		g_autoptr(GPtrArray) problems = problems_new();
		struct conf *c = parsed(good[i], problems);

		if (!c)
			g_error("\"%s\" was refused", good[i]);
		conf_free(c);
	}
}

static void test_values_survive(void)
{
	g_autoptr(GPtrArray) problems = problems_new();
	struct conf *c = parsed(
		"a = -9223372036854775808L; b = 9223372036854775807L; c = 0xFFFFFFFFL;", problems);
	int64_t n;

	g_assert_nonnull(c);
	g_assert_cmpint(conf_take_integer(conf_root(c), "a", G_MININT64, G_MAXINT64, &n), ==, 0);
	g_assert_cmpint(n, ==, G_MININT64);
	g_assert_cmpint(conf_take_integer(conf_root(c), "b", G_MININT64, G_MAXINT64, &n), ==, 0);
	g_assert_cmpint(n, ==, G_MAXINT64);
	g_assert_cmpint(conf_take_integer(conf_root(c), "c", G_MININT64, G_MAXINT64, &n), ==, 0);
	g_assert_cmpint(n, ==, 0xFFFFFFFF);
	conf_free(c);
}

static void test_text(void)
{
	g_autoptr(GPtrArray) problems = problems_new();
	g_autofree char *large = g_strnfill((1024 * 1024) + 1, ' ');

	refused("@include \"/etc/passwd\"\n", "x.conf:1: ", "not included");
	refused("a = 1;\n\t@include \"/etc/passwd\"\n", "x.conf:2: ", "not included");
	refused("a = 1;\nb = 2;\na = 3;\n", "x.conf:3: ", "\"a\" is given twice, first in line 1");
	refused("g = ( { a = 1;\na = 2; } );", "x.conf:2: ", "\"a\" is given twice");
	refused("a = \"x;\nb = 1;\n", "x.conf:1: ", "string begins here and never ends");
	refused("a = 1; /* x\nb = 1;\n", "x.conf:1: ", "comment begins here and never ends");
	refused("a = \"\\x00\";", "x.conf:1: ", "backslash");
	refused("a = \"\\q\";", "x.conf:1: ", "backslash");
	refused("a = \"b\x1b[31m\";", "x.conf:1: ", "control character");
	refused("a = ;", "x.conf:1: ", "not understood");
	refused("a = [ 1, \"x\" ];", "x.conf:1: ", "one type");
	refused("a = 1;\nb = { c = 1;\n", "x.conf:2: ", "a \"{\" begins here and is never closed");
	refused("a = (\n1", "x.conf:1: ", "a \"(\" begins here and is never closed");
	refused("a = [ 1, ];", "x.conf:1: ", "no comma stands after the last value");
	refused("a = ( { }, );", "x.conf:1: ", "no comma stands after the last value");
	refused("a = [ 1 2 ];", "x.conf:1: ", "where \",\" or \"]\" is expected");
	refused("a = [ 1, 2L ];", "x.conf:1: ", "one type");
	refused("a = [ [ 1 ] ];", "x.conf:1: ", "a value is expected");
	/* what is quoted in part ends within a character */
	refused("\"12345678901234567890123456789012345678\xc3\xbc\";",
		"x.conf:1: ", "a key is expected");
	refused("a = timer;", "x.conf:1: ", "double quotes: \"timer\"");
	refused("a 1;", "x.conf:1: ", "\"1\" is not understood here, where \"=\" is expected");
	refused("a =\n", "x.conf:2: ", "ends where a value is expected");
	refused("a = 1;;", "x.conf:1: ", "a key is expected");
	refused("true = 1;", "x.conf:1: ", "a key is expected");
	refused("\xef\xbb\xbf"
		"a = 1;",
		"x.conf:1: ", "a key is expected");
	refused("a \v = 1;", "x.conf:1: ", "\"=\" is expected");
	refused("}", "x.conf:1: ", "not understood");
	refused("a", "x.conf:1: ", "ends where \"=\" is expected");
	refused("just some prose, really", "x.conf:1: ", "not understood");
	refused("a = \"\xff\";", "x.conf:1: ", "UTF-8");
	refused("\n\n\xc3\x28", "x.conf:3: ", "UTF-8");
	refused("a = ((((((((((((((((((((", "x.conf:1: ", "nested");
	refused("a = {a = {a = {a = {a = {a = {a = {a = {a = {a = {a = {a = {a = {a = {a = {a = {a "
		"= {",
		"x.conf:1: ", "nested");
	g_assert_null(conf_parse("a = 1;\n\0b = 2;", 14, "x.conf", problems));
	expect(problems, "x.conf:2: ", "NUL");
	g_assert_null(conf_parse("\x7f"
				 "ELF\2\1\1\0\0\0",
				 10, "x.conf", problems));
	expect(problems, "x.conf:1: ", "NUL");
	g_assert_null(conf_parse(large, (1024 * 1024) + 1, "x.conf", problems));
	expect(problems, "x.conf: ", "1 MiB");
	g_assert_null(conf_parse("a = ;", 5, "x.conf", NULL)); /* nobody wants to know */
}

#ifndef __has_feature
#define __has_feature(x) 0
#endif

/* libconfig loses the strings it has read when the syntax is wrong: it may never see such text. */
static void test_no_leak(void)
{
	g_autoptr(GString) text = g_string_new("a = \"");
	g_autofree char *before = NULL;
	g_autofree char *after = NULL;
	long pages_before, pages_after;

	for (int i = 0; i < 500000; i++)
		g_string_append_c(text, 'x');
	g_string_append(text, "\" b;");
	for (int i = 0; i < 400; i++) {
		if (i == 100)
			g_assert_true(g_file_get_contents("/proc/self/statm", &before, NULL, NULL));
		g_assert_null(conf_parse(text->str, text->len, "x.conf", NULL));
	}
	g_assert_true(g_file_get_contents("/proc/self/statm", &after, NULL, NULL));
	g_assert_cmpint(sscanf(before, "%*d %ld", &pages_before), ==, 1);
	g_assert_cmpint(sscanf(after, "%*d %ld", &pages_after), ==, 1);
#if !defined(__SANITIZE_ADDRESS__) && !__has_feature(address_sanitizer)
	/* 300 of them would be 150 MB; a sanitizer keeps what is freed and counts leaks itself */
	g_assert_cmpint(pages_after - pages_before, <, 50L * 1024 * 1024 / 4096);
#endif
}

/* The same key in groups of their own is no duplicate. */
static void test_keys_of_groups(void)
{
	g_autoptr(GPtrArray) problems = problems_new();
	struct conf *c =
		parsed("a = 1; g = ( { a = 1; b = 1; }, { a = 2; b = 1; } ); b = 3;", problems);

	g_assert_nonnull(c);
	conf_free(c);
}

/* Text made to take long: it must be refused, and soon. */
static void test_floods(void)
{
	g_autoptr(GPtrArray) problems = problems_new();
	g_autoptr(GString) many = g_string_new(NULL);
	g_autoptr(GString) bad = g_string_new(NULL);

	for (int i = 0; i < 50000; i++) {
		g_string_append_printf(many, "k%d=1;\n", i);
		g_string_append_printf(bad, "k%d = 9.9; ", i % 5000);
	}
	g_assert_null(conf_parse(many->str, many->len, "x.conf", problems));
	expect(problems, "x.conf:", "over 4096 settings");
	g_assert_null(conf_parse(bad->str, bad->len, "x.conf", problems));
	g_assert_cmpuint(problems->len, ==, 20);
}

static void taken_wrong(const char *text, int (*take)(struct conf_group *g), const char *part)
{
	g_autoptr(GPtrArray) problems = problems_new();
	struct conf *c = parsed(text, problems);

	g_assert_nonnull(c);
	g_assert_cmpint(take(conf_root(c)), ==, -EINVAL);
	conf_done(c);
	expect(problems, "x.conf:2: ", part);
	conf_free(c);
}

static int take_duration(struct conf_group *g)
{
	uint64_t ns = 42;
	int r = conf_take_duration(g, "a", 1000, 1000000, &ns);

	g_assert_cmpuint(ns, ==, 42);
	return r;
}

static int take_integer(struct conf_group *g)
{
	int64_t n = 42;
	int r = conf_take_integer(g, "a", 1, 98, &n);

	g_assert_cmpint(n, ==, 42);
	return r;
}

static int take_bool(struct conf_group *g)
{
	bool b;

	return conf_take_bool(g, "a", &b);
}

static int take_string(struct conf_group *g)
{
	const char *s;

	return conf_take_string(g, "a", &s);
}

static int take_size(struct conf_group *g)
{
	uint64_t bytes;

	return conf_take_size(g, "a", &bytes);
}

static int take_strings(struct conf_group *g)
{
	char **s;

	return conf_take_strings(g, "a", &s);
}

static int take_integers(struct conf_group *g)
{
	int64_t *n;
	size_t len;

	return conf_take_integers(g, "a", 0, 63, &n, &len);
}

static int take_groups(struct conf_group *g)
{
	struct conf_group **groups;
	size_t n;

	return conf_take_groups(g, "a", &groups, &n);
}

static void test_wrong_types(void)
{
	taken_wrong("\na = 250;", take_duration, "\"250us\"");
	taken_wrong("\na = 0;", take_duration, "bare number");
	taken_wrong("\na = \"250\";", take_duration, "no unit");
	taken_wrong("\na = true;", take_duration, "duration");
	taken_wrong("\na = \"0\";", take_duration, "1us to 1ms");
	taken_wrong("\na = \"2ms\";", take_duration, "it takes 1us to 1ms");
	taken_wrong("\na = \"99999999999d\";", take_duration, "too large");
	taken_wrong("\na = 99;", take_integer, "it takes 1 to 98");
	taken_wrong("\na = 0;", take_integer, "it takes 1 to 98");
	taken_wrong("\na = 4294967297L;", take_integer, "it takes 1 to 98");
	taken_wrong("\na = \"5\";", take_integer, "without quotes");
	taken_wrong("\na = \"true\";", take_bool, "without quotes");
	taken_wrong("\na = 1;", take_bool, "true or false");
	taken_wrong("\na = 1;", take_string, "double quotes");
	taken_wrong("\na = [ \"x\" ];", take_string, "an array");
	taken_wrong("\na = 4096;", take_size, "\"512M\"");
	taken_wrong("\na = \"1x\";", take_size, "unit");
	taken_wrong("\na = \"x\";", take_strings, "several texts");
	taken_wrong("a = ( \"x\",\n 1 );", take_strings, "a number");
	taken_wrong("a = [ 1,\n 64 ];", take_integers, "0 to 63");
	taken_wrong("\na = 1;", take_integers, "several numbers");
	taken_wrong("\na = { b = 1; };", take_groups, "list of groups");
	taken_wrong("a = ( { },\n 1 );", take_groups, "braces");
}

static void test_unknown_keys(void)
{
	g_autoptr(GPtrArray) problems = problems_new();
	struct conf *c = parsed("interval = \"1ms\";\nintervall = \"1ms\";", problems);
	struct conf_group **groups;
	uint64_t ns;
	size_t n;

	g_assert_cmpint(conf_take_duration(conf_root(c), "interval", 0, G_MAXUINT64, &ns), ==, 0);
	conf_done(c);
	expect(problems, "x.conf:2: ", "\"intervall\"; did you mean \"interval\"?");
	conf_free(c);

	c = parsed("\n\nxyzzy = 1;", problems);
	(void)conf_take_duration(conf_root(c), "interval", 0, G_MAXUINT64, &ns);
	(void)conf_take_duration(conf_root(c), "duration", 0, G_MAXUINT64, &ns);
	conf_done(c);
	expect(problems, "x.conf:3: ", "\"xyzzy\"; the keys here are duration, interval");
	conf_free(c);

	c = parsed("g = ( { load = \"x\";\nlaod = \"y\"; } );", problems);
	g_assert_cmpint(conf_take_groups(conf_root(c), "g", &groups, &n), ==, 0);
	g_assert_true(conf_has(groups[0], "load"));
	g_free(groups);
	conf_done(c);
	expect(problems, "x.conf:2: ", "\"laod\"; did you mean \"load\"?");
	conf_free(c);
}

static void test_overlay(void)
{
	g_autoptr(GPtrArray) problems = problems_new();
	struct conf *c = parsed("a = 1; b = 2; l = [ \"x\", \"y\" ];", problems);
	g_auto(GStrv) l = NULL;
	int64_t n;

	g_assert_cmpint(conf_overlay(c, "\nb = 3; l = [ \"z\" ];", 20, "drop.conf"), ==, 0);
	g_assert_cmpint(conf_overlay(c, "c = 4;", 6, "drop2.conf"), ==, 0);
	g_assert_cmpint(conf_overlay(c, "c = ;", 5, "drop3.conf"), ==, -EINVAL);
	expect(problems, "drop3.conf:1: ", "");
	g_assert_cmpint(conf_take_integer(conf_root(c), "a", 0, 9, &n), ==, 0);
	g_assert_cmpint(n, ==, 1);
	g_assert_cmpint(conf_take_integer(conf_root(c), "b", 0, 9, &n), ==, 0);
	g_assert_cmpint(n, ==, 3);
	g_assert_cmpint(conf_take_strings(conf_root(c), "l", &l), ==, 0);
	g_assert_cmpuint(g_strv_length(l), ==, 1);
	/* a problem is at home where the setting is */
	g_assert_cmpint(conf_take_integer(conf_root(c), "b", 7, 9, &n), ==, -EINVAL);
	expect(problems, "drop.conf:2: ", "it takes 7 to 9");
	conf_done(c);
	expect(problems, "drop2.conf:1: ", "\"c\"");
	conf_free(c);
}

static void test_empty(void)
{
	static const char *const empty[] = { "", "\n", "# nothing", "/* */", " \t\r\n" };

	for (size_t i = 0; i < G_N_ELEMENTS(empty); i++) {
		g_autoptr(GPtrArray) problems = problems_new();
		struct conf *c = parsed(empty[i], problems);

		g_assert_nonnull(c);
		g_assert_true(conf_empty(c));
		conf_done(c);
		g_assert_cmpuint(problems->len, ==, 0);
		conf_free(c);
	}
}

static void test_locale(void)
{
	if (!setlocale(LC_ALL, "de_DE.UTF-8") && !setlocale(LC_ALL, "fr_FR.UTF-8")) {
		g_test_skip("no locale with a decimal comma is installed");
		return;
	}
	refused("a = 1.5;", "x.conf:1: ", "fraction");
	refused("a = 1,5;", "x.conf:1: ", "not understood");
	setlocale(LC_ALL, "C");
}

/* One group, groups beside what is none, and unknown keys of one group alone. */
static void test_groups(void)
{
	g_autoptr(GPtrArray) problems = problems_new();
	struct conf *c = parsed("one = { a = 1; }; two = 2;\nlist = ( { a = 1; x = 1; },\n5,\n"
				"{ a = 2;\ny = 1; } );",
				problems);
	struct conf_group *root = conf_root(c), *one = NULL, *two = NULL;
	g_autofree struct conf_group **groups = NULL;
	int64_t value = 0;
	size_t n = 0;

	g_assert_cmpint(conf_take_group(root, "none", &one), ==, 1);
	g_assert_cmpint(conf_take_group(root, "one", &one), ==, 0);
	g_assert_cmpint(conf_take_integer(one, "a", 0, 9, &value), ==, 0);
	g_assert_cmpint(conf_take_group(root, "two", &two), ==, -EINVAL);
	g_assert_null(two);
	expect(problems, "x.conf:1: ", "\"two\" is a number here; it takes a group: { ... }");

	g_assert_cmpint(conf_take_each_group(root, "none", &groups, &n), ==, 1);
	g_assert_cmpint(conf_take_each_group(root, "list", &groups, &n), ==, 0);
	expect(problems, "x.conf:3: ", "groups in braces only");
	g_assert_cmpuint(n, ==, 3);
	g_assert_true(groups[0] && !groups[1] && groups[2]);
	g_assert_cmpstr(conf_file(groups[2], NULL), ==, "x.conf");
	g_assert_cmpuint(conf_line(groups[2], NULL), ==, 4);
	for (size_t i = 0; i < n; i += 2)
		g_assert_cmpint(conf_take_integer(groups[i], "a", 0, 9, &value), ==, 0);
	conf_done_group(groups[2]);
	expect(problems, "x.conf:5: ", "no key \"y\"");
	conf_done(c); /* of that group it was said already */
	expect(problems, "x.conf:2: ", "no key \"x\"");
	conf_free(c);
}

static void test_quote(void)
{
	static const char *const texts[] = { "", "a\"b", "\\", "irq/29-ahci\\[0000:00:1f.2]", "ä" };

	for (size_t i = 0; i < G_N_ELEMENTS(texts); i++) {
		g_autoptr(GPtrArray) problems = problems_new();
		g_autofree char *quoted = conf_quote(texts[i]);
		g_autofree char *text = g_strdup_printf("a = %s;", quoted);
		struct conf *c = parsed(text, problems);
		const char *back = NULL;

		g_assert_nonnull(c);
		g_assert_cmpint(conf_take_string(conf_root(c), "a", &back), ==, 0);
		g_assert_cmpstr(back, ==, texts[i]);
		conf_free(c);
	}
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/conffile/takes", test_takes);
	g_test_add_func("/conffile/numbers", test_numbers);
	g_test_add_func("/conffile/values-survive", test_values_survive);
	g_test_add_func("/conffile/text", test_text);
	g_test_add_func("/conffile/no-leak", test_no_leak);
	g_test_add_func("/conffile/keys-of-groups", test_keys_of_groups);
	g_test_add_func("/conffile/floods", test_floods);
	g_test_add_func("/conffile/wrong-types", test_wrong_types);
	g_test_add_func("/conffile/unknown-keys", test_unknown_keys);
	g_test_add_func("/conffile/overlay", test_overlay);
	g_test_add_func("/conffile/empty", test_empty);
	g_test_add_func("/conffile/locale", test_locale);
	g_test_add_func("/conffile/groups", test_groups);
	g_test_add_func("/conffile/quote", test_quote);
	return g_test_run();
}
