/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "irqrules.h"

#include "irqs.h"
#include <string.h>

int irqrules_read(struct client *c, json_t **ret)
{
	static const char *const keys[] = {
		"name",	    "file",	     "line",	 "match",   "policy",  "priority", "nice",
		"affinity", "reset_on_fork", "override", "outcome", "message", NULL
	};
	json_t *reply, *list;
	int r = client_call(c, CLIENT_PATH, CLIENT_MANAGER, "ListIrqRules", &reply, "a{sv}", 0);

	if (r)
		return r;
	list = json_array_get(reply, 0);
	*ret = json_is_array(list) ? json_incref(list) : json_array();
	json_decref(reply);
	for (size_t i = 0; i < json_array_size(*ret); i++)
		irqs_complete(json_array_get(*ret, i), keys);
	return OUTCOME_DONE;
}

const json_t *irqrules_find(const json_t *rules, const json_t *change)
{
	for (size_t i = 0; i < json_array_size(rules); i++) {
		const json_t *rule = json_array_get(rules, i);

		if (field_number(rule, "line", 0) == field_number(change, "line", 0) &&
		    strcmp(field_text(rule, "file"), field_text(change, "file")) == 0 &&
		    strcmp(field_text(rule, "name"), field_text(change, "by")) == 0)
			return rule;
	}
	return NULL;
}

char *irqrules_match_text(const json_t *rule)
{
	GString *out = g_string_new(NULL);
	json_t *value;
	const char *key;

	json_object_foreach (json_object_get(rule, "match"), key, value)
		if (json_is_string(value))
			g_string_append_printf(out, "%s%s=%s", out->len ? " " : "", key,
					       json_string_value(value));
	return g_string_free(out, FALSE);
}

static void irqrules_set(GString *out, const char *word, const char *value)
{
	g_string_append_printf(out, "%s%s%s%s", out->len ? ", " : "", word, *value ? " " : "",
			       value);
}

static void irqrules_set_number(GString *out, const char *word, const json_t *rule, const char *key)
{
	g_autofree char *value = g_strdup_printf("%" G_GINT64_FORMAT, field_number(rule, key, 0));

	irqrules_set(out, word, value);
}

char *irqrules_sets_text(const json_t *rule)
{
	const char *policy = field_text(rule, "policy");
	GString *out = g_string_new(NULL);
	/* A priority of 0 is that of a policy that has none. */
	bool priority = field_number(rule, "priority", 0) > 0;

	if (*policy && priority)
		irqrules_set_number(out, policy, rule, "priority");
	else if (*policy)
		irqrules_set(out, policy, "");
	else if (priority)
		irqrules_set_number(out, "priority", rule, "priority");
	if (field_true(rule, "reset_on_fork"))
		irqrules_set(out, "reset-on-fork", "");
	if (field_has(rule, "nice"))
		irqrules_set_number(out, "nice", rule, "nice");
	if (*field_text(rule, "affinity"))
		irqrules_set(out, "affinity", field_text(rule, "affinity"));
	if (*field_text(rule, "override"))
		irqrules_set(out, "override", field_text(rule, "override"));
	return g_string_free(out, FALSE);
}
