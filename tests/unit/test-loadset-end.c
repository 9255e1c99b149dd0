/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The end of loads that do not want to end, whoever ends them and whoever of us has died: no
 * process is left.
 */
#include "loadset-bench.h"

#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static pid_t parent_of(pid_t pid)
{
	g_autofree char *text = status_field(pid, "PPid");

	return text ? atoi(text) : 0;
}

static char *name_of(pid_t pid)
{
	return status_field(pid, "Name");
}

/* The nanny and the guardian above a load's process, however deep that is. */
static void find_keepers(pid_t pid, pid_t *ret_nanny, pid_t *ret_guard)
{
	for (*ret_guard = *ret_nanny = 0; pid > 1; pid = parent_of(pid)) {
		g_autofree char *name = name_of(pid);

		if (g_strcmp0(name, "lrtbf-guard") == 0)
			*ret_guard = pid;
		else if (g_strcmp0(name, "lrtbf-load") == 0)
			*ret_nanny = pid;
	}
}

static void body_stop(void)
{
	g_autofree char *mark = new_mark();
	struct bench *b = bench_new();
	gint64 start;

	bench_shell(b, stubborn, mark);
	bench_start(b);
	g_assert_true(bench_wait(b, &b->running, 5));
	g_assert_true(wait_marked(mark, STUBBORN_PROCESSES, 99, 5));
	start = g_get_monotonic_time();
	bench_stop(b);
	g_assert_cmpuint(count_marked(mark), ==, 0);
	g_test_message("gone after %" G_GINT64_FORMAT " ms",
		       (g_get_monotonic_time() - start) / 1000);
	g_assert_cmpstr(b->troubles->str, ==, "");
	bench_free(b);
}

static void test_stop(const void *way)
{
	in_child(body_stop, GPOINTER_TO_UINT(way));
}

static void body_free(void)
{
	g_autofree char *mark = new_mark();
	struct bench *b = bench_new();

	bench_shell(b, stubborn, mark)->scratch_bytes = 4096;
	bench_start(b);
	g_assert_true(wait_marked(mark, STUBBORN_PROCESSES, 99, 5));
	b->set = loadset_free(b->set);
	g_assert_true(wait_marked(mark, 0, 0, 2));
	g_assert_cmpuint(bench_scratch_entries(b), ==, 0);
	bench_free(b);
}

static void test_free(const void *way)
{
	in_child(body_free, GPOINTER_TO_UINT(way));
}

/* Kills @victim of the three generations with SIGKILL; everything below must go. */
static void kill_generation(char victim)
{
	g_autofree char *mark = new_mark();
	g_autoptr(GArray) pids = NULL;
	struct bench *b = bench_new();
	pid_t nanny, guard;

	bench_shell(b, stubborn, mark);
	bench_start(b);
	g_assert_true(bench_wait(b, &b->running, 5));
	g_assert_true(wait_marked(mark, STUBBORN_PROCESSES, 99, 5));
	pids = marked(mark);
	find_keepers(g_array_index(pids, pid_t, 0), &nanny, &guard);
	g_assert_cmpint(nanny, >, 1);
	g_assert_cmpint(guard, >, 1);
	g_assert_cmpint(kill(victim == 'n' ? nanny : guard, SIGKILL), ==, 0);
	g_assert_true(wait_marked(mark, 0, 0, 2));
	g_assert_true(bench_wait_trouble(b,
					 victim == 'n' ? "its nanny was killed by signal 9"
						       : "its guardian was killed by signal 9",
					 5));
	g_assert_nonnull(strstr(b->troubles->str, "[load-died] Load test: "));
	bench_stop(b);
	bench_free(b);
}

static void body_kill_nanny(void)
{
	kill_generation('n');
}

static void body_kill_guard(void)
{
	kill_generation('g');
}

static void test_kill_nanny(const void *way)
{
	in_child(body_kill_nanny, GPOINTER_TO_UINT(way));
}

static void test_kill_guard(const void *way)
{
	in_child(body_kill_guard, GPOINTER_TO_UINT(way));
}

