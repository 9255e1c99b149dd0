/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * The copy of the database that is made before its form is changed: FILE.vN.bak, N being the
 * version of the form it has. While store_open() runs, on its thread.
 */
#include "patience.h"

/*
 * Copy the database of that @path, of which nobody writes meanwhile, to its name for @version,
 * whole or not at all: on the disk when this returns 0. One of that name is replaced. -ENOSPC and
 * others with a sentence: nothing is left of it.
 */
int backup_make(const char *path, int64_t version, struct patience *p, char **ret_message);
/* Remove the copies of versions under @version. */
void backup_clean(const char *path, int64_t version);
/* Where the copy of @version is. g_free(). */
char *backup_path(const char *path, int64_t version);
