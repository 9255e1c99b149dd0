/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A result is turned into a dictionary from its JSON form and not from its structs, so that the bus
 * and the file say the same and a new key appears in both.
 *
 * The bus refuses messages nested deeper than 64 containers, by disconnecting the sender. A JSON
 * level is three of them (array, entry, variant), hence the 16.
 */
#include "dict.h"

#include "finding.h"
#include "problem.h"
#include <string.h>

#define DICT_DEPTH_MAX 16

int dict_text(sd_bus_message *m, const char *s)
{
	g_autofree char *valid = NULL;

	if (!g_utf8_validate(s, -1, NULL))
		s = valid = g_utf8_make_valid(s, -1);
	return sd_bus_message_append_basic(m, 's', s);
}

int dict_value(sd_bus_message *m, const char *key, const char *type,
	       int (*append)(sd_bus_message *m, const void *data), const void *data)
{
	int r;

	r = sd_bus_message_open_container(m, 'e', "sv");
	if (r >= 0)
		r = dict_text(m, key);
	if (r >= 0)
		r = sd_bus_message_open_container(m, 'v', type);
	if (r >= 0)
		r = append(m, data);
	if (r >= 0)
		r = sd_bus_message_close_container(m);
	if (r >= 0)
		r = sd_bus_message_close_container(m);
	return r;
}

static int dict_append_string(sd_bus_message *m, const void *data)
{
	return dict_text(m, data);
}

static int dict_append_bool(sd_bus_message *m, const void *data)
{
	int value = *(const bool *)data;

	return sd_bus_message_append_basic(m, 'b', &value);
}

static int dict_append_i32(sd_bus_message *m, const void *data)
{
	return sd_bus_message_append_basic(m, 'i', data);
}

static int dict_append_u32(sd_bus_message *m, const void *data)
{
	return sd_bus_message_append_basic(m, 'u', data);
}

static int dict_append_u64(sd_bus_message *m, const void *data)
{
	return sd_bus_message_append_basic(m, 't', data);
}

int dict_string(sd_bus_message *m, const char *key, const char *value)
{
	return dict_value(m, key, "s", dict_append_string, value);
}

int dict_optional(sd_bus_message *m, const char *key, const char *value)
{
	return value ? dict_string(m, key, value) : 0;
}

int dict_append_strv(sd_bus_message *m, const void *strv)
{
	int r;

	r = sd_bus_message_open_container(m, 'a', "s");
	for (const char *const *s = strv; r >= 0 && s && *s; s++)
		r = dict_text(m, *s);
	return r < 0 ? r : sd_bus_message_close_container(m);
}

int dict_bool(sd_bus_message *m, const char *key, bool value)
{
	return dict_value(m, key, "b", dict_append_bool, &value);
}

int dict_i32(sd_bus_message *m, const char *key, int32_t value)
{
	return dict_value(m, key, "i", dict_append_i32, &value);
}

int dict_u32(sd_bus_message *m, const char *key, uint32_t value)
{
	return dict_value(m, key, "u", dict_append_u32, &value);
}

int dict_u64(sd_bus_message *m, const char *key, uint64_t value)
{
	return dict_value(m, key, "t", dict_append_u64, &value);
}

/* JSON */

static int dict_append_json(sd_bus_message *m, const json_t *j, const char *type, unsigned depth);

/* Of an array's elements: the type all share, else "v". */
static const char *dict_element_type(const json_t *array)
{
	const char *type = NULL;
	const json_t *e;
	size_t i;

	json_array_foreach (array, i, e) {
		const char *t = "v";

		if (json_is_string(e))
			t = "s";
		else if (json_is_object(e))
			t = "a{sv}";
		else if (json_is_integer(e) && json_integer_value(e) >= 0)
			t = "t";
		if (type && strcmp(type, t) != 0)
			return "v";
		type = t;
	}
	return type ?: "v";
}

static const char *dict_type(const json_t *j)
{
	const char *element;

	switch (json_typeof(j)) {
	case JSON_OBJECT:
		return "a{sv}";
	case JSON_ARRAY:
		element = dict_element_type(j);
		return *element == 's'	 ? "as"
		       : *element == 'a' ? "aa{sv}"
		       : *element == 't' ? "at"
					 : "av";
	case JSON_STRING:
		return "s";
	case JSON_INTEGER:
		return json_integer_value(j) < 0 ? "x" : "t";
	case JSON_REAL:
		return "d";
	default:
		return "b";
	}
}

static bool dict_left_out(const json_t *j, unsigned depth)
{
	return json_is_null(j) ||
	       (depth >= DICT_DEPTH_MAX && (json_is_object(j) || json_is_array(j)));
}

static int dict_append_variant(sd_bus_message *m, const json_t *j, unsigned depth)
{
	const char *type = dict_type(j);
	int r;

	r = sd_bus_message_open_container(m, 'v', type);
	if (r >= 0)
		r = dict_append_json(m, j, type, depth);
	if (r >= 0)
		r = sd_bus_message_close_container(m);
	return r;
}

