/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Written by hand and not through JSON: types are part of the contract (a priority is u, a nice
 * value i, an empty list of actions still as).
 */
#include "irqdict.h"

#include "bounded.h"
#include "bus-internal.h"
#include "dict.h"
#include "policy.h"
#include <stdio.h>

/* What all keys, numbers and words of ours take */
#define IRQDICT_LINE_SIZE   768
#define IRQDICT_THREAD_SIZE 512
#define IRQDICT_ROW_SIZE    128
#define IRQDICT_DEVICE_SIZE 16 /* the word before a device's name */
#define IRQDICT_COUNT_SIZE  40 /* an entry of `counts` */

static int irqdict_append_path(sd_bus_message *m, const void *data)
{
	return sd_bus_message_append_basic(m, 'o', data);
}

/* What lines and threads have alike */

static int irqdict_standing(sd_bus_message *m, const struct irq_listing *l, const void *subject)
{
	const struct irq_standing *s = g_hash_table_lookup(l->standings, subject);
	int r;

	r = dict_optional(m, "rule", s ? s->rule : NULL);
	if (r >= 0)
		r = dict_bool(m, "drifted", s && s->drifted);
	if (r >= 0)
		r = dict_optional(m, "drift", s ? s->drift : NULL);
	return r;
}

static size_t irqdict_standing_size(const struct irq_listing *l, const void *subject)
{
	const struct irq_standing *s = g_hash_table_lookup(l->standings, subject);

	return s ? bounded_text_size(s->rule) + bounded_text_size(s->drift) : 0;
}

/* Threads */

static bool irqdict_is_irq(const struct irq_thread *t)
{
	return t->what.kind == KTHREAD_IRQ;
}

static int irqdict_thread_line(sd_bus_message *m, const struct irq_thread *t)
{
	int r = 0;

	if (!irqdict_is_irq(t))
		return dict_optional(m, "affinity", t->affinity);
	if (t->what.irq >= 0)
		r = dict_u32(m, "irq", (uint32_t)t->what.irq);
	if (r >= 0 && t->line)
		r = dict_value(m, "actions", "as", dict_append_strv, t->line->actions);
	if (r >= 0 && t->line)
		r = dict_optional(m, "affinity", t->line->affinity);
	return r;
}

static int irqdict_thread(sd_bus_message *m, const void *member, const void *data)
{
	const struct irq_thread *t = member;
	g_autofree char *path = thread_path(t->tid, t->start_ticks);
	int r;

	r = dict_u32(m, "tid", (uint32_t)t->tid);
	if (r >= 0)
		r = dict_u64(m, "start_ticks", t->start_ticks);
	if (r >= 0)
		r = dict_string(m, "name", t->name);
	if (r >= 0)
		r = dict_string(m, "kind", kthread_kind_to_string(t->what.kind));
	if (r >= 0)
		r = irqdict_thread_line(m, t);
	if (r >= 0)
		r = dict_optional(m, "policy", policy_to_string(t->policy));
	if (r >= 0)
		r = dict_u32(m, "priority", t->priority);
	if (r >= 0)
		r = dict_i32(m, "nice", t->nice);
	if (r >= 0)
		r = dict_bool(m, "bound", t->bound);
	if (r >= 0)
		r = irqdict_standing(m, data, t);
	if (r >= 0)
		r = dict_value(m, "path", "o", irqdict_append_path, path);
	return r;
}

static size_t irqdict_thread_size(const void *member, const void *data)
{
	const struct irq_thread *t = member;
	size_t size = IRQDICT_THREAD_SIZE + bounded_text_size(t->name) +
		      bounded_text_size(t->affinity) + irqdict_standing_size(data, t);

	for (char **a = t->line ? t->line->actions : NULL; a && *a; a++)
		size += bounded_text_size(*a);
	return size + bounded_text_size(t->line ? t->line->affinity : NULL);
}

int irqdict_append_threads(sd_bus_message *m, const void *listing)
{
	const struct irq_listing *l = listing;

	return bounded_append(m, &(struct bounded_list){ .members = l->table->threads,
							 .size = irqdict_thread_size,
							 .append = irqdict_thread,
							 .data = l });
}

