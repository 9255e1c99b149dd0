/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * The tables, and the way from every earlier version of them to this one. The version is the file's
 * user_version: the number of steps taken.
 */
#include "db.h"

/* Steps from version 0 on; ends with NULL. Never change one that was released: add one. */
extern const char *const schema_steps[];

/*
 * Bring @db to the newest version, in one transaction. -EBADMSG: a database of another program;
 * -EPROTONOSUPPORT: of a newer lrtbfd; each with a sentence. @steps: schema_steps, or a test's own.
 */
int schema_migrate(sqlite3 *db, const char *const *steps, char **ret_message);
