/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Figures that another program measured: a part of them is known, and no other part is made up. */
#include "figures.h"

#include <errno.h>
#include <math.h>
#include <string.h>

/* A histogram to 200 us with 48 samples above, as cyclictest ends one. */
static struct figures *above_range(void)
{
	struct figures *f = figures_new();

	for (unsigned i = 0; i < 100; i++)
		figures_record(f, (100 + i) * 1000, 0);
	memset(f->blocks, 0, sizeof(f->blocks));
	f->n_blocks = 0;
	f->unplaced = 48;
	f->unplaced_from_ns = 200000;
	return f;
}

/* The same, and what its last lines state. */
static struct figures *above_range_stated(void)
{
	struct figures *f = above_range();

	f->stated = FIGURES_STATED_MIN | FIGURES_STATED_MAX | FIGURES_STATED_MEAN;
	f->max_ns = 9000000;
	f->stated_mean_ns = 270000;
	return f;
}

/* One line of a published table. */
static struct figures *table_line(void)
{
	struct figures *f = figures_new();

	f->stated = FIGURES_STATED_MIN | FIGURES_STATED_MAX | FIGURES_STATED_MEAN |
		    FIGURES_STATED_STDDEV | FIGURES_STATED_NO_COUNT;
	f->min_ns = 15200;
	f->max_ns = 64800;
	f->stated_mean_ns = 15500;
	f->stated_stddev_ns = 1000;
	return f;
}

static void test_above_range(void)
{
	g_autofree struct figures *f = above_range();
	uint64_t ns;
	double d;

	g_assert_cmpint(figures_check(f), ==, 0);
	g_assert_cmpuint(figures_count(f), ==, 148);
	g_assert_cmpuint(figures_placed(f), ==, 100);
	g_assert_true(figures_min_ns(f, &ns));
	g_assert_cmpuint(ns, ==, 100000);
	g_assert_false(figures_max_ns(f, &ns));
	g_assert_false(figures_mean_ns(f, &d));
	g_assert_false(figures_stddev_ns(f, &d));
	/* the median of 148 lies between the 74th and 75th, which are there */
	g_assert_true(figures_percentile_ns(f, 500000, false, &ns));
	g_assert_cmpuint(ns, >, 172000);
	g_assert_cmpuint(ns, <, 176000);
	/* the 134th is not */
	g_assert_false(figures_percentile_ns(f, 900000, false, &ns));
}

/* At the edge: the last one in a bucket has a rank, the first one above has none. */
static void test_edge(void)
{
	g_autofree struct figures *f = above_range();
	uint64_t ns;

	f->unplaced = 100;
	g_assert_false(figures_percentile_ns(f, 500000, false, &ns)); /* 100th and 101st */
	f->unplaced = 99;
	g_assert_true(figures_percentile_ns(f, 500000, false, &ns)); /* the 100th of 199 */
	g_assert_cmpuint(ns, ==, figures_sample_ns(f, histogram_bucket(199000)));
}

/* Two CPUs with different ranges: ranks are known up to the lower one. */
static void test_ranges(void)
{
	g_autofree struct figures *all = figures_new(), *a = above_range(), *b = figures_new();
	uint64_t ns;

	for (unsigned i = 0; i < 100; i++)
		figures_record(b, (150 + i) * 1000, 0);
	figures_add(all, a);
	figures_add(all, b);
	g_assert_cmpint(figures_check(all), ==, 0);
	g_assert_cmpuint(figures_count(all), ==, 248);
	/* below 200 us: all 100 of a, 50 of b */
	g_assert_true(figures_percentile_ns(all, 500000, false, &ns)); /* 124th, 125th */
	g_assert_cmpuint(ns, <, 200000);
	g_assert_false(figures_percentile_ns(all, 750000, false, &ns)); /* the 186th */
}

