/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * render-sides compare FORMAT CASE: made sessions side by side, in one of the formats of
 * comparisons; render-sides trend FORMAT CASE: a figure over many. To stdout; with status 3 and a
 * sentence where it has no such form. With --formats instead of FORMAT: their names; with --cases
 * those of what can be asked for.
 */
#include "comparison-made.h"
#include "degenerate.h"
#include "trend-sample.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct sides_case {
	const char *name;
	struct comparison *(*compare)(void);
	struct trend *(*trend)(void);
};

static struct comparison *compare_of(struct result *const *all)
{
	static const struct comparison_options o = { .force = true };
	struct comparison *c = made_comparison(&o, all);
	g_autofree char *message = NULL;

	if (comparison_finish(c, &message) == 0)
		return c;
	fprintf(stderr, "%s\n", message);
	return comparison_free(c);
}

static struct comparison *compare_plain(void)
{
	struct result *const all[] = { made_measured("a", 20000, 1), made_measured("b", 25000, 2),
				       NULL };

	return compare_of(all);
}

/* Enough sessions for claims across them. */
static struct comparison *compare_repeats(void)
{
	struct result *const all[] = {
		made_measured("a", 20000, 1),	made_measured("a", 20100, 2),
		made_measured("a", 19900, 3),	made_measured("b", 20050, 4),
		made_measured("b", 20150, 5),	made_measured("b", 19950, 6),
		made_measured("c", 1234567, 7), made_measured("c", 1236567, 8),
		made_measured("c", 1232567, 9), NULL,
	};

	return compare_of(all);
}

static struct comparison *compare_benchmarks(void)
{
	struct result *const all[] = { made_benchmark("a", "fork", 97.5, 1),
				       made_benchmark("b", "fork", 118.25, 2), NULL };

	return compare_of(all);
}

/* The samples called @a and @b. */
static struct comparison *compare_samples(const struct result_sample *samples, const char *a,
					  const char *b)
{
	struct result *all[3] = { NULL };

	for (const struct result_sample *s = samples; s->name; s++) {
		if (strcmp(s->name, a) == 0)
			all[0] = s->make();
		if (strcmp(s->name, b) == 0)
			all[1] = s->make();
	}
	return compare_of(all);
}

static struct comparison *compare_ordinary(void)
{
	return compare_samples(result_samples, "idle", "hell");
}

static struct comparison *compare_huge(void)
{
	return compare_samples(degenerate_samples, "silent-cpu", "huge");
}

static struct comparison *compare_stated(void)
{
	return compare_samples(degenerate_samples, "torn", "stated");
}

static struct trend *trend_100(void)
{
	return trend_sample(100, "max", false);
}

static struct trend *trend_kernels(void)
{
	return trend_sample(60, "p99.9", true);
}

static struct trend *trend_count(void)
{
	return trend_sample(40, "missed", false);
}

static struct trend *trend_one(void)
{
	return trend_sample(1, "max", false);
}

static struct trend *trend_none(void)
{
	return trend_sample(0, "max", false);
}

static const struct sides_case cases[] = {
	{ "plain", compare_plain, NULL },
	{ "repeats", compare_repeats, NULL },
	{ "benchmarks", compare_benchmarks, NULL },
	{ "ordinary", compare_ordinary, NULL },
	{ "huge", compare_huge, NULL },
	{ "stated", compare_stated, NULL },
	{ "hundred", NULL, trend_100 },
	{ "kernels", NULL, trend_kernels },
	{ "count", NULL, trend_count },
	{ "one", NULL, trend_one },
	{ "none", NULL, trend_none },
};

/* Names that are out to break a format; the others are as they should be. */
static struct comparison *compare_hostile(unsigned i)
{
	struct result *all[3] = { degenerate_hostile(i), made_measured("plain", 20000, 1), NULL };
	struct result_stage *s;

	if (!all[0]) {
		result_free(all[1]);
		return NULL;
	}
	/* a stage in common */
	s = all[1]->stages->pdata[0];
	g_free(s->name);
	s->name = g_strdup(((struct result_stage *)all[0]->stages->pdata[0])->name);
	return compare_of(all);
}

static struct trend *trend_hostile(unsigned i)
{
	struct result *r = degenerate_hostile(i);
	struct trend_options o = { .figure = "max" };
	struct trend *t;

	if (!r)
		return NULL;
	o.plan = r->plan;
	o.stage = ((struct result_stage *)r->stages->pdata[0])->name;
	t = trend_new(&o);
	for (unsigned k = 0; k < 30; k++) {
		struct trend_point p = { r->id, r->started_usec + k * 86400000000ULL,
					 (k < 15 ? 20000 : 40000) + k * 37 % 11, r->label,
					 VERDICT_PASS };

		trend_add(t, &p);
	}
	trend_finish(t);
	result_free(r);
	return t;
}

static void list_cases(bool compare)
{
	for (size_t i = 0; i < G_N_ELEMENTS(cases); i++)
		if (compare ? cases[i].compare != NULL : cases[i].trend != NULL)
			puts(cases[i].name);
	for (unsigned i = 0;; i++) {
		struct result *r = degenerate_hostile(i);

		if (!r)
			return;
		result_free(r);
		printf("hostile-%u\n", i);
	}
}

static void list_formats(bool compare)
{
	if (compare)
		for (const struct comparison_format *const *f = comparison_formats; *f; f++)
			puts((*f)->name);
	else
		for (const struct trend_format *const *f = trend_formats; *f; f++)
			puts((*f)->name);
}

static int put(int r, const char *message, const GString *out)
{
	if (r == 0)
		return fwrite(out->str, 1, out->len, stdout) == out->len ? 0 : 1;
	fprintf(stderr, "%s\n", message ? message : "no sentence");
	return r == -EOPNOTSUPP && message ? 3 : 1;
}

static int put_comparison(const char *format, struct comparison *c)
{
	g_autoptr(GString) out = g_string_new(NULL);
	g_autofree char *message = NULL;
	int r;

	if (!c)
		return 2;
	r = put(comparison_render(format, c, NULL, out, &message), message, out);
	comparison_free(c);
	return r;
}

static int put_trend(const char *format, struct trend *t)
{
	g_autoptr(GString) out = g_string_new(NULL);
	g_autofree char *message = NULL;
	int r;

	if (!t)
		return 2;
	r = put(trend_render(format, t, NULL, out, &message), message, out);
	trend_free(t);
	return r;
}

int main(int argc, char **argv)
{
	bool compare = argc > 2 && strcmp(argv[1], "compare") == 0;
	const char *format = argc > 2 ? argv[2] : "", *name = argc > 3 ? argv[3] : "";
	unsigned hostile = g_str_has_prefix(name, "hostile-") ? (unsigned)atoi(name + 8) : 0;

	if (strcmp(format, "--formats") == 0) {
		list_formats(compare);
		return 0;
	}
	if (strcmp(format, "--cases") == 0) {
		list_cases(compare);
		return 0;
	}
	for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
		if (strcmp(cases[i].name, name) != 0)
			continue;
		if (compare && cases[i].compare)
			return put_comparison(format, cases[i].compare());
		if (!compare && cases[i].trend)
			return put_trend(format, cases[i].trend());
	}
	if (!g_str_has_prefix(name, "hostile-"))
		return 2;
	return compare ? put_comparison(format, compare_hostile(hostile))
		       : put_trend(format, trend_hostile(hostile));
}
