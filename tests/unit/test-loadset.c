/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A set of loads as it runs: with which rights, how often, how many, and what is said of one that
 * does not.
 */
#include "loadset-bench.h"

#include <sched.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static void test_empty(void)
{
	struct bench *b = bench_new();

	bench_start(b);
	g_assert_true(bench_wait(b, &b->running, 5));
	loadset_stop(b->set);
	loadset_stop(b->set);
	g_assert_true(bench_wait(b, &b->gone, 5));
	g_assert_cmpstr(b->troubles->str, ==, "");
	bench_free(b);
}

/* Tried in a process of its own, which then is in one. */
static bool namespaces_permitted(void)
{
	int status = 1;
	pid_t pid = fork();

	if (pid == 0)
		_exit(unshare(geteuid() == 0 ? CLONE_NEWPID : CLONE_NEWUSER | CLONE_NEWPID) < 0);
	g_assert_cmpint(waitpid(pid, &status, 0), ==, pid);
	return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static void body_rights(void)
{
	g_autofree char *mark = new_mark(), *uid = NULL, *caps = NULL, *nnp = NULL, *groups = NULL;
	g_autofree char *nspid = NULL;
	g_autofree char *oom_path = NULL, *oom = NULL;
	struct bench *b = bench_new();
	bool in_namespace;
	pid_t pid;

	bench_shell(b, "while :; do sleep 1; done", mark);
	bench_start(b);
	g_assert_true(bench_wait(b, &b->running, 5));
	pid = only_marked(mark);
	uid = status_field(pid, "Uid");
	caps = status_field(pid, "CapEff");
	nspid = status_field(pid, "NSpid");
	nnp = status_field(pid, "NoNewPrivs");
	groups = status_field(pid, "Groups");
	g_assert_cmpstr(uid, ==, "65534\t65534\t65534\t65534");
	g_assert_cmpstr(caps, ==, "0000000000000000");
	g_assert_cmpstr(nnp, ==, "1");
	g_assert_cmpstr(groups, ==, "");
	/* in a namespace of its own a process has two numbers; this machine's rights allow it or
	 * not */
	in_namespace = strchr(nspid, '\t');
	if (g_getenv("LRTBF_LOAD_NO_NAMESPACE"))
		g_assert_false(in_namespace);
	else if (namespaces_permitted())
		g_assert_true(in_namespace);
	oom_path = g_strdup_printf("/proc/%d/oom_score_adj", pid);
	g_assert_true(g_file_get_contents(oom_path, &oom, NULL, NULL));
	g_assert_cmpstr(oom, ==, "1000\n");
	g_assert_cmpint(sched_getscheduler(pid), ==, SCHED_OTHER);
	bench_stop(b);
	g_assert_cmpuint(count_marked(mark), ==, 0);
	g_assert_cmpstr(b->troubles->str, ==, "");
	bench_free(b);
}

static void test_rights(const void *way)
{
	if (geteuid() != 0) {
		g_test_skip("loads become nobody only under root");
		return;
	}
	in_child(body_rights, GPOINTER_TO_UINT(way));
}

static void test_absent(void)
{
	struct bench *b = bench_new();

	bench_load(b, "no", (const char *[]){ "lrtbf-no-such-command", "-x", NULL });
	bench_load(b, "null", (const char *[]){ "sleep", "100", NULL });
	bench_start(b);
	g_assert_true(bench_wait(b, &b->running, 5));
	g_assert_true(g_str_has_prefix(
		b->troubles->str, "[load-absent] Load no: lrtbf-no-such-command is not there"));
	bench_stop(b);
	bench_free(b);
}

static void test_not_executable(void)
{
	struct bench *b = bench_new();
	g_autofree char *script = g_build_filename(b->folder, "script", NULL);

	g_assert_true(g_file_set_contents(script, "#!/no/interpreter\n", -1, NULL));
	g_assert_cmpint(chmod(b->folder, 0755), ==, 0);
	g_assert_cmpint(chmod(script, 0644), ==, 0);
	bench_load(b, "text", (const char *[]){ script, NULL });
	bench_start(b);
	g_assert_true(bench_wait_trouble(b, "[load-absent] Load text:", 5));
	g_assert_nonnull(strstr(b->troubles->str, "Permission denied"));
	bench_stop(b);
	b->set = loadset_free(b->set);
	b->gone = b->running = false;
	g_string_truncate(b->troubles, 0);
	g_assert_cmpint(chmod(script, 0755), ==, 0);
	bench_start(b);
	g_assert_true(bench_wait_trouble(b, "or its interpreter is not there", 5));
	bench_stop(b);
	g_assert_cmpint(unlink(script), ==, 0);
	bench_free(b);
}

static void body_died(void)
{
	struct bench *b = bench_new();

	bench_load(b, "old",
		   (const char *[]){ "dd", "if=/dev/zero", "of=/dev/null", "bs=1m", NULL })
		->repeat = true;
	bench_start(b);
	g_assert_true(bench_wait_trouble(b, "[load-died]", 5));
	g_assert_cmpstr(
		b->troubles->str, ==,
		"[load-died] Load old: dd ended with status 1: dd: invalid number: '1m'.\n");
	g_assert_true(bench_wait(b, &b->running, 5));
	bench_stop(b);
	bench_free(b);
}

static void test_died(const void *way)
{
	in_child(body_died, GPOINTER_TO_UINT(way));
}

static void test_ended(void)
{
	struct bench *b = bench_new();

	bench_load(b, "short", (const char *[]){ "true", NULL });
	bench_shell(b, "kill -SEGV $$", "x");
	bench_start(b);
	g_assert_true(bench_wait_trouble(b, "Load short: true ended with status 0.", 5));
	g_assert_true(bench_wait_trouble(b, "Load test: sh was killed by signal 11", 5));
	bench_stop(b);
	bench_free(b);
}

/* grep's 1 is as good an end as its 0 */
static void test_end_statuses(void)
{
	struct bench *b = bench_new();
	struct load *l = bench_shell(b, "[ -e seen ] && exit 3; : >seen; exit 1", "x");

	l->repeat = true;
	l->end_statuses = 1 << 0 | 1 << 1;
	l->scratch_bytes = 4096;
	bench_start(b);
	g_assert_true(bench_wait_trouble(b, "Load test: sh ended with status 3.", 5));
	bench_stop(b);
	bench_free(b);
}

/* Each run of the load leaves one line; rate and pause show in their number. */
static void test_repeat(void)
{
	struct bench *b = bench_new();
	g_autofree char *file = g_build_filename(b->folder, "runs", NULL);
	g_autofree char *script = g_strdup_printf("echo >>%s", file), *text = NULL;
	struct load *l = bench_shell(b, script, "x");
	gsize size;

	l->repeat = true;
	l->pause_ns = 200000000;
	g_assert_true(g_file_set_contents(file, "", 0, NULL));
	g_assert_cmpint(chmod(b->folder, 0755), ==, 0);
	g_assert_cmpint(chmod(file, 0666), ==, 0);
	bench_start(b);
	g_assert_true(bench_wait(b, &b->running, 5));
	bench_run(b, 1);
	bench_stop(b);
	g_assert_true(g_file_get_contents(file, &text, &size, NULL));
	g_assert_cmpuint(size, >=, 2);
	g_assert_cmpuint(size, <=, 6);
	g_assert_cmpint(unlink(file), ==, 0);
	bench_free(b);
}

static void body_restart(void)
{
	struct bench *b = bench_new();
	g_autofree char *mark = new_mark();
	g_autoptr(GArray) before = NULL, after = NULL;
	struct load *l = bench_shell(b, stubborn, mark);

	l->restart_after_ns = 700000000;
	bench_start(b);
	g_assert_true(bench_wait(b, &b->running, 5));
	g_assert_true(wait_marked(mark, STUBBORN_PROCESSES, 99, 5));
	before = marked(mark);
	bench_run(b, 1.2);
	g_assert_true(wait_marked(mark, STUBBORN_PROCESSES, 99, 5));
	after = marked(mark);
	g_assert_cmpuint(after->len, <=, before->len + STUBBORN_PROCESSES);
	for (guint i = 0; i < before->len; i++)
		for (guint k = 0; k < after->len; k++)
			g_assert_cmpint(g_array_index(before, pid_t, i), !=,
					g_array_index(after, pid_t, k));
	g_assert_cmpstr(b->troubles->str, ==, "");
	bench_stop(b);
	bench_free(b);
}

static void test_restart(const void *way)
{
	in_child(body_restart, GPOINTER_TO_UINT(way));
}

static void body_instances(void)
{
	struct bench *b = bench_new();
	g_autofree char *mark = new_mark();

	bench_shell(b, "while :; do sleep 1; done", mark)->instances = 12;
	bench_start(b);
	g_assert_true(bench_wait(b, &b->running, 10));
	g_assert_true(wait_marked(mark, 12, 12, 5));
	bench_stop(b);
	g_assert_cmpuint(count_marked(mark), ==, 0);
	bench_free(b);
}

static void test_instances(const void *way)
{
	in_child(body_instances, GPOINTER_TO_UINT(way));
}

static void test_needs_root(const void *way)
{
	struct bench *b;

	if (geteuid() != 0) {
		b = bench_new();
		bench_load(b, "root", (const char *[]){ "sleep", "100", NULL })->as_root = true;
		bench_start(b);
		g_assert_true(bench_wait_trouble(b, "[load-absent] Load root: it needs root", 5));
		bench_stop(b);
		bench_free(b);
		return;
	}
	b = bench_new();
	{
		g_autofree char *mark = new_mark(), *uid = NULL;

		bench_shell(b, "while :; do sleep 1; done", mark)->as_root = true;
		bench_start(b);
		g_assert_true(bench_wait(b, &b->running, 5));
		uid = status_field(only_marked(mark), "Uid");
		g_assert_cmpstr(uid, ==, "0\t0\t0\t0");
		bench_stop(b);
	}
	bench_free(b);
}

static void test_no_nanny(void)
{
	g_autofree char *scratch = NULL;
	struct bench *b;

	if (g_getenv("LRTBF_VALGRIND")) {
		g_test_skip("posix_spawn() of a missing program succeeds under valgrind");
		return;
	}
	b = bench_new();
	scratch = g_build_filename(b->folder, "scratch", NULL);

	bench_load(b, "x", (const char *[]){ "sleep", "100", NULL });
	g_assert_cmpint(loadset_start(&(struct loadset_params){ .event = b->event,
								.load_path = "/no/such/nanny",
								.scratch_dir = scratch,
								.news = on_news,
								.userdata = b },
				      b->loads, &b->set, NULL),
			==, 0);
	g_assert_true(bench_wait_trouble(b, "its nanny /no/such/nanny cannot be started", 5));
	bench_stop(b);
	bench_free(b);
}

static void test_free_in_news(void)
{
	struct bench *b = bench_new();

	b->free_on_trouble = true;
	bench_load(b, "no", (const char *[]){ "lrtbf-no-such-command", NULL });
	bench_load(b, "false", (const char *[]){ "false", NULL });
	bench_start(b);
	g_assert_true(bench_wait_trouble(b, "[load-", 5));
	g_assert_null(b->set);
	bench_run(b, 0.2);
	bench_free(b);
}

int main(int argc, char **argv)
{
	bench_init(&argc, &argv);
	g_test_add_func("/loadset/empty", test_empty);
	add_ways("rights", test_rights);
	g_test_add_func("/loadset/absent", test_absent);
	g_test_add_func("/loadset/not-executable", test_not_executable);
	add_ways("died", test_died);
	g_test_add_func("/loadset/ended", test_ended);
	g_test_add_func("/loadset/end-statuses", test_end_statuses);
	g_test_add_func("/loadset/repeat", test_repeat);
	add_ways("restart", test_restart);
	add_ways("instances", test_instances);
	g_test_add_data_func("/loadset/needs-root", NULL, test_needs_root);
	g_test_add_func("/loadset/no-nanny", test_no_nanny);
	g_test_add_func("/loadset/free-in-news", test_free_in_news);
	return g_test_run();
}
