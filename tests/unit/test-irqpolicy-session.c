/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Over a made machine: what a session's plan sets, which findings it gets, what may not be done
 * while it measures, and how little it asks meanwhile.
 */
#include "finding.h"
#include "policy-world.h"

#include <errno.h>
#include <string.h>

static void test_restore_while_measuring(struct world *w, gconstpointer data)
{
	g_autoptr(GPtrArray) rules = plan_rules("rules = " PARPORT_90 ";");
	g_autoptr(GPtrArray) findings = findings_new();
	g_autofree char *message = NULL;
	const struct irq_wish wish = { .has_policy = true, .policy = SCHED_OTHER };
	int r = 0;

	world_start(w);
	irqpolicy_session_begin(w->p, rules, 0, findings);
	g_assert_null(irqpolicy_restore(w->p, false, &r, &message));
	g_assert_cmpint(r, ==, -EBUSY);
	g_assert_nonnull(message);
	/* nor by hand what the plan sets */
	g_assert_cmpint(world_set(w, "irq/7-parport0", &wish), ==, -EBUSY);
	fake_assert_policy(w->f, "irq/7-parport0", "fifo 90");
	g_assert_cmpint(world_set(w, "irq/5-eth0", &wish), ==, 0);
	fake_assert_policy(w->f, "irq/5-eth0", "other");
	irqpolicy_session_end(w->p, findings);
	fake_assert_policy(w->f, "irq/5-eth0", "other");
	fake_assert_policy(w->f, "irq/7-parport0", "fifo 50");
}

static void test_drift_of_affinity(struct world *w, gconstpointer data)
{
	g_autoptr(GPtrArray) findings = findings_new();
	g_autoptr(GPtrArray) rules =
		plan_rules("rules = ( { match = { thread = \"irq/5-*\"; }; affinity = \"0\"; } );");
	const struct finding *f;

	g_strlcpy(fake_line(w->f, 5)->affinity, "1000", 32);
	world_start(w);
	irqpolicy_session_begin(w->p, rules, 0, findings);
	g_assert_cmpstr(fake_line(w->f, 5)->affinity, ==, "0");
	g_assert_cmpuint(findings->len, ==, 0);
	g_strlcpy(fake_line(w->f, 5)->affinity, "1001", 32);
	irqpolicy_session_tick(w->p, findings);
	irqpolicy_session_tick(w->p, findings);
	f = finding_find(findings, "irq-drift-plan");
	g_assert_true(f && f->kind->weight == FINDING_INCONCLUSIVE);
	g_assert_cmpuint(findings->len, ==, 1);
	g_assert_cmpuint(change_count(w->news, IRQ_DRIFTED), ==, 1);
	irqpolicy_session_end(w->p, findings);
	g_assert_cmpuint(findings->len, ==, 1);
	g_assert_cmpuint(change_count(w->news, IRQ_DRIFTED), ==, 1); /* told once */
	g_assert_cmpstr(fake_line(w->f, 5)->affinity, ==, "1001");
}

static void test_tick_is_cheap(struct world *w, gconstpointer data)
{
	g_autoptr(GPtrArray) findings = findings_new();
	const struct finding *f;
	unsigned reads;

	world_rules(w, "10-net", ETH0_60);
	world_start(w);
	irqpolicy_session_begin(w->p, NULL, 80, findings);
	reads = w->f->reads;
	irqpolicy_session_tick(w->p, findings);
	g_assert_cmpuint(findings->len, ==, 0);
	fake_chrt(w->f, "irq/5-eth0", SCHED_FIFO, 3);
	irqpolicy_session_tick(w->p, findings);
	g_assert_cmpuint(w->f->reads, ==, reads);
	f = finding_find(findings, "irq-drift");
	g_assert_true(f && f->kind->weight == FINDING_WARNS);
	g_assert_nonnull(strstr(f->text, "irq/5-eth0"));
	irqpolicy_session_end(w->p, findings);
	fake_assert_policy(w->f, "irq/5-eth0", "fifo 3");
}

