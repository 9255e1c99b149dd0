/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Every format over every sample: against golden files (UPDATE_FIXTURES=1 writes them anew), under
 * a locale with a decimal comma, and for what must hold whatever the result is.
 */
#include "cell.h"
#include "columns.h"
#include "report.h"
#include "result-sample.h"

#include <errno.h>
#include <glib/gstdio.h>
#include <inttypes.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>

static const struct report_options plain = { .width = 80 };
static const struct report_options pretty = { .width = 80, .unicode = true };

static char *render(const char *format, const struct result *r, const struct report_options *o)
{
	g_autofree char *message = NULL;
	GString *out = g_string_new(NULL);
	int k = report_render(format, r, o, out, &message);

	if (k < 0) {
		g_assert_cmpint(k, ==, -EOPNOTSUPP);
		g_assert_nonnull(message);
		g_string_assign(out, message);
		g_string_append_c(out, '\n');
	}
	return g_string_free(out, FALSE);
}

/* @expected and @actual as files, compared by diff(1) into the test's messages. */
static void show_diff(const char *expected, const char *actual)
{
	g_autofree char *dir = g_dir_make_tmp("lrtbf-report-XXXXXX", NULL), *out = NULL;
	g_autofree char *path = g_build_filename(dir, "actual", NULL);
	const char *argv[] = { "diff", "-u", expected, path, NULL };

	g_assert_true(g_file_set_contents(path, actual, -1, NULL));
	if (g_spawn_sync(NULL, (char **)argv, NULL, G_SPAWN_SEARCH_PATH, NULL, NULL, &out, NULL,
			 NULL, NULL))
		g_test_message("%.4000s", out);
	g_unlink(path);
	g_rmdir(dir);
}

static void check_golden(const char *name, const char *actual)
{
	g_autofree char *path = g_build_filename(g_getenv("FIXTURES"), "report", name, NULL);
	g_autofree char *expected = NULL;

	if (g_strcmp0(g_getenv("UPDATE_FIXTURES"), "1") == 0) {
		g_autofree char *dir = g_path_get_dirname(path);

		g_mkdir_with_parents(dir, 0755);
		g_assert_true(g_file_set_contents(path, actual, -1, NULL));
		return;
	}
	if (!g_file_get_contents(path, &expected, NULL, NULL)) {
		g_test_message("%s cannot be read", path);
		g_test_fail();
		return;
	}
	if (strcmp(expected, actual) != 0) {
		show_diff(path, actual);
		g_test_fail();
	}
}

static void test_golden(void)
{
	static const struct {
		const char *sample, *format, *file;
		const struct report_options *options;
	} cases[] = {
		{ "idle", "text", "idle.txt", &pretty },
		{ "idle", "json", "idle.json", &plain },
		{ "idle", "csv", "idle.csv", &plain },
		{ "idle", "cyclictest", "idle.cyclictest", &plain },
		{ "idle", "cyclictest-json", "idle.cyclictest.json", &plain },
		{ "hell", "text", "hell.txt", &plain },
		{ "hell", "csv", "hell.csv", &plain },
		{ "failed", "text", "failed.txt", &plain },
		{ "failed", "json", "failed.json", &plain },
		{ "failed", "csv", "failed.csv", &plain },
		{ "failed", "cyclictest", "failed.cyclictest", &plain },
		{ "failed", "cyclictest-json", "failed.cyclictest.json", &plain },
		{ "queued", "text", "queued.txt", &plain },
		{ "gaps", "text", "gaps.txt", &pretty },
		{ "gaps", "csv", "gaps.csv", &plain },
		{ "gaps", "cyclictest-json", "gaps.cyclictest.json", &plain },
		{ "many", "text", "many.txt", &pretty },
		{ "port", "text", "port.txt", &pretty },
		{ "port", "json", "port.json", &plain },
		{ "peer", "text", "peer.txt", &pretty },
		{ "peer", "json", "peer.json", &plain },
		{ "hostile", "text", "hostile.txt", &plain },
		{ "hostile", "csv", "hostile.csv", &plain },
	};

	for (size_t i = 0; i < G_N_ELEMENTS(cases); i++)
		for (const struct result_sample *s = result_samples; s->name; s++) {
			struct result *r = NULL;
			g_autofree char *actual = NULL;

			if (strcmp(s->name, cases[i].sample) != 0)
				continue;
			r = s->make();
			actual = render(cases[i].format, r, cases[i].options);
			check_golden(cases[i].file, actual);
			result_free(r);
		}
}

