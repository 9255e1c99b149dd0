/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The policy of interrupts over a made machine: who gets which value, by a rule, by hand or by what
 * is nearer, what is somebody else's, and what is said of it.
 */
#include "finding.h"
#include "irqdrift.h"
#include "policy-world.h"
#include "tuning.h"

#include <errno.h>
#include <string.h>

/* Applying */

static void test_line(struct world *w, gconstpointer data)
{
	g_autoptr(GPtrArray) again = NULL;
	unsigned sets;

	world_rules(w, "10-net", ETH0_60);
	world_start(w);
	fake_assert_policy(w->f, "irq/5-eth0", "fifo 60");
	fake_assert_policy(w->f, "irq/5-s-eth0", "fifo 60");
	fake_assert_policy(w->f, "irq/7-parport0", "fifo 50");
	g_assert_cmpuint(w->f->sets, ==, 2);
	g_assert_cmpuint(change_count(w->news, IRQ_SET), ==, 2);
	sets = w->f->sets;
	again = irqpolicy_apply(w->p, false);
	world_reload(w);
	g_assert_cmpuint(again->len, ==, 0);
	g_assert_cmpuint(w->f->sets, ==, sets); /* what is right is not touched */
	world_stop(w);
	world_assert_as_before(w);
}

/* Who does not want to know what is wrong with the files has the rules that are right all the same.
 */
static void test_problems_dropped(struct world *w, gconstpointer data)
{
	const struct irqpolicy_params params = {
		.root = "/",
		.runtime_dir = w->run,
		.config_dirs = w->config_dirs,
	};
	g_autoptr(GPtrArray) changes = NULL;

	world_rules(w, "a",
		    "rules = ( { match = { irq = 5; }; nice = 99; },"
		    " { match = { irq = 7; }; policy = \"rr\"; priority = 33; } );");
	w->p = irqpolicy_new(&params);
	irqpolicy_reload(w->p, NULL);
	fake_assert_policy(w->f, "irq/7-parport0", "rr 33");
	changes = irqpolicy_preview(w->p, NULL);
	g_assert_cmpuint(changes->len, ==, 0);
	world_stop(w);
}

static void test_unequal(struct world *w, gconstpointer data)
{
	g_autoptr(GPtrArray) changes = NULL;
	const struct irq_change *c;

	world_rules(
		w, "10-net",
		"rules = ( { match = { thread = \"irq/5-eth0\"; }; policy = \"fifo\"; priority = "
		"60; } );");
	world_start(w);
	fake_assert_policy(w->f, "irq/5-s-eth0", "fifo 50");
	g_assert_cmpuint(change_count(w->news, IRQ_UNEQUAL), ==, 1);
	changes = irqpolicy_apply(w->p, true);
	c = change_find(changes, IRQ_UNEQUAL, "eth0");
	g_assert_nonnull(c);
	g_assert_cmpint(c->irq, ==, 5);
	g_assert_nonnull(strstr(c->message, "irq/5-eth0 fifo 60, irq/5-s-eth0 fifo 50"));
	world_reload(w);
	g_assert_cmpuint(change_count(w->news, IRQ_UNEQUAL), ==, 2); /* a reload says it again */
}

static void test_first_match(struct world *w, gconstpointer data)
{
	const struct irq_change *c;

	world_rules(w, "10-a",
		    "rules = ( { name = \"nice\"; match = { irq = 5; }; nice = -5; } );");
	world_rules(
		w, "20-b",
		"rules = ( { match = { action = \"eth*\"; }; nice = 7; policy = \"rr\"; priority "
		"= 33; }, { match = { irq = \"5-9\"; }; affinity = \"all\"; } );");
	world_start(w);
	fake_assert_policy(w->f, "irq/5-eth0", "rr 33");
	g_assert_cmpint(fake_thread(w->f, "irq/5-eth0")->nice, ==, -5);
	fake_assert_policy(w->f, "irq/7-parport0", "fifo 50");
	c = change_find(w->news, IRQ_SET, "irq/5-eth0");
	g_assert_nonnull(c);
	g_assert_cmpuint(c->line, ==, 1);
	g_assert_true(g_str_has_suffix(c->file, "20-b.conf") ||
		      g_str_has_suffix(c->file, "10-a.conf"));
}

