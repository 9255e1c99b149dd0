/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * Has the kernel module lrtbf loaded by who may load modules: PID 1, as unit
 * modprobe@lrtbf.service. Asynchronous. Where there is no systemd that is refused at once, and
 * whoever wanted the module says what to do.
 */
#include "bus-internal.h"

/* Once, never from within module_load(). @r: 0, the unit was started, and has ended well; else
 * @message says why not, half a sentence. */
typedef void (*module_done_t)(int r, const char *message, void *userdata);

/* -EOPNOTSUPP: there is nobody to ask on this bus; -EBUSY: too many have asked. With half a
 * sentence (static), and @done is not called. Otherwise @userdata is freed with @free if @done is
 * never called because the bus ends. */
int module_load(struct bus *b, module_done_t done, void *userdata, GDestroyNotify free,
		const char **ret_message);
/* Of bus.loads: drops one. */
void module_load_free(gpointer data);
