/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A name cut at 15 characters may stand for several actions of a line. Their threads were made in
 * the actions' order, so when there are as many threads of that name as actions it may stand for,
 * the first is the first's; when not, a thread is known by all of them: a rule for either device
 * has to reach it.
 */
#include "irqtags.h"

#include <string.h>

static void tags_add(GArray *tags, enum rule_key key, const char *value)
{
	for (guint i = 0; i < tags->len; i++) {
		const struct rule_tag *tag = &g_array_index(tags, struct rule_tag, i);

		if (tag->key == key && strcmp(tag->value, value) == 0)
			return;
	}
	g_array_append_val(tags, ((struct rule_tag){ .key = key, .value = value }));
}

static GArray *tags_new(guint room)
{
	return g_array_sized_new(FALSE, FALSE, sizeof(struct rule_tag), room);
}

static gint thread_older(gconstpointer a, gconstpointer b)
{
	const struct irq_thread *x = *(struct irq_thread *const *)a;
	const struct irq_thread *y = *(struct irq_thread *const *)b;

	if (x->start_ticks != y->start_ticks)
		return x->start_ticks < y->start_ticks ? -1 : 1;
	return (x->tid > y->tid) - (x->tid < y->tid);
}

/* "irq/5-s-video" is a secondary thread of "video", unless "s-video" is what the line has. */
static void thread_settle_secondary(struct irq_thread *t)
{
	struct kthread_name *what = &t->what;
	bool primary = false;

	if (!what->secondary)
		return;
	for (char **a = t->line->actions; *a; a++) {
		if (strcmp(*a, what->rest) == 0)
			return;
		primary |= strcmp(*a, what->rest - 2) == 0;
	}
	if (!primary)
		return;
	what->secondary = false;
	what->rest -= 2;
}

/* How many threads of @t's line have its name, and how many of them are older. */
static guint thread_namesakes(const struct irq_thread *t, guint *ret_older)
{
	guint n = 0;

	*ret_older = 0;
	for (guint i = 0; i < t->line->threads->len; i++) {
		const struct irq_thread *other = t->line->threads->pdata[i];

		if (strcmp(other->name, t->name) != 0)
			continue;
		n++;
		if (thread_older(&other, &t) < 0)
			(*ret_older)++;
	}
	return n;
}

/* The names @t had uncut, where it was cut. */
static void thread_add_uncut(struct irq_table *table, struct irq_thread *t)
{
	g_autoptr(GPtrArray) actions = g_ptr_array_new();
	guint older, namesakes;

	for (char **a = t->line->actions; *a; a++) {
		if (!kthread_runs_action(t->name, *a))
			continue;
		if (strcmp(*a, t->what.rest) == 0)
			return; /* whole */
		g_ptr_array_add(actions, *a);
	}
	if (actions->len == 0)
		return;
	namesakes = thread_namesakes(t, &older);
	for (guint i = 0; i < actions->len; i++) {
		g_autofree char *name = NULL;

		if (namesakes == actions->len && i != older)
			continue;
		name = g_strdup_printf("irq/%u-%s%s", t->line->irq, t->what.secondary ? "s-" : "",
				       (char *)actions->pdata[i]);
		tags_add(t->tags, RULE_THREAD, g_string_chunk_insert(table->strings, name));
	}
}

static void line_fill(struct irq_table *t, struct irq_line *l, const struct irqdevices *devices)
{
	char number[12];

	l->tags = tags_new(2 + 2 * l->threads->len);
	(void)g_snprintf(number, sizeof(number), "%u", l->irq); /* it fits */
	tags_add(l->tags, RULE_IRQ, g_string_chunk_insert(t->strings, number));
	for (char **a = l->actions; *a; a++)
		tags_add(l->tags, RULE_ACTION, *a);
	if (devices)
		irqdevices_add_tags(devices, l->irq, t->strings, l->tags);
}

static void line_fill_threads(struct irq_table *table, struct irq_line *l)
{
	guint own = l->tags->len;

	for (guint i = 0; i < l->threads->len; i++) {
		struct irq_thread *t = l->threads->pdata[i];

		thread_settle_secondary(t);
		t->tags = tags_new(own + 2);
		g_array_append_vals(t->tags, l->tags->data, own);
		tags_add(t->tags, RULE_THREAD, t->name);
		thread_add_uncut(table, t);
		for (guint k = own; k < t->tags->len; k++)
			tags_add(l->tags, RULE_THREAD,
				 g_array_index(t->tags, struct rule_tag, k).value);
	}
}

void irqtags_fill_thread(struct irq_thread *t, const struct irqdevices *devices,
			 GStringChunk *strings)
{
	const char *interface = NULL;
	char number[12];

	t->tags = tags_new(2);
	if (t->what.kind == KTHREAD_IRQ) {
		(void)g_snprintf(number, sizeof(number), "%d", t->what.irq); /* it fits */
		tags_add(t->tags, RULE_IRQ, g_string_chunk_insert(strings, number));
		tags_add(t->tags, RULE_THREAD, t->name);
		return;
	}
	tags_add(t->tags, RULE_KTHREAD, t->name);
	if (t->what.kind == KTHREAD_NAPI)
		interface = irqdevices_napi_interface(devices, t->name, &t->what, strings);
	if (interface)
		tags_add(t->tags, RULE_INTERFACE, interface);
}

void irqtags_fill(struct irq_table *t, const struct irqdevices *devices)
{
	for (guint i = 0; i < t->lines->len; i++) {
		line_fill(t, t->lines->pdata[i], devices);
		line_fill_threads(t, t->lines->pdata[i]);
	}
	for (guint i = 0; i < t->threads->len; i++) {
		struct irq_thread *thread = t->threads->pdata[i];

		if (!thread->tags)
			irqtags_fill_thread(thread, devices, t->strings);
	}
}
