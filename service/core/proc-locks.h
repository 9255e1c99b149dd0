/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * /proc/locks: who holds a file lock. Pure. Fuzzed. Source: proc(5), fs/locks.c.
 */
#include <stddef.h>
#include <sys/types.h>

/*
 * The process that holds an flock(2) on file @inode of device @dev (as of stat(2)); 0: nobody whom
 * this process may see. Lines that are not understood are passed over.
 */
pid_t proc_locks_holder(const char *text, size_t size, dev_t dev, ino_t inode);
