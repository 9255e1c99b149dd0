/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * An archive that tar(1) unpacks: files, links and folders, written into memory. ustar of POSIX.1,
 * with a pax header in front of what has a longer name than ustar can hold. Pure. Owned by who
 * makes it.
 */
#include <stddef.h>
#include <stdint.h>

struct tar;

/* @mtime_s: of every member, seconds since 1970. */
struct tar *tar_new(uint64_t mtime_s);
struct tar *tar_free(struct tar *t);

/* @path: relative, without "..". Members of one path replace each other when unpacked. */
void tar_add_file(struct tar *t, const char *path, const void *bytes, size_t size);
void tar_add_folder(struct tar *t, const char *path);
void tar_add_link(struct tar *t, const char *path, const char *target);

/* The whole archive, g_free(); @t is empty then. */
void *tar_finish(struct tar *t, size_t *ret_size);
