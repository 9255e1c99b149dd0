/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Threads that come later are a reason for a run over everything: the line a new thread belongs to
 * is new as well, and a run touches only what differs. A driver that brings sixty threads makes one
 * or two runs, not sixty: after each the next one waits for as long as the last one took.
 *
 * A newcomer is looked at for a second more, because the kernel's own start of a thread, which
 * gives it the default priority, may come after our change.
 */
#include "irqpolicy-internal.h"

#include "tuning.h"
#include <errno.h>
#include <time.h>

#define NEWCOMER_NS   UINT64_C(1000000000)
#define NEWCOMER_SETS 2 /* then somebody else's value is somebody else's */

static const uint64_t settle_steps_usec[] = { 20000, 180000, 820000 };

static uint64_t irqwatch_now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static void newcomer_free(gpointer data)
{
	struct irq_newcomer *n = data;

	tuning_subject_done(&n->subject);
	g_free(n);
}

GHashTable *irqwatch_newcomers_new(void)
{
	return g_hash_table_new_full(g_str_hash, g_str_equal, g_free, newcomer_free);
}

/* One-shot, at @usec; armed again when it is there already. */
static void irqwatch_arm(struct irqpolicy *p, sd_event_source **source, uint64_t usec,
			 sd_event_time_handler_t handler)
{
	int r = 0;

	if (*source)
		r = sd_event_source_set_time(*source, usec);
	else
		r = sd_event_add_time(p->p.event, source, CLOCK_MONOTONIC, usec, 1000, handler, p);
	if (r >= 0 && *source)
		(void)sd_event_source_set_enabled(*source, SD_EVENT_ONESHOT);
}

/* Once more */

static bool newcomer_was_reset(const struct irqpolicy *p, const struct irq_newcomer *n)
{
	g_autofree char *key = irq_key(&n->subject, TUNING_POLICY);
	const struct irq_held *held = g_hash_table_lookup(p->held, key);
	struct tuning_value now = { 0 };
	bool reset;

	if (!held || tuning_get(&n->subject, TUNING_POLICY, &now) < 0)
		return false;
	reset = !tuning_value_equal(TUNING_POLICY, &now, &held->value);
	tuning_value_done(&now);
	return reset;
}

static bool irqwatch_any_reset(const struct irqpolicy *p)
{
	GHashTableIter iter;
	gpointer value;

	g_hash_table_iter_init(&iter, p->newcomers);
	while (g_hash_table_iter_next(&iter, NULL, &value))
		if (newcomer_was_reset(p, value))
			return true;
	return false;
}

static void irqwatch_run(struct irqpolicy *p)
{
	uint64_t begin = irqwatch_now_ns();
	struct irq_run run;

	(void)irqpolicy_run(p, IRQ_RUN_NOTES, &run); /* its changes say why not */
	irqpolicy_tell(p, run.changes);
	irq_run_done(&run);
	p->look_end_ns = irqwatch_now_ns();
	p->look_cost_ns = p->look_end_ns - begin;
}

static gboolean newcomer_has_settled(gpointer key, gpointer value, gpointer now_ns)
{
	const struct irq_newcomer *n = value;

	return n->seen_ns + NEWCOMER_NS < *(const uint64_t *)now_ns;
}

static int on_settle(sd_event_source *source, uint64_t usec, void *userdata);

static void irqwatch_settle_next(struct irqpolicy *p)
{
	uint64_t now_ns = irqwatch_now_ns();

	if (p->settle_step >= G_N_ELEMENTS(settle_steps_usec)) {
		p->settle_step = 0;
		g_hash_table_foreach_remove(p->newcomers, newcomer_has_settled, &now_ns);
		if (g_hash_table_size(p->newcomers) == 0)
			return;
	}
	irqwatch_arm(p, &p->settle, now_ns / 1000 + settle_steps_usec[p->settle_step++], on_settle);
}

static int on_settle(sd_event_source *source, uint64_t usec, void *userdata)
{
	struct irqpolicy *p = userdata;

	if (irqwatch_any_reset(p))
		irqwatch_run(p);
	irqwatch_settle_next(p);
	return 0;
}

/* After a run */

static void irqwatch_drop_newcomer(struct irqpolicy *p, const struct irq_aim *aim)
{
	g_autofree char *key = irq_key(&aim->subject, -1);

	g_hash_table_remove(p->newcomers, key);
}

static struct irq_newcomer *irqwatch_newcomer(const struct irqpolicy *p, const struct irq_aim *aim)
{
	g_autofree char *key = irq_key(&aim->subject, -1);

	return g_hash_table_lookup(p->newcomers, key);
}

