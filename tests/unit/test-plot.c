/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where plots put what they show: a step at a bucket's edge, a bar's height, a block's moment. The
 * frame is always 750 wide from 78 on, so that places are worked out here by hand and not by the
 * code that draws.
 */
#include "edges.h"
#include "plot.h"
#include "report-shared.h"
#include "report.h"
#include "result-sample.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#define LEFT  78.0
#define WIDTH 750.0
#define US    1000ULL
#define SEC   1000000000ULL

struct plotted {
	struct svg *svg;
	GString *desc;
};

static struct plotted plotted_new(void)
{
	return (struct plotted){ svg_new("t"), g_string_new(NULL) };
}

static void plotted_done(struct plotted *p)
{
	g_autoptr(GString) out = g_string_new(NULL);

	svg_end(p->svg, "", "", SVG_ALONE, out);
	g_string_free(p->desc, TRUE);
}

G_GNUC_PRINTF(2, 3)
static bool plotted_has(const struct plotted *p, const char *fmt, ...)
{
	g_autofree char *what = NULL;
	va_list ap;

	va_start(ap, fmt);
	what = g_strdup_vprintf(fmt, ap);
	va_end(ap);
	if (strstr(p->svg->body->str, what))
		return true;
	g_test_message("%s is not in %s", what, p->svg->body->str);
	return false;
}

/* Where @ns is on an axis from @low to @high. */
static char *place(double ns, double low, double high)
{
	g_autoptr(GString) out = g_string_new(NULL);

	svg_append_number(out, LEFT + WIDTH * log(ns / low) / log(high / low));
	return g_strdup(out->str);
}

/* A session of one stage and CPUs without samples. */
static struct result *bare(unsigned cpus, const char *name)
{
	struct result *r = sample_queued();
	struct result_stage *s = result_stage_new();

	s->name = (g_free(s->name), g_strdup(name));
	s->load = (g_free(s->load), g_strdup(name));
	s->repeat = 1;
	s->duration_ns = s->planned_ns = 10 * SEC;
	s->started_usec = 1796004013250000ULL;
	for (unsigned i = 0; i < cpus; i++)
		g_ptr_array_add(s->cpus, result_cpu_new((int)i));
	g_ptr_array_add(r->stages, s);
	return r;
}

static struct result_stage *stage(const struct result *r, guint i)
{
	return r->stages->pdata[i];
}

static struct figures *cpu(const struct result *r, guint stage_at, guint i)
{
	return ((struct result_cpu *)stage(r, stage_at)->cpus->pdata[i])->figures;
}

static void test_ccdf_points(void)
{
	struct result *r = bare(1, "none");
	struct figures *f = cpu(r, 0, 0);
	static const uint64_t samples[] = { 100, 100, 5000, 7777 };
	g_autoptr(GArray) points = NULL;
	const struct svg_point *p;
	unsigned b = histogram_bucket(5000);

	for (size_t i = 0; i < G_N_ELEMENTS(samples); i++)
		figures_record(f, samples[i], (i + 1) * 1000);
	points = plot_ccdf_points(f, false);
	p = (const struct svg_point *)points->data;
	g_assert_cmpuint(points->len, ==, 4);
	g_assert_cmpfloat(p[0].x, ==, 100);
	g_assert_cmpfloat(p[0].y, ==, 1);
	g_assert_cmpfloat(p[1].x, ==, 101); /* a bucket of 1 ns ends there */
	g_assert_cmpfloat(p[1].y, ==, 0.5);
	g_assert_cmpfloat(p[2].x, ==, (double)histogram_high_ns(b));
	g_assert_cmpfloat(p[2].x, ==, 5056); /* 4096 * (1 + 15/64) */
	g_assert_cmpfloat(p[2].y, ==, 0.25);
	g_assert_cmpfloat(p[3].x, ==, 7777); /* not its bucket's edge: the exact maximum */
	g_assert_cmpfloat(p[3].y, ==, 0);
	result_free(r);
}