/* No line wider than asked for, nothing a terminal would obey, valid UTF-8, no trailing blanks. */
static void check_page(const char *text, unsigned width, bool unicode)
{
	g_auto(GStrv) lines = g_strsplit(text, "\n", -1);

	g_assert_true(g_utf8_validate(text, -1, NULL));
	g_assert_true(g_str_has_suffix(text, "\n"));
	for (char **l = lines; *l; l++) {
		if (columns_of(*l) > width) {
			g_test_message("%u columns instead of %u: %s", columns_of(*l), width, *l);
			g_test_fail();
		}
		if (g_str_has_suffix(*l, " ")) {
			g_test_message("trailing blank: \"%s\"", *l);
			g_test_fail();
		}
		for (const char *p = *l; *p; p++)
			g_assert_cmpint((unsigned char)*p, >=, ' ');
	}
	if (!unicode)
		g_assert_null(strstr(text, "\u2588"));
}

static void test_text_width(void)
{
	static const unsigned widths[] = { 40, 57, 80, 132, 200 };

	for (const struct result_sample *s = result_samples; s->name; s++) {
		struct result *r = s->make();

		for (size_t i = 0; i < G_N_ELEMENTS(widths) * 2; i++) {
			struct report_options o = { .width = widths[i / 2], .unicode = i % 2 };
			g_autofree char *text = render("text", r, &o);

			check_page(text, o.width, o.unicode);
		}
		result_free(r);
	}
}

static void test_text_width_bounds(void)
{
	struct result *r = sample_hell();
	struct report_options tiny = { .width = 3 }, none = { 0 }, huge = { .width = 100000 };
	struct report_options least = { .width = 40 }, most = { .width = 200 };
	g_autofree char *a = render("text", r, &tiny), *b = render("text", r, &least);
	g_autofree char *c = render("text", r, &huge), *d = render("text", r, &most);
	g_autofree char *e = render("text", r, &none), *f = render("text", r, &plain);
	g_autofree char *g = render("text", r, NULL);

	g_assert_cmpstr(a, ==, b);
	g_assert_cmpstr(c, ==, d);
	g_assert_cmpstr(e, ==, f);
	g_assert_cmpstr(g, ==, f);
	result_free(r);
}

/* Colour adds escape sequences and changes nothing else. */
static void test_text_colour(void)
{
	for (const struct result_sample *s = result_samples; s->name; s++) {
		struct report_options o = { .width = 80, .colour = true };
		struct result *r = s->make();
		g_autofree char *bare = render("text", r, &plain), *text = render("text", r, &o);
		g_autoptr(GRegex) escape = g_regex_new("\033\\[[0-9;]*m", 0, 0, NULL);
		g_autofree char *stripped = g_regex_replace(escape, text, -1, 0, "", 0, NULL);

		g_assert_nonnull(strchr(text, '\033'));
		g_assert_cmpstr(stripped, ==, bare);
		result_free(r);
	}
}

static void check_first_line(struct result *r, unsigned width)
{
	struct report_options o = { .width = width };
	g_autofree char *text = render("text", r, &o);
	g_auto(GStrv) lines = g_strsplit(text, "\n", 3);

	g_assert_nonnull(strstr(lines[0], "not permitted"));
	g_assert_nonnull(strstr(lines[0], "other"));
	result_free(r);
}

