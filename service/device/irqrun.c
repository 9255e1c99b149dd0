/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Each run begins with the table as it is now and ends with everything as it should be; nothing is
 * carried over but what irqpolicy-internal.h lists. Threads that have ended leave the journal here,
 * so that it does not grow with every device that comes and goes.
 */
#include "irqpolicy-internal.h"

#include "irqnotes.h"
#include "tuning.h"
#include <inttypes.h>

GPtrArray *irq_changes_new(void)
{
	return g_ptr_array_new_with_free_func((GDestroyNotify)irq_change_free);
}

void irq_run_done(struct irq_run *r)
{
	/* aims borrow the table */
	g_clear_pointer(&r->aims, g_ptr_array_unref);
	g_clear_pointer(&r->changes, g_ptr_array_unref);
	g_clear_pointer(&r->table, irqtable_free);
}

/* Decide */

static bool irqrun_reset_on_fork(const struct irq_thread *t)
{
	struct tuning_value v = { 0 };
	struct tuning_subject s;
	bool is;

	tuning_subject_of_thread(t, &s);
	is = tuning_get(&s, TUNING_POLICY, &v) == 0 && v.reset_on_fork;
	tuning_value_done(&v);
	tuning_subject_done(&s);
	return is;
}

int irqpolicy_decide(struct irqpolicy *p, bool insist, struct irq_run *ret)
{
	struct irqdesire d = {
		.plan = p->plan,
		.files = p->paused ? NULL : p->files,
		.hands = p->hands,
		.entries = p->journal ? journal_entries(p->journal) : NULL,
		.held = p->held,
		.fresh = p->newcomers,
		.root = p->root,
		.insist = insist,
		.reset = p->reset,
		.reset_on_fork = p->captured ? NULL : irqrun_reset_on_fork,
	};
	int r;

	*ret = (struct irq_run){ 0 };
	r = irqtable_read(p->root, &ret->table);
	if (r < 0)
		return r;
	d.table = ret->table;
	ret->aims = irqdesire(&d);
	return 0;
}

/* About everything. */
static void irqrun_add_refusal(GPtrArray *changes, const char *by, char *message)
{
	struct irq_change *c = g_new0(struct irq_change, 1);

	c->outcome = IRQ_REFUSED;
	c->irq = -1;
	c->attribute = -1;
	c->by = g_strdup(by);
	c->message = message;
	g_ptr_array_add(changes, c);
}

static int irqrun_no_table(struct irq_run *ret, int r)
{
	ret->changes = irq_changes_new();
	irqrun_add_refusal(
		ret->changes, NULL,
		g_strdup_printf("The table of interrupts cannot be read: %s.", g_strerror(-r)));
	return r;
}

/* What was in force */

static void irqrun_hold(struct irqpolicy *p, const struct irq_aim *aim,
			const struct tuning_value *v)
{
	struct irq_held *h = g_new0(struct irq_held, 1);

	tuning_subject_copy(&aim->subject, &h->subject);
	tuning_value_copy(v, &h->value);
	h->attribute = aim->attribute;
	h->name = irq_aim_name(aim);
	h->by = g_strdup(aim->by);
	h->plan = aim->plan;
	g_hash_table_replace(p->held, irq_key(&aim->subject, (int)aim->attribute), h);
}

static void irqrun_hold_drifted(struct irqpolicy *p, const struct irq_aim *aim, const char *key)
{
	struct irq_held *h;

	if (!g_hash_table_contains(p->held, key))
		irqrun_hold(p, aim, &aim->ours);
	h = g_hash_table_lookup(p->held, key);
	h->drifted = true;
}

static void on_in_force(const struct irq_aim *aim, void *userdata)
{
	irqrun_hold(userdata, aim, &aim->want);
}

static bool aim_is_wanted(const struct irq_aim *aim)
{
	if (aim->kind == IRQ_AIM_SET)
		return aim->error == 0;
	return aim->kind == IRQ_AIM_KEEP || aim->kind == IRQ_AIM_DRIFT;
}

