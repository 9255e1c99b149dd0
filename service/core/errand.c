/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * JSON and not a struct: the nanny is another program, which an upgrade may replace under a running
 * daemon. A key that is missing or of the wrong type is refused instead of guessed.
 */
#include "errand.h"

#include <errno.h>
#include <jansson.h>
#include <string.h>

#include "cleanup.h"

struct errand *errand_new(const struct load *l)
{
	struct errand *e = g_new0(struct errand, 1);

	e->name = g_strdup(l->name);
	e->command = g_strdupv(l->command);
	e->instances = CLAMP(l->instances, 1, ERRAND_INSTANCES_MAX);
	e->repeat = l->repeat;
	e->end_statuses = l->end_statuses;
	e->pause_ns = l->pause_ns;
	e->restart_after_ns = l->restart_after_ns;
	e->scratch = l->scratch_bytes > 0;
	e->scratch_bytes = l->scratch_bytes;
	e->keep_rights = l->as_root;
	return e;
}

void errand_free(struct errand *e)
{
	if (!e)
		return;
	g_free(e->name);
	g_strfreev(e->command);
	g_free(e);
}

static json_t *errand_statuses(const struct errand *e)
{
	json_t *a = json_array();

	for (int status = 0; status < 64; status++)
		if (e->end_statuses >> status & 1)
			json_array_append_new(a, json_integer(status));
	return a;
}

char *errand_to_text(const struct errand *e)
{
	g_autoptr(json_t) j = json_object();
	json_t *command = json_array();
	char *text, *copy;

	for (char **arg = e->command; arg && *arg; arg++)
		json_array_append_new(command, json_stringn_nocheck(*arg, strlen(*arg)));
	json_object_set_new(j, "name", json_string(e->name));
	json_object_set_new(j, "command", command);
	json_object_set_new(j, "instances", json_integer(e->instances));
	json_object_set_new(j, "repeat", json_boolean(e->repeat));
	json_object_set_new(j, "pause_ns", json_integer((json_int_t)e->pause_ns));
	json_object_set_new(j, "restart_after_ns", json_integer((json_int_t)e->restart_after_ns));
	json_object_set_new(j, "scratch", json_boolean(e->scratch));
	json_object_set_new(j, "scratch_bytes", json_integer((json_int_t)e->scratch_bytes));
	json_object_set_new(j, "nobody", json_boolean(e->nobody));
	json_object_set_new(j, "keep_rights", json_boolean(e->keep_rights));
	json_object_set_new(j, "no_namespace", json_boolean(e->no_namespace));
	json_object_set_new(j, "parent", json_integer(e->parent));
	json_object_set_new(j, "end_statuses", errand_statuses(e));
	text = json_dumps(j, JSON_COMPACT);
	copy = g_strdup(text);
	free(text);
	return copy;
}

static int errand_complain(char **ret_message, const char *what)
{
	if (ret_message)
		*ret_message = g_strdup_printf("Not a load's errand: %s.", what);
	return -EBADMSG;
}

static int errand_take_integer(const json_t *j, const char *key, json_int_t max, json_int_t *ret)
{
	const json_t *v = json_object_get(j, key);

	if (!json_is_integer(v) || json_integer_value(v) < 0 || json_integer_value(v) > max)
		return -EBADMSG;
	*ret = json_integer_value(v);
	return 0;
}

static int errand_take_bool(const json_t *j, const char *key, bool *ret)
{
	const json_t *v = json_object_get(j, key);

	if (!json_is_boolean(v))
		return -EBADMSG;
	*ret = json_is_true(v);
	return 0;
}

static int errand_take_command(const json_t *j, char ***ret)
{
	g_auto(GStrv) command = NULL;
	const json_t *a = json_object_get(j, "command"), *v;
	size_t i;

	if (json_array_size(a) == 0)
		return -EBADMSG;
	command = g_new0(char *, json_array_size(a) + 1);
	json_array_foreach ((json_t *)a, i, v) {
		if (!json_is_string(v) || (i == 0 && json_string_length(v) == 0))
			return -EBADMSG;
		command[i] = g_strdup(json_string_value(v));
	}
	*ret = g_steal_pointer(&command);
	return 0;
}

static int errand_take_statuses(const json_t *j, uint64_t *ret)
{
	const json_t *a = json_object_get(j, "end_statuses"), *v;
	uint64_t mask = 0;
	size_t i;

	if (!json_is_array(a))
		return -EBADMSG;
	json_array_foreach ((json_t *)a, i, v) {
		json_int_t status = json_integer_value(v);

		if (!json_is_integer(v) || status < 0 || status > 63)
			return -EBADMSG;
		mask |= 1ULL << status;
	}
	*ret = mask;
	return 0;
}

static int errand_take(const json_t *j, struct errand *e)
{
	json_int_t instances, pause, restart, scratch, parent;

	if (!json_is_string(json_object_get(j, "name")) ||
	    errand_take_command(j, &e->command) < 0 ||
	    errand_take_integer(j, "instances", ERRAND_INSTANCES_MAX, &instances) < 0 ||
	    errand_take_integer(j, "pause_ns", G_MAXINT64, &pause) < 0 ||
	    errand_take_integer(j, "restart_after_ns", G_MAXINT64, &restart) < 0 ||
	    errand_take_integer(j, "scratch_bytes", G_MAXINT64, &scratch) < 0 ||
	    errand_take_integer(j, "parent", G_MAXINT, &parent) < 0 ||
	    errand_take_bool(j, "repeat", &e->repeat) < 0 ||
	    errand_take_bool(j, "scratch", &e->scratch) < 0 ||
	    errand_take_bool(j, "nobody", &e->nobody) < 0 ||
	    errand_take_bool(j, "keep_rights", &e->keep_rights) < 0 ||
	    errand_take_bool(j, "no_namespace", &e->no_namespace) < 0 ||
	    errand_take_statuses(j, &e->end_statuses) < 0 || instances == 0)
		return -EBADMSG;
	e->name = g_strdup(json_string_value(json_object_get(j, "name")));
	e->instances = instances;
	e->pause_ns = pause;
	e->restart_after_ns = restart;
	e->scratch_bytes = scratch;
	e->parent = parent;
	return 0;
}

int errand_parse(const char *text, size_t size, struct errand **ret, char **ret_message)
{
	g_autoptr(errand_t) e = g_new0(struct errand, 1);
	g_autoptr(json_t) j = NULL;
	json_error_t error;

	if (size > ERRAND_TEXT_MAX)
		return errand_complain(ret_message, "it is too long");
	j = json_loadb(text, size, JSON_REJECT_DUPLICATES, &error);
	if (!j)
		return errand_complain(ret_message, error.text);
	if (errand_take(j, e) < 0)
		return errand_complain(ret_message, "a key is missing or of the wrong type");
	*ret = g_steal_pointer(&e);
	return 0;
}
