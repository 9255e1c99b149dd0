/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The store when things go wrong while it works: killed at any moment, disk full, database locked,
 * folder that cannot be written. Cases that change the process (mounts, uid, limits) run in a
 * child.
 */
#include "schema.h"
#include "store-sandbox.h"

#include <signal.h>
#include <sys/resource.h>

#define SECOND_NS 1000000000ULL

struct news {
	int trouble, well;
	char *text;
};

static void on_news(enum store_news what, const char *text, void *userdata)
{
	struct news *n = userdata;

	n->well += what == STORE_WELL;
	if (what != STORE_TROUBLE)
		return;
	n->trouble++;
	g_free(n->text);
	n->text = g_strdup(text);
}

static struct store *open_with_news(const char *dir, struct news *n)
{
	struct store *s = NULL;

	g_assert_cmpint(store_open(dir, NULL, on_news, n, &s, NULL), ==, 0);
	return s;
}

/* --- killed --- */

/* Write sessions and checkpoints for ever; say over @fd which are flushed. */
static void write_until_killed(const char *dir, int fd, unsigned round)
{
	struct store *s = fixture_open(dir);

	for (unsigned i = 0;; i++) {
		g_autofree char *id = g_strdup_printf("s%u_%u", round, i);
		struct result *r = fixture_result(id);

		r->state = SESSION_RUNNING;
		fixture_put_whole(s, r);
		if (i % 3 == 0)
			(void)store_delete(s, "s0_0", NULL, NULL);
		fixture_put_whole(s, r);
		if (i % 2 == 0 && store_flush(s, 10 * SECOND_NS, NULL) == 0 &&
		    write(fd, &i, sizeof(i)) != sizeof(i))
			_exit(1);
		result_free(r);
	}
}

static void check_after_kill(const char *dir, unsigned round, int flushed)
{
	g_autofree char *message = NULL;
	struct store *s = fixture_open(dir);
	GPtrArray *list;

	(void)store_check(s, &message);
	g_assert_cmpstr(message, ==, NULL);
	for (int i = 0; i <= flushed; i++) {
		g_autofree char *id = g_strdup_printf("s%u_%d", round, i);
		struct result *in = fixture_result(id), *out;

		if (strcmp(id, "s0_0") != 0) {
			out = fixture_get(s, id);
			in->state = SESSION_RUNNING;
			fixture_same(in, out);
			result_free(out);
		}
		result_free(in);
	}
	/* whatever else is there can be read */
	g_assert_cmpint(store_unfinished(s, &list, &message), ==, 0);
	g_assert_cmpstr(message, ==, NULL);
	g_ptr_array_unref(list);
	store_close(s);
}

static void test_killed(void)
{
	g_autofree char *dir = fixture_dir();
	int total = 0;

	for (unsigned round = 0; round < 8; round++) {
		int fds[2], flushed = -1, status;
		pid_t pid;

		g_assert_cmpint(pipe2(fds, O_CLOEXEC), ==, 0);
		pid = fork();
		g_assert_cmpint(pid, >=, 0);
		if (pid == 0)
			write_until_killed(dir, fds[1], round);
		close(fds[1]);
		/* in every other round not before something was flushed, however slow this is */
		if (round % 2 && read(fds[0], &flushed, sizeof(flushed)) == sizeof(flushed))
			total++;
		g_usleep(g_test_rand_int_range(1000, 150000));
		g_assert_cmpint(kill(pid, SIGKILL), ==, 0);
		g_assert_cmpint(waitpid(pid, &status, 0), ==, pid);
		g_assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
		while (read(fds[0], &flushed, sizeof(flushed)) == sizeof(flushed))
			total++;
		close(fds[0]);
		check_after_kill(dir, round, flushed);
	}
	g_assert_cmpint(total, >=, 4);
	g_test_message("%d flushes before the kills", total);
	fixture_remove(dir);
}

/* --- locked --- */

