/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * The folders of state and of what a reboot may take, and the locks that give each to one lrtbfd.
 */
#include <stdbool.h>
#include <sys/types.h>

/* Made when it is not there; must be writable. -errno with a sentence. */
int folder_make(const char *path, mode_t mode, char **ret_message);
/* One folder under two names. */
bool folder_same(const char *a, const char *b);
/*
 * Ours until *@ret_fd is closed, or the process ends. -EWOULDBLOCK: another lrtbfd has it; -errno;
 * with a sentence.
 */
int folder_lock(const char *path, int *ret_fd, char **ret_message);
