/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "baseline.h"

#include "cleanup.h"
#include "method.h"

#include <glib/gstdio.h>
#include <string.h>

#define US UINT64_C(1000)

struct bench {
	char *dir;
	struct store *store;
	unsigned n; /* sessions so far */
};

static void bench_open(struct bench *b)
{
	g_autofree char *message = NULL;

	b->dir = g_dir_make_tmp("lrtbf-baseline-XXXXXX", NULL);
	b->n = 0;
	if (store_open(b->dir, NULL, NULL, NULL, &b->store, &message) < 0)
		g_error("%s", message);
}

static void bench_close(struct bench *b)
{
	GDir *d = g_dir_open(b->dir, 0, NULL);
	const char *name;

	b->store = store_close(b->store);
	while ((name = g_dir_read_name(d))) {
		g_autofree char *path = g_build_filename(b->dir, name, NULL);

		g_unlink(path);
	}
	g_dir_close(d);
	g_rmdir(b->dir);
	g_free(b->dir);
}

static struct result *session_of(const char *id, int interval)
{
	struct result *r = result_new();

	r->id = (g_free(r->id), g_strdup(id));
	r->plan = (g_free(r->plan), g_strdup("night"));
	r->plan_text = (g_free(r->plan_text), g_strdup("duration = \"1s\";"));
	r->instrument = (g_free(r->instrument), g_strdup("timer"));
	r->state = SESSION_DONE;
	r->verdict = VERDICT_PASS;
	r->created_usec = r->started_usec = r->finished_usec = 1796004013250000;
	json_object_set_new(r->method, "instrument", json_string("timer"));
	json_object_set_new(r->method, "interval_ns", json_integer(interval));
	return r;
}

/* A stage whose samples are all @ns, but for one of @max_ns. */
static struct result_stage *stage_of(const char *name, unsigned repeat, uint64_t ns,
				     uint64_t max_ns)
{
	struct result_stage *s = result_stage_new();
	struct result_cpu *c = result_cpu_new(0);

	s->name = (g_free(s->name), g_strdup(name));
	s->repeat = repeat;
	s->index = repeat - 1;
	s->verdict = VERDICT_PASS;
	s->started_usec = 1796004013250000;
	c->figures->has_grid = 1;
	for (unsigned i = 0; i < 1000; i++)
		figures_record(c->figures, ns, i * 1000);
	figures_record(c->figures, max_ns, 1000 * 1000);
	g_ptr_array_add(s->cpus, c);
	return s;
}

/* One more session of baseline @name: its stage "a", a repeat for each of @us (ending with 0). */
static void put(struct bench *b, const char *name, int interval, const uint64_t *us)
{
	g_autofree char *id = g_strdup_printf("s20261130T0200%02uZ_%04x", b->n, b->n);
	struct result *r = session_of(id, interval);

	b->n++;
	r->baseline = (g_free(r->baseline), g_strdup(name));
	r->kept = true;
	g_assert_cmpint(store_put_session(b->store, r), ==, 0);
	for (unsigned i = 0; us[i]; i++) {
		struct result_stage *s = stage_of("a", i + 1, us[i] * US, (us[i] + 100) * US);

		g_assert_cmpint(store_put_stage(b->store, id, s), ==, 0);
		result_stage_free(s);
	}
	result_free(r);
}

#define PUT(b, name, interval, ...) put(b, name, interval, (const uint64_t[]){ __VA_ARGS__, 0 })

static struct plan *plan_with(const char *limits)
{
	g_autofree char *text = g_strdup_printf("duration = \"1s\"; limits = [ %s ];", limits);
	g_autoptr(GPtrArray) problems = problems_new();
	struct plan *p = plan_parse("night", text, strlen(text), "night.conf", problems);

	g_assert_nonnull(p);
	return p;
}

/* The bound in ns of @limit for a new session; 0: there is none, with a sentence that has @why. */
static void check(struct bench *b, const char *stage, const char *limit, uint64_t bound_ns,
		  const char *why)
{
	g_autofree char *quoted = g_strdup_printf("\"%s\"", limit);
	struct plan *p = plan_with(quoted);
	struct result *r = session_of("s20261130T030000Z_ffff", 1000000);
	struct result_stage *s = stage_of(stage, 1, 10 * US, 20 * US);
	g_autoptr(GArray) limits = NULL;
	const struct limit *l;

	json_object_set_new(r->method, "scheduled", json_true()); /* no part of how */
	limits = baseline_limits(b->store, r, p, s);
	g_assert_cmpuint(limits->len, ==, 1);
	l = &g_array_index(limits, struct limit, 0);
	g_assert_cmpstr(l->text, ==, limit);
	g_assert_cmpint(l->unbound, ==, bound_ns == 0);
	if (bound_ns)
		g_assert_cmpuint(l->bound, ==, bound_ns);
	g_assert_cmpuint(s->findings->len, ==, why ? 1 : 0);
	if (why) {
		const struct finding *f = s->findings->pdata[0];

		g_assert_cmpstr(f->kind->id, ==, "no-baseline");
		if (!strstr(f->text, why))
			g_error("\"%s\" lacks \"%s\"", f->text, why);
	}
	result_stage_free(s);
	result_free(r);
	plan_free(p);
}

static void test_median(void)
{
	struct bench b;

	bench_open(&b);
	PUT(&b, "night", 1000000, 10);
	PUT(&b, "night", 1000000, 90);
	PUT(&b, "night", 1000000, 20);
	check(&b, "a", "min <= baseline", 20 * US, NULL);
	check(&b, "a", "min <= baseline + 10%", 22 * US, NULL);
	check(&b, "a", "min <= baseline - 25%", 15 * US, NULL);
	PUT(&b, "night", 1000000, 30);
	check(&b, "a", "min <= baseline", 25 * US, NULL);
	bench_close(&b);
}