static void test_locked(void)
{
	g_autofree char *dir = fixture_dir(), *message = NULL;
	struct result *in = fixture_result("s1"), *out;
	struct answer deleted = { 0 };
	struct news n = { 0 };
	struct store *s = open_with_news(dir, &n);
	sqlite3 *other = stranger(dir);

	fixture_put(s, "s0", "quick", SESSION_DONE);
	fixture_flush(s);
	stranger_does(other, "BEGIN EXCLUSIVE");
	for (int i = 0; i < 1000; i++) /* checkpoints of a session that goes on meanwhile */
		fixture_put_whole(s, in);
	g_assert_cmpint(store_delete(s, "s0", on_answer, &deleted), ==, 0);
	g_assert_cmpint(store_flush(s, 2 * SECOND_NS, &message), ==, -ETIMEDOUT);
	g_assert_nonnull(strstr(message, "locked by another process"));
	g_assert_nonnull(strstr(store_trouble(s), "locked by another process"));
	g_assert_cmpint(n.trouble, ==, 1);
	g_assert_cmpint(n.well, ==, 0);
	g_assert_cmpint(deleted.calls, ==, 0);
	g_assert_cmpuint(store_pending(s), <=, 4); /* coalesced: two sets of two sessions */
	out = fixture_get(s, "s1");
	fixture_same(in, out);
	result_free(out);

	stranger_does(other, "ROLLBACK");
	fixture_flush(s);
	g_assert_cmpint(n.trouble, ==, 1);
	g_assert_cmpint(n.well, ==, 1);
	g_assert_null(store_trouble(s));
	g_assert_cmpint(deleted.calls, ==, 1);
	g_assert_cmpint(deleted.r, ==, 0);
	out = fixture_get(s, "s1");
	fixture_same(in, out);
	result_free(out);
	sqlite3_close(other);
	store_close(s);
	result_free(in);
	g_free(n.text);
	fixture_remove(dir);
}

/* Nobody waits for ever: at the end of the store, what could not be done is answered. */
static void test_given_up(void)
{
	g_autofree char *dir = fixture_dir();
	struct answer deleted = { 0 };
	struct news n = { 0 };
	struct store *s = open_with_news(dir, &n);
	sqlite3 *other = stranger(dir);

	stranger_does(other, "BEGIN EXCLUSIVE");
	g_assert_cmpint(store_delete(s, "s0", on_answer, &deleted), ==, 0);
	store_close(s);
	g_assert_cmpint(deleted.calls, ==, 1);
	g_assert_cmpint(deleted.r, ==, -EIO);
	g_assert_nonnull(strstr(n.text, "not written"));
	sqlite3_close(other);
	g_free(n.text);
	fixture_remove(dir);
}

/* --- in a child of its own --- */

static void test_full_disk(void)
{
	g_autofree char *message = NULL, *dir = NULL, *filler = NULL;
	struct news n = { 0 };
	struct store *s;

	if (in_child_that_mounts())
		return;
	dir = fixture_dir();
	filler = g_build_filename(dir, "filler", NULL);
	g_assert_true(private_tmpfs(dir, "size=4m"));
	s = open_with_news(dir, &n);
	fixture_put(s, "s0", "quick", SESSION_DONE);
	fixture_flush(s);
	fill_up(filler);
	for (int i = 1; i < 20; i++) {
		g_autofree char *id = g_strdup_printf("s%d", i);
		struct result *in = fixture_result(id);

		fixture_put_whole(s, in);
		result_free(in);
	}
	g_assert_cmpint(store_flush(s, 2 * SECOND_NS, &message), ==, -ETIMEDOUT);
	g_assert_nonnull(strstr(message, "make room in"));
	g_assert_nonnull(strstr(message, dir));
	g_assert_cmpint(n.trouble, ==, 1);
	g_assert_cmpint(n.well, ==, 0);

	g_assert_cmpint(g_unlink(filler), ==, 0);
	fixture_flush(s);
	g_assert_cmpint(n.trouble, ==, 1);
	g_assert_cmpint(n.well, ==, 1);
	store_close(s);
	s = fixture_open(dir);
	for (int i = 1; i < 20; i++) {
		g_autofree char *id = g_strdup_printf("s%d", i);
		struct result *in = fixture_result(id), *out = fixture_get(s, id);

		fixture_same(in, out);
		result_free(in);
		result_free(out);
	}
	g_assert_cmpint(store_check(s, NULL), ==, 0);
	store_close(s);
	g_free(n.text);
	g_assert_cmpint(umount2(dir, MNT_DETACH), ==, 0);
	fixture_remove(dir);
}