/* Counts */

struct irqdict_counts {
	const struct irq_table *table;
	const uint64_t *counts;
	guint n;
};

static int irqdict_append_counts(sd_bus_message *m, const void *data)
{
	const struct irqdict_counts *c = data;
	char cpu[16];
	int r;

	r = sd_bus_message_open_container(m, 'a', "{sv}");
	for (guint i = 0; r >= 0 && i < c->n; i++) {
		(void)snprintf(cpu, sizeof(cpu), "%d", c->table->cpus[i]); /* fits any int */
		r = dict_u64(m, cpu, c->counts[i]);
	}
	return r < 0 ? r : sd_bus_message_close_container(m);
}

/* A row with one number on a machine of several CPUs has a total, and none of them has counted it.
 */
static int irqdict_counts(sd_bus_message *m, const struct irqdict_lines *l, const uint64_t *counts,
			  guint n)
{
	const struct irq_table *table = l->listing->table;
	struct irqdict_counts c = { .table = table, .counts = counts, .n = MIN(n, table->n_cpus) };
	uint64_t total = 0;
	int r = 0;

	for (guint i = 0; i < n; i++)
		total += counts[i];
	if (l->counts && (n > 1 || table->n_cpus == 1))
		r = dict_value(m, "counts", "a{sv}", irqdict_append_counts, &c);
	if (r >= 0 && n > 0)
		r = dict_u64(m, "total", total);
	if (r >= 0 && !l->captured)
		r = dict_u64(m, "read_usec", table->read_ns / 1000);
	return r;
}

static size_t irqdict_counts_size(const struct irqdict_lines *l, guint n)
{
	return l->counts ? (size_t)n * IRQDICT_COUNT_SIZE : 0;
}

/* Lines */

/* What of the tags says which device a line belongs to: not its number, actions and threads. */
static bool irqdict_tag_of_device(const struct rule_tag *tag)
{
	return tag->key != RULE_IRQ && tag->key != RULE_ACTION && tag->key != RULE_THREAD;
}

static int irqdict_append_devices(sd_bus_message *m, const void *data)
{
	const struct irq_line *l = data;
	int r;

	r = sd_bus_message_open_container(m, 'a', "s");
	for (guint i = 0; r >= 0 && l->tags && i < l->tags->len; i++) {
		const struct rule_tag *tag = &g_array_index(l->tags, struct rule_tag, i);
		g_autofree char *text = NULL;

		if (!irqdict_tag_of_device(tag))
			continue;
		text = g_strconcat(rule_key_to_string(tag->key), "=", tag->value, NULL);
		r = dict_text(m, text);
	}
	return r < 0 ? r : sd_bus_message_close_container(m);
}

struct irqdict_line_threads {
	const struct irq_listing *listing;
	const GPtrArray *threads;
};

static int irqdict_append_line_threads(sd_bus_message *m, const void *data)
{
	const struct irqdict_line_threads *l = data;

	return bounded_append(m, &(struct bounded_list){ .members = l->threads,
							 .size = irqdict_thread_size,
							 .append = irqdict_thread,
							 .data = l->listing });
}

static int irqdict_line_unthreaded(sd_bus_message *m, const struct irq_line *l)
{
	g_autofree char *explanation = irq_line_explain(l);
	int r;

	r = dict_string(m, "threaded", irq_unthreaded_to_string(l->unthreaded));
	if (r >= 0)
		r = dict_optional(m, "explanation", explanation);
	if (r >= 0 && l->parent >= 0)
		r = dict_u32(m, "parent", (uint32_t)l->parent);
	return r;
}

/* The sentence about a line whose threads have different priorities; NULL: they have not. */
static const char *irqdict_line_unequal(const struct irq_listing *listing, const struct irq_line *l)
{
	for (guint i = 0; l->threads->len > 1 && i < listing->notes->len; i++) {
		const struct irq_change *c = listing->notes->pdata[i];

		if (c->outcome == IRQ_UNEQUAL && c->irq >= 0 && (unsigned)c->irq == l->irq)
			return c->message;
	}
	return NULL;
}

