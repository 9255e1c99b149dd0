/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * Sessions that end when who started them leaves the bus: those that measure with a peer, and those
 * that are the peer's part of one.
 */
#include <glib.h>
#include <systemd/sd-bus.h>

struct bus;

GHashTable *ties_new(void); /* id -> struct tie; g_hash_table_unref() */
/* Tie session @id to the sender of @call. -errno: it is not tied. */
int tie_add(struct bus *b, const char *id, sd_bus_message *call);
void tie_drop(struct bus *b, const char *id); /* no such tie: nothing */