/* The same on the sheet: 100 ns to 10 us, decades 375 apart. */
static void test_ccdf_drawn(void)
{
	struct result *r = bare(1, "none");
	struct figures *f = cpu(r, 0, 0);
	struct plotted p = plotted_new();
	g_autofree char *edge = place(5056, 100, 10000), *max = place(7777, 100, 10000);
	g_autofree char *small = place(101, 100, 10000);

	figures_record(f, 100, 1000);
	figures_record(f, 100, 2000);
	figures_record(f, 5000, 3000);
	figures_record(f, 7777, 4000);
	g_assert_true(plot_ccdf(p.svg, r, stage(r, 0), p.desc));
	g_assert_true(plotted_has(&p, "H%sV", small));
	g_assert_true(plotted_has(&p, "H%sV", edge));
	g_assert_true(plotted_has(&p, "H%sV", max));
	g_assert_true(plotted_has(&p, ">10 us</text>"));
	g_assert_nonnull(strstr(p.desc->str, "7.78 us"));
	plotted_done(&p);
	result_free(r);
}

/* Two of four are only known to be above 1 ms: the curve stays at one half, and goes on. */
static void test_ccdf_open(void)
{
	struct result *r = bare(1, "none");
	struct figures *f = cpu(r, 0, 0);
	struct plotted p = plotted_new();
	g_autoptr(GArray) points = NULL;

	figures_record(f, 10 * US, 1000);
	figures_record(f, 20 * US, 2000);
	f->unplaced = 2;
	f->unplaced_from_ns = 1000 * US;
	points = plot_ccdf_points(f, false);
	g_assert_cmpfloat(g_array_index(points, struct svg_point, points->len - 1).y, ==, 0.5);
	g_assert_true(plot_ccdf(p.svg, r, stage(r, 0), p.desc));
	g_assert_true(plotted_has(&p, "M820 ")); /* the arrow, 8 before the right edge */
	g_assert_true(plotted_has(&p, "2 samples took 1000.0 us or more"));
	plotted_done(&p);
	p = plotted_new();
	g_assert_true(plot_histogram(p.svg, r, stage(r, 0), p.desc));
	g_assert_true(plotted_has(&p, "M820 "));
	plotted_done(&p);
	result_free(r);
}

/* Nobody knows where it falls, but the source told the maximum: 4 ms, on an axis to 5 ms. */
static void test_ccdf_end_known(void)
{
	struct result *r = bare(1, "none");
	struct figures *f = cpu(r, 0, 0);
	struct plotted p = plotted_new();
	g_autofree char *end = place(4e6, 1e4, 5e6);

	figures_record(f, 10 * US, 1000);
	f->unplaced = 2;
	f->unplaced_from_ns = 1000 * US;
	f->stated = FIGURES_STATED_MAX | FIGURES_STATED_MIN;
	f->max_ns = 4000 * US;
	g_assert_true(plot_ccdf(p.svg, r, stage(r, 0), p.desc));
	g_assert_true(plotted_has(&p, "lp-m lp-s0\" d=\"M%s ", end));
	g_assert_null(strstr(p.svg->body->str, "l7 4.5l-7 4.5")); /* no arrow */
	plotted_done(&p);
	result_free(r);
}

/* Only how many there were, and their mean: an empty frame would look like a fault. */
static void test_no_distribution(void)
{
	struct result *r = bare(1, "none");
	struct figures *f = cpu(r, 0, 0);
	g_autofree char *svg = NULL;

	f->unplaced = 1000;
	f->stated = FIGURES_STATED_MAX | FIGURES_STATED_MIN | FIGURES_STATED_MEAN;
	f->min_ns = 10 * US;
	f->max_ns = 40 * US;
	f->stated_mean_ns = 20e3;
	svg = render("svg", r, &plain);
	g_assert_nonnull(strstr(svg, "No sample has a place in a distribution."));
	g_assert_null(strstr(svg, "Histogram"));
	result_free(r);
}

