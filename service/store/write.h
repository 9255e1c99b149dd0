/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* Changes -> SQL, on the worker's thread. */
#include "db.h"
#include "pending.h"

/*
 * Write all of @p in one transaction; sets r and message of the deletions' pending_done. On failure
 * nothing is written. -errno and sentence (@ret_message is not NULL) as db_error().
 */
int write_changes(sqlite3 *db, struct pending *p, char **ret_message);