/* Whoever reads one line only must not take `other` for `fifo`. */
/* Threads that a rule gave their value stand in the head, the rest in the JSON report only. */
static void test_text_interrupts(void)
{
	struct result *r = sample_hell();
	json_t *threads = json_array(), *others = json_array();
	g_autofree char *text = NULL;

	for (int i = 0; i < 10; i++)
		json_array_append_new(threads, json_pack("{s:o, s:s, s:i, s:i, s:s?}", "name",
							 json_sprintf("irq/%d-eth0", i), "policy",
							 i == 1 ? "fifo" : "other", "priority",
							 i == 1 ? 60 : 0, "nice", i == 0 ? 19 : 0,
							 "rule", i == 9 ? NULL : "net"));
	json_array_append_new(others, json_pack("{s:s, s:s, s:i, s:i, s:s}", "name", "napi/eth0-1",
						"policy", "other", "priority", 0, "nice", 5, "rule",
						"napi"));
	json_object_set_new(r->conditions, "interrupts",
			    json_pack("{s:[{s:i, s:o}], s:o}", "lines", "irq", 16, "threads",
				      threads, "threads", others));
	text = render("text", r, &(struct report_options){ .width = 1000 });
	g_assert_nonnull(strstr(text,
				"\nInterrupts  irq/0-eth0 other nice 19 (net), irq/1-eth0 fifo "
				"60 (net), irq/2-eth0 other (net), "));
	/* the width has its own bound */
	g_assert_nonnull(strstr(text, "irq/7-eth0"));
	g_assert_null(strstr(text, "irq/8-eth0"));
	g_assert_nonnull(strstr(text, "and 2 more\n"));
	result_free(r);
}

static void test_text_first_line(void)
{
	struct result *r = sample_hell();

	check_first_line(r, 80);
	r = sample_idle(); /* nobody said so, but the policy is not the one that was wanted */
	r->policy = SCHED_OTHER;
	check_first_line(r, 80);
	r = sample_idle(); /* only a stage says so, in its own words */
	finding_add(((struct result_stage *)r->stages->pdata[0])->findings, "policy-fallback",
		    "SCHED_FIFO was not permitted (EPERM): measured with other.");
	check_first_line(r, 80);
}

static void test_text_states(void)
{
	for (int state = 0; state < _SESSION_STATE_MAX; state++) {
		struct result *r = sample_idle(), *head = sample_queued();
		g_autofree char *text = NULL, *bare = NULL;

		r->state = head->state = state;
		r->verdict = VERDICT_EMPTY;
		g_clear_pointer(&head->stages, g_ptr_array_unref); /* a head only */
		text = render("text", r, &plain);
		bare = render("text", head, &plain);
		g_assert_nonnull(strstr(text, session_state_to_string(state)));
		g_assert_nonnull(strstr(bare, session_state_to_string(state)));
		g_assert_nonnull(strstr(bare, "No stage has begun."));
		result_free(r);
		result_free(head);
	}
}

static void test_text_no_figures(void)
{
	struct result *r = sample_idle();
	struct result_stage *s = r->stages->pdata[0];
	g_autofree char *text = NULL;

	for (guint i = 0; i < s->cpus->len; i++)
		figures_init(((struct result_cpu *)s->cpus->pdata[i])->figures);
	s->started_usec = 0;
	text = render("text", r, &plain);
	g_assert_nonnull(strstr(text, "never began"));
	g_assert_null(strstr(text, "nan"));
	g_assert_null(strstr(text, "inf"));
	g_assert_null(strstr(text, "18446744073709551615"));
	result_free(r);
}

/* --- JSON --- */

/* i integer, r real or integer, s string, b boolean, o object, a array, n null. */
static bool json_is(const json_t *j, char type)
{
	switch (type) {
	case 'i':
		return json_is_integer(j);
	case 'r':
		return json_is_number(j);
	case 's':
		return json_is_string(j);
	case 'b':
		return json_is_boolean(j);
	case 'o':
		return json_is_object(j);
	case 'a':
		return json_is_array(j);
	case 'n':
		return json_is_null(j);
	}
	return false;
}

/* @shape: "key:types key:types ..."; every key must be there with one of its types. */
static void check_shape(const json_t *o, const char *shape)
{
	g_auto(GStrv) words = g_strsplit(shape, " ", -1);

	g_assert_true(json_is_object(o));
	for (char **w = words; *w; w++) {
		char *types = strrchr(*w, ':');
		const json_t *value;
		bool good = false;

		*types++ = '\0';
		value = json_object_get(o, *w);
		for (; value && *types; types++)
			good = good || json_is(value, *types);
		if (!good) {
			g_test_message("%s is %s", *w, value ? "of another type" : "not there");
			g_test_fail();
		}
	}
}

static const char figures_shape[] =
	"count:i missed:in lost:in late:in migrated:i early:in warmup:i torn:b pending_ns:in "
	"min_ns:in "
	"avg_ns:rn max_ns:in stddev_ns:rn percentiles:o within:on corrected:on worst:a blocks:o";

