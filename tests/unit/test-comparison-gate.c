/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What may be compared, what is refused and why, and what is said of what is not quite alike. */
#include "comparison-made.h"

#include <errno.h>
#include <string.h>

/* after jansson.h, which it looks for */
#include "cleanup.h"

/* Finish and expect @r with @part in its sentence. Frees @c. */
static void check_refused(struct comparison *c, int r, const char *part)
{
	g_autofree char *message = NULL;

	g_assert_cmpint(comparison_finish(c, &message), ==, r);
	g_test_message("%s", message);
	g_assert_nonnull(message);
	g_assert_nonnull(strstr(message, part));
	comparison_free(c);
}

static struct result *with_method(struct result *r, const char *key, json_t *value)
{
	json_object_set_new(r->method, key, value);
	return r;
}

static struct result *plain(const char *label)
{
	return made_measured(label, 10000, 7);
}

static void test_methods(void)
{
	static const struct {
		const char *key, *a, *b, *said;
	} cases[] = {
		{ "instrument", "\"timer\"", "\"cpuloop\"", "instrument timer and cpuloop" },
		{ "policy", "\"fifo\"", "\"other\"", "policy fifo and other" },
		{ "role", "\"logger\"", "\"both\"", "role logger and both" },
		{ "receive", "\"irq\"", "\"poll\"", "receive irq and poll" },
		{ "answer", "\"handler\"", "\"thread\"", "answer handler and thread" },
		{ "context", "[\"hardirq\"]", "[\"thread\"]", "context hardirq and thread" },
		{ "virtual", "true", "false", "virtual yes and no" },
		{ "quantity", "\"latency\"", "\"noise\"", "quantity latency and noise" },
		{ "source", "\"cyclictest\"", "\"rteval\"", "source cyclictest and rteval" },
		{ "work_ns", "100000", "200000", "work 100us and 200us" },
	};

	for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
		json_t *a = json_loads(cases[i].a, JSON_DECODE_ANY, NULL);
		json_t *b = json_loads(cases[i].b, JSON_DECODE_ANY, NULL);
		struct result *all[] = { with_method(plain("a"), cases[i].key, a),
					 with_method(plain("b"), cases[i].key, b), NULL };

		check_refused(made_comparison(NULL, all), -EXDEV, cases[i].said);
	}
}

/* Older sessions say less: that is no difference. */
static void test_methods_unknown(void)
{
	struct result *all[] = { with_method(plain("a"), "context", json_array()),
				 with_method(plain("b"), "context", json_pack("[s]", "thread")),
				 NULL };

	json_decref(made_json(NULL, all));
}

/* Every row of every table, in every format, says so. */
static void test_force(void)
{
	const struct comparison_options force = { .force = true };
	struct result *all[] = { plain("a"), with_method(plain("b"), "policy", json_string("rr")),
				 NULL };
	struct comparison *c = made_comparison(&force, all);
	g_autofree char *text = NULL, *markdown = NULL, *csv = NULL, *html = NULL, *svg = NULL;
	g_autoptr(json_t) j = NULL;
	g_auto(GStrv) lines = NULL;
	unsigned rows = 0;

	g_assert_cmpint(comparison_finish(c, NULL), ==, 0);
	g_assert_cmpint(comparison_verdict(c), ==, VERDICT_INCONCLUSIVE);
	j = comparison_json(c);
	g_assert_true(json_is_true(json_object_get(j, "forced")));
	g_assert_cmpstr(json_string_value(json_object_get(made_row(j, 1, "none"), "warning")), ==,
			"policy fifo and rr");
	g_assert_true(json_is_null(json_object_get(made_row(j, 0, "none"), "warning")));
	g_assert_nonnull(made_warning(j, "forced"));
	text = made_text("text", c);
	csv = made_text("csv", c);
	markdown = made_text("markdown", c);
	html = made_text("html", c);
	svg = made_text("svg", c);
	g_assert_nonnull(strstr(markdown, "not comparable"));
	g_assert_nonnull(strstr(html, "not comparable"));
	g_assert_nonnull(strstr(svg, "not comparable"));
	g_assert_nonnull(strstr(text, "inconclusive"));
	lines = g_strsplit(csv, "\n", -1);
	for (char **line = lines + 1; *line && **line; line++) {
		bool of_b = strstr(*line, ",b,") != NULL;

		g_assert_true(g_str_has_suffix(*line, "not comparable") == of_b);
		rows += of_b;
	}
	g_assert_cmpuint(rows, ==, 16);
	comparison_free(c);
}

