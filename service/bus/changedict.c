/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "changedict.h"

#include "bounded.h"
#include "dict.h"
#include "irqpolicy.h"

#define CHANGEDICT_FIXED_SIZE 512 /* all keys and numbers of a change */

static const char *const changedict_attributes[TUNING_ATTRIBUTES] = {
	[TUNING_POLICY] = "policy",
	[TUNING_NICE] = "nice",
	[TUNING_AFFINITY] = "affinity",
};

static int changedict_subject(sd_bus_message *m, const struct irq_change *c)
{
	int r = 0;

	if (c->irq >= 0)
		r = dict_u32(m, "irq", (uint32_t)c->irq);
	if (r >= 0 && c->tid > 0)
		r = dict_u32(m, "tid", (uint32_t)c->tid);
	if (r >= 0)
		r = dict_optional(m, "name", c->name);
	return r;
}

static int changedict_by(sd_bus_message *m, const struct irq_change *c)
{
	int r;

	r = dict_optional(m, "by", c->by);
	if (r >= 0)
		r = dict_optional(m, "file", c->file);
	if (r >= 0 && c->line > 0)
		r = dict_u32(m, "line", c->line);
	return r;
}

static int changedict_one(sd_bus_message *m, const void *member, const void *data)
{
	const struct irq_change *c = member;
	int r;

	r = dict_string(m, "outcome", irq_outcome_to_string(c->outcome));
	if (r >= 0)
		r = changedict_subject(m, c);
	if (r >= 0 && c->attribute >= 0 && c->attribute < TUNING_ATTRIBUTES)
		r = dict_string(m, "attribute", changedict_attributes[c->attribute]);
	if (r >= 0)
		r = dict_optional(m, "old", c->old);
	if (r >= 0)
		r = dict_optional(m, "new", c->new);
	if (r >= 0)
		r = changedict_by(m, c);
	if (r >= 0)
		r = dict_optional(m, "message", c->message);
	if (r >= 0 && c->after_ns > 0)
		r = dict_u64(m, "after_ns", c->after_ns);
	return r;
}

static size_t changedict_size(const void *member, const void *data)
{
	const struct irq_change *c = member;

	return CHANGEDICT_FIXED_SIZE + bounded_text_size(c->name) + bounded_text_size(c->old) +
	       bounded_text_size(c->new) + bounded_text_size(c->by) + bounded_text_size(c->file) +
	       bounded_text_size(c->message);
}

int changedict_append_list(sd_bus_message *m, const void *changes)
{
	return bounded_append(m, &(struct bounded_list){ .members = changes,
							 .size = changedict_size,
							 .append = changedict_one });
}

int changedict_append(sd_bus_message *m, const struct irq_change *c)
{
	int r;

	r = sd_bus_message_open_container(m, 'a', "{sv}");
	if (r >= 0)
		r = changedict_one(m, c, NULL);
	return r < 0 ? r : sd_bus_message_close_container(m);
}