static void check_percentiles(const json_t *o)
{
	check_shape(o, "50:in 90:in 99:in 99.9:in 99.99:in 99.999:in 99.9999:in");
}

static void check_figures(const json_t *f, bool histogram)
{
	const json_t *corrected = json_object_get(f, "corrected"),
		     *within = json_object_get(f, "within");
	json_int_t sum = 0;
	json_t *value;
	size_t i;

	check_shape(f, figures_shape);
	check_percentiles(json_object_get(f, "percentiles"));
	check_shape(json_object_get(f, "blocks"), "length_ns:in maxima:a");
	if (json_is_object(within))
		check_shape(within, "bound_ns:i share:rn");
	if (json_is_object(corrected)) {
		check_shape(corrected, "count:i avg_ns:rn percentiles:o");
		check_percentiles(json_object_get(corrected, "percentiles"));
		g_assert_cmpint(json_integer_value(json_object_get(corrected, "count")), ==,
				json_integer_value(json_object_get(f, "count")) +
					json_integer_value(json_object_get(f, "missed")));
	}
	json_array_foreach (json_object_get(f, "worst"), i, value)
		check_shape(value, "latency_ns:i at_ns:i at_usec:in self:b");
	g_assert_true(histogram == json_is_array(json_object_get(f, "histogram")));
	json_array_foreach (json_object_get(f, "histogram"), i, value) {
		g_assert_cmpint(json_integer_value(json_array_get(value, 0)), <,
				json_integer_value(json_array_get(value, 1)));
		sum += json_integer_value(json_array_get(value, 2));
	}
	if (histogram)
		g_assert_cmpint(sum, ==, json_integer_value(json_object_get(f, "count")));
}

static void check_json_stage(const json_t *s)
{
	const char *name;
	json_t *value;
	size_t i;

	check_shape(s, "name:s load:s verdict:s reasons:a findings:a complete:b started_usec:in "
		       "duration_ns:i planned_ns:i limits:a effect:o irqs:on port:on checkpoints:a "
		       "all:o cpus:a");
	check_figures(json_object_get(s, "all"), true);
	json_array_foreach (json_object_get(s, "reasons"), i, value)
		g_assert_true(json_is_string(value));
	json_array_foreach (json_object_get(s, "findings"), i, value)
		check_shape(value, "id:s text:s mend:s inconclusive:b");
	json_array_foreach (json_object_get(s, "limits"), i, value)
		check_shape(value, "figure:s bound:r value:rn unit:s broken:bn cpu:in text:s");
	json_object_foreach (json_object_get(s, "effect"), name, value)
		check_shape(value, "mean:rn stddev:rn min:rn max:rn unit:s seconds:i");
	json_array_foreach (json_object_get(s, "cpus"), i, value) {
		check_shape(value, "cpu:i policy:sn priority:i");
		check_figures(value, true);
	}
}

static const char session_shape[] =
	"id:s plan:s label:s owner:i state:s verdict:s reason:s reason_id:s instrument:s policy:sn "
	"wanted_policy:sn priority:i method:o overrides:o created_usec:in started_usec:in "
	"finished_usec:in "
	"duration_ns:in planned_ns:i interval_ns:in summary:on";

static void test_json_shape(void)
{
	for (const struct result_sample *s = result_samples; s->name; s++) {
		struct result *r = s->make();
		g_autofree char *text = render("json", r, &plain);
		json_t *j = json_loads(text, JSON_REJECT_DUPLICATES, NULL), *value, *session;
		size_t i;

		g_assert_nonnull(j);
		check_shape(j, "format:s version:i session:o conditions:o stages:a");
		g_assert_cmpstr(json_string_value(json_object_get(j, "format")), ==,
				"lrtbf-report");
		g_assert_cmpint(json_integer_value(json_object_get(j, "version")), ==, 1);
		session = json_object_get(j, "session");
		check_shape(session, session_shape);
		check_shape(session, "plan_text:s");
		if (json_is_object(json_object_get(session, "summary")))
			check_figures(json_object_get(session, "summary"), false);
		json_array_foreach (json_object_get(json_object_get(j, "conditions"), "warnings"),
				    i, value)
			check_shape(value, "id:s text:s mend:s inconclusive:b");
		g_assert_cmpuint(json_array_size(json_object_get(j, "stages")), ==, r->stages->len);
		json_array_foreach (json_object_get(j, "stages"), i, value)
			check_json_stage(value);
		json_decref(j);
		result_free(r);
	}
}

