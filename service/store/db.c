/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Why these settings: WAL lets the event loop read while the worker writes, and makes a checkpoint
 * one append and one fdatasync; synchronous=FULL is that fdatasync at every commit, without which a
 * power cut takes the last checkpoints (SQLite's default for WAL syncs only when the log is folded
 * in). The writer waits 200 ms for a lock and leaves longer waiting to the worker, which can be
 * woken from it; the reader hardly waits at all, since it is the event loop that would stand still.
 *
 * The caches are small: an idle daemon's memory counts, and the kernel caches the file anyway.
 */
#include "db.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

#define DB_WRITER_WAIT_MS 200
#define DB_READER_WAIT_MS 50

static int db_say(char **ret_message, int r, char *sentence)
{
	if (ret_message)
		*ret_message = sentence;
	else
		g_free(sentence);
	return r;
}

/* SQLite has one code for many causes; the errno below it decides. */
static int db_error_number(sqlite3 *db, int rc)
{
	int err = db ? sqlite3_system_errno(db) : 0;

	switch (rc & 0xff) {
	case SQLITE_FULL:
		return ENOSPC;
	case SQLITE_BUSY:
	case SQLITE_LOCKED:
		return EBUSY;
	case SQLITE_READONLY:
	case SQLITE_PERM:
	case SQLITE_AUTH:
		return EROFS;
	case SQLITE_NOTADB:
	case SQLITE_CORRUPT:
		return EBADMSG;
	case SQLITE_NOMEM:
		return ENOMEM;
	case SQLITE_CANTOPEN:
	case SQLITE_IOERR:
		if (err == EDQUOT || err == ENOSPC)
			return ENOSPC;
		if (err == EROFS || err == EACCES || err == EPERM)
			return EROFS;
		return EIO;
	default:
		return EIO;
	}
}

static int db_explain(sqlite3 *db, int rc, const char *path, char **ret_message)
{
	g_autofree char *dir = g_path_get_dirname(path);
	int err = db_error_number(db, rc);

	switch (err) {
	case ENOSPC:
		return db_say(
			ret_message, -err,
			g_strdup_printf("There is no room for results: make room in %s.", dir));
	case EBUSY:
		return db_say(ret_message, -err,
			      g_strdup_printf("%s is locked by another process: end it "
					      "(fuser -v %s names it).",
					      path, path));
	case EROFS:
		return db_say(
			ret_message, -err,
			g_strdup_printf("%s cannot be written: make %s and the files in it "
					"writable for lrtbfd's user, on a file system that is "
					"not read-only.",
					path, dir));
	case EBADMSG:
		return db_say(
			ret_message, -err,
			g_strdup_printf("%s is damaged or not a database (%s): move it away, or "
					"restore it from a backup.",
					path, db ? sqlite3_errmsg(db) : sqlite3_errstr(rc)));
	case ENOMEM:
		return db_say(ret_message, -err, g_strdup("There is no memory left for results."));
	default:
		return db_say(ret_message, -err,
			      g_strdup_printf("%s: %s%s%s.", path,
					      db ? sqlite3_errmsg(db) : sqlite3_errstr(rc),
					      db && sqlite3_system_errno(db) ? ": " : "",
					      db && sqlite3_system_errno(db)
						      ? g_strerror(sqlite3_system_errno(db))
						      : ""));
	}
}

int db_error(sqlite3 *db, int rc, char **ret_message)
{
	return db_explain(db, rc, sqlite3_db_filename(db, "main"), ret_message);
}

int db_exec(sqlite3 *db, const char *sql, char **ret_message)
{
	int rc = sqlite3_exec(db, sql, NULL, NULL, NULL);

	return rc == SQLITE_OK ? 0 : db_error(db, rc, ret_message);
}

int db_prepare(sqlite3 *db, const char *sql, sqlite3_stmt **ret, char **ret_message)
{
	int rc = sqlite3_prepare_v2(db, sql, -1, ret, NULL);

	return rc == SQLITE_OK ? 0 : db_error(db, rc, ret_message);
}

int db_row(sqlite3 *db, sqlite3_stmt *stmt, char **ret_message)
{
	int rc = sqlite3_step(stmt);

	if (rc == SQLITE_ROW)
		return 0;
	return rc == SQLITE_DONE ? 1 : db_error(db, rc, ret_message);
}

int db_number(sqlite3 *db, const char *sql, int64_t *ret, char **ret_message)
{
	g_autoptr(sqlite3_stmt) stmt = NULL;
	int r;

	r = db_prepare(db, sql, &stmt, ret_message);
	if (r < 0)
		return r;
	r = db_row(db, stmt, ret_message);
	if (r != 0)
		return r;
	*ret = sqlite3_column_int64(stmt, 0);
	return 0;
}

