/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What listing shows is in `sessions`, what only a report shows is beside it in `papers`
 * (conditions and plan are tens of KiB each) and in `stages` and `figures`: a page of the list
 * reads small rows.
 *
 * Filters are answered from the two indexes alone. Both hold every column that can be filtered by,
 * with the row before them, so that any combination is one walk in row order that ends at the
 * page's limit. The worst case, a filter that matches nothing, walks narrow index entries and no
 * table row; with a plan, only that plan's.
 *
 * `points` has a row for each stage that measured, narrow and in the order of a plan's sessions, so
 * that a figure over all of them is one walk; who reads a hundred thousand stages has to decode no
 * distribution.
 *
 * `row` is never used twice (AUTOINCREMENT), so a cursor stays good when the newest is deleted.
 */
#include "schema.h"

#include "backup.h"
#include "points.h"
#include <errno.h>

#define SCHEMA_INCREMENTAL 2 /* as PRAGMA auto_vacuum has it */
#define SCHEMA_VACUUM	   "PRAGMA auto_vacuum = INCREMENTAL;"

const char *const schema_steps[] = {
	"CREATE TABLE sessions ("
	"  row INTEGER PRIMARY KEY AUTOINCREMENT,"
	"  id TEXT NOT NULL UNIQUE,"
	"  plan TEXT NOT NULL,"
	"  label TEXT NOT NULL,"
	"  owner INTEGER NOT NULL,"
	"  state TEXT NOT NULL,"
	"  verdict TEXT NOT NULL,"
	"  reason TEXT NOT NULL,"
	"  reason_id TEXT NOT NULL,"
	"  instrument TEXT NOT NULL,"
	"  policy INTEGER NOT NULL,"
	"  priority INTEGER NOT NULL,"
	"  wanted_policy INTEGER NOT NULL,"
	"  interval_ns INTEGER NOT NULL,"
	"  planned_ns INTEGER NOT NULL,"
	"  created_usec INTEGER NOT NULL,"
	"  started_usec INTEGER NOT NULL,"
	"  finished_usec INTEGER NOT NULL,"
	"  overrides TEXT,"
	"  method TEXT,"
	"  summary TEXT,"
	"  findings TEXT);"
	"CREATE INDEX sessions_by_row ON sessions"
	"  (row, state, plan, label, verdict, owner, created_usec, started_usec);"
	"CREATE INDEX sessions_by_plan ON sessions"
	"  (plan, row, state, label, verdict, owner, created_usec, started_usec);"
	"CREATE TABLE papers ("
	"  session INTEGER PRIMARY KEY REFERENCES sessions(row) ON DELETE CASCADE,"
	"  plan_text TEXT,"
	"  conditions TEXT,"
	"  blocks TEXT);"
	"CREATE TABLE stages ("
	"  session INTEGER NOT NULL REFERENCES sessions(row) ON DELETE CASCADE,"
	"  idx INTEGER NOT NULL,"
	"  name TEXT NOT NULL,"
	"  load TEXT NOT NULL,"
	"  verdict TEXT NOT NULL,"
	"  started_usec INTEGER NOT NULL,"
	"  duration_ns INTEGER NOT NULL,"
	"  planned_ns INTEGER NOT NULL,"
	"  complete INTEGER NOT NULL,"
	"  findings TEXT,"
	"  limits TEXT,"
	"  metrics TEXT,"
	"  irqs TEXT,"
	"  checkpoints TEXT,"
	"  PRIMARY KEY (session, idx));"
	"CREATE TABLE figures ("
	"  session INTEGER NOT NULL,"
	"  stage INTEGER NOT NULL,"
	"  cpu INTEGER NOT NULL,"
	"  policy INTEGER NOT NULL,"
	"  priority INTEGER NOT NULL,"
	"  data BLOB NOT NULL,"
	"  PRIMARY KEY (session, stage, cpu),"
	"  FOREIGN KEY (session, stage) REFERENCES stages(session, idx) ON DELETE CASCADE);",
	/* what the kernel module said of a stage: portfacts.h */
	"ALTER TABLE stages ADD COLUMN port TEXT;",
	/* another machine that took part */
	"ALTER TABLE sessions ADD COLUMN peer TEXT;"
	"ALTER TABLE papers ADD COLUMN peer_conditions TEXT;"
	"ALTER TABLE stages ADD COLUMN peer TEXT;",
	/* retention: marks, and what a session takes (0: not known yet); retain.c */
	"ALTER TABLE sessions ADD COLUMN kept INTEGER NOT NULL DEFAULT 0;"
	"ALTER TABLE sessions ADD COLUMN thinned_usec INTEGER NOT NULL DEFAULT 0;"
	"ALTER TABLE sessions ADD COLUMN head_bytes INTEGER NOT NULL DEFAULT 0;"
	"ALTER TABLE sessions ADD COLUMN detail_bytes INTEGER NOT NULL DEFAULT 0;"
	"CREATE INDEX sessions_by_fate ON sessions"
	"  (plan, row, state, kept, thinned_usec, created_usec, started_usec, finished_usec,"
	"   head_bytes, detail_bytes);",
	/* repeats, baselines, what is worked out of a stage, and its figures in short: points.h */
	"ALTER TABLE sessions ADD COLUMN baseline TEXT NOT NULL DEFAULT '';"
	"CREATE INDEX sessions_by_baseline ON sessions"
	"  (baseline, row, state, plan, label, verdict, owner, created_usec, started_usec)"
	"  WHERE baseline <> '';"
	"ALTER TABLE papers ADD COLUMN analysis TEXT;"
	"ALTER TABLE stages ADD COLUMN repeat INTEGER NOT NULL DEFAULT 1;"
	"ALTER TABLE stages ADD COLUMN snapshots BLOB;"
	"ALTER TABLE stages ADD COLUMN analysis TEXT;"
	"ALTER TABLE stages ADD COLUMN \"values\" TEXT;"
	"CREATE TABLE points ("
	"  plan TEXT NOT NULL,"
	"  session INTEGER NOT NULL REFERENCES sessions(row) ON DELETE CASCADE,"
	"  stage INTEGER NOT NULL,"
	"  repeat INTEGER NOT NULL,"
	"  started_usec INTEGER NOT NULL,"
	"  id TEXT NOT NULL,"
	"  name TEXT NOT NULL,"
	"  load TEXT NOT NULL,"
	"  kernel TEXT NOT NULL,"
	"  verdict TEXT NOT NULL,"
	"  count, min_ns, avg_ns, max_ns, stddev_ns, missed, lost, within,"
	"  p50, p75, p90, p95, p99, p99_9, p99_99, p99_999, p99_9999,"
	"  c50, c75, c90, c95, c99, c99_9, c99_99, c99_999, c99_9999,"
	"  PRIMARY KEY (plan, session, stage)) WITHOUT ROWID;"
	"CREATE INDEX points_by_session ON points (session);",
	NULL,
};

