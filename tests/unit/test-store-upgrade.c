/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Databases of every version there was (tests/fixtures/store/vN.sql, which stay as they are),
 * brought to the one of today: nothing in them is lost, a copy is kept, and what does not fit
 * changes nothing.
 */
#include "backup.h"
#include "schema.h"
#include "store-sandbox.h"

#include <inttypes.h>
#include <signal.h>
#include <sys/stat.h>

#define VERSIONS 4 /* that have a fixture */

struct news {
	int slow, other;
};

static void on_news(enum store_news what, const char *text, void *userdata)
{
	struct news *n = userdata;

	if (what != STORE_SLOW) {
		n->other++;
		return;
	}
	g_assert_true(g_str_has_suffix(text, "."));
	n->slow++;
}

/* The fixture of @version as a database in @dir. */
static void lay_out(const char *dir, int version)
{
	g_autofree char *name = g_strdup_printf("v%d.sql", version);
	g_autofree char *path = g_build_filename(g_getenv("FIXTURES"), "store", name, NULL);
	g_autofree char *file = database(dir);
	g_autofree char *sql = NULL;
	sqlite3 *db = stranger(dir);

	g_assert_true(g_file_get_contents(path, &sql, NULL, NULL));
	stranger_does(db, "PRAGMA journal_mode = WAL");
	stranger_does(db, sql);
	sqlite3_close(db);
	g_assert_cmpint(g_chmod(file, 0640), ==, 0); /* as lrtbfd makes it */
}

static int64_t ask(sqlite3 *db, const char *sql)
{
	int64_t n = -1;

	g_assert_cmpint(db_number(db, sql, &n, NULL), ==, 0);
	return n;
}

static int64_t ask_file(const char *path, const char *sql)
{
	sqlite3 *db;
	int64_t n;

	g_assert_cmpint(sqlite3_open_v2(path, &db, SQLITE_OPEN_READWRITE, NULL), ==, SQLITE_OK);
	n = ask(db, sql);
	sqlite3_close(db);
	return n;
}

/* What there was of a session when @version was the newest. */
static struct result *as_of(int version)
{
	struct result *r = fixture_result("s20260101T020000Z_0001");

	for (guint i = 0; i < r->stages->len; i++) {
		struct result_stage *s = r->stages->pdata[i];

		if (version < 2)
			g_clear_pointer(&s->port, json_decref);
		if (version < 3)
			g_clear_pointer(&s->peer, json_decref);
		/* version 5 */
		s->repeat = 1;
		s->snapshots = snapshots_free(s->snapshots);
		g_clear_pointer(&s->analysis, json_decref);
		g_ptr_array_set_size(s->values, 0);
	}
	if (version < 3) {
		g_clear_pointer(&r->peer, json_decref);
		g_clear_pointer(&r->peer_conditions, json_decref);
	}
	return r;
}

static void on_point(const struct store_point *p, void *userdata)
{
	GString *got = userdata;

	g_string_append_printf(got, "%s %s %s %u %s %.0f %.0f %.0f %.0f\n", p->id, p->stage,
			       p->kernel, p->repeat, verdict_to_string(p->verdict), p->count,
			       p->max_ns, p->missed, p->percentile_ns[0]);
}

/* What was there before there were points has them too. */
static void check_points(struct store *s)
{
	struct result *in = fixture_result("s20260101T020000Z_0001");
	g_autoptr(GString) expected = g_string_new(NULL), got = g_string_new(NULL);

	for (guint i = 0; i < in->stages->len; i++) {
		struct result_stage *stage = in->stages->pdata[i];
		g_autofree struct figures *f = result_stage_all(stage);
		uint64_t median_ns = 0;

		g_assert_true(figures_percentile_ns(f, 500000, false, &median_ns));
		g_string_append_printf(
			expected,
			"%s %s 6.1.0 1 fail %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 "\n",
			in->id, stage->name, figures_count(f), f->max_ns, f->missed, median_ns);
	}
	result_free(in);
	g_assert_cmpint(store_points(s, "quick", NULL, NULL, 0, on_point, got, NULL), ==, 0);
	g_assert_cmpstr(got->str, ==, expected->str);
}

static void check_sessions(struct store *s, int version)
{
	struct result *in = as_of(version), *out = fixture_get(s, in->id);
	g_autofree char *last = NULL;
	GPtrArray *list;

	fixture_same(in, out);
	g_assert_cmpint(out->row, ==, 1);
	g_assert_false(out->kept);
	g_assert_cmpuint(out->thinned_usec, ==, 0);
	result_free(in);
	result_free(out);
	out = fixture_get(s, "s20260103T020000Z_0003");
	g_assert_cmpint(out->kept, ==, version >= 4);
	result_free(out);
	check_points(s);
	g_assert_cmpint(store_last(s, NULL, &last), ==, 0);
	g_assert_cmpstr(last, ==, "s20260103T020000Z_0003");
	g_assert_cmpint(store_unfinished(s, &list, NULL), ==, 0);
	g_assert_cmpuint(list->len, ==, 1);
	g_ptr_array_unref(list);
	g_assert_cmpint(store_check(s, NULL), ==, 0);
}

