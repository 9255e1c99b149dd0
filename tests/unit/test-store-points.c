/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Points: the figures of many sessions, committed or not, in order, after retention; and baselines,
 * by which some of them are chosen.
 */
#include "store-sandbox.h"

#include "points.h"

#include <math.h>

#define SECOND_NS 1000000000ULL

/* A session of one stage with @n samples of @ns. */
static struct result *session(const char *id, const char *plan, enum session_state state,
			      const char *stage, uint64_t ns, unsigned n)
{
	struct result *r = fixture_head(id, plan, state);
	struct result_stage *s = result_stage_new();
	struct result_cpu *c = result_cpu_new(0);

	g_free(s->name);
	s->name = g_strdup(stage);
	s->verdict = VERDICT_PASS;
	for (unsigned i = 0; i < n; i++)
		figures_record(c->figures, ns, i * 1000000ULL);
	r->finished_usec = (uint64_t)g_get_real_time();
	r->conditions = json_pack("{s:{s:s}}", "kernel", "release", "6.1.0-rt");
	g_ptr_array_add(s->cpus, c);
	g_ptr_array_add(r->stages, s);
	return r;
}

static void put(struct store *s, const char *id, const char *plan, enum session_state state,
		const char *stage, uint64_t ns)
{
	struct result *r = session(id, plan, state, stage, ns, 10);

	fixture_put_whole(s, r);
	result_free(r);
}

static void on_point(const struct store_point *p, void *userdata)
{
	GString *got = userdata;

	g_string_append_printf(got, "%s%s/%s=%.0f", got->len ? " " : "", p->id, p->stage,
			       p->max_ns);
}

/* "s1/none=5000 s2/none=6000" */
static void told(struct store *s, const char *plan, const char *baseline, const char *stage,
		 unsigned limit, const char *expected)
{
	g_autoptr(GString) got = g_string_new(NULL);
	g_autofree char *message = NULL;

	g_assert_cmpint(store_points(s, plan, baseline, stage, limit, on_point, got, &message), ==,
			0);
	g_assert_cmpstr(message, ==, NULL);
	g_assert_cmpstr(got->str, ==, expected);
}

/* Every percentile that reports show has its column, in the same order. */
static void test_columns(void)
{
	unsigned n = 0;

	for (; figures_percentiles[n].name; n++) {
		g_autofree char *name =
			g_strdelimit(g_strdup(figures_percentiles[n].name), ".", '_');
		g_autofree char *p = g_strconcat("p", name, NULL),
				*c = g_strconcat("c", name, NULL);

		g_assert_cmpstr(point_columns[POINT_PERCENTILE_NS + n], ==, p);
		g_assert_cmpstr(point_columns[POINT_CORRECTED_NS + n], ==, c);
	}
	g_assert_cmpuint(n, ==, POINTS_PERCENTILES);
}

static void test_order(void)
{
	g_autofree char *dir = fixture_dir();
	struct store *s = fixture_open(dir);

	told(s, "a", NULL, NULL, 0, "");
	put(s, "s1", "a", SESSION_DONE, "none", 1000);
	put(s, "s2", "b", SESSION_DONE, "none", 2000);
	put(s, "s3", "a", SESSION_STOPPED, "hd", 3000);
	put(s, "s4", "a", SESSION_RUNNING, "none", 4000);
	put(s, "s5", "a", SESSION_FAILED, "none", 5000);
	put(s, "s6", "a", SESSION_SKIPPED, "none", 6000);
	put(s, "s7", "a", SESSION_INTERRUPTED, "none", 7000);
	for (int committed = 0; committed < 3; committed++) {
		told(s, "a", NULL, NULL, 0, "s1/none=1000 s3/hd=3000 s5/none=5000 s7/none=7000");
		told(s, "a", NULL, "none", 0, "s1/none=1000 s5/none=5000 s7/none=7000");
		told(s, "a", NULL, "none", 2, "s5/none=5000 s7/none=7000");
		told(s, "a", NULL, NULL, 3, "s3/hd=3000 s5/none=5000 s7/none=7000");
		told(s, "a", NULL, "none", 100, "s1/none=1000 s5/none=5000 s7/none=7000");
		told(s, "a", NULL, "nowhere", 0, "");
		told(s, "b", NULL, NULL, 0, "s2/none=2000");
		told(s, "c", NULL, NULL, 5, "");
		if (committed == 1) {
			store_close(s);
			s = fixture_open(dir);
		}
		fixture_flush(s);
	}
	store_close(s);
	fixture_remove(dir);
}

