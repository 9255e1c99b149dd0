/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * A file of the configuration written, or removed, by a thread: a disk takes its time, and the
 * event loop waits for nobody. Owned by who starts it; event loop's thread only.
 */
#include <systemd/sd-event.h>

struct filejob;

/* Once, from the event loop: 0 or -errno. The job may be freed from within. */
typedef void (*filejob_done_t)(int r, void *userdata);

/*
 * @text into the file @name in the folder @dir, which is made (0755) where it is missing, with
 * those above it. @text NULL: the file is to go, and the folder when it is empty then. That is on
 * the disk when it is told. Strings are copied. -errno: no thread.
 */
int filejob_new(sd_event *event, const char *dir, const char *name, const char *text,
		filejob_done_t done, void *userdata, struct filejob **ret);
/* Waits for the thread. @done is not called any more. NULL is fine; returns NULL. */
struct filejob *filejob_free(struct filejob *j);