static void test_stated(void)
{
	g_autofree struct figures *f = above_range_stated();
	uint64_t ns;
	double d;

	g_assert_cmpint(figures_check(f), ==, 0);
	g_assert_true(figures_max_ns(f, &ns));
	g_assert_cmpuint(ns, ==, 9000000);
	g_assert_true(figures_mean_ns(f, &d));
	g_assert_cmpfloat(d, ==, 270000);
	g_assert_false(figures_stddev_ns(f, &d));
}

static void test_table_line(void)
{
	g_autofree struct figures *f = table_line();
	uint64_t ns;
	double d;

	g_assert_cmpint(figures_check(f), ==, 0);
	g_assert_false(figures_count_known(f));
	g_assert_true(figures_min_ns(f, &ns));
	g_assert_cmpuint(ns, ==, 15200);
	g_assert_true(figures_max_ns(f, &ns));
	g_assert_cmpuint(ns, ==, 64800);
	g_assert_true(figures_mean_ns(f, &d));
	g_assert_cmpfloat(d, ==, 15500);
	g_assert_true(figures_stddev_ns(f, &d));
	g_assert_cmpfloat(d, ==, 1000);
	g_assert_false(figures_percentile_ns(f, 500000, false, &ns));
}

/* A quiet line: how many there were, and nothing of where. */
static void test_nowhere(void)
{
	g_autofree struct figures *f = figures_new();
	uint64_t ns;
	double d;

	f->unplaced = 1492;
	g_assert_cmpint(figures_check(f), ==, 0);
	g_assert_cmpuint(figures_count(f), ==, 1492);
	g_assert_false(figures_min_ns(f, &ns));
	g_assert_false(figures_max_ns(f, &ns));
	g_assert_false(figures_mean_ns(f, &d));
	g_assert_false(figures_percentile_ns(f, 500000, false, &ns));
	figures_record(f, 5, 0);
	g_assert_false(figures_min_ns(f, &ns)); /* one of the others may be shorter */
	g_assert_false(figures_percentile_ns(f, 500000, false, &ns));
}

static void test_codec(void)
{
	struct figures *(*const make[])(void) = { above_range, above_range_stated, table_line };

	for (size_t i = 0; i < G_N_ELEMENTS(make); i++) {
		g_autofree struct figures *f = make[i](), *back = NULL;
		g_autoptr(GByteArray) data = g_byte_array_new();

		figures_encode(f, data);
		g_assert_cmpint(figures_decode(data->data, data->len, &back), ==, 0);
		g_assert_cmpmem(f, sizeof(*f), back, sizeof(*back));
		for (guint n = 0; n < data->len; n++) {
			g_autofree struct figures *cut = NULL;

			g_assert_cmpint(figures_decode(data->data, n, &cut), ==, -EBADMSG);
		}
	}
}

/* What nobody can have stated. */
static void test_refused(void)
{
	static struct figures good, bad; /* too large for a stack */
	g_autofree struct figures *f = above_range_stated(), *line = table_line();

	good = *f;
#define REFUSED(change)                                                                            \
	do {                                                                                       \
		bad = good;                                                                        \
		change;                                                                            \
		g_assert_cmpint(figures_check(&bad), ==, -EBADMSG);                                \
	} while (0)
	REFUSED(bad.stated |= 1u << 5);
	REFUSED(bad.stated |= FIGURES_STATED_NO_COUNT);
	REFUSED(bad.unplaced = 0);
	REFUSED(bad.unplaced = UINT64_MAX);
	REFUSED(bad.max_ns = 150000);
	REFUSED(bad.min_ns = 150000);
	REFUSED(bad.stated &= ~(uint32_t)FIGURES_STATED_MAX);
	REFUSED(bad.stated_mean_ns = NAN);
	REFUSED(bad.stated_mean_ns = -1);
	REFUSED(bad.stated_stddev_ns = 1);
	good = *line;
	REFUSED(bad.stated_stddev_ns = INFINITY);
	REFUSED(bad.min_ns = 70000);
	REFUSED(bad.stated &= ~(uint32_t)FIGURES_STATED_MIN);
	REFUSED(bad.stated &= ~(uint32_t)FIGURES_STATED_MAX);
#undef REFUSED
}

