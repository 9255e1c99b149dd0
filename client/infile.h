/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * A file that is read whole, to be sent: the service opens nothing for a caller.
 */
#include <glib.h>

/*
 * Append what @path ("-": stdin) has to @text, as it is. -errno; -EFBIG: more than @max bytes, of
 * which no more than one too many was read.
 */
int infile_read(const char *path, size_t max, GString *text);
/* How @path is called in sentences: g_free(). */
char *infile_name(const char *path);
