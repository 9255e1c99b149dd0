/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * The tables, and the way from every earlier version of them to this one. The version is the file's
 * user_version: the number of steps taken.
 */
#include "db.h"
#include "patience.h"

/* Steps from version 0 on; ends with NULL. Never change one that was released: add one. */
extern const char *const schema_steps[];

/*
 * Bring @db to the newest version, in one transaction; one that has a version is copied first
 * (backup.h), and that copy is the only one then. -EBADMSG: a database of another program;
 * -EPROTONOSUPPORT: of a newer lrtbfd; each with a sentence, and nothing changed. @steps:
 * schema_steps, or a test's own. @p: may be NULL.
 */
int schema_migrate(sqlite3 *db, const char *const *steps, struct patience *p, char **ret_message);
/*
 * See to it that room can be given back (incremental_vacuum). A file from before that is rewritten
 * for it, which needs as much room again; where that is not to be had it stays as it is.
 */
void schema_prepare_vacuum(sqlite3 *db, struct patience *p);
