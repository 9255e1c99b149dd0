/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The drawing itself: text that is safe anywhere, numbers, axes, and where on the sheet a value is,
 * against numbers worked out by hand.
 */
#include "svg.h"

#include <math.h>
#include <string.h>

static char *drawn(struct svg *s)
{
	g_autoptr(GString) out = g_string_new(NULL);

	svg_end(s, "title", "description", SVG_ALONE, out);
	return g_strdup(out->str);
}

static void check_text(const char *in, const char *expected)
{
	g_autofree char *out = svg_text_new(in);

	g_assert_cmpstr(out, ==, expected);
}

static void test_text(void)
{
	check_text("plain", "plain");
	check_text(NULL, "");
	check_text("<a href='x'>\"&amp;", "&lt;a href=&#39;x&#39;&gt;&quot;&amp;amp;");
	check_text("]]>", "]]&gt;");
	check_text("two\nlines\tand\rmore", "two lines and more");
	check_text("a\001b\033c\177", "a\ufffdb\ufffdc\ufffd");
	check_text("\xc2\x85\xef\xbf\xbe\xef\xbf\xbf", "\ufffd\ufffd\ufffd");
	check_text("\xff\xc3", "\ufffd\ufffd");
	/* right-to-left letters stay, what turns the text around them does not */
	check_text("\u05e9\u05dc", "\u05e9\u05dc");
	check_text("a\u202eb\u2066c", "a\ufffdb\ufffdc");
	check_text("\U0001f600", "\U0001f600");
}

static void test_foreign(void)
{
	g_autofree char *ascii = svg_foreign("none");
	g_autofree char *apart = svg_foreign("\u05e9");
	g_autofree char *sly = svg_foreign("\u05e9\u2069\u2068");

	g_assert_cmpstr(ascii, ==, "none");
	g_assert_cmpstr(apart, ==, "\u2068\u05e9\u2069");
	g_assert_cmpstr(sly, ==, "\u2068\u05e9\ufffd\ufffd\u2069");
}

static void check_number(double v, const char *expected)
{
	g_autoptr(GString) out = g_string_new(NULL);

	svg_append_number(out, v);
	g_assert_cmpstr(out->str, ==, expected);
}

static void test_number(void)
{
	check_number(0, "0");
	check_number(12, "12");
	check_number(12.5, "12.5");
	check_number(12.05, "12.05");
	check_number(12.344, "12.34");
	check_number(12.999, "13");
	check_number(-0.5, "-0.5");
	check_number(-0.001, "0");
	check_number(NAN, "0");
	check_number(INFINITY, "0");
	check_number(-1e300, "-1000000000");
}

static void test_fit(void)
{
	g_autofree char *whole = svg_text_fit("hackbench", 11, 200);
	g_autofree char *cut = svg_text_fit("hackbench and more of it", 11, 60);
	g_autofree char *none = svg_text_fit("hackbench", 11, 1);

	g_assert_cmpstr(whole, ==, "hackbench");
	g_assert_true(g_str_has_suffix(cut, "\u2026"));
	g_assert_true(g_str_has_prefix(cut, "hack"));
	g_assert_cmpfloat(svg_text_width(cut, 11), <=, 70);
	g_assert_cmpstr(none, ==, "\u2026");
	g_assert_cmpfloat(svg_text_width("\u4e00\u4e00", 10), >, svg_text_width("ii", 10));
}

static void check_axis(enum svg_scale scale, enum svg_unit unit, double v, const char *expected)
{
	struct svg_axis a = { .scale = scale, .unit = unit, .suffix = "%" };
	g_autofree char *text = svg_axis_text(&a, v);

	g_assert_cmpstr(text, ==, expected);
}

static void test_axis_text(void)
{
	check_axis(SVG_LOG, SVG_TIME, 0, "0");
	check_axis(SVG_LOG, SVG_TIME, 1, "1 ns");
	check_axis(SVG_LOG, SVG_TIME, 999, "999 ns");
	check_axis(SVG_LOG, SVG_TIME, 1e3, "1 us");
	check_axis(SVG_LOG, SVG_TIME, 2500, "2.5 us");
	check_axis(SVG_LOG, SVG_TIME, pow(10, 6), "1 ms");
	check_axis(SVG_LOG, SVG_TIME, 1e9, "1 s");
	check_axis(SVG_LOG, SVG_TIME, 3600e9, "3600 s");
	check_axis(SVG_LINEAR, SVG_TIME, 90e9, "1 min 30 s");
	check_axis(SVG_LINEAR, SVG_TIME, 3600e9, "1 h");
	check_axis(SVG_LINEAR, SVG_TIME, 90000e9, "1 d 1 h");
	check_axis(SVG_LOG, SVG_COUNT, 1, "1");
	check_axis(SVG_LOG, SVG_COUNT, 1e4, "10k");
	check_axis(SVG_LOG, SVG_COUNT, 1e12, "1T");
	check_axis(SVG_LOG, SVG_CHANCE, 1, "1");
	check_axis(SVG_LOG, SVG_CHANCE, 0.5, "1 in 2");
	check_axis(SVG_LOG, SVG_CHANCE, 0.1, "1 in 10");
	check_axis(SVG_LOG, SVG_CHANCE, 1e-6, "1 in 1M");
	check_axis(SVG_LOG, SVG_RETURN, 1000, "1 in 1k");
	check_axis(SVG_LINEAR, SVG_PLAIN, -12.5, "-12.5 %");
	check_axis(SVG_LINEAR, SVG_DATE, 1796004000e6, "11-30 02:00");
	check_axis(SVG_LINEAR, SVG_DATE, 1795996800e6, "2026-11-30");
}

