/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Retention: the choice, what is left of a session, the marks that keep one whole, and the room
 * that is given back.
 */
#include "retain.h"
#include "store-sandbox.h"

#include <signal.h>
#include <sys/stat.h>

#define SECOND_NS 1000000000ULL
#define DAY_NS	  (86400 * SECOND_NS)
#define DAY_USEC  UINT64_C(86400000000)
#define NOW_USEC  (1000 * DAY_USEC)

/* --- the choice --- */

/*
 * A session per letter, newest first: w whole, t thinned, q waits, n ended without having measured;
 * capital: kept. Each ended a day before the one before it; details 100 bytes, head 10.
 */
static GArray *entries(const char *letters)
{
	GArray *a = g_array_new(FALSE, TRUE, sizeof(struct retain_entry));

	for (size_t i = 0; letters[i]; i++) {
		char c = g_ascii_tolower(letters[i]);
		struct retain_entry e = {
			.row = (int64_t)(100 - i),
			.kept = g_ascii_isupper(letters[i]),
			.thinned = c == 't',
			.ended = c != 'q',
			.measured = c == 'w' || c == 't',
			.ended_usec = NOW_USEC - i * DAY_USEC,
			.head_bytes = 10,
			.detail_bytes = c == 'w' ? 100 : 0,
		};

		g_array_append_val(a, e);
	}
	return a;
}

/* @fates: - as it is, t its details go, x all of it goes. */
static void chosen(const char *letters, struct retention keep, const char *fates)
{
	g_autoptr(GArray) a = entries(letters);
	g_autoptr(GString) got = g_string_new(NULL);

	retain_choose((struct retain_entry *)(void *)a->data, a->len, &keep, NOW_USEC);
	for (guint i = 0; i < a->len; i++)
		g_string_append_c(got, "-tx"[g_array_index(a, struct retain_entry, i).fate]);
	g_assert_cmpstr(got->str, ==, fates);
}

#define KEEP(...) ((struct retention){ .given = true, __VA_ARGS__ })

static void test_choice(void)
{
	chosen("", KEEP(.count = 1), "");
	chosen("wwww", KEEP(), "----");
	chosen("wwww", KEEP(.count = 2), "--tt");
	chosen("wwwwtt", KEEP(.count = 4), "------");
	/* who waits, has not measured or is marked neither counts nor goes */
	chosen("qwnwWwwW", KEEP(.count = 2), "-----tt-");
	chosen("nqw", KEEP(.count = 1), "---");
	chosen("WWw", KEEP(.count = 1), "---");
	/* 0, 1, 2, ... days old */
	chosen("wwww", KEEP(.age_ns = 2 * DAY_NS), "---t");
	chosen("wwWwq", KEEP(.age_ns = DAY_NS), "---t-");
	chosen("wwtw", KEEP(.summary_age_ns = DAY_NS), "--xx");
	chosen("wwtw", KEEP(.age_ns = 1, .summary_age_ns = 2 * DAY_NS), "-t-x");
	/* in all, with those that have measured nothing */
	chosen("wnwtnWw", KEEP(.summary_count = 3), "---xx-x");
	chosen("wwww", KEEP(.count = 1, .summary_count = 2), "-txx");
	/* the newest that has measured stays, whatever is asked */
	chosen("nnw", KEEP(.summary_count = 1, .summary_age_ns = 1), "-x-");
	chosen("w", KEEP(.count = 1, .age_ns = 1, .summary_age_ns = 1, .size_bytes = 1), "-");
	/* of those that are whole: the newest lost its details when one behind it was marked */
	chosen("tww", KEEP(.age_ns = 1), "--t");
}

static void test_choice_by_size(void)
{
	chosen("wwww", KEEP(.size_bytes = 440), "----");
	chosen("wwww", KEEP(.size_bytes = 439), "---t");
	chosen("wwww", KEEP(.size_bytes = 240), "--tt");
	chosen("wwww", KEEP(.size_bytes = 140), "-ttt");
	/* no details are left but the newest's: now summaries */
	chosen("wwww", KEEP(.size_bytes = 139), "-ttx");
	chosen("wwtt", KEEP(.size_bytes = 1), "-xxx");
	chosen("wnqWt", KEEP(.size_bytes = 115), "-x--x");
	/* what goes by another bound makes room */
	chosen("wwww", KEEP(.size_bytes = 330, .summary_count = 3), "---x");
	chosen("www", KEEP(.size_bytes = 230, .age_ns = DAY_NS), "--t");
}

