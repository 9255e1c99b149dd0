/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "policy.h"

#include <errno.h>
#include <glib.h>
#include <sys/syscall.h>
#include <unistd.h>

static void test_names(void)
{
	static const char *const names[] = { "other", "batch", "idle", "fifo", "rr", "deadline" };
	static const char *const wrong[] = { "", "FIFO", "fifo ", "other2", "fif", "ts" };

	for (size_t i = 0; i < G_N_ELEMENTS(names); i++)
		g_assert_cmpstr(policy_to_string(policy_from_string(names[i])), ==, names[i]);
	for (size_t i = 0; i < G_N_ELEMENTS(wrong); i++)
		g_assert_cmpint(policy_from_string(wrong[i]), ==, -EINVAL);
	g_assert_null(policy_to_string(4));
	g_assert_null(policy_to_string(-1));
	g_assert_cmpint(policy_from_string("fifo"), ==, SCHED_FIFO);
	g_assert_true(policy_is_realtime(SCHED_FIFO) && policy_is_realtime(SCHED_RR));
	g_assert_false(policy_is_realtime(SCHED_DEADLINE) || policy_is_realtime(SCHED_OTHER));
}

/* In a thread of its own, so that nothing set stays with the test. */
static void *batch_thread(void *data)
{
	struct policy_attr a = { .policy = SCHED_BATCH, .nice = 3, .priority = 5, .runtime_ns = 7 },
			   got;

	g_assert_cmpint(policy_set(0, &a), ==, 0);
	g_assert_cmpint(policy_get(0, &got), ==, 0);
	g_assert_cmpuint(got.policy, ==, SCHED_BATCH);
	g_assert_cmpint(got.nice, ==, 3);
	g_assert_cmpuint(got.priority, ==, 0);
	/* by thread id too */
	g_assert_cmpint(policy_get(syscall(SYS_gettid), &got), ==, 0);
	g_assert_cmpuint(got.policy, ==, SCHED_BATCH);
	return NULL;
}

static void test_batch(void)
{
	g_thread_join(g_thread_new("batch", batch_thread, NULL));
}

static void *fifo_thread(void *data)
{
	struct policy_attr a = { .policy = SCHED_FIFO, .priority = 1 }, got;
	int r = policy_set(0, &a);

	*(int *)data = r;
	if (r < 0)
		return NULL;
	g_assert_cmpint(policy_get(0, &got), ==, 0);
	g_assert_cmpuint(got.policy, ==, SCHED_FIFO);
	g_assert_cmpuint(got.priority, ==, 1);
	return NULL;
}

static void test_fifo(void)
{
	int r = 1;

	g_thread_join(g_thread_new("fifo", fifo_thread, &r));
	if (r == -EPERM)
		g_test_skip("real-time priority is not permitted here");
	else
		g_assert_cmpint(r, ==, 0);
}

static void test_refused(void)
{
	struct policy_attr a = { .policy = SCHED_FIFO, .priority = 0 }, got = { .nice = 55 };

	g_assert_cmpint(policy_set(0, &a), ==, -EINVAL);
	a.priority = 100;
	g_assert_cmpint(policy_set(0, &a), ==, -EINVAL);
	a.policy = 77;
	g_assert_cmpint(policy_set(0, &a), ==, -EINVAL);
	/* above every possible thread id */
	g_assert_cmpint(policy_get(0x7ffffff0, &got), ==, -ESRCH);
	g_assert_cmpint(got.nice, ==, 55);
}

static void test_kinds(void)
{
	static const int ordinary[] = { SCHED_OTHER, SCHED_BATCH, SCHED_IDLE };
	static const int others[] = { SCHED_FIFO, SCHED_RR, SCHED_DEADLINE };

	for (size_t i = 0; i < G_N_ELEMENTS(ordinary); i++)
		g_assert_true(policy_is_ordinary(ordinary[i]) && !policy_is_realtime(ordinary[i]));
	for (size_t i = 0; i < G_N_ELEMENTS(others); i++)
		g_assert_false(policy_is_ordinary(others[i]));
	g_assert_true(policy_is_realtime(SCHED_FIFO) && policy_is_realtime(SCHED_RR));
	g_assert_false(policy_is_realtime(SCHED_DEADLINE));
}

/* sched_setattr(2) leaves the nice of idle as it was: whoever asks for both gets both */
static void *idle_thread(void *data)
{
	struct policy_attr a = { .policy = SCHED_IDLE, .nice = 7 };
	struct policy_state got;

	g_assert_cmpint(policy_set(0, &a), ==, 0);
	g_assert_cmpint(policy_read(0, &got), ==, 0);
	g_assert_cmpint(got.policy, ==, SCHED_IDLE);
	g_assert_cmpint(got.nice, ==, 7);
	return NULL;
}

static void test_idle(void)
{
	g_thread_join(g_thread_new("idle", idle_thread, NULL));
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/policy/names", test_names);
	g_test_add_func("/policy/batch", test_batch);
	g_test_add_func("/policy/idle", test_idle);
	g_test_add_func("/policy/fifo", test_fifo);
	g_test_add_func("/policy/refused", test_refused);
	g_test_add_func("/policy/kinds", test_kinds);
	return g_test_run();
}
