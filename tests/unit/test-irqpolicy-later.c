/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Over a made machine: threads that come later or are out of sight, what the kernel sets back, and
 * when there is somebody who watches.
 */
#include "finding.h"
#include "policy-world.h"

#include <errno.h>

/* That no thread can be seen does not mean that they have ended. */
static void test_unseen(struct world *w, gconstpointer data)
{
	world_rules(w, "10-net", ETH0_60);
	world_start(w);
	w->f->unseen = true;
	world_reload(w);
	w->f->unseen = false;
	world_stop(w);
	world_assert_as_before(w);
}

static void test_unseen_by_hand(struct world *w, gconstpointer data)
{
	world_rules(w, "10-net", ETH0_60);
	world_start(w);
	world_set_fifo(w, "irq/5-eth0", 33);
	w->f->unseen = true;
	world_reload(w);
	w->f->unseen = false;
	world_reload(w);
	fake_assert_policy(w->f, "irq/5-eth0", "fifo 33");
	world_unset(w, "irq/5-eth0");
	fake_assert_policy(w->f, "irq/5-eth0", "fifo 60");
	world_stop(w);
	world_assert_as_before(w);
}

static void world_newcomer(struct world *w, const char *name)
{
	const struct fake_thread *t = fake_thread(w->f, name);
	const struct threadwatch_newcomer newcomer = {
		.tid = t->tid,
		.start_ticks = t->start_ticks,
		.created_ns = (uint64_t)g_get_monotonic_time() * 1000 - 5000000,
	};

	g_assert_nonnull(w->f->watcher);
	w->f->watcher(THREADWATCH_THREAD, &newcomer, w->f->watcher_data);
}

static void world_events(struct world *w, uint64_t usec)
{
	gint64 end = g_get_monotonic_time() + (gint64)usec;

	while (g_get_monotonic_time() < end)
		g_assert_cmpint(sd_event_run(w->event, 10000), >=, 0);
}

static void test_newcomer(struct world *w, gconstpointer data)
{
	const struct irq_change *c;
	unsigned reads;

	world_rules(w, "10-net", ETH0_60);
	world_start(w);
	fake_end_thread(w->f, "irq/5-eth0");
	fake_add_thread(w->f, 77, "irq/5-eth0");
	g_ptr_array_set_size(w->news, 0);
	reads = w->f->reads;
	world_newcomer(w, "irq/5-eth0");
	world_newcomer(w, "irq/5-s-eth0");
	world_newcomer(w, "irq/7-parport0");
	world_events(w, 10000);
	g_assert_cmpuint(w->f->reads, ==, reads + 1); /* one look for all */
	fake_assert_policy(w->f, "irq/5-eth0", "fifo 60");
	c = change_find(w->news, IRQ_SET, "irq/5-eth0");
	g_assert_true(c && c->after_ns >= 5000000);
	/* the kernel was late with its default: once more */
	fake_chrt(w->f, "irq/5-eth0", SCHED_FIFO, 50);
	world_events(w, 300000);
	fake_assert_policy(w->f, "irq/5-eth0", "fifo 60");
	g_assert_cmpuint(change_count(w->news, IRQ_DRIFTED), ==, 0);
	/* and then it is somebody's wish */
	fake_chrt(w->f, "irq/5-eth0", SCHED_FIFO, 50);
	w->f->watcher(THREADWATCH_LOOK, NULL, w->f->watcher_data);
	world_events(w, 300000);
	fake_assert_policy(w->f, "irq/5-eth0", "fifo 50");
	g_assert_cmpuint(change_count(w->news, IRQ_DRIFTED), ==, 1);
}

/* Newer kernels start a secondary thread one below. */
static void test_secondary_newcomer(struct world *w, gconstpointer data)
{
	world_rules(w, "10-net", ETH0_60);
	world_start(w);
	fake_end_thread(w->f, "irq/5-s-eth0");
	fake_add_thread(w->f, 78, "irq/5-s-eth0");
	world_newcomer(w, "irq/5-s-eth0");
	world_events(w, 10000);
	fake_assert_policy(w->f, "irq/5-s-eth0", "fifo 60");
	fake_chrt(w->f, "irq/5-s-eth0", SCHED_FIFO, 49);
	world_events(w, 300000);
	fake_assert_policy(w->f, "irq/5-s-eth0", "fifo 60");
	g_assert_cmpuint(change_count(w->news, IRQ_DRIFTED), ==, 0);
}