/* CPUs together: what is known of each is known of all, the rest of none. */
static void test_add(void)
{
	g_autofree struct figures *all = figures_new(), *a = above_range_stated(),
				  *b = above_range_stated(), *line = table_line();
	uint64_t ns;
	double d;

	b->max_ns = 12000000;
	b->min_ns = 50000;
	b->unplaced = 10;
	b->unplaced_from_ns = 300000;
	b->stated_mean_ns = 200000;
	figures_add(all, a);
	g_assert_cmpmem(all, sizeof(*all), a, sizeof(*a));
	figures_add(all, b);
	g_assert_cmpint(figures_check(all), ==, 0);
	g_assert_cmpuint(figures_count(all), ==, 258);
	g_assert_cmpuint(all->unplaced_from_ns, ==, 200000);
	g_assert_true(figures_min_ns(all, &ns));
	g_assert_cmpuint(ns, ==, 50000);
	g_assert_true(figures_max_ns(all, &ns));
	g_assert_cmpuint(ns, ==, 12000000);
	g_assert_true(figures_mean_ns(all, &d));
	g_assert_cmpfloat_with_epsilon(d, (148 * 270000. + 110 * 200000.) / 258, 1e-6);
	figures_add(all, line);
	g_assert_false(figures_count_known(all));
	g_assert_false(figures_mean_ns(all, &d));
	g_assert_true(figures_max_ns(all, &ns));
}

/* Of two wholes the sum of stated deviations is the deviation of the sum. */
static void test_pool(void)
{
	g_autofree struct figures *whole = figures_new(), *sum = figures_new();
	double mean, stddev, value;

	for (unsigned part = 0; part < 2; part++) {
		g_autofree struct figures *half = figures_new(), *stated = figures_new();

		for (unsigned i = 0; i < 50; i++) {
			figures_record(half, 1000 + 37 * i + 5000 * part, 0);
			figures_record(whole, 1000 + 37 * i + 5000 * part, 0);
		}
		stated->unplaced = 50;
		stated->stated = FIGURES_STATED_MIN | FIGURES_STATED_MAX | FIGURES_STATED_MEAN |
				 FIGURES_STATED_STDDEV;
		stated->min_ns = half->min_ns;
		stated->max_ns = half->max_ns;
		g_assert_true(figures_mean_ns(half, &stated->stated_mean_ns));
		g_assert_true(figures_stddev_ns(half, &stated->stated_stddev_ns));
		figures_add(sum, stated);
	}
	g_assert_true(figures_mean_ns(whole, &mean));
	g_assert_true(figures_mean_ns(sum, &value));
	g_assert_cmpfloat_with_epsilon(value, mean, 1e-6);
	g_assert_true(figures_stddev_ns(whole, &stddev));
	g_assert_true(figures_stddev_ns(sum, &value));
	g_assert_cmpfloat_with_epsilon(value, stddev, 1e-6);
}

/* Our own is not changed by any of it. */
static void test_own(void)
{
	g_autofree struct figures *f = figures_new();
	g_autoptr(GByteArray) data = g_byte_array_new();

	figures_record(f, 1000, 0);
	g_assert_false(figures_foreign(f));
	figures_encode(f, data);
	g_assert_cmpuint(data->data[0], ==, 1); /* readable by who knows version 1 only */
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/figures-foreign/above-range", test_above_range);
	g_test_add_func("/figures-foreign/edge", test_edge);
	g_test_add_func("/figures-foreign/ranges", test_ranges);
	g_test_add_func("/figures-foreign/stated", test_stated);
	g_test_add_func("/figures-foreign/table-line", test_table_line);
	g_test_add_func("/figures-foreign/nowhere", test_nowhere);
	g_test_add_func("/figures-foreign/codec", test_codec);
	g_test_add_func("/figures-foreign/refused", test_refused);
	g_test_add_func("/figures-foreign/add", test_add);
	g_test_add_func("/figures-foreign/pool", test_pool);
	g_test_add_func("/figures-foreign/own", test_own);
	return g_test_run();
}
