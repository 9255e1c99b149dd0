/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The store before what it did not write: a folder or a file that is missing, taken away, of
 * another program or version; rows that are damaged.
 */
#include "schema.h"
#include "store-sandbox.h"

#define SECOND_NS 1000000000ULL

/* --- files --- */

static void test_made_when_missing(void)
{
	g_autofree char *dir = fixture_dir(), *below = g_build_filename(dir, "below", NULL);
	g_autofree char *path = database(below);
	GStatBuf st;

	store_close(fixture_open(below));
	g_assert_cmpint(g_stat(below, &st), ==, 0);
	g_assert_cmpuint(st.st_mode & 07027, ==, 0);
	g_assert_cmpint(g_stat(path, &st), ==, 0);
	g_assert_cmpuint(st.st_mode & 07137, ==, 0);
	fixture_remove(below);
	fixture_remove(dir);
}

/* SQLite would write on into a file without a name, and nobody would notice before the next start.
 */
static void test_taken_away(void)
{
	g_autofree char *dir = fixture_dir(), *path = database(dir), *away = NULL, *message = NULL;
	struct store *s = fixture_open(dir);
	struct result *in = fixture_result("s1"), *out;

	away = g_strconcat(path, ".away", NULL);
	fixture_put(s, "s0", "quick", SESSION_DONE);
	fixture_flush(s);
	g_assert_cmpint(rename(path, away), ==, 0);
	fixture_put_whole(s, in);
	g_assert_cmpint(store_flush(s, SECOND_NS / 2, &message), ==, -ETIMEDOUT);
	g_assert_nonnull(strstr(message, "replaced"));
	g_assert_cmpuint(store_pending(s), >, 0);
	g_assert_true(g_file_set_contents(path, "", 0, NULL)); /* another one is no better */
	g_assert_cmpint(store_flush(s, SECOND_NS / 2, NULL), ==, -ETIMEDOUT);
	out = fixture_get(s, "s1");
	fixture_same(in, out); /* and served meanwhile */
	result_free(out);
	g_assert_cmpint(rename(away, path), ==, 0);
	g_assert_cmpint(store_flush(s, 10 * SECOND_NS, NULL), ==, 0);
	g_assert_null(store_trouble(s));
	store_close(s);
	s = fixture_open(dir);
	out = fixture_get(s, "s1");
	fixture_same(in, out);
	result_free(out);
	result_free(in);
	store_close(s);
	fixture_remove(dir);
}

static void test_not_a_database(void)
{
	g_autofree char *dir = fixture_dir(), *path = database(dir), *text = NULL;

	g_assert_true(g_file_set_contents(path, "[session]\nid = 1\n", -1, NULL));
	refused(dir, -EBADMSG, path);
	g_assert_true(g_file_get_contents(path, &text, NULL, NULL));
	g_assert_cmpstr(text, ==, "[session]\nid = 1\n");
	g_assert_cmpint(g_unlink(path), ==, 0);
	g_assert_cmpint(g_mkdir(path, 0755), ==, 0);
	refused(dir, -EIO, path);
	fixture_remove(dir);
}

static void test_another_program(void)
{
	g_autofree char *dir = fixture_dir();
	sqlite3 *db = stranger(dir);

	stranger_does(db, "CREATE TABLE moz_places (id INTEGER)");
	refused(dir, -EBADMSG, "another program");
	stranger_does(db, "INSERT INTO moz_places VALUES (1)"); /* left as it was */
	sqlite3_close(db);
	fixture_remove(dir);
}

static void test_newer(void)
{
	g_autofree char *dir = fixture_dir();
	sqlite3 *db;

	store_close(fixture_open(dir));
	db = stranger(dir);
	stranger_does(db, "PRAGMA user_version = 99");
	refused(dir, -EPROTONOSUPPORT, "newer");
	stranger_does(db, "PRAGMA user_version = -1");
	refused(dir, -EPROTONOSUPPORT, "newer");
	sqlite3_close(db);
	fixture_remove(dir);
}