static GPtrArray *arrivals(int first, int n)
{
	GPtrArray *results = g_ptr_array_new_with_free_func((GDestroyNotify)result_free);

	for (int i = first; i < first + n; i++) {
		g_autofree char *id = g_strdup_printf("s%d", i);

		g_ptr_array_add(results, fixture_result(id));
	}
	return results;
}

static void arrived(struct store *s, int first, int n, int r)
{
	for (int i = first; i < first + n; i++) {
		g_autofree char *id = g_strdup_printf("s%d", i);
		struct result *out = NULL;

		g_assert_cmpint(store_head(s, id, &out, NULL), ==, r);
		result_free(out);
	}
}

/* What comes in together is there as a whole or not at all, and is not tried again. */
static void test_arrivals_on_full_disk(void)
{
	g_autofree char *message = NULL, *dir = NULL, *filler = NULL;
	g_autoptr(GPtrArray) few = NULL, many = NULL;
	struct answer refused_later = { 0 }, good = { 0 };
	struct news n = { 0 };
	struct store *s;

	if (in_child_that_mounts())
		return;
	dir = fixture_dir();
	filler = g_build_filename(dir, "filler", NULL);
	few = arrivals(0, 3);
	many = arrivals(3, 20);
	g_assert_true(private_tmpfs(dir, "size=4m"));
	s = open_with_news(dir, &n);
	g_assert_cmpint(store_put_results(s, few, on_answer, &good, &message), ==, 0);
	fixture_flush(s);
	g_assert_cmpint(good.calls, ==, 1);
	g_assert_cmpint(good.r, ==, 0);
	fill_up(filler);
	g_assert_cmpint(store_put_results(s, many, on_answer, &refused_later, &message), ==, 0);
	(void)store_flush(s, 5 * SECOND_NS, NULL);
	g_assert_cmpint(refused_later.calls, ==, 1);
	g_assert_cmpint(refused_later.r, ==, -EIO);
	arrived(s, 3, 20, -ENOENT);
	arrived(s, 0, 3, 0);
	g_assert_cmpint(g_unlink(filler), ==, 0);
	fixture_flush(s);
	store_close(s);
	s = fixture_open(dir);
	arrived(s, 3, 20, -ENOENT);
	arrived(s, 0, 3, 0);
	for (int i = 0; i < 3; i++) {
		struct result *in = few->pdata[i], *out = fixture_get(s, in->id);

		fixture_same(in, out);
		result_free(out);
	}
	/* there is room now */
	g_assert_cmpint(store_put_results(s, many, NULL, NULL, &message), ==, 0);
	fixture_flush(s);
	arrived(s, 3, 20, 0);
	store_close(s);
	g_free(n.text);
	g_assert_cmpint(umount2(dir, MNT_DETACH), ==, 0);
	fixture_remove(dir);
}

/* While writing is in trouble nothing comes in. */
static void test_arrivals_in_trouble(void)
{
	g_autofree char *dir = fixture_dir(), *message = NULL;
	g_autoptr(GPtrArray) some = arrivals(1, 2);
	struct answer unused = { 0 };
	struct news n = { 0 };
	struct store *s = open_with_news(dir, &n);
	sqlite3 *other = stranger(dir);

	stranger_does(other, "BEGIN EXCLUSIVE");
	fixture_put(s, "s0", "quick", SESSION_DONE);
	g_assert_cmpint(store_flush(s, 2 * SECOND_NS, NULL), ==, -ETIMEDOUT);
	g_assert_cmpint(store_put_results(s, some, on_answer, &unused, &message), ==, -EIO);
	g_assert_nonnull(strstr(message, "locked by another process"));
	stranger_does(other, "ROLLBACK");
	fixture_flush(s);
	arrived(s, 1, 2, -ENOENT);
	arrived(s, 0, 1, 0);
	g_assert_cmpint(unused.calls, ==, 0);
	sqlite3_close(other);
	store_close(s);
	g_free(n.text);
	fixture_remove(dir);
}

