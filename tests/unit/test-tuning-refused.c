/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Threads of this machine that are not set: protected ones, those of others that only look the
 * same, without the right, and where a sandbox swallows the call. Each stays as it is.
 */
#include "tuning-shared.h"

#include <errno.h>
#include <fcntl.h>
#include <glib.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* Threads nobody may touch, whatever is asked. */
static void test_protected(void)
{
	static const struct {
		enum kthread_kind kind;
		bool affinity_only;
	} rows[] = { { KTHREAD_PROTECTED, false },
		     { KTHREAD_OTHER, false },
		     { KTHREAD_KSOFTIRQD, true } };
	bool seen = false;

	for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
		struct tuning_value v = { .affinity = (char *)"0" };
		struct proc_pid_stat stat, after;
		struct tuning_subject s;

		if (!find_thread(rows[i].kind, &stat))
			continue;
		seen = true;
		s = subject_of(&stat);
		v.policy = stat.policy;
		v.priority = stat.rt_prio;
		v.nice = stat.nice;
		for (enum tuning_attribute a = TUNING_POLICY; a < TUNING_ATTRIBUTES; a++) {
			g_autofree char *message = NULL;
			int r;

			if (rows[i].affinity_only && a != TUNING_AFFINITY)
				continue;
			r = tuning_set(&s, a, &v, &message);
			g_test_message("%s", message);
			g_assert_cmpint(r, ==, -EKEYREJECTED);
			g_assert_nonnull(strstr(message, stat.comm));
			if (rows[i].kind == KTHREAD_PROTECTED)
				g_assert_nonnull(strstr(message, "never touched"));
		}
		g_assert_cmpint(read_stat(stat.pid, &after), ==, 0);
		g_assert_cmpint(after.policy, ==, stat.policy);
	}
	if (!seen)
		g_test_skip("no kernel threads are to be seen here");
}

/* A process that calls itself an interrupt thread is refused, and stays as it is. */
static void test_impostor(void)
{
	static const struct tuning_value values[TUNING_ATTRIBUTES] = {
		[TUNING_POLICY] = { .policy = SCHED_BATCH },
		[TUNING_NICE] = { .nice = 15 },
		[TUNING_AFFINITY] = { .affinity = (char *)"0" },
	};
	struct proc_pid_stat stat, after;
	struct tuning_subject s;
	int ready[2];
	char byte;
	pid_t pid;

	g_assert_cmpint(pipe2(ready, O_CLOEXEC), ==, 0);
	fflush(NULL);
	pid = fork();
	g_assert_cmpint(pid, >=, 0);
	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		prctl(PR_SET_NAME, "irq/24-ACPI:Ged");
		(void)!write(ready[1], "x", 1);
		pause();
		_exit(0);
	}
	g_assert_cmpint(read(ready[0], &byte, 1), ==, 1);
	g_assert_cmpint(read_stat(pid, &stat), ==, 0);
	g_assert_cmpstr(stat.comm, ==, "irq/24-ACPI:Ged");
	s = subject_of(&stat);
	for (enum tuning_attribute a = TUNING_POLICY; a < TUNING_ATTRIBUTES; a++) {
		struct tuning_value got = { .nice = 55 };
		g_autofree char *message = NULL;

		g_assert_cmpint(tuning_get(&s, a, &got), ==, -EPERM);
		g_assert_cmpint(got.nice, ==, 55);
		g_assert_cmpint(tuning_set(&s, a, &values[a], &message), ==, -EPERM);
		g_assert_nonnull(strstr(message, "no kernel thread"));
	}
	g_assert_cmpint(read_stat(pid, &after), ==, 0);
	g_assert_cmpint(after.policy, ==, stat.policy);
	g_assert_cmpint(after.nice, ==, stat.nice);
	kill(pid, SIGKILL);
	g_assert_cmpint(waitpid(pid, NULL, 0), ==, pid);
	close(ready[0]);
	close(ready[1]);
}

/* The process of a new PID namespace with our /proc; its number there is one, and @tid a child's.
 */
static int foreign(const struct tuning_subject *s)
{
	struct tuning_value v = { .policy = SCHED_BATCH }, got;
	g_autofree char *message = NULL;

	/* a thread of the right number that could be mistaken for it, as plain as most of them are
	 */
	for (pid_t pid = 0; pid >= 0 && pid < s->tid;) {
		pid = fork();
		if (pid == 0) {
			pause();
			_exit(0);
		}
		if (pid > 0 && pid < s->tid) {
			kill(pid, SIGKILL);
			waitpid(pid, NULL, 0);
		}
	}
	if (tuning_set(s, TUNING_POLICY, &v, &message) != -EXDEV || !message)
		return 1;
	if (sched_getscheduler(s->tid) != SCHED_OTHER)
		return 2;
	/* not there at all: no kernel thread is within the namespace */
	kill(s->tid, SIGKILL);
	waitpid(s->tid, NULL, 0);
	return tuning_get(s, TUNING_POLICY, &got) == -EXDEV ? 0 : 3;
}

