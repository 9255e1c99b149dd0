/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ruledict.h"

#include "bounded.h"
#include "dict.h"
#include "policy.h"

#define RULEDICT_FIXED_SIZE 2048 /* all keys and numbers of a rule */

static int ruledict_append_match(sd_bus_message *m, const void *data)
{
	const struct rule *rule = data;
	int r;

	r = sd_bus_message_open_container(m, 'a', "{sv}");
	for (int key = 0; r >= 0 && key < RULE_KEYS; key++)
		r = dict_optional(m, rule_key_to_string(key), rule->match[key]);
	return r < 0 ? r : sd_bus_message_close_container(m);
}

static int ruledict_attributes(sd_bus_message *m, const struct rule *rule)
{
	g_autofree char *override = NULL;
	int r = 0;

	if (rule->policy >= 0)
		r = dict_optional(m, "policy", policy_to_string(rule->policy));
	if (r >= 0 && rule->priority >= 0)
		r = dict_u32(m, "priority", (uint32_t)rule->priority);
	if (r >= 0 && rule->has_nice)
		r = dict_i32(m, "nice", rule->nice);
	if (r >= 0)
		r = dict_optional(m, "affinity", rule->affinity);
	if (r >= 0 && rule->reset_on_fork)
		r = dict_bool(m, "reset_on_fork", true);
	if (r >= 0 && rule->override) {
		override = rule_overrides_format(rule->override);
		r = dict_string(m, "override", override);
	}
	return r;
}

/* What stands in the way of a rule: that nothing matches now, or ever. */
static int ruledict_note(sd_bus_message *m, const struct irq_listing *listing,
			 const struct rule *rule)
{
	for (guint i = 0; i < listing->notes->len; i++) {
		const struct irq_change *c = listing->notes->pdata[i];
		int r;

		if ((c->outcome != IRQ_WAITS && c->outcome != IRQ_NEVER) ||
		    g_strcmp0(c->by, rule->name) != 0 || g_strcmp0(c->file, rule->file) != 0 ||
		    c->line != rule->line)
			continue;
		r = dict_string(m, "outcome", irq_outcome_to_string(c->outcome));
		return r < 0 ? r : dict_optional(m, "message", c->message);
	}
	return 0;
}

static int ruledict_one(sd_bus_message *m, const void *member, const void *data)
{
	const struct rule *rule = member;
	int r;

	r = dict_string(m, "name", rule->name);
	if (r >= 0)
		r = dict_string(m, "file", rule->file);
	if (r >= 0)
		r = dict_u32(m, "line", rule->line);
	if (r >= 0)
		r = dict_value(m, "match", "a{sv}", ruledict_append_match, rule);
	if (r >= 0)
		r = ruledict_attributes(m, rule);
	return r < 0 ? r : ruledict_note(m, data, rule);
}

static size_t ruledict_size(const void *member, const void *data)
{
	const struct rule *rule = member;
	size_t size = RULEDICT_FIXED_SIZE + bounded_text_size(rule->name) +
		      bounded_text_size(rule->file) + bounded_text_size(rule->affinity);

	for (int key = 0; key < RULE_KEYS; key++)
		size += bounded_text_size(rule->match[key]);
	return size;
}

int ruledict_append(sd_bus_message *m, const void *rules)
{
	const struct ruledict_list *r = rules;

	return bounded_append(m, &(struct bounded_list){ .members = r->rules,
							 .size = ruledict_size,
							 .append = ruledict_one,
							 .data = r->listing });
}
