/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Over a made machine: what is forbidden or refused, alone or beside others, what is left of it
 * then, and who else was faster.
 */
#include "finding.h"
#include "policy-world.h"

#include <errno.h>
#include <string.h>

#define CHAIN(soft, rcu, work)                                                                     \
	"rules = ( { match = { kthread = \"ksoftirqd/*\"; }; policy = \"fifo\"; priority = " soft  \
	"; }, { match = { kthread = \"ktimers/*\"; }; policy = \"fifo\"; priority = " soft         \
	"; }, { match = { kthread = \"rcu*\"; }; policy = \"fifo\"; priority = " rcu               \
	"; }, { match = { kthread = \"irq_work/*\"; }; policy = \"fifo\"; priority = " work        \
	"; } );"

static void test_together(struct world *w, gconstpointer data)
{
	world_rules(w, "10-chain", CHAIN("7", "8", "9"));
	world_start(w); /* the made machine looks at every step */
	fake_assert_policy(w->f, "ksoftirqd/0", "fifo 7");
	fake_assert_policy(w->f, "ktimers/0", "fifo 7");
	fake_assert_policy(w->f, "rcuc/0", "fifo 8");
	fake_assert_policy(w->f, "rcub/0", "fifo 8");
	fake_assert_policy(w->f, "irq_work/0", "fifo 9");
	world_rules(w, "10-chain", CHAIN("2", "3", "4"));
	world_reload(w);
	fake_assert_policy(w->f, "rcub/0", "fifo 3");
	world_rules(w, "10-chain", CHAIN("5", "6", "7"));
	world_reload(w);
	fake_assert_policy(w->f, "irq_work/0", "fifo 7");
	world_stop(w);
	world_assert_as_before(w);
}

static void test_forbidden(struct world *w, gconstpointer data)
{
	const struct irq_change *c;

	world_rules(w, "10-chain", CHAIN("9", "8", "9"));
	world_start(w);
	fake_assert_policy(w->f, "ksoftirqd/0", "fifo 1");
	fake_assert_policy(w->f, "rcuc/0", "fifo 8");
	fake_assert_policy(w->f, "irq_work/0", "fifo 9");
	c = change_find(w->news, IRQ_REFUSED, "ksoftirqd/0");
	g_assert_true(c && strstr(c->message, "softirq"));
	g_assert_cmpuint(change_count(w->news, IRQ_REFUSED), ==, 2);
}

/* The kernel refuses the uppermost: those below it may not go up then. */
static void test_refused_in_the_middle(struct world *w, gconstpointer data)
{
	fake_thread(w->f, "irq_work/0")->refuse = -EPERM;
	world_rules(w, "10-chain", CHAIN("7", "8", "9"));
	world_start(w);
	world_assert_as_before(w);
	g_assert_cmpuint(change_count(w->news, IRQ_REFUSED), ==, 5);
	g_assert_cmpuint(w->f->sets, ==, 1); /* the others were not even tried */
}

/* What was allowed beside others is not when they are gone. */
static void test_forbidden_afterwards(struct world *w, gconstpointer data)
{
	world_start(w);
	world_set_fifo(w, "irq_work/0", 5);
	world_set_fifo(w, "rcuc/0", 3);
	world_unset(w, "irq_work/0");
	fake_assert_policy(w->f, "irq_work/0", "fifo 1");
	fake_assert_policy(w->f, "rcuc/0", "fifo 1");
}

/* What stays as it is makes no way for who moves. */
static void test_forbidden_by_hand(struct world *w, gconstpointer data)
{
	const struct irq_wish wish = {
		.has_policy = true,
		.policy = SCHED_FIFO,
		.has_priority = true,
		.priority = 2,
	};

	world_rules(w, "10-chain", CHAIN("4", "5", "6"));
	world_start(w);
	g_assert_cmpint(world_set(w, "irq_work/0", &wish), ==, -EKEYREJECTED);
	fake_assert_policy(w->f, "irq_work/0", "fifo 6");
	fake_assert_policy(w->f, "rcuc/0", "fifo 5");
}

