/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Everything there is to decide is decided here, in one go over one table, from what is and what is
 * wanted: nothing follows from what was done last time but through the journal and `held`. That
 * makes a session's begin and end, a reload, a crash and a stop the same thing with other inputs.
 *
 * What is ours: a value that the journal says we set, or (nothing was to be set) that was found as
 * it was wanted. Anything else in its place is somebody else's and stays.
 */
#include "irqdesire.h"

#include "irqdefault.h"
#include "policy.h"
#include "ruleindex.h"
#include "tuning.h"
#include <errno.h>

/* One run, with what is looked up often. */
struct desire {
	const struct irqdesire *in;
	GHashTable *entries;	/* irq_key() -> struct tuning_entry */
	GHashTable *affinities; /* as written -> plain list of the machine */
	struct ruleindex *plan, *files;
	GPtrArray *aims;
};

/* What is wanted of one attribute. */
struct wanted {
	const struct rule *by; /* NULL: nothing */
	struct tuning_value value;
	bool plan;
	unsigned override;
	char *message; /* cannot be had */
};

void irq_held_free(struct irq_held *h)
{
	if (!h)
		return;
	tuning_subject_done(&h->subject);
	tuning_value_done(&h->value);
	g_free(h->name);
	g_free(h->by);
	g_free(h);
}

void irq_hand_free(struct irq_hand *h)
{
	if (!h)
		return;
	tuning_subject_done(&h->subject);
	g_clear_pointer(&h->rules, g_ptr_array_unref);
	g_free(h);
}

static gpointer desire_find(GHashTable *table, const struct tuning_subject *s, int a)
{
	g_autofree char *key = table && g_hash_table_size(table) > 0 ? irq_key(s, a) : NULL;

	return key ? g_hash_table_lookup(table, key) : NULL;
}

static GHashTable *desire_index(const GPtrArray *entries)
{
	GHashTable *index = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);

	for (guint i = 0; entries && i < entries->len; i++) {
		struct tuning_entry *e = entries->pdata[i];

		g_hash_table_insert(index, irq_key(&e->subject, (int)e->attribute), e);
	}
	return index;
}

/* What is */

static void desire_is(const struct irqdesire *in, struct irq_aim *aim)
{
	const struct irq_thread *t = aim->thread;

	if (aim->attribute == TUNING_AFFINITY) {
		aim->is.affinity = g_strdup(t ? t->affinity : aim->line->affinity);
		return;
	}
	aim->is.policy = t->policy;
	aim->is.priority = t->priority;
	aim->is.nice = t->nice;
	if (aim->attribute == TUNING_POLICY && in->reset_on_fork)
		aim->is.reset_on_fork = in->reset_on_fork(t);
}

static bool desire_ours(const struct irq_aim *aim, const struct irq_held *held)
{
	if (aim->entry)
		return irq_entry_holds(aim->entry, &aim->is);
	return !held || tuning_value_equal(aim->attribute, &aim->is, &held->value);
}

/* A thread so new that the kernel's start of it came after our change. */
static bool desire_unsettled(const struct irqdesire *in, const struct irq_aim *aim)
{
	return aim->thread && aim->attribute == TUNING_POLICY &&
	       desire_find(in->fresh, &aim->subject, -1) &&
	       irq_default_policy(aim->thread, &aim->is);
}

/* The kernel has set it anew. What was somebody else's before is not ours to set again. */
static bool desire_reset(const struct irqdesire *in, const struct irq_aim *aim,
			 const struct irq_held *held)
{
	if (!in->reset || (held && held->drifted))
		return false;
	if (aim->attribute == TUNING_POLICY)
		return irq_default_policy(aim->thread, &aim->is);
	return aim->attribute == TUNING_AFFINITY &&
	       irq_default_affinity(in->root, aim->line != NULL, &aim->is,
				    aim->entry ? &aim->entry->new : &held->value);
}

/* What should be */