/* A list reads heads only: the same keys, and the duration comes from the summary. */
static void test_json_session_head(void)
{
	struct result *r = sample_idle();
	json_t *j;

	r->summary = json_pack("{s:i,s:I}", "count", 19999, "duration_ns", (json_int_t)10000000000);
	g_clear_pointer(&r->stages, g_ptr_array_unref);
	j = report_session_json(r);
	check_shape(j, session_shape);
	g_assert_cmpint(json_integer_value(json_object_get(j, "duration_ns")), ==, 10000000000);
	g_assert_cmpint(json_integer_value(json_object_get(json_object_get(j, "summary"), "count")),
			==, 19999);
	g_assert_null(json_object_get(j, "plan_text"));
	json_decref(j);
	g_clear_pointer(&r->summary, json_decref);
	j = report_session_json(r);
	g_assert_true(json_is_null(json_object_get(j, "duration_ns")));
	g_assert_true(json_is_null(json_object_get(j, "summary")));
	json_decref(j);
	result_free(r);
}

/* NaN and infinity from outside become null, and the key stays. */
static void test_json_not_a_number(void)
{
	struct result *r = sample_idle();
	struct result_stage *s = r->stages->pdata[0];
	struct result_metric *m = s->metrics->pdata[0];
	const json_t *effect;
	json_t *j;

	m->mean = 0.0 / 0.0;
	m->max = 1.0 / 0.0;
	j = report_json(r);
	effect = json_object_get(
		json_object_get(json_array_get(json_object_get(j, "stages"), 0), "effect"),
		"context_switches");
	g_assert_true(json_is_null(json_object_get(effect, "mean")));
	g_assert_true(json_is_null(json_object_get(effect, "max")));
	g_assert_true(json_is_real(json_object_get(effect, "min")));
	json_decref(j);
	result_free(r);
}

static void test_json_warnings(void)
{
	struct result *r = sample_hell();
	json_t *j = report_json(r),
	       *warnings = json_object_get(json_object_get(j, "conditions"), "warnings");
	unsigned faults = 0, migrated = 0;
	json_t *w;
	size_t i;

	json_array_foreach (warnings, i, w) {
		const char *id = json_string_value(json_object_get(w, "id"));

		faults += strcmp(id, "page-faults") == 0; /* of two stages: once */
		migrated += strcmp(id, "migrated") == 0;  /* of its stage: in its reasons */
	}
	g_assert_cmpuint(faults, ==, 1);
	g_assert_cmpuint(migrated, ==, 0);
	g_assert_cmpuint(json_array_size(warnings), ==, 3);
	json_decref(j);
	result_free(r);
}

/* Another reader than the library that wrote it. */
static void test_json_python(void)
{
	static const char script[] =
		"import json,sys\n"
		"def no(x): raise ValueError(x)\n"
		"json.loads(sys.stdin.buffer.read().decode('utf-8'), parse_constant=no)\n";
	g_autofree char *python = g_find_program_in_path("python3");
	g_autofree char *dir = g_dir_make_tmp("lrtbf-report-XXXXXX", NULL);
	g_autofree char *path = g_build_filename(dir, "report", NULL);
	g_autofree char *line = NULL;

	if (!python) {
		g_test_skip("python3 is not installed");
		return;
	}
	line = g_strdup_printf("exec '%s' -c \"$0\" <'%s'", python, path);
	for (const struct result_sample *s = result_samples; s->name; s++)
		for (int i = 0; i < 2; i++) {
			const char *argv[] = { "sh", "-c", line, script, NULL };
			struct result *r = s->make();
			g_autofree char *text = render(i ? "json" : "cyclictest-json", r, &plain);
			int status = -1;

			g_assert_true(g_file_set_contents(path, text, -1, NULL));
			g_assert_true(g_spawn_sync(NULL, (char **)argv, NULL, G_SPAWN_SEARCH_PATH,
						   NULL, NULL, NULL, NULL, &status, NULL));
			g_assert_cmpint(status, ==, 0);
			result_free(r);
		}
	g_unlink(path);
	g_rmdir(dir);
}

