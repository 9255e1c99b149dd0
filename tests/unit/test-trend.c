/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A trend's shifts, levels and kernels, and every format of it, over ordinary and odd series. */
#include "trend-sample.h"

#include <errno.h>
#include <math.h>
#include <string.h>
/* after jansson.h, which it looks for */
#include "cleanup.h"

static char *rendered(const struct trend *t, const char *format, const struct report_options *o)
{
	g_autoptr(GString) out = g_string_new(NULL);

	g_assert_cmpint(trend_render(format, t, o, out, NULL), ==, 0);
	g_assert_true(g_utf8_validate(out->str, (gssize)out->len, NULL));
	g_assert_cmpuint(strlen(out->str), ==, out->len);
	return g_strdup(out->str);
}

/* The number or string at "a.b.0.c". */
static const json_t *at(const json_t *o, const char *path)
{
	g_auto(GStrv) keys = g_strsplit(path, ".", -1);

	for (char **k = keys; *k; k++)
		o = json_is_array(o) ? json_array_get(o, (size_t)g_ascii_strtoull(*k, NULL, 10))
				     : json_object_get(o, *k);
	return o;
}

static void is_number(const json_t *o, const char *path, double expected)
{
	g_assert_true(json_is_number(at(o, path)));
	g_assert_cmpfloat(json_number_value(at(o, path)), ==, expected);
}

static void is_string(const json_t *o, const char *path, const char *expected)
{
	g_assert_cmpstr(json_string_value(at(o, path)), ==, expected);
}

static void test_shift(void)
{
	struct trend *t = trend_sample(100, "max", true);
	g_autoptr(json_t) j = trend_json(t);
	const char *before, *after;

	g_assert_cmpuint(trend_shifts(t), ==, 1);
	trend_shift_sessions(t, 0, &before, &after);
	g_assert_cmpstr(before, ==, "s00000031");
	g_assert_cmpstr(after, ==, "s00000033"); /* s00000032 has no value */
	is_string(j, "figure", "max");
	is_string(j, "unit", "ns");
	is_number(j, "p_per_look", 0.01);
	is_string(j, "shifts.0.session", "s00000033");
	is_string(j, "shifts.0.last", "s00000031");
	is_number(j, "shifts.0.before", 22400);
	is_number(j, "shifts.0.after", 32250);
	is_number(j, "shifts.0.percent", 44); /* 43.97 */
	g_assert_true(json_is_false(at(j, "shifts.0.fresh")));
	g_assert_cmpfloat(json_number_value(at(j, "shifts.0.p")), <, 1e-6);
	is_string(j, "shifts.0.changed.0.what", "kernel");
	is_string(j, "shifts.0.changed.1.what", "CONFIG_HZ");
	is_string(j, "shifts.0.changed.1.after", "1000");
	g_assert_true(json_is_true(at(j, "shifts.0.changed.1.costly")));
	g_assert_cmpuint(json_array_size(at(j, "levels")), ==, 2);
	is_number(j, "levels.0.sessions", 51);
	is_number(j, "levels.0.known", 48);
	is_number(j, "levels.1.sessions", 49);
	is_number(j, "levels.1.lowest", 30000);
	is_number(j, "all.fail", 3);
	is_number(j, "all.inconclusive", 4);
	g_assert_cmpuint(json_array_size(at(j, "kernels")), ==, 2);
	is_string(j, "kernels.1.kernel", "6.1.0-2-rt");
	is_number(j, "kernels.0.sessions", 50);
	g_assert_cmpuint(json_array_size(at(j, "points")), ==, 100);
	g_assert_true(json_is_null(at(j, "points.16.value")));
	is_number(j, "points.0.value", 20000);
	is_string(j, "points.22.verdict", "inconclusive");
	trend_free(t);
}

/* Kernels that take turns are two rows, not forty. */
static void test_kernels(void)
{
	struct trend_options o = { "a", "none", "avg", true };
	struct trend *t = trend_new(&o);
	g_autoptr(json_t) j = NULL;

	for (unsigned i = 0; i < 40; i++) {
		struct trend_point p = { "s", 1 + i, i % 2 ? 10 + i : 1000 + i,
					 i % 2 ? "odd" : "even", VERDICT_PASS };

		trend_add(t, &p);
	}
	trend_finish(t);
	j = trend_json(t);
	g_assert_cmpuint(json_array_size(at(j, "kernels")), ==, 2);
	is_string(j, "kernels.0.kernel", "even");
	is_number(j, "kernels.0.median", 1019);
	is_string(j, "kernels.1.kernel", "odd");
	is_number(j, "kernels.1.lowest", 11);
	is_number(j, "kernels.1.highest", 49);
	trend_free(t);
}

static void check_lines(const char *text, glong width)
{
	g_auto(GStrv) lines = g_strsplit(text, "\n", -1);

	for (char **l = lines; *l; l++) {
		if (g_utf8_strlen(*l, -1) > width)
			g_error("wider than %ld columns: \"%s\"", width, *l);
		for (const char *c = *l; *c; c++)
			g_assert_true((unsigned char)*c >= 0x20);
	}
}

static void on_text(GMarkupParseContext *context, const char *text, gsize length, gpointer userdata,
		    GError **error)
{
}

static void check_svg(const char *text)
{
	static const GMarkupParser parser = { .text = on_text };
	GMarkupParseContext *context = g_markup_parse_context_new(&parser, 0, NULL, NULL);
	g_autoptr(GError) error = NULL;

	g_markup_parse_context_parse(context, text, -1, &error);
	g_assert_no_error(error);
	g_markup_parse_context_end_parse(context, &error);
	g_assert_no_error(error);
	g_markup_parse_context_free(context);
	g_assert_null(strstr(text, "nan"));
	g_assert_null(strstr(text, "inf\""));
}