/* A rule that is refused does not leave what the one before it had set. */
static void test_changed_and_forbidden(struct world *w, gconstpointer data)
{
	g_autoptr(GPtrArray) again = NULL;
	const struct irq_change *c;

	world_rules(w, "10-chain", CHAIN("7", "8", "9"));
	world_start(w);
	fake_assert_policy(w->f, "ksoftirqd/0", "fifo 7");
	g_ptr_array_set_size(w->news, 0);
	world_rules(w, "10-chain", CHAIN("9", "8", "9"));
	world_reload(w);
	fake_assert_policy(w->f, "ksoftirqd/0", "fifo 1");
	fake_assert_policy(w->f, "ktimers/0", "fifo 1");
	fake_assert_policy(w->f, "rcuc/0", "fifo 8");
	c = change_find(w->news, IRQ_PUT_BACK, "ksoftirqd/0");
	g_assert_nonnull(c);
	g_assert_cmpstr(c->old, ==, "fifo 7");
	g_assert_cmpstr(c->new, ==, "fifo 1");
	c = change_find(w->news, IRQ_REFUSED, "ksoftirqd/0");
	g_assert_nonnull(c);
	g_assert_cmpstr(c->old, ==, "fifo 1");
	g_assert_cmpstr(c->new, ==, "fifo 9");
	again = irqpolicy_apply(w->p, false);
	g_assert_cmpuint(change_count(again, IRQ_REFUSED), ==, 2);
	g_assert_cmpuint(again->len, ==, 2); /* nor is it called drift */
	world_stop(w);
	world_assert_as_before(w);
}

/* What is refused goes back to what it was before us, and others are looked at beside that. */
static void test_forbidden_and_beside(struct world *w, gconstpointer data)
{
	g_autoptr(GPtrArray) findings = findings_new();

	world_rules(w, "10-chain", CHAIN("5", "5", "5"));
	world_start(w);
	irqpolicy_session_begin(w->p, NULL, 90, findings);
	fake_assert_policy(w->f, "ksoftirqd/0", "fifo 5");
	world_rules(w, "10-chain", CHAIN("5", "95", "95"));
	world_reload(w);
	fake_assert_policy(w->f, "rcuc/0", "fifo 1");
	fake_assert_policy(w->f, "irq_work/0", "fifo 1");
	fake_assert_policy(w->f, "ksoftirqd/0", "fifo 1");
	irqpolicy_session_end(w->p, findings);
	world_stop(w);
	world_assert_as_before(w);
}

/* The kernel's no to another value than ours leaves neither. */
static void test_refused_after_ours(struct world *w, gconstpointer data)
{
	world_rules(w, "10-net", ETH0_60);
	world_start(w);
	fake_thread(w->f, "irq/5-eth0")->priority_max = 60;
	world_rules(w, "10-net",
		    "rules = ( { match = { irq = 5; }; policy = \"fifo\"; priority = 61; } );");
	world_reload(w);
	fake_assert_policy(w->f, "irq/5-eth0", "fifo 50");
	fake_assert_policy(w->f, "irq/5-s-eth0", "fifo 61");
	g_assert_nonnull(change_find(w->news, IRQ_REFUSED, "irq/5-eth0"));
	g_assert_nonnull(change_find(w->news, IRQ_PUT_BACK, "irq/5-eth0"));
}

/* What the kernel makes of it instead is no value anybody asked for. */
static void test_made_something_else(struct world *w, gconstpointer data)
{
	fake_thread(w->f, "irq/5-eth0")->twisted = 2; /* and once more is tried */
	world_rules(w, "10-net", ETH0_60);
	world_start(w);
	fake_assert_policy(w->f, "irq/5-eth0", "fifo 50");
	fake_assert_policy(w->f, "irq/5-s-eth0", "fifo 60");
	g_assert_nonnull(change_find(w->news, IRQ_REFUSED, "irq/5-eth0"));
	world_stop(w);
	world_assert_as_before(w);
}

