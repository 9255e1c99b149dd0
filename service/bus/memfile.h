/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * Bytes as a file descriptor that nobody can change any more: how something large goes over the
 * bus.
 */
#include <stddef.h>

/* Close-on-exec, position 0, sealed. -errno. */
int memfile_new(const char *name, const void *data, size_t size, int *ret_fd);
