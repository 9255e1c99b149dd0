/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * The list of kernel threads as it was read last, and who has come since: kthreadd's children, in
 * the order they came, from one small file. Owned by threadwatch.c.
 */
#include <glib.h>
#include <sys/types.h>

struct threadlist;

/* Never fails: an unreadable list is empty. @root: "/" or a tree with proc/2/task/2/children. */
struct threadlist *threadlist_new(const char *root);
struct threadlist *threadlist_free(struct threadlist *l);

/*
 * Read it again. @ret_new: thread ids (pid_t) that have come since, also one that was there before
 * and was given anew; g_array_unref(). -ENOENT: kernel threads are not to be seen from
 * here; -EOPNOTSUPP: they are, but this kernel has no such list (CONFIG_PROC_CHILDREN).
 */
int threadlist_read(struct threadlist *l, GArray **ret_new);

/* Pure: the ids in "1 2 3 ", in its order; what is no such id ends it. */
GArray *threadlist_parse(const char *text, size_t size);
/* Pure: what @now has and @before has not. Both in the order the threads came. */
GArray *threadlist_compare(const GArray *before, const GArray *now);
