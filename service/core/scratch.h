/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * Scratch folders: a load writes into one of its own, which is made for it and taken away with all
 * that is in it. Made by the daemon, emptied by the nanny; the daemon empties what a killed nanny
 * left.
 */
#include <stdint.h>
#include <sys/types.h>

/*
 * Make a folder for load @name in @dir (made 0711 when missing), mode 0700, owned by @uid (-1:
 * leave). Refused with -ENOSPC and a sentence when the space free in @dir less @taken_bytes is
 * under twice
 * @bytes. The name within @dir (g_free) and the open folder.
 */
int scratch_make(const char *dir, const char *name, uint64_t bytes, uint64_t taken_bytes, uid_t uid,
		 char **ret_name, int *ret_fd, char **ret_message);

/*
 * Whoever has it open may write into it: for a load that runs as another user, where this process
 * has no right to give files away. Nobody finds it by its name, which cannot be listed.
 */
int scratch_share(int fd);

/* Remove all that is in the open folder, whatever it is; links are not followed. First error met.
 */
int scratch_empty(int fd);

/* Remove folder @name of @dir with all that is in it. -ENOENT: not there. */
int scratch_remove(const char *dir, const char *name);

/*
 * Remove every scratch folder in @dir that a killed daemon left: those that nobody has open as
 * scratch_make() gave them. Their number, or the first error. May wait half a second.
 */
int scratch_clean(const char *dir);
