/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * The journal's file: opened only if it can be nobody else's, and locked. Private to journal*.c.
 */
#include <fcntl.h>
#include <stddef.h>
#include <sys/types.h>

#define JOURNAL_OPEN_FLAGS (O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC | O_NOCTTY | O_NONBLOCK)

/* Open or make it, check and lock it. -EBUSY, -EPERM, -ELOOP, -errno with a sentence. */
int journal_file_open(const char *path, int *ret_fd, char **ret_message);
/* -EBUSY: another process has it. */
int journal_file_lock(int fd);
/* All of it, g_free(); -EFBIG. */
int journal_file_read(int fd, char **ret_text, size_t *ret_size);
int journal_file_write(int fd, const char *text, off_t at);