static void test_values(void)
{
	struct result *r = bare(0, "ping flood");
	g_autofree char *svg = NULL, *html = NULL, *text = NULL;

	json_object_set_new(r->method, "quantity", json_string("overhead"));
	g_ptr_array_add(stage(r, 0)->values, result_value_new("fork", "us", 97.6, 1));
	g_ptr_array_add(stage(r, 0)->values, result_value_new("total", "s", 173, 0));
	g_assert_false(result_is_latency(r));
	svg = render("svg", r, &plain);
	html = render("html", r, &plain);
	text = render("text", r, &plain);
	g_assert_nonnull(strstr(svg, "no latencies"));
	g_assert_nonnull(strstr(html, "<th scope=\"row\">ping flood</th><td class=\"n\">97.6</td>"
				      "<td class=\"n\">173</td>"));
	g_assert_nonnull(strstr(text, "  load        fork, us  total, s\n"
				      "  ping flood      97.6       173\n"));
	g_assert_null(strstr(text, "percentile"));
	result_free(r);
}

static void test_edges(void)
{
	static const uint64_t ranges[][2] = { { 0, 0 },		{ 1, 1 },
					      { 3, 200 },	{ 900, 1100 },
					      { 2500, 171000 }, { 12, 3600 * SEC },
					      { 1, UINT64_MAX } };

	for (size_t i = 0; i < G_N_ELEMENTS(ranges); i++) {
		g_autoptr(GArray) edges = edges_new(ranges[i][0], ranges[i][1], 150);
		const uint64_t *e = (const uint64_t *)edges->data;

		g_assert_cmpuint(edges->len, >=, 2);
		g_assert_cmpuint(edges->len, <=, 151);
		g_assert_cmpuint(e[0], <=, MAX(ranges[i][0], 1));
		if (ranges[i][1] < UINT64_MAX)
			g_assert_cmpuint(e[edges->len - 1], >, ranges[i][1]);
		for (guint k = 0; k + 1 < edges->len; k++) {
			g_assert_cmpuint(e[k], <, e[k + 1]);
			g_assert_cmpuint(histogram_low_ns(histogram_bucket(e[k])), ==, e[k]);
		}
	}
}

/* On a logarithmic scale they are evenly apart: what jumps in a histogram is the distribution. */
static void test_edges_even(void)
{
	g_autoptr(GArray) edges = edges_new(1000, 1000000, 150);
	double narrow = INFINITY, wide = 0;

	for (guint i = 0; i + 1 < edges->len; i++) {
		double step = log((double)g_array_index(edges, uint64_t, i + 1) /
				  (double)g_array_index(edges, uint64_t, i));

		narrow = fmin(narrow, step);
		wide = fmax(wide, step);
	}
	g_assert_cmpfloat(wide / narrow, <, 1.5);
}

static void test_edges_count(void)
{
	struct result *r = sample_hell();
	const struct figures *f = cpu(r, 1, 1);
	g_autoptr(GArray) edges = edges_new(f->min_ns, f->max_ns, 60);
	g_autofree uint64_t *counts = g_new0(uint64_t, edges->len);
	uint64_t sum = 0;

	edges_count(edges, f, counts);
	for (guint i = 0; i + 1 < edges->len; i++)
		sum += counts[i];
	g_assert_cmpuint(sum, ==, figures_count(f));
	result_free(r);
}

/* The maximum's triangle is at the maximum; a CPU without samples says so. */
static void test_histogram(void)
{
	struct result *r = bare(2, "none");
	struct plotted p = plotted_new();
	g_autofree char *x = place(5000, 1000, 5000);

	for (unsigned i = 0; i < 40; i++)
		figures_record(cpu(r, 0, 0), 1000 + i * 50, (i + 1) * 1000);
	figures_record(cpu(r, 0, 0), 5000, 50000);
	g_assert_true(plot_histogram(p.svg, r, stage(r, 0), p.desc));
	g_assert_true(plotted_has(&p, "lp-m lp-s0\" d=\"M%s ", x));
	g_assert_true(plotted_has(&p, "CPU 0: 41 samples, 1.00 us to 5.00 us"));
	g_assert_true(plotted_has(&p, "CPU 1: no samples"));
	plotted_done(&p);
	result_free(r);
}

