/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The guards on made tables: every pair of kinds at every height, from both sides. */
#include "guard.h"
#include "tuning.h"

#include <errno.h>
#include <string.h>

#define DEADLINE 6

struct made {
	struct irq_table table;
	struct irq_thread threads[8];
};

static struct irq_thread *made_add(struct made *m, const char *name, int policy, unsigned priority)
{
	struct irq_thread *t = &m->threads[m->table.threads->len];

	*t = (struct irq_thread){
		.tid = 100 + (pid_t)m->table.threads->len,
		.name = (char *)name,
		.policy = policy,
		.priority = priority,
	};
	kthread_name_parse(name, &t->what);
	g_ptr_array_add(m->table.threads, t);
	return t;
}

static void made_init(struct made *m)
{
	*m = (struct made){ .table.threads = g_ptr_array_new() };
}

static void made_done(struct made *m)
{
	g_ptr_array_unref(m->table.threads);
}

static struct tuning_value value(int policy, unsigned priority)
{
	return (struct tuning_value){ .policy = policy, .priority = priority };
}

/* What a kernel with PREEMPT_RT begins with. */
static void made_stock(struct made *m)
{
	made_init(m);
	made_add(m, "ksoftirqd/0", SCHED_OTHER, 0);
	made_add(m, "ktimers/0", SCHED_FIFO, 1);
	made_add(m, "rcuc/0", SCHED_FIFO, 1);
	made_add(m, "rcu_preempt", SCHED_FIFO, 1);
	made_add(m, "irq_work/0", SCHED_FIFO, 1);
	made_add(m, "irq/24-eth0", SCHED_FIFO, 50);
	made_add(m, "napi/eth0-1", SCHED_OTHER, 0);
}

/* Where the thread stands when asked about: one row each. */
static void test_stock(void)
{
	static const struct {
		const char *name;
		int policy;
		unsigned priority, overrides;
		const char *refused; /* a word of the sentence; NULL: allowed */
	} rows[] = {
		{ "ksoftirqd/0", SCHED_FIFO, 1, 0, NULL }, /* equal */
		{ "ksoftirqd/0", SCHED_RR, 1, 0, NULL },
		{ "ksoftirqd/0", SCHED_BATCH, 0, 0, NULL },
		{ "ksoftirqd/0", SCHED_FIFO, 2, 0, "above rcuc/0" },
		{ "ksoftirqd/0", SCHED_RR, 99, 0, "override \"softirq\"" },
		{ "ksoftirqd/0", SCHED_FIFO, 2, OVERRIDE_SOFTIRQ, NULL },
		{ "ksoftirqd/0", SCHED_FIFO, 2, OVERRIDE_RCU | OVERRIDE_MEASURING, "softirq" },
		{ "ktimers/0", SCHED_FIFO, 2, 0, "above rcuc/0" },
		{ "ktimers/0", SCHED_FIFO, 2, OVERRIDE_SOFTIRQ, NULL },
		{ "ktimers/0", SCHED_OTHER, 0, 0, NULL },
		{ "ktimersoftd/0", SCHED_FIFO, 2, 0, "above rcuc/0" },
		/* the same from the other side */
		{ "rcuc/0", SCHED_OTHER, 0, 0, "below ktimers/0" },
		{ "rcu_preempt", SCHED_IDLE, 0, 0, "below ktimers/0" },
		{ "rcu_preempt", SCHED_IDLE, 0, OVERRIDE_SOFTIRQ, NULL },
		{ "rcu_preempt", SCHED_IDLE, 0, OVERRIDE_RCU, "softirq" },
		{ "rcub/0", SCHED_RR, 1, 0, NULL },
		{ "rcuc/0", SCHED_FIFO, 2, 0, "above irq_work/0" },
		{ "rcuog/0", SCHED_FIFO, 2, 0, "override \"rcu\"" },
		{ "rcuc/0", SCHED_FIFO, 2, OVERRIDE_RCU, NULL },
		{ "rcuc/0", SCHED_FIFO, 2, OVERRIDE_SOFTIRQ, "irq_work" },
		{ "irq_work/0", SCHED_OTHER, 0, 0, "below rcuc/0" },
		{ "irq_work/0", SCHED_OTHER, 0, OVERRIDE_RCU, NULL },
		{ "irq_work/0", SCHED_FIFO, 99, 0, NULL },
		/* not among these */
		{ "irq/24-eth0", SCHED_FIFO, 99, 0, NULL },
		{ "irq/24-eth0", SCHED_OTHER, 0, 0, NULL },
		{ "napi/eth0-1", SCHED_FIFO, 99, 0, NULL },
		{ "backlog_napi/0", SCHED_FIFO, 99, 0, NULL },
		{ "irq/24-eth0", DEADLINE, 0, 0xff, "deadline" },
		{ "migration/0", SCHED_FIFO, 99, 0xff, "never touched" },
		{ "cpuhp/1", SCHED_OTHER, 0, 0xff, "never touched" },
		{ "watchdogd", SCHED_OTHER, 0, 0xff, "never touched" },
	};
	struct made m;

	for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
		struct tuning_value v = value(rows[i].policy, rows[i].priority);
		struct guard g = { .table = &m.table };
		struct irq_thread *t = NULL;
		g_autofree char *message = NULL;
		int r;

		made_stock(&m);
		for (guint k = 0; k < m.table.threads->len && !t; k++)
			if (strcmp(m.threads[k].name, rows[i].name) == 0)
				t = &m.threads[k];
		if (!t)
			t = made_add(&m, rows[i].name, SCHED_OTHER, 0);
		r = guard_check(&g, t, TUNING_POLICY, &v, rows[i].overrides, &message);
		g_test_message("%s to %d:%u: %s", rows[i].name, v.policy, v.priority,
			       message ?: "allowed");
		g_assert_cmpint(r, ==, rows[i].refused ? -EKEYREJECTED : 0);
		g_assert_cmpint(message != NULL, ==, rows[i].refused != NULL);
		if (rows[i].refused)
			g_assert_nonnull(strstr(message, rows[i].refused));
		if (rows[i].refused)
			g_assert_nonnull(strstr(message, rows[i].name));
		/* a guard looks and changes nothing */
		g_assert_true(t->policy != DEADLINE);
		made_done(&m);
	}
}

