/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * A captured table, for a bug report: the files that irqtable_read() reads, as a tar archive
 * (ustar) that, unpacked, --root can be pointed at. Nothing of user processes is in it.
 */
#include <stddef.h>

/* Whole archive in memory, g_free(). -errno with a sentence. */
int capture_table(const char *root, void **ret_bytes, size_t *ret_size, char **ret_message);
