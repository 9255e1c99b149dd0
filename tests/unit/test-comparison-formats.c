/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Every format of a comparison, read by what reads it: of ordinary sessions, of such in which there
 * is next to nothing, and with labels that are out to break it.
 */
#include "comparison-made.h"
#include "result-sample.h"

#include <errno.h>
#include <string.h>

/* after jansson.h, which it looks for */
#include "cleanup.h"

/* --- readers --- */

static void read_xml(const char *text)
{
	static const GMarkupParser nothing;
	g_autoptr(GMarkupParseContext) c =
		g_markup_parse_context_new(&nothing, G_MARKUP_DEFAULT_FLAGS, NULL, NULL);
	g_autoptr(GError) error = NULL;
	const char *body = g_str_has_prefix(text, "<!DOCTYPE html>") ? strchr(text, '\n') : text;
	bool good = g_markup_parse_context_parse(c, body, -1, &error) &&
		    g_markup_parse_context_end_parse(c, &error);

	g_assert_no_error(error);
	g_assert_true(good);
	g_assert_null(strcasestr(text, "<script"));
}

static void read_json(const char *text)
{
	g_autoptr(json_t) j = json_loads(text, JSON_REJECT_DUPLICATES, NULL);

	g_assert_true(json_is_object(j));
	g_assert_null(strstr(text, "nan"));
}

/* Fields of the record at *at (RFC 4180), which is moved behind it. */
static unsigned csv_record(const char **at)
{
	unsigned fields = 1;
	bool quoted = false;

	for (; **at && (quoted || **at != '\n'); (*at)++) {
		if (**at == '"')
			quoted = !quoted;
		fields += !quoted && **at == ',';
	}
	g_assert_false(quoted);
	g_assert_cmpint(**at, ==, '\n');
	(*at)++;
	return fields;
}

static void read_csv(const char *text)
{
	unsigned fields = csv_record(&text), rows = 0;

	g_assert_cmpuint(fields, ==, 20);
	for (; *text; rows++)
		g_assert_cmpuint(csv_record(&text), ==, fields);
	g_assert_cmpuint(rows, >, 0);
}

static void check_line(const char *line)
{
	g_assert_true(g_utf8_validate(line, -1, NULL));
	for (const char *p = line; *p; p = g_utf8_next_char(p)) {
		GUnicodeType t = g_unichar_type(g_utf8_get_char(p));

		g_assert_true(t != G_UNICODE_CONTROL && t != G_UNICODE_FORMAT);
	}
}

static unsigned markdown_bars(const char *line)
{
	unsigned n = 0;

	for (const char *p = line; *p; p++) {
		if (*p == '\\' && p[1])
			p++;
		else
			n += *p == '|';
	}
	return n;
}

/* Rows of a table have as many cells as its head. */
static void read_markdown(const char *text)
{
	g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
	unsigned bars = 0, tables = 0;

	for (char **line = lines; *line; line++) {
		check_line(*line);
		if (**line != '|') {
			bars = 0;
			continue;
		}
		tables += bars == 0;
		bars = bars ? bars : markdown_bars(*line);
		g_assert_cmpuint(markdown_bars(*line), ==, bars);
	}
	g_assert_cmpuint(tables, >, 0);
	g_assert_null(strstr(text, "<b"));
}

static void read_text(const char *text)
{
	g_auto(GStrv) lines = g_strsplit(text, "\n", -1);

	for (char **line = lines; *line; line++) {
		check_line(*line);
		g_assert_cmpint(g_utf8_strlen(*line, -1), <=, 80);
	}
}

static const struct {
	const char *format;
	void (*read)(const char *text);
} readers[] = {
	{ "text", read_text }, { "markdown", read_markdown }, { "json", read_json },
	{ "csv", read_csv },   { "svg", read_xml },	      { "html", read_xml },
};

/* All formats of the sessions, which are taken. */
static void check_all(const struct comparison_options *o, struct result *const *all)
{
	struct comparison *c = made_comparison(o, all);
	unsigned formats = 0;

	g_assert_cmpint(comparison_finish(c, NULL), ==, 0);
	for (size_t i = 0; i < G_N_ELEMENTS(readers); i++) {
		g_autofree char *text = made_text(readers[i].format, c);

		g_test_message("%s", readers[i].format);
		readers[i].read(text);
	}
	while (comparison_formats[formats])
		formats++;
	g_assert_cmpuint(formats, ==, G_N_ELEMENTS(readers));
	comparison_free(c);
}