static void test_choice_of_the_future(void)
{
	g_autoptr(GArray) a = entries("www");
	struct retention keep = KEEP(.age_ns = DAY_NS / 2, .summary_age_ns = DAY_NS);

	/* the clock was set back by years meanwhile: nothing is older than it was */
	retain_choose((struct retain_entry *)(void *)a->data, a->len, &keep,
		      NOW_USEC - 500 * DAY_USEC);
	for (guint i = 0; i < a->len; i++)
		g_assert_cmpint(g_array_index(a, struct retain_entry, i).fate, ==, RETAIN_WHOLE);
}

static enum retain_fate fate(const GArray *a, guint i)
{
	return g_array_index(a, struct retain_entry, i).fate;
}

static void test_choice_of_wrong_clocks(void)
{
	g_autoptr(GArray) a = entries("wwwwww");
	struct retain_entry *e = (struct retain_entry *)(void *)a->data;
	struct retention keep = KEEP(.age_ns = 5 * DAY_NS / 2);

	/* measured before the clock was right: as old as the one before it, two days */
	e[1].ended_usec = DAY_USEC;
	/* and one that the future has says nothing of those after it */
	e[4].ended_usec = NOW_USEC + 100 * DAY_USEC;
	retain_choose(e, a->len, &keep, NOW_USEC);
	g_assert_cmpint(fate(a, 0), ==, RETAIN_WHOLE);
	g_assert_cmpint(fate(a, 1), ==, RETAIN_WHOLE);
	g_assert_cmpint(fate(a, 2), ==, RETAIN_WHOLE);
	g_assert_cmpint(fate(a, 3), ==, RETAIN_THIN);
	g_assert_cmpint(fate(a, 4), ==, RETAIN_WHOLE);
	g_assert_cmpint(fate(a, 5), ==, RETAIN_THIN);
}

/* --- the store --- */

struct news {
	int thinned, removed, failed;
	char *text;
};

static void on_news(enum store_news what, const char *text, void *userdata)
{
	struct news *n = userdata;

	n->thinned += what == STORE_THINNED;
	n->removed += what == STORE_REMOVED;
	n->failed += what == STORE_RETENTION_FAILED;
	g_free(n->text);
	n->text = g_strdup(text);
}

static struct store *open_with_news(const char *dir, struct news *n)
{
	struct store *s = NULL;

	g_assert_cmpint(store_open(dir, NULL, on_news, n, &s, NULL), ==, 0);
	return s;
}

static void wait_retained(struct store *s)
{
	gint64 end_us = g_get_monotonic_time() + 60 * G_USEC_PER_SEC;

	while (store_retaining(s)) {
		g_assert_cmpint(g_get_monotonic_time(), <, end_us);
		g_usleep(2000);
	}
	fixture_flush(s); /* tells */
}

/* A whole one that ended just now, with @kilobytes of conditions beside the kernel's. */
static void put_ended(struct store *s, const char *id, unsigned kilobytes)
{
	struct result *r = fixture_result(id);
	g_autofree char *bulk = g_strnfill(kilobytes * 1024, 'x');

	r->finished_usec = (uint64_t)g_get_real_time();
	json_object_set_new(r->conditions, "bulk", json_string(bulk));
	fixture_put_whole(s, r);
	result_free(r);
}

static void put_many(struct store *s, unsigned n, unsigned kilobytes)
{
	for (unsigned i = 0; i < n; i++) {
		g_autofree char *id = g_strdup_printf("s%03u", i);

		put_ended(s, id, kilobytes);
		if (i % 32 == 0)
			fixture_flush(s);
	}
	fixture_flush(s);
}

/* How many sessions there are; *ret_whole: with details. */
static unsigned count(struct store *s, unsigned *ret_whole)
{
	g_autoptr(GPtrArray) page = NULL;
	unsigned n;

	g_assert_cmpint(store_list(s, NULL, "", 1000, &page, NULL, NULL), ==, 0);
	n = page->len;
	*ret_whole = 0;
	for (guint i = 0; i < n; i++)
		*ret_whole += ((struct result *)page->pdata[i])->thinned_usec == 0;
	return n;
}

