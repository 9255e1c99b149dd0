/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * Bus messages as JSON: the form in which all commands look at what the service answered, so that
 * a value that is missing or of another type is one case, handled in one place.
 */
#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <systemd/sd-bus.h>

/*
 * The remaining arguments of @m, as an array. Dictionaries become objects, structs and arrays
 * arrays, variants what they hold; a file descriptor, NaN or infinity becomes null, a number over
 * INT64_MAX that. -EBADMSG and what sd_bus_message_read() returns.
 */
int variant_read_all(sd_bus_message *m, json_t **ret);

/* Members of an object, whatever is wrong with it: "" / @fallback / NULL when not there. Borrowed.
 */
const char *field_text(const json_t *o, const char *key);
int64_t field_number(const json_t *o, const char *key, int64_t fallback);
double field_real(const json_t *o, const char *key, double fallback);
bool field_true(const json_t *o, const char *key);
bool field_has(const json_t *o, const char *key);