static void test_ordinary(void)
{
	struct result *two[] = { made_measured("a", 10000, 1), made_measured("b", 11000, 2), NULL };
	struct result *many[] = { made_measured("a", 10000, 1), made_measured("a", 10000, 2),
				  made_measured("a", 10000, 3), made_benchmark("a", "fork", 93, 0),
				  made_measured("b", 11000, 4), made_measured("b", 11000, 5),
				  made_measured("b", 11000, 6), made_benchmark("b", "fork", 157, 0),
				  made_measured("c", 9000, 7),	NULL };

	check_all(NULL, two);
	check_all(NULL, many);
}

static void test_unknown_format(void)
{
	struct comparison *c = comparison_new(NULL);
	g_autoptr(GString) out = g_string_new(NULL);
	g_autofree char *message = NULL;

	g_assert_cmpint(comparison_render("pdf", c, NULL, out, &message), ==, -EINVAL);
	g_assert_nonnull(strstr(message, "text, markdown, json, csv, svg, html"));
	comparison_free(c);
}

/* --- next to nothing --- */

static struct result *with(const char *label, void (*fill)(struct result_stage *s))
{
	struct result *r = made_session(label, "6.1");

	fill(made_stage(r, "none"));
	return r;
}

static void fill_nothing(struct result_stage *s)
{
}

static void fill_silent(struct result_stage *s)
{
	made_figures(s);
}

static void fill_one(struct result_stage *s)
{
	figures_record(made_figures(s), 12345, 1);
}

static void fill_zero(struct result_stage *s)
{
	for (unsigned i = 0; i < 3000; i++)
		figures_record(made_figures(s), 0, i * MADE_SECOND / 100 + 1);
}

static void fill_torn(struct result_stage *s)
{
	made_run(s, 30, 10000, 1);
	made_figures(s)->sum_ns = 3;
	figures_rebuild(made_figures(s));
}

static void fill_stated(struct result_stage *s)
{
	struct figures *f = made_figures(s);

	f->stated = FIGURES_STATED_NO_COUNT | FIGURES_STATED_MEAN | FIGURES_STATED_MAX |
		    FIGURES_STATED_MIN | FIGURES_STATED_STDDEV;
	f->min_ns = 5600;
	f->max_ns = 51800;
	f->stated_mean_ns = 5700;
	f->stated_stddev_ns = 300;
}

static void fill_beyond(struct result_stage *s)
{
	made_run(s, 30, 10000, 1);
	made_figures(s)->unplaced = 9;
	made_figures(s)->unplaced_from_ns = 50000;
}

/* 10^12 samples, an hour long */
static void fill_many(struct result_stage *s)
{
	struct figures *f = made_figures(s);

	figures_record(f, 3600 * MADE_SECOND, 1);
	f->bucket[histogram_bucket(3600 * MADE_SECOND)] = 1000000000000ULL;
	f->sum_ns = (u128)1000000000000ULL * 3600 * MADE_SECOND;
}

static void (*const fills[])(struct result_stage *) = { fill_nothing, fill_silent, fill_one,
							fill_zero,    fill_torn,   fill_stated,
							fill_beyond,  fill_many };

static void test_degenerate(void)
{
	const struct comparison_options judged = { .fail_above = 10 };

	for (size_t i = 0; i < G_N_ELEMENTS(fills); i++)
		for (size_t k = 0; k < G_N_ELEMENTS(fills); k++) {
			struct result *all[] = { with("a", fills[i]), with("b", fills[k]), NULL };
			struct result *three[] = { with("a", fills[i]),
						   with("a", fills[k]),
						   with("a", fills[i]),
						   with("b", fills[k]),
						   with("b", fills[i]),
						   with("b", fills[i]),
						   NULL };

			check_all(i % 2 ? &judged : NULL, all);
			check_all(k % 2 ? &judged : NULL, three);
		}
}