static int irqdict_line_hardware(sd_bus_message *m, const struct irq_line *l)
{
	int r;

	r = dict_u32(m, "irq", l->irq);
	if (r >= 0)
		r = dict_value(m, "actions", "as", dict_append_strv, l->actions);
	if (r >= 0)
		r = dict_optional(m, "chip", l->chip);
	if (r >= 0)
		r = dict_optional(m, "hwirq", l->hwirq);
	if (r >= 0)
		r = dict_optional(m, "trigger", l->trigger);
	if (r >= 0)
		r = dict_optional(m, "affinity", l->affinity);
	if (r >= 0)
		r = dict_optional(m, "effective", l->effective);
	if (r >= 0)
		r = dict_value(m, "devices", "as", irqdict_append_devices, l);
	return r;
}

static int irqdict_line(sd_bus_message *m, const void *member, const void *data)
{
	const struct irqdict_lines *lines = data;
	const struct irq_line *l = member;
	struct irqdict_line_threads threads = { lines->listing, l->threads };
	int r;

	r = irqdict_line_hardware(m, l);
	if (r >= 0)
		r = irqdict_line_unthreaded(m, l);
	if (r >= 0)
		r = irqdict_counts(m, lines, l->counts, l->n_counts);
	if (r >= 0)
		r = irqdict_standing(m, lines->listing, l);
	if (r >= 0)
		r = dict_optional(m, "unequal", irqdict_line_unequal(lines->listing, l));
	if (r >= 0 && lines->threads)
		r = dict_value(m, "threads", "aa{sv}", irqdict_append_line_threads, &threads);
	return r;
}

static size_t irqdict_line_size(const void *member, const void *data)
{
	const struct irqdict_lines *lines = data;
	const struct irq_line *l = member;
	g_autofree char *explanation = irq_line_explain(l);
	size_t size = IRQDICT_LINE_SIZE + irqdict_counts_size(lines, l->n_counts) +
		      bounded_text_size(l->chip) + bounded_text_size(l->hwirq) +
		      bounded_text_size(l->affinity) + bounded_text_size(l->effective) +
		      bounded_text_size(explanation) +
		      bounded_text_size(irqdict_line_unequal(lines->listing, l)) +
		      irqdict_standing_size(lines->listing, l);

	for (char **a = l->actions; a && *a; a++)
		size += bounded_text_size(*a);
	for (guint i = 0; l->tags && i < l->tags->len; i++)
		size += IRQDICT_DEVICE_SIZE +
			bounded_text_size(g_array_index(l->tags, struct rule_tag, i).value);
	for (guint i = 0; lines->threads && i < l->threads->len; i++)
		size += irqdict_thread_size(l->threads->pdata[i], lines->listing);
	return size;
}

/* Rows of /proc/interrupts that are no lines */

static int irqdict_row(sd_bus_message *m, const void *member, const void *data)
{
	const struct irq_row *row = member;
	int r;

	r = dict_string(m, "name", row->name);
	if (r >= 0)
		r = dict_string(m, "text", row->text ?: "");
	return r < 0 ? r : irqdict_counts(m, data, row->counts, row->n_counts);
}

static size_t irqdict_row_size(const void *member, const void *data)
{
	const struct irq_row *row = member;

	return IRQDICT_ROW_SIZE + irqdict_counts_size(data, row->n_counts) +
	       bounded_text_size(row->name) + bounded_text_size(row->text);
}

int irqdict_append_lines(sd_bus_message *m, const void *lines)
{
	const struct irq_table *table = ((const struct irqdict_lines *)lines)->listing->table;
	size_t size = 0;
	int r;

	r = sd_bus_message_open_container(m, 'a', "a{sv}");
	if (r >= 0)
		r = bounded_append_members(m,
					   &(struct bounded_list){ .members = table->lines,
								   .size = irqdict_line_size,
								   .append = irqdict_line,
								   .data = lines },
					   &size);
	if (r >= 0)
		r = bounded_append_members(m,
					   &(struct bounded_list){ .members = table->rows,
								   .size = irqdict_row_size,
								   .append = irqdict_row,
								   .data = lines },
					   &size);
	return r < 0 ? r : sd_bus_message_close_container(m);
}
