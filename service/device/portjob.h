/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * A test of a port (porttest.h) on its real device, in a thread of its own: the module's calls wait
 * for kernel threads and pulses, and the event loop waits for nobody. Owned by who starts it; event
 * loop's thread only.
 */
#include "porttest.h"

#include <systemd/sd-event.h>

struct portjob;

/* Once, from the event loop: as porttest() returns. @result: NULL when @r is negative; borrowed. */
typedef void (*portjob_done_t)(int r, const struct porttest_result *result, const char *message,
			       void *userdata);

/* @node: "/dev/lrtbf-parport0". Strings are copied. -errno: no thread. */
int portjob_new(sd_event *event, const struct porttest_plan *plan, const char *node,
		portjob_done_t done, void *userdata, struct portjob **ret);
/* To be broken off: @done is called soon, with -EBUSY unless it had ended. */
void portjob_stop(struct portjob *j);
/* Broken off if it still runs; waits for the thread, a tenth of a second. @done is not called any
 * more. May be called from within it. */
struct portjob *portjob_free(struct portjob *j);