/* In wide tables of text each part of a fold says so. */
static void test_force_text(void)
{
	const struct comparison_options force = { .force = true };
	const struct report_options wide = { .width = 200 };
	struct result *all[] = { plain("aaaa"),
				 with_method(plain("bbbb"), "policy", json_string("rr")), NULL };
	struct comparison *c = made_comparison(&force, all);
	g_autoptr(GString) out = g_string_new(NULL);
	g_auto(GStrv) lines = NULL;
	unsigned rows = 0;

	g_assert_cmpint(comparison_finish(c, NULL), ==, 0);
	g_assert_cmpint(comparison_render("text", c, &wide, out, NULL), ==, 0);
	lines = g_strsplit(out->str, "\n", -1);
	for (char **line = lines; *line; line++) {
		if (!g_str_has_prefix(*line, "  bbbb "))
			continue;
		g_assert_true(g_str_has_suffix(*line, "not comparable"));
		rows++;
	}
	g_assert_cmpuint(rows, ==, 3);
	comparison_free(c);
}

/* A latency and a benchmark are in one table never. */
static void test_quantities(void)
{
	const struct comparison_options force = { .force = true };
	struct result *all[] = { plain("a"), made_benchmark("b", "fork", 93, 0), NULL };

	check_refused(made_comparison(&force, all), -EXDEV, "quantity latency and overhead");
}

/* A label may stand for both: each finds its like, in a table of its own. */
static void test_label_of_both(void)
{
	struct result *all[] = { plain("a"), made_benchmark("a", "fork", 93, 0),
				 made_benchmark("b", "fork", 157, 0), plain("b"), NULL };
	struct result *odd[] = { plain("a"), made_benchmark("a", "fork", 93, 0), plain("b"), NULL };
	g_autoptr(json_t) j = made_json(NULL, all), k = made_json(NULL, odd);
	json_t *tables = json_object_get(j, "tables");

	g_assert_cmpuint(json_array_size(tables), ==, 2);
	g_assert_cmpstr(json_string_value(json_object_get(json_array_get(tables, 0), "quantity")),
			==, "latency");
	g_assert_cmpstr(json_string_value(json_object_get(json_array_get(tables, 1), "quantity")),
			==, "overhead");
	g_assert_cmpstr(json_string_value(json_object_get(made_row(j, 1, "none"), "basis")), ==,
			"run");
	g_assert_cmpuint(json_array_size(json_object_get(k, "tables")), ==, 1);
	g_assert_nonnull(strstr(made_warning(k, "left-out"), "overhead"));
}

static void test_sides(void)
{
	struct result *one[] = { plain("a"), NULL }, *two[] = { plain("a"), plain("b"), NULL };
	struct comparison_options base = { .base = "b" }, no_base = { .base = "x" };
	struct comparison *c = comparison_new(NULL);
	struct result *r = plain("a");
	g_autoptr(json_t) j = made_json(&base, two);
	g_autofree char *message = NULL;

	g_assert_cmpint(json_integer_value(json_object_get(j, "base")), ==, 1);
	g_assert_true(json_is_null(json_object_get(made_row(j, 1, "none"), "differences")));
	g_assert_true(json_is_object(json_object_get(made_row(j, 0, "none"), "differences")));
	check_refused(made_comparison(NULL, one), -EINVAL, "2 to 64 sides");

	for (unsigned i = 0; i < 65; i++)
		g_assert_cmpuint(comparison_add_side(c, "a"), ==, i);
	g_assert_cmpint(comparison_add(c, 63, r, NULL), ==, 0);
	g_assert_cmpint(comparison_add(c, 64, r, &message), ==, -EINVAL);
	g_assert_nonnull(strstr(message, "64"));
	check_refused(c, -EINVAL, "2 to 64 sides, and these are 65");

	c = comparison_new(&no_base);
	comparison_add_side(c, "a");
	comparison_add_side(c, "b");
	g_assert_cmpint(comparison_add(c, 0, r, NULL), ==, 0);
	check_refused(c, -EINVAL, "\"b\" has no session");

	c = comparison_new(&no_base);
	comparison_add(c, comparison_add_side(c, "a"), r, NULL);
	comparison_add(c, comparison_add_side(c, "b"), r, NULL);
	check_refused(c, -EINVAL, "The base \"x\" is none of what is compared: a, b.");
	result_free(r);
}