static void test_changed_to_what_cannot_be(struct world *w, gconstpointer data)
{
	g_strlcpy(fake_line(w->f, 5)->affinity, "1000", 32);
	world_rules(w, "10-a", "rules = ( { match = { irq = 5; }; affinity = \"0\"; } );");
	world_start(w);
	g_assert_cmpstr(fake_line(w->f, 5)->affinity, ==, "0");
	world_rules(w, "10-a", "rules = ( { match = { irq = 5; }; affinity = \"1001\"; } );");
	world_reload(w);
	g_assert_cmpstr(fake_line(w->f, 5)->affinity, ==, "1000");
	g_assert_cmpuint(change_count(w->news, IRQ_PUT_BACK), ==, 1);
	g_assert_cmpuint(change_count(w->news, IRQ_REFUSED), ==, 1);
}

/* Somebody else was faster than putting back. */
static void on_table_read(struct fake *f)
{
	fake_chrt(f, "irq/5-eth0", SCHED_RR, 12);
}

static void test_put_back_too_late(struct world *w, gconstpointer data)
{
	world_rules(w, "10-net", ETH0_60);
	world_start(w);
	world_no_rules(w, "10-net");
	w->f->after_read = on_table_read;
	world_reload(w);
	fake_assert_policy(w->f, "irq/5-eth0", "rr 12");
	fake_assert_policy(w->f, "irq/5-s-eth0", "fifo 50");
	g_assert_nonnull(change_find(w->news, IRQ_DRIFTED, "irq/5-eth0"));
	world_stop(w);
	fake_assert_policy(w->f, "irq/5-eth0", "rr 12");
}

static void test_set_too_late(struct world *w, gconstpointer data)
{
	world_rules(w, "10-net", ETH0_60);
	world_start(w);
	world_rules(w, "10-net",
		    "rules = ( { match = { irq = 5; }; policy = \"fifo\"; priority = 61; } );");
	w->f->after_read = on_table_read;
	world_reload(w);
	fake_assert_policy(w->f, "irq/5-eth0", "rr 12");
	fake_assert_policy(w->f, "irq/5-s-eth0", "fifo 61");
	g_assert_nonnull(change_find(w->news, IRQ_DRIFTED, "irq/5-eth0"));
	world_stop(w);
	fake_assert_policy(w->f, "irq/5-eth0", "rr 12");
}

/* A value that was ours and is no longer: who sets it again is somebody else. */
static void test_once_ours(struct world *w, gconstpointer data)
{
	world_rules(w, "10-net", ETH0_60);
	world_start(w);
	world_rules(w, "10-net",
		    "rules = ( { match = { irq = 5; }; policy = \"fifo\"; priority = 61; } );");
	world_reload(w);
	fake_assert_policy(w->f, "irq/5-eth0", "fifo 61");
	fake_chrt(w->f, "irq/5-eth0", SCHED_FIFO, 60);
	world_reload(w);
	g_assert_nonnull(change_find(w->news, IRQ_DRIFTED, "irq/5-eth0"));
	world_stop(w);
	fake_assert_policy(w->f, "irq/5-eth0", "fifo 60");
	fake_assert_policy(w->f, "irq/5-s-eth0", "fifo 50");
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	WORLD_ADD("together", test_together);
	WORLD_ADD("forbidden", test_forbidden);
	WORLD_ADD("refused-in-the-middle", test_refused_in_the_middle);
	WORLD_ADD("forbidden-afterwards", test_forbidden_afterwards);
	WORLD_ADD("forbidden-by-hand", test_forbidden_by_hand);
	WORLD_ADD("changed-and-forbidden", test_changed_and_forbidden);
	WORLD_ADD("forbidden-and-beside", test_forbidden_and_beside);
	WORLD_ADD("refused-after-ours", test_refused_after_ours);
	WORLD_ADD("made-something-else", test_made_something_else);
	WORLD_ADD("changed-to-what-cannot-be", test_changed_to_what_cannot_be);
	WORLD_ADD("put-back-too-late", test_put_back_too_late);
	WORLD_ADD("set-too-late", test_set_too_late);
	WORLD_ADD("once-ours", test_once_ours);
	return g_test_run();
}
