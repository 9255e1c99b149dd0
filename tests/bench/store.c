/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What 100,000 stored sessions (or argv[1]) cost: opening, a page of the list under several
 * filters, the report of the last one. Medians of many calls in ms, beside the targets and a bare
 * SELECT of the same page by SQLite alone.
 *
 * One session goes in through the store; SQL multiplies it, as a night of commits would take
 * longer.
 */
#include "../unit/store-fixture.h"
#include "report.h"

#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>

#define PAGE 100

static double now_ms(void)
{
	return g_get_monotonic_time() / 1000.0;
}

static int compare(gconstpointer a, gconstpointer b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double median(double *ms, size_t n)
{
	qsort(ms, n, sizeof(*ms), compare);
	return ms[n / 2];
}

static void exec(sqlite3 *db, const char *sql)
{
	char *message = NULL;

	if (sqlite3_exec(db, sql, NULL, NULL, &message) != SQLITE_OK)
		g_error("%s: %s", sql, message);
}

static struct result *session(void)
{
	struct result *r = fixture_head("s0", "timer", SESSION_DONE);
	json_t *blocks = json_array(), *config = json_object();

	for (int i = 0; i < 3600; i++)
		json_array_append_new(blocks, json_integer(40000 + i * 997));
	for (int i = 0; i < 200; i++) {
		g_autofree char *option = g_strdup_printf("CONFIG_OPTION_NUMBER_%d", i);

		json_object_set_new(config, option, json_string("y"));
	}
	r->verdict = VERDICT_PASS;
	r->summary = json_pack("{s:I,s:I,s:o}", "count", (json_int_t)600000, "max_ns",
			       (json_int_t)99000, "blocks", blocks);
	r->conditions = json_pack("{s:o}", "kernel", config);
	finding_add(r->findings, "virtual", NULL);
	finding_add(r->findings, "not-preempt-rt", NULL);
	finding_add(r->findings, "throttling", NULL);
	g_ptr_array_add(r->stages, fixture_stage(0, 100000));
	return r;
}

/* @n sessions: two plans, all ended, a label on one in 1000, two owners. */
static void fill(const char *dir, int n)
{
	g_autofree char *path = g_build_filename(dir, "lrtbfd.db", NULL), *sql = NULL;
	struct store *s = fixture_open(dir);
	struct result *r = session();
	sqlite3 *db;

	fixture_put_whole(s, r);
	fixture_flush(s);
	store_close(s);
	result_free(r);
	g_assert_cmpint(sqlite3_open(path, &db), ==, SQLITE_OK);
	exec(db, "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; BEGIN");
	sql = g_strdup_printf(
		"CREATE TEMP TABLE n AS WITH RECURSIVE n(i) AS"
		" (SELECT 2 UNION ALL SELECT i + 1 FROM n WHERE i < %d) SELECT i FROM n;"
		"INSERT INTO sessions (row, id, plan, label, owner, state, verdict, reason,"
		"  reason_id, instrument, policy, priority, wanted_policy, interval_ns, planned_ns,"
		"  created_usec, started_usec, finished_usec, overrides, method, summary, findings)"
		" SELECT i, 's' || i, iif(i %% 2, plan, 'quick'),"
		"  iif(i %% 1000, '', 'release'), i %% 3, iif(i %% 7, state, 'stopped'), verdict, "
		"reason,"
		"  reason_id, instrument, policy, priority, wanted_policy, interval_ns, planned_ns,"
		"  created_usec + i, started_usec + i, finished_usec + i, overrides, method, "
		"summary, findings"
		" FROM n, sessions WHERE row = 1;"
		"INSERT INTO papers (session, plan_text, conditions, blocks) SELECT i, plan_text, "
		"conditions, iif(i %% 100, NULL, blocks)"
		" FROM n, papers WHERE session = 1;"
		"INSERT INTO stages (session, idx, name, load, verdict, started_usec, duration_ns,"
		"  planned_ns, complete, findings, limits, metrics, irqs, checkpoints)"
		" SELECT i, idx, name, load, verdict, started_usec, duration_ns,"
		"  planned_ns, complete, findings, limits, metrics, irqs, checkpoints"
		" FROM n, stages WHERE session = 1;"
		"INSERT INTO figures SELECT i, stage, cpu, policy, priority, data"
		" FROM n, figures WHERE session = 1;"
		"COMMIT",
		n);
	exec(db, sql);
	sqlite3_close(db);
}

static void say(const char *what, double ms, double target_ms)
{
	printf("%-44s %8.3f ms  (target %g ms)\n", what, ms, target_ms);
}

static void bench_open(const char *dir)
{
	double ms[15];

	for (size_t i = 0; i < G_N_ELEMENTS(ms); i++) {
		double start = now_ms();
		struct store *s = fixture_open(dir);

		ms[i] = now_ms() - start;
		store_close(s);
	}
	say("open", median(ms, G_N_ELEMENTS(ms)), 100);
}

static double bench_page(struct store *s, const char *what, const struct store_filter *f,
			 const char *cursor)
{
	double ms[25], m;
	guint found = 0;

	for (size_t i = 0; i < G_N_ELEMENTS(ms); i++) {
		double start = now_ms();
		GPtrArray *page;

		g_assert_cmpint(store_list(s, f, cursor, PAGE, &page, NULL, NULL), ==, 0);
		found = page->len;
		g_ptr_array_unref(page);
		ms[i] = now_ms() - start;
	}
	m = median(ms, G_N_ELEMENTS(ms));
	printf("page, %-28s %4u rows %8.3f ms  (target 20 ms)\n", what, found, m);
	return m;
}

/* The same page read by SQLite, columns and nothing more. */
static double bench_peer(const char *dir)
{
	g_autofree char *path = g_build_filename(dir, "lrtbfd.db", NULL);
	double ms[25];
	sqlite3 *db;

	g_assert_cmpint(sqlite3_open(path, &db), ==, SQLITE_OK);
	for (size_t i = 0; i < G_N_ELEMENTS(ms); i++) {
		double start = now_ms();
		sqlite3_stmt *stmt;

		sqlite3_prepare_v2(db, "SELECT * FROM sessions ORDER BY row DESC LIMIT 100", -1,
				   &stmt, NULL);
		while (sqlite3_step(stmt) == SQLITE_ROW)
			for (int k = 0; k < sqlite3_column_count(stmt); k++)
				(void)sqlite3_column_text(stmt, k);
		sqlite3_finalize(stmt);
		ms[i] = now_ms() - start;
	}
	sqlite3_close(db);
	return median(ms, G_N_ELEMENTS(ms));
}

static void bench_pages(struct store *s, const char *dir)
{
	double page = bench_page(s, "newest", NULL, ""), peer = bench_peer(dir);

	printf("  a bare SELECT of it by SQLite                 %8.3f ms  (ratio %.1f)\n", peer,
	       page / peer);
	bench_page(s, "in the middle", NULL, "r50000");
	bench_page(s, "oldest", NULL, "r101");
	bench_page(s, "one plan", &(struct store_filter){ .owner = -1, .plan = "quick" }, "");
	bench_page(s, "two states",
		   &(struct store_filter){ .owner = -1, .state = "failed,stopped" }, "");
	bench_page(s, "rare label", &(struct store_filter){ .owner = -1, .label = "release" }, "");
	bench_page(s, "since the last 50",
		   &(struct store_filter){ .owner = -1, .since_usec = 1700000000000000 + 99950 },
		   "");
	bench_page(s, "no such plan", &(struct store_filter){ .owner = -1, .plan = "x" }, "");
	bench_page(s, "no such label", &(struct store_filter){ .owner = -1, .label = "x" }, "");
	bench_page(s, "no such state", &(struct store_filter){ .owner = -1, .state = "running" },
		   "");
	bench_page(s, "no such owner", &(struct store_filter){ .owner = 77 }, "");
	bench_page(s, "plan without such a state",
		   &(struct store_filter){ .owner = -1, .plan = "timer", .state = "skipped" }, "");
	bench_page(s, "everything, nothing matches",
		   &(struct store_filter){ .owner = 1,
					   .plan = "timer",
					   .state = "done,stopped",
					   .label = "x",
					   .verdict = "pass" },
		   "");
}

static void bench_report(struct store *s)
{
	struct report_options options = { .width = 80 };
	double ms[25];

	for (size_t i = 0; i < G_N_ELEMENTS(ms); i++) {
		g_autoptr(GString) out = g_string_new(NULL);
		g_autofree char *id = NULL;
		double start = now_ms();
		struct result *r;

		g_assert_cmpint(store_last(s, NULL, &id), ==, 0);
		r = fixture_get(s, id);
		g_assert_cmpint(report_render("text", r, &options, out, NULL), ==, 0);
		result_free(r);
		ms[i] = now_ms() - start;
	}
	say("last, read and rendered as text", median(ms, G_N_ELEMENTS(ms)), 50);
}

/* What the event loop pays for a checkpoint: encode and queue two CPUs. */
static void bench_put(struct store *s)
{
	struct result_stage *stage = fixture_stage(0, 100000);
	double ms[25];

	for (size_t i = 0; i < G_N_ELEMENTS(ms); i++) {
		double start = now_ms();

		g_assert_cmpint(store_put_stage(s, "s9", stage), ==, 0);
		ms[i] = now_ms() - start;
	}
	result_stage_free(stage);
	printf("a checkpoint of two CPUs, in the event loop     %8.3f ms\n",
	       median(ms, G_N_ELEMENTS(ms)));
}

int main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 100000;
	g_autofree char *dir = fixture_dir();
	double start = now_ms();
	struct store *s;

	fill(dir, n);
	printf("%d sessions filled in in %.1f s\n", n, (now_ms() - start) / 1000);
	bench_open(dir);
	s = fixture_open(dir);
	bench_pages(s, dir);
	bench_report(s);
	bench_put(s);
	store_close(s);
	fixture_remove(dir);
	return 0;
}