static struct result *staged(const char *label, const char *a, const char *b)
{
	struct result *r = made_session(label, "6.1");

	made_run(made_stage(r, a), 60, 10000, 1);
	if (b)
		made_run(made_stage(r, b), 60, 12000, 2);
	return r;
}

static void test_stages(void)
{
	const struct comparison_options force = { .force = true }, hd = { .stage = "hd" };
	const struct comparison_options none = { .stage = "nix" };
	struct result *apart[] = { staged("a", "hd", NULL), staged("b", "ping", NULL), NULL };
	struct result *forced[] = { staged("a", "hd", NULL), staged("b", "ping", NULL), NULL };
	struct result *some[] = { staged("a", "hd", "none"), staged("b", "ping", "hd"), NULL };
	struct result *only[] = { staged("a", "hd", "none"), staged("b", "ping", "hd"), NULL };
	struct result *missing[] = { staged("a", "hd", NULL), staged("b", "hd", NULL), NULL };
	g_autoptr(json_t) f = made_json(&force, forced), j = made_json(NULL, some);
	g_autoptr(json_t) k = made_json(&hd, only);

	check_refused(made_comparison(NULL, apart), -EXDEV,
		      "no stage in common: the first has hd; the second ping");
	g_assert_nonnull(strstr(made_warning(f, "forced"), "no stage in common"));
	g_assert_nonnull(made_warning(j, "stage-missing"));
	g_assert_true(json_is_object(json_object_get(made_row(j, 1, "hd"), "differences")));
	g_assert_true(json_is_null(json_object_get(made_row(j, 1, "ping"), "differences")));
	g_assert_nonnull(made_row(j, 0, "none"));
	g_assert_null(made_row(k, 0, "none"));
	g_assert_null(made_row(k, 1, "ping"));
	check_refused(made_comparison(&none, missing), -EINVAL, "stage \"nix\"");
}

static void test_nothing(void)
{
	struct result *empty = made_session("a", "6.1"), *thin = plain("a");
	struct comparison *c = comparison_new(NULL);
	g_autofree char *message = NULL, *thinned = NULL;

	comparison_add_side(c, "a");
	g_assert_cmpint(comparison_add(c, 0, empty, &message), ==, -EINVAL);
	g_assert_nonnull(strstr(message, "nothing to compare"));
	thin->thinned_usec = 1;
	g_assert_cmpint(comparison_add(c, 0, thin, &thinned), ==, -EINVAL);
	g_assert_nonnull(strstr(thinned, "were removed"));
	comparison_free(c);
	result_free(empty);
	result_free(thin);
}

/* --- warnings --- */