/* What nobody wants any more, or has ended, is held no longer. */
static void irqrun_release(struct irqpolicy *p, const GPtrArray *aims)
{
	g_autoptr(GHashTable) wanted = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	GHashTableIter iter;
	gpointer key;

	for (guint i = 0; i < aims->len; i++) {
		const struct irq_aim *aim = aims->pdata[i];

		if (!aim_is_wanted(aim))
			continue;
		key = irq_key(&aim->subject, (int)aim->attribute);
		if (aim->kind == IRQ_AIM_DRIFT)
			irqrun_hold_drifted(p, aim, key);
		g_hash_table_add(wanted, key);
	}
	g_hash_table_iter_init(&iter, p->held);
	while (g_hash_table_iter_next(&iter, &key, NULL))
		if (!g_hash_table_contains(wanted, key))
			g_hash_table_iter_remove(&iter);
}

/* Ended threads and lines */

static GHashTable *table_subjects(const struct irq_table *table)
{
	GHashTable *keys = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	struct tuning_subject s;

	for (guint i = 0; i < table->threads->len; i++) {
		tuning_subject_of_thread(table->threads->pdata[i], &s);
		g_hash_table_add(keys, irq_key(&s, -1));
		tuning_subject_done(&s);
	}
	for (guint i = 0; i < table->lines->len; i++) {
		tuning_subject_of_line(table->lines->pdata[i], &s);
		g_hash_table_add(keys, irq_key(&s, -1));
		tuning_subject_done(&s);
	}
	return keys;
}

static void irqrun_forget_entry(struct irqpolicy *p, const struct tuning_entry *e)
{
	enum tuning_attribute attribute = e->attribute;
	struct tuning_subject s;

	tuning_subject_copy(&e->subject, &s);
	/* an entry of a thread that has ended does no harm when it stays */
	(void)journal_forget(p->journal, &s, attribute);
	tuning_subject_done(&s);
}

static void irqrun_forget_ended(struct irqpolicy *p, GHashTable *alive, bool threads_seen)
{
	const GPtrArray *entries = journal_entries(p->journal);

	for (guint i = entries->len; i-- > 0;) {
		const struct tuning_entry *e = entries->pdata[i];
		g_autofree char *key = irq_key(&e->subject, -1);

		if ((e->subject.is_line || threads_seen) && !g_hash_table_contains(alive, key))
			irqrun_forget_entry(p, e);
	}
}

static gboolean hand_has_ended(gpointer key, gpointer value, gpointer alive)
{
	return !g_hash_table_contains(alive, key);
}

static void irqrun_clean(struct irqpolicy *p, const struct irq_table *table)
{
	g_autoptr(GHashTable) alive = NULL;

	if (g_hash_table_size(p->hands) == 0 &&
	    (!p->journal || journal_entries(p->journal)->len == 0))
		return;
	alive = table_subjects(table);
	if (p->journal)
		irqrun_forget_ended(p, alive, table->threads_seen);
	if (table->threads_seen)
		g_hash_table_foreach_remove(p->hands, hand_has_ended, alive);
}

/* Carry out */

static struct irqapply irqrun_apply(struct irqpolicy *p, const struct irq_run *run, bool dry)
{
	return (struct irqapply){
		.table = run->table,
		.journal = p->journal,
		.dry = dry,
		.measuring_priority = p->measuring_priority,
		.refused = p->refused,
		.in_force = dry ? NULL : on_in_force,
		.userdata = p,
	};
}

int irqpolicy_run(struct irqpolicy *p, unsigned flags, struct irq_run *ret)
{
	bool dry = (flags & IRQ_RUN_DRY) != 0;
	struct irqapply apply;
	int r;

	r = irqpolicy_decide(p, (flags & IRQ_RUN_INSIST) != 0, ret);
	if (r < 0)
		return irqrun_no_table(ret, r);
	if (!dry && (p->reset || (flags & IRQ_RUN_AGAIN)))
		g_hash_table_remove_all(p->refused);
	if (!dry)
		p->reset = false;
	apply = irqrun_apply(p, ret, dry);
	ret->changes = irqapply(&apply, ret->aims);
	if (!dry) {
		irqrun_release(p, ret->aims);
		irqrun_clean(p, ret->table);
		irqwatch_note(p, ret);
	}
	if (p->unjournaled)
		irqrun_add_refusal(ret->changes, "journal", g_strdup(p->unjournaled));
	if (flags & IRQ_RUN_NOTES) {
		irqnotes_rules(ret->table, p->plan, ret->changes);
		irqnotes_rules(ret->table, p->paused ? NULL : p->files, ret->changes);
		irqnotes_unequal(ret->table, ret->changes);
	}
	return 0;
}