/* A process that runs the set like the daemon does is killed. */
static void test_kill_daemon(const void *way)
{
	g_autofree char *mark = new_mark(), *folder = g_dir_make_tmp("lrtbf-test-XXXXXX", NULL);
	g_autofree char *message = NULL;
	int status;
	pid_t pid;

	if (geteuid() == 0)
		g_assert_cmpint(chmod(folder, 0777), ==, 0);
	if ((GPOINTER_TO_UINT(way) & WAY_NOBODY) && geteuid() != 0) {
		g_test_skip("must be root to become nobody");
		return;
	}
	pid = fork();
	if (pid == 0) {
		struct bench *b = bench_new();

		rmdir(b->folder);
		b->folder = folder;
		take_way(GPOINTER_TO_UINT(way));
		bench_shell(b, stubborn, mark)->scratch_bytes = 4096;
		bench_start(b);
		bench_run(b, 60);
		_exit(1);
	}
	g_assert_true(wait_marked(mark, STUBBORN_PROCESSES, 99, 5));
	kill(pid, SIGKILL);
	g_assert_true(wait_marked(mark, 0, 0, 2));
	g_assert_cmpint(waitpid(pid, &status, 0), ==, pid);
	/* the next life finds what was left, if anything was, and nothing else */
	{
		g_autofree char *scratch = g_build_filename(folder, "scratch", NULL);
		g_autofree char *other = g_build_filename(scratch, "others", NULL);

		g_assert_cmpint(mkdir(other, 0700), ==, 0);
		g_usleep(200000);
		g_assert_cmpint(loadset_clean_scratch(scratch, &message), >=, 0);
		g_assert_cmpuint(folder_entries(scratch), ==, 1);
		g_assert_cmpint(rmdir(other), ==, 0);
		g_assert_cmpint(rmdir(scratch), ==, 0);
	}
	g_assert_cmpint(rmdir(folder), ==, 0);
}

/* A daemon that may not signal another user's processes: the closed socket is signal enough. */
static void test_no_cap_kill(const void *dies)
{
	g_autofree char *mark = new_mark();
	int status;
	pid_t pid;

	if (geteuid() != 0) {
		g_test_skip("loads become another user only under root");
		return;
	}
	pid = fork();
	if (pid == 0) {
		static struct bench *b; /* static: what an _exit() leaves is no leak */

		b = bench_new();
		bench_shell(b, stubborn, mark);
		bench_start(b);
		bench_wait(b, &b->running, 5);
		wait_marked(mark, STUBBORN_PROCESSES, 99, 5);
		unshare(CLONE_NEWUSER); /* nobody's processes are beyond this one's rights then */
		if (!dies)
			bench_stop(b);
		rmdir(b->folder);
		_exit(0);
	}
	g_assert_cmpint(waitpid(pid, &status, 0), ==, pid);
	g_assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
	g_assert_true(wait_marked(mark, 0, 0, 2));
}

/* A command that leaves a process behind each time and ends at once. */
static void body_fork_bomb(void)
{
	g_autofree char *mark = new_mark();
	struct bench *b = bench_new();

	bench_shell(b, "setsid sh -c 'sleep 100' $0 & exit 0", mark)->repeat = true;
	bench_start(b);
	g_assert_true(bench_wait(b, &b->running, 5));
	for (int i = 0; i < 10; i++) {
		bench_run(b, 0.1);
		g_assert_cmpuint(count_marked(mark), <, 8);
	}
	bench_stop(b);
	g_assert_true(wait_marked(mark, 0, 0, 1));
	g_assert_cmpstr(b->troubles->str, ==, "");
	bench_free(b);
}

static void test_fork_bomb(const void *way)
{
	in_child(body_fork_bomb, GPOINTER_TO_UINT(way));
}

int main(int argc, char **argv)
{
	bench_init(&argc, &argv);
	add_ways("stop", test_stop);
	add_ways("free", test_free);
	add_ways("kill-nanny", test_kill_nanny);
	add_ways("kill-guard", test_kill_guard);
	add_ways("kill-daemon", test_kill_daemon);
	g_test_add_data_func("/loadset/no-cap-kill/stop", NULL, test_no_cap_kill);
	g_test_add_data_func("/loadset/no-cap-kill/die", "dies", test_no_cap_kill);
	add_ways("fork-bomb", test_fork_bomb);
	return g_test_run();
}
