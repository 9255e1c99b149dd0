/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * A file that is there complete or not at all: written beside its place and renamed over it.
 * What is not a regular file (/dev/null, a pipe) is written to as it stands.
 */
#include <stddef.h>

struct outfile {
	int fd;
	char *path; /* where it will be, links resolved */
	char *temp; /* where it is now; NULL: written in place */
};

/* -errno. */
int outfile_open(struct outfile *f, const char *path);
/* Everything to the disk, then into place. -errno: nothing is left but what was there before. */
int outfile_commit(struct outfile *f);
void outfile_discard(struct outfile *f);
/* The three together: what @write (0 or -errno) writes to the descriptor it is given. -errno. */
int outfile_whole(const char *path, int (*write)(void *data, int fd), void *data);

/* All of @data to @fd. -errno. */
int outfile_write(int fd, const void *data, size_t size);
/* All that can be read from @from, where possible from its beginning. -errno. */
int outfile_copy(int from, int to);
