/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * Opening files that make the daemon run something: folders and files that nobody but root and the
 * daemon's own user could have written. Errors with *ret_wrong (g_free): what is wrong, to follow
 * the file's name.
 */
#include <stddef.h>

#define CONFOPEN_SIZE_MAX (1024 * 1024)

/* A folder, checked. -ENOENT: not there; other errors: *ret_wrong. */
int confopen_dir(const char *path, int *ret_fd, char **ret_wrong);

/*
 * The whole text of @name below the folder @dirfd, with a NUL after it (g_free). -ENOENT: not there
 * (any more); 1: a link to /dev/null, which masks; other errors: *ret_wrong.
 */
int confopen_read(int dirfd, const char *name, char **ret_text, size_t *ret_size, char **ret_wrong);