static void test_priority_alone(struct world *w, gconstpointer data)
{
	fake_chrt(w->f, "irq/5-eth0", SCHED_RR, 40);
	g_free(w->before);
	w->before = fake_state(w->f);
	world_rules(w, "10-a",
		    "rules = ( { match = { irq = 5; }; priority = 61; }, { match = { kthread = "
		    "\"napi/*\"; }; priority = 9; } );");
	world_start(w);
	fake_assert_policy(w->f, "irq/5-eth0", "rr 61");
	fake_assert_policy(w->f, "irq/5-s-eth0", "fifo 61");
	/* a policy that has no priority: said, not set */
	fake_assert_policy(w->f, "napi/eth0-3", "other");
	g_assert_nonnull(change_find(w->news, IRQ_REFUSED, "napi/eth0-3"));
	/* the policy from before us, not the last rule's */
	world_rules(w, "10-a",
		    "rules = ( { match = { irq = 5; }; policy = \"fifo\"; priority = 62; } );");
	world_reload(w);
	fake_assert_policy(w->f, "irq/5-eth0", "fifo 62");
	world_rules(w, "10-a", "rules = ( { match = { irq = 5; }; priority = 63; } );");
	world_reload(w);
	fake_assert_policy(w->f, "irq/5-eth0", "rr 63");
	world_stop(w);
	world_assert_as_before(w);
}

/* The chain */

static void test_chain(struct world *w, gconstpointer data)
{
	g_autoptr(GPtrArray) rules = plan_rules("rules = " PARPORT_90 ";");
	g_autoptr(GPtrArray) findings = findings_new();

	world_rules(w, "10-port",
		    "rules = ( { match = { action = \"parport0\"; }; policy = \"fifo\"; priority = "
		    "70; } );");
	world_start(w);
	fake_assert_policy(w->f, "irq/7-parport0", "fifo 70");
	world_set_fifo(w, "irq/7-parport0", 80);
	fake_assert_policy(w->f, "irq/7-parport0", "fifo 80");
	world_reload(w);
	fake_assert_policy(w->f, "irq/7-parport0", "fifo 80");
	irqpolicy_session_begin(w->p, rules, 0, findings);
	fake_assert_policy(w->f, "irq/7-parport0", "fifo 90");
	irqpolicy_session_tick(w->p, findings);
	irqpolicy_session_end(w->p, findings);
	g_assert_null(finding_find(findings, "irq-rule"));
	g_assert_null(finding_find(findings, "irq-drift-plan"));
	fake_assert_policy(w->f, "irq/7-parport0", "fifo 80");
	world_unset(w, "irq/7-parport0");
	fake_assert_policy(w->f, "irq/7-parport0", "fifo 70");
	world_rules(w, "10-port", "rules = ( );");
	world_reload(w);
	world_assert_as_before(w);
}

static void test_restore(struct world *w, gconstpointer data)
{
	g_autoptr(GPtrArray) dry = NULL, wet = NULL, apply = NULL;
	g_autofree char *message = NULL;
	int r = 0;

	world_rules(w, "10-net", ETH0_60);
	world_start(w);
	world_set_fifo(w, "irq/7-parport0", 80);
	dry = irqpolicy_restore(w->p, true, &r, &message);
	g_assert_cmpuint(change_count(dry, IRQ_WOULD), ==, 3);
	fake_assert_policy(w->f, "irq/7-parport0", "fifo 80");
	g_assert_false(irqpolicy_paused(w->p));
	wet = irqpolicy_restore(w->p, false, &r, &message);
	g_assert_cmpuint(change_count(wet, IRQ_PUT_BACK), ==, 3);
	world_assert_as_before(w);
	g_assert_true(irqpolicy_paused(w->p));
	g_assert_null(w->f->watcher); /* paused: nobody is interested */
	apply = irqpolicy_apply(w->p, false);
	g_assert_cmpuint(change_count(apply, IRQ_SET), ==, 2); /* by hand is forgotten */
	g_assert_false(irqpolicy_paused(w->p));
	g_assert_nonnull(w->f->watcher);
}

