/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ports.h"

#include <inttypes.h>
#include <string.h>

#define PORTS_PREFIX  CLIENT_PATH "/port/"
#define PORTS_OBJECTS "org.freedesktop.DBus.ObjectManager"

char *ports_path(const char *name)
{
	size_t n = strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789");

	return n > 0 && name[n] == '\0' ? g_strconcat(PORTS_PREFIX, name, NULL) : NULL;
}

/* --- rows --- */

static json_t *ports_text(const json_t *properties, const char *key)
{
	const char *text = field_text(properties, key);

	return *text ? json_string(text) : json_null();
}

/* What is not above @none is none. */
static json_t *ports_number(const json_t *properties, const char *key, int64_t none)
{
	int64_t n = field_number(properties, key, none);

	return n > none ? json_integer(n) : json_null();
}

json_t *ports_row(const json_t *properties)
{
	json_t *row = json_object();

	json_object_set_new(row, "name", ports_text(properties, "Name"));
	json_object_set_new(row, "state", ports_text(properties, "State"));
	json_object_set_new(row, "holder", ports_text(properties, "Holder"));
	json_object_set_new(row, "base", ports_number(properties, "Base", 0));
	json_object_set_new(row, "irq", ports_number(properties, "Irq", -1));
	json_object_set_new(row, "thread", ports_text(properties, "Thread"));
	json_object_set_new(row, "tid", ports_number(properties, "ThreadId", 0));
	json_object_set_new(row, "driver", ports_text(properties, "Driver"));
	json_object_set_new(row, "device", ports_text(properties, "Device"));
	json_object_set_new(row, "role", ports_text(properties, "Role"));
	return row;
}

static char *ports_explain_measuring(const json_t *row)
{
	const char *role = field_text(row, "role");

	if (!*role)
		return g_strdup("another program has it through the kernel module");
	if (g_str_equal(role, "test"))
		return g_strdup("it is being tested");
	return g_strdup_printf("a session measures, role %s", role);
}

static char *ports_explain_ready(const json_t *row)
{
	if (field_has(row, "irq"))
		return g_strdup("it can be measured with");
	return g_strdup(field_has(row, "base")
				? "it has no interrupt: only a logger that polls can use it"
				: "it is behind USB: nothing can be measured with it");
}

char *ports_explain(const json_t *row)
{
	const char *state = field_text(row, "state");

	if (g_str_equal(state, "ready"))
		return ports_explain_ready(row);
	if (g_str_equal(state, "measuring"))
		return ports_explain_measuring(row);
	if (g_str_equal(state, "present"))
		return g_strdup("the kernel module is not there for it: modprobe lrtbf");
	if (g_str_equal(state, "busy"))
		return g_strdup_printf("the driver %s has it", field_text(row, "holder"));
	if (g_str_equal(state, "absent"))
		return g_strdup("it was taken away");
	return g_strdup("");
}

char *ports_base(const json_t *row)
{
	return field_has(row, "base")
		       ? g_strdup_printf("0x%" PRIx64, (uint64_t)field_number(row, "base", 0))
		       : NULL;
}

char *ports_irq(const json_t *row)
{
	return field_has(row, "irq") ? g_strdup_printf("%" PRIi64, field_number(row, "irq", 0))
				     : NULL;
}

/* --- reading --- */

static int ports_compare(const void *a, const void *b)
{
	const char *x = field_text(*(json_t *const *)a, "name");
	const char *y = field_text(*(json_t *const *)b, "name");
	size_t n = strlen(x), m = strlen(y);

	return n != m ? (n < m ? -1 : 1) : strcmp(x, y);
}

static json_t *ports_sorted(GPtrArray *rows)
{
	json_t *sorted = json_array();

	g_ptr_array_sort(rows, ports_compare);
	for (guint i = 0; i < rows->len; i++)
		json_array_append_new(sorted, rows->pdata[i]);
	return sorted;
}

int ports_read(struct client *c, json_t **ret)
{
	g_autoptr(GPtrArray) rows = g_ptr_array_new();
	json_t *reply, *interfaces;
	const char *path;
	int r = client_call(c, CLIENT_PATH, PORTS_OBJECTS, "GetManagedObjects", &reply, "");

	if (r)
		return r;
	json_object_foreach (json_array_get(reply, 0), path, interfaces) {
		const json_t *properties = json_object_get(interfaces, CLIENT_PORT);

		if (g_str_has_prefix(path, PORTS_PREFIX) && json_is_object(properties))
			g_ptr_array_add(rows, ports_row(properties));
	}
	json_decref(reply);
	*ret = ports_sorted(rows);
	return OUTCOME_DONE;
}

static int ports_pick(json_t *rows, const char *name, json_t **ret)
{
	size_t n = json_array_size(rows);
	json_t *row;
	size_t i;

	if (n == 0)
		return say_error("This machine has no parallel port, or no driver for it is "
				 "loaded.");
	if (!name && n > 1)
		return say_error("There are %zu ports: say which one.", n);
	json_array_foreach (rows, i, row) {
		if (name && !g_str_equal(field_text(row, "name"), name))
			continue;
		*ret = json_incref(row);
		return OUTCOME_DONE;
	}
	return say_error("There is no parallel port '%s'; 'lrtbfctl port list' shows those there "
			 "are.",
			 name);
}

int ports_read_one(struct client *c, const char *name, json_t **ret)
{
	json_t *rows;
	int r = ports_read(c, &rows);

	if (r)
		return r;
	r = ports_pick(rows, name, ret);
	json_decref(rows);
	return r;
}