/* --- CSV --- */

/* Fields of one record of RFC 4180, *@p moved behind it. */
static GPtrArray *csv_record(const char **p)
{
	GPtrArray *fields = g_ptr_array_new_with_free_func(g_free);
	const char *s = *p;

	for (;;) {
		GString *field = g_string_new(NULL);

		if (*s == '"') {
			for (s++; *s != '"' || s[1] == '"'; s++) {
				g_assert_cmpint(*s, !=, '\0');
				s += *s == '"';
				g_string_append_c(field, *s);
			}
			s++;
		} else {
			for (; *s && !strchr(",\n", *s); s++) {
				g_assert_cmpint(*s, !=, '"');
				g_string_append_c(field, *s);
			}
		}
		g_ptr_array_add(fields, g_string_free(field, FALSE));
		if (*s++ == ',')
			continue;
		g_assert_cmpint(s[-1], ==, '\n');
		*p = s;
		return fields;
	}
}

static void test_csv(void)
{
	static const char begin[] =
		"session,plan,label,stage,load,cpu,policy,priority,count,missed,";

	for (const struct result_sample *s = result_samples; s->name; s++) {
		struct result *r = s->make();
		g_autofree char *text = render("csv", r, &plain);
		const char *p = text;
		g_autoptr(GPtrArray) header = csv_record(&p);
		guint rows = 0, expected = 0;

		g_assert_true(g_str_has_prefix(text, begin));
		while (*p) {
			g_autoptr(GPtrArray) row = csv_record(&p);
			g_autofree char *label = g_utf8_make_valid(r->label, -1);

			rows++;
			g_assert_cmpuint(row->len, ==, header->len);
			g_assert_cmpstr(row->pdata[0], ==, r->id);
			g_assert_cmpstr(row->pdata[2], ==, label);
		}
		for (guint i = 0; i < r->stages->len; i++)
			expected += ((struct result_stage *)r->stages->pdata[i])->cpus->len + 1;
		g_assert_cmpuint(rows, ==, expected);
		result_free(r);
	}
}

/* --- cyclictest --- */

/* The numbers behind "# @name:". */
static GArray *cyclictest_numbers(const char *text, const char *name)
{
	g_autofree char *lead = g_strdup_printf("# %s:", name);
	const char *line = strstr(text, lead);
	GArray *numbers = g_array_new(FALSE, FALSE, sizeof(uint64_t));
	char *end;

	g_assert_nonnull(line);
	for (const char *p = line + strlen(lead); *p && *p != '\n'; p = end) {
		uint64_t n = g_ascii_strtoull(p, &end, 10);

		if (end == p)
			break;
		g_array_append_val(numbers, n);
	}
	return numbers;
}

/* What plotting scripts do: rows without '#', blanks and tabs for commas. */
static void cyclictest_sum(const char *text, uint64_t *column, guint n)
{
	g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
	uint64_t us = 0;

	for (char **l = lines; *l; l++) {
		g_auto(GStrv) fields = NULL;

		if (**l == '#' || **l == '\0')
			continue;
		fields = g_strsplit_set(*l, " \t", -1);
		g_assert_cmpuint(g_strv_length(fields), ==, n + 1);
		g_assert_cmpuint(g_ascii_strtoull(fields[0], NULL, 10), ==, us++);
		for (guint i = 0; i < n; i++)
			column[i] += g_ascii_strtoull(fields[i + 1], NULL, 10);
	}
	g_assert_cmpuint(us, <=, 10000);
}

static void check_cyclictest(const struct result *r, const char *text)
{
	g_autoptr(GArray) total = cyclictest_numbers(text, "Total");
	g_autoptr(GArray) over = cyclictest_numbers(text, "Histogram Overflows");
	g_autofree struct figures *all = result_all(r);
	uint64_t column[128] = { 0 }, sum = 0;

	g_assert_cmpuint(total->len, >, 0);
	g_assert_cmpuint(total->len, ==, over->len);
	cyclictest_sum(text, column, total->len);
	for (guint i = 0; i < total->len; i++) {
		g_assert_cmpuint(column[i], ==, g_array_index(total, uint64_t, i));
		sum += column[i] + g_array_index(over, uint64_t, i);
	}
	g_assert_cmpuint(sum, ==, figures_count(all));
}