/* Drift */

static void test_drift(struct world *w, gconstpointer data)
{
	g_autoptr(GPtrArray) restore = NULL, apply = NULL;
	const struct irq_change *c;
	struct irq_listing *l = NULL;
	g_autofree char *message = NULL;
	const struct irq_standing *s;
	int r = 0;

	world_rules(w, "10-net", ETH0_60);
	world_start(w);
	fake_chrt(w->f, "irq/5-eth0", SCHED_FIFO, 77);
	world_reload(w);
	fake_assert_policy(w->f, "irq/5-eth0", "fifo 77");
	g_assert_cmpuint(change_count(w->news, IRQ_DRIFTED), ==, 1);
	c = change_find(w->news, IRQ_DRIFTED, "irq/5-eth0");
	g_assert_cmpstr(c->old, ==, "fifo 60");
	g_assert_cmpstr(c->new, ==, "fifo 77");

	g_assert_cmpint(irqpolicy_list(w->p, &l, &message), ==, 0);
	for (guint i = 0; i < l->table->threads->len; i++) {
		const struct irq_thread *t = l->table->threads->pdata[i];

		s = g_hash_table_lookup(l->standings, t);
		if (strcmp(t->name, "irq/5-eth0") == 0) {
			g_assert_true(s && s->drifted);
			g_assert_nonnull(strstr(s->drift, "fifo 77 instead of fifo 60"));
		} else if (strcmp(t->name, "irq/5-s-eth0") == 0) {
			g_assert_true(s && !s->drifted);
			g_assert_cmpstr(s->rule, ==, "10-net/1");
		} else {
			g_assert_null(s);
		}
	}
	irq_listing_free(l);

	apply = irqpolicy_apply(w->p, false);
	fake_assert_policy(w->f, "irq/5-eth0", "fifo 60");
	g_assert_nonnull(change_find(apply, IRQ_SET, "irq/5-eth0"));
	fake_chrt(w->f, "irq/5-eth0", SCHED_RR, 3);
	restore = irqpolicy_restore(w->p, false, &r, &message);
	fake_assert_policy(w->f, "irq/5-eth0", "rr 3");
	fake_assert_policy(w->f, "irq/5-s-eth0", "fifo 50");
	g_assert_nonnull(change_find(restore, IRQ_DRIFTED, "irq/5-eth0"));
	world_stop(w);
	fake_assert_policy(w->f, "irq/5-eth0", "rr 3");
}

/* Found right, so there was nothing to set and the journal knows nothing: it is drift all the same.
 */
static void test_drift_of_kept(struct world *w, gconstpointer data)
{
	fake_chrt(w->f, "irq/5-eth0", SCHED_FIFO, 60);
	fake_chrt(w->f, "irq/5-s-eth0", SCHED_FIFO, 60);
	world_rules(w, "10-net", ETH0_60);
	world_start(w);
	g_assert_cmpuint(w->f->sets, ==, 0);
	fake_chrt(w->f, "irq/5-eth0", SCHED_FIFO, 61);
	world_reload(w);
	fake_assert_policy(w->f, "irq/5-eth0", "fifo 61");
	g_assert_cmpuint(change_count(w->news, IRQ_DRIFTED), ==, 1);
	/* the rules follow it: then it is right */
	world_rules(w, "10-net",
		    "rules = ( { match = { interface = \"eth0\"; }; policy = \"fifo\"; priority = "
		    "61; } );");
	world_reload(w);
	fake_assert_policy(w->f, "irq/5-s-eth0", "fifo 61");
	g_assert_cmpuint(change_count(w->news, IRQ_DRIFTED), ==, 1);
	world_stop(w);
	fake_assert_policy(w->f, "irq/5-eth0", "fifo 61");
	fake_assert_policy(w->f, "irq/5-s-eth0", "fifo 60");
}

