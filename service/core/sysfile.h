/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * Small files of /proc and /sys, below "/" or a captured tree, out of which no link leads. What is
 * not there, not readable or not what it should be is NULL, and null in JSON. Names are relative.
 */
#include <glib.h>
#include <jansson.h>

/* Text without its trailing newline, NULs as blanks, UTF-8; at most 64 KiB. g_free(). */
char *sysfile_text(const char *root, const char *fmt, ...) G_GNUC_PRINTF(2, 3);
/* Never NULL. */
json_t *sysfile_string(const char *root, const char *fmt, ...) G_GNUC_PRINTF(2, 3);
json_t *sysfile_integer(const char *root, const char *fmt, ...) G_GNUC_PRINTF(2, 3);
/* Bytes of a whole file, at most @max. g_free(). */
char *sysfile_bytes(const char *root, const char *name, size_t max, size_t *ret_size);
/* Names in a folder, sorted; empty when there is none. */
GPtrArray *sysfile_list(const char *root, const char *name);
