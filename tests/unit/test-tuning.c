/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Setting threads and lines: on real interrupt threads of this machine where they can be seen and
 * set, checked by what chrt, ps and the kernel's files say, and put back whatever happens; refusals
 * of lines on a made tree whose files refuse as the kernel's do.
 */
#include "lineaffinity.h"
#include "proc-pid.h"
#include "tuning.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define LOCK	  "lrtbf-test-irq" /* whoever changes real threads holds it */
#define LOCK_SECS 60
#define SKIP	  77

static int read_stat(pid_t tid, struct proc_pid_stat *ret)
{
	g_autofree char *path = g_strdup_printf("/proc/%d/stat", tid), *text = NULL;
	gsize size;

	if (!g_file_get_contents(path, &text, &size, NULL))
		return -ESRCH;
	return proc_pid_stat_parse(text, size, ret);
}

static struct tuning_subject subject_of(const struct proc_pid_stat *stat)
{
	return (struct tuning_subject){ .tid = stat->pid,
					.start_ticks = stat->start_ticks,
					.name = (char *)stat->comm };
}

static cpu_set_t set_of(unsigned bits)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	for (int i = 0; i < 32; i++)
		if (bits & (1u << i))
			CPU_SET(i, &set);
	return set;
}

/* The first kernel thread of a kind, lowest number first. */
static bool find_thread(enum kthread_kind kind, struct proc_pid_stat *ret)
{
	for (pid_t tid = 2; tid < 2000; tid++) {
		struct kthread_name what;

		if (read_stat(tid, ret) < 0 || !(ret->flags & PROC_PF_KTHREAD))
			continue;
		kthread_name_parse(ret->comm, &what);
		if (what.kind == kind)
			return true;
	}
	return false;
}

static char *tool(const char *fmt, ...) G_GNUC_PRINTF(1, 2);
static char *tool(const char *fmt, ...)
{
	g_autofree char *line = NULL;
	g_auto(GStrv) argv = NULL;
	GError *error = NULL;
	char *out = NULL;
	int status;
	va_list ap;

	va_start(ap, fmt);
	line = g_strdup_vprintf(fmt, ap);
	va_end(ap);
	argv = g_strsplit(line, " ", -1);
	g_spawn_sync(NULL, argv, NULL, G_SPAWN_SEARCH_PATH, NULL, NULL, &out, NULL, &status,
		     &error);
	g_assert_no_error(error);
	g_assert_cmpint(status, ==, 0);
	return out;
}

/* class, priority and nice, as ps has them: "FF 50 -"; no priority is "-" or 0 there */
static char *ps_says(pid_t tid)
{
	g_autofree char *out = tool("ps -o cls=,rtprio=,ni= -p %d", tid);
	g_auto(GStrv) words = g_strsplit_set(g_strstrip(out), " ", -1);
	GString *text = g_string_new(NULL);

	for (char **w = words; *w; w++)
		if (**w)
			g_string_append_printf(text, "%s%s", text->len ? " " : "", *w);
	g_string_replace(text, " 0 ", " - ", 1);
	return g_string_free(text, FALSE);
}

/* "SCHED_FIFO 50", "SCHED_OTHER|SCHED_RESET_ON_FORK 0" */
static char *chrt_says(pid_t tid)
{
	g_autofree char *out = tool("chrt -p %d", tid);
	g_auto(GStrv) lines = g_strsplit(out, "\n", -1);

	g_assert_cmpuint(g_strv_length(lines), >=, 2);
	g_assert_nonnull(strrchr(lines[0], ' '));
	g_assert_nonnull(strrchr(lines[1], ' '));
	return g_strconcat(strrchr(lines[0], ' ') + 1, strrchr(lines[1], ' '), NULL);
}

struct real {
	int lock;
	const char *missing; /* why it cannot be tried; NULL: it can */
	struct proc_pid_stat stat;
	struct tuning_subject thread, line;
	struct tuning_value policy, nice, affinity; /* from before */
	struct proc_pid_stat free_stat;
	struct tuning_subject free; /* a thread that the kernel has not bound; tid 0: none */
	struct tuning_value free_mask;
	pid_t guardian; /* puts back what an assertion left */
	int alive;	/* closed at the end: the guardian then knows */
};