static void counted(struct store *s, unsigned all, unsigned whole)
{
	unsigned got;

	g_assert_cmpuint(count(s, &got), ==, all);
	g_assert_cmpuint(got, ==, whole);
}

/* Of a thinned session's stages, what was worked out of them. */
static void check_analysis(const struct result *whole, const json_t *list)
{
	g_assert_cmpuint(json_array_size(list), ==, whole->stages->len);
	for (guint i = 0; i < whole->stages->len; i++) {
		const struct result_stage *s = whole->stages->pdata[i];
		const json_t *o = json_array_get(list, i);

		g_assert_cmpstr(json_string_value(json_object_get(o, "stage")), ==, s->name);
		g_assert_cmpstr(json_string_value(json_object_get(o, "load")), ==, s->load);
		g_assert_cmpint(json_integer_value(json_object_get(o, "repeat")), ==, s->repeat);
		fixture_same_json(s->analysis, json_object_get(o, "analysis"));
	}
}

/* What is left is what a list showed, the plan's text and the kernel; and it says what is missing.
 */
static void check_summary(struct store *s, const char *id)
{
	struct result *in = fixture_result(id), *out = fixture_get(s, id);
	const struct finding *f;

	g_assert_cmpuint(out->thinned_usec, >, 0);
	g_assert_cmpuint(out->stages->len, ==, 0);
	g_assert_cmpuint(out->findings->len, ==, 2);
	f = out->findings->pdata[1];
	g_assert_cmpstr(f->kind->id, ==, "thinned");
	g_assert_nonnull(strstr(f->text, "were removed on 20"));
	g_ptr_array_set_size(out->findings, 1);
	out->finished_usec = in->finished_usec;
	fixture_same_head(in, out);
	g_assert_cmpstr(out->plan_text, ==, in->plan_text);
	g_assert_cmpuint(json_object_size(out->conditions), ==, 1);
	fixture_same_json(json_object_get(in->conditions, "kernel"),
			  json_object_get(out->conditions, "kernel"));
	fixture_same_json(in->peer_conditions, out->peer_conditions); /* only the kernel there */
	g_assert_cmpint(json_object_del(in->summary, "blocks"), ==, 0);
	check_analysis(in, json_object_get(out->summary, "analysis"));
	g_assert_cmpint(json_object_del(out->summary, "analysis"), ==, 0);
	fixture_same_json(in->summary, out->summary);
	result_free(in);
	result_free(out);
}

static void test_thinned(void)
{
	g_autofree char *dir = fixture_dir(), *last = NULL;
	struct retention keep = KEEP(.count = 3);
	struct news n = { 0 };
	struct store *s = open_with_news(dir, &n);
	unsigned whole;

	put_many(s, 40, 1);
	fixture_put(s, "queued", "quick", SESSION_QUEUED);
	fixture_put(s, "other", "soak", SESSION_DONE);
	g_assert_cmpint(store_mark(s, "s005", true, NULL, NULL), ==, 0);
	store_retain(s, "quick", &keep);
	wait_retained(s);
	counted(s, 42, 3 + 3); /* the newest, the marked, the one that waits, the other plan's */
	g_assert_cmpint(n.thinned, ==, 36);
	g_assert_cmpint(n.removed, ==, 0);
	check_summary(s, "s000");
	check_summary(s, "s036");
	g_assert_cmpint(store_last(s, "quick", &last), ==, 0);
	g_assert_cmpstr(last, ==, "s039");
	g_assert_cmpint(store_check(s, NULL), ==, 0);
	/* once more changes nothing; the mark taken away does */
	store_retain(s, "quick", &keep);
	wait_retained(s);
	g_assert_cmpint(n.thinned, ==, 36);
	g_assert_cmpint(store_mark(s, "s005", false, NULL, NULL), ==, 0);
	store_retain(s, "quick", &keep);
	wait_retained(s);
	g_assert_cmpint(n.thinned, ==, 37);
	g_assert_cmpstr(n.text, ==, "s005");
	keep.summary_count = 5;
	store_retain(s, "quick", &keep);
	wait_retained(s);
	g_assert_cmpuint(count(s, &whole), ==, 5 + 2);
	g_assert_cmpint(n.removed, ==, 35);
	g_assert_cmpint(n.failed, ==, 0);
	store_close(s);
	s = fixture_open(dir); /* and so it is on the disk */
	g_assert_cmpuint(count(s, &whole), ==, 7);
	g_assert_cmpint(store_check(s, NULL), ==, 0);
	store_close(s);
	g_free(n.text);
	fixture_remove(dir);
}