static void test_histogram_many(void)
{
	struct result *r = bare(256, "none");
	struct plotted p = plotted_new();

	for (guint c = 0; c < 256; c++)
		for (unsigned i = 0; i < 50; i++)
			figures_record(cpu(r, 0, c), 2000 + c * 10 + i * 40, (i + 1) * SEC / 10);
	g_assert_true(plot_histogram(p.svg, r, stage(r, 0), p.desc));
	g_assert_true(plotted_has(&p, ">CPU 0</text>"));
	g_assert_true(plotted_has(&p, ">CPU 248</text>"));
	g_assert_true(plotted_has(&p, "lp-k8"));
	g_assert_cmpuint(p.svg->body->len, <, 400000);
	g_assert_cmpfloat(p.svg->y, <, 1000);
	plotted_done(&p);
	result_free(r);
}

static void add_stage(struct result *r, const char *name, unsigned repeat)
{
	struct result *other = bare(1, name);
	struct result_stage *s = g_ptr_array_steal_index(other->stages, 0);

	s->repeat = repeat;
	s->index = r->stages->len;
	g_ptr_array_add(r->stages, s);
	result_free(other);
}

/* Stages of 10 s each: the second one begins in the middle; its checkpoint at 5 s is at 15 s. */
static void test_maxima(void)
{
	struct result *r = bare(1, "none");
	struct plotted p = plotted_new();
	uint64_t checkpoint = 5 * SEC;

	add_stage(r, "hd", 1);
	for (unsigned i = 0; i < 10; i++) {
		figures_record(cpu(r, 0, 0), 20 * US, i * SEC + SEC / 2);
		figures_record(cpu(r, 1, 0), (i == 4 ? 900 : 20) * US, i * SEC + SEC / 2);
	}
	cpu(r, 1, 0)->migrated = 7;
	g_array_append_val(stage(r, 1)->checkpoints, checkpoint);
	g_assert_true(plot_maxima(p.svg, r, p.desc));
	g_assert_true(plotted_has(&p, "lp-rule\" d=\"M453 "));	/* 78 + 750 / 2 */
	g_assert_true(plotted_has(&p, "lp-rug\" d=\"M640.5 ")); /* 78 + 750 * 15 / 20 */
	g_assert_true(plotted_has(&p, "lp-shade\" d=\"M453 ")); /* migrated: the whole stage */
	g_assert_true(plotted_has(&p, "hd: 7 migrated"));
	/* the step of the block from 14 s to 15 s: 603 to 640.5 */
	g_assert_true(plotted_has(&p, "L603 "));
	/* and its sample at 14.5 s */
	g_assert_true(plotted_has(&p, "M621.75 "));
	g_assert_nonnull(strstr(p.desc->str, "900.0 us"));
	plotted_done(&p);
	result_free(r);
}

/* Samples from the fourth second on, after a warm-up of 3 s: they begin at the left edge. */
static void test_maxima_warm_up(void)
{
	struct result *r = bare(1, "none");
	struct plotted p = plotted_new();

	for (unsigned i = 3; i < 13; i++)
		figures_record(cpu(r, 0, 0), (i == 5 ? 900 : 20) * US, i * SEC + SEC / 2);
	g_assert_true(plot_maxima(p.svg, r, p.desc));
	g_assert_true(plotted_has(&p, "lp-l lp-s0\" d=\"M78 "));
	g_assert_true(plotted_has(&p, "M265.5 ")); /* 78 + 750 * 2.5 / 10: the one at 5.5 s */
	plotted_done(&p);
	result_free(r);
}

static void test_repeats(void)
{
	struct result *r = bare(1, "none");
	struct plotted p = plotted_new();
	g_autofree char *name = NULL;

	add_stage(r, "hd", 1);
	add_stage(r, "hd", 2);
	add_stage(r, "none", 2);
	for (guint i = 0; i < 4; i++)
		figures_record(cpu(r, i, 0), (20 + i) * US, SEC / 2);
	g_assert_cmpuint(plot_stage_series(r, 0), ==, 0);
	g_assert_cmpuint(plot_stage_series(r, 1), ==, 1);
	g_assert_cmpuint(plot_stage_series(r, 2), ==, 1);
	g_assert_cmpuint(plot_stage_series(r, 3), ==, 0);
	name = plot_stage_name(r, stage(r, 2));
	g_assert_cmpstr(name, ==, "hd, repeat 2");
	g_assert_true(plot_ccdf_stages(p.svg, r, p.desc));
	g_assert_true(plotted_has(&p, "hd, 2 repeats"));
	plotted_done(&p);
	result_free(r);
}

