/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * A list of dictionaries that ends with an error before it is too large for one message.
 */
#include <glib.h>
#include <stddef.h>
#include <systemd/sd-bus.h>

struct bounded_list {
	const GPtrArray *members;
	/* an upper bound of the bytes that `append` makes of it */
	size_t (*size)(const void *member, const void *data);
	/* entries of an open a{sv} */
	int (*append)(sd_bus_message *m, const void *member, const void *data);
	const void *data; /* for both */
};

/* Append aa{sv}. -EMSGSIZE when it would be larger than BUS_REPLY_MAX; else sd-bus' errors. */
int bounded_append(sd_bus_message *m, const struct bounded_list *l);
/* The same for an open aa{sv} that has *size bytes already. */
int bounded_append_members(sd_bus_message *m, const struct bounded_list *l, size_t *size);

/* An upper bound of the bytes that a text takes in a message. NULL: 0. */
size_t bounded_text_size(const char *s);