static int lock_machine(void)
{
	bool usual = g_file_test("/run/lock", G_FILE_TEST_IS_DIR);
	const char *path = usual ? "/run/lock/" LOCK : "/dev/shm/" LOCK;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW); /* whoever's file it is */

	if (fd < 0)
		fd = open(path, O_RDONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0644);

	for (int i = 0; fd >= 0 && i < LOCK_SECS * 10; i++) {
		if (flock(fd, LOCK_EX | LOCK_NB) >= 0)
			return fd;
		g_usleep(100000);
	}
	return -1;
}

static void put_back(const struct real *w)
{
	g_autofree char *message = NULL;

	if (tuning_set(&w->thread, TUNING_POLICY, &w->policy, &message) < 0 ||
	    tuning_set(&w->thread, TUNING_NICE, &w->nice, &message) < 0 ||
	    tuning_set(&w->line, TUNING_AFFINITY, &w->affinity, &message) < 0 ||
	    (w->free.tid && tuning_set(&w->free, TUNING_AFFINITY, &w->free_mask, &message) < 0))
		g_printerr("not put back: %s\n", message);
}

/* An assertion that fails aborts this program: another one puts back then, and lets go the lock. */
static void start_guardian(struct real *w)
{
	int fds[2];

	g_assert_cmpint(pipe2(fds, O_CLOEXEC), ==, 0);
	fflush(NULL);
	w->guardian = fork();
	g_assert_cmpint(w->guardian, >=, 0);
	if (w->guardian == 0) {
		char byte;

		close(fds[1]);
		while (read(fds[0], &byte, 1) < 0 && errno == EINTR)
			;
		put_back(w);
		_exit(0);
	}
	close(fds[0]);
	w->alive = fds[1];
}

static const char *real_missing(struct real *w)
{
	g_autofree char *chrt = NULL, *ps = NULL;
	struct kthread_name what;

	if (geteuid() != 0)
		return "only root can set kernel threads";
	if (!find_thread(KTHREAD_IRQ, &w->stat))
		return "no interrupt threads are to be seen here";
	kthread_name_parse(w->stat.comm, &what);
	w->thread = subject_of(&w->stat);
	w->line = (struct tuning_subject){ .is_line = true,
					   .irq = (unsigned)what.irq,
					   .name = (char *)"" };
	chrt = g_find_program_in_path("chrt");
	ps = g_find_program_in_path("ps");
	if (!chrt || !ps)
		return "chrt or ps is not installed here";
	return NULL;
}

static void real_set_up(struct real *w, gconstpointer data)
{
	*w = (struct real){ .lock = -1, .alive = -1 };
	w->missing = real_missing(w);
	if (w->missing)
		return;
	w->lock = lock_machine();
	if (w->lock < 0) {
		w->missing = "another test changes this machine's threads";
		return;
	}
	if (tuning_get(&w->thread, TUNING_POLICY, &w->policy) < 0 ||
	    tuning_get(&w->thread, TUNING_NICE, &w->nice) < 0 ||
	    tuning_get(&w->line, TUNING_AFFINITY, &w->affinity) < 0) {
		w->missing = "this machine's threads or lines cannot be read";
		return;
	}
	if (find_thread(KTHREAD_RCU, &w->free_stat) &&
	    !(w->free_stat.flags & PROC_PF_NO_SETAFFINITY)) {
		w->free = subject_of(&w->free_stat);
		g_assert_cmpint(tuning_get(&w->free, TUNING_AFFINITY, &w->free_mask), ==, 0);
	}
	start_guardian(w);
}

static void real_tear_down(struct real *w, gconstpointer data)
{
	if (w->alive >= 0) {
		int status;

		close(w->alive);
		g_assert_cmpint(waitpid(w->guardian, &status, 0), ==, w->guardian);
		g_assert_cmpint(status, ==, 0);
	}
	tuning_value_done(&w->affinity);
	tuning_value_done(&w->free_mask);
	if (w->lock >= 0)
		close(w->lock);
}

static bool real_skip(const struct real *w)
{
	if (w->missing)
		g_test_skip(w->missing);
	return w->missing;
}

static void set_policy(struct real *w, int policy, unsigned priority, bool reset)
{
	struct tuning_value v = { .policy = policy, .priority = priority, .reset_on_fork = reset };
	g_autofree char *message = NULL;

	g_assert_cmpint(tuning_set(&w->thread, TUNING_POLICY, &v, &message), ==, 0);
	g_assert_null(message);
}