static json_t *tail(void)
{
	return json_pack("{s:{s:f,s:f,s:f,s:i,s:i,s:I,s:[{s:i,s:f,s:f,s:f,s:f}]}}", "tail",
			 "location_ns", 40e3, "scale_ns", 10e3, "shape", 0.0, "blocks", 100,
			 "merged", 1, "block_length_ns", (json_int_t)SEC, "levels", "times", 10,
			 "level_ns", 109e3, "low_ns", 90e3, "high_ns", 150e3, "duration_ns", 1e12);
}

/* 100 blocks, ten times as long: one in 1000, at the right edge of an axis from 1 to 1000. */
static void test_return(void)
{
	struct result *r = bare(1, "none");
	struct plotted p = plotted_new();

	for (unsigned i = 0; i < 10; i++)
		figures_record(cpu(r, 0, 0), (30 + i) * US, i * SEC + SEC / 2);
	g_assert_false(plot_return(p.svg, r, stage(r, 0), p.desc));
	stage(r, 0)->analysis = json_pack("{s:{s:s,s:s,s:i}}", "tail", "refused", "too-few",
					  "reason", "There are 10 blocks.", "blocks", 10);
	g_assert_false(plot_return(p.svg, r, stage(r, 0), p.desc));
	g_assert_cmpuint(p.svg->body->len, ==, 0);
	json_decref(stage(r, 0)->analysis);
	stage(r, 0)->analysis = tail();
	g_assert_true(plot_return(p.svg, r, stage(r, 0), p.desc));
	g_assert_true(plotted_has(&p, "M824 ")); /* the whisker's end, 4 left of 828 */
	/* the sixth of ten: 1 in 2.2 */
	g_assert_true(plotted_has(&p, "M%.2f ", LEFT + WIDTH * log(11. / 5) / log(1000) - 3));
	g_assert_true(plotted_has(&p, "In 10 times as long (16min 40s), 109.0 us is exceeded"));
	plotted_done(&p);
	result_free(r);
}

static void test_return_no_end(void)
{
	struct result *r = bare(1, "none");
	struct plotted p = plotted_new();
	json_t *level;

	figures_record(cpu(r, 0, 0), 30 * US, SEC / 2);
	stage(r, 0)->analysis = tail();
	level = json_array_get(
		json_object_get(json_object_get(stage(r, 0)->analysis, "tail"), "levels"), 0);
	json_object_set_new(level, "high_ns", json_null());
	g_assert_true(plot_return(p.svg, r, stage(r, 0), p.desc));
	g_assert_true(plotted_has(&p, "95 %% interval 90.0 us to no end that is known."));
	g_assert_true(plotted_has(&p, "l4.5 8h-9Z")); /* the arrow's head */
	plotted_done(&p);
	result_free(r);
}

/* JSON of other hands: no number, no end of it. */
static void test_return_hostile(void)
{
	static const char *const texts[] = {
		"{}",
		"{\"tail\":[]}",
		"{\"tail\":{\"location_ns\":\"x\",\"scale_ns\":1,\"shape\":0,\"blocks\":100}}",
		"{\"tail\":{\"location_ns\":1,\"scale_ns\":-1,\"shape\":0,\"blocks\":100}}",
		"{\"tail\":{\"location_ns\":1e308,\"scale_ns\":1e308,\"shape\":900,\"blocks\":1e8,"
		"\"levels\":[{\"times\":1e6,\"level_ns\":1e308}]}}",
		"{\"tail\":{\"location_ns\":1,\"scale_ns\":1e-300,\"shape\":-900,\"blocks\":2,"
		"\"merged\":-7,\"levels\":[{},3,null]}}",
	};

	for (size_t i = 0; i < G_N_ELEMENTS(texts); i++) {
		struct result *r = bare(1, "none");
		struct plotted p = plotted_new();

		figures_record(cpu(r, 0, 0), 30 * US, SEC / 2);
		stage(r, 0)->analysis = json_loads(texts[i], 0, NULL);
		g_assert_nonnull(stage(r, 0)->analysis);
		(void)plot_return(p.svg, r, stage(r, 0), p.desc); /* it may or may not draw */
		g_assert_null(strstr(p.svg->body->str, "nan"));
		g_assert_null(strstr(p.svg->body->str, "inf"));
		plotted_done(&p);
		result_free(r);
	}
}

