/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The tables that were published in 2005 hold values and percentages. All 160 percentages must
 * follow from the values by our arithmetic; those that do not are misprints or were worked out from
 * values with more digits, and are listed with what is right.
 */
#include "comparison.h"
#include "import.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* after jansson.h, which it looks for */
#include "cleanup.h"

static const struct misprint {
	const char *part, *kernel, *load, *test, *printed;
	double right;
	unsigned met;
} misprints_known[] = {
	{ "2", "Ipipe-0.4", "plain", "total", "0.5", 0.6, 0 },		/* 0.57 */
	{ "3", "Ipipe-0.7", "IRQ test", "total", "0.6", 0.7, 0 },	/* 0.65 */
	{ "3", "RT-V0.7.50-35", "plain", "open/close", "+43", 61, 0 },	/* 60.87 */
	{ "3", "Ipipe-0.7", "ping flood", "select 500fd", "+4", 9, 0 }, /* 8.81 */
	{ "4", "RT-V0.7.51-02", "IRQ & hd", "mmap", "+18", -18, 0 },	/* -17.63 */
	{ "3", "Ipipe-0.7", "ping flood", "pipe", "+20", 21, 0 },	/* 20.91 */
	{ "4", "RT-V0.7.51-02", "plain", "open/close", "+3", 4, 0 },	/* 3.57 */
};

struct golden {
	GPtrArray *results;
	GHashTable *tables; /* "PART KERNEL BASE" -> json_t of the comparison */
	struct misprint misprints[G_N_ELEMENTS(misprints_known)];
	unsigned checked, alike;
};

static json_t *golden_compare(struct golden *g, const char *part, const char *base,
			      const char *kernel)
{
	char *labels[] = { g_strdup_printf("%s (part %s)", base, part),
			   g_strdup_printf("%s (part %s)", kernel, part) };
	struct comparison *c = comparison_new(NULL);
	json_t *j;

	for (unsigned i = 0; i < 2; i++) {
		g_assert_cmpuint(comparison_add_side(c, labels[i]), ==, i);
		for (guint k = 0; k < g->results->len; k++) {
			const struct result *r = g->results->pdata[k];

			if (strcmp(r->label, labels[i]) == 0)
				g_assert_cmpint(comparison_add(c, i, r, NULL), ==, 0);
		}
	}
	g_assert_cmpint(comparison_finish(c, NULL), ==, 0);
	g_assert_cmpint(comparison_verdict(c), ==, VERDICT_NONE);
	j = comparison_json(c);
	comparison_free(c);
	g_free(labels[0]);
	g_free(labels[1]);
	return j;
}

static json_t *golden_table(struct golden *g, const char *part, const char *base,
			    const char *kernel)
{
	char *key = g_strdup_printf("%s|%s|%s", part, base, kernel);
	json_t *j = g_hash_table_lookup(g->tables, key);

	if (j) {
		g_free(key);
		return j;
	}
	j = golden_compare(g, part, base, kernel);
	g_hash_table_insert(g->tables, key, j);
	return j;
}

/* What the comparison says of @test under @load. */
static json_t *golden_difference(json_t *comparison, const char *load, const char *test)
{
	json_t *tables = json_object_get(comparison, "tables"), *table, *row;
	size_t i, k;

	json_array_foreach (tables, i, table)
		json_array_foreach (json_object_get(table, "rows"), k, row) {
			json_t *d = json_object_get(json_object_get(row, "differences"), test);

			if (d &&
			    strcmp(json_string_value(json_object_get(row, "stage")), load) == 0)
				return d;
		}
	return NULL;
}

static struct misprint *golden_misprint(struct golden *g, const char *part, const char *kernel,
					const char *load, const char *test)
{
	for (size_t i = 0; i < G_N_ELEMENTS(g->misprints); i++) {
		struct misprint *m = &g->misprints[i];

		if (strcmp(m->part, part) == 0 && strcmp(m->kernel, kernel) == 0 &&
		    strcmp(m->load, load) == 0 && strcmp(m->test, test) == 0)
			return m;
	}
	return NULL;
}

static void golden_check(struct golden *g, const char *part, const char *base, const char *kernel,
			 const char *load, const char *test, const char *printed)
{
	json_t *d = golden_difference(golden_table(g, part, base, kernel), load, test);
	struct misprint *m = golden_misprint(g, part, kernel, load, test);
	double percent;

	g_test_message("part %s, %s, %s, %s: printed %s", part, kernel, load, test, printed);
	g_assert_nonnull(d);
	percent = json_real_value(json_object_get(d, "percent"));
	g->checked++;
	if (strcmp(printed, "~") == 0) {
		g_assert_true(json_is_false(json_object_get(d, "shown")));
		g_assert_cmpfloat(fabs(percent), <=, 0.5);
		g->alike++;
		return;
	}
	g_assert_true(json_is_true(json_object_get(d, "shown")));
	if (m) {
		g_assert_cmpstr(printed, ==, m->printed);
		g_assert_cmpfloat(percent, !=, g_ascii_strtod(printed, NULL));
		m->met++;
	}
	g_assert_cmpfloat(percent, ==, m ? m->right : g_ascii_strtod(printed, NULL));
}