/* Steps are taken from where the file is, and a step that fails undoes those before it. */
static void test_migration(void)
{
	static const char *const first[] = { "CREATE TABLE a (x); INSERT INTO a VALUES (1)", NULL };
	static const char *const bad[] = { "not taken again", "CREATE TABLE b (y)", "nonsense",
					   NULL };
	static const char *const good[] = { "not taken again", "CREATE TABLE b (y)",
					    "INSERT INTO b SELECT x + 1 FROM a", NULL };
	g_autofree char *dir = fixture_dir(), *message = NULL;
	sqlite3 *db = stranger(dir);
	int64_t n = 0;

	g_assert_cmpint(schema_migrate(db, first, NULL, NULL), ==, 0);
	g_assert_cmpint(schema_migrate(db, bad, NULL, &message), ==, -EIO);
	g_assert_nonnull(strstr(message, "nonsense"));
	g_assert_cmpint(db_number(db, "PRAGMA user_version", &n, NULL), ==, 0);
	g_assert_cmpint(n, ==, 1);
	g_assert_cmpint(schema_migrate(db, good, NULL, NULL), ==, 0);
	g_assert_cmpint(db_number(db, "SELECT y FROM b", &n, NULL), ==, 0);
	g_assert_cmpint(n, ==, 2);
	g_assert_cmpint(schema_migrate(db, good, NULL, NULL), ==, 0);
	g_assert_cmpint(schema_migrate(db, first, NULL, NULL), ==, -EPROTONOSUPPORT);
	sqlite3_close(db);
	fixture_remove(dir);
}

/* A file from before stages knew of a port is read, and written from then on. */
static void test_migration_of_stages(void)
{
	const char *const first[] = { schema_steps[0], NULL };
	g_autofree char *dir = fixture_dir();
	sqlite3 *db = stranger(dir);
	struct result *in = fixture_result("s2"), *out;
	struct store *s;

	g_assert_cmpint(schema_migrate(db, first, NULL, NULL), ==, 0);
	stranger_does(db,
		      "INSERT INTO sessions VALUES (1, 's1', 'quick', '', 0, 'done', 'pass', '',"
		      " '', 'timer', 1, 80, 1, 1000000, 5, 1, 2, 3, '{}', '{}', NULL, '[]')");
	stranger_does(db, "INSERT INTO stages VALUES (1, 0, 'none', 'none', 'pass', 2, 5, 5, 1,"
			  " '[]', '[]', '[]', '{\"7\": 1}', '[]')");
	sqlite3_close(db);
	s = fixture_open(dir);
	out = fixture_get(s, "s1");
	g_assert_cmpuint(out->stages->len, ==, 1);
	g_assert_null(((struct result_stage *)out->stages->pdata[0])->port);
	g_assert_nonnull(((struct result_stage *)out->stages->pdata[0])->irqs);
	result_free(out);
	fixture_put_whole(s, in);
	fixture_flush(s);
	out = fixture_get(s, "s2");
	fixture_same(in, out);
	g_assert_nonnull(((struct result_stage *)out->stages->pdata[0])->port);
	result_free(out);
	result_free(in);
	store_close(s);
	fixture_remove(dir);
}

/* --- rows of another version, damaged rows --- */

static void test_other_words(void)
{
	g_autofree char *dir = fixture_dir();
	struct result *in = fixture_result("s1"), *out;
	struct store *s = fixture_open(dir);
	const struct result_stage *stage;
	const struct finding *f;
	sqlite3 *db;

	fixture_put_whole(s, in);
	fixture_flush(s);
	db = stranger(dir);
	stranger_does(db,
		      "UPDATE sessions SET state = 'hibernating', verdict = 'maybe', method = '[1',"
		      " findings = '[{\"id\": \"gremlins\", \"text\": \"Three.\", "
		      "\"inconclusive\": true},"
		      " {\"id\": \"elves\", \"text\": \"One.\"}, 7]'");
	stranger_does(
		db, "UPDATE stages SET limits = '[{\"limit\": \"mode <= 3\"}, {}, null]',"
		    " checkpoints = 'x', metrics = '[[]]', findings = NULL, irqs = '', port = '{'");
	out = fixture_get(s, "s1");
	g_assert_cmpint(out->state, ==, SESSION_FAILED);
	g_assert_cmpint(out->verdict, ==, VERDICT_INCONCLUSIVE);
	g_assert_true(json_is_object(out->method));
	g_assert_cmpuint(out->findings->len, ==, 2);
	f = out->findings->pdata[0];
	g_assert_cmpstr(f->text, ==, "Three.");
	g_assert_cmpint(f->kind->weight, ==, FINDING_INCONCLUSIVE);
	f = out->findings->pdata[1];
	g_assert_cmpstr(f->kind->id, ==, "other-version");
	g_assert_cmpint(f->kind->weight, ==, FINDING_WARNS);
	stage = out->stages->pdata[0];
	g_assert_cmpuint(stage->limits->len, ==, 0);
	g_assert_cmpuint(stage->checkpoints->len, ==, 0);
	g_assert_null(stage->irqs);
	g_assert_null(stage->port);
	fixture_put_whole(s, out);
	fixture_flush(s);
	result_free(out);
	sqlite3_close(db);
	store_close(s);
	result_free(in);
	fixture_remove(dir);
}