static void test_full_disk_at_open(void)
{
	g_autofree char *dir = NULL, *filler = NULL;

	if (in_child_that_mounts())
		return;
	dir = fixture_dir();
	filler = g_build_filename(dir, "filler", NULL);
	g_assert_true(private_tmpfs(dir, "size=64k"));
	fill_up(filler);
	refused(dir, -ENOSPC, "make room in");
	g_assert_cmpint(umount2(dir, MNT_DETACH), ==, 0);
	fixture_remove(dir);
}

static void test_read_only(void)
{
	g_autofree char *dir = NULL;

	if (in_child_that_mounts())
		return;
	dir = fixture_dir();
	g_assert_true(private_tmpfs(dir, ""));
	store_close(fixture_open(dir));
	g_assert_cmpint(mount("none", dir, "none", MS_REMOUNT | MS_RDONLY, ""), ==, 0);
	refused(dir, -EROFS, dir);
	g_assert_cmpint(umount2(dir, MNT_DETACH), ==, 0);
	fixture_remove(dir);
}

/* A write that fails for another reason than room: kept and done later, too. */
static void test_file_limit(void)
{
	struct rlimit limit, old;
	struct result *in, *out;
	g_autofree char *dir = NULL;
	struct news n = { 0 };
	struct store *s;

	if (in_child())
		return;
	dir = fixture_dir();
	in = fixture_result("s1");
	s = open_with_news(dir, &n);
	g_assert_cmpint(getrlimit(RLIMIT_FSIZE, &old), ==, 0);
	limit = old;
	limit.rlim_cur = 1000;
	g_assert_cmpint(setrlimit(RLIMIT_FSIZE, &limit), ==, 0);
	fixture_put_whole(s, in);
	g_assert_cmpint(store_flush(s, SECOND_NS / 2, NULL), ==, -ETIMEDOUT);
	g_assert_cmpint(n.trouble, ==, 1);
	g_assert_cmpint(setrlimit(RLIMIT_FSIZE, &old), ==, 0);
	fixture_flush(s);
	g_assert_cmpint(n.well, ==, 1);
	out = fixture_get(s, "s1");
	fixture_same(in, out);
	g_assert_cmpint(store_check(s, NULL), ==, 0);
	store_close(s);
	result_free(out);
	result_free(in);
	g_free(n.text);
	fixture_remove(dir);
}

static void test_not_permitted(void)
{
	g_autofree char *dir = NULL, *below = NULL;

	if (in_child())
		return;
	dir = fixture_dir();
	below = g_build_filename(dir, "below", NULL);
	g_assert_cmpint(g_chmod(dir, 0555), ==, 0);
	if (getuid() == 0)
		g_assert_cmpint(seteuid(65534), ==, 0); /* and with it the capabilities */
	refused(dir, -EACCES, "--state-dir");
	refused(below, -EACCES, below);
	g_assert_cmpint(seteuid(getuid()), ==, 0);
	fixture_remove(dir);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/store-trouble/killed", test_killed);
	g_test_add_func("/store-trouble/locked", test_locked);
	g_test_add_func("/store-trouble/given-up", test_given_up);
	g_test_add_func("/store-trouble/full-disk", test_full_disk);
	g_test_add_func("/store-trouble/arrivals-on-full-disk", test_arrivals_on_full_disk);
	g_test_add_func("/store-trouble/arrivals-in-trouble", test_arrivals_in_trouble);
	g_test_add_func("/store-trouble/full-disk-at-open", test_full_disk_at_open);
	g_test_add_func("/store-trouble/read-only", test_read_only);
	g_test_add_func("/store-trouble/file-limit", test_file_limit);
	g_test_add_func("/store-trouble/not-permitted", test_not_permitted);
	return g_test_run();
}