/* The clock was set back by a year while it measured. */
static void test_clock_set_back(void)
{
	struct retention keep = KEEP(.age_ns = DAY_NS, .summary_age_ns = DAY_NS);
	g_autofree char *dir = fixture_dir();
	struct store *s = fixture_open(dir);
	struct result *r = fixture_result("s1");

	r->created_usec = (uint64_t)g_get_real_time();
	r->finished_usec = r->created_usec - 365 * DAY_USEC;
	fixture_put_whole(s, r);
	result_free(r);
	put_ended(s, "s2", 1);
	fixture_flush(s);
	store_retain(s, "quick", &keep);
	wait_retained(s);
	counted(s, 2, 2);
	store_close(s);
	fixture_remove(dir);
}

static uint64_t on_disk(const char *dir)
{
	static const char *const names[] = { "lrtbfd.db", "lrtbfd.db-wal" };
	uint64_t bytes = 0;

	for (size_t i = 0; i < G_N_ELEMENTS(names); i++) {
		g_autofree char *path = g_build_filename(dir, names[i], NULL);
		GStatBuf st;

		if (g_stat(path, &st) == 0)
			bytes += (uint64_t)st.st_blocks * 512;
	}
	return bytes;
}

/* Bound by size, and the room is the file system's again, while the store is open. */
static void test_room(void)
{
	g_autofree char *dir = fixture_dir();
	struct retention keep = KEEP(.size_bytes = 4 << 20);
	struct store *s = fixture_open(dir);
	unsigned whole;

	put_many(s, 64, 200);
	g_assert_cmpuint(on_disk(dir), >, 12 << 20);
	store_retain(s, "quick", &keep);
	wait_retained(s);
	g_assert_cmpuint(count(s, &whole), ==, 64);
	/* 64 summaries of a kilobyte or two, and what is left for details of 200 */
	g_assert_cmpuint(whole, >=, 16);
	g_assert_cmpuint(whole, <=, 20);
	g_test_message("%u whole in %u KiB", whole, (unsigned)(on_disk(dir) >> 10));
	g_assert_cmpuint(on_disk(dir), <, (4 << 20) + RETAIN_RESERVE_BYTES + (1 << 20));
	g_assert_cmpint(store_check(s, NULL), ==, 0);
	store_close(s);
	fixture_remove(dir);
}

/* So is what somebody deletes himself. */
static void test_room_of_deleted(void)
{
	g_autofree char *dir = fixture_dir();
	struct store *s = fixture_open(dir);

	put_many(s, 64, 100);
	g_assert_cmpuint(on_disk(dir), >, 6 << 20);
	for (unsigned i = 0; i < 64; i++) {
		g_autofree char *id = g_strdup_printf("s%03u", i);

		g_assert_cmpint(store_delete(s, id, NULL, NULL), ==, 0);
	}
	fixture_flush(s);
	wait_retained(s);
	g_assert_cmpuint(on_disk(dir), <, RETAIN_RESERVE_BYTES + (1 << 20));
	store_close(s);
	fixture_remove(dir);
}

/* A file that an upgrade could not rewrite keeps its room, and nothing turns in circles. */
static void test_room_not_to_be_had(void)
{
	g_autofree char *dir = fixture_dir();
	struct retention keep = KEEP(.count = 1);
	bool more = true;
	struct store *s;
	sqlite3 *db;

	s = fixture_open(dir);
	put_many(s, 20, 200);
	store_close(s);
	db = stranger(dir);
	stranger_does(db, "PRAGMA journal_mode = DELETE");
	stranger_does(db, "PRAGMA auto_vacuum = NONE");
	stranger_does(db, "VACUUM");
	stranger_does(db, "UPDATE papers SET conditions = NULL");
	g_assert_cmpint(retain_shrink(db, &more, NULL), ==, 0);
	g_assert_false(more);
	sqlite3_close(db);
	s = fixture_open(dir); /* which mends it */
	store_retain(s, "quick", &keep);
	wait_retained(s);
	g_assert_cmpuint(on_disk(dir), <, RETAIN_RESERVE_BYTES + (1 << 20));
	store_close(s);
	fixture_remove(dir);
}

