/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * Kernel threads that have just come, until they have settled. Owned by threadwatch.c, event loop's
 * thread only.
 *
 * A new kernel thread is called "kthreadd" until its maker gives it its name, and an interrupt
 * thread is of policy other until the kernel gives it fifo 50: told of earlier, no rule would match
 * it, or the kernel would overwrite what a rule has set. It is looked at again after 1, 2, 4, 8 ...
 * ms. Who is gone, no kernel thread, or of no name that rules may use is dropped without a word.
 */
#include "threadwatch.h"

#define NEWCOMERS_MAX 1024 /* unsettled at once; kworkers come by hundreds */

struct newcomers;

/* @n: it has settled. NULL: one that could not be told of in time, or read: look at all threads. */
typedef void (*newcomers_news_t)(const struct threadwatch_newcomer *n, void *userdata);

/* @root: "/" or a tree with proc/TID/stat. -errno of sd-event. */
int newcomers_new(sd_event *event, const char *root, newcomers_news_t news, void *userdata,
		  struct newcomers **ret);
struct newcomers *newcomers_free(struct newcomers *n);

/*
 * @created_ns: as in struct threadwatch_newcomer. Never calls back at once. One that is waited for
 * already (the number came again) begins anew. -ENOSPC: too many wait, look at all threads later.
 */
int newcomers_add(struct newcomers *n, pid_t tid, uint64_t created_ns);

/* How many have not settled yet. */
unsigned newcomers_waiting(const struct newcomers *n);