static void test_cyclictest(void)
{
	for (const struct result_sample *s = result_samples; s->name; s++) {
		struct result *r = s->make();
		g_autofree char *text = render("cyclictest", r, &plain);

		if (r->stages->len == 0)
			g_assert_nonnull(strstr(text, "measured on no CPU"));
		else
			check_cyclictest(r, text);
		result_free(r);
	}
}

/* A real one, read the same way: the reader of this test reads what cyclictest writes. */
static void test_cyclictest_fixture(void)
{
	g_autofree char *path =
		g_build_filename(g_getenv("FIXTURES"), "report", "cyclictest-h.txt", NULL);
	g_autofree char *text = NULL;
	g_autoptr(GArray) total = NULL;
	uint64_t column[2] = { 0 };

	g_assert_true(g_file_get_contents(path, &text, NULL, NULL));
	total = cyclictest_numbers(text, "Total");
	g_assert_cmpuint(total->len, ==, 2);
	cyclictest_sum(text, column, 2);
	g_assert_cmpuint(column[0], ==, g_array_index(total, uint64_t, 0));
	g_assert_cmpuint(column[1], ==, g_array_index(total, uint64_t, 1));
}

/* Lines of a cyclictest output without their numbers. */
static char *cyclictest_skeleton(const char *text)
{
	g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
	GString *out = g_string_new(NULL);

	for (char **l = lines; *l; l++) {
		if (**l != '#' || g_str_has_prefix(*l, "# lrtbfd") || strstr(*l, " is CPU "))
			continue;
		g_string_append_len(out, *l, strcspn(*l, ":"));
		g_string_append_c(out, '\n');
	}
	return g_string_free(out, FALSE);
}

static void test_cyclictest_same_lines(void)
{
	g_autofree char *path =
		g_build_filename(g_getenv("FIXTURES"), "report", "cyclictest-h.txt", NULL);
	struct result *r = sample_idle();
	g_autofree char *ours = render("cyclictest", r, &plain), *theirs = NULL, *a = NULL,
			*b = NULL;

	g_assert_true(g_file_get_contents(path, &theirs, NULL, NULL));
	a = cyclictest_skeleton(ours);
	b = cyclictest_skeleton(theirs);
	g_assert_cmpstr(a, ==, b);
	result_free(r);
}

static void test_cyclictest_json(void)
{
	for (const struct result_sample *s = result_samples; s->name; s++) {
		struct result *r = s->make();
		g_autofree struct figures *all = result_all(r);
		g_autofree char *text = render("cyclictest-json", r, &plain);
		json_t *j = json_loads(text, JSON_REJECT_DUPLICATES, NULL), *thread, *count;
		const char *key, *us;
		uint64_t total = 0;

		check_shape(j,
			    "file_version:i cmdline:s cmdline::s rt_test_version::s start_time:sn "
			    "end_time:sn return_code:i sysinfo:o num_threads:i resolution_in_ns:i "
			    "thread:o");
		json_object_foreach (json_object_get(j, "thread"), key, thread) {
			json_int_t sum = 0;

			check_shape(thread, "histogram:o cycles:i min:in max:in avg:rn cpu:i");
			json_object_foreach (json_object_get(thread, "histogram"), us, count)
				sum += json_integer_value(count);
			g_assert_cmpint(sum, ==,
					json_integer_value(json_object_get(thread, "cycles")));
			total += sum;
		}
		g_assert_cmpuint(total, ==, figures_count(all));
		json_decref(j);
		result_free(r);
	}
}

/* --- all --- */

static void test_unknown_format(void)
{
	g_autoptr(GString) out = g_string_new(NULL);
	g_autofree char *message = NULL;
	struct result *r = sample_idle();

	g_assert_cmpint(report_render("xml", r, &plain, out, &message), ==, -EINVAL);
	g_assert_cmpstr(message, ==,
			"There is no report format \"xml\"; there are text, json, csv, cyclictest, "
			"cyclictest-json.");
	g_assert_null(report_format("tex"));
	g_assert_cmpuint(out->len, ==, 0);
	result_free(r);
}