static void check_range(enum svg_scale scale, double low, double high, double fit_low,
			double fit_high)
{
	struct svg_axis a = { .scale = scale, .low = low, .high = high };

	svg_axis_fit(&a);
	g_assert_cmpfloat_with_epsilon(a.low, fit_low, fit_low * 1e-9 + 1e-9);
	g_assert_cmpfloat_with_epsilon(a.high, fit_high, fit_high * 1e-9 + 1e-9);
}

static void test_axis_fit(void)
{
	check_range(SVG_LOG, 1000, 1e6, 1000, 1e6); /* as they are */
	check_range(SVG_LOG, 1300, 2.4e6, 1000, 5e6);
	check_range(SVG_LOG, 4999, 5001, 2000, 1e4);
	check_range(SVG_LOG, 7, 7, 5, 10);
	check_range(SVG_LOG, 5, 5, 5, 10);
	check_range(SVG_LOG, 0, 0, 1, 2);
	check_range(SVG_LOG, NAN, INFINITY, 1, 2);
	check_range(SVG_LINEAR, 0, 83, 0, 100);
	check_range(SVG_LINEAR, 0, 0, 0, 1);
}

/* By hand: a frame 750 wide from 78 on, 200 high. */
static void test_place(void)
{
	struct svg *s = svg_new("t");
	struct svg_frame f = {
		.x = { .scale = SVG_LOG, .unit = SVG_TIME, .low = 1e3, .high = 1e6 },
		.y = { .unit = SVG_COUNT, .low = 0, .high = 100 },
	};

	svg_frame(s, &f, 200);
	g_assert_cmpfloat_with_epsilon(svg_x(&f, 1e3), 78, 1e-6);
	g_assert_cmpfloat_with_epsilon(svg_x(&f, 1e4), 78 + 250, 1e-6);
	g_assert_cmpfloat_with_epsilon(svg_x(&f, 1e6), 828, 1e-6);
	/* at the edge, not outside */
	g_assert_cmpfloat_with_epsilon(svg_x(&f, 1e9), 828, 1e-6);
	g_assert_cmpfloat_with_epsilon(svg_x(&f, 0), 78, 1e-6);
	g_assert_cmpfloat_with_epsilon(svg_y(&f, 25), f.top + 150, 1e-6);
	g_assert_cmpfloat(s->y, >=, f.top + 200);
	/* zero has a place of its own, and 1e3 moves away from it */
	f.x.zero = true;
	g_assert_cmpfloat_with_epsilon(svg_x(&f, 0), 88, 1e-6);
	g_assert_cmpfloat_with_epsilon(svg_x(&f, 1e3), 108, 1e-6);
	g_assert_cmpfloat_with_epsilon(svg_x(&f, 1e6), 828, 1e-6);
	g_free(drawn(s));
}

static struct svg_frame simple_frame(void)
{
	return (struct svg_frame){
		.x = { .low = 0, .high = 760, .bare = true },
		.y = { .low = 0, .high = 100, .bare = true },
	};
}

static void check_drawn(struct svg *s, const char *expected)
{
	if (!strstr(s->body->str, expected)) {
		g_test_message("%s is not in %s", expected, s->body->str);
		g_test_fail();
	}
	g_free(drawn(s));
}

static void test_steps(void)
{
	static const struct svg_point p[] = { { 0, 100 }, { 10, 60 }, { 20, 60 },
					      { NAN, 0 }, { 30, 20 }, { 40, 0 } };
	struct svg *s = svg_new("t");
	struct svg_frame f = simple_frame();

	svg_frame_at(s, &f, 78, 0, 760, 100);
	svg_steps(s, &f, 0, p, G_N_ELEMENTS(p));
	check_drawn(s, "<path class=\"lp-l lp-s0\" d=\"M78 0H88V40H98M108 80H118V100\"/>");
}

/* Steps too small for the paper add up all the same. */
static void test_small_steps(void)
{
	struct svg_point p[1001];
	struct svg *s = svg_new("t");
	struct svg_frame f = simple_frame();

	for (size_t i = 0; i < G_N_ELEMENTS(p); i++)
		p[i] = (struct svg_point){ (double)i / 1000, 100 - (double)i / 1000 };
	svg_frame_at(s, &f, 0, 0, 760, 100);
	svg_steps(s, &f, 0, p, G_N_ELEMENTS(p));
	g_assert_nonnull(strstr(s->body->str, "H0.5V0.5"));
	check_drawn(s, "H1V1\"");
}