/* A session with many repeats is one session. */
static void test_repeats_count_once(void)
{
	struct bench b;

	bench_open(&b);
	PUT(&b, "night", 1000000, 50, 52, 60);
	PUT(&b, "night", 1000000, 10);
	PUT(&b, "night", 1000000, 20);
	check(&b, "a", "min <= baseline", 20 * US, NULL);
	bench_close(&b);
}

/* Every figure that a limit may hold against one is found. */
static void test_figures(void)
{
	static const struct {
		const char *limit;
		uint64_t low_ns, high_ns;
	} figures[] = {
		{ "min <= baseline", 40000, 40000 },
		{ "avg <= baseline", 40099, 40101 }, /* 1 in 1001 is 100 us longer */
		{ "stddev <= baseline", 3159, 3162 },
		{ "p50 <= baseline", 39700, 40300 },
		{ "p99 <= baseline", 39700, 40300 },
		{ "corrected.p50 <= baseline", 39700, 40300 },
	};
	struct bench b;

	bench_open(&b);
	PUT(&b, "night", 1000000, 40);
	for (size_t i = 0; i < G_N_ELEMENTS(figures); i++) {
		g_autofree char *quoted = g_strdup_printf("\"%s\"", figures[i].limit);
		struct plan *p = plan_with(quoted);
		struct result *r = session_of("s20261130T030000Z_ffff", 1000000);
		struct result_stage *s = stage_of("a", 1, 10 * US, 20 * US);
		g_autoptr(GArray) limits = baseline_limits(b.store, r, p, s);
		const struct limit *l = &g_array_index(limits, struct limit, 0);

		g_test_message("%s: %" G_GUINT64_FORMAT, figures[i].limit, l->bound);
		g_assert_false(l->unbound);
		g_assert_cmpuint(l->bound, >=, figures[i].low_ns);
		g_assert_cmpuint(l->bound, <=, figures[i].high_ns);
		result_stage_free(s);
		result_free(r);
		plan_free(p);
	}
	check(&b, "a", "p99.9999 <= baseline", 0, "has that figure");
	bench_close(&b);
}

static void test_nothing_to_hold_against(void)
{
	struct bench b;

	bench_open(&b);
	check(&b, "a", "avg <= baseline", 0, "belongs to the baseline night");
	PUT(&b, "other", 1000000, 10);
	PUT(&b, "", 1000000, 10);
	check(&b, "a", "avg <= baseline", 0, "belongs to the baseline night");
	PUT(&b, "night", 2000000, 10);
	check(&b, "a", "avg <= baseline", 0, "in another way");
	PUT(&b, "night", 1000000, 30);
	check(&b, "b", "avg <= baseline", 0, "a stage b");
	/* those measured in another way do not count, and do no harm */
	check(&b, "a", "min <= baseline", 30 * US, NULL);
	bench_close(&b);
}

static void test_maximum(void)
{
	struct bench b;

	bench_open(&b);
	for (unsigned i = 0; i < BASELINE_SESSIONS_MAX - 1; i++)
		PUT(&b, "night", 1000000, 10 + i);
	check(&b, "a", "max <= baseline", 0, "19 comparable sessions");
	PUT(&b, "night", 1000000, 5, 300);
	check(&b, "a", "max <= baseline", 400 * US, NULL);
	check(&b, "a", "max <= baseline + 50%", 600 * US, NULL);
	bench_close(&b);
}

/* Other limits are left alone, and nothing is read for them. */
static void test_ordinary(void)
{
	struct plan *p = plan_with("\"max <= 100us\", \"missed <= 0\"");
	struct result *r = session_of("s20261130T030000Z_ffff", 1000000);
	struct result_stage *s = stage_of("a", 1, 10 * US, 20 * US);
	g_autoptr(GArray) limits = baseline_limits(NULL, r, p, s);
	g_autoptr(GArray) none = baseline_limits(NULL, r, NULL, s);

	g_assert_cmpmem(limits->data, limits->len * sizeof(struct limit), p->limits->data,
			2 * sizeof(struct limit));
	g_assert_cmpuint(none->len, ==, 0);
	g_assert_cmpuint(s->findings->len, ==, 0);
	result_stage_free(s);
	result_free(r);
	plan_free(p);
}

static void test_method_same(void)
{
	g_autoptr(json_t) a = json_pack("{s:s,s:i}", "instrument", "timer", "interval_ns", 5);
	g_autoptr(json_t) b = json_deep_copy(a);

	g_assert_true(method_same(a, b));
	json_object_set_new(b, "scheduled", json_true());
	g_assert_true(method_same(a, b) && method_same(b, a));
	json_object_set_new(b, "role", json_string("irq"));
	g_assert_false(method_same(a, b) || method_same(b, a));
	json_object_set_new(a, "role", json_string("kthread"));
	g_assert_false(method_same(a, b));
	json_object_set_new(a, "role", json_string("irq"));
	g_assert_true(method_same(a, b));
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/baseline/median", test_median);
	g_test_add_func("/baseline/repeats-count-once", test_repeats_count_once);
	g_test_add_func("/baseline/figures", test_figures);
	g_test_add_func("/baseline/nothing-to-hold-against", test_nothing_to_hold_against);
	g_test_add_func("/baseline/maximum", test_maximum);
	g_test_add_func("/baseline/ordinary", test_ordinary);
	g_test_add_func("/baseline/method-same", test_method_same);
	return g_test_run();
}
