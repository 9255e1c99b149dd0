/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Why the old drop-in is read again and not kept in memory: it is the only place where a choice
 * stands, and somebody may have changed it with an editor. One without our first line is somebody
 * else's and stays as it is.
 */
#include "scheduledropin.h"

#include "conffile.h"
#include "message.h"
#include "plan-keys.h"

#include <errno.h>
#include <string.h>

#define SCHEDULEDROPIN_MARK                                                                        \
	"# Written by lrtbfd (lrtbfctl plan schedule, enable, disable), which writes it anew.\n"

/* Keys of the drop-in, in the order in which they are written. */
static bool dropin_key(const char *key)
{
	const struct plan_key *k = plan_keys;

	if (strcmp(key, "schedule") == 0)
		return true;
	while (k->name && (!k->schedule || strcmp(k->name, key) != 0))
		k++;
	return k->name != NULL;
}

static bool dropin_is_bool(const char *key)
{
	for (const struct plan_key *k = plan_keys; k->name; k++)
		if (k->schedule && strcmp(k->name, key) == 0)
			return k->kind == PLAN_BOOL;
	return false;
}

static char *dropin_list(char **texts)
{
	GString *out = g_string_new("[");

	for (char **t = texts; *t; t++) {
		g_autofree char *quoted = conf_quote(*t);

		g_string_append_printf(out, "%s%s", t > texts ? ", " : " ", quoted);
	}
	g_string_append(out, " ]");
	return g_string_free(out, FALSE);
}

static char *dropin_new_value(const struct schedule_change *c)
{
	g_auto(GStrv) texts = NULL;

	if (dropin_is_bool(c->key))
		return g_strdup(strcmp(c->value, "true") == 0 ? "true" : "false");
	if (strcmp(c->key, "schedule") != 0)
		return conf_quote(c->value);
	texts = schedule_split(c->value);
	return dropin_list(texts);
}

/* What @g says of @key, as it is written; NULL: nothing, or, with a problem, nothing that fits. */
static char *dropin_old_value(struct conf_group *g, const char *key)
{
	g_auto(GStrv) texts = NULL;
	const char *text;
	bool value;

	if (!g)
		return NULL;
	if (dropin_is_bool(key))
		return conf_take_bool(g, key, &value) == 0 ? g_strdup(value ? "true" : "false")
							   : NULL;
	if (strcmp(key, "schedule") == 0 && conf_has(g, key) && !conf_is_string(g, key))
		return conf_take_strings(g, key, &texts) == 0 ? dropin_list(texts) : NULL;
	return conf_take_string(g, key, &text) == 0 ? conf_quote(text) : NULL;
}

static void dropin_append(GString *out, struct conf_group *old, const char *key,
			  const struct schedule_change *changes, size_t n)
{
	g_autofree char *value = dropin_old_value(old, key);

	for (size_t i = 0; i < n; i++)
		if (strcmp(changes[i].key, key) == 0) {
			g_free(value);
			value = dropin_new_value(&changes[i]);
		}
	if (value)
		g_string_append_printf(out, "%s = %s;\n", key, value);
}

bool scheduledropin_is_ours(const char *text, size_t size)
{
	size_t n = strlen(SCHEDULEDROPIN_MARK);

	return size >= n && memcmp(text, SCHEDULEDROPIN_MARK, n) == 0;
}

static int dropin_parse(const char *old, size_t size, GPtrArray *problems, struct conf **ret,
			char **ret_message)
{
	if (!scheduledropin_is_ours(old, size))
		return message_fail(ret_message, -EKEYREJECTED, SCHEDULEDROPIN_FOREIGN);
	*ret = conf_parse(old, size, SCHEDULEDROPIN_NAME ".conf", problems);
	return *ret ? 0 : -EKEYREJECTED;
}

int scheduledropin_change(const char *old, size_t old_size, const struct schedule_change *changes,
			  size_t n, char **ret_text, char **ret_message)
{
	g_autoptr(GPtrArray) problems = problems_new();
	struct conf *c = NULL;
	GString *out;
	int r = 0;

	for (size_t i = 0; i < n; i++)
		if (!dropin_key(changes[i].key))
			return message_fail(ret_message, -ENOENT,
					    "there is no \"%.32s\" of a schedule", changes[i].key);
	if (old)
		r = dropin_parse(old, old_size, problems, &c, ret_message);
	out = g_string_new(SCHEDULEDROPIN_MARK);
	dropin_append(out, c ? conf_root(c) : NULL, "schedule", changes, n);
	for (const struct plan_key *k = plan_keys; k->name; k++)
		if (k->schedule)
			dropin_append(out, c ? conf_root(c) : NULL, k->name, changes, n);
	if (c)
		conf_done(c); /* keys that are no schedule's would be lost */
	conf_free(c);
	if (problems->len > 0) {
		if (ret_message)
			*ret_message = problems_format(problems);
		r = -EKEYREJECTED;
	}
	if (r == 0)
		*ret_text = g_string_free(g_steal_pointer(&out), FALSE);
	else
		g_string_free(out, TRUE);
	return r;
}