/* Others begin with the policy other. */
static void test_other_newcomer(struct world *w, gconstpointer data)
{
	world_rules(
		w, "10-net",
		"rules = ( { match = { kthread = \"napi/*\"; }; policy = \"fifo\"; priority = 5; "
		"} );");
	world_start(w);
	fake_end_thread(w->f, "napi/eth0-3");
	fake_add_thread(w->f, 79, "napi/eth0-3");
	fake_chrt(w->f, "napi/eth0-3", SCHED_OTHER, 0);
	world_newcomer(w, "napi/eth0-3");
	world_events(w, 10000);
	fake_assert_policy(w->f, "napi/eth0-3", "fifo 5");
	fake_chrt(w->f, "napi/eth0-3", SCHED_OTHER, 0);
	world_events(w, 300000);
	fake_assert_policy(w->f, "napi/eth0-3", "fifo 5");
	g_assert_cmpuint(change_count(w->news, IRQ_DRIFTED), ==, 0);
}

/* First met before it had run, and so without the rest of its name. */
static void test_whole_name_later(struct world *w, gconstpointer data)
{
	g_autofree char *before = NULL, *now = NULL;

	fake_add_thread(w->f, 80, "napi/enp0s31f6-");
	fake_chrt(w->f, "napi/enp0s31f6-", SCHED_OTHER, 0);
	before = fake_state(w->f);
	world_rules(w, "10-net",
		    "rules = ( { match = { kthread = \"napi/enp*\"; }; nice = -3; } );");
	world_start(w);
	g_assert_cmpint(fake_thread(w->f, "napi/enp0s31f6-")->nice, ==, -3);
	g_strlcpy(fake_thread(w->f, "napi/enp0s31f6-")->name, "napi/enp0s31f6-8193", 64);
	world_rules(w, "10-net",
		    "rules = ( { match = { kthread = \"napi/enp*\"; }; nice = -5; } );");
	world_reload(w);
	g_assert_cmpint(fake_thread(w->f, "napi/enp0s31f6-8193")->nice, ==, -5);
	world_stop(w);
	g_assert_cmpint(fake_thread(w->f, "napi/enp0s31f6-8193")->nice, ==, 0);
	g_strlcpy(fake_thread(w->f, "napi/enp0s31f6-8193")->name, "napi/enp0s31f6-", 64);
	now = fake_state(w->f);
	g_assert_cmpstr(now, ==, before);
}

/* A run for others meets a thread that the kernel is still starting. */
static void test_newcomer_in_its_start(struct world *w, gconstpointer data)
{
	world_rules(w, "10-net", ETH0_60);
	world_start(w);
	for (unsigned undone = 1; undone <= 4; undone++) {
		fake_end_thread(w->f, "irq/5-eth0");
		fake_add_thread(w->f, (pid_t)(70 + undone), "irq/5-eth0");
		fake_thread(w->f, "irq/5-eth0")->undone = undone;
		w->f->watcher(THREADWATCH_LOOK, NULL, w->f->watcher_data);
		world_events(w, 10000);
		fake_assert_policy(w->f, "irq/5-eth0", undone == 1 ? "fifo 60" : "fifo 50");
		fake_thread(w->f, "irq/5-eth0")->undone = 0;
		world_newcomer(w, "irq/5-eth0");
		world_events(w, 10000);
		fake_assert_policy(w->f, "irq/5-eth0", "fifo 60");
	}
}

/* Settled news, and the looks they ask for. */
static void world_look(struct world *w, bool reset)
{
	if (reset)
		w->f->watcher(THREADWATCH_RESET, NULL, w->f->watcher_data);
	w->f->watcher(THREADWATCH_LOOK, NULL, w->f->watcher_data);
	while (sd_event_run(w->event, 100000) > 0)
		;
}