static void desire_resolve(const struct desire *d, const struct tuning_subject *s,
			   const GArray *tags, struct rule_wish *ret)
{
	const struct irq_hand *hand = desire_find(d->in->hands, s, -1);
	const struct rule_target target = rule_target_of(tags);
	g_autoptr(GPtrArray) plan = g_ptr_array_new(), files = g_ptr_array_new();
	const GPtrArray *lists[] = { plan, hand ? hand->rules : NULL, files };

	ruleindex_match(d->plan, &target, plan);
	ruleindex_match(d->files, &target, files);
	rules_resolve(lists, G_N_ELEMENTS(lists), &target, ret);
}

static bool desire_of_plan(const struct irqdesire *in, const struct rule *r)
{
	return in->plan && g_ptr_array_find((GPtrArray *)in->plan, r, NULL);
}

/* A rule that gives only one of policy and priority changes what the thread had before us. */
static void wanted_policy(const struct irq_aim *aim, const struct rule_wish *w, struct wanted *ret)
{
	const struct tuning_value *base = aim->entry ? &aim->entry->old : &aim->is;
	g_autofree char *name = irq_aim_name(aim);
	struct tuning_value *v = &ret->value;

	ret->by = w->policy_by ?: w->priority_by;
	if (!ret->by)
		return;
	v->policy = w->policy_by ? w->policy : base->policy;
	v->reset_on_fork = w->policy_by ? w->reset_on_fork : base->reset_on_fork;
	if (policy_is_realtime(v->policy)) {
		v->priority = w->priority_by ? (unsigned)w->priority : base->priority;
		if (v->priority == 0)
			ret->message = g_strdup_printf(
				"Policy %s needs a priority from 1 to 99, and %s has none.",
				policy_to_string(v->policy), name);
	} else if (!w->policy_by && w->priority > 0) {
		ret->message = g_strdup_printf(
			"A priority needs policy fifo or rr, and %s has policy %s: give the policy "
			"as well.",
			name, policy_to_string(v->policy) ?: "unknown");
	}
}

static void wanted_nice(const struct rule_wish *w, struct wanted *ret)
{
	ret->by = w->nice_by;
	ret->value.nice = w->nice;
}

/* The same text is asked for of many lines. NULL with a sentence. */
static const char *desire_affinity(struct desire *d, const char *text, char **ret_message)
{
	char *list = g_hash_table_lookup(d->affinities, text);

	if (list || tuning_affinity_resolve(d->in->root, text, &list, ret_message) < 0)
		return list;
	g_hash_table_insert(d->affinities, g_strdup(text), list);
	return list;
}

static void wanted_affinity(struct desire *d, const struct irq_aim *aim, const struct rule_wish *w,
			    struct wanted *ret)
{
	ret->by = w->affinity_by;
	if (!ret->by)
		return;
	ret->value.affinity = g_strdup(desire_affinity(d, w->affinity, &ret->message));
	if (!aim->is.affinity && !ret->message) {
		g_autofree char *name = irq_aim_name(aim);

		ret->message = g_strdup_printf("The affinity of %s cannot be read.", name);
	}
}

static void desire_want(struct desire *d, const struct irq_aim *aim, const struct rule_wish *w,
			struct wanted *ret)
{
	if (aim->attribute == TUNING_POLICY)
		wanted_policy(aim, w, ret);
	else if (aim->attribute == TUNING_NICE)
		wanted_nice(w, ret);
	else
		wanted_affinity(d, aim, w, ret);
	if (!ret->by)
		return;
	ret->plan = desire_of_plan(d->in, ret->by);
	ret->override = w->override;
	if (aim->attribute == TUNING_POLICY && w->priority_by && !ret->plan)
		ret->plan = desire_of_plan(d->in, w->priority_by);
}

/* So what to do */

static void desire_judge_unwanted(struct irq_aim *aim)
{
	if (tuning_value_equal(aim->attribute, &aim->is, &aim->entry->old)) {
		aim->kind = IRQ_AIM_FORGET;
	} else if (desire_ours(aim, NULL)) {
		aim->kind = IRQ_AIM_PUT_BACK;
		irq_value_replace(&aim->want, &aim->entry->old);
	} else {
		aim->kind = IRQ_AIM_LEAVE;
		irq_value_replace(&aim->ours, &aim->entry->new);
	}
	aim->by = aim->entry->by;
}