static int dict_append_object(sd_bus_message *m, const json_t *object, unsigned depth)
{
	const char *key;
	json_t *value;
	int r;

	r = sd_bus_message_open_container(m, 'a', "{sv}");
	if (r < 0)
		return r;
	json_object_foreach ((json_t *)object, key, value) {
		if (dict_left_out(value, depth + 1))
			continue;
		r = sd_bus_message_open_container(m, 'e', "sv");
		if (r >= 0)
			r = dict_text(m, key);
		if (r >= 0)
			r = dict_append_variant(m, value, depth + 1);
		if (r >= 0)
			r = sd_bus_message_close_container(m);
		if (r < 0)
			return r;
	}
	return sd_bus_message_close_container(m);
}

static int dict_append_array(sd_bus_message *m, const json_t *array, unsigned depth)
{
	const char *type = dict_element_type(array);
	const json_t *e;
	size_t i;
	int r;

	r = sd_bus_message_open_container(m, 'a', type);
	if (r < 0)
		return r;
	json_array_foreach (array, i, e) {
		if (dict_left_out(e, depth + 1))
			continue;
		if (*type == 'v')
			r = dict_append_variant(m, e, depth + 1);
		else
			r = dict_append_json(m, e, type, depth + 1);
		if (r < 0)
			return r;
	}
	return sd_bus_message_close_container(m);
}

static int dict_append_json(sd_bus_message *m, const json_t *j, const char *type, unsigned depth)
{
	json_int_t integer;
	double real;
	int boolean;

	switch (*type) {
	case 'a':
		return json_is_object(j) ? dict_append_object(m, j, depth)
					 : dict_append_array(m, j, depth);
	case 's':
		return dict_text(m, json_string_value(j));
	case 't':
	case 'x':
		integer = json_integer_value(j);
		return sd_bus_message_append_basic(m, *type, &integer);
	case 'd':
		real = json_real_value(j);
		return sd_bus_message_append_basic(m, 'd', &real);
	default:
		boolean = json_is_true(j);
		return sd_bus_message_append_basic(m, 'b', &boolean);
	}
}

int dict_json(sd_bus_message *m, const json_t *object)
{
	return dict_append_object(m, object, 0);
}

void dict_drop(json_t *j, const char *key)
{
	const char *name;
	json_t *value;
	size_t i;

	if (json_is_object(j))
		json_object_del(j, key);
	json_object_foreach (j, name, value)
		dict_drop(value, key);
	json_array_foreach (j, i, value)
		dict_drop(value, key);
}

size_t dict_size(const json_t *j)
{
	size_t size = 24, i; /* variant's signature, length, value, padding */
	const char *key;
	json_t *value;

	switch (json_typeof(j)) {
	case JSON_STRING:
		return size + json_string_length(j);
	case JSON_OBJECT:
		json_object_foreach ((json_t *)j, key, value)
			size += strlen(key) + 16 + dict_size(value);
		return size;
	case JSON_ARRAY:
		json_array_foreach (j, i, value)
			size += dict_size(value);
		return size;
	default:
		return size;
	}
}

/* Lists of structs */

static int dict_problem(sd_bus_message *m, const char *file, unsigned line, const char *text)
{
	g_autofree char *start = g_strndup(text, DICT_PROBLEM_TEXT_MAX);
	int r;

	r = sd_bus_message_open_container(m, 'a', "{sv}");
	if (r >= 0)
		r = dict_string(m, "file", file);
	if (r >= 0)
		r = dict_u32(m, "line", line);
	if (r >= 0)
		r = dict_string(m, "text", start);
	return r < 0 ? r : sd_bus_message_close_container(m);
}

static int dict_finding(sd_bus_message *m, const struct finding *f)
{
	int r;

	r = dict_string(m, "id", f->kind->id);
	if (r >= 0)
		r = dict_string(m, "text", f->text);
	if (r >= 0)
		r = dict_string(m, "mend", f->kind->mend);
	if (r >= 0)
		r = dict_bool(m, "inconclusive", f->kind->weight == FINDING_INCONCLUSIVE);
	return r;
}

int dict_problems(sd_bus_message *m, const void *problems)
{
	g_autofree char *rest = NULL;
	const GPtrArray *list = problems;
	guint shown = list ? MIN(list->len, DICT_PROBLEMS_MAX) : 0;
	int r;

	r = sd_bus_message_open_container(m, 'a', "a{sv}");
	for (guint i = 0; r >= 0 && i < shown; i++) {
		const struct problem *p = list->pdata[i];

		r = dict_problem(m, p->file, p->line, p->text);
	}
	if (r >= 0 && list && list->len > shown) {
		rest = g_strdup_printf("There are %u more problems.", list->len - shown);
		r = dict_problem(m, "", 0, rest);
	}
	return r < 0 ? r : sd_bus_message_close_container(m);
}

int dict_findings(sd_bus_message *m, const void *findings)
{
	const GPtrArray *list = findings;
	int r;

	r = sd_bus_message_open_container(m, 'a', "a{sv}");
	for (guint i = 0; r >= 0 && i < list->len; i++) {
		r = sd_bus_message_open_container(m, 'a', "{sv}");
		if (r >= 0)
			r = dict_finding(m, list->pdata[i]);
		if (r >= 0)
			r = sd_bus_message_close_container(m);
	}
	return r < 0 ? r : sd_bus_message_close_container(m);
}
