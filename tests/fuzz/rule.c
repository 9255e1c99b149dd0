/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Any bytes as a file of rules: what counts keeps its bounds, contradicts nothing before it, is
 * written and read back as itself, and decides about threads that are called after its own words.
 */
#include "rule.h"

#include "glob.h"
#include "irqlist.h"
#include "policy.h"
#include "ruleindex.h"

#include <stdint.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_bounds(const struct rule *r)
{
	bool any = false;

	for (int i = 0; i < RULE_KEYS; i++) {
		any |= r->match[i] != NULL;
		g_assert(!r->match[i] || rule_pattern_check(i, r->match[i], NULL) == 0);
	}
	g_assert(any && r->line > 0 && *r->name);
	g_assert(r->policy >= 0 || r->priority >= 0 || r->has_nice || r->affinity);
	g_assert(r->priority <= 99 && r->nice >= -20 && r->nice <= 19);
	if (r->policy >= 0)
		g_assert(policy_is_realtime(r->policy) ? r->priority > 0 : r->priority <= 0);
	else
		g_assert(r->priority != 0 && !r->reset_on_fork);
}

static void check_again(const GPtrArray *rules)
{
	g_autofree char *list = rules_format(rules);
	g_autofree char *text = g_strdup_printf("rules = %s;", list);
	g_autoptr(GPtrArray) problems = problems_new();
	g_autoptr(GPtrArray) again = NULL;
	g_autofree char *list2 = NULL;

	again = rules_parse("other", text, strlen(text), "again", problems);
	g_assert(problems->len == 0);
	list2 = rules_format(again);
	g_assert(strcmp(list, list2) == 0);
}

static void check_wish(const struct rule_wish *w)
{
	g_assert(!w->policy_by == (w->policy < 0));
	g_assert(!w->affinity_by == !w->affinity);
	if (w->policy_by && !policy_is_realtime(w->policy))
		g_assert(w->priority == 0 && !w->priority_by);
	if (w->policy_by && policy_is_realtime(w->policy))
		g_assert(w->priority_by && w->priority > 0);
}

/* The same as by trying each. */
static void check_index(const struct ruleindex *index, const GPtrArray *rules,
			const struct rule_target *t)
{
	g_autoptr(GPtrArray) found = g_ptr_array_new();
	guint n = 0;

	ruleindex_match(index, t, found);
	for (guint i = 0; i < rules->len; i++)
		if (rule_matches(rules->pdata[i], t))
			g_assert(n < found->len && found->pdata[n++] == rules->pdata[i]);
	g_assert(n == found->len);
}

/* A thread for each rule, whose tags are the rule's patterns as they stand: it must match. */
static void check_resolve(const GPtrArray *rules)
{
	g_autoptr(ruleindex_t) index = ruleindex_new(rules);

	for (guint i = 0; i < rules->len; i++) {
		const struct rule *r = rules->pdata[i];
		const GPtrArray *lists[] = { NULL, rules, rules };
		g_autofree char *irq = NULL;
		struct rule_tag tags[RULE_KEYS];
		struct rule_target t = { tags, 0 };
		struct rule_wish w;

		for (int key = 0; key < RULE_KEYS; key++) {
			const char *value = r->match[key];

			if (value && key == RULE_IRQ)
				value = irq = g_strndup(value, strspn(value, "0123456789"));
			if (value)
				tags[t.n_tags++] = (struct rule_tag){ key, value };
		}
		g_assert(rule_matches(r, &t));
		check_index(index, rules, &t);
		rules_resolve(lists, G_N_ELEMENTS(lists), &t, &w);
		check_wish(&w);
		g_assert(w.policy_by || w.priority_by || w.nice_by || w.affinity_by);
	}
}

/* The text's own lines as patterns, each against the other. */
static void check_patterns(const char *text, size_t size)
{
	g_autofree char *copy = g_strndup(text, MIN(size, 512));
	g_auto(GStrv) words = g_strsplit_set(copy, "\"\n", 16);

	for (size_t i = 0; words[i]; i++) {
		g_autofree char *list = NULL;

		for (size_t k = 0; words[k]; k++)
			(void)glob_match(words[i], words[k]);
		(void)glob_check(words[i], NULL);
		if (irqlist_normalise(words[i], &list, NULL) == 0) {
			unsigned first = g_ascii_strtoull(list, NULL, 10);

			g_assert(irqlist_contains(list, first));
			g_assert(irqlist_contains(words[i], first));
		}
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *text = data ? (const char *)data : ""; /* no bytes may be no pointer */
	g_autoptr(GPtrArray) problems = problems_new();
	g_autoptr(GPtrArray) rules = rules_parse("fuzz", text, size, "fuzz", problems);
	g_autoptr(GPtrArray) copy = rules_copy(rules);

	for (guint i = 0; i < copy->len; i++)
		check_bounds(copy->pdata[i]);
	check_again(copy);
	check_resolve(copy);
	check_patterns(text, size);
	return 0;
}
