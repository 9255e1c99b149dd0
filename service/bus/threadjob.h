/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * Pure work that would keep the event loop waiting, done by a thread of its own, which has a stack
 * for whatever depth a file has. Owned by who starts it; event loop's thread only.
 */
#include <systemd/sd-event.h>

struct threadjob;

/*
 * @run on the thread, then @done once from the event loop, where the job may be freed. What
 * @userdata points to is the thread's alone until then. -errno: no thread.
 */
int threadjob_new(sd_event *event, void (*run)(void *userdata), void (*done)(void *userdata),
		  void *userdata, struct threadjob **ret);
/* Waits for the thread. @done is not called any more. NULL is fine; returns NULL. */
struct threadjob *threadjob_free(struct threadjob *j);