/* One */

/*
 * Others stay as they are: only what is in force is of interest, to the guards. So do attributes
 * that are not @asked for (NULL: all are). Borrowed.
 */
static GPtrArray *irqrun_narrow(const GPtrArray *aims, const struct tuning_subject *s,
				const bool asked[TUNING_ATTRIBUTES])
{
	GPtrArray *narrow = g_ptr_array_new();

	for (guint i = 0; i < aims->len; i++) {
		const struct irq_aim *aim = aims->pdata[i];
		bool meant =
			tuning_subject_equal(&aim->subject, s) && (!asked || asked[aim->attribute]);

		if (meant || aim->kind == IRQ_AIM_KEEP)
			g_ptr_array_add(narrow, aims->pdata[i]);
	}
	return narrow;
}

int irqpolicy_run_one(struct irqpolicy *p, const struct tuning_subject *s,
		      const bool asked[TUNING_ATTRIBUTES], unsigned flags, struct irq_run *ret)
{
	bool dry = (flags & IRQ_RUN_DRY) != 0;
	g_autoptr(GPtrArray) aims = NULL;
	struct irqapply apply;
	int r;

	r = irqpolicy_decide(p, (flags & IRQ_RUN_INSIST) != 0, ret);
	if (r < 0)
		return irqrun_no_table(ret, r);
	aims = irqrun_narrow(ret->aims, s, asked);
	apply = irqrun_apply(p, ret, dry);
	if (dry) {
		irqapply_guards(&apply, aims);
		return 0;
	}
	apply.refused = NULL; /* asked for: tried */
	ret->changes = irqapply(&apply, aims);
	irqrun_release(p, ret->aims);
	return 0;
}

/* News */

static char *change_key(const struct irq_change *c)
{
	/* drift is the same drift whoever finds it, and whichever rule wants what is not there */
	bool drift = c->outcome == IRQ_DRIFTED;

	return g_strdup_printf("%d %d %d %" PRIu64 " %d %s %s:%u %s", (int)c->outcome, c->irq,
			       (int)c->tid, c->start_ticks, c->attribute, c->new ?: "",
			       drift || !c->file ? "" : c->file, drift ? 0 : c->line,
			       drift || !c->message ? "" : c->message);
}

/* What has happened is told; what lasts is told when it begins. */
static bool change_lasts(const struct irq_change *c)
{
	return c->outcome != IRQ_SET && c->outcome != IRQ_PUT_BACK;
}

/* A rule for something that is not there waits quietly, and what only would be is not news. */
static bool change_is_news(const struct irq_change *c)
{
	return c->outcome != IRQ_WAITS && c->outcome != IRQ_WOULD;
}

bool irqpolicy_say(struct irqpolicy *p, const struct irq_change *c)
{
	return !change_lasts(c) || g_hash_table_add(p->said, change_key(c));
}

/* What is not so any more may be told again when it comes back. */
static void irqpolicy_unsay(struct irqpolicy *p, const GPtrArray *changes)
{
	g_autoptr(GHashTable) now = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	GHashTableIter iter;
	gpointer key;

	for (guint i = 0; i < changes->len; i++)
		g_hash_table_add(now, change_key(changes->pdata[i]));
	g_hash_table_iter_init(&iter, p->said);
	while (g_hash_table_iter_next(&iter, &key, NULL))
		if (!g_hash_table_contains(now, key))
			g_hash_table_iter_remove(&iter);
}

void irqpolicy_answer(struct irqpolicy *p, const GPtrArray *changes)
{
	irqpolicy_unsay(p, changes);
	for (guint i = 0; i < changes->len; i++)
		if (change_is_news(changes->pdata[i]))
			(void)irqpolicy_say(p, changes->pdata[i]);
}

void irqpolicy_tell(struct irqpolicy *p, const GPtrArray *changes)
{
	irqpolicy_unsay(p, changes);
	for (guint i = 0; i < changes->len; i++)
		if (change_is_news(changes->pdata[i]) && irqpolicy_say(p, changes->pdata[i]) &&
		    p->p.news)
			p->p.news(changes->pdata[i], p->p.userdata);
}