/* Put right by a call in between: then it is news again. */
static void test_drift_again(struct world *w, gconstpointer data)
{
	g_autoptr(GPtrArray) changes = NULL;

	world_rules(w, "10-net", ETH0_60);
	world_start(w);
	for (guint n = 1; n <= 2; n++) {
		fake_chrt(w->f, "irq/5-eth0", SCHED_RR, 12);
		w->f->watcher(THREADWATCH_LOOK, NULL, w->f->watcher_data);
		while (sd_event_run(w->event, 100000) > 0)
			;
		g_assert_cmpuint(change_count(w->news, IRQ_DRIFTED), ==, n);
		g_clear_pointer(&changes, g_ptr_array_unref);
		changes = irqpolicy_apply(w->p, false);
		fake_assert_policy(w->f, "irq/5-eth0", "fifo 60");
	}
}

static void test_irqbalance_is_named(struct world *w, gconstpointer data)
{
	g_autofree char *proc = g_build_filename(w->dir, "proc/4711", NULL);
	g_autofree char *comm = g_build_filename(proc, "comm", NULL);
	const struct tuning_value ours = { .affinity = (char *)"1" },
				  is = { .affinity = (char *)"0" };
	g_autofree char *named = NULL, *other = NULL;

	g_assert_cmpint(irqbalance_find(w->dir), ==, 0);
	g_assert_cmpint(g_mkdir_with_parents(proc, 0755), ==, 0);
	g_assert_true(g_file_set_contents(comm, "irqbalance\n", -1, NULL));
	g_assert_cmpint(irqbalance_find(w->dir), ==, 4711);
	named = irq_drift_format("line 5", "rule", TUNING_AFFINITY, &ours, &is, 4711);
	g_assert_nonnull(strstr(named, "affinity 0 instead of 1"));
	g_assert_nonnull(strstr(named, "irqbalance runs (process 4711)"));
	other = irq_drift_format("line 5", "rule", TUNING_AFFINITY, &ours, &is, 0);
	g_assert_null(strstr(other, "irqbalance"));
}

/* By hand */

static void test_by_hand_undone_is_no_drift(struct world *w, gconstpointer data)
{
	g_autoptr(GPtrArray) findings = findings_new();

	world_start(w);
	irqpolicy_session_begin(w->p, NULL, 0, findings);
	world_set_fifo(w, "irq/7-parport0", 80);
	world_set_fifo(w, "irq/5-eth0", 50); /* as it was */
	world_unset(w, "irq/7-parport0");
	world_unset(w, "irq/5-eth0");
	fake_chrt(w->f, "irq/5-eth0", SCHED_FIFO, 51); /* nobody's any more */
	irqpolicy_session_tick(w->p, findings);
	g_assert_cmpuint(findings->len, ==, 0);
	irqpolicy_session_end(w->p, findings);
}

/* What is asked for and nothing else: somebody's chrt outlives a renice. */
static void test_by_hand_alone(struct world *w, gconstpointer data)
{
	const struct irq_wish wish = { .has_nice = true, .nice = 3 };

	world_rules(w, "10-net", ETH0_60);
	world_start(w);
	fake_chrt(w->f, "irq/5-eth0", SCHED_RR, 12);
	g_assert_cmpint(world_set(w, "irq/5-eth0", &wish), ==, 0);
	g_assert_cmpint(fake_thread(w->f, "irq/5-eth0")->nice, ==, 3);
	fake_assert_policy(w->f, "irq/5-eth0", "rr 12");
}