static int schema_say(char **ret_message, int r, char *sentence)
{
	if (ret_message)
		*ret_message = sentence;
	else
		g_free(sentence);
	return r;
}

/* The steps taken so far; refuses what is not ours to touch. */
static int schema_version(sqlite3 *db, int64_t newest, int64_t *ret, char **ret_message)
{
	const char *path = sqlite3_db_filename(db, "main");
	int64_t version = 0, tables = 0;
	int r;

	r = db_number(db, "PRAGMA user_version", &version, ret_message);
	if (r < 0)
		return r;
	if (version < 0 || version > newest)
		return schema_say(
			ret_message, -EPROTONOSUPPORT,
			g_strdup_printf(
				"%s was written by a newer lrtbfd (version %" G_GINT64_FORMAT
				", this one knows %" G_GINT64_FORMAT "): install that one, "
				"or move the file away.",
				path, version, newest));
	r = db_number(db, "SELECT count(*) FROM sqlite_schema", &tables, ret_message);
	if (r < 0)
		return r;
	if (version == 0 && tables > 0)
		return schema_say(
			ret_message, -EBADMSG,
			g_strdup_printf("%s is a database of another program: move it away.",
					path));
	*ret = version;
	return 0;
}

static int schema_take_steps(sqlite3 *db, const char *const *steps, int64_t newest,
			     struct patience *p, char **ret_message)
{
	const char *path = sqlite3_db_filename(db, "main");
	char pragma[64];
	int64_t version;
	int r;

	/* once more, now that nobody else can be writing or taking the same steps */
	r = schema_version(db, newest, &version, ret_message);
	if (r == 0 && version > 0 && version < newest)
		r = backup_make(path, version, p, ret_message);
	if (r < 0)
		return r;
	patience_begin(version > 0 ? p : NULL, "Bringing the results to their new form.");
	for (int64_t step = version; r == 0 && step < newest; step++)
		r = db_exec(db, steps[step], ret_message);
	if (r == 0 && version < POINTS_VERSION && newest >= POINTS_VERSION)
		r = points_fill(db, version > 0 ? p : NULL, ret_message);
	if (r < 0)
		return r;
	g_snprintf(pragma, sizeof(pragma), "PRAGMA user_version = %d", (int)newest);
	r = db_exec(db, pragma, ret_message);
	return r < 0 ? r : db_exec(db, "COMMIT", ret_message);
}

static int schema_on_progress(void *data)
{
	patience_tell(data);
	return 0;
}

/* Somewhat more often than it is told: counting a million of SQLite's steps takes some 10 ms. */
static void schema_watch(sqlite3 *db, struct patience *p)
{
	sqlite3_progress_handler(db, p ? 1000000 : 0, p ? schema_on_progress : NULL, p);
}

void schema_prepare_vacuum(sqlite3 *db, struct patience *p)
{
	int64_t mode = 0;

	if (db_number(db, "PRAGMA auto_vacuum", &mode, NULL) != 0 || mode == SCHEMA_INCREMENTAL)
		return;
	patience_begin(p, "Rewriting the results so that room can be given back.");
	schema_watch(db, p);
	(void)db_exec(db, SCHEMA_VACUUM "VACUUM", NULL); /* else at the next start */
	schema_watch(db, NULL);
}

int schema_migrate(sqlite3 *db, const char *const *steps, struct patience *p, char **ret_message)
{
	int64_t newest = g_strv_length((char **)steps), version;
	const char *path = sqlite3_db_filename(db, "main");
	int r;

	r = schema_version(db, newest, &version, ret_message);
	if (r < 0 || version == newest)
		return r;
	if (version == 0) /* a file without tables is what it is told to be */
		r = db_exec(db, SCHEMA_VACUUM, ret_message);
	if (r == 0)
		r = db_exec(db, "BEGIN IMMEDIATE", ret_message);
	if (r < 0)
		return r;
	schema_watch(db, p);
	r = schema_take_steps(db, steps, newest, p, ret_message);
	schema_watch(db, NULL);
	if (r < 0)
		(void)db_exec(db, "ROLLBACK", NULL); /* the error that counts is the one before */
	else
		backup_clean(path, version);
	return r;
}