void irqwatch_note(struct irqpolicy *p, const struct irq_run *run)
{
	uint64_t now_ns = irqwatch_now_ns();

	if (g_hash_table_size(p->newcomers) == 0)
		return;
	for (guint i = 0; i < run->aims->len; i++) {
		const struct irq_aim *aim = run->aims->pdata[i];
		struct irq_newcomer *n;

		if (!aim->change || aim->change->outcome != IRQ_SET)
			continue;
		n = irqwatch_newcomer(p, aim);
		if (!n)
			continue;
		if (n->created_ns && n->sets == 0 && now_ns > n->created_ns)
			((struct irq_change *)aim->change)->after_ns = now_ns - n->created_ns;
		if (aim->attribute == TUNING_POLICY && ++n->sets >= NEWCOMER_SETS)
			irqwatch_drop_newcomer(p, aim);
	}
}

/* News of later threads */

static int on_look(sd_event_source *source, uint64_t usec, void *userdata)
{
	struct irqpolicy *p = userdata;

	irqwatch_run(p);
	p->settle_step = 0;
	if (g_hash_table_size(p->newcomers) > 0)
		irqwatch_settle_next(p);
	return 0;
}

static void irqwatch_look_soon(struct irqpolicy *p)
{
	uint64_t when_ns = MAX(irqwatch_now_ns(), p->look_end_ns + p->look_cost_ns);
	int enabled = SD_EVENT_OFF;

	if (p->look && sd_event_source_get_enabled(p->look, &enabled) > 0)
		return; /* it is to come */
	irqwatch_arm(p, &p->look, when_ns / 1000, on_look);
}

/* Seen in a run before it was told of, maybe while the kernel was still making it. */
static void irqwatch_forget_refusals(struct irqpolicy *p, const struct tuning_subject *s)
{
	for (int a = 0; a < TUNING_ATTRIBUTES; a++) {
		g_autofree char *key = irq_key(s, a);

		g_hash_table_remove(p->refused, key);
	}
}

static void irqwatch_add_newcomer(struct irqpolicy *p, const struct threadwatch_newcomer *newcomer)
{
	struct irq_newcomer *n = g_new0(struct irq_newcomer, 1);
	g_autofree char *key = NULL;
	struct irq_thread t;

	if (irqtable_read_thread(p->root, newcomer->tid, &t) < 0) {
		g_free(n); /* gone again */
		return;
	}
	tuning_subject_of_thread(&t, &n->subject);
	irq_thread_done(&t);
	irqwatch_forget_refusals(p, &n->subject);
	n->created_ns = newcomer->created_ns;
	n->seen_ns = irqwatch_now_ns();
	key = irq_key(&n->subject, -1);
	if (!g_hash_table_contains(p->newcomers, key))
		g_hash_table_insert(p->newcomers, g_steal_pointer(&key), g_steal_pointer(&n));
	if (n) /* told of twice */
		newcomer_free(n);
}

static void on_threadwatch(enum threadwatch_news what, const struct threadwatch_newcomer *newcomer,
			   void *userdata)
{
	struct irqpolicy *p = userdata;

	if (what == THREADWATCH_MODE) {
		if (p->p.changed)
			p->p.changed(p->p.userdata);
		return;
	}
	if (what == THREADWATCH_RESET) {
		p->reset = true;
		return;
	}
	if (what == THREADWATCH_THREAD)
		irqwatch_add_newcomer(p, newcomer);
	irqwatch_look_soon(p);
}

/* Without rules, or the right to set, nobody is interested in what comes: the daemon sleeps. */
static bool irqwatch_wanted(const struct irqpolicy *p)
{
	if (!p->p.event || !p->journal)
		return false;
	return p->plan || (!p->paused && p->files->len > 0);
}

void irqwatch_update(struct irqpolicy *p)
{
	bool wanted = irqwatch_wanted(p);

	if (wanted == (p->watch != NULL))
		return;
	if (wanted)
		/* what cannot be had shows in irqpolicy_watching() */
		(void)threadwatch_new(p->p.event, on_threadwatch, p, &p->watch);
	else
		irqwatch_end(p);
	if (p->p.changed)
		p->p.changed(p->p.userdata);
}

void irqwatch_end(struct irqpolicy *p)
{
	p->watch = threadwatch_free(p->watch);
	p->look = sd_event_source_disable_unref(p->look);
	p->settle = sd_event_source_disable_unref(p->settle);
	p->settle_step = 0;
	g_hash_table_remove_all(p->newcomers);
}

const char *irqpolicy_watching(const struct irqpolicy *p, const char **ret_why)
{
	*ret_why = irqpolicy_why_not(p);
	if (p->captured)
		return "captured";
	if (!p->watch)
		return "off";
	return threadwatch_mode(p->watch, ret_why);
}