static void test_by_hand(struct world *w, gconstpointer data)
{
	const struct fake_thread *t = fake_thread(w->f, "irq/5-eth0");
	g_autoptr(GPtrArray) changes = NULL;
	g_autofree char *message = NULL;
	const struct irq_wish other = { .has_policy = true, .policy = SCHED_OTHER },
			      nice = { .has_nice = true, .nice = 19 },
			      priority = { .has_priority = true, .priority = 33 },
			      rr = { .has_policy = true, .policy = SCHED_RR }, nothing = { 0 },
			      high = { .has_nice = true, .nice = 20 },
			      affinity = { .has_affinity = true, .affinity = "0" },
			      soft = { .has_policy = true,
				       .policy = SCHED_FIFO,
				       .has_priority = true,
				       .priority = 2,
				       .has_nice = true,
				       .nice = 4 };

	world_start(w);
	g_assert_cmpint(world_set(w, "irq/5-eth0", &rr), ==, 0);
	fake_assert_policy(w->f, "irq/5-eth0", "rr 50");
	g_assert_cmpint(world_set(w, "irq/5-eth0", &priority), ==, 0);
	fake_assert_policy(w->f, "irq/5-eth0", "rr 33");
	g_assert_cmpint(world_set(w, "irq/5-eth0", &other), ==, 0);
	g_assert_cmpint(world_set(w, "irq/5-eth0", &nice), ==, 0);
	fake_assert_policy(w->f, "irq/5-eth0", "other");
	g_assert_cmpint(fake_thread(w->f, "irq/5-eth0")->nice, ==, 19);
	g_assert_cmpint(world_set(w, "irq/5-eth0", &priority), ==, -EINVAL);
	g_assert_cmpint(world_set(w, "irq/5-eth0", &rr), ==, -EINVAL);
	g_assert_cmpint(world_set(w, "irq/5-eth0", &nothing), ==, -EINVAL);
	g_assert_cmpint(world_set(w, "irq/5-eth0", &high), ==, -EINVAL);
	g_assert_cmpint(world_set(w, "irq/5-eth0", &affinity), ==, -EINVAL);
	g_assert_cmpint(world_set(w, "migration/0", &other), ==, -EKEYREJECTED);
	/* all or nothing */
	g_assert_cmpint(world_set(w, "ksoftirqd/0", &soft), ==, -EKEYREJECTED);
	g_assert_cmpint(fake_thread(w->f, "ksoftirqd/0")->nice, ==, 0);
	g_assert_cmpint(irqpolicy_set_thread(w->p, t->tid, t->start_ticks + 1, &nice, 0, &changes,
					     &message),
			==, -ENODEV);
	world_unset(w, "irq/5-eth0");
	world_assert_as_before(w);
}

/* Half of it was done when the kernel refused the rest. */
static void test_by_hand_refused(struct world *w, gconstpointer data)
{
	const struct irq_wish wish = { .has_policy = true, .policy = SCHED_OTHER };

	world_start(w);
	fake_thread(w->f, "irq/5-eth0")->refuse = -EPERM;
	g_assert_cmpint(world_set(w, "irq/5-eth0", &wish), ==, -EPERM);
	fake_thread(w->f, "irq/5-eth0")->refuse = 0;
	world_reload(w); /* the wish is forgotten */
	world_assert_as_before(w);
}