static void check_csv(const char *text, size_t sessions)
{
	g_auto(GStrv) lines = g_strsplit(text, "\n", -1);

	g_assert_cmpuint(g_strv_length(lines), ==, sessions + 2);
	g_assert_true(g_str_has_prefix(lines[0], "session,started_usec,value"));
}

static void check_formats(const struct trend *t, size_t sessions, bool tame)
{
	struct report_options wide = { .width = 200, .unicode = true, .colour = false };
	g_autofree char *text = rendered(t, "text", NULL), *more = rendered(t, "text", &wide);
	g_autofree char *json = rendered(t, "json", NULL), *csv = rendered(t, "csv", NULL);
	g_autofree char *svg = rendered(t, "svg", NULL), *markdown = rendered(t, "markdown", NULL);
	g_autoptr(json_t) j = json_loads(json, 0, NULL);

	check_lines(text, 80);
	check_lines(more, 200);
	g_assert_nonnull(j);
	g_assert_cmpuint(json_array_size(at(j, "points")), ==, sessions);
	if (tame)
		check_csv(csv, sessions);
	check_svg(svg);
	g_assert_true(g_str_has_prefix(markdown, "### Trend: "));
}

static void test_formats(void)
{
	static const unsigned sizes[] = { 0, 1, 2, 9, 10, 17, 75, 76, 77, 400, 401, 3000 };
	static const char *const figures[] = { "max", "avg", "p99.9", "missed", "within" };

	for (size_t i = 0; i < G_N_ELEMENTS(sizes); i++)
		for (size_t k = 0; k < G_N_ELEMENTS(figures); k++) {
			struct trend *t = trend_sample(sizes[i], figures[k], k % 2);

			check_formats(t, sizes[i], true);
			trend_free(t);
		}
}

static void test_text(void)
{
	struct trend *t = trend_sample(70, "max", true);
	g_autofree char *text = rendered(t, "text", NULL);
	struct report_options o = { .unicode = true };
	g_autofree char *blocks = rendered(t, "text", &o);

	g_assert_nonnull(strstr(text, "70 sessions from 2026-01-01 to 2026-03-11, 4 without this "
				      "figure, 2 failed, 3\ninconclusive."));
	g_assert_nonnull(strstr(text, "CONFIG_HZ: 250 -> 1000 (known to cost latency)"));
	g_assert_nonnull(strstr(text, "about 1 % of looks"));
	g_assert_nonnull(strstr(text, "By kernel, us:"));
	g_assert_nonnull(strstr(text, "From 20.0 to 34.8 us, linear scale; ^ is a shift."));
	g_assert_null(strstr(text, "▁"));
	g_assert_nonnull(strstr(blocks, "▁"));
	trend_free(t);
}

/* Nothing is known, or everything is the same. */
static void test_odd(void)
{
	for (int kind = 0; kind < 5; kind++) {
		struct trend_options o = { "a", "none", kind == 4 ? "missed" : "max", true };
		struct trend *t = trend_new(&o);

		for (unsigned i = 0; i < 60; i++) {
			const double values[] = { NAN, 5000, i == 30 ? 5e18 : 0, INFINITY,
						  i < 30 ? 0 : 7 };
			struct trend_point p = { "s", kind == 1 ? 0 : 1000 - i, values[kind], "",
						 VERDICT_NONE };

			trend_add(t, &p);
		}
		trend_finish(t);
		g_assert_cmpuint(trend_shifts(t), ==, kind == 4 ? 1 : 0);
		check_formats(t, 60, true);
		if (kind == 4) { /* from 0: there is no percentage, and no conditions came */
			g_autoptr(json_t) j = trend_json(t);

			g_assert_true(json_is_null(at(j, "shifts.0.percent")));
			g_assert_true(json_is_null(at(j, "shifts.0.changed")));
			is_number(j, "shifts.0.before", 0);
			is_string(j, "unit", "count");
		}
		trend_free(t);
	}
}

static void test_hostile(void)
{
	static const char text[] = "a,\"b\"\n<i>&amp;|*_`\033[31m\xff \u202e \u05d0";
	struct trend_options o = { text, text, "max", true };
	struct trend *t = trend_new(&o);
	g_autoptr(json_t) a = json_pack("{s:{s:s}}", "kernel", "release", "<b>\n|");
	g_autoptr(json_t) b = json_pack("{s:{s:s}}", "kernel", "release", "\"&\033");

	for (unsigned i = 0; i < 40; i++) {
		struct trend_point p = { text, 1 + i, i < 20 ? 10 + i % 3 : 90 + i % 3, text,
					 VERDICT_FAIL };

		trend_add(t, &p);
	}
	trend_finish(t);
	g_assert_cmpuint(trend_shifts(t), ==, 1);
	trend_shift_conditions(t, 0, a, b);
	check_formats(t, 40, false);
	trend_free(t);
}

static void test_unknown_format(void)
{
	struct trend *t = trend_sample(3, "max", false);
	g_autoptr(GString) out = g_string_new(NULL);
	g_autofree char *message = NULL;

	g_assert_cmpint(trend_render("tea", t, NULL, out, &message), ==, -EINVAL);
	g_assert_nonnull(strstr(message, "\"tea\""));
	g_assert_nonnull(strstr(message, "markdown"));
	g_assert_cmpuint(out->len, ==, 0);
	trend_free(t);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/trend/shift", test_shift);
	g_test_add_func("/trend/kernels", test_kernels);
	g_test_add_func("/trend/formats", test_formats);
	g_test_add_func("/trend/text", test_text);
	g_test_add_func("/trend/odd", test_odd);
	g_test_add_func("/trend/hostile", test_hostile);
	g_test_add_func("/trend/unknown-format", test_unknown_format);
	return g_test_run();
}