/* While somebody measures, the one step that the end of a session brings, and no more. */
static void test_quiet(void)
{
	g_autofree char *dir = fixture_dir();
	struct retention keep = KEEP(.count = 1);
	struct news n = { 0 };
	struct store *s = open_with_news(dir, &n);
	unsigned whole;

	put_many(s, 60, 1);
	store_set_quiet(s, true);
	store_retain(s, "quick", &keep);
	for (int i = 0; i < 100 && n.thinned == 0; i++) {
		g_usleep(10000);
		fixture_flush(s);
	}
	g_usleep(300000);
	fixture_flush(s);
	g_assert_cmpint(n.thinned, >, 0);
	g_assert_cmpint(n.thinned, <=, 20);
	g_assert_true(store_retaining(s));
	put_ended(s, "s999", 1); /* writes go on */
	fixture_flush(s);
	store_set_quiet(s, false);
	wait_retained(s);
	g_assert_cmpuint(count(s, &whole), ==, 61);
	g_assert_cmpuint(whole, ==, 1);
	store_close(s);
	g_free(n.text);
	fixture_remove(dir);
}

/* Room is given back when nobody measures. */
static void test_quiet_room(void)
{
	g_autofree char *dir = fixture_dir();
	struct store *s = fixture_open(dir);

	put_many(s, 64, 100);
	store_set_quiet(s, true);
	for (unsigned i = 0; i < 64; i++) {
		g_autofree char *id = g_strdup_printf("s%03u", i);

		g_assert_cmpint(store_delete(s, id, NULL, NULL), ==, 0);
	}
	fixture_flush(s);
	g_usleep(300000);
	g_assert_true(store_retaining(s));
	g_assert_cmpuint(on_disk(dir), >, 6 << 20);
	store_set_quiet(s, false);
	wait_retained(s);
	g_assert_cmpuint(on_disk(dir), <, RETAIN_RESERVE_BYTES + (1 << 20));
	store_close(s);
	fixture_remove(dir);
}

/* A step that fails in its middle has done nothing, tells of nothing and holds nothing up. */
static void test_failed_in_the_middle(void)
{
	g_autofree char *dir = fixture_dir();
	struct retention keep = KEEP(.count = 1);
	struct news n = { 0 };
	struct store *s = open_with_news(dir, &n);
	sqlite3 *other;

	put_many(s, 5, 1);
	other = stranger(dir);
	stranger_does(other, "CREATE TRIGGER no BEFORE DELETE ON stages WHEN OLD.session = 3"
			     " BEGIN SELECT RAISE(FAIL, 'not this one'); END");
	store_retain(s, "quick", &keep);
	wait_retained(s);
	g_assert_cmpint(n.failed, ==, 1);
	g_assert_nonnull(strstr(n.text, "not this one"));
	g_assert_cmpint(n.thinned, ==, 0);
	counted(s, 5, 5);
	stranger_does(other, "DROP TRIGGER no"); /* nobody has the database locked */
	sqlite3_close(other);
	store_retain(s, "quick", &keep);
	wait_retained(s);
	g_assert_cmpint(n.thinned, ==, 4);
	counted(s, 5, 1);
	store_close(s);
	g_free(n.text);
	fixture_remove(dir);
}

static void test_failed(void)
{
	g_autofree char *dir = fixture_dir(), *path = database(dir);
	g_autofree char *away = g_strconcat(path, ".away", NULL);
	struct retention keep = KEEP(.count = 1);
	struct news n = { 0 };
	struct store *s = open_with_news(dir, &n);

	put_many(s, 5, 1);
	g_assert_cmpint(g_rename(path, away), ==, 0);
	store_retain(s, "quick", &keep);
	wait_retained(s);
	g_assert_cmpint(n.failed, ==, 1);
	g_assert_nonnull(strstr(n.text, "removed or replaced"));
	g_assert_cmpint(g_rename(away, path), ==, 0);
	counted(s, 5, 5);
	store_retain(s, "quick", &keep);
	wait_retained(s);
	counted(s, 5, 1);
	store_close(s);
	g_free(n.text);
	fixture_remove(dir);
}

