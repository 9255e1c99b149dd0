/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * Single values as JSON. Each is a new reference and never NULL: what JSON cannot hold (NaN, an
 * integer above 2^63, bytes that are not UTF-8) becomes null, the largest number, or valid text.
 */
#include <jansson.h>
/* after jansson.h, which it looks for */
#include "cleanup.h"
#include <stdbool.h>
#include <stdint.h>

json_t *value_string(const char *s); /* NULL: null */
json_t *value_real(double x);	     /* null unless finite */
json_t *value_count(uint64_t n);
json_t *value_time(uint64_t usec); /* 0: null */
json_t *value_policy(int policy);  /* "fifo"; null for one without a name */

/* The string or integer at @path of an object, keys parted by '.'; NULL and @fallback when it is
 * not there. */
const char *value_get_string(const json_t *o, const char *path);
json_int_t value_get_integer(const json_t *o, const char *path, json_int_t fallback);
/* true for true and for an integer other than 0. */
bool value_get_true(const json_t *o, const char *path);
