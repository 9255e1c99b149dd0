/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * KEY=PATTERN is decided by the same function that decides rules, on tags made of the reply, so
 * that what was tried by hand can be written down as a rule.
 */
#include "irqselect.h"

#include "kthread.h"
#include "outcome.h"
#include "say.h"
#include "text.h"
#include "variant.h"
#include <errno.h>
#include <string.h>

#define IRQSELECT_NAMED_MAX 8 /* things that a sentence names */

/* --- words --- */

static int irqselect_unknown_key(const char *key, const char *word, char **ret_message)
{
	const char *names[RULE_KEYS + 1] = { NULL }, *near;
	g_autofree char *list = NULL;

	for (int k = 0; k < RULE_KEYS; k++)
		names[k] = rule_key_to_string(k);
	near = text_nearest(key, names);
	list = g_strjoinv("=, ", (char **)names);
	if (near)
		*ret_message = g_strdup_printf("'%s': there is no key '%s'. Did you mean '%s='?",
					       word, key, near);
	else
		*ret_message = g_strdup_printf("'%s': there is no key '%s'; there are %s=.", word,
					       key, list);
	return -EINVAL;
}

/* "KEY=..." of a word that could be a key; names of threads have digits and slashes before a '='.
 */
static size_t irqselect_key_size(const char *word)
{
	size_t n = strspn(word, "abcdefghijklmnopqrstuvwxyz_-");

	return n && word[n] == '=' ? n : 0;
}

/* What a rule would not take matches nothing, or not what is meant. */
static int irqselect_pattern(const char *word, enum rule_key key, const char *pattern,
			     struct irqselect *ret, char **ret_message)
{
	g_autofree char *why = NULL;
	int r = rule_pattern_check(key, pattern, &why);

	if (r < 0)
		*ret_message = g_strdup_printf("'%s': %s.", word, why);
	else
		*ret = (struct irqselect){ .key = key, .pattern = pattern };
	return r;
}

int irqselect_parse(const char *word, struct irqselect *ret, char **ret_message)
{
	size_t n = irqselect_key_size(word);
	g_autofree char *key = g_strndup(word, n);
	int k;

	if (!*word) {
		*ret_message = g_strdup("An empty word selects nothing.");
		return -EINVAL;
	}
	if (!n) {
		if (strspn(word, "0123456789") == strlen(word))
			return irqselect_pattern(word, RULE_IRQ, word, ret, ret_message);
		*ret = (struct irqselect){ .key = -1, .pattern = word };
		return 0;
	}
	k = rule_key_from_string(key);
	if (k < 0)
		return irqselect_unknown_key(key, word, ret_message);
	if (!word[n + 1]) {
		*ret_message = g_strdup_printf("'%s' needs a value.", word);
		return -EINVAL;
	}
	return irqselect_pattern(word, k, word + n + 1, ret, ret_message);
}

/* --- tags --- */

struct irqselect_tags {
	GArray *tags;	    /* of struct rule_tag */
	GPtrArray *strings; /* of those that no row has */
};

static void irqselect_tag(struct irqselect_tags *t, enum rule_key key, const char *value)
{
	struct rule_tag tag = { .key = key, .value = value };

	if (value && *value)
		g_array_append_val(t->tags, tag);
}

static void irqselect_take(struct irqselect_tags *t, enum rule_key key, char *value)
{
	g_ptr_array_add(t->strings, value);
	irqselect_tag(t, key, value);
}

/* "interface=eth0" */
static void irqselect_tag_device(struct irqselect_tags *t, const char *device)
{
	size_t n = irqselect_key_size(device);
	g_autofree char *key = g_strndup(device, n);
	int k = n ? rule_key_from_string(key) : -EINVAL;

	if (k >= 0)
		irqselect_tag(t, k, device + n + 1);
}

/* @name with all of @action; "s-..." may be the action's own. g_free(). */
static char *irqselect_uncut(const char *name, const struct kthread_name *what, const char *action)
{
	const char *rest = what->rest;

	if (what->secondary && !g_str_has_prefix(action, rest))
		rest -= strlen("s-");
	return g_strdup_printf("%.*s%s", (int)(rest - name), name, action);
}

/* A name that the kernel has cut is known by the whole one as well. */
static void irqselect_tag_thread(struct irqselect_tags *t, const json_t *row)
{
	const json_t *actions = json_object_get(row, "actions");
	const char *name = field_text(row, "name");
	struct kthread_name what;

	kthread_name_parse(name, &what);
	if (what.kind != KTHREAD_IRQ) {
		irqselect_tag(t, RULE_KTHREAD, name);
		if (what.kind == KTHREAD_NAPI)
			irqselect_take(t, RULE_INTERFACE,
				       g_strndup(name + strlen("napi/"), what.interface_size));
		return;
	}
	irqselect_tag(t, RULE_THREAD, name);
	for (size_t i = 0; i < json_array_size(actions); i++) {
		const char *action = json_string_value(json_array_get(actions, i));

		if (action && kthread_runs_action(name, action))
			irqselect_take(t, RULE_THREAD, irqselect_uncut(name, &what, action));
	}
}

static void irqselect_tag_row(struct irqselect_tags *t, const json_t *row)
{
	const json_t *actions = json_object_get(row, "actions");
	const json_t *devices = json_object_get(row, "devices");

	if (field_has(row, "irq"))
		irqselect_take(t, RULE_IRQ,
			       g_strdup_printf("%" G_GINT64_FORMAT, field_number(row, "irq", -1)));
	for (size_t i = 0; i < json_array_size(actions); i++)
		irqselect_tag(t, RULE_ACTION, json_string_value(json_array_get(actions, i)));
	for (size_t i = 0; i < json_array_size(devices); i++)
		irqselect_tag_device(t, json_string_value(json_array_get(devices, i)) ?: "");
	if (*field_text(row, "name"))
		irqselect_tag_thread(t, row);
}

