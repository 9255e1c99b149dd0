/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "plans.h"

#include "text.h"
#include <string.h>

static void plans_complete(json_t *plan)
{
	static const char *const keys[] = {
		"name",	  "path",     "description", "instrument", "duration_ns", "interval_ns",
		"policy", "priority", "cpus",	     "stages",	   "limits",	  "text",
		"valid",  "problems", "repeat",	     "baseline"
	};

	for (size_t i = 0; i < G_N_ELEMENTS(keys); i++)
		if (!json_object_get(plan, keys[i]))
			json_object_set_new(plan, keys[i], json_null());
}

int plans_read(struct client *c, json_t **ret)
{
	json_t *reply;
	int r = client_call(c, CLIENT_PATH, CLIENT_MANAGER, "ListPlans", &reply, "a{sv}", 0);

	if (r)
		return r;
	*ret = json_incref(json_array_get(reply, 0));
	json_decref(reply);
	for (size_t i = 0; i < json_array_size(*ret); i++)
		plans_complete(json_array_get(*ret, i));
	return OUTCOME_DONE;
}

json_t *plans_find(const json_t *plans, const char *name)
{
	for (size_t i = 0; i < json_array_size(plans); i++) {
		json_t *p = json_array_get(plans, i);

		if (strcmp(field_text(p, "name"), name) == 0)
			return p;
	}
	return NULL;
}

int plans_say_unknown(const json_t *plans, const char *name)
{
	g_autoptr(GPtrArray) names = g_ptr_array_new();
	const char *near;

	for (size_t i = 0; i < json_array_size(plans); i++)
		g_ptr_array_add(names, (char *)field_text(json_array_get(plans, i), "name"));
	g_ptr_array_add(names, NULL);
	near = text_nearest(name, (const char *const *)names->pdata);
	if (near)
		return say_error("There is no plan '%s'. Did you mean '%s'?", name, near);
	return say_error("There is no plan '%s'; 'lrtbfctl plan list' shows those there are.",
			 name);
}

/* For people: what is quoted from a file may be anything. */
static void plans_problem_line(const char *where, json_int_t line, const char *text, GString *out)
{
	g_autofree char *clean_where = text_clean(where, text_locale_is_utf8());
	g_autofree char *clean_text = text_clean(text, text_locale_is_utf8());

	g_string_append_printf(out, "%s:", clean_where);
	if (line > 0)
		g_string_append_printf(out, "%" JSON_INTEGER_FORMAT ":", line);
	g_string_append_printf(out, " %s\n", clean_text);
}

void plans_problems(const json_t *problems, const char *file, GString *out, json_t *all)
{
	for (size_t i = 0; i < json_array_size(problems); i++) {
		const json_t *p = json_array_get(problems, i);
		const char *where = field_text(p, "file"), *text = field_text(p, "text");
		json_int_t line = field_number(p, "line", 0);

		if (!*where)
			where = file;
		plans_problem_line(where, line, text, out);
		if (all)
			json_array_append_new(all, json_pack("{s:s, s:I, s:s}", "file", where,
							     "line", line, "text", text));
	}
}
