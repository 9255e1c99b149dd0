/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One table says what makes a measurement another one: then its numbers mean something else, and
 * are in no table with these. Everything else that a method says (interval, priority, CPUs) moves
 * the numbers without changing what they are; it is named and compared. What one side does not say
 * is no difference: older sessions have fewer keys.
 */
#include "comparison-internal.h"

#include "cell.h"
#include "value.h"

#include <string.h>

static const char *const method_identity[] = {
	"quantity", "instrument", "source",  "policy", "role",	  "answer",
	"receive",  "context",	  "virtual", "loads",  "work_ns", NULL,
};

const char *comparison_quantity(const json_t *method)
{
	const char *quantity = value_get_string(method, "quantity");

	return quantity ? quantity : "latency";
}

/* NULL: it does not say. g_free(). */
static char *method_word(const json_t *method, const char *key)
{
	const json_t *v = json_object_get(method, key), *each;
	g_autoptr(GString) words = NULL;
	size_t i;

	if (strcmp(key, "quantity") == 0)
		return g_strdup(comparison_quantity(method));
	if (json_is_string(v))
		return cell_text(json_string_value(v));
	if (json_is_integer(v) && g_str_has_suffix(key, "_ns") && json_integer_value(v) >= 0)
		return cell_duration((uint64_t)json_integer_value(v));
	if (json_is_integer(v))
		return g_strdup_printf("%" JSON_INTEGER_FORMAT, json_integer_value(v));
	if (json_is_boolean(v))
		return g_strdup(json_is_true(v) ? "yes" : "no");
	words = g_string_new(NULL);
	json_array_foreach ((json_t *)v, i, each)
		if (json_is_string(each))
			g_string_append_printf(words, "%s%s", words->len ? " " : "",
					       json_string_value(each));
	return words->len ? cell_text(words->str) : NULL;
}

static void method_compare(GString *out, const json_t *a, const json_t *b, const char *key)
{
	g_autofree char *va = method_word(a, key), *vb = method_word(b, key);
	g_autofree char *name = g_strdup(key);

	if (!va || !vb || strcmp(va, vb) == 0)
		return;
	if (g_str_has_suffix(name, "_ns") || g_str_has_suffix(name, "_us"))
		name[strlen(name) - 3] = '\0';
	g_strdelimit(name, "_", ' ');
	g_string_append_printf(out, "%s%s %s and %s", out->len ? ", " : "", name, va, vb);
}

char *comparison_method_differs(const json_t *a, const json_t *b)
{
	g_autoptr(GString) out = g_string_new(NULL);

	for (const char *const *key = method_identity; *key; key++)
		method_compare(out, a, b, *key);
	return out->len ? g_strdup(out->str) : NULL;
}

char *comparison_settings_differ(const json_t *a, const json_t *b)
{
	g_autoptr(GString) out = g_string_new(NULL);
	const char *key;
	json_t *v;

	json_object_foreach ((json_t *)a, key, v)
		if (!g_strv_contains(method_identity, key))
			method_compare(out, a, b, key);
	return out->len ? g_strdup(out->str) : NULL;
}

char *comparison_method_text(const json_t *method)
{
	g_autoptr(GString) out = g_string_new(NULL);

	for (const char *const *key = method_identity + 1; *key; key++) {
		g_autofree char *word = method_word(method, *key);

		if (!word || strcmp(*key, "source") == 0) /* the instrument's name has it */
			continue;
		if (strcmp(*key, "instrument") == 0)
			g_string_append(out, word);
		else
			g_string_append_printf(out, "%s%s %s", out->len ? ", " : "", *key, word);
	}
	return g_strdup(out->str);
}
