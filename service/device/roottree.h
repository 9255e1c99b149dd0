/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * Small files below "/" or a captured tree, read relative to folders that are kept open: the tables
 * of this folder are made of thousands of them. Whatever is read can be recorded, which is how a
 * tree is captured: what was recorded reads the same again. Owned by who reads; one thread.
 *
 * Paths are relative to the root and have no leading '/'. Links are never followed at the end of a
 * path, a fifo or the like is never waited for, and no link on the way leads out of a captured
 * tree.
 */
#include <glib.h>
#include <stdbool.h>
#include <sys/types.h>

enum roottree_kind { ROOTTREE_FILE, ROOTTREE_LINK, ROOTTREE_FOLDER };

/* @bytes: of the file, or the link's target. */
typedef void (*roottree_record_t)(enum roottree_kind kind, const char *path, const void *bytes,
				  size_t size, void *userdata);

struct roottree {
	int fd;
	bool captured;		  /* somebody else may have made it */
	roottree_record_t record; /* NULL: nobody captures */
	void *userdata;
};

struct rootdir {
	const struct roottree *tree;
	int fd;	    /* -1: not there, and nothing in it is */
	char *path; /* "proc/irq" */
};

/* -errno: no such folder. */
int roottree_open(const char *root, struct roottree *ret);
void roottree_close(struct roottree *t);

/* A folder that is not there is one with nothing in it. */
void rootdir_open(const struct roottree *t, const char *path, struct rootdir *ret);
void rootdir_close(struct rootdir *d);
typedef struct rootdir rootdir_t;
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(rootdir_t, rootdir_close)

/* Up to @size - 1 bytes of @name into @buf and a NUL behind them: their number, or -errno. */
ssize_t rootdir_read(const struct rootdir *d, const char *name, char *buf, size_t size);
/* The same without what is blank at its end. */
ssize_t rootdir_line(const struct rootdir *d, const char *name, char *buf, size_t size);
/* A whole file, at most @max bytes, and a NUL behind them. g_free(); NULL: cannot be read. */
char *rootdir_read_whole(const struct rootdir *d, const char *name, size_t max, size_t *ret_size);
/* Both of them, never recorded: for what may not be in a captured tree. */
ssize_t rootdir_peek(const struct rootdir *d, const char *name, char *buf, size_t size);
char *rootdir_peek_whole(const struct rootdir *d, const char *name, size_t max, size_t *ret_size);
/* Where a link points, as it is written; false: no link, or too long. */
bool rootdir_readlink(const struct rootdir *d, const char *name, char *buf, size_t size);
/* Names in folder @name ("." for itself), sorted; empty when there is none. */
GPtrArray *rootdir_list(const struct rootdir *d, const char *name);
/* Those that are numbers without leading zeros, of unsigned, in rising order. */
GArray *rootdir_numbers(const struct rootdir *d, const char *name);

/* Bytes as if they had been read there, for a recording only. */
void rootdir_note(const struct rootdir *d, enum roottree_kind kind, const char *name,
		  const void *bytes, size_t size);
