/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a trend over 100,000 sessions (or argv[1]) costs: reading the points, finding shifts,
 * rendering. Medians in ms, beside the target and a bare SELECT of the same values by SQLite alone.
 *
 * One session goes in through the store; SQL multiplies it and its point, with values that vary and
 * a shift at two thirds.
 */
#include "trend.h"
#include "../unit/store-fixture.h"

#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>

#define ROUNDS	  7
#define TARGET_MS 500

static double now_ms(void)
{
	return g_get_monotonic_time() / 1000.0;
}

static int compare(gconstpointer a, gconstpointer b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double median(double *ms)
{
	qsort(ms, ROUNDS, sizeof(*ms), compare);
	return ms[ROUNDS / 2];
}

static sqlite3 *opened(const char *dir)
{
	g_autofree char *path = g_build_filename(dir, "lrtbfd.db", NULL);
	sqlite3 *db;

	g_assert_cmpint(sqlite3_open(path, &db), ==, SQLITE_OK);
	return db;
}

static sqlite3_stmt *prepared(sqlite3 *db, const char *sql)
{
	sqlite3_stmt *stmt;

	g_assert_cmpint(sqlite3_prepare_v2(db, sql, -1, &stmt, NULL), ==, SQLITE_OK);
	return stmt;
}

static void run(sqlite3_stmt *stmt)
{
	g_assert_cmpint(sqlite3_step(stmt), ==, SQLITE_DONE);
	sqlite3_reset(stmt);
}

static void multiply(const char *dir, int n)
{
	/* one row of each, changed and added again and again */
	static const char sql[] = "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; BEGIN;"
				  "CREATE TEMP TABLE one AS SELECT * FROM sessions;"
				  "CREATE TEMP TABLE p AS SELECT * FROM points;"
				  "UPDATE p SET kernel = '6.1.0-57-rt-amd64';"
				  "UPDATE one SET summary = NULL, findings = NULL;";
	sqlite3_stmt *one, *p, *add_one, *add_p;
	sqlite3 *db = opened(dir);
	GRand *rand = g_rand_new_with_seed(1);

	g_assert_cmpint(sqlite3_exec(db, sql, NULL, NULL, NULL), ==, SQLITE_OK);
	add_one = prepared(db, "INSERT INTO sessions SELECT * FROM one");
	add_p = prepared(db, "INSERT INTO points SELECT * FROM p");
	p = prepared(db, "UPDATE p SET session = ?1, id = ?2, max_ns = ?3,"
			 " started_usec = started_usec + 86400000000");
	one = prepared(db, "UPDATE one SET row = ?1, id = ?2");
	for (int i = 2; i <= n; i++) {
		g_autofree char *id = g_strdup_printf("s20260101T020000Z_%08x", (unsigned)i);
		int64_t ns = g_rand_int_range(rand, 40000, 90000) + (i > n / 3 * 2 ? 20000 : 0);

		sqlite3_bind_int64(p, 1, i);
		sqlite3_bind_text(p, 2, id, -1, SQLITE_STATIC);
		sqlite3_bind_int64(p, 3, ns);
		sqlite3_bind_int64(one, 1, i);
		sqlite3_bind_text(one, 2, id, -1, SQLITE_STATIC);
		run(one);
		run(add_one);
		run(p);
		run(add_p);
	}
	sqlite3_finalize(p);
	sqlite3_finalize(one);
	sqlite3_finalize(add_p);
	sqlite3_finalize(add_one);
	g_assert_cmpint(sqlite3_exec(db, "COMMIT", NULL, NULL, NULL), ==, SQLITE_OK);
	g_rand_free(rand);
	sqlite3_close(db);
}

static void fill(const char *dir, int n)
{
	struct store *s = fixture_open(dir);
	struct result *r = fixture_result("s20260101T020000Z_00000001");

	g_ptr_array_set_size(r->stages, 1);
	fixture_put_whole(s, r);
	fixture_flush(s);
	store_close(s);
	result_free(r);
	multiply(dir, n);
}

static void on_point(const struct store_point *p, void *userdata)
{
	struct trend_point point = { p->id, p->started_usec, p->max_ns, p->kernel, p->verdict };

	trend_add(userdata, &point);
}

struct times {
	double read[ROUNDS], find[ROUNDS], render[ROUNDS], all[ROUNDS];
};

static size_t bench_round(struct store *s, const char *format, struct times *t, int round)
{
	struct trend_options o = { "quick", "stage 0", "max", true };
	g_autoptr(GString) out = g_string_new(NULL);
	struct trend *trend = trend_new(&o);
	double start = now_ms(), read, found, end;

	g_assert_cmpint(store_points(s, "quick", NULL, "stage 0", 0, on_point, trend, NULL), ==, 0);
	read = now_ms();
	trend_finish(trend);
	found = now_ms();
	g_assert_cmpint(trend_render(format, trend, NULL, out, NULL), ==, 0);
	end = now_ms();
	t->read[round] = read - start;
	t->find[round] = found - read;
	t->render[round] = end - found;
	t->all[round] = end - start;
	trend_free(trend);
	return out->len;
}

static double bench_format(struct store *s, const char *format)
{
	struct times t;
	size_t size = 0;
	double all;

	for (int i = 0; i < ROUNDS; i++)
		size = bench_round(s, format, &t, i);
	all = median(t.all);
	printf("%-9s %8.1f ms: points %.1f, shifts %.1f, rendering %.1f (%zu KiB)\n", format, all,
	       median(t.read), median(t.find), median(t.render), size / 1024);
	return all;
}

/* The same values by a program that has nothing else to do. */
static double bench_peer(const char *dir)
{
	sqlite3 *db = opened(dir);
	double ms[ROUNDS], sum = 0;

	for (int i = 0; i < ROUNDS; i++) {
		double start = now_ms();
		sqlite3_stmt *stmt;

		g_assert_cmpint(sqlite3_prepare_v2(db,
						   "SELECT id, started_usec, max_ns, kernel,"
						   " verdict FROM points WHERE plan = 'quick'"
						   " AND name = 'stage 0' ORDER BY session",
						   -1, &stmt, NULL),
				==, SQLITE_OK);
		while (sqlite3_step(stmt) == SQLITE_ROW)
			sum += sqlite3_column_double(stmt, 2) +
			       (double)strlen((const char *)sqlite3_column_text(stmt, 0));
		sqlite3_finalize(stmt);
		ms[i] = now_ms() - start;
	}
	sqlite3_close(db);
	g_assert_cmpfloat(sum, >, 0);
	return median(ms);
}

int main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 100000;
	g_autofree char *dir = fixture_dir();
	double text, peer;
	struct store *s;

	fill(dir, n);
	s = fixture_open(dir);
	printf("A trend over %d sessions, target %d ms:\n", n, TARGET_MS);
	text = bench_format(s, "text");
	for (const struct trend_format *const *f = trend_formats; *f; f++)
		if (strcmp((*f)->name, "text") != 0)
			(void)bench_format(s, (*f)->name);
	store_close(s);
	peer = bench_peer(dir);
	printf("%-9s %8.1f ms: SELECT of the same values alone; text takes %.1f times that\n",
	       "sqlite3", peer, text / peer);
	fixture_remove(dir);
	return 0;
}