/* The same, with some in the database and others that wait, or are changed and deleted meanwhile.
 */
static void test_waiting(void)
{
	g_autofree char *dir = fixture_dir();
	struct store *s = fixture_open(dir);
	sqlite3 *other = stranger(dir);

	put(s, "s1", "a", SESSION_DONE, "none", 1000);
	put(s, "s2", "a", SESSION_RUNNING, "none", 2000);
	put(s, "s3", "a", SESSION_DONE, "none", 3000);
	put(s, "s4", "a", SESSION_DONE, "none", 4000);
	fixture_flush(s);
	told(s, "a", NULL, NULL, 0, "s1/none=1000 s3/none=3000 s4/none=4000");
	stranger_does(other, "BEGIN IMMEDIATE"); /* nothing is committed any more */
	put(s, "s2", "a", SESSION_DONE, "none", 2222);
	g_assert_cmpint(store_delete(s, "s3", NULL, NULL), ==, 0);
	put(s, "s5", "a", SESSION_DONE, "none", 5000);
	put(s, "s6", "a", SESSION_RUNNING, "none", 6000);
	for (int committed = 0; committed < 2; committed++) {
		told(s, "a", NULL, NULL, 0, "s1/none=1000 s2/none=2222 s4/none=4000 s5/none=5000");
		told(s, "a", NULL, NULL, 3, "s2/none=2222 s4/none=4000 s5/none=5000");
		told(s, "a", NULL, NULL, 1, "s5/none=5000");
		if (committed == 0)
			stranger_does(other, "ROLLBACK");
		fixture_flush(s);
	}
	g_assert_cmpint(store_check(s, NULL), ==, 0);
	sqlite3_close(other);
	store_close(s);
	fixture_remove(dir);
}

static void on_whole_point(const struct store_point *p, void *userdata)
{
	struct result_stage *s = userdata;
	g_autofree struct figures *f = result_stage_all(s);
	double ns = NAN;

	g_assert_cmpstr(p->stage, ==, s->name);
	g_assert_cmpstr(p->load, ==, s->load);
	g_assert_cmpstr(p->kernel, ==, "6.1.0");
	g_assert_cmpuint(p->repeat, ==, 3);
	g_assert_cmpint(p->verdict, ==, VERDICT_FAIL);
	g_assert_cmpuint(p->started_usec, ==, 1700000001000000);
	g_assert_cmpfloat(p->count, ==, figures_count(f));
	g_assert_cmpfloat(p->min_ns, ==, f->min_ns);
	g_assert_cmpfloat(p->max_ns, ==, f->max_ns);
	g_assert_cmpfloat(p->missed, ==, 6);
	g_assert_cmpfloat(p->lost, ==, 0);
	g_assert_true(isnan(p->within));
	g_assert_true(figures_mean_ns(f, &ns));
	g_assert_cmpfloat(p->avg_ns, ==, ns);
	g_assert_true(figures_stddev_ns(f, &ns));
	g_assert_cmpfloat(p->stddev_ns, ==, ns);
	for (unsigned i = 0; figures_percentiles[i].name; i++) {
		uint32_t ppm = figures_percentiles[i].ppm;
		uint64_t value;

		if (figures_percentile_ns(f, ppm, false, &value))
			g_assert_cmpfloat(p->percentile_ns[i], ==, value);
		else
			g_assert_true(isnan(p->percentile_ns[i]));
		if (figures_percentile_ns(f, ppm, true, &value))
			g_assert_cmpfloat(p->corrected_ns[i], ==, value);
		else
			g_assert_true(isnan(p->corrected_ns[i]));
	}
}

