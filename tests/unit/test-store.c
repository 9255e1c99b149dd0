/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The store when nothing goes wrong: what is put is got, listed, found, deleted. */
#include "store-fixture.h"

#include <sys/syscall.h>
#include <unistd.h>

/* SQLite's calls end here: how often it made sure of the disk. */
static volatile int synced;

int fdatasync(int fd)
{
	g_atomic_int_inc(&synced);
	return (int)syscall(SYS_fdatasync, fd);
}

int fsync(int fd)
{
	g_atomic_int_inc(&synced);
	return (int)syscall(SYS_fsync, fd);
}

static void test_round_trip(void)
{
	g_autofree char *dir = fixture_dir();
	struct result *in = fixture_result("s1"), *out;
	struct store *s = fixture_open(dir);

	fixture_put_whole(s, in);
	fixture_flush(s);
	out = fixture_get(s, "s1");
	fixture_same(in, out);
	g_assert_cmpint(out->row, ==, 1);
	result_free(out);
	s = store_close(s);

	s = fixture_open(dir);
	out = fixture_get(s, "s1");
	fixture_same(in, out);
	g_assert_cmpint(store_check(s, NULL), ==, 0);
	result_free(out);
	store_close(s);
	result_free(in);
	fixture_remove(dir);
}

/* Nothing optional set: NULL stays NULL, empty stays empty. */
static void test_bare(void)
{
	g_autofree char *dir = fixture_dir();
	struct result *in = result_new(), *out;
	struct store *s = fixture_open(dir);

	g_free(in->id);
	in->id = g_strdup("s1");
	fixture_put_whole(s, in);
	fixture_flush(s);
	out = fixture_get(s, "s1");
	fixture_same(in, out);
	g_assert_null(out->conditions);
	g_assert_null(out->summary);
	g_assert_true(json_is_object(out->overrides) && json_is_object(out->method));
	result_free(out);
	result_free(in);
	store_close(s);
	fixture_remove(dir);
}

/* A queued write is seen at once, by id and in lists, and so is a queued deletion. */
static void test_reads_see_writes(void)
{
	g_autofree char *dir = fixture_dir();
	struct store *s = fixture_open(dir);

	for (int i = 0; i < 50; i++) {
		g_autofree char *id = g_strdup_printf("s%d", i), *last = NULL, *next = NULL;
		struct result *in = fixture_result(id), *out;
		GPtrArray *page;

		fixture_put_whole(s, in);
		out = fixture_get(s, id);
		fixture_same(in, out);
		g_assert_cmpint(out->row, ==, i + 1);
		g_assert_cmpint(store_last(s, "quick", &last), ==, 0);
		g_assert_cmpstr(last, ==, id);
		g_assert_cmpint(store_list(s, NULL, "", 1, &page, &next, NULL), ==, 0);
		g_assert_cmpuint(page->len, ==, 1);
		fixture_same_head(in, page->pdata[0]);
		g_assert_null(((struct result *)page->pdata[0])->stages);
		g_ptr_array_unref(page);
		result_free(out);
		result_free(in);
		if (i % 2 == 0)
			continue;
		g_assert_cmpint(store_delete(s, id, NULL, NULL), ==, 0);
		g_assert_cmpint(store_get(s, id, &out, NULL), ==, -ENOENT);
		g_clear_pointer(&last, g_free);
		g_assert_cmpint(store_last(s, NULL, &last), ==, 0);
		g_assert_cmpstr(last, !=, id);
	}
	store_close(s);
	fixture_remove(dir);
}

/* A later head or stage replaces the earlier; the row and the other stages stay. */
static void test_update(void)
{
	g_autofree char *dir = fixture_dir();
	struct result *in = fixture_result("s1"), *out;
	struct result_stage *stage;
	struct store *s = fixture_open(dir);

	fixture_put(s, "s0", "other", SESSION_DONE);
	fixture_put_whole(s, in);
	fixture_flush(s);
	fixture_put(s, "s2", "other", SESSION_DONE);
	in->state = SESSION_STOPPED;
	g_free(in->plan_text);
	in->plan_text = g_strdup("another");
	stage = in->stages->pdata[1];
	stage->duration_ns++;
	g_ptr_array_set_size(stage->cpus, 1);
	g_ptr_array_add(stage->cpus, fixture_cpu(1, 77));
	g_assert_cmpint(store_put_session(s, in), ==, 0);
	g_assert_cmpint(store_put_stage(s, "s1", stage), ==, 0);
	for (int committed = 0; committed < 2; committed++) {
		out = fixture_get(s, "s1");
		fixture_same(in, out);
		g_assert_cmpint(out->row, ==, 2);
		result_free(out);
		fixture_flush(s);
	}
	g_assert_cmpint(store_check(s, NULL), ==, 0);
	store_close(s);
	result_free(in);
	fixture_remove(dir);
}