/* Killed in the middle: every session is whole or a summary, and the next start goes on. */
static void test_killed(void)
{
	g_autofree char *dir = fixture_dir();
	struct retention keep = KEEP(.count = 2);
	struct store *s = fixture_open(dir);

	put_many(s, 100, 20);
	store_close(s);
	for (int round = 0; round < 4; round++) {
		pid_t pid = fork();

		g_assert_cmpint(pid, >=, 0);
		if (pid == 0) {
			s = fixture_open(dir);
			store_retain(s, "quick", &keep);
			pause();
		}
		g_usleep(g_test_rand_int_range(1000, 30000));
		g_assert_cmpint(kill(pid, SIGKILL), ==, 0);
		g_assert_cmpint(waitpid(pid, NULL, 0), ==, pid);
		s = fixture_open(dir);
		g_assert_cmpint(store_check(s, NULL), ==, 0);
		store_close(s);
	}
	s = fixture_open(dir);
	store_retain(s, "quick", &keep);
	wait_retained(s);
	counted(s, 100, 2);
	check_summary(s, "s000");
	check_summary(s, "s097");
	store_close(s);
	fixture_remove(dir);
}

/* --- marks --- */

/* The mark as each way of reading shows it. */
static void marked(struct store *s, const char *id, bool kept)
{
	g_autoptr(GPtrArray) page = NULL;
	struct result *r = fixture_get(s, id);

	g_assert_cmpint(r->kept, ==, kept);
	result_free(r);
	g_assert_cmpint(store_head(s, id, &r, NULL), ==, 0);
	g_assert_cmpint(r->kept, ==, kept);
	g_assert_cmpstr(r->id, ==, id);
	result_free(r);
	g_assert_cmpint(store_list(s, NULL, "", 1, &page, NULL, NULL), ==, 0);
	g_assert_cmpstr(((struct result *)page->pdata[0])->id, ==, id);
	g_assert_cmpint(((struct result *)page->pdata[0])->kept, ==, kept);
}

static void test_mark(void)
{
	g_autofree char *dir = fixture_dir(), *message = NULL;
	struct store *s = fixture_open(dir);
	struct answer a = { 0 }, none = { 0 };
	sqlite3 *other = stranger(dir);
	struct result *in = fixture_result("s1"), *out;

	fixture_put_whole(s, in);
	marked(s, "s1", false);
	fixture_flush(s);
	stranger_does(other,
		      "BEGIN IMMEDIATE"); /* the mark is seen although it cannot be written */
	g_assert_cmpint(store_mark(s, "s1", true, on_answer, &a), ==, 0);
	marked(s, "s1", true);
	g_assert_cmpint(a.calls, ==, 0);
	stranger_does(other, "ROLLBACK");
	fixture_flush(s);
	g_assert_cmpint(a.calls, ==, 1);
	g_assert_cmpint(a.r, ==, 0);
	marked(s, "s1", true);
	out = fixture_get(s, "s1");
	fixture_same(in, out); /* and nothing else */
	result_free(out);

	g_assert_cmpint(store_mark(s, "s2", true, on_answer, &none), ==, 0);
	fixture_flush(s);
	g_assert_cmpint(none.r, ==, -ENOENT);
	g_assert_cmpint(store_head(s, "s2", &out, &message), ==, -ENOENT);
	g_assert_nonnull(strstr(message, "s2"));

	/* set and taken away before it was written: the last counts, everybody is answered */
	stranger_does(other, "BEGIN IMMEDIATE");
	g_assert_cmpint(store_mark(s, "s1", false, on_answer, &a), ==, 0);
	g_assert_cmpint(store_mark(s, "s1", true, on_answer, &a), ==, 0);
	g_assert_cmpint(store_mark(s, "s1", false, on_answer, &a), ==, 0);
	marked(s, "s1", false);
	stranger_does(other, "ROLLBACK");
	fixture_flush(s);
	g_assert_cmpint(a.calls, ==, 4);
	marked(s, "s1", false);

	/* deleted in the same breath */
	g_assert_cmpint(store_mark(s, "s1", true, on_answer, &a), ==, 0);
	g_assert_cmpint(store_delete(s, "s1", on_answer, &none), ==, 0);
	fixture_flush(s);
	g_assert_cmpint(a.calls, ==, 5);
	g_assert_cmpint(none.calls, ==, 2);
	g_assert_cmpint(none.r, ==, 0);
	g_assert_cmpint(store_head(s, "s1", &out, NULL), ==, -ENOENT);
	/* one of that name that comes after it is another one */
	wait_retained(s);
	stranger_does(other, "BEGIN IMMEDIATE");
	g_assert_cmpint(store_put_session(s, in), ==, 0);
	g_assert_cmpint(store_mark(s, "s1", true, NULL, NULL), ==, 0);
	g_assert_cmpint(store_delete(s, "s1", NULL, NULL), ==, 0);
	fixture_put_whole(s, in);
	marked(s, "s1", false);
	stranger_does(other, "ROLLBACK");
	fixture_flush(s);
	marked(s, "s1", false);
	sqlite3_close(other);
	store_close(s);
	result_free(in);
	fixture_remove(dir);
}