bool irqselect_matches(const struct irqselect *s, const json_t *row)
{
	static const enum rule_key names[] = { RULE_THREAD, RULE_KTHREAD, RULE_ACTION };
	struct irqselect_tags t = {
		.tags = g_array_new(FALSE, FALSE, sizeof(struct rule_tag)),
		.strings = g_ptr_array_new_with_free_func(g_free),
	};
	struct rule_target target;
	bool matches = false;

	irqselect_tag_row(&t, row);
	target = (struct rule_target){ (const struct rule_tag *)t.tags->data, t.tags->len };
	if (s->key >= 0)
		matches = rule_tag_match(&target, s->key, s->pattern);
	for (size_t i = 0; s->key < 0 && !matches && i < G_N_ELEMENTS(names); i++)
		matches = rule_tag_match(&target, names[i], s->pattern);
	g_array_unref(t.tags);
	g_ptr_array_unref(t.strings);
	return matches;
}

/* --- what there is --- */

static void irqselect_add_name(GPtrArray *names, const char *name)
{
	if (name && *name && !g_ptr_array_find_with_equal_func(names, name, g_str_equal, NULL))
		g_ptr_array_add(names, g_strdup(name));
}

/* What selectors like @s are compared with. Of struct char *, NULL-ended. */
static GPtrArray *irqselect_names(const struct irqselect *s, const json_t *rows)
{
	GPtrArray *names = g_ptr_array_new_with_free_func(g_free);

	for (size_t i = 0; i < json_array_size(rows) && names->len < 1000; i++) {
		const json_t *row = json_array_get(rows, i);
		struct irqselect_tags t = {
			.tags = g_array_new(FALSE, FALSE, sizeof(struct rule_tag)),
			.strings = g_ptr_array_new_with_free_func(g_free),
		};

		irqselect_tag_row(&t, row);
		for (guint n = 0; n < t.tags->len; n++) {
			const struct rule_tag *tag = &g_array_index(t.tags, struct rule_tag, n);

			if ((int)tag->key == s->key ||
			    (s->key < 0 && (tag->key == RULE_THREAD || tag->key == RULE_KTHREAD ||
					    tag->key == RULE_ACTION)))
				irqselect_add_name(names, tag->value);
		}
		g_array_unref(t.tags);
		g_ptr_array_unref(t.strings);
	}
	g_ptr_array_add(names, NULL);
	return names;
}

static int irqselect_say_nothing(const struct irqselect *s, const char *word, const json_t *rows)
{
	g_autoptr(GPtrArray) names = irqselect_names(s, rows);
	g_autoptr(GString) list = g_string_new(NULL);
	const char *near = text_nearest(s->pattern, (const char *const *)names->pdata);
	guint n = names->len - 1;

	if (near && s->key != RULE_IRQ)
		return say_error("'%s' is no interrupt line, and no thread that may be set. Did "
				 "you mean '%s'?",
				 word, near);
	if (!n)
		return say_error("'%s' is no interrupt line, and no thread that may be set; there "
				 "is none to name like "
				 "this; 'lrtbfctl irq list --all' shows what there is.",
				 word);
	for (guint i = 0; i < MIN(n, IRQSELECT_NAMED_MAX); i++)
		g_string_append_printf(list, "%s%s", i ? ", " : "", (char *)names->pdata[i]);
	if (n > IRQSELECT_NAMED_MAX)
		g_string_append_printf(list, " and %u more", n - IRQSELECT_NAMED_MAX);
	return say_error("'%s' is no interrupt line, and no thread that may be set. There are: %s.",
			 word, list->str);
}

/* --- selecting --- */

int irqselect_check(const GPtrArray *words)
{
	for (guint i = 0; i < words->len; i++) {
		g_autofree char *message = NULL;
		struct irqselect s;

		if (irqselect_parse(words->pdata[i], &s, &message) < 0)
			return say_usage("%s", message);
	}
	return OUTCOME_DONE;
}

/* Marks in @chosen the rows that @word means. */
static int irqselect_word(const char *word, const json_t *rows, bool *chosen)
{
	g_autofree char *message = NULL;
	struct irqselect s;
	bool any = false;

	if (irqselect_parse(word, &s, &message) < 0)
		return say_usage("%s", message);
	for (size_t i = 0; i < json_array_size(rows); i++) {
		if (!irqselect_matches(&s, json_array_get(rows, i)))
			continue;
		chosen[i] = true;
		any = true;
	}
	return any ? OUTCOME_DONE : irqselect_say_nothing(&s, word, rows);
}

int irqselect_rows(const GPtrArray *words, const json_t *rows, json_t **ret)
{
	size_t n = json_array_size(rows);
	g_autofree bool *chosen = g_new0(bool, n + 1);
	int worst = OUTCOME_DONE;

	for (guint i = 0; i < words->len; i++) {
		int r = irqselect_word(words->pdata[i], rows, chosen);

		worst = MAX(worst, r);
	}
	if (worst)
		return worst;
	*ret = json_array();
	for (size_t i = 0; i < n; i++)
		if (chosen[i])
			json_array_append(*ret, json_array_get(rows, i));
	return OUTCOME_DONE;
}