struct done {
	int calls, r;
	char *message;
};

static void on_done(int r, const char *message, void *userdata)
{
	struct done *d = userdata;

	d->calls++;
	d->r = r;
	g_free(d->message);
	d->message = g_strdup(message);
}

static void test_delete(void)
{
	g_autofree char *dir = fixture_dir();
	struct result *in = fixture_result("s1"), *out;
	struct done gone = { 0 }, none = { 0 }, queued = { 0 };
	struct store *s = fixture_open(dir);

	fixture_put_whole(s, in);
	fixture_flush(s);
	fixture_put(s, "s2", "quick", SESSION_DONE);
	g_assert_cmpint(store_delete(s, "s1", on_done, &gone), ==, 0);
	g_assert_cmpint(store_delete(s, "s2", on_done, &queued), ==, 0);
	g_assert_cmpint(store_delete(s, "nobody", on_done, &none), ==, 0);
	g_assert_cmpint(store_put_stage(s, "s1", in->stages->pdata[0]), ==, 0); /* too late */
	fixture_flush(s);
	g_assert_cmpint(gone.calls, ==, 1);
	g_assert_cmpint(gone.r, ==, 0);
	g_assert_cmpint(queued.calls, ==, 1);
	g_assert_cmpint(queued.r, ==, 0);
	g_assert_cmpint(none.calls, ==, 1);
	g_assert_cmpint(none.r, ==, -ENOENT);
	g_assert_nonnull(strstr(none.message, "nobody"));
	g_assert_cmpint(store_get(s, "s1", &out, NULL), ==, -ENOENT);
	g_assert_cmpint(store_check(s, NULL), ==, 0);

	/* rows are never used again */
	fixture_put(s, "s3", "quick", SESSION_DONE);
	s = store_close(s);
	s = fixture_open(dir);
	out = fixture_get(s, "s3");
	g_assert_cmpint(out->row, ==, 3);
	result_free(out);
	store_close(s);
	g_free(none.message);
	result_free(in);
	fixture_remove(dir);
}

/* A list leaves out what is bulky, committed or not; such a head must not overwrite the whole one.
 */
static void test_list_heads(void)
{
	g_autofree char *dir = fixture_dir();
	struct result *in = fixture_result("s1"), *out;
	struct store *s = fixture_open(dir);

	fixture_put_whole(s, in);
	for (int committed = 0; committed < 2; committed++) {
		const struct result *head;
		GPtrArray *page;

		g_assert_cmpint(store_list(s, NULL, "", 10, &page, NULL, NULL), ==, 0);
		g_assert_cmpuint(page->len, ==, 1);
		head = page->pdata[0];
		fixture_same_head(in, head);
		g_assert_null(head->stages);
		g_assert_null(head->conditions);
		g_assert_null(head->peer_conditions);
		g_assert_cmpstr(head->plan_text, ==, "");
		g_assert_nonnull(json_object_get(head->summary, "count"));
		g_assert_null(json_object_get(head->summary, "blocks"));
		g_assert_cmpint(store_put_session(s, head), ==, -EINVAL);
		g_ptr_array_unref(page);
		out = fixture_get(s, "s1");
		fixture_same(in, out);
		result_free(out);
		fixture_flush(s);
	}
	store_close(s);
	result_free(in);
	fixture_remove(dir);
}

/* 300 sessions: plan a or b, states in turn, labels, owners, times that go back and forth. */
static void fill(struct store *s)
{
	for (int i = 0; i < 300; i++) {
		g_autofree char *id = g_strdup_printf("s%03d", i);
		struct result *r = fixture_head(id, i % 3 ? "a" : "b", SESSION_DONE + i % 4);

		g_free(r->label);
		r->label = g_strdup(i % 10 ? "" : "tenth");
		r->owner = i % 2 ? 0 : 1000;
		r->verdict = i % 5 ? VERDICT_PASS : VERDICT_FAIL;
		r->created_usec = 1000000 + (i * 7) % 300;
		g_assert_cmpint(store_put_session(s, r), ==, 0);
		result_free(r);
		if (i == 200)
			fixture_flush(s);
	}
}

static bool wanted(const struct store_filter *f, int i)
{
	static const char *const states[] = { "done", "stopped", "failed", "interrupted" };

	return (!f->plan || strcmp(f->plan, i % 3 ? "a" : "b") == 0) &&
	       (!f->label || strcmp(f->label, i % 10 ? "" : "tenth") == 0) &&
	       (!f->state || strstr(f->state, states[i % 4])) &&
	       (!f->verdict || strcmp(f->verdict, i % 5 ? "pass" : "fail") == 0) &&
	       (f->owner < 0 || f->owner == (i % 2 ? 0 : 1000)) &&
	       1000000u + (i * 7) % 300 >= f->since_usec;
}