static void test_option(void)
{
	struct report_options o = { .plot = "pie" };
	struct result *r = sample_idle();
	g_autoptr(GString) out = g_string_new(NULL);
	g_autofree char *message = NULL, *ccdf = NULL, *all = NULL, *tail_only = NULL;

	g_assert_cmpint(report_render("svg", r, &o, out, &message), ==, -EINVAL);
	g_assert_cmpstr(message, ==,
			"There is no plot \"pie\"; there are histogram, ccdf, maxima, tail.");
	g_assert_cmpuint(out->len, ==, 0);
	all = render("svg", r, &plain);
	o.plot = "ccdf";
	ccdf = render("svg", r, &o);
	g_assert_nonnull(strstr(all, "Maxima over time"));
	g_assert_nonnull(strstr(all, "Histogram: none"));
	g_assert_nonnull(strstr(ccdf, "How often at least so long: none"));
	g_assert_null(strstr(ccdf, "Maxima over time"));
	g_assert_null(strstr(ccdf, "Histogram: none"));
	o.plot = "tail";
	tail_only = render("svg", r, &o);
	g_assert_nonnull(strstr(tail_only, "No tail was fitted"));
	result_free(r);
}

/* --- whole documents --- */

struct document {
	GHashTable *ids;
	unsigned svgs, tables, captions, heads;
	bool title, desc, lang;
};

static void document_element(GMarkupParseContext *c, const char *name, const char **keys,
			     const char **values, gpointer data, GError **error)
{
	struct document *d = data;

	g_assert_cmpstr(name, !=, "script");
	for (; *keys; keys++, values++) {
		g_assert_false(g_str_has_prefix(*keys, "on"));
		g_assert_cmpstr(*keys, !=, "href");
		g_assert_cmpstr(*keys, !=, "src");
		if (strcmp(*keys, "id") == 0)
			g_assert_true(g_hash_table_add(d->ids, g_strdup(*values)));
		if (strcmp(name, "html") == 0 && strcmp(*keys, "lang") == 0)
			d->lang = strcmp(*values, "en") == 0;
		if (strcmp(name, "th") == 0 && strcmp(*keys, "scope") == 0)
			d->heads++;
	}
	d->svgs += strcmp(name, "svg") == 0;
	d->tables += strcmp(name, "table") == 0;
	d->captions += strcmp(name, "caption") == 0;
	d->title = d->title || strcmp(name, "title") == 0;
	d->desc = d->desc || strcmp(name, "desc") == 0;
}

static struct document document_read(const char *text)
{
	static const GMarkupParser parser = { .start_element = document_element };
	struct document d = { .ids = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL) };
	GMarkupParseContext *c = g_markup_parse_context_new(&parser, 0, &d, NULL);
	g_autoptr(GError) error = NULL;

	g_assert_true(g_utf8_validate(text, -1, NULL));
	if (!g_markup_parse_context_parse(c, text, -1, &error) ||
	    !g_markup_parse_context_end_parse(c, &error))
		g_error("%s", error->message);
	g_markup_parse_context_free(c);
	g_hash_table_unref(d.ids);
	return d;
}

static void test_documents(void)
{
	for (const struct result_sample *s = result_samples; s->name; s++) {
		struct result *r = s->make();
		g_autofree char *svg = render("svg", r, &plain), *html = render("html", r, &plain);
		struct document d = document_read(svg);

		g_test_message("%s", s->name);
		g_assert_cmpuint(d.svgs, ==, 1);
		g_assert_true(d.title && d.desc);
		d = document_read(html);
		g_assert_true(d.title && d.lang);
		g_assert_cmpuint(d.tables ? d.heads : 1, >, 0);
		g_assert_null(strstr(html, "url("));
		g_assert_null(strstr(html, "@import"));
		if (r->stages->len && !r->thinned_usec)
			g_assert_cmpuint(d.svgs, >=, 3);
		result_free(r);
	}
}