static void test_line_by_hand(struct world *w, gconstpointer data)
{
	g_autoptr(GPtrArray) changes = NULL, back = NULL;
	g_autofree char *message = NULL, *none = NULL, *managed = NULL;
	struct irq_listing *l = NULL;
	const struct irq_standing *s;

	g_strlcpy(fake_line(w->f, 5)->affinity, "1000", 32);
	world_start(w);
	g_assert_cmpint(irqpolicy_set_line(w->p, 5, "0", 7, &changes, &message), ==, 0);
	g_assert_cmpstr(fake_line(w->f, 5)->affinity, ==, "0");
	g_assert_cmpuint(change_count(changes, IRQ_SET), ==, 1);
	g_assert_cmpint(irqpolicy_list(w->p, &l, &message), ==, 0);
	s = g_hash_table_lookup(l->standings, l->table->lines->pdata[0]);
	g_assert_true(s && strcmp(s->rule, "set by user 7") == 0);
	irq_listing_free(l);
	g_assert_cmpint(irqpolicy_set_line(w->p, 55, "0", 7, &changes, &none), ==, -ENODEV);
	fake_line(w->f, 9)->refuse = -EIO;
	g_strlcpy(fake_line(w->f, 9)->affinity, "1000", 32);
	g_assert_cmpint(irqpolicy_set_line(w->p, 9, "0", 7, &changes, &managed), ==, -EIO);
	g_assert_cmpint(irqpolicy_restore_line(w->p, 5, &back, &message), ==, 0);
	g_assert_cmpstr(fake_line(w->f, 5)->affinity, ==, "1000");
}

/* What is said of rules */

static void test_notes(struct world *w, gconstpointer data)
{
	g_autoptr(GPtrArray) changes = NULL;

	world_rules(w, "10-a",
		    "rules = ( { name = \"waits\"; match = { interface = \"wlan0\"; }; nice = 1; },"
		    "{ name = \"timer\"; match = { action = \"timer\"; }; policy = \"other\"; },"
		    "{ name = \"cpus\"; match = { action = \"timer\"; }; affinity = \"0\"; },"
		    "{ name = \"protected\"; match = { kthread = \"migration/*\"; }; nice = 1; },"
		    "{ name = \"unused\"; match = { irq = 11; }; nice = 1; },"
		    "{ name = \"fine\"; match = { irq = 5; }; nice = 1; } );");
	fake_add_line(w->f, 11, "", NULL);
	fake_line(w->f, 11)->unthreaded = IRQ_UNUSED;
	world_start(w);
	g_assert_cmpuint(change_count(w->news, IRQ_WAITS), ==, 0); /* quietly */
	g_assert_cmpuint(change_count(w->news, IRQ_NEVER), ==, 2);
	changes = irqpolicy_apply(w->p, true);
	g_assert_cmpuint(change_count(changes, IRQ_WAITS), ==, 2);
	g_assert_cmpuint(change_count(changes, IRQ_NEVER), ==, 2);
	for (guint i = 0; i < changes->len; i++) {
		const struct irq_change *c = changes->pdata[i];

		if (c->outcome == IRQ_NEVER)
			g_assert_true(strcmp(c->by, "timer") == 0 ||
				      strcmp(c->by, "protected") == 0);
		if (c->outcome == IRQ_WAITS)
			g_assert_true(strcmp(c->by, "waits") == 0 || strcmp(c->by, "unused") == 0);
		g_assert_true(c->message && *c->message);
	}
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	WORLD_ADD("line", test_line);
	WORLD_ADD("problems-dropped", test_problems_dropped);
	WORLD_ADD("unequal", test_unequal);
	WORLD_ADD("first-match", test_first_match);
	WORLD_ADD("priority-alone", test_priority_alone);
	WORLD_ADD("chain", test_chain);
	WORLD_ADD("restore", test_restore);
	WORLD_ADD("drift", test_drift);
	WORLD_ADD("drift-of-kept", test_drift_of_kept);
	WORLD_ADD("drift-again", test_drift_again);
	WORLD_ADD("by-hand", test_by_hand);
	WORLD_ADD("by-hand-undone-is-no-drift", test_by_hand_undone_is_no_drift);
	WORLD_ADD("by-hand-alone", test_by_hand_alone);
	WORLD_ADD("by-hand-refused", test_by_hand_refused);
	WORLD_ADD("line-by-hand", test_line_by_hand);
	WORLD_ADD("irqbalance-is-named", test_irqbalance_is_named);
	WORLD_ADD("notes", test_notes);
	return g_test_run();
}