/* After a resume the kernel's defaults are the kernel's; another value is somebody's. */
static void test_reset(struct world *w, gconstpointer data)
{
	g_autoptr(GPtrArray) findings = findings_new();

	world_rules(w, "10-net", ETH0_60);
	world_start(w);
	irqpolicy_session_begin(w->p, NULL, 0, findings);
	fake_chrt(w->f, "irq/5-eth0", SCHED_FIFO, 50);
	fake_chrt(w->f, "irq/5-s-eth0", SCHED_FIFO, 12);
	w->f->watcher(THREADWATCH_RESET, NULL, w->f->watcher_data);
	irqpolicy_session_tick(w->p, findings);
	g_assert_cmpuint(findings->len, ==, 0); /* whose it is shows in the look */
	world_look(w, false);
	fake_assert_policy(w->f, "irq/5-eth0", "fifo 60");
	fake_assert_policy(w->f, "irq/5-s-eth0", "fifo 12");
	g_assert_cmpuint(change_count(w->news, IRQ_DRIFTED), ==, 1);
	/* somebody's, and it happens to be the kernel's as well: stays so whatever comes */
	fake_chrt(w->f, "irq/5-eth0", SCHED_FIFO, 50);
	world_look(w, false);
	g_assert_cmpuint(change_count(w->news, IRQ_DRIFTED), ==, 2);
	world_look(w, true);
	fake_assert_policy(w->f, "irq/5-eth0", "fifo 50");
	g_assert_cmpuint(change_count(w->news, IRQ_DRIFTED), ==, 2);
	irqpolicy_session_end(w->p, findings);
}

/* A line whose CPU has been away is where the kernel has put it meanwhile. */
static void test_reset_of_affinity(struct world *w, gconstpointer data)
{
	world_rules(w, "10-a",
		    "rules = ( { match = { irq = \"5,7\"; }; affinity = \"0,1000-1001\"; } );");
	world_start(w);
	g_assert_cmpstr(fake_line(w->f, 5)->affinity, ==, "0"); /* the same, to who runs now */
	g_strlcpy(fake_line(w->f, 5)->affinity, "1002-1003", 32);
	g_strlcpy(fake_line(w->f, 7)->affinity, "1001-1002", 32);
	fake_line(w->f, 5)->refuse = -ENOSPC;
	world_look(w, true);
	g_assert_cmpuint(change_count(w->news, IRQ_REFUSED), ==, 1);
	fake_line(w->f, 5)->refuse = 0;
	world_look(w, true); /* and what was refused may be had now */
	g_assert_cmpstr(fake_line(w->f, 5)->affinity, ==, "0,1000-1001");
	g_assert_cmpstr(fake_line(w->f, 7)->affinity, ==, "1001-1002");
	g_assert_cmpuint(change_count(w->news, IRQ_DRIFTED), ==, 1);
}

static void test_watching(struct world *w, gconstpointer data)
{
	g_autoptr(GPtrArray) findings = findings_new();
	g_autoptr(GPtrArray) rules = plan_rules("rules = " PARPORT_90 ";");
	const char *why;

	world_start(w);
	g_assert_cmpstr(irqpolicy_watching(w->p, &why), ==, "off");
	g_assert_null(w->f->watcher);
	irqpolicy_session_begin(w->p, rules, 0, findings);
	g_assert_cmpstr(irqpolicy_watching(w->p, &why), ==, "process-events");
	irqpolicy_session_end(w->p, findings);
	g_assert_cmpstr(irqpolicy_watching(w->p, &why), ==, "off");
	world_rules(w, "10-net", ETH0_60);
	world_reload(w);
	g_assert_cmpstr(irqpolicy_watching(w->p, &why), ==, "process-events");
	world_rules(w, "10-net", "rules = ( );");
	world_reload(w);
	g_assert_null(w->f->watcher);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	WORLD_ADD("unseen", test_unseen);
	WORLD_ADD("unseen-by-hand", test_unseen_by_hand);
	WORLD_ADD("newcomer", test_newcomer);
	WORLD_ADD("secondary-newcomer", test_secondary_newcomer);
	WORLD_ADD("other-newcomer", test_other_newcomer);
	WORLD_ADD("whole-name-later", test_whole_name_later);
	WORLD_ADD("newcomer-in-its-start", test_newcomer_in_its_start);
	WORLD_ADD("reset", test_reset);
	WORLD_ADD("reset-of-affinity", test_reset_of_affinity);
	WORLD_ADD("watching", test_watching);
	return g_test_run();
}