static void test_conditions(void)
{
	static const struct {
		const char *group, *key, *a, *b, *id, *said;
	} cases[] = {
		{ "kernel", "release", "\"6.1.0-57-rt-amd64\"", "\"6.12.3-rt\"", "base-kernel",
		  "6.1.0-57 / 6.12.3" },
		{ "kernel", "config", "{\"KASAN\":\"n\",\"SWAP\":\"y\"}",
		  "{\"KASAN\":\"y\",\"SWAP\":\"n\"}", "configuration",
		  "2 differ, 1 known to cost latency: CONFIG_KASAN n / y; CONFIG_SWAP" },
		{ "kernel", "command_line", "\"quiet\"", "\"quiet isolcpus=1\"", "command-line",
		  "none / isolcpus=1" },
		{ "processor", "model", "\"A\"", "\"B\"", "cpu", "CPU differs: A / B" },
		{ "processor", "microcode", "\"0x1\"", "\"0x2\"", "microcode", "0x1 / 0x2" },
		{ "clock", "source", "\"tsc\"", "\"hpet\"", "clock-source", "tsc / hpet" },
		{ "virtualisation", "machine", "null", "\"kvm\"", "virtual", "none / kvm" },
		{ "scheduler", "rt_runtime_us", "-1", "950000", "conditions",
		  "rt_runtime_us -1 / 950000" },
	};

	for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
		struct result *all[] = { plain("a"), plain("b"), NULL };
		g_autoptr(json_t) j = NULL;
		const char *text;

		made_condition(all[0], cases[i].group, cases[i].key,
			       json_loads(cases[i].a, JSON_DECODE_ANY, NULL));
		made_condition(all[1], cases[i].group, cases[i].key,
			       json_loads(cases[i].b, JSON_DECODE_ANY, NULL));
		j = made_json(NULL, all);
		text = made_warning(j, cases[i].id);
		g_test_message("%s: %s", cases[i].id, text ? text : "-");
		g_assert_nonnull(text);
		g_assert_nonnull(strstr(text, cases[i].said));
		g_assert_cmpuint(json_array_size(json_object_get(j, "warnings")), ==, 1);
	}
}

static void test_threads(void)
{
	struct result *all[] = { plain("a"), plain("b"), NULL };
	g_autoptr(json_t) j = NULL;

	for (int i = 0; i < 2; i++)
		json_object_set_new(all[i]->conditions, "threads",
				    json_pack("[{s:s, s:s, s:i}]", "name", "irq/9-eth0", "policy",
					      "fifo", "priority", i ? 90 : 50));
	j = made_json(NULL, all);
	g_assert_nonnull(strstr(made_warning(j, "thread-priorities"), "fifo 50 / fifo 90"));
}

/* Another patch on the same base is what one wants to see. */
static void test_kernels(void)
{
	static const struct {
		const char *a, *b;
		bool warns;
	} cases[] = {
		{ "6.1.0-57-rt-amd64", "6.1.0-57-amd64", false },
		{ "6.1.0-57-rt-amd64", "6.1.0-56-amd64", true },
		{ "Vanilla-2.6.12-rc2", "Vanilla-2.6.12-rc4", true },
		{ "Vanilla-2.6.12", "RT-V0.7.51-02", false },
		{ "Vanilla-2.6.12", "Ipipe-0.7", false },
		{ "6.6.30-rt30", "6.6.30", false },
		{ "5.14.0-362.8.1.el9.x86_64", "5.14.0-362.8.1.el9_rt.x86_64", false },
		{ "", "6.1", false },
		{ "x", "6.1", false },
	};

	for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
		struct result *all[] = { made_session("a", cases[i].a),
					 made_session("b", cases[i].b), NULL };
		g_autoptr(json_t) j = NULL;

		made_run(made_stage(all[0], "none"), 1, 10000, 1);
		made_run(made_stage(all[1], "none"), 1, 10000, 1);
		j = made_json(NULL, all);
		g_test_message("%s %s", cases[i].a, cases[i].b);
		g_assert_true((made_warning(j, "base-kernel") != NULL) == cases[i].warns);
	}
}

static void test_settings(void)
{
	struct result *all[] = { plain("a"),
				 with_method(plain("b"), "interval_ns", json_integer(250000)),
				 NULL };
	g_autoptr(json_t) j = made_json(NULL, all);

	g_assert_nonnull(strstr(made_warning(j, "settings"), "interval 1ms and 250us"));
}

static void add_effect(struct result *r, double mean)
{
	struct result_metric *m = result_metric_new("packets", "1/s");

	m->n = 10;
	m->mean = m->min = m->max = mean;
	g_ptr_array_add(((struct result_stage *)r->stages->pdata[0])->metrics, m);
}

static void test_effects(void)
{
	struct result *near[] = { plain("a"), plain("b"), NULL };
	struct result *apart[] = { plain("a"), plain("b"), NULL };
	g_autoptr(json_t) j = NULL, k = NULL;

	add_effect(near[0], 10900);
	add_effect(near[1], 10000);
	add_effect(apart[0], 11100);
	add_effect(apart[1], 10000);
	j = made_json(NULL, near);
	k = made_json(NULL, apart);
	g_assert_null(made_warning(j, "load-effect"));
	g_assert_nonnull(strstr(made_warning(k, "load-effect"), "packets 11100 / 10000 1/s"));
}