static void test_figures(void)
{
	g_autofree char *dir = fixture_dir();
	struct store *s = fixture_open(dir);
	struct result *in = fixture_result("s1");

	g_ptr_array_set_size(in->stages, 1);
	fixture_put_whole(s, in);
	for (int committed = 0; committed < 2; committed++) {
		g_assert_cmpint(store_points(s, "quick", NULL, NULL, 0, on_whole_point,
					     in->stages->pdata[0], NULL),
				==, 0);
		fixture_flush(s);
	}
	store_close(s);
	result_free(in);
	fixture_remove(dir);
}

/* No sample: everything is unknown, and nothing is 0. A CPU less: no point at all. */
static void on_empty_point(const struct store_point *p, void *userdata)
{
	int *n = userdata;

	g_assert_cmpfloat(p->count, ==, 0);
	g_assert_true(isnan(p->min_ns) && isnan(p->avg_ns) && isnan(p->max_ns));
	g_assert_true(isnan(p->stddev_ns) && isnan(p->missed) && isnan(p->within));
	g_assert_true(isnan(p->percentile_ns[0]) && isnan(p->corrected_ns[0]));
	g_assert_cmpstr(p->kernel, ==, "");
	(*n)++;
}

static void test_empty(void)
{
	g_autofree char *dir = fixture_dir();
	struct store *s = fixture_open(dir);
	struct result *r = session("s1", "a", SESSION_DONE, "none", 0, 0);
	int n = 0;

	g_clear_pointer(&r->conditions, json_decref);
	g_ptr_array_add(r->stages, result_stage_new());
	((struct result_stage *)r->stages->pdata[1])->index = 1;
	fixture_put_whole(s, r);
	for (int committed = 0; committed < 2; committed++) {
		n = 0;
		g_assert_cmpint(store_points(s, "a", NULL, NULL, 0, on_empty_point, &n, NULL), ==,
				0);
		g_assert_cmpint(n, ==, 1);
		fixture_flush(s);
	}
	store_close(s);
	result_free(r);
	fixture_remove(dir);
}

static void wait_retained(struct store *s)
{
	while (store_retaining(s))
		g_usleep(2000);
	fixture_flush(s);
}

/* Details go, points stay; the session goes, and so do they. */
static void test_retained(void)
{
	struct retention keep = { .given = true, .count = 1 };
	g_autofree char *dir = fixture_dir();
	struct store *s = fixture_open(dir);
	struct result *out;

	put(s, "s1", "a", SESSION_DONE, "none", 1000);
	put(s, "s2", "a", SESSION_DONE, "none", 2000);
	put(s, "s3", "a", SESSION_DONE, "none", 3000);
	g_assert_cmpint(store_set_baseline(s, "s1", "good", NULL, NULL), ==, 0);
	fixture_flush(s);
	store_retain(s, "a", &keep);
	wait_retained(s);
	out = fixture_get(s, "s1");
	g_assert_cmpuint(out->stages->len, ==, 1); /* what belongs to a baseline is kept */
	result_free(out);
	out = fixture_get(s, "s2");
	g_assert_cmpuint(out->stages->len, ==, 0);
	result_free(out);
	told(s, "a", NULL, NULL, 0, "s1/none=1000 s2/none=2000 s3/none=3000");
	g_assert_cmpint(store_set_baseline(s, "s2", "good", NULL, NULL), ==, 0);
	told(s, NULL, "good", NULL, 0, "s1/none=1000 s2/none=2000");
	fixture_flush(s);
	told(s, NULL, "good", NULL, 0, "s1/none=1000 s2/none=2000");
	g_assert_cmpint(store_mark(s, "s2", false, NULL, NULL), ==, 0);
	keep.summary_count = 1;
	store_retain(s, "a", &keep);
	wait_retained(s);
	told(s, "a", NULL, NULL, 0, "s1/none=1000 s3/none=3000");
	told(s, NULL, "good", NULL, 0, "s1/none=1000");
	g_assert_cmpint(store_check(s, NULL), ==, 0);
	store_close(s);
	fixture_remove(dir);
}

/* --- baselines --- */