static void set_nice(struct real *w, int nice)
{
	struct tuning_value v = { .nice = nice };
	g_autofree char *message = NULL;

	g_assert_cmpint(tuning_set(&w->thread, TUNING_NICE, &v, &message), ==, 0);
	g_assert_null(message);
}

static void assert_says(struct real *w, const char *ps, const char *chrt)
{
	g_autofree char *ps_now = ps_says(w->thread.tid), *chrt_now = chrt_says(w->thread.tid);
	struct tuning_value got = { 0 };
	struct proc_pid_stat stat;

	/* of idle threads not every ps tells nice */
	g_assert_true(g_str_has_prefix(ps_now, ps));
	g_assert_cmpstr(chrt_now, ==, chrt);
	g_assert_cmpint(tuning_get(&w->thread, TUNING_POLICY, &got), ==, 0);
	g_assert_cmpint(read_stat(w->thread.tid, &stat), ==, 0);
	g_assert_cmpint(got.policy, ==, stat.policy);
	g_assert_cmpuint(got.priority, ==, stat.rt_prio);
	g_assert_cmpint(got.nice, ==, stat.nice);
	g_assert_cmpint(got.reset_on_fork, ==, strstr(chrt, "RESET") != NULL);
}

static void test_thread(struct real *w, gconstpointer data)
{
	if (real_skip(w))
		return;
	set_policy(w, SCHED_OTHER, 0, false);
	set_nice(w, 19);
	assert_says(w, "TS - 19", "SCHED_OTHER 0");
	set_policy(w, SCHED_RR, 33, false);
	assert_says(w, "RR 33 -", "SCHED_RR 33");
	set_nice(w, -7);
	set_policy(w, SCHED_BATCH, 0, false);
	assert_says(w, "B - -7", "SCHED_BATCH 0");
	set_policy(w, SCHED_OTHER, 0, true);
	assert_says(w, "TS - -7", "SCHED_OTHER|SCHED_RESET_ON_FORK 0");
	set_policy(w, SCHED_IDLE, 0, false);
	set_nice(w, 0);
	assert_says(w, "IDL -", "SCHED_IDLE 0");
	set_policy(w, SCHED_FIFO, 1, true);
	assert_says(w, "FF 1 -", "SCHED_FIFO|SCHED_RESET_ON_FORK 1");
	set_policy(w, SCHED_FIFO, 50, false);
	assert_says(w, "FF 50 -", "SCHED_FIFO 50");
}

static void assert_untouched(const struct real *w)
{
	struct tuning_value now = { 0 }, mask = { 0 };

	g_assert_cmpint(tuning_get(&w->thread, TUNING_POLICY, &now), ==, 0);
	g_assert_true(tuning_value_equal(TUNING_POLICY, &now, &w->policy));
	g_assert_true(tuning_value_equal(TUNING_NICE, &now, &w->nice));
	g_assert_cmpint(tuning_get(&w->line, TUNING_AFFINITY, &mask), ==, 0);
	g_assert_true(tuning_value_equal(TUNING_AFFINITY, &mask, &w->affinity));
	tuning_value_done(&mask);
}

static void test_other_identity(struct real *w, gconstpointer data)
{
	static const struct tuning_value values[TUNING_ATTRIBUTES] = {
		[TUNING_POLICY] = { .policy = SCHED_RR, .priority = 3 },
		[TUNING_NICE] = { .nice = 3 },
		[TUNING_AFFINITY] = { .affinity = (char *)"0" },
	};

	if (real_skip(w))
		return;
	for (enum tuning_attribute a = TUNING_POLICY; a < TUNING_ATTRIBUTES; a++)
		for (int i = 0; i < 4; i++) {
			struct tuning_subject s = w->thread;
			struct tuning_value got = { .nice = 55 };
			g_autofree char *message = NULL;

			if (i == 0)
				s.start_ticks++;
			else if (i == 1)
				s.name = (char *)"irq/24-another";
			else if (i == 2)
				s.tid = 0x7ffffff0;
			else
				s.tid = 0;
			g_assert_cmpint(tuning_get(&s, a, &got), ==, -ESRCH);
			g_assert_cmpint(got.nice, ==, 55);
			g_assert_cmpint(tuning_set(&s, a, &values[a], &message), ==, -ESRCH);
			g_assert_nonnull(strstr(message, "not"));
			g_assert_nonnull(strstr(message, s.name));
		}
	assert_untouched(w);
}