/* Walk all pages of @limit; every wanted one comes once, newest first. */
static void walk(struct store *s, const struct store_filter *f, unsigned limit)
{
	g_autofree char *cursor = g_strdup("");
	int expect = 299;

	do {
		char *next = NULL;
		GPtrArray *page;

		g_assert_cmpint(store_list(s, f, cursor, limit, &page, &next, NULL), ==, 0);
		g_assert_cmpuint(page->len, <=, limit);
		if (*next)
			g_assert_cmpuint(page->len, ==, limit);
		for (guint i = 0; i < page->len; i++, expect--) {
			const struct result *r = page->pdata[i];
			g_autofree char *id = NULL;

			while (expect >= 0 && !wanted(f, expect))
				expect--;
			id = g_strdup_printf("s%03d", expect);
			g_assert_cmpstr(r->id, ==, id);
		}
		g_ptr_array_unref(page);
		g_free(cursor);
		cursor = next;
	} while (*cursor);
	while (expect >= 0)
		g_assert_false(wanted(f, expect--));
}

static void test_list(void)
{
	static const struct store_filter filters[] = {
		{ .owner = -1 },
		{ .owner = 0 },
		{ .owner = 1000, .plan = "a" },
		{ .owner = -1, .plan = "b", .state = "done" },
		{ .owner = -1, .state = "done,failed" },
		{ .owner = -1, .state = "running" },
		{ .owner = -1, .label = "tenth", .verdict = "fail" },
		{ .owner = -1, .label = "" },
		{ .owner = -1, .label = "nowhere" },
		{ .owner = -1, .plan = "nowhere" },
		{ .owner = -1, .since_usec = 1000150 },
		{ .owner = -1, .since_usec = UINT64_MAX },
		{ .owner = 0,
		  .plan = "a",
		  .state = "stopped,interrupted",
		  .verdict = "pass",
		  .label = "",
		  .since_usec = 1000020 },
	};
	g_autofree char *dir = fixture_dir();
	struct store *s = fixture_open(dir);

	fill(s);
	for (int committed = 0; committed < 2; committed++) {
		for (guint i = 0; i < G_N_ELEMENTS(filters); i++) {
			walk(s, &filters[i], 1000);
			walk(s, &filters[i], 7);
			walk(s, &filters[i], 1);
		}
		fixture_flush(s);
	}
	store_close(s);
	fixture_remove(dir);
}

static void test_list_refuses(void)
{
	static const char *const cursors[] = {
		"x", "r", "r0", "r-1", "r1x", " r1", "r01", "1", "r99999999999999999999", "r1 "
	};
	g_autofree char *dir = fixture_dir();
	struct store *s = fixture_open(dir);
	struct store_filter f = { .owner = -1 };
	GPtrArray *page = NULL;

	for (guint i = 0; i < G_N_ELEMENTS(cursors); i++) {
		g_autofree char *message = NULL;

		g_assert_cmpint(store_list(s, &f, cursors[i], 1, &page, NULL, &message), ==,
				-EINVAL);
		g_assert_nonnull(message);
	}
	f.state = "done,asleep";
	g_assert_cmpint(store_list(s, &f, "", 1, &page, NULL, NULL), ==, -EINVAL);
	f.state = NULL;
	f.verdict = "guilty";
	g_assert_cmpint(store_list(s, &f, "", 1, &page, NULL, NULL), ==, -EINVAL);
	g_assert_null(page);
	store_close(s);
	fixture_remove(dir);
}

static void test_last(void)
{
	g_autofree char *dir = fixture_dir(), *id = NULL;
	struct store *s = fixture_open(dir);
	struct result *stopped_in_queue;

	g_assert_cmpint(store_last(s, NULL, &id), ==, -ENOENT);
	fixture_put(s, "s1", "a", SESSION_DONE);
	fixture_put(s, "s2", "b", SESSION_FAILED);
	fixture_put(s, "s3", "a", SESSION_RUNNING);
	fixture_put(s, "s4", "a", SESSION_SKIPPED);
	stopped_in_queue = fixture_head("s5", "a", SESSION_STOPPED);
	stopped_in_queue->started_usec = 0;
	g_assert_cmpint(store_put_session(s, stopped_in_queue), ==, 0);
	result_free(stopped_in_queue);
	for (int committed = 0; committed < 2; committed++) {
		g_assert_cmpint(store_last(s, NULL, &id), ==, 0);
		g_assert_cmpstr(id, ==, "s2");
		g_clear_pointer(&id, g_free);
		g_assert_cmpint(store_last(s, "a", &id), ==, 0);
		g_assert_cmpstr(id, ==, "s1");
		g_clear_pointer(&id, g_free);
		g_assert_cmpint(store_last(s, "c", &id), ==, -ENOENT);
		fixture_flush(s);
	}
	store_close(s);
	fixture_remove(dir);
}