static void test_shapes(void)
{
	static const struct svg_point p[] = { { 0, 50 }, { 10, 80 }, { 20, 0 } };
	struct svg *s = svg_new("t");
	struct svg_frame f = simple_frame();
	double rug[] = { 5, 5.1, 700 };
	char *out;

	svg_frame_at(s, &f, 78, 0, 760, 100);
	svg_area(s, &f, 9, p, 3);
	g_assert_nonnull(strstr(s->body->str, "lp-a lp-s1\" d=\"M78 50H88V20H98V100V100H78Z"));
	svg_line(s, &f, 2, p, 3);
	g_assert_nonnull(strstr(s->body->str, "lp-l lp-s2 lp-d2\" d=\"M78 50L88 20L98 100\""));
	svg_line(s, &f, 2 | SVG_SOLID, p, 3);
	g_assert_nonnull(strstr(s->body->str, "lp-l lp-s2\" d="));
	svg_rug(s, &f, rug, 3);
	g_assert_nonnull(strstr(s->body->str, "lp-rug\" d=\"M83 100V93M778 100V93\""));
	svg_rule_x(s, &f, 380, "max <= 1ms");
	g_assert_nonnull(strstr(s->body->str, "lp-rule\" d=\"M458 0V100\""));
	g_assert_nonnull(strstr(s->body->str, ">max &lt;= 1ms</text>"));
	svg_open_end(s, &f, 0, p[1], NAN);
	g_assert_nonnull(strstr(s->body->str, "M830 15.5l7 4.5l-7 4.5"));
	out = drawn(s);
	g_assert_true(g_str_has_prefix(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<svg "));
	g_assert_nonnull(strstr(out, "role=\"img\" aria-labelledby=\"t-t t-d\""));
	g_assert_nonnull(strstr(out, "<title id=\"t-t\">title</title>"));
	g_free(out);
}

static void test_legend(void)
{
	struct svg_entry few[] = { { .text = "a" }, { .text = "b" } }, many[40];
	struct svg *s = svg_new("t");
	double one, wrapped;

	one = s->y;
	svg_legend(s, few, 2);
	one = s->y - one;
	for (size_t i = 0; i < G_N_ELEMENTS(many); i++)
		many[i] = (struct svg_entry){ .series = i, .text = "a stage of some length" };
	wrapped = s->y;
	svg_legend(s, many, G_N_ELEMENTS(many));
	wrapped = s->y - wrapped;
	g_assert_cmpfloat(wrapped, >, 5 * one);
	g_free(drawn(s));
}

/* Ticks by what they say. */
static void check_ticks(struct svg_axis a, const char *first, const char *last)
{
	struct svg *s = svg_new("t");
	struct svg_frame f = { .x = a, .y = { .low = 0, .high = 1, .bare = true } };
	g_autofree char *a_first = g_strdup_printf(">%s</text>", first);
	g_autofree char *a_last = g_strdup_printf(">%s</text>", last);

	svg_frame(s, &f, 100);
	g_assert_nonnull(strstr(s->body->str, a_first));
	check_drawn(s, a_last);
}

static void test_ticks(void)
{
	struct svg_axis log = { .scale = SVG_LOG, .unit = SVG_TIME, .low = 1e3, .high = 1e6 };
	struct svg_axis narrow = { .scale = SVG_LOG, .unit = SVG_TIME, .low = 2e3, .high = 3e3 };
	struct svg_axis wide = { .scale = SVG_LOG, .unit = SVG_TIME, .low = 1, .high = 1e19 };
	struct svg_axis clock = { .unit = SVG_TIME, .low = 0, .high = 600e9 };
	struct svg_axis years = { .unit = SVG_DATE, .low = 1.6e15, .high = 1.8e15 };

	check_ticks(log, "1 us", "1 ms");
	check_ticks(narrow, "2 us", "3 us");
	check_ticks(wide, "1 ns", "1 s");
	check_ticks(clock, "0", "10 min");
	check_ticks(years, "2021-01-01", "2027-01-01");
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/svg/text", test_text);
	g_test_add_func("/svg/foreign", test_foreign);
	g_test_add_func("/svg/number", test_number);
	g_test_add_func("/svg/fit", test_fit);
	g_test_add_func("/svg/axis-text", test_axis_text);
	g_test_add_func("/svg/axis-fit", test_axis_fit);
	g_test_add_func("/svg/ticks", test_ticks);
	g_test_add_func("/svg/place", test_place);
	g_test_add_func("/svg/steps", test_steps);
	g_test_add_func("/svg/small-steps", test_small_steps);
	g_test_add_func("/svg/shapes", test_shapes);
	g_test_add_func("/svg/legend", test_legend);
	return g_test_run();
}