static void desire_judge_wanted(const struct irqdesire *in, struct irq_aim *aim)
{
	const struct irq_held *held = desire_find(in->held, &aim->subject, (int)aim->attribute);

	if (tuning_value_equal(aim->attribute, &aim->is, &aim->want)) {
		aim->kind = IRQ_AIM_KEEP;
	} else if (in->insist || desire_ours(aim, held) || desire_unsettled(in, aim) ||
		   desire_reset(in, aim, held)) {
		aim->kind = IRQ_AIM_SET;
	} else {
		aim->kind = IRQ_AIM_DRIFT;
		irq_value_replace(&aim->ours, aim->entry ? &aim->entry->new : &held->value);
	}
}

static void aim_take_wanted(struct irq_aim *aim, const struct wanted *w)
{
	aim->want = w->value;
	aim->by = w->by->name;
	aim->file = w->by->file;
	aim->line_number = w->by->line;
	aim->override = w->override;
	aim->plan = w->plan;
	aim->message = w->message;
}

static bool rule_wish_asks(const struct rule_wish *w, enum tuning_attribute a)
{
	switch (a) {
	case TUNING_POLICY:
		return w->policy_by || w->priority_by;
	case TUNING_NICE:
		return w->nice_by;
	default:
		return w->affinity_by;
	}
}

static void desire_attribute(struct desire *d, struct irq_thread *t, struct irq_line *l,
			     const struct tuning_subject *s, enum tuning_attribute a,
			     const struct rule_wish *w)
{
	struct tuning_entry *entry = desire_find(d->entries, s, (int)a);
	struct wanted wanted = { 0 };
	struct irq_aim *aim;

	if (!entry && !rule_wish_asks(w, a))
		return;
	aim = irq_aim_new(t, l, a);
	aim->entry = entry;
	desire_is(d->in, aim);
	desire_want(d, aim, w, &wanted);
	if (wanted.by)
		aim_take_wanted(aim, &wanted);
	if (aim->message)
		aim->kind = IRQ_AIM_CANNOT;
	else if (wanted.by)
		desire_judge_wanted(d->in, aim);
	else
		desire_judge_unwanted(aim);
	g_ptr_array_add(d->aims, aim);
}

static void desire_thread(struct desire *d, struct irq_thread *t)
{
	struct tuning_subject s;
	struct rule_wish w;

	tuning_subject_of_thread(t, &s);
	desire_resolve(d, &s, t->tags, &w);
	desire_attribute(d, t, NULL, &s, TUNING_POLICY, &w);
	desire_attribute(d, t, NULL, &s, TUNING_NICE, &w);
	/* where an interrupt thread runs is its line's */
	if (t->what.kind != KTHREAD_IRQ)
		desire_attribute(d, t, NULL, &s, TUNING_AFFINITY, &w);
	tuning_subject_done(&s);
}

/* Its threads' names are among its tags: a rule that names one and an affinity means the line. */
static void desire_line(struct desire *d, struct irq_line *l)
{
	struct tuning_subject s;
	struct rule_wish w;

	tuning_subject_of_line(l, &s);
	desire_resolve(d, &s, l->tags, &w);
	desire_attribute(d, NULL, l, &s, TUNING_AFFINITY, &w);
	tuning_subject_done(&s);
}

GPtrArray *irqdesire(const struct irqdesire *in)
{
	struct desire d = {
		.in = in,
		.entries = desire_index(in->entries),
		.plan = ruleindex_new(in->plan),
		.files = ruleindex_new(in->files),
		.affinities = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free),
		.aims = g_ptr_array_new_with_free_func((GDestroyNotify)irq_aim_free),
	};

	for (guint i = 0; i < in->table->lines->len; i++)
		desire_line(&d, in->table->lines->pdata[i]);
	for (guint i = 0; i < in->table->threads->len; i++)
		desire_thread(&d, in->table->threads->pdata[i]);
	g_hash_table_unref(d.entries);
	g_hash_table_unref(d.affinities);
	ruleindex_free(d.plan);
	ruleindex_free(d.files);
	return d.aims;
}
