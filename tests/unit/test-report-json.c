/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The JSON report over every sample: each key that was promised is there, and others can read it.
 */
#include "report-shared.h"

#include <glib/gstdio.h>
#include <string.h>

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
		       "analysis:on "
		       "snapshots:a repeat:i "
		       "all:o cpus:a");
	check_figures(json_object_get(s, "all"), true);
	json_array_foreach (json_object_get(s, "reasons"), i, value)
		g_assert_true(json_is_string(value));
	json_array_foreach (json_object_get(s, "findings"), i, value)
		check_shape(value, "id:s text:s mend:s inconclusive:b");
	json_array_foreach (json_object_get(s, "limits"), i, value)
		check_shape(value, "figure:s bound:rn value:rn unit:s broken:bn cpu:in text:s");
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
		check_shape(j, "format:s version:i session:o conditions:o stages:a repeats:a");
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

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/report/json/shape", test_json_shape);
	g_test_add_func("/report/json/session-head", test_json_session_head);
	g_test_add_func("/report/json/not-a-number", test_json_not_a_number);
	g_test_add_func("/report/json/warnings", test_json_warnings);
	g_test_add_func("/report/json/python", test_json_python);
	return g_test_run();
}
