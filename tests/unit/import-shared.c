/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "import-shared.h"

#include <math.h>
#include <string.h>

char *fixture(const char *name, gsize *ret_size)
{
	g_autofree char *path = g_build_filename(g_getenv("FIXTURES"), name, NULL);
	char *text;

	g_assert_true(g_file_get_contents(path, &text, ret_size, NULL));
	return text;
}

GPtrArray *import_file(const char *name, const char *format)
{
	g_autofree char *message = NULL, *text = NULL;
	GPtrArray *results = NULL;
	gsize size;
	int r;

	text = fixture(name, &size);
	r = import_read(format, text, size, NULL, 1000000, &results, &message);
	if (r < 0)
		g_test_message("%s", message);
	g_assert_cmpint(r, ==, 0);
	return results;
}

const struct result_stage *stage_of(const GPtrArray *results, guint i)
{
	g_assert_cmpuint(results->len, >, i);
	return ((const struct result *)results->pdata[i])->stages->pdata[0];
}

const struct figures *cpu_of(const GPtrArray *results, guint i, guint cpu)
{
	const struct result_stage *s = stage_of(results, i);

	g_assert_cmpuint(s->cpus->len, >, cpu);
	return ((const struct result_cpu *)s->cpus->pdata[cpu])->figures;
}

const char *method(const GPtrArray *results, guint i, const char *key)
{
	const struct result *r = results->pdata[i];

	return json_string_value(json_object_get(r->method, key));
}

/* Count, minimum and maximum as stated; @avg_us < 0: none is to be had. */
void assert_stated(const struct figures *f, uint64_t count, uint64_t min_us, uint64_t max_us,
		   double avg_us, double precision_us)
{
	uint64_t ns;
	double mean;

	g_assert_cmpuint(figures_count(f), ==, count);
	g_assert_true(figures_min_ns(f, &ns));
	g_assert_cmpuint(ns, ==, min_us * 1000);
	g_assert_true(figures_max_ns(f, &ns));
	g_assert_cmpuint(ns, ==, max_us * 1000);
	if (avg_us < 0) {
		g_assert_false(figures_mean_ns(f, &mean));
		return;
	}
	g_assert_true(figures_mean_ns(f, &mean));
	g_assert_cmpfloat(mean / 1000, >=, avg_us - precision_us / 2);
	g_assert_cmpfloat(mean / 1000, <, avg_us + precision_us);
}

int read_text(const char *format, const char *text, GPtrArray **ret, char **ret_message)
{
	return import_read(format, text, strlen(text), NULL, 1000000, ret, ret_message);
}

char *replaced(const char *text, const char *from, const char *to)
{
	g_auto(GStrv) parts = g_strsplit(text, from, -1);

	return g_strjoinv(to, parts);
}

void assert_finding(const GPtrArray *results, guint i, guint n, const char *says)
{
	const struct result *r;
	const struct finding *f;

	g_assert_cmpuint(results->len, >, i);
	r = results->pdata[i];
	g_assert_cmpuint(r->findings->len, >, n);
	f = r->findings->pdata[n];
	g_assert_cmpstr(f->kind->id, ==, "import-lossy");
	if (!strstr(f->text, says))
		g_test_message("%s", f->text);
	g_assert_nonnull(strstr(f->text, says));
}
