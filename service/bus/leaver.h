/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * Tells when a caller has left the bus: for what goes on after his call was taken, and is for
 * nobody without him. Owned by who made it.
 */
#include <systemd/sd-bus.h>

struct leaver;

/* Once, from the event loop; the leaver may be freed in it. */
typedef void (*leaver_left_t)(void *userdata);

/* The sender of @call. -ENOTCONN: it has none; -errno: he is not watched. */
int leaver_new(sd_bus_message *call, leaver_left_t left, void *userdata, struct leaver **ret);
struct leaver *leaver_free(struct leaver *l);
