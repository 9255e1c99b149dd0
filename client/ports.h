/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * Parallel ports as ObjectManager lists them, as JSON objects with every key of port list's
 * contract (lrtbfctl(1)), null where there is no value. Whatever a reply lacks or has of another
 * type is a gap.
 */
#include "client.h"

#define CLIENT_PORT "org.lrtbf1.Port"

/* An array, parport2 before parport10. json_decref(). */
int ports_read(struct client *c, json_t **ret);
/* The port @name; NULL: the only one there is. Else a sentence and OUTCOME_ERROR. json_decref(). */
int ports_read_one(struct client *c, const char *name, json_t **ret);

/* The object of a port, g_free(); NULL: no such name can be. */
char *ports_path(const char *name);

/* Pure: a row from an object's properties; what it means in plain words (g_free). */
json_t *ports_row(const json_t *properties);
char *ports_explain(const json_t *row);
/* "0x378", "7"; NULL: it has none. g_free(). */
char *ports_base(const json_t *row);
char *ports_irq(const json_t *row);
