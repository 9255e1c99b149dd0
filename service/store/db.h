/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * Connections to the database, and SQLite's errors as errno and sentence. A connection belongs to
 * one thread: the writer's to the worker, the reader's to the event loop.
 */
#include <glib.h>
#include <sqlite3.h>

#include "cleanup.h"

/* Make the folder and the file when missing, open for writing. Changes nothing in a file that
 * exists. */
int db_open_writer(const char *path, sqlite3 **ret, char **ret_message);
/* Switch the file to the write-ahead log, once it is known to be ours. */
int db_write_ahead(sqlite3 *db, char **ret_message);
/* For reading only; waits at most some 50 ms for a lock. */
int db_open_reader(const char *path, sqlite3 **ret, char **ret_message);
/* An empty file to be filled by sqlite3_backup: no log beside it, synced by who fills it. */
int db_open_copy(const char *path, sqlite3 **ret, char **ret_message);
/*
 * 0 while the file of that name is the one that is open; -EIO with a sentence when it was removed,
 * moved or replaced: SQLite would go on writing into a file that nobody finds again.
 */
int db_in_place(sqlite3 *db, char **ret_message);
/* sqlite3_close() under a name that takes NULL and forgets the result. */
void db_close(sqlite3 *db);

/*
 * -errno for the failure @rc of @db, with a sentence that says what to do: -ENOSPC
 * disk full, -EBUSY locked by another process, -EROFS not writable, -EBADMSG no database or
 * damaged, -EIO else.
 */
int db_error(sqlite3 *db, int rc, char **ret_message);

/* Statements without parameters and results. -errno as db_error(). */
int db_exec(sqlite3 *db, const char *sql, char **ret_message);
/* The first column of the first row of @sql as a number; 0 rows: @ret untouched, 1. */
int db_number(sqlite3 *db, const char *sql, int64_t *ret, char **ret_message);
/* The next row of @stmt: 0; 1: there is none; -errno as db_error(). */
int db_row(sqlite3 *db, sqlite3_stmt *stmt, char **ret_message);
int db_prepare(sqlite3 *db, const char *sql, sqlite3_stmt **ret, char **ret_message);
