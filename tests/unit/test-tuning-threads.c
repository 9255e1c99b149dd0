/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Setting real interrupt threads and lines of this machine, where they can be seen and set: checked
 * by what chrt, ps and the kernel's files say, and put back whatever happens.
 */
#include "tuning-shared.h"

#include <errno.h>
#include <fcntl.h>
#include <glib.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <unistd.h>

#define LOCK	  "lrtbf-test-irq" /* whoever changes real threads holds it */
#define LOCK_SECS 60

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

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
#define REAL(name, fn)                                                                             \
	g_test_add("/tuning/" name, struct real, NULL, real_set_up, fn, real_tear_down)
	REAL("thread", test_thread);
	REAL("other-identity", test_other_identity);
	REAL("values", test_values);
	REAL("line", test_line);
	REAL("mask", test_mask);
	return g_test_run();
}