/* What "check" asks: as a session would find it, and nothing is set or told. */
static void test_find_without_a_session(struct world *w, gconstpointer data)
{
	g_autoptr(GPtrArray) good = findings_new(), drifted = findings_new();
	g_autoptr(GPtrArray) paused = findings_new(), changes = NULL;
	g_autofree char *message = NULL;
	int r;

	world_rules(w, "10-net", ETH0_60);
	world_start(w);
	irqpolicy_find(w->p, good);
	g_assert_cmpuint(good->len, ==, 0);
	fake_chrt(w->f, "irq/5-eth0", SCHED_FIFO, 3);
	irqpolicy_find(w->p, drifted);
	g_assert_nonnull(finding_find(drifted, "irq-drift"));
	g_assert_null(finding_find(drifted, "irq-paused"));
	g_assert_cmpuint(change_count(w->news, IRQ_DRIFTED), ==, 0);
	fake_assert_policy(w->f, "irq/5-eth0", "fifo 3");
	changes = irqpolicy_restore(w->p, false, &r, &message);
	irqpolicy_find(w->p, paused);
	g_assert_nonnull(finding_find(paused, "irq-paused"));
	g_assert_true(irqpolicy_paused(w->p));
}

/* irqbalance is looked for when there is something to say, and once for all of it. */
static void test_tick_searches_once(struct world *w, gconstpointer data)
{
	g_autoptr(GPtrArray) findings = findings_new();
	g_autoptr(GPtrArray) rules =
		plan_rules("rules = ( { match = { irq = \"5,7\"; }; affinity = \"0\"; } );");

	world_start(w);
	irqpolicy_session_begin(w->p, rules, 0, findings);
	g_strlcpy(fake_line(w->f, 5)->affinity, "1001", 32);
	g_strlcpy(fake_line(w->f, 7)->affinity, "1001", 32);
	w->f->searches = 0;
	for (int i = 0; i < 5; i++)
		irqpolicy_session_tick(w->p, findings);
	g_assert_cmpuint(findings->len, ==, 2);
	g_assert_cmpuint(w->f->searches, ==, 1);
	irqpolicy_session_end(w->p, findings);
}

static void test_measuring(struct world *w, gconstpointer data)
{
	g_autoptr(GPtrArray) findings = findings_new();
	g_autoptr(GPtrArray) rules = plan_rules(
		"rules = ( { match = { action = \"parport0\"; }; policy = \"fifo\"; priority = 90; "
		"override = [ \"measuring\" ]; }, { name = \"napi\"; match = { kthread = "
		"\"napi/*\"; }; policy = \"fifo\"; priority = 80; }, { name = \"none\"; match = { "
		"interface = \"wlan*\"; }; nice = 3; }, { name = \"never\"; match = { action = "
		"\"timer\"; }; policy = \"other\"; } );");
	struct irq_wish wish = {
		.has_policy = true,
		.policy = SCHED_RR,
		.has_priority = true,
		.priority = 81,
	};

	world_rules(
		w, "10-net",
		"rules = ( { match = { interface = \"eth0\"; }; policy = \"fifo\"; priority = 85; "
		"} );");
	world_start(w);
	irqpolicy_session_begin(w->p, rules, 80, findings);
	fake_assert_policy(w->f, "irq/7-parport0", "fifo 90"); /* the plan says so */
	fake_assert_policy(w->f, "irq/5-eth0", "fifo 85");     /* was there */
	fake_assert_policy(w->f, "napi/eth0-3", "other");      /* equal is too high */
	g_assert_nonnull(finding_find(findings, "irq-rule"));
	g_assert_nonnull(finding_find(findings, "irq-rule-waits"));
	g_assert_cmpuint(findings->len, ==, 3); /* never, and what waits */
	g_assert_cmpint(world_set(w, "napi/eth0-3", &wish), ==, -EBUSY);
	wish.priority = 86;
	g_assert_cmpint(world_set(w, "irq/5-eth0", &wish), ==, -EKEYREJECTED);
	fake_assert_policy(w->f, "irq/5-eth0", "fifo 85");
	wish.override = OVERRIDE_MEASURING;
	g_assert_cmpint(world_set(w, "irq/5-eth0", &wish), ==, 0);
	fake_assert_policy(w->f, "irq/5-eth0", "rr 86");
	/* a thread that comes while it measures */
	fake_end_thread(w->f, "irq/5-s-eth0");
	fake_add_thread(w->f, 99, "irq/5-s-eth0");
	irqpolicy_session_tick(w->p, findings);
	irqpolicy_session_end(w->p, findings);
	fake_assert_policy(w->f, "irq/5-s-eth0", "fifo 85"); /* nobody measures any more */
	fake_assert_policy(w->f, "irq/7-parport0", "fifo 50");
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	WORLD_ADD("restore-while-measuring", test_restore_while_measuring);
	WORLD_ADD("drift-of-affinity", test_drift_of_affinity);
	WORLD_ADD("tick-is-cheap", test_tick_is_cheap);
	WORLD_ADD("find-without-a-session", test_find_without_a_session);
	WORLD_ADD("tick-searches-once", test_tick_searches_once);
	WORLD_ADD("measuring", test_measuring);
	return g_test_run();
}