/*
 * All heights of three kinds: whatever order they are given in, what is allowed one by one never
 * ends in what is forbidden, and what is not forbidden is allowed at once.
 */
static void test_all_heights(void)
{
	static const char *const softirqs[] = { "ksoftirqd/1", "ktimers/1", "ktimersoftd/1" };
	static const char *const rcus[] = { "rcuc/1", "rcub/0", "rcu_preempt", "rcuop/3" };

	for (unsigned n = 0; n < 3 * 4 * 64; n++) {
		unsigned want[3] = { n % 4, n / 4 % 4, n / 16 % 4 };
		bool fine = want[0] <= want[1] && want[1] <= want[2], all = true;
		struct made m;
		struct guard g = { .table = &m.table };

		made_init(&m);
		made_add(&m, softirqs[n / 64 % 3], SCHED_FIFO, want[0]);
		made_add(&m, rcus[n / 192 % 4], SCHED_FIFO, want[1]);
		made_add(&m, "irq_work/1", SCHED_FIFO, want[2]);
		for (int i = 0; i < 3; i++) {
			struct irq_thread *t = &m.threads[i];
			struct tuning_value v;

			t->policy = want[i] ? (n % 2 ? SCHED_RR : SCHED_FIFO) : SCHED_OTHER;
			v = value(t->policy, t->priority);
			all = guard_check(&g, t, TUNING_POLICY, &v, 0, NULL) >= 0 && all;
			g_assert_cmpint(guard_check(&g, t, TUNING_POLICY, &v,
						    OVERRIDE_RCU | OVERRIDE_SOFTIRQ, NULL),
					==, 0);
		}
		g_assert_cmpint(all, ==, fine);
		made_done(&m);
	}
}

/* A kernel that begins with timers above an rcu thread: back to that, or towards order, is free. */
static void test_begun_wrong(void)
{
	struct tuning_value now;
	struct made m;
	struct guard g = { .table = &m.table, .now = &now };

	made_init(&m);
	made_add(&m, "ktimers/0", SCHED_FIFO, 5);
	made_add(&m, "rcuop/0", SCHED_FIFO, 2);
	for (unsigned n = 0; n < 49; n++) {
		unsigned from = n / 7, to = n % 7;
		struct tuning_value v = value(to ? SCHED_FIFO : SCHED_OTHER, to);
		int r;

		now = value(from ? SCHED_FIFO : SCHED_OTHER, from);
		r = guard_check(&g, &m.threads[0], TUNING_POLICY, &v, 0, NULL);
		g_assert_cmpint(r, ==, to <= 2 || to <= from ? 0 : -EKEYREJECTED);
	}
	/* and its other side: rcu may rise towards it, not sink further */
	m.threads[0].priority = 9;
	now = value(SCHED_FIFO, 2);
	for (unsigned p = 1; p <= 12; p++) {
		struct tuning_value v = value(SCHED_RR, p);
		int r = guard_check(&g, &m.threads[1], TUNING_POLICY, &v, 0, NULL);

		g_assert_cmpint(r, ==, p >= 2 ? 0 : -EKEYREJECTED);
	}
	made_done(&m);
}

