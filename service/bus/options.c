/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A table and one reader instead of a chain of comparisons in every method: the sentence of a
 * refusal, which lists what is known, comes from the same table.
 */
#include "options.h"

#include "cleanup.h"
#include "errors.h"
#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

const struct option_spec options_none[] = { { NULL } };

static const struct option_spec *options_find(const struct option_spec *specs, const char *name)
{
	for (; specs->name; specs++)
		if (strcmp(specs->name, name) == 0)
			return specs;
	return NULL;
}

static int options_unknown(const struct option_spec *specs, const char *name, sd_bus_error *error)
{
	g_autoptr(GString) known = g_string_new(NULL);

	for (; specs->name; specs++)
		g_string_append_printf(known, "%s%s (%c)", known->len ? ", " : "", specs->name,
				       specs->type);
	if (known->len == 0)
		return bus_error_setf(error, EINVAL,
				      "Unknown option \"%.64s\": this method has no options.",
				      name);
	return bus_error_setf(error, EINVAL, "Unknown option \"%.64s\". Known are: %s.", name,
			      known->str);
}

/* The value inside an open variant. */
static int options_read_value(sd_bus_message *m, const struct option_spec *spec, json_t **ret,
			      sd_bus_error *error)
{
	union {
		const char *string;
		int boolean;
		int32_t i32;
		uint32_t u32;
		uint64_t u64;
		double real;
	} v;
	int r;

	r = sd_bus_message_read_basic(m, spec->type, &v);
	if (r < 0)
		return bus_error_argument(error, r);
	switch (spec->type) {
	case 's':
		if (strlen(v.string) > OPTION_VALUE_MAX)
			return bus_error_setf(error, EINVAL,
					      "The value of option \"%s\" is longer than %d bytes.",
					      spec->name, OPTION_VALUE_MAX);
		*ret = json_string(v.string);
		return 0;
	case 'b':
		*ret = json_boolean(v.boolean);
		return 0;
	case 'i':
		*ret = json_integer(v.i32);
		return 0;
	case 'u':
		*ret = json_integer(v.u32);
		return 0;
	case 'd':
		if (!isfinite(v.real))
			return bus_error_setf(error, EINVAL,
					      "The value of option \"%s\" is no number.",
					      spec->name);
		*ret = json_real(v.real);
		return 0;
	default:
		if (v.u64 > INT64_MAX)
			return bus_error_setf(error, EINVAL,
					      "The value of option \"%s\" is too large.",
					      spec->name);
		*ret = json_integer((json_int_t)v.u64);
		return 0;
	}
}

static int options_read_entry(sd_bus_message *m, const struct option_spec *specs, json_t *options,
			      sd_bus_error *error)
{
	const struct option_spec *spec;
	const char *name, *contents;
	char type[2] = { 0 };
	json_t *value = NULL;
	int r;

	r = sd_bus_message_read_basic(m, 's', &name);
	if (r < 0)
		return bus_error_argument(error, r);
	spec = options_find(specs, name);
	if (!spec)
		return options_unknown(specs, name, error);
	if (json_object_get(options, name))
		return bus_error_setf(error, EINVAL, "Option \"%s\" is given twice.", name);
	type[0] = spec->type;
	r = sd_bus_message_peek_type(m, NULL, &contents);
	if (r < 0)
		return bus_error_argument(error, r);
	if (strcmp(contents, type) != 0)
		return bus_error_setf(error, EINVAL, "Option \"%s\" is of type %s, not %.64s.",
				      name, type, contents);
	r = sd_bus_message_enter_container(m, 'v', contents);
	if (r < 0)
		return bus_error_argument(error, r);
	r = options_read_value(m, spec, &value, error);
	if (r < 0)
		return r;
	json_object_set_new(options, name, value);
	r = sd_bus_message_exit_container(m);
	return r < 0 ? bus_error_argument(error, r) : 0;
}

/* Entries of an open array; what sd-bus itself says, or -EINVAL with @error set. */
static int options_read_entries(sd_bus_message *m, const struct option_spec *specs, json_t *options,
				sd_bus_error *error)
{
	int r;

	while ((r = sd_bus_message_enter_container(m, 'e', "sv")) > 0) {
		r = options_read_entry(m, specs, options, error);
		if (r < 0)
			return r;
		r = sd_bus_message_exit_container(m);
		if (r < 0)
			return r;
	}
	return r;
}

int options_read(sd_bus_message *m, const struct option_spec *specs, json_t **ret,
		 sd_bus_error *error)
{
	g_autoptr(json_t) options = json_object();
	int r;

	r = sd_bus_message_enter_container(m, 'a', "{sv}");
	if (r >= 0)
		r = options_read_entries(m, specs, options, error);
	if (r >= 0)
		r = sd_bus_message_exit_container(m);
	if (r < 0)
		return sd_bus_error_is_set(error) ? r : bus_error_argument(error, r);
	*ret = g_steal_pointer(&options);
	return 0;
}

int options_read_none(sd_bus_message *m, sd_bus_error *error)
{
	g_autoptr(json_t) options = NULL;

	return options_read(m, options_none, &options, error);
}

bool options_bool(const json_t *options, const char *name, bool otherwise)
{
	const json_t *v = json_object_get(options, name);

	return v ? json_is_true(v) : otherwise;
}

uint64_t options_integer(const json_t *options, const char *name, uint64_t otherwise)
{
	const json_t *v = json_object_get(options, name);

	return v ? (uint64_t)json_integer_value(v) : otherwise;
}

bool options_has(const json_t *options, const char *name)
{
	return json_object_get(options, name) != NULL;
}

int32_t options_i32(const json_t *options, const char *name, int32_t otherwise)
{
	const json_t *v = json_object_get(options, name);

	return v ? (int32_t)json_integer_value(v) : otherwise;
}

double options_real(const json_t *options, const char *name, double otherwise)
{
	const json_t *v = json_object_get(options, name);

	return v ? json_real_value(v) : otherwise;
}

const char *options_string(const json_t *options, const char *name)
{
	return json_string_value(json_object_get(options, name));
}
