/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Recursion is bounded by the bus itself: a message nests at most 64 containers deep, and
 * libsystemd refuses others before they come here.
 */
#include "variant.h"

#include <errno.h>
#include <glib.h>
#include <math.h>
#include <string.h>

static int variant_read_one(sd_bus_message *m, json_t **ret);

static json_t *variant_unsigned(uint64_t u)
{
	return json_integer(MIN(u, (uint64_t)INT64_MAX));
}

static int variant_read_basic(sd_bus_message *m, char type, json_t **ret)
{
	union {
		const char *s;
		uint8_t y;
		int16_t n;
		uint16_t q;
		int32_t i;
		int b;
		uint32_t u;
		int64_t x;
		uint64_t t;
		double d;
	} v;
	int r = sd_bus_message_read_basic(m, type, &v);

	if (r < 0)
		return r;
	switch (type) {
	case SD_BUS_TYPE_STRING:
	case SD_BUS_TYPE_OBJECT_PATH:
	case SD_BUS_TYPE_SIGNATURE:
		*ret = json_string(v.s);
		break;
	case SD_BUS_TYPE_BOOLEAN:
		*ret = json_boolean(v.b);
		break;
	case SD_BUS_TYPE_BYTE:
		*ret = json_integer(v.y);
		break;
	case SD_BUS_TYPE_INT16:
		*ret = json_integer(v.n);
		break;
	case SD_BUS_TYPE_UINT16:
		*ret = json_integer(v.q);
		break;
	case SD_BUS_TYPE_INT32:
		*ret = json_integer(v.i);
		break;
	case SD_BUS_TYPE_UINT32:
		*ret = json_integer(v.u);
		break;
	case SD_BUS_TYPE_INT64:
		*ret = json_integer(v.x);
		break;
	case SD_BUS_TYPE_UINT64:
		*ret = variant_unsigned(v.t);
		break;
	case SD_BUS_TYPE_DOUBLE:
		*ret = isfinite(v.d) ? json_real(v.d) : json_null();
		break;
	default:
		*ret = json_null();
	}
	return *ret ? 0 : -ENOMEM;
}

static int variant_read_members(sd_bus_message *m, json_t *array)
{
	for (;;) {
		json_t *item;
		int r = sd_bus_message_at_end(m, 0);

		if (r != 0)
			return MIN(r, 0);
		r = variant_read_one(m, &item);
		if (r < 0)
			return r;
		json_array_append_new(array, item);
	}
}

static int variant_read_dict(sd_bus_message *m, const char *entry, json_t *object)
{
	int r;

	while ((r = sd_bus_message_enter_container(m, SD_BUS_TYPE_DICT_ENTRY, entry)) > 0) {
		g_autofree char *name = NULL;
		json_t *key, *value;

		r = variant_read_one(m, &key);
		if (r < 0)
			return r;
		name = json_is_string(key) ? g_strdup(json_string_value(key))
					   : json_dumps(key, JSON_ENCODE_ANY);
		json_decref(key);
		r = variant_read_one(m, &value);
		if (r < 0)
			return r;
		json_object_set_new(object, name, value);
		r = sd_bus_message_exit_container(m);
		if (r < 0)
			return r;
	}
	return r;
}

static int variant_read_container(sd_bus_message *m, char type, const char *contents, json_t **ret)
{
	bool dict = type == SD_BUS_TYPE_ARRAY && contents[0] == SD_BUS_TYPE_DICT_ENTRY_BEGIN;
	json_t *j = dict ? json_object() : json_array();
	int r = sd_bus_message_enter_container(m, type, contents);

	if (r >= 0 && dict) {
		g_autofree char *entry = g_strndup(contents + 1, strlen(contents) - 2);

		r = variant_read_dict(m, entry, j);
	} else if (r >= 0) {
		r = variant_read_members(m, j);
	}
	if (r >= 0)
		r = sd_bus_message_exit_container(m);
	if (r < 0) {
		json_decref(j);
		return r;
	}
	*ret = j;
	return 0;
}

static int variant_read_one(sd_bus_message *m, json_t **ret)
{
	const char *contents;
	char type;
	int r = sd_bus_message_peek_type(m, &type, &contents);

	if (r <= 0)
		return r < 0 ? r : -EBADMSG;
	switch (type) {
	case SD_BUS_TYPE_VARIANT: {
		json_t *j;

		r = sd_bus_message_enter_container(m, type, contents);
		if (r >= 0)
			r = variant_read_one(m, &j);
		if (r < 0)
			return r;
		r = sd_bus_message_exit_container(m);
		if (r < 0) {
			json_decref(j);
			return r;
		}
		*ret = j;
		return 0;
	}
	case SD_BUS_TYPE_ARRAY:
	case SD_BUS_TYPE_STRUCT:
		return variant_read_container(m, type, contents, ret);
	default:
		return variant_read_basic(m, type, ret);
	}
}

int variant_read_all(sd_bus_message *m, json_t **ret)
{
	json_t *all = json_array();
	int r = variant_read_members(m, all);

	if (r < 0) {
		json_decref(all);
		return r;
	}
	*ret = all;
	return 0;
}

const char *field_text(const json_t *o, const char *key)
{
	const char *s = json_string_value(json_object_get(o, key));

	return s ? s : "";
}

int64_t field_number(const json_t *o, const char *key, int64_t fallback)
{
	const json_t *j = json_object_get(o, key);

	if (json_is_integer(j))
		return json_integer_value(j);
	/* Averages come as doubles; the cast is only defined within the type. */
	if (json_is_real(j) && fabs(json_real_value(j)) < 9e18)
		return llround(json_real_value(j));
	return fallback;
}

double field_real(const json_t *o, const char *key, double fallback)
{
	const json_t *j = json_object_get(o, key);

	return json_is_number(j) ? json_number_value(j) : fallback;
}

bool field_true(const json_t *o, const char *key)
{
	return json_is_true(json_object_get(o, key));
}

bool field_has(const json_t *o, const char *key)
{
	const json_t *j = json_object_get(o, key);

	return j && !json_is_null(j);
}