/* What text says HTML says: every word of the text report outside its bars is on the page. */
static void test_same_words(void)
{
	static const char *const phrases[] = {
		"Real-time priority was not permitted",
		"max &lt;= 100ms is broken: 1.00025s on CPU 1.",
		"BROKEN",
		"1000250.0",
		"holds a worse one with chance below 30 % (3 / 10 blocks)",
		"What would make these numbers stronger",
		"<caption>All stages, time in microseconds, all CPUs together</caption>",
		"<th scope=\"row\">dohell_xenomai</th>",
		"Stage 2 of 4: hd <span class=\"badge bad\">fail</span>",
	};
	struct result *r = sample_hell();
	g_autofree char *html = render("html", r, &plain);

	for (size_t i = 0; i < G_N_ELEMENTS(phrases); i++)
		if (!strstr(html, phrases[i])) {
			g_test_message("%s is not there", phrases[i]);
			g_test_fail();
		}
	result_free(r);
}

static void test_hostile_label(void)
{
	struct result *r = sample_idle();
	g_autofree char *html = NULL, *svg = NULL;

	r->label = (g_free(r->label),
		    g_strdup("</title><script>alert(1)</script>\"'\u202e\001\xff, \u05e9\u05dc\n"));
	stage(r, 0)->name = (g_free(stage(r, 0)->name), g_strdup("<b>&\"\u202e"));
	html = render("html", r, &plain);
	svg = render("svg", r, &plain);
	g_assert_null(strstr(html, "<script"));
	g_assert_null(strstr(html, "<b>"));
	g_assert_null(strstr(html, "\u202e"));
	g_assert_null(strstr(svg, "\u202e"));
	document_read(html);
	document_read(svg);
	result_free(r);
}

static void test_degenerate(void)
{
	struct result *r = bare(3, "none");
	struct figures *f = cpu(r, 0, 1);
	g_autofree char *none = render("svg", r, &plain), *one = NULL, *many = NULL, *zero = NULL;

	document_read(none);
	g_assert_nonnull(strstr(none, "Nothing to draw"));
	figures_record(f, 0, SEC / 2); /* one sample, and that of 0 */
	zero = render("svg", r, &plain);
	document_read(zero);
	g_assert_nonnull(strstr(zero, "CPU 1: 1 sample, 0 ns to 0 ns"));
	figures_record(f, UINT64_MAX, SEC / 2);
	one = render("svg", r, &plain);
	document_read(one);
	f->bucket[histogram_bucket(5000)] = 1000000000000ULL;
	many = render("svg", r, &plain);
	document_read(many);
	g_assert_nonnull(strstr(many, "1 in 1T"));
	g_assert_null(strstr(many, "nan"));
	result_free(r);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/plot/ccdf/points", test_ccdf_points);
	g_test_add_func("/plot/ccdf/drawn", test_ccdf_drawn);
	g_test_add_func("/plot/ccdf/open", test_ccdf_open);
	g_test_add_func("/plot/ccdf/end-known", test_ccdf_end_known);
	g_test_add_func("/plot/no-distribution", test_no_distribution);
	g_test_add_func("/plot/values", test_values);
	g_test_add_func("/plot/edges/cuts", test_edges);
	g_test_add_func("/plot/edges/even", test_edges_even);
	g_test_add_func("/plot/edges/count", test_edges_count);
	g_test_add_func("/plot/histogram/few", test_histogram);
	g_test_add_func("/plot/histogram/many", test_histogram_many);
	g_test_add_func("/plot/maxima", test_maxima);
	g_test_add_func("/plot/maxima-warm-up", test_maxima_warm_up);
	g_test_add_func("/plot/repeats", test_repeats);
	g_test_add_func("/plot/return/drawn", test_return);
	g_test_add_func("/plot/return/no-end", test_return_no_end);
	g_test_add_func("/plot/return/hostile", test_return_hostile);
	g_test_add_func("/plot/option", test_option);
	g_test_add_func("/plot/documents", test_documents);
	g_test_add_func("/plot/same-words", test_same_words);
	g_test_add_func("/plot/hostile-label", test_hostile_label);
	g_test_add_func("/plot/degenerate", test_degenerate);
	return g_test_run();
}