/* A head that is put with its mark, before and after it was written. */
static void test_mark_of_head(void)
{
	g_autofree char *dir = fixture_dir();
	struct store *s = fixture_open(dir);
	struct result *in = fixture_result("s1");

	in->state = SESSION_RUNNING;
	fixture_put_whole(s, in);
	in->kept = true;
	g_assert_cmpint(store_mark(s, "s1", true, NULL, NULL), ==, 0);
	g_assert_cmpint(store_put_session(s, in), ==, 0);
	marked(s, "s1", true);
	fixture_flush(s);
	in->state = SESSION_DONE;
	g_assert_cmpint(store_put_session(s, in), ==, 0);
	marked(s, "s1", true);
	fixture_flush(s);
	marked(s, "s1", true);
	store_close(s);
	result_free(in);
	fixture_remove(dir);
}

static void test_plans(void)
{
	g_autofree char *dir = fixture_dir();
	struct store *s = fixture_open(dir);
	g_auto(GStrv) none = NULL;
	g_auto(GStrv) plans = NULL;

	g_assert_cmpint(store_plans(s, &none, NULL), ==, 0);
	g_assert_cmpuint(g_strv_length(none), ==, 0);
	fixture_put(s, "s1", "soak", SESSION_DONE);
	fixture_put(s, "s2", "quick", SESSION_DONE);
	fixture_put(s, "s3", "soak", SESSION_QUEUED);
	fixture_flush(s);
	g_assert_cmpint(store_plans(s, &plans, NULL), ==, 0);
	g_assert_cmpuint(g_strv_length(plans), ==, 2);
	g_assert_cmpstr(plans[0], ==, "quick");
	g_assert_cmpstr(plans[1], ==, "soak");
	store_close(s);
	fixture_remove(dir);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/store-retain/choice", test_choice);
	g_test_add_func("/store-retain/choice-by-size", test_choice_by_size);
	g_test_add_func("/store-retain/choice-of-the-future", test_choice_of_the_future);
	g_test_add_func("/store-retain/choice-of-wrong-clocks", test_choice_of_wrong_clocks);
	g_test_add_func("/store-retain/thinned", test_thinned);
	g_test_add_func("/store-retain/clock-set-back", test_clock_set_back);
	g_test_add_func("/store-retain/room", test_room);
	g_test_add_func("/store-retain/room-of-deleted", test_room_of_deleted);
	g_test_add_func("/store-retain/room-not-to-be-had", test_room_not_to_be_had);
	g_test_add_func("/store-retain/quiet", test_quiet);
	g_test_add_func("/store-retain/quiet-room", test_quiet_room);
	g_test_add_func("/store-retain/failed", test_failed);
	g_test_add_func("/store-retain/failed-in-the-middle", test_failed_in_the_middle);
	g_test_add_func("/store-retain/killed", test_killed);
	g_test_add_func("/store-retain/mark", test_mark);
	g_test_add_func("/store-retain/mark-of-head", test_mark_of_head);
	g_test_add_func("/store-retain/plans", test_plans);
	return g_test_run();
}