static void test_damaged_figures(void)
{
	g_autofree char *dir = fixture_dir(), *message = NULL;
	struct result *in = fixture_result("s1"), *out = NULL;
	struct store *s = fixture_open(dir);
	GPtrArray *list;
	sqlite3 *db;

	in->state = SESSION_RUNNING;
	fixture_put_whole(s, in);
	fixture_put(s, "s2", "quick", SESSION_RUNNING);
	fixture_flush(s);
	db = stranger(dir);
	stranger_does(db, "UPDATE figures SET data = x'ff00' WHERE stage = 1 AND cpu = 3");
	g_assert_cmpint(store_get(s, "s1", &out, &message), ==, -EBADMSG);
	g_assert_nonnull(strstr(message, "CPU 3 in stage \"stage 1\""));
	g_assert_null(out);
	g_clear_pointer(&message, g_free);
	g_assert_cmpint(store_unfinished(s, &list, &message), ==, 0);
	g_assert_nonnull(strstr(message, "s1"));
	g_assert_cmpuint(list->len, ==, 2);
	g_assert_cmpuint(((struct result *)list->pdata[0])->stages->len, ==, 0);
	g_ptr_array_unref(list);
	sqlite3_close(db);
	store_close(s);
	result_free(in);
	fixture_remove(dir);
}

/* store_check() finds what SQLite itself would not mind. */
static void test_check(void)
{
	g_autofree char *dir = fixture_dir(), *message = NULL;
	struct store *s = fixture_open(dir);
	sqlite3 *db = stranger(dir);

	stranger_does(db, "INSERT INTO papers (session) VALUES (77)");
	g_assert_cmpint(store_check(s, &message), ==, -EBADMSG);
	g_assert_nonnull(strstr(message, "papers"));
	sqlite3_close(db);
	store_close(s);
	fixture_remove(dir);
}

/* Another process took the row that the store meant to give. */
static void test_row_taken(void)
{
	g_autofree char *dir = fixture_dir();
	struct store *s = fixture_open(dir), *other = fixture_open(dir);
	struct result *a, *b;

	fixture_put(s, "s1", "quick", SESSION_DONE);
	fixture_flush(s);
	fixture_put(other, "s2", "quick", SESSION_DONE);
	fixture_flush(other);
	a = fixture_get(s, "s1");
	b = fixture_get(s, "s2");
	g_assert_cmpint(a->row, ==, 1);
	g_assert_cmpint(b->row, ==, 2);
	result_free(a);
	result_free(b);
	store_close(other);
	store_close(s);
	fixture_remove(dir);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/store-files/made-when-missing", test_made_when_missing);
	g_test_add_func("/store-files/taken-away", test_taken_away);
	g_test_add_func("/store-files/not-a-database", test_not_a_database);
	g_test_add_func("/store-files/another-program", test_another_program);
	g_test_add_func("/store-files/newer", test_newer);
	g_test_add_func("/store-files/migration", test_migration);
	g_test_add_func("/store-files/migration-of-stages", test_migration_of_stages);
	g_test_add_func("/store-files/other-words", test_other_words);
	g_test_add_func("/store-files/damaged-figures", test_damaged_figures);
	g_test_add_func("/store-files/check", test_check);
	g_test_add_func("/store-files/row-taken", test_row_taken);
	return g_test_run();
}