/* Rows that were given once, be it to sessions that are deleted now, are not given again. */
static void check_next_row(struct store *s)
{
	struct result *in = fixture_result("s4"), *out;

	fixture_put_whole(s, in);
	fixture_flush(s);
	out = fixture_get(s, "s4");
	fixture_same(in, out);
	g_assert_cmpint(out->row, ==, 8);
	result_free(in);
	result_free(out);
}

static void check_copy(const char *path, int version)
{
	g_autofree char *copy = backup_path(path, version);
	g_autofree char *tmp = g_strconcat(copy, ".tmp", NULL);
	GStatBuf st;

	g_assert_cmpint(g_stat(copy, &st), ==, 0);
	g_assert_cmpuint(st.st_mode & 07777, ==, 0640);
	g_assert_cmpint(ask_file(copy, "PRAGMA user_version"), ==, version);
	g_assert_cmpint(ask_file(copy, "SELECT count(*) FROM sessions"), ==, 3);
	g_assert_cmpint(ask_file(copy, "SELECT count(*) FROM figures"), ==, 4);
	g_assert_cmpint(ask_file(copy, "SELECT 'ok' = integrity_check FROM pragma_integrity_check"),
			==, 1);
	g_assert_false(g_file_test(tmp, G_FILE_TEST_EXISTS));
}

static void test_version(gconstpointer data)
{
	int version = GPOINTER_TO_INT(data), newest = (int)g_strv_length((char **)schema_steps);
	g_autofree char *dir = fixture_dir(), *path = database(dir);
	struct news n = { 0 };
	struct store *s = NULL;

	lay_out(dir, version);
	for (int v = 1; v <= version; v++) { /* of earlier upgrades; that of this one is replaced */
		g_autofree char *old = backup_path(path, v);

		g_assert_true(g_file_set_contents(old, "old", -1, NULL));
	}
	g_assert_cmpint(store_open(dir, NULL, on_news, &n, &s, NULL), ==, 0);
	g_assert_cmpint(n.slow, >=, 3); /* copying, changing, rewriting */
	g_assert_cmpint(n.other, ==, 0);
	check_sessions(s, version);
	check_next_row(s);
	store_close(s);
	g_assert_cmpint(ask_file(path, "PRAGMA user_version"), ==, newest);
	g_assert_cmpint(ask_file(path, "PRAGMA auto_vacuum"), ==, 2);
	check_copy(path, version);
	for (int v = 1; v < version; v++) {
		g_autofree char *old = backup_path(path, v);

		g_assert_false(g_file_test(old, G_FILE_TEST_EXISTS));
	}
	/* done once */
	n.slow = 0;
	g_assert_cmpint(store_open(dir, NULL, on_news, &n, &s, NULL), ==, 0);
	g_assert_cmpint(n.slow, ==, 0);
	store_close(s);
	check_copy(path, version);
	fixture_remove(dir);
}

/* The copy is what an earlier lrtbfd goes on with. */
static void test_back(void)
{
	g_autofree char *dir = fixture_dir(), *path = database(dir);
	g_autofree char *copy = backup_path(path, VERSIONS);
	struct store *s;
	GStatBuf st;

	lay_out(dir, VERSIONS);
	g_assert_cmpint(g_chmod(path, 0600), ==, 0); /* a secret stays one */
	store_close(fixture_open(dir));
	g_assert_cmpint(g_stat(copy, &st), ==, 0);
	g_assert_cmpuint(st.st_mode & 07777, ==, 0600);
	g_assert_cmpint(g_unlink(path), ==, 0);
	g_assert_cmpint(g_rename(copy, path), ==, 0);
	g_assert_cmpint(ask_file(path, "PRAGMA user_version"), ==, VERSIONS);
	g_assert_cmpint(g_chmod(path, 0640), ==, 0);
	s = fixture_open(dir); /* and forth again */
	check_sessions(s, VERSIONS);
	store_close(s);
	check_copy(path, VERSIONS);
	fixture_remove(dir);
}

