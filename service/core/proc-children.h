/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * /proc/PID/task/TID/children: the numbers of a thread's children, in no order. Pure. Fuzzed.
 * Source: proc(5), fs/proc/array.c.
 */
#include <glib.h>

/*
 * Appends them to @tids (of pid_t). -EBADMSG: no such list, or an empty one, which is what a file
 * that was not read well looks like; @tids may have some of it then.
 */
int proc_children_parse(const char *text, gsize size, GArray *tids);