static void test_counts(void)
{
	struct result *near[] = { made_session("a", "6.1"), plain("b"), NULL };
	struct result *apart[] = { made_session("a", "6.1"), plain("b"), NULL };
	g_autoptr(json_t) j = NULL, k = NULL;

	made_run(made_stage(near[0], "none"), 7, 10000, 1); /* of 60 */
	made_run(made_stage(apart[0], "none"), 5, 10000, 1);
	j = made_json(NULL, near);
	k = made_json(NULL, apart);
	g_assert_null(made_warning(j, "sample-counts"));
	g_assert_nonnull(strstr(made_warning(k, "sample-counts"), "500 / 6000"));
}

static void test_others(void)
{
	struct result *all[] = { plain("a"), plain("a"), plain("b"), NULL };
	struct result *unknown[] = { plain("a"), plain("b"), NULL };
	g_autoptr(json_t) j = NULL, k = NULL;

	made_condition(all[1], "clock", "source", json_string("hpet"));
	finding_add(((struct result_stage *)all[2]->stages->pdata[0])->findings, "migrated", NULL);
	json_decref(unknown[1]->conditions);
	unknown[1]->conditions = NULL;
	for (int i = 0; i < 2; i++)
		unknown[i]->peer_conditions =
			json_pack("{s:{s:s}}", "clock", "source", i ? "hpet" : "tsc");
	j = made_json(NULL, all);
	k = made_json(NULL, unknown);
	g_assert_nonnull(strstr(made_warning(j, "repeats-differ"), "clock_source"));
	g_assert_nonnull(strstr(made_warning(j, "doubtful"), "another CPU"));
	g_assert_nonnull(strstr(made_warning(k, "unknown"), "of b"));
	g_assert_null(made_warning(j, "unknown"));
	g_assert_nonnull(strstr(made_warning(k, "clock-source"), "peer's clock_source tsc / hpet"));
}

/* One sentence for all sides that it is true of. */
static void test_alike_warnings(void)
{
	struct result *all[] = { plain("a"), plain("b"), plain("c"), plain("d"),
				 plain("e"), plain("f"), NULL };
	struct comparison *c;
	g_autofree char *text = NULL;
	const char *at;

	for (int i = 0; i < 6; i++)
		made_condition(all[i], "clock", "source", json_string(i ? "hpet" : "tsc"));
	c = made_comparison(NULL, all);
	g_assert_cmpint(comparison_finish(c, NULL), ==, 0);
	text = made_text("text", c);
	g_assert_nonnull(strstr(text, "b, c, d and 2 more: clock source differs: tsc / hpet."));
	at = strstr(text, "clock source differs");
	g_assert_null(strstr(at + 1, "clock source differs"));
	comparison_free(c);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/comparison-gate/methods", test_methods);
	g_test_add_func("/comparison-gate/methods-unknown", test_methods_unknown);
	g_test_add_func("/comparison-gate/force", test_force);
	g_test_add_func("/comparison-gate/force-text", test_force_text);
	g_test_add_func("/comparison-gate/quantities", test_quantities);
	g_test_add_func("/comparison-gate/label-of-both", test_label_of_both);
	g_test_add_func("/comparison-gate/sides", test_sides);
	g_test_add_func("/comparison-gate/stages", test_stages);
	g_test_add_func("/comparison-gate/nothing", test_nothing);
	g_test_add_func("/comparison-gate/conditions", test_conditions);
	g_test_add_func("/comparison-gate/threads", test_threads);
	g_test_add_func("/comparison-gate/kernels", test_kernels);
	g_test_add_func("/comparison-gate/settings", test_settings);
	g_test_add_func("/comparison-gate/effects", test_effects);
	g_test_add_func("/comparison-gate/counts", test_counts);
	g_test_add_func("/comparison-gate/others", test_others);
	g_test_add_func("/comparison-gate/alike-warnings", test_alike_warnings);
	return g_test_run();
}
