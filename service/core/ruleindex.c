/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Thousands of rules are written by programs, one for each device, and each names it: an interrupt
 * by its number, an action or interface by its whole name. What a rule asks for so, a target has
 * among its tags or the rule does not match, so the tags find it. Rules of nothing but wildcards
 * and lists are tried one by one; people write those, and not by the thousand.
 */
#include "ruleindex.h"

#include <string.h>

struct ruleindex {
	const GPtrArray *rules;
	GHashTable *by_tag; /* struct rule_tag -> GArray of places in the list */
	GArray *others;	    /* places of rules that name nothing */
};

static guint tag_hash(gconstpointer data)
{
	const struct rule_tag *tag = data;

	return g_str_hash(tag->value) * RULE_KEYS + tag->key;
}

static gboolean tag_equal(gconstpointer a, gconstpointer b)
{
	const struct rule_tag *x = a, *y = b;

	return x->key == y->key && strcmp(x->value, y->value) == 0;
}

/* Whether it matches the one text that is equal to it, and no other. */
static bool pattern_names(enum rule_key key, const char *pattern)
{
	return key == RULE_IRQ ? !pattern[strspn(pattern, "0123456789")]
			       : !pattern[strcspn(pattern, "*?[\\")];
}

/* What a target that @r matches has among its tags; false: nothing that is known beforehand. */
static bool rule_names(const struct rule *r, struct rule_tag *ret)
{
	for (int key = 0; key < RULE_KEYS; key++) {
		if (!r->match[key] || !pattern_names(key, r->match[key]))
			continue;
		*ret = (struct rule_tag){ .key = key, .value = r->match[key] };
		return true;
	}
	return false;
}

static void ruleindex_add(struct ruleindex *x, guint place)
{
	struct rule_tag tag;
	GArray *places = x->others;

	if (rule_names(x->rules->pdata[place], &tag)) {
		places = g_hash_table_lookup(x->by_tag, &tag);
		if (!places) {
			places = g_array_new(FALSE, FALSE, sizeof(guint));
			g_hash_table_insert(x->by_tag, g_memdup2(&tag, sizeof(tag)), places);
		}
	}
	g_array_append_val(places, place);
}

struct ruleindex *ruleindex_new(const GPtrArray *rules)
{
	struct ruleindex *x = g_new0(struct ruleindex, 1);

	x->rules = rules;
	x->by_tag =
		g_hash_table_new_full(tag_hash, tag_equal, g_free, (GDestroyNotify)g_array_unref);
	x->others = g_array_new(FALSE, FALSE, sizeof(guint));
	for (guint i = 0; rules && i < rules->len; i++)
		ruleindex_add(x, i);
	return x;
}

struct ruleindex *ruleindex_free(struct ruleindex *x)
{
	if (!x)
		return NULL;
	g_hash_table_unref(x->by_tag);
	g_array_unref(x->others);
	g_free(x);
	return NULL;
}

/* Appends those of @candidates that match. */
static void places_match(const struct ruleindex *x, const GArray *candidates,
			 const struct rule_target *t, GArray *places)
{
	for (guint i = 0; candidates && i < candidates->len; i++) {
		guint place = g_array_index(candidates, guint, i);

		if (rule_matches(x->rules->pdata[place], t))
			g_array_append_val(places, place);
	}
}

static gint place_compare(gconstpointer a, gconstpointer b)
{
	guint x = *(const guint *)a, y = *(const guint *)b;

	return (x > y) - (x < y);
}

void ruleindex_match(const struct ruleindex *x, const struct rule_target *t, GPtrArray *matching)
{
	g_autoptr(GArray) places = g_array_new(FALSE, FALSE, sizeof(guint));

	for (size_t i = 0; i < t->n_tags; i++)
		places_match(x, g_hash_table_lookup(x->by_tag, &t->tags[i]), t, places);
	places_match(x, x->others, t, places);
	g_array_sort(places, place_compare);
	for (guint i = 0; i < places->len; i++) {
		guint place = g_array_index(places, guint, i);

		/* a tag that is there twice finds the same rules twice */
		if (i == 0 || place != g_array_index(places, guint, i - 1))
			g_ptr_array_add(matching, x->rules->pdata[place]);
	}
}
