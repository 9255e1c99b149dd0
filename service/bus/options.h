/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * The a{sv} of options that every method takes last: only what is in the method's table, of the
 * type that stands there. So a misspelled option is refused, never ignored.
 */
#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <systemd/sd-bus.h>

struct option_spec {
	const char *name; /* NULL ends a table */
	char type;	  /* 's', 'b', 'i', 'u', 't' or 'd' */
};

#define OPTION_VALUE_MAX 4096 /* bytes of a string */

extern const struct option_spec options_none[];

/*
 * Read the dictionary at the message's read position into an object of strings, booleans,
 * integers and finite reals. json_decref(). Negative with @error set: InvalidOption.
 */
int options_read(sd_bus_message *m, const struct option_spec *specs, json_t **ret,
		 sd_bus_error *error);
/* For methods without options. */
int options_read_none(sd_bus_message *m, sd_bus_error *error);

bool options_bool(const json_t *options, const char *name, bool otherwise);
bool options_has(const json_t *options, const char *name);
uint64_t options_integer(const json_t *options, const char *name, uint64_t otherwise);
int32_t options_i32(const json_t *options, const char *name, int32_t otherwise); /* of type 'i' */
double options_real(const json_t *options, const char *name, double otherwise);	 /* of type 'd' */
const char *options_string(const json_t *options, const char *name); /* NULL: not given */