static void test_one_stage(void)
{
	struct report_options o = { .width = 80, .stage = "hd" };
	struct result *r = sample_hell();
	g_autofree char *text = render("text", r, &o), *message = NULL;
	g_autoptr(GString) out = g_string_new(NULL);

	g_assert_nonnull(strstr(text, "Stage 1 of 1: hd"));
	g_assert_null(strstr(text, "hackbench"));
	/* nor is it short of the other stages' time */
	g_assert_nonnull(strstr(text, "measured 10s\n"));
	o.stage = "mars";
	g_assert_cmpint(report_render("csv", r, &o, out, &message), ==, -EINVAL);
	g_assert_cmpstr(
		message, ==,
		"The session has no stage \"mars\"; it has none, hd, hackbench, dohell_xenomai.");
	g_assert_cmpuint(r->stages->len, ==, 4);
	result_free(r);
}

static void check_locale(GPtrArray *expected)
{
	guint n = 0;

	for (const struct result_sample *s = result_samples; s->name; s++) {
		struct result *r = s->make();

		for (const struct report_format *const *f = report_formats; *f; f++) {
			g_autofree char *text = render((*f)->name, r, &pretty);

			if (expected->len == n)
				g_ptr_array_add(expected, g_strdup(text));
			g_assert_cmpstr(text, ==, expected->pdata[n++]);
		}
		result_free(r);
	}
}

/* A locale with a decimal comma is made for the purpose: byte for byte the same. */
static void test_locale(void)
{
	g_autoptr(GPtrArray) expected = g_ptr_array_new_with_free_func(g_free);
	g_autofree char *dir = g_dir_make_tmp("lrtbf-locale-XXXXXX", NULL);
	g_autofree char *path = g_build_filename(dir, "de_DE.UTF-8", NULL);
	const char *make[] = { "localedef", "-i", "de_DE", "-f", "UTF-8", path, NULL };
	const char *drop[] = { "rm", "-r", dir, NULL };
	GSpawnFlags flags = G_SPAWN_SEARCH_PATH | G_SPAWN_STDERR_TO_DEV_NULL;

	g_assert_true(
		g_spawn_sync(NULL, (char **)make, NULL, flags, NULL, NULL, NULL, NULL, NULL, NULL));
	check_locale(expected);
	g_setenv("LOCPATH", dir, TRUE);
	g_assert_nonnull(setlocale(LC_ALL, "de_DE.UTF-8"));
	g_assert_cmpstr(localeconv()->decimal_point, ==, ",");
	check_locale(expected);
	g_assert_nonnull(setlocale(LC_ALL, "C"));
	g_unsetenv("LOCPATH");
	g_assert_true(
		g_spawn_sync(NULL, (char **)drop, NULL, flags, NULL, NULL, NULL, NULL, NULL, NULL));
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/report/golden", test_golden);
	g_test_add_func("/report/text/width", test_text_width);
	g_test_add_func("/report/text/width-bounds", test_text_width_bounds);
	g_test_add_func("/report/text/colour", test_text_colour);
	g_test_add_func("/report/text/interrupts", test_text_interrupts);
	g_test_add_func("/report/text/first-line", test_text_first_line);
	g_test_add_func("/report/text/states", test_text_states);
	g_test_add_func("/report/text/no-figures", test_text_no_figures);
	g_test_add_func("/report/json/shape", test_json_shape);
	g_test_add_func("/report/json/session-head", test_json_session_head);
	g_test_add_func("/report/json/not-a-number", test_json_not_a_number);
	g_test_add_func("/report/json/warnings", test_json_warnings);
	g_test_add_func("/report/json/python", test_json_python);
	g_test_add_func("/report/csv", test_csv);
	g_test_add_func("/report/cyclictest/sums", test_cyclictest);
	g_test_add_func("/report/cyclictest/fixture", test_cyclictest_fixture);
	g_test_add_func("/report/cyclictest/same-lines", test_cyclictest_same_lines);
	g_test_add_func("/report/cyclictest/json", test_cyclictest_json);
	g_test_add_func("/report/unknown-format", test_unknown_format);
	g_test_add_func("/report/one-stage", test_one_stage);
	g_test_add_func("/report/locale", test_locale);
	return g_test_run();
}