static void test_values(struct real *w, gconstpointer data)
{
	static const struct {
		enum tuning_attribute a;
		struct tuning_value v;
	} wrong[] = {
		{ TUNING_POLICY, { .policy = SCHED_FIFO, .priority = 0 } },
		{ TUNING_POLICY, { .policy = SCHED_FIFO, .priority = 100 } },
		{ TUNING_POLICY, { .policy = SCHED_RR, .priority = 4294967295u } },
		{ TUNING_POLICY, { .policy = SCHED_OTHER, .priority = 1 } },
		{ TUNING_POLICY, { .policy = SCHED_IDLE, .priority = 99 } },
		{ TUNING_POLICY, { .policy = 6 } },
		{ TUNING_POLICY, { .policy = -1 } },
		{ TUNING_POLICY, { .policy = 77 } },
		{ TUNING_NICE, { .nice = 20 } },
		{ TUNING_NICE, { .nice = -21 } },
		{ TUNING_AFFINITY, { .affinity = NULL } },
		{ TUNING_AFFINITY, { .affinity = (char *)"" } },
		{ TUNING_AFFINITY, { .affinity = (char *)"all" } },
		/* its line's */
		{ TUNING_AFFINITY, { .affinity = (char *)"0" } },
	};

	if (real_skip(w))
		return;
	for (size_t i = 0; i < G_N_ELEMENTS(wrong); i++) {
		g_autofree char *message = NULL;
		int r = tuning_set(&w->thread, wrong[i].a, &wrong[i].v, &message);

		g_test_message("%s", message);
		g_assert_cmpint(r, ==, -EINVAL);
		g_assert_nonnull(message);
		g_assert_true(g_str_has_suffix(message, "."));
	}
	assert_untouched(w);
}

static void test_line(struct real *w, gconstpointer data)
{
	g_autofree char *path = g_strdup_printf("/proc/irq/%u/smp_affinity_list", w->line.irq);
	struct tuning_value v = { .affinity = (char *)"0" }, got = { 0 };
	g_autofree char *message = NULL, *text = NULL;

	if (real_skip(w))
		return;
	if (tuning_set(&w->line, TUNING_AFFINITY, &v, &message) < 0) {
		g_test_message("%s", message);
		assert_untouched(w);
		g_test_skip("this machine's kernel lets nobody move that line");
		return;
	}
	g_assert_true(g_file_get_contents(path, &text, NULL, NULL));
	g_assert_cmpstr(text, ==, "0\n");
	g_assert_cmpint(tuning_get(&w->line, TUNING_AFFINITY, &got), ==, 0);
	g_assert_true(tuning_value_equal(TUNING_AFFINITY, &v, &got));
	tuning_value_done(&got);
	/* 1023 is not online anywhere near here */
	v.affinity = (char *)"1023";
	g_assert_cmpint(tuning_set(&w->line, TUNING_AFFINITY, &v, &message), ==, -EINVAL);
	g_assert_nonnull(strstr(message, "1023"));
	g_clear_pointer(&message, g_free);
	g_assert_cmpint(tuning_set(&w->line, TUNING_POLICY, &w->policy, &message), ==, -EINVAL);
	g_assert_nonnull(strstr(message, "affinity only"));
	g_assert_cmpint(tuning_get(&w->line, TUNING_NICE, &got), ==, -EINVAL);
	g_clear_pointer(&text, g_free);
	g_assert_true(g_file_get_contents(path, &text, NULL, NULL));
	g_assert_cmpstr(text, ==, "0\n");
	g_clear_pointer(&message, g_free);
	g_assert_cmpint(tuning_set(&w->line, TUNING_AFFINITY, &w->affinity, &message), ==, 0);
	assert_untouched(w);
}