/* A newer one is not touched at all, and nothing is laid beside it. */
static void test_newer(void)
{
	g_autofree char *dir = fixture_dir(), *path = database(dir), *before = NULL, *after = NULL;
	gsize size = 0, size2 = 0;
	sqlite3 *db;

	lay_out(dir, VERSIONS);
	db = stranger(dir);
	stranger_does(db, "PRAGMA user_version = 99");
	sqlite3_close(db);
	g_assert_true(g_file_get_contents(path, &before, &size, NULL));
	refused(dir, -EPROTONOSUPPORT, "newer");
	g_assert_true(g_file_get_contents(path, &after, &size2, NULL));
	g_assert_cmpmem(before, size, after, size2);
	g_assert_cmpint(g_unlink(path), ==, 0);
	g_assert_cmpint(g_rmdir(dir), ==, 0);
}

/* Killed while it copies, changes or rewrites: the next start does it, from what there was. */
static void test_killed(void)
{
	for (int round = 0; round < 12; round++) {
		g_autofree char *dir = fixture_dir();
		struct store *s;
		pid_t pid;

		lay_out(dir, 1 + round % VERSIONS);
		pid = fork();
		g_assert_cmpint(pid, >=, 0);
		if (pid == 0) {
			(void)store_open(dir, NULL, NULL, NULL, &s, NULL);
			_exit(0);
		}
		g_usleep(g_test_rand_int_range(0, 30000));
		g_assert_cmpint(kill(pid, SIGKILL), ==, 0);
		g_assert_cmpint(waitpid(pid, NULL, 0), ==, pid);
		s = fixture_open(dir);
		check_sessions(s, 1 + round % VERSIONS);
		store_close(s);
		fixture_remove(dir);
	}
}

/* No room for the copy: refused, nothing changed, and nothing in the way of the next try. */
static void test_full_disk(void)
{
	g_autofree char *dir = NULL, *path = NULL, *filler = NULL, *copy = NULL, *tmp = NULL;
	struct store *s;
	GStatBuf st;
	sqlite3 *db;

	if (in_child_that_mounts())
		return;
	dir = fixture_dir();
	path = database(dir);
	copy = backup_path(path, 2);
	tmp = g_strconcat(copy, ".tmp", NULL);
	filler = g_build_filename(dir, "filler", NULL);
	g_assert_true(private_tmpfs(dir, "size=8m"));
	lay_out(dir, 2);
	db = stranger(dir);
	stranger_does(db, "UPDATE papers SET conditions = json_object('x', hex(zeroblob(500000)))"
			  " WHERE session = 1");
	sqlite3_close(db);
	fill_up(filler);
	g_assert_cmpint(g_stat(filler, &st), ==, 0);
	g_assert_cmpint(truncate(filler, st.st_size - 256 * 1024), ==, 0); /* the copy has 1 MiB */
	refused(dir, -ENOSPC, "nothing was changed");
	refused(dir, -ENOSPC, "make room in");
	g_assert_cmpint(ask_file(path, "PRAGMA user_version"), ==, 2);
	g_assert_false(g_file_test(copy, G_FILE_TEST_EXISTS));
	g_assert_false(g_file_test(tmp, G_FILE_TEST_EXISTS));
	g_assert_cmpint(g_unlink(filler), ==, 0);
	s = fixture_open(dir);
	g_assert_cmpint(store_check(s, NULL), ==, 0);
	store_close(s);
	g_assert_cmpint(ask_file(copy, "SELECT count(*) FROM sessions"), ==, 3);
	g_assert_cmpint(umount2(dir, MNT_DETACH), ==, 0);
	fixture_remove(dir);
}

/* Steps that fail leave what there was, and the copy of it. */
static void test_step_fails(void)
{
	const char *const bad[] = { schema_steps[0], "ALTER TABLE stages ADD COLUMN port TEXT",
				    "nonsense", NULL };
	g_autofree char *dir = fixture_dir(), *path = database(dir), *message = NULL;
	sqlite3 *db;

	lay_out(dir, 1);
	db = stranger(dir);
	g_assert_cmpint(schema_migrate(db, bad, NULL, &message), ==, -EIO);
	g_assert_nonnull(strstr(message, "nonsense"));
	g_assert_cmpint(ask(db, "PRAGMA user_version"), ==, 1);
	g_assert_cmpint(ask(db, "SELECT count(*) FROM pragma_table_info('stages')"
				" WHERE name = 'port'"),
			==, 0);
	sqlite3_close(db);
	check_copy(path, 1);
	fixture_remove(dir);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	for (int v = 1; v <= VERSIONS; v++) {
		g_autofree char *name = g_strdup_printf("/store-upgrade/version-%d", v);

		g_test_add_data_func(name, GINT_TO_POINTER(v), test_version);
	}
	g_test_add_func("/store-upgrade/back", test_back);
	g_test_add_func("/store-upgrade/newer", test_newer);
	g_test_add_func("/store-upgrade/killed", test_killed);
	g_test_add_func("/store-upgrade/full-disk", test_full_disk);
	g_test_add_func("/store-upgrade/step-fails", test_step_fails);
	return g_test_run();
}