static void test_measuring(void)
{
	static const struct {
		int measuring, policy;
		unsigned priority, now;
		bool allowed;
	} rows[] = {
		{ 80, SCHED_FIFO, 79, 50, true },  { 80, SCHED_FIFO, 80, 50, false },
		{ 80, SCHED_RR, 99, 50, false },   { 80, SCHED_OTHER, 0, 50, true },
		{ 0, SCHED_FIFO, 99, 50, true },   { 1, SCHED_IDLE, 0, 50, true },
		{ 1, SCHED_FIFO, 1, 0, false },	   { 80, SCHED_FIFO, 90, 95, true },
		{ 80, SCHED_FIFO, 95, 90, false }, { 80, SCHED_RR, 90, 90, true },
	};
	struct tuning_value now;
	struct made m;

	made_stock(&m);
	for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
		struct guard g = { .table = &m.table,
				   .now = &now,
				   .measuring_priority = rows[i].measuring };
		struct tuning_value v = value(rows[i].policy, rows[i].priority);
		g_autofree char *message = NULL;

		now = value(rows[i].now ? SCHED_FIFO : SCHED_OTHER, rows[i].now);
		for (int k = 5; k <= 6; k++) { /* irq/24-eth0, napi/eth0-1 */
			g_clear_pointer(&message, g_free);
			g_assert_cmpint(guard_check(&g, &m.threads[k], TUNING_POLICY, &v,
						    OVERRIDE_SOFTIRQ | OVERRIDE_RCU, &message),
					==, rows[i].allowed ? 0 : -EKEYREJECTED);
			g_assert_true(!message == rows[i].allowed);
			g_assert_true(!message || strstr(message, "\"measuring\""));
			g_assert_cmpint(guard_check(&g, &m.threads[k], TUNING_POLICY, &v,
						    OVERRIDE_MEASURING, NULL),
					==, 0);
		}
	}
	made_done(&m);
}

/* Other attributes than policy have nothing to do with who waits for whom. */
static void test_attributes(void)
{
	struct tuning_value v = { .nice = -20, .affinity = (char *)"0" };
	struct tuning_value deadline = value(DEADLINE, 0);
	g_autofree char *message = NULL;
	struct irq_thread *t;
	struct made m;
	struct guard g = { .table = &m.table, .measuring_priority = 1 };

	made_stock(&m);
	t = &m.threads[0]; /* ksoftirqd/0 */
	g_assert_cmpint(guard_check(&g, t, TUNING_NICE, &v, 0, NULL), ==, 0);
	g_assert_cmpint(guard_check(&g, t, TUNING_AFFINITY, &v, 0, NULL), ==, 0);
	t->bound = true;
	g_assert_cmpint(guard_check(&g, t, TUNING_NICE, &v, 0, NULL), ==, 0);
	g_assert_cmpint(guard_check(&g, t, TUNING_AFFINITY, &v, 0xff, &message), ==, -EKEYREJECTED);
	g_assert_nonnull(strstr(message, "bound"));
	t->policy = DEADLINE;
	for (enum tuning_attribute a = TUNING_POLICY; a < TUNING_ATTRIBUTES; a++)
		g_assert_cmpint(guard_check(&g, t, a, &v, 0xff, NULL), ==, -EKEYREJECTED);
	/* the table has the wish in it already */
	t->policy = SCHED_OTHER;
	g.now = &deadline;
	g_assert_cmpint(guard_check(&g, t, TUNING_NICE, &v, 0xff, NULL), ==, -EKEYREJECTED);
	g.now = NULL;
	t = made_add(&m, "migration/1", SCHED_FIFO, 99);
	for (enum tuning_attribute a = TUNING_POLICY; a < TUNING_ATTRIBUTES; a++)
		g_assert_cmpint(guard_check(&g, t, a, &v, 0xff, NULL), ==, -EKEYREJECTED);
	/* a deadline thread among the others is above all of them */
	m.threads[1].policy = DEADLINE;
	v = value(SCHED_FIFO, 1);
	g_assert_cmpint(guard_check(&g, &m.threads[2], TUNING_POLICY, &v, OVERRIDE_MEASURING, NULL),
			==, -EKEYREJECTED);
	made_done(&m);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/guard/stock", test_stock);
	g_test_add_func("/guard/all-heights", test_all_heights);
	g_test_add_func("/guard/begun-wrong", test_begun_wrong);
	g_test_add_func("/guard/measuring", test_measuring);
	g_test_add_func("/guard/attributes", test_attributes);
	return g_test_run();
}