static void belongs(struct store *s, const char *id, const char *baseline, bool kept)
{
	struct result *whole = fixture_get(s, id), *head = NULL;

	g_assert_cmpstr(whole->baseline, ==, baseline);
	g_assert_cmpint(whole->kept, ==, kept);
	g_assert_cmpint(store_head(s, id, &head, NULL), ==, 0);
	g_assert_cmpstr(head->baseline, ==, baseline);
	g_assert_cmpint(head->kept, ==, kept);
	result_free(whole);
	result_free(head);
}

static void listed(struct store *s, const char *baseline, const char *plan, const char *expected)
{
	struct store_filter f = { .owner = -1, .baseline = baseline, .plan = plan };
	g_autoptr(GString) got = g_string_new(NULL);
	g_autoptr(GPtrArray) page = NULL;

	g_assert_cmpint(store_list(s, &f, "", 100, &page, NULL, NULL), ==, 0);
	for (guint i = 0; i < page->len; i++)
		g_string_append_printf(got, "%s%s", i ? " " : "",
				       ((struct result *)page->pdata[i])->id);
	g_assert_cmpstr(got->str, ==, expected);
}

static void test_baseline(void)
{
	g_autofree char *dir = fixture_dir();
	struct answer known = { 0 }, unknown = { 0 };
	struct store *s = fixture_open(dir);

	put(s, "s1", "a", SESSION_DONE, "none", 1000);
	put(s, "s2", "b", SESSION_DONE, "none", 2000);
	put(s, "s3", "a", SESSION_DONE, "none", 3000);
	fixture_flush(s);
	g_assert_cmpint(store_set_baseline(s, "s1", "good", on_answer, &known), ==, 0);
	g_assert_cmpint(store_set_baseline(s, "s2", "good", NULL, NULL), ==, 0);
	g_assert_cmpint(store_set_baseline(s, "s3", "other", NULL, NULL), ==, 0);
	g_assert_cmpint(store_set_baseline(s, "nobody", "good", on_answer, &unknown), ==, 0);
	for (int committed = 0; committed < 3; committed++) {
		belongs(s, "s1", "good", true);
		belongs(s, "s3", "other", true);
		listed(s, "good", NULL, "s2 s1");
		listed(s, "good", "a", "s1");
		listed(s, "nothing", NULL, "");
		listed(s, "", NULL, "");
		told(s, NULL, "good", NULL, 0, "s1/none=1000 s2/none=2000");
		told(s, NULL, "good", NULL, 1, "s2/none=2000");
		told(s, NULL, "nothing", NULL, 0, "");
		if (committed == 1) {
			store_close(s);
			s = fixture_open(dir);
		}
		fixture_flush(s);
	}
	g_assert_cmpint(known.calls, ==, 1);
	g_assert_cmpint(known.r, ==, 0);
	g_assert_cmpint(unknown.calls, ==, 1);
	g_assert_cmpint(unknown.r, ==, -ENOENT);
	/* from one to another; to none, but kept; no longer kept */
	g_assert_cmpint(store_set_baseline(s, "s1", "other", NULL, NULL), ==, 0);
	g_assert_cmpint(store_set_baseline(s, "s2", "", NULL, NULL), ==, 0);
	g_assert_cmpint(store_mark(s, "s3", false, NULL, NULL), ==, 0);
	for (int committed = 0; committed < 2; committed++) {
		belongs(s, "s1", "other", true);
		belongs(s, "s2", "", true);
		belongs(s, "s3", "", false);
		listed(s, "good", NULL, "");
		listed(s, "other", NULL, "s1");
		listed(s, "", NULL, "s3 s2");
		told(s, NULL, "good", NULL, 0, "");
		told(s, NULL, "other", NULL, 0, "s1/none=1000");
		fixture_flush(s);
	}
	store_close(s);
	fixture_remove(dir);
}