static void test_foreign(void)
{
	struct proc_pid_stat stat;
	struct tuning_subject s;
	int status;
	pid_t pid;

	if (!find_thread(KTHREAD_RCU, &stat)) {
		g_test_skip("no kernel threads are to be seen here");
		return;
	}
	s = subject_of(&stat);
	fflush(NULL);
	pid = fork();
	g_assert_cmpint(pid, >=, 0);
	if (pid == 0) {
		if (unshare(CLONE_NEWPID) < 0)
			_exit(SKIP);
		pid = fork(); /* is the first of the namespace: with it all others end */
		if (pid == 0)
			_exit(foreign(&s));
		waitpid(pid, &status, 0);
		_exit(WIFEXITED(status) ? WEXITSTATUS(status) : 4);
	}
	g_assert_cmpint(waitpid(pid, &status, 0), ==, pid);
	if (WIFEXITED(status) && WEXITSTATUS(status) == SKIP)
		g_test_skip("no right to make a PID namespace here");
	else
		g_assert_cmpint(status, ==, 0);
}

/* Somebody without the right: a sentence that says which, and nothing changed. */
static void test_no_right(void)
{
	struct tuning_value v = { .policy = SCHED_FIFO, .priority = 10 };
	g_autofree char *message = NULL;
	struct proc_pid_stat stat, after;
	struct tuning_subject s;

	if (geteuid() == 0) {
		g_test_skip("root has every right");
		return;
	}
	if (!find_thread(KTHREAD_RCU, &stat)) {
		g_test_skip("no kernel threads are to be seen here");
		return;
	}
	s = subject_of(&stat);
	g_assert_cmpint(tuning_set(&s, TUNING_POLICY, &v, &message), ==, -EPERM);
	g_assert_nonnull(strstr(message, "CAP_SYS_NICE"));
	g_assert_cmpint(read_stat(stat.pid, &after), ==, 0);
	g_assert_cmpint(after.policy, ==, stat.policy);
}

/* A sandbox that swallows calls and says they were done; @blind: and allows no look. */
static bool swallow_calls(bool blind)
{
	struct sock_filter steps[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_sched_setscheduler, 2, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_setpriority, 1, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_sched_getattr, 1, 2),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO),
		BPF_STMT(BPF_RET | BPF_K, blind ? SECCOMP_RET_ERRNO | ENOSYS : SECCOMP_RET_ALLOW),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	const struct sock_fprog program = { G_N_ELEMENTS(steps), steps };

	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
	       prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0) == 0;
}

static void swallowed(const struct tuning_subject *s, enum tuning_attribute a,
		      const struct tuning_value *v, const char *said)
{
	g_autofree char *message = NULL;

	g_assert_cmpint(tuning_set(s, a, v, &message), ==, -EBADE);
	g_assert_nonnull(strstr(message, said));
}

static void test_swallowed(gconstpointer data)
{
	bool blind = GPOINTER_TO_INT(data);
	const char *said = blind ? "cannot be read back" : "reads back as";
	const struct tuning_value fifo = { .policy = SCHED_FIFO, .priority = 10 },
				  nice = { .nice = 7 };
	struct proc_pid_stat stat;
	struct tuning_subject s;
	int status;
	pid_t pid;

	if (!find_thread(KTHREAD_KSOFTIRQD, &stat)) {
		g_test_skip("no kernel threads are to be seen here");
		return;
	}
	s = subject_of(&stat);
	fflush(NULL);
	pid = fork();
	g_assert_cmpint(pid, >=, 0);
	if (pid == 0) {
		if (!swallow_calls(blind))
			_exit(SKIP);
		swallowed(&s, TUNING_POLICY, &fifo, said);
		swallowed(&s, TUNING_NICE, &nice, said);
		_exit(0);
	}
	g_assert_cmpint(waitpid(pid, &status, 0), ==, pid);
	g_assert_true(WIFEXITED(status));
	if (WEXITSTATUS(status) == SKIP)
		g_test_skip("no calls can be filtered here");
	else
		g_assert_cmpint(WEXITSTATUS(status), ==, 0);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/tuning/impostor", test_impostor);
	g_test_add_func("/tuning/foreign", test_foreign);
	g_test_add_func("/tuning/no-right", test_no_right);
	g_test_add_data_func("/tuning/swallowed", GINT_TO_POINTER(false), test_swallowed);
	g_test_add_data_func("/tuning/unreadable", GINT_TO_POINTER(true), test_swallowed);
	g_test_add_func("/tuning/protected", test_protected);
	return g_test_run();
}