/* Every sample that reports are tested with, against itself. */
static void test_samples(void)
{
	for (const struct result_sample *s = result_samples; s->name; s++) {
		struct result *a = s->make(), *b = s->make();
		struct result *all[] = { a, b, NULL };

		if (a->thinned_usec || !a->stages || a->stages->len == 0) {
			result_free(a);
			result_free(b);
			continue;
		}
		b->label = (g_free(b->label), g_strdup("other"));
		g_test_message("%s", s->name);
		check_all(NULL, all);
	}
}

/* Without data nothing is 0, and nothing equal. */
static void test_nothing(void)
{
	struct result *all[] = { with("a", fill_silent), with("b", fill_silent), NULL };
	g_autoptr(json_t) j = made_json(NULL, all);
	json_t *figures = json_object_get(made_row(j, 0, "none"), "figures"), *f;
	const char *key;

	json_object_foreach (figures, key, f)
		if (strcmp(key, "count") != 0 && strcmp(key, "lost") != 0)
			g_assert_true(json_is_null(json_object_get(f, "value")));
	g_assert_true(
		json_is_null(json_object_get(made_difference(j, 1, "none", "avg_ns"), "percent")));
	g_assert_true(
		json_is_null(json_object_get(made_difference(j, 1, "none", "avg_ns"), "shown")));
}

/* --- hostile --- */

static const char *const hostile[] = {
	"</title><script>alert(1)</script>",
	"\" onload=\"x\" '",
	"a,b\"c\nd",
	"|x|`y`|<b>z</b> [l](http://x) @root #1 ~~s~~ $m$",
	"\033[2J\001\177 esc",
	"\xff\xfe not UTF-8",
	"\u202e\u2066 right to left \u05d0",
	"]]>&amp;&#0;<!--",
	"=cmd|' /C calc'!A0",
	"",
};

static void test_hostile(void)
{
	for (size_t i = 0; i < G_N_ELEMENTS(hostile); i++)
		for (int at = 0; at < 5; at++) {
			struct result *a = made_session("a", at == 1 ? hostile[i] : "6.1");
			struct result *b = made_session(at == 0 ? hostile[i] : "b", "6.1");
			struct result *all[] = { a, b, NULL };
			const char *stage = at == 2 ? hostile[i] : "none";

			made_run(made_stage(a, stage), 12, 10000, 1);
			made_run(made_stage(b, stage), 12, 11000, 2);
			if (at == 3)
				json_object_set_new(b->method, "note",
						    json_string_nocheck(hostile[i]));
			if (at == 4)
				finding_add(((struct result_stage *)b->stages->pdata[0])->findings,
					    "load-died", "%s", hostile[i]);
			g_test_message("%zu %d", i, at);
			check_all(NULL, all);
		}
}

/* In a table of a benchmark. */
static void test_hostile_values(void)
{
	for (size_t i = 0; i < G_N_ELEMENTS(hostile); i++) {
		struct result *all[] = { made_benchmark("a", hostile[i], 1, 0),
					 made_benchmark("b", hostile[i], 2, 0), NULL };

		check_all(NULL, all);
	}
}

static void test_hostile_refused(void)
{
	for (size_t i = 0; i < G_N_ELEMENTS(hostile); i++) {
		struct result *all[] = { made_benchmark("a", "fork", 1, 0),
					 made_measured(hostile[i], 10000, 1), NULL };
		struct comparison *c = made_comparison(NULL, all);
		g_autofree char *message = NULL;

		g_assert_cmpint(comparison_finish(c, &message), ==, -EXDEV);
		check_line(message);
		comparison_free(c);
	}
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/comparison-formats/ordinary", test_ordinary);
	g_test_add_func("/comparison-formats/unknown", test_unknown_format);
	g_test_add_func("/comparison-formats/degenerate", test_degenerate);
	g_test_add_func("/comparison-formats/samples", test_samples);
	g_test_add_func("/comparison-formats/nothing", test_nothing);
	g_test_add_func("/comparison-formats/hostile", test_hostile);
	g_test_add_func("/comparison-formats/hostile-values", test_hostile_values);
	g_test_add_func("/comparison-formats/hostile-refused", test_hostile_refused);
	return g_test_run();
}