/* The marks that are queued with a head count after it. */
static void test_baseline_of_new(void)
{
	g_autofree char *dir = fixture_dir();
	struct store *s = fixture_open(dir);
	sqlite3 *other = stranger(dir);

	stranger_does(other, "BEGIN IMMEDIATE");
	put(s, "s1", "a", SESSION_DONE, "none", 1000);
	g_assert_cmpint(store_set_baseline(s, "s1", "good", NULL, NULL), ==, 0);
	for (int committed = 0; committed < 2; committed++) {
		belongs(s, "s1", "good", true);
		listed(s, "good", NULL, "s1");
		told(s, NULL, "good", NULL, 0, "s1/none=1000");
		if (committed == 0)
			stranger_does(other, "ROLLBACK");
		fixture_flush(s);
	}
	g_assert_cmpint(store_delete(s, "s1", NULL, NULL), ==, 0);
	told(s, NULL, "good", NULL, 0, "");
	sqlite3_close(other);
	store_close(s);
	fixture_remove(dir);
}

/* Many, a few per transaction: the order is that of the sessions, and a deletion takes its points.
 */
static void test_many(void)
{
	g_autoptr(GString) expected = g_string_new(NULL);
	g_autofree char *dir = fixture_dir();
	struct store *s = fixture_open(dir);

	for (int i = 0; i < 200; i++) {
		g_autofree char *id = g_strdup_printf("s%03d", i);

		put(s, id, i % 3 ? "a" : "b", SESSION_DONE, "none", 1000 + i);
		if (i % 10 == 0)
			g_assert_cmpint(store_delete(s, id, NULL, NULL), ==, 0);
		else if (i % 3 && i >= 100)
			g_string_append_printf(expected, "%s%s/none=%d", expected->len ? " " : "",
					       id, 1000 + i);
	}
	told(s, "a", NULL, NULL, 60, expected->str);
	fixture_flush(s);
	told(s, "a", NULL, NULL, 60, expected->str);
	g_assert_cmpint(store_check(s, NULL), ==, 0);
	store_close(s);
	fixture_remove(dir);
}

/* A full disk: what could not be written is told of all the same, and is there afterwards. */
static void test_full_disk(void)
{
	g_autofree char *dir = NULL, *filler = NULL;
	struct store *s;

	if (in_child_that_mounts())
		return;
	dir = fixture_dir();
	filler = g_build_filename(dir, "filler", NULL);
	g_assert_true(private_tmpfs(dir, "size=4m"));
	s = fixture_open(dir);
	put(s, "s1", "a", SESSION_DONE, "none", 1000);
	fixture_flush(s);
	fill_up(filler);
	for (int i = 0; i < 20; i++) {
		struct result *r = fixture_result("s2");

		fixture_put_whole(s, r);
		result_free(r);
		(void)store_flush(s, SECOND_NS / 10, NULL);
	}
	g_assert_cmpint(store_set_baseline(s, "s1", "good", NULL, NULL), ==, 0);
	g_assert_cmpint(store_flush(s, SECOND_NS / 10, NULL), ==, -ETIMEDOUT);
	belongs(s, "s1", "good", true);
	told(s, NULL, "good", NULL, 0, "s1/none=1000");
	told(s, "quick", NULL, "stage 0", 0, "s2/stage 0=100997");
	g_assert_cmpint(g_unlink(filler), ==, 0);
	fixture_flush(s);
	store_close(s);
	s = fixture_open(dir);
	belongs(s, "s1", "good", true);
	told(s, NULL, "good", NULL, 0, "s1/none=1000");
	told(s, "quick", NULL, "stage 0", 0, "s2/stage 0=100997");
	g_assert_cmpint(store_check(s, NULL), ==, 0);
	store_close(s);
	g_assert_cmpint(umount2(dir, MNT_DETACH), ==, 0);
	fixture_remove(dir);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/store-points/columns", test_columns);
	g_test_add_func("/store-points/order", test_order);
	g_test_add_func("/store-points/waiting", test_waiting);
	g_test_add_func("/store-points/figures", test_figures);
	g_test_add_func("/store-points/empty", test_empty);
	g_test_add_func("/store-points/retained", test_retained);
	g_test_add_func("/store-points/baseline", test_baseline);
	g_test_add_func("/store-points/baseline-of-new", test_baseline_of_new);
	g_test_add_func("/store-points/many", test_many);
	g_test_add_func("/store-points/full-disk", test_full_disk);
	return g_test_run();
}