/* The kernel of @part that a column of LMbench's highlights stands for. */
static const char *golden_kernel(const char *part, const char *column)
{
	static const char *const kernels[][4] = {
		{ "3", "Vanilla-2.6.12", "RT-V0.7.50-35", "Ipipe-0.7" },
		{ "4", "Vanilla-2.6.12", "RT-V0.7.51-02", "Ipipe-0.7" },
	};
	size_t row = strcmp(part, "4") == 0;

	g_assert_cmpstr(part, ==, kernels[row][0]);
	return kernels[row][strcmp(column, "vanilla") == 0 ? 1 : strcmp(column, "rt") == 0 ? 2 : 3];
}

static void golden_line(struct golden *g, const char *line)
{
	g_auto(GStrv) w = g_strsplit(line, ",", -1);
	guint n = g_strv_length(w);

	if (n == 7 && strcmp(w[1], "total") == 0 && *w[6]) {
		golden_check(g, w[0], w[3], w[2], w[4], "total", w[6]);
	} else if (n == 9 && strcmp(w[1], "lmbsum") == 0) {
		const char *base = golden_kernel(w[0], "vanilla");

		golden_check(g, w[0], base, golden_kernel(w[0], "rt"), w[2], w[3], w[6]);
		golden_check(g, w[0], base, golden_kernel(w[0], "ipipe"), w[2], w[3], w[8]);
	}
}

static char *golden_text(void)
{
	g_autofree char *path =
		g_build_filename(g_getenv("FIXTURES"), "lrtbf-2005-published.csv", NULL);
	char *text = NULL;

	g_assert_true(g_file_get_contents(path, &text, NULL, NULL));
	return text;
}

static GPtrArray *golden_results(const char *text)
{
	g_autofree char *message = NULL;
	GPtrArray *results = NULL;

	g_assert_cmpint(import_read("lrtbf-2005", text, strlen(text), NULL, 1796004013250000ULL,
				    &results, &message),
			==, 0);
	return results;
}

static void test_percentages(void)
{
	g_autofree char *text = golden_text();
	g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
	g_autoptr(GPtrArray) results = golden_results(text);
	g_autoptr(GHashTable) tables =
		g_hash_table_new_full(g_str_hash, g_str_equal, g_free, (GDestroyNotify)json_decref);
	struct golden g = { .results = results, .tables = tables };

	memcpy(g.misprints, misprints_known, sizeof(misprints_known));
	for (char **line = lines; *line; line++)
		golden_line(&g, *line);
	g_assert_cmpuint(g.checked, ==, 160);
	g_assert_cmpuint(g.alike, ==, 16);
	for (size_t i = 0; i < G_N_ELEMENTS(g.misprints); i++)
		g_assert_cmpuint(g.misprints[i].met, ==, 1);
}

/* The latencies of part 2 as printed: kernel, load, average, maximum, minimum, deviation. */
static const char *const part2[] = {
	"  Vanilla-2.6.12-rc6  lm. + hd    14.7  191.7  13.3     4.0\n",
	"  RT-V0.7.48-25       None        13.9   53.1  13.4     0.4\n",
	"  Ipipe-0.4           lmbench     14.3   55.6  13.4     0.9\n",
	"  fork, us                      93            157   +69         95    +2\n",
};

static void test_layout(void)
{
	static const char *const names[][3] = {
		{ "Vanilla-2.6.12-rc6 (part 2)", "RT-V0.7.48-25 (part 2)", "Ipipe-0.4 (part 2)" },
		{ "Vanilla-2.6.12 (part 3)", "RT-V0.7.50-35 (part 3)", "Ipipe-0.7 (part 3)" },
	};
	g_autofree char *text = golden_text();
	g_autoptr(GPtrArray) results = golden_results(text);
	g_autoptr(GString) out = g_string_new(NULL);

	for (unsigned k = 0; k < 2; k++) {
		struct comparison *c = comparison_new(NULL);

		for (unsigned i = 0; i < 3; i++) {
			comparison_add_side(c, names[k][i]);
			for (guint n = 0; n < results->len; n++) {
				const struct result *r = results->pdata[n];

				if (strcmp(r->label, names[k][i]) == 0)
					g_assert_cmpint(comparison_add(c, i, r, NULL), ==, 0);
			}
		}
		g_assert_cmpint(comparison_finish(c, NULL), ==, 0);
		g_assert_cmpint(comparison_render("text", c, NULL, out, NULL), ==, 0);
		comparison_free(c);
	}
	for (size_t i = 0; i < G_N_ELEMENTS(part2); i++) {
		g_test_message("%s", part2[i]);
		g_assert_nonnull(strstr(out->str, part2[i]));
	}
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/comparison-2005/percentages", test_percentages);
	g_test_add_func("/comparison-2005/layout", test_layout);
	return g_test_run();
}