int db_in_place(sqlite3 *db, char **ret_message)
{
	int moved = 0;

	if (sqlite3_file_control(db, "main", SQLITE_FCNTL_HAS_MOVED, &moved) != SQLITE_OK || !moved)
		return 0;
	return db_say(ret_message, -EIO,
		      g_strdup_printf("%s was removed or replaced while lrtbfd had it open: put it "
				      "back; or restart lrtbfd, which gives up the results since.",
				      sqlite3_db_filename(db, "main")));
}

void db_close(sqlite3 *db)
{
	(void)sqlite3_close(
		db); /* what was committed is safe, with or without the last checkpoint */
}

static int db_connect(const char *path, int flags, int wait_ms, const char *pragmas, sqlite3 **ret,
		      char **ret_message)
{
	sqlite3 *db = NULL;
	int r, rc;

	/* one thread per connection: SQLite needs no lock of its own around it */
	rc = sqlite3_open_v2(path, &db, flags | SQLITE_OPEN_NOMUTEX, NULL);
	r = rc == SQLITE_OK ? 0 : db_explain(db, rc, path, ret_message);
	if (r == 0) {
		sqlite3_extended_result_codes(db, 1);
		sqlite3_busy_timeout(db, wait_ms);
		r = db_exec(db, pragmas, ret_message);
	}
	if (r < 0) {
		db_close(db);
		return r;
	}
	*ret = db;
	return 0;
}

/*
 * The folder and an empty file, with modes of ours: SQLite gives its log the modes of the database.
 * An existing file is never opened here, as closing it would drop the POSIX locks that
 * another connection of this process holds on it (fcntl(2)).
 */
static int db_create_file(const char *path, char **ret_message)
{
	g_autofree char *dir = g_path_get_dirname(path);
	g_auto(fd_t) fd = -1;

	if (g_mkdir_with_parents(dir, 0750) < 0)
		return db_say(ret_message, -errno,
			      g_strdup_printf("The folder %s cannot be made: %s.", dir,
					      g_strerror(errno)));
	if (faccessat(AT_FDCWD, dir, W_OK | X_OK, AT_EACCESS) < 0)
		return db_say(
			ret_message, -errno,
			g_strdup_printf("The folder %s cannot be written (%s): results cannot be "
					"kept. Give it to lrtbfd's user, or name another with "
					"--state-dir.",
					dir, g_strerror(errno)));
	fd = open(path, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0640);
	if (fd < 0 && errno != EEXIST)
		return db_say(ret_message, -errno,
			      g_strdup_printf("%s cannot be made: %s.", path, g_strerror(errno)));
	return 0;
}

int db_open_writer(const char *path, sqlite3 **ret, char **ret_message)
{
	sqlite3 *db;
	int r;

	r = db_create_file(path, ret_message);
	if (r < 0)
		return r;
	r = db_connect(path, SQLITE_OPEN_READWRITE, DB_WRITER_WAIT_MS,
		       "PRAGMA cache_size = -256;"
		       "PRAGMA synchronous = FULL;"
		       "PRAGMA foreign_keys = ON;"
		       "PRAGMA wal_autocheckpoint = 1000;"
		       "PRAGMA journal_size_limit = 16777216;",
		       &db, ret_message);
	if (r < 0)
		return r;
	if (sqlite3_db_readonly(db, "main") == 1) {
		r = db_error(db, SQLITE_READONLY, ret_message);
		db_close(db);
		return r;
	}
	*ret = db;
	return 0;
}

int db_write_ahead(sqlite3 *db, char **ret_message)
{
	g_autoptr(sqlite3_stmt) stmt = NULL;
	int r, rc;

	r = db_prepare(db, "PRAGMA journal_mode = WAL", &stmt, ret_message);
	if (r < 0)
		return r;
	rc = sqlite3_step(stmt);
	if (rc != SQLITE_ROW)
		return db_error(db, rc, ret_message);
	/* a refusal is no error for SQLite: it says which mode it stayed with */
	if (g_strcmp0((const char *)sqlite3_column_text(stmt, 0), "wal") != 0)
		return db_say(
			ret_message, -EOPNOTSUPP,
			g_strdup_printf("%s is on a file system without shared memory maps: name "
					"a local folder with --state-dir.",
					sqlite3_db_filename(db, "main")));
	return 0;
}

int db_open_copy(const char *path, sqlite3 **ret, char **ret_message)
{
	return db_connect(path, SQLITE_OPEN_READWRITE, 0,
			  "PRAGMA journal_mode = OFF;"
			  "PRAGMA synchronous = OFF;",
			  ret, ret_message);
}

int db_open_reader(const char *path, sqlite3 **ret, char **ret_message)
{
	/* read-write all the same: only then may it bring a log left by a kill into order */
	return db_connect(path, SQLITE_OPEN_READWRITE, DB_READER_WAIT_MS,
			  "PRAGMA cache_size = -256;"
			  "PRAGMA query_only = ON;",
			  ret, ret_message);
}