static void test_unfinished(void)
{
	g_autofree char *dir = fixture_dir();
	struct result *running = fixture_result("s2");
	struct store *s = fixture_open(dir);
	GPtrArray *list;

	running->state = SESSION_RUNNING;
	fixture_put(s, "s1", "a", SESSION_DONE);
	fixture_put_whole(s, running);
	fixture_put(s, "s3", "a", SESSION_QUEUED);
	fixture_put(s, "s4", "a", SESSION_INTERRUPTED);
	s = store_close(s);
	s = fixture_open(dir);
	g_assert_cmpint(store_unfinished(s, &list, NULL), ==, 0);
	g_assert_cmpuint(list->len, ==, 2);
	fixture_same(running, list->pdata[0]);
	g_assert_cmpstr(((struct result *)list->pdata[1])->id, ==, "s3");
	g_assert_cmpuint(((struct result *)list->pdata[1])->stages->len, ==, 0);
	g_ptr_array_unref(list);
	store_close(s);
	result_free(running);
	fixture_remove(dir);
}

static int on_deadline(sd_event_source *source, uint64_t usec, void *userdata)
{
	return sd_event_exit(sd_event_source_get_event(source), -ETIMEDOUT);
}

static void on_done_exit(int r, const char *message, void *userdata)
{
	(void)sd_event_exit(userdata, r);
}

/* With an event loop, news comes through it, without store_flush(). */
static void test_event_loop(void)
{
	g_autofree char *dir = fixture_dir();
	sd_event *event = NULL;
	struct store *s = NULL;

	g_assert_cmpint(sd_event_new(&event), >=, 0);
	g_assert_cmpint(sd_event_add_time_relative(event, NULL, CLOCK_MONOTONIC,
						   60 * G_USEC_PER_SEC, 0, on_deadline, NULL),
			>=, 0);
	g_assert_cmpint(store_open(dir, event, NULL, NULL, &s, NULL), ==, 0);
	fixture_put(s, "s1", "a", SESSION_DONE);
	g_assert_cmpint(store_delete(s, "s1", on_done_exit, event), ==, 0);
	g_assert_cmpint(sd_event_loop(event), ==, 0);
	store_close(s);
	sd_event_unref(event);
	fixture_remove(dir);
}

static void test_commit_times(void)
{
	g_autofree char *dir = fixture_dir();
	struct store *s = fixture_open(dir);
	uint64_t start, end, before = g_get_monotonic_time() * 1000ULL;
	cpu_set_t cpus;

	store_last_commit(s, &start, &end);
	g_assert_cmpuint(start, ==, 0);
	g_assert_cmpuint(end, ==, 0);
	g_assert_cmpint(sched_getaffinity(0, sizeof(cpus), &cpus), ==, 0);
	g_assert_cmpint(store_set_cpus(s, &cpus), ==, 0);
	CPU_ZERO(&cpus);
	g_assert_cmpint(store_set_cpus(s, &cpus), ==, -EINVAL);
	fixture_put(s, "s1", "a", SESSION_DONE);
	fixture_flush(s);
	store_last_commit(s, &start, &end);
	g_assert_cmpuint(start, >=, before);
	g_assert_cmpuint(end, >, start);
	g_assert_cmpuint(store_pending(s), ==, 0);
	store_close(s);
	fixture_remove(dir);
}

/* What counts as written is on the disk: a power cut takes nothing that was acknowledged. */
static void test_reaches_the_disk(void)
{
	g_autofree char *dir = fixture_dir();
	struct store *s = fixture_open(dir);

	for (int i = 0; i < 3; i++) {
		int before = g_atomic_int_get(&synced);

		fixture_put(s, "s1", "a", i < 2 ? SESSION_RUNNING : SESSION_DONE);
		fixture_flush(s);
		g_assert_cmpint(g_atomic_int_get(&synced), >, before);
	}
	store_close(s);
	fixture_remove(dir);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/store/round-trip", test_round_trip);
	g_test_add_func("/store/bare", test_bare);
	g_test_add_func("/store/reads-see-writes", test_reads_see_writes);
	g_test_add_func("/store/update", test_update);
	g_test_add_func("/store/delete", test_delete);
	g_test_add_func("/store/list-heads", test_list_heads);
	g_test_add_func("/store/list", test_list);
	g_test_add_func("/store/list-refuses", test_list_refuses);
	g_test_add_func("/store/last", test_last);
	g_test_add_func("/store/unfinished", test_unfinished);
	g_test_add_func("/store/event-loop", test_event_loop);
	g_test_add_func("/store/commit-times", test_commit_times);
	g_test_add_func("/store/reaches-the-disk", test_reaches_the_disk);
	return g_test_run();
}