static void test_mask(struct real *w, gconstpointer data)
{
	struct tuning_value v = { .affinity = (char *)"0" };
	g_autofree char *message = NULL;
	cpu_set_t got, expected = set_of(1);

	if (real_skip(w))
		return;
	if (!w->free.tid) {
		g_test_skip("this kernel binds all threads that there are");
		return;
	}
	g_assert_cmpint(tuning_set(&w->free, TUNING_AFFINITY, &v, &message), ==, 0);
	g_assert_cmpint(sched_getaffinity(w->free.tid, sizeof(got), &got), ==, 0);
	g_assert_true(CPU_EQUAL(&got, &expected));
	v.affinity = (char *)"1023";
	g_assert_cmpint(tuning_set(&w->free, TUNING_AFFINITY, &v, &message), ==, -EINVAL);
	g_assert_nonnull(strstr(message, "none of them is online"));
	g_clear_pointer(&message, g_free);
	g_assert_cmpint(tuning_set(&w->free, TUNING_AFFINITY, &w->free_mask, &message), ==, 0);
}

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

/* A sandbox that swallows calls and says they were done. */
static bool swallow_calls(void)
{
	struct sock_filter steps[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_sched_setscheduler, 1, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_setpriority, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	const struct sock_fprog program = { G_N_ELEMENTS(steps), steps };

	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
	       prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0) == 0;
}

static void swallowed(const struct tuning_subject *s, enum tuning_attribute a,
		      const struct tuning_value *v)
{
	g_autofree char *message = NULL;

	g_assert_cmpint(tuning_set(s, a, v, &message), ==, -EBADE);
	g_assert_nonnull(strstr(message, "reads back as"));
}

static void test_swallowed(void)
{
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
		if (!swallow_calls())
			_exit(SKIP);
		swallowed(&s, TUNING_POLICY, &fifo);
		swallowed(&s, TUNING_NICE, &nice);
		_exit(0);
	}
	g_assert_cmpint(waitpid(pid, &status, 0), ==, pid);
	g_assert_true(WIFEXITED(status));
	if (WEXITSTATUS(status) == SKIP)
		g_test_skip("no calls can be filtered here");
	else
		g_assert_cmpint(WEXITSTATUS(status), ==, 0);
}

/* A made /proc, whose files answer a write as the kernel does. */
struct tree {
	char *proc;
};

static void tree_set_up(struct tree *t, gconstpointer data)
{
	t->proc = g_dir_make_tmp("test-tuning-XXXXXX", NULL);
	g_assert_nonnull(t->proc);
}

static void tree_tear_down(struct tree *t, gconstpointer data)
{
	g_autofree char *irq = g_build_filename(t->proc, "irq", NULL);

	for (unsigned n = 0; n < 10; n++) {
		g_autofree char *dir = g_strdup_printf("%s/%u", irq, n);
		g_autofree char *file = g_build_filename(dir, "smp_affinity_list", NULL);

		(void)remove(file);
		(void)rmdir(dir);
	}
	(void)rmdir(irq);
	g_assert_cmpint(rmdir(t->proc), ==, 0);
	g_free(t->proc);
}

static char *tree_file(struct tree *t, unsigned irq)
{
	g_autofree char *dir = g_strdup_printf("%s/irq/%u", t->proc, irq);

	g_assert_cmpint(g_mkdir_with_parents(dir, 0755), ==, 0);
	return g_build_filename(dir, "smp_affinity_list", NULL);
}

static void tree_link(struct tree *t, unsigned irq, const char *target)
{
	g_autofree char *file = tree_file(t, irq);

	g_assert_cmpint(symlink(target, file), ==, 0);
}

static void tree_text(struct tree *t, unsigned irq, const char *text)
{
	g_autofree char *file = tree_file(t, irq);
	FILE *f = fopen(file, "we"); /* written in place, no other file instead of it */

	g_assert_nonnull(f);
	g_assert_cmpint(fputs(text, f), >=, 0);
	g_assert_cmpint(fclose(f), ==, 0);
}

static void assert_line(struct tree *t, unsigned irq, unsigned cpus, int expected, const char *word)
{
	cpu_set_t wanted = set_of(cpus), online = set_of(0xf);
	g_autofree char *message = NULL;
	int r = lineaffinity_set(t->proc, irq, &wanted, &online, &message);

	g_test_message("%s", message ?: "done");
	g_assert_cmpint(r, ==, expected);
	g_assert_cmpint(message != NULL, ==, expected < 0);
	if (word)
		g_assert_nonnull(strstr(message, word));
	if (word)
		g_assert_nonnull(strstr(message, "ine "));
}

