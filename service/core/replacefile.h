/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * A file written as a whole: who reads meanwhile, or after a crash, finds the old one or the new.
 */
#include <stdbool.h>
#include <sys/types.h>

/*
 * @name, without folder, in the folder @dirfd, with @mode whatever the umask. What stands there is
 * replaced, a link too, not what it leads to. @sync: return when it is on the disk. -errno: the old
 * one is untouched.
 */
int replacefile_write(int dirfd, const char *name, const char *text, mode_t mode, bool sync);
