/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * jansson answers NULL to a NaN and to bytes that are not UTF-8, and setting NULL drops the key
 * without a word: a report that lacks a key because a label was in Latin-1. So nothing goes into a
 * report's JSON but through these.
 */
#include "value.h"

#include "policy.h"

#include <math.h>

json_t *value_string(const char *s)
{
	g_autofree char *valid = NULL;

	if (!s)
		return json_null();
	valid = g_utf8_make_valid(s, -1);
	return json_string(valid);
}

json_t *value_real(double x)
{
	return isfinite(x) ? json_real(x) : json_null();
}

json_t *value_count(uint64_t n)
{
	return json_integer(n > INT64_MAX ? INT64_MAX : (json_int_t)n);
}

json_t *value_time(uint64_t usec)
{
	return usec ? value_count(usec) : json_null();
}

json_t *value_policy(int policy)
{
	return value_string(policy_to_string(policy));
}

static json_t *value_at(const json_t *o, const char *path)
{
	g_auto(GStrv) keys = g_strsplit(path, ".", -1);
	json_t *at = (json_t *)o; /* jansson's getters return what they find without const */

	for (char **k = keys; *k; k++)
		at = json_object_get(at, *k);
	return at;
}

const char *value_get_string(const json_t *o, const char *path)
{
	return json_string_value(value_at(o, path));
}

json_int_t value_get_integer(const json_t *o, const char *path, json_int_t fallback)
{
	json_t *v = value_at(o, path);

	return json_is_integer(v) ? json_integer_value(v) : fallback;
}

bool value_get_true(const json_t *o, const char *path)
{
	return json_is_true(value_at(o, path)) || value_get_integer(o, path, 0) != 0;
}
