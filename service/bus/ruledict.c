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

/* What stands in the way of rules: that nothing matches them now, or ever. */
struct ruledict {
	GHashTable *notes; /* ruledict_id() -> struct irq_change */
};

static char *ruledict_id(const char *name, const char *file, unsigned line)
{
	return g_strdup_printf("%u %s\n%s", line, name, file);
}

static GHashTable *ruledict_notes(const struct irq_listing *listing)
{
	GHashTable *notes = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);

	for (guint i = 0; i < listing->notes->len; i++) {
		struct irq_change *c = listing->notes->pdata[i];

		if (c->outcome == IRQ_WAITS || c->outcome == IRQ_NEVER)
			g_hash_table_insert(notes, ruledict_id(c->by, c->file, c->line), c);
	}
	return notes;
}

static const struct irq_change *ruledict_note(const struct ruledict *d, const struct rule *rule)
{
	g_autofree char *id = ruledict_id(rule->name, rule->file, rule->line);

	return g_hash_table_lookup(d->notes, id);
}

static int ruledict_append_note(sd_bus_message *m, const struct irq_change *note)
{
	int r;

	if (!note)
		return 0;
	r = dict_string(m, "outcome", irq_outcome_to_string(note->outcome));
	return r < 0 ? r : dict_optional(m, "message", note->message);
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
	return r < 0 ? r : ruledict_append_note(m, ruledict_note(data, rule));
}

static size_t ruledict_size(const void *member, const void *data)
{
	const struct rule *rule = member;
	const struct irq_change *note = ruledict_note(data, rule);
	size_t size = RULEDICT_FIXED_SIZE + bounded_text_size(rule->name) +
		      bounded_text_size(rule->file) + bounded_text_size(rule->affinity) +
		      bounded_text_size(note ? note->message : NULL);

	for (int key = 0; key < RULE_KEYS; key++)
		size += bounded_text_size(rule->match[key]);
	return size;
}

int ruledict_append(sd_bus_message *m, const void *rules)
{
	const struct ruledict_list *list = rules;
	g_autoptr(GHashTable) notes = ruledict_notes(list->listing);
	const struct ruledict d = { notes };

	return bounded_append(m, &(struct bounded_list){ .members = list->rules,
							 .size = ruledict_size,
							 .append = ruledict_one,
							 .data = &d });
}