static void test_refusals(struct tree *t, gconstpointer data)
{
	cpu_set_t got;

	tree_link(t, 1, "/proc/self/mem"); /* at 0 there is nothing to write to: EIO */
	assert_line(t, 1, 1, -EIO, "manages it itself");
	tree_link(t, 2, "/dev/full");
	assert_line(t, 2, 1, -ENOSPC, "no interrupt vector left");
	assert_line(t, 3, 1, -ENODEV, "no interrupt line 3");
	/* takes everything, keeps nothing */
	tree_link(t, 4, "/dev/null");
	assert_line(t, 4, 1, -EBADE, "reads back as nothing");
	assert_line(t, 4, 0, -EINVAL, "needs a CPU");
	/* a text that is longer than what is written stays in part */
	tree_text(t, 5, "0-3\n");
	assert_line(t, 5, 1, -EBADE, "reads back");
	g_assert_cmpint(lineaffinity_get(t->proc, 5, &got), ==, -EBADMSG);
	tree_link(t, 6, t->proc); /* a folder */
	assert_line(t, 6, 1, -EISDIR, "stays where it is");
	/* the kernel says EINVAL to a write that it cannot make sense of, as this file to all */
	tree_link(t, 7, "/proc/self/timerslack_ns");
	assert_line(t, 7, 0xe, -EINVAL, "none of them is online");
	if (geteuid() == 0)
		return;
	tree_text(t, 8, "0-3\n");
	{
		g_autofree char *file = tree_file(t, 8);

		g_assert_cmpint(chmod(file, 0444), ==, 0);
		assert_line(t, 8, 1, -EPERM, "lets nobody move it");
	}
	tree_link(t, 9, "/etc/passwd");
	assert_line(t, 9, 1, -EPERM, "may not write");
}

/* Takes a list and has another one when it is asked. */
static void *other_list(void *data)
{
	const char *file = data;
	char text[64];
	int fd = open(file, O_RDONLY | O_CLOEXEC);

	while (fd >= 0 && read(fd, text, sizeof(text)) > 0)
		;
	close(fd);
	fd = open(file, O_WRONLY | O_CLOEXEC);
	g_assert_cmpint(write(fd, "2\n", 2), ==, 2);
	close(fd);
	return NULL;
}

static void test_kept_elsewhere(struct tree *t, gconstpointer data)
{
	g_autofree char *file = tree_file(t, 1);
	GThread *kernel;

	g_assert_cmpint(mkfifo(file, 0600), ==, 0);
	kernel = g_thread_new("kernel", other_list, file);
	assert_line(t, 1, 1, -EBADE, "reads back as 2");
	(void)g_thread_join(kernel); /* it returns nothing */
}

static void test_lists(struct tree *t, gconstpointer data)
{
	static const struct {
		const char *text;
		int r;
		unsigned bits;
	} rows[] = {
		{ "0-1\n", 0, 3 },	  { "0,1\n", 0, 3 },	       { "3", 0, 8 },
		{ "1,3-4\n", 0, 26 },	  { "\n", -EBADMSG, 0 },       { "", -EBADMSG, 0 },
		{ "all\n", -EBADMSG, 0 }, { "0-1\n2\n", -EBADMSG, 0 },
	};

	for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
		cpu_set_t got, expected = set_of(rows[i].bits);

		tree_text(t, 1, rows[i].text);
		g_assert_cmpint(lineaffinity_get(t->proc, 1, &got), ==, rows[i].r);
		if (rows[i].r == 0)
			g_assert_true(CPU_EQUAL(&got, &expected));
	}
	g_assert_cmpint(lineaffinity_get(t->proc, 2, &(cpu_set_t){ 0 }), ==, -ENODEV);
}

/* Set and read back: as CPUs, and whether it keeps those that are offline is the kernel's. */
static void test_same(void)
{
	cpu_set_t a = set_of(0x13), b = set_of(0x03), c = set_of(0x01), off = set_of(0x30);
	cpu_set_t online = set_of(0x0f);

	g_assert_true(affinity_same(&a, &a, &online));
	g_assert_true(affinity_same(&a, &b, &online));
	g_assert_false(affinity_same(&a, &c, &online));
	g_assert_true(affinity_same(&off, &off, &online));
	a = set_of(0x20);
	g_assert_false(affinity_same(&a, &off, &online)); /* neither has one that is online */
}

