/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Why each attribute is decided by itself: "all of the network at nice 19" and "eth0 on CPU 1" are
 * two thoughts, and one rule should not have to repeat the other. Only policy and priority belong
 * together, because the kernel sets them together.
 */
#include "rule.h"

#include "duration.h"
#include "glob.h"
#include "irqlist.h"
#include "policy.h"

#include <string.h>

struct rule_target rule_target_of(const GArray *tags)
{
	if (!tags)
		return (struct rule_target){ 0 };
	return (struct rule_target){ (const struct rule_tag *)(const void *)tags->data, tags->len };
}

static bool value_matches(enum rule_key key, const char *value, const char *pattern)
{
	int64_t irq;

	if (key != RULE_IRQ)
		return strcmp(value, pattern) == 0 || glob_match(pattern, value);
	return integer_parse(value, 0, IRQLIST_NUMBER_MAX, &irq, NULL) == 0 &&
	       irqlist_contains(pattern, irq);
}

bool rule_tag_match(const struct rule_target *t, enum rule_key key, const char *pattern)
{
	for (size_t i = 0; i < t->n_tags; i++)
		if (t->tags[i].key == key && value_matches(key, t->tags[i].value, pattern))
			return true;
	return false;
}

bool rule_matches(const struct rule *r, const struct rule_target *t)
{
	for (int key = 0; key < RULE_KEYS; key++)
		if (r->match[key] && !rule_tag_match(t, key, r->match[key]))
			return false;
	return true;
}

static void wish_add(struct rule_wish *w, const struct rule *r)
{
	if (!w->policy_by && r->policy >= 0) {
		w->policy_by = r;
		w->policy = r->policy;
		w->reset_on_fork = r->reset_on_fork;
	}
	if (!w->priority_by && r->priority >= 0) {
		w->priority_by = r;
		w->priority = r->priority;
	}
	if (!w->nice_by && r->has_nice) {
		w->nice_by = r;
		w->nice = r->nice;
	}
	if (!w->affinity_by && r->affinity) {
		w->affinity_by = r;
		w->affinity = r->affinity;
	}
}

void rules_resolve(const GPtrArray *const *lists, size_t n_lists, const struct rule_target *t,
		   struct rule_wish *ret)
{
	struct rule_wish w = { .policy = -1, .priority = -1 };

	for (size_t i = 0; i < n_lists; i++)
		for (guint j = 0; lists[i] && j < lists[i]->len; j++)
			if (rule_matches(lists[i]->pdata[j], t))
				wish_add(&w, lists[i]->pdata[j]);
	if (w.policy_by && policy_is_ordinary(w.policy)) {
		w.priority_by = NULL;
		w.priority = 0;
	}
	for (size_t i = 0; i < 4; i++) {
		const struct rule *by[] = { w.policy_by, w.priority_by, w.nice_by, w.affinity_by };

		w.override |= by[i] ? by[i]->override : 0;
	}
	*ret = w;
}