/* As a sandbox makes /proc/irq: in a mount namespace of its own. */
static void read_only(struct tree *t)
{
	if (unshare(CLONE_NEWNS) < 0 || mount("none", "/", "none", MS_REC | MS_PRIVATE, NULL) < 0 ||
	    mount(t->proc, t->proc, "none", MS_BIND, NULL) < 0 ||
	    mount("none", t->proc, "none", MS_REMOUNT | MS_BIND | MS_RDONLY, NULL) < 0)
		_exit(SKIP);
	assert_line(t, 1, 1, -EROFS, "ProtectKernelTunables=");
}

static void test_read_only(struct tree *t, gconstpointer data)
{
	int status;
	pid_t pid;

	tree_text(t, 1, "0\n");
	assert_line(t, 1, 1, 0, NULL);
	fflush(NULL);
	pid = fork();
	g_assert_cmpint(pid, >=, 0);
	if (pid == 0) {
		read_only(t);
		_exit(0);
	}
	g_assert_cmpint(waitpid(pid, &status, 0), ==, pid);
	if (WIFEXITED(status) && WEXITSTATUS(status) == SKIP)
		g_test_skip("no right to mount here");
	else
		g_assert_cmpint(status, ==, 0);
}

static void assert_format(enum tuning_attribute a, struct tuning_value v, const char *expected)
{
	g_autofree char *text = tuning_value_format(a, &v);

	g_assert_cmpstr(text, ==, expected);
}

static void test_format(void)
{
	assert_format(TUNING_POLICY, (struct tuning_value){ .policy = SCHED_FIFO, .priority = 50 },
		      "fifo 50");
	assert_format(TUNING_POLICY, (struct tuning_value){ .policy = SCHED_OTHER }, "other");
	assert_format(
		TUNING_POLICY,
		(struct tuning_value){ .policy = SCHED_RR, .priority = 1, .reset_on_fork = true },
		"rr 1, reset on fork");
	assert_format(TUNING_POLICY, (struct tuning_value){ .policy = 7 }, "policy 7");
	assert_format(TUNING_NICE, (struct tuning_value){ .nice = -20 }, "nice -20");
	assert_format(TUNING_AFFINITY, (struct tuning_value){ .affinity = (char *)"0-1" }, "0-1");
	assert_format(TUNING_AFFINITY, (struct tuning_value){ 0 }, "unknown");
}

static bool affinity_equal(const char *x, const char *y)
{
	struct tuning_value a = { .affinity = (char *)x }, b = { .affinity = (char *)y };

	return tuning_value_equal(TUNING_AFFINITY, &a, &b);
}

static void test_equal(void)
{
	struct tuning_value a = { .policy = SCHED_FIFO, .priority = 50, .nice = 3 }, b = a;

	g_assert_true(tuning_value_equal(TUNING_POLICY, &a, &b));
	b.nice = 4;
	g_assert_true(tuning_value_equal(TUNING_POLICY, &a, &b));
	g_assert_false(tuning_value_equal(TUNING_NICE, &a, &b));
	b.reset_on_fork = true;
	g_assert_false(tuning_value_equal(TUNING_POLICY, &a, &b));
	b = a;
	b.priority = 49;
	g_assert_false(tuning_value_equal(TUNING_POLICY, &a, &b));
	g_assert_true(affinity_equal("0-1", "0,1"));
	g_assert_true(affinity_equal("0-1", "1,0"));
	g_assert_true(affinity_equal(NULL, NULL));
	g_assert_false(affinity_equal("0", "0-1023,0"));
	g_assert_false(affinity_equal("0", NULL));
	g_assert_false(affinity_equal("1022", "1023"));
	g_assert_false(affinity_equal("0", "nonsense"));
}

static void test_subjects(void)
{
	char *actions[] = { (char *)"eth0", (char *)"i801 smbus", NULL };
	struct irq_line l = { .irq = 5, .actions = actions };
	struct irq_thread thread = { .tid = 7, .start_ticks = 9, .name = (char *)"irq/5-eth0" };
	struct tuning_subject a, b;

	tuning_subject_of_line(&l, &a);
	g_assert_true(a.is_line && a.irq == 5);
	g_assert_cmpstr(a.name, ==, "eth0, i801 smbus");
	tuning_subject_done(&a);
	l.chip = (char *)"IO-APIC";
	l.hwirq = (char *)"5";
	tuning_subject_of_line(&l, &a);
	g_assert_cmpstr(a.name, ==, "IO-APIC 5");
	/* whoever uses it comes and goes */
	l.actions[0] = NULL;
	tuning_subject_of_line(&l, &b);
	g_assert_true(tuning_subject_equal(&a, &b));
	b.irq = 6;
	g_assert_false(tuning_subject_equal(&a, &b));
	tuning_subject_done(&b);
	tuning_subject_of_thread(&thread, &b);
	g_assert_false(tuning_subject_equal(&a, &b));
	tuning_subject_done(&a);
	tuning_subject_copy(&b, &a);
	g_assert_true(tuning_subject_equal(&a, &b));
	g_assert_true(a.name != b.name);
	b.start_ticks++;
	g_assert_false(tuning_subject_equal(&a, &b));
	b.start_ticks--;
	/* first seen before it had the rest of its name */
	g_free(a.name);
	a.name = g_strdup("irq/5-i801_smbu");
	g_assert_false(tuning_subject_equal(&a, &b));
	g_free(b.name);
	b.name = g_strdup("irq/5-i801_smbus");
	g_assert_true(tuning_subject_equal(&a, &b));
	b.tid++;
	g_assert_false(tuning_subject_equal(&a, &b));
	tuning_subject_done(&a);
	tuning_subject_done(&b);
}

static void test_resolve(struct tree *t, gconstpointer data)
{
	static const struct {
		const char *text, *list;
		int r;
	} rows[] = { { "all", "0-2,5", 0 },    { "!0-1", "2,5", 0 },	 { "2,0", "0,2", 0 },
		     { "1,7", "1,7", 0 },      { "3-4", NULL, -EINVAL }, { "!0-5", NULL, -EINVAL },
		     { "x", NULL, -EINVAL },   { "", NULL, -EINVAL },	 { "99999", NULL, -ERANGE },
		     { "2,0,1,5", "0-2,5", 0 } };
	g_autofree char *dir = g_build_filename(t->proc, "sys", "devices", "system", "cpu", NULL);
	g_autofree char *file = g_build_filename(dir, "online", NULL), *list = NULL;
	g_autofree char *message = NULL;

	g_assert_cmpint(tuning_affinity_resolve(t->proc, "all", &list, &message), <, 0);
	g_assert_nonnull(message);
	g_assert_cmpint(g_mkdir_with_parents(dir, 0755), ==, 0);
	g_assert_true(g_file_set_contents(file, "0-2,5\n", -1, NULL));
	for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
		g_clear_pointer(&message, g_free);
		g_clear_pointer(&list, g_free);
		g_assert_cmpint(tuning_affinity_resolve(t->proc, rows[i].text, &list, &message), ==,
				rows[i].r);
		g_assert_cmpstr(list, ==, rows[i].list);
		g_assert_cmpint(message != NULL, ==, rows[i].r < 0);
	}
	g_assert_cmpint(unlink(file), ==, 0);
	for (int i = 0; i < 4; i++) {
		g_assert_cmpint(rmdir(dir), ==, 0);
		*strrchr(dir, '/') = '\0';
	}
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
#define REAL(name, fn)                                                                             \
	g_test_add("/tuning/" name, struct real, NULL, real_set_up, fn, real_tear_down)
#define TREE(name, fn)                                                                             \
	g_test_add("/tuning/" name, struct tree, NULL, tree_set_up, fn, tree_tear_down)
	g_test_add_func("/tuning/format", test_format);
	g_test_add_func("/tuning/equal", test_equal);
	g_test_add_func("/tuning/subjects", test_subjects);
	g_test_add_func("/tuning/same", test_same);
	TREE("resolve", test_resolve);
	TREE("lists", test_lists);
	TREE("refusals", test_refusals);
	TREE("kept-elsewhere", test_kept_elsewhere);
	TREE("read-only", test_read_only);
	g_test_add_func("/tuning/impostor", test_impostor);
	g_test_add_func("/tuning/foreign", test_foreign);
	g_test_add_func("/tuning/no-right", test_no_right);
	g_test_add_func("/tuning/swallowed", test_swallowed);
	g_test_add_func("/tuning/protected", test_protected);
	REAL("thread", test_thread);
	REAL("other-identity", test_other_identity);
	REAL("values", test_values);
	REAL("line", test_line);
	REAL("mask", test_mask);
	return g_test_run();
}
