/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Loads under the real nanny. LRTBF_LOAD names the program. Processes of a test are found by a mark
 * in their arguments that no other test run has, and ended by their ids.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "loadset.h"
#include "scratch.h"

#define SECOND_US G_USEC_PER_SEC

/* --- what is seen from outside --- */

static bool cmdline_has(const char *pid, const char *mark)
{
	g_autofree char *path = g_build_filename("/proc", pid, "cmdline", NULL);
	g_autofree char *text = NULL;
	gsize size;

	return g_file_get_contents(path, &text, &size, NULL) &&
	       memmem(text, size, mark, strlen(mark));
}

/* Processes with @mark in their arguments, this one left out. */
static GArray *marked(const char *mark)
{
	GArray *pids = g_array_new(FALSE, FALSE, sizeof(pid_t));
	DIR *dir = opendir("/proc");
	struct dirent *d;

	while ((d = readdir(dir))) {
		pid_t pid = atoi(d->d_name);

		if (pid > 0 && pid != getpid() && cmdline_has(d->d_name, mark))
			g_array_append_val(pids, pid);
	}
	closedir(dir);
	return pids;
}

static guint count_marked(const char *mark)
{
	g_autoptr(GArray) pids = marked(mark);

	return pids->len;
}

static bool wait_marked(const char *mark, guint at_least, guint at_most, double seconds)
{
	gint64 until = g_get_monotonic_time() + seconds * SECOND_US;

	do {
		guint n = count_marked(mark);

		if (n >= at_least && n <= at_most)
			return true;
		g_usleep(5000);
	} while (g_get_monotonic_time() < until);
	return false;
}

/* The only one: a shell that has just forked is there twice until its child executes. */
static pid_t only_marked(const char *mark)
{
	gint64 until = g_get_monotonic_time() + 5 * SECOND_US;
	guint n;

	do {
		g_autoptr(GArray) pids = marked(mark);

		n = pids->len;
		if (n == 1)
			return g_array_index(pids, pid_t, 0);
		g_usleep(5000);
	} while (g_get_monotonic_time() < until);
	g_assert_cmpuint(n, ==, 1);
	return 0;
}

/* Field of /proc/PID/status. */
static char *status_field(pid_t pid, const char *key)
{
	g_autofree char *path = g_strdup_printf("/proc/%d/status", pid);
	g_autofree char *raw = NULL, *text = NULL, *head = g_strdup_printf("\n%s:", key);
	char *at, *end;

	if (!g_file_get_contents(path, &raw, NULL, NULL))
		return NULL;
	text = g_strconcat("\n", raw, NULL);
	at = strstr(text, head);
	if (!at)
		return NULL;
	at += strlen(head);
	end = strchr(at, '\n');
	return g_strstrip(g_strndup(at, end - at));
}

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

/* --- a set with its event loop --- */

struct bench {
	sd_event *event;
	struct loadset *set;
	char *folder;
	GPtrArray *loads;
	bool running, gone, free_on_trouble;
	GString *troubles;
};

static void on_news(enum loadset_news what, const char *finding_id, const char *text,
		    void *userdata)
{
	struct bench *b = userdata;

	switch (what) {
	case LOADSET_RUNNING:
		g_assert_false(b->running);
		b->running = true;
		break;
	case LOADSET_TROUBLE:
		g_assert_nonnull(text);
		g_string_append_printf(b->troubles, "[%s] %s\n", finding_id, text);
		if (b->free_on_trouble)
			b->set = loadset_free(b->set);
		break;
	case LOADSET_GONE:
		g_assert_false(b->gone);
		b->gone = true;
		break;
	}
}

static void load_free_simple(void *data)
{
	struct load *l = data;

	g_free(l->name);
	g_strfreev(l->command);
	g_free(l);
}

static struct load *bench_load(struct bench *b, const char *name, const char *const *command)
{
	struct load *l = g_new0(struct load, 1);

	l->name = g_strdup(name);
	l->command = g_strdupv((char **)command);
	l->instances = 1;
	l->end_statuses = 1;
	g_ptr_array_add(b->loads, l);
	return l;
}

static struct load *bench_shell(struct bench *b, const char *script, const char *mark)
{
	return bench_load(b, "test", (const char *[]){ "sh", "-c", script, mark, NULL });
}

static struct bench *bench_new(void)
{
	struct bench *b = g_new0(struct bench, 1);

	g_assert_cmpint(sd_event_new(&b->event), >=, 0);
	b->folder = g_dir_make_tmp("lrtbf-test-XXXXXX", NULL);
	b->loads = g_ptr_array_new_with_free_func(load_free_simple);
	b->troubles = g_string_new(NULL);
	return b;
}

static void bench_start(struct bench *b)
{
	g_autofree char *scratch = g_build_filename(b->folder, "scratch", NULL);
	struct loadset_params p = { .event = b->event,
				    .load_path = g_getenv("LRTBF_LOAD"),
				    .scratch_dir = scratch,
				    .news = on_news,
				    .userdata = b };
	g_autofree char *message = NULL;

	g_assert_nonnull(p.load_path);
	g_assert_cmpint(loadset_start(&p, b->loads, &b->set, &message), ==, 0);
}

static bool bench_wait(struct bench *b, const bool *what, double seconds)
{
	gint64 until = g_get_monotonic_time() + seconds * SECOND_US;

	while (!*what && g_get_monotonic_time() < until)
		g_assert_cmpint(sd_event_run(b->event, 20000), >=, 0);
	return *what;
}

static void bench_run(struct bench *b, double seconds)
{
	const bool never = false;

	bench_wait(b, &never, seconds);
}

static bool bench_wait_trouble(struct bench *b, const char *text, double seconds)
{
	gint64 until = g_get_monotonic_time() + seconds * SECOND_US;

	while (!strstr(b->troubles->str, text) && g_get_monotonic_time() < until)
		g_assert_cmpint(sd_event_run(b->event, 20000), >=, 0);
	if (!strstr(b->troubles->str, text))
		g_test_message("troubles: %s", b->troubles->str);
	return strstr(b->troubles->str, text);
}

static guint folder_entries(const char *path)
{
	g_autoptr(GDir) dir = g_dir_open(path, 0, NULL);
	guint n = 0;

	while (dir && g_dir_read_name(dir))
		n++;
	return n;
}

static guint bench_scratch_entries(struct bench *b)
{
	g_autofree char *scratch = g_build_filename(b->folder, "scratch", NULL);

	return folder_entries(scratch);
}

static void bench_stop(struct bench *b)
{
	loadset_stop(b->set);
	g_assert_true(bench_wait(b, &b->gone, 10));
	g_assert_cmpuint(bench_scratch_entries(b), ==, 0);
}

static void bench_free(struct bench *b)
{
	g_autofree char *scratch = g_build_filename(b->folder, "scratch", NULL);

	loadset_free(b->set);
	sd_event_unref(b->event);
	g_ptr_array_unref(b->loads);
	(void)rmdir(scratch);
	g_assert_cmpint(rmdir(b->folder), ==, 0);
	g_free(b->folder);
	g_string_free(b->troubles, TRUE);
	g_free(b);
}

static char *new_mark(void)
{
	return g_strdup_printf("lrtbf-mark-%d-%08x", getpid(), g_random_int());
}

/* Ignores SIGTERM; a child; one that called setsid(); one that forked twice, both stubborn. */
static const char stubborn[] =
	"trap '' TERM\n"
	"sh -c \"trap '' TERM; while :; do sleep 1; done\" $0 &\n"
	"setsid sh -c \"trap '' TERM; while :; do sleep 1; done\" $0 &\n"
	"(setsid sh -c \"trap '' TERM; (while :; do sleep 1; done) & exit\" $0 &)\n"
	"while :; do sleep 1; done\n";
#define STUBBORN_PROCESSES 4

/* --- ways to run: with and without namespaces, as root and as nobody --- */

enum way { WAY_NAMESPACE = 0, WAY_TREE = 1, WAY_ROOT = 0, WAY_NOBODY = 2 };

static void take_way(unsigned way)
{
	if (way & WAY_TREE)
		g_setenv("LRTBF_LOAD_NO_NAMESPACE", "1", TRUE);
	if (way & WAY_NOBODY) {
		g_assert_cmpint(setgroups(0, NULL), ==, 0);
		g_assert_cmpint(setresgid(65534, 65534, 65534), ==, 0);
		g_assert_cmpint(setresuid(65534, 65534, 65534), ==, 0);
		prctl(PR_SET_DUMPABLE, 1);
	}
}

/*
 * Runs @body in a process of its own, which may change its user; its failed assertions are this
 * test's.
 */
static void in_child(void (*body)(void), unsigned way)
{
	int status;
	pid_t pid;

	if ((way & WAY_NOBODY) && geteuid() != 0) {
		g_test_skip("must be root to become nobody");
		return;
	}
	pid = fork();
	if (pid == 0) {
		take_way(way);
		body();
		_exit(0);
	}
	g_assert_cmpint(waitpid(pid, &status, 0), ==, pid);
	g_assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

/* --- tests: the set --- */

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

/* Deep folders, folders without rights, links out of it, fifos; below a folder nobody may enter. */
static const char mess[] =
	"set -e\n"
	"i=0; while [ $i -lt 200 ]; do mkdir deep; cd -P deep; : >file; i=$((i+1)); done\n"
	"while [ $i -gt 0 ]; do cd -P ..; i=$((i-1)); done\n"
	"mkdir -p closed/inner; : >closed/inner/file; chmod 000 closed/inner closed\n"
	"ln -s /etc/passwd link; ln -s / root; ln -s loop loop; mkfifo fifo; mkdir .1 .2\n"
	"ln -s $1 out\n"
	"[ $TMPDIR = . ]\n"
	"mktemp >/dev/null\n"
	"touch ready\n"
	"while :; do sleep 1; done\n";

static void body_scratch(void)
{
	struct bench *b = bench_new();
	g_autofree char *mark = new_mark(), *outside = g_build_filename(b->folder, "outside", NULL);
	g_autofree char *kept = g_build_filename(outside, "kept", NULL);
	struct load *l;

	g_assert_cmpint(mkdir(outside, 0777), ==, 0);
	g_assert_true(g_file_set_contents(kept, "x", 1, NULL));
	l = bench_load(b, "mess", (const char *[]){ "sh", "-c", mess, mark, outside, NULL });
	l->scratch_bytes = 1 << 20;
	bench_start(b);
	g_assert_true(bench_wait(b, &b->running, 5));
	g_assert_cmpuint(bench_scratch_entries(b), ==, 1);
	/* it sleeps when all is made */
	bench_run(b, 2);
	g_assert_cmpstr(b->troubles->str, ==, "");
	bench_stop(b);
	g_assert_cmpstr(b->troubles->str, ==, "");
	g_assert_true(g_file_test(kept, G_FILE_TEST_EXISTS));
	g_assert_cmpint(unlink(kept), ==, 0);
	g_assert_cmpint(rmdir(outside), ==, 0);
	bench_free(b);
}

static void test_scratch(const void *way)
{
	in_child(body_scratch, GPOINTER_TO_UINT(way));
}

/* Two daemons may share a folder: what one still uses, the start of the other leaves alone. */
static void test_scratch_in_use(void)
{
	g_autofree char *dir = g_dir_make_tmp("lrtbf-scratch-XXXXXX", NULL);
	g_autofree char *used = NULL, *left = NULL, *path = NULL, *message = NULL;
	int used_fd, left_fd;

	g_assert_cmpint(scratch_make(dir, "a", 1, 0, -1, &used, &used_fd, &message), ==, 0);
	g_assert_cmpint(scratch_make(dir, "b", 1, 0, -1, &left, &left_fd, &message), ==, 0);
	close(left_fd);
	g_assert_cmpint(loadset_clean_scratch(dir, &message), ==, 1);
	path = g_build_filename(dir, used, NULL);
	g_assert_cmpint(access(path, F_OK), ==, 0);
	g_assert_cmpuint(folder_entries(dir), ==, 1);
	close(used_fd);
	g_assert_cmpint(loadset_clean_scratch(dir, &message), ==, 1);
	g_assert_cmpint(rmdir(dir), ==, 0);
}

/* A file beyond what the load says it writes is refused by the kernel. */
static void test_scratch_bounded(void)
{
	struct bench *b = bench_new();

	bench_load(b, "big",
		   (const char *[]){ "dd", "if=/dev/zero", "of=f", "bs=1M", "count=16", NULL })
		->scratch_bytes = 4 << 20;
	bench_start(b);
	g_assert_true(bench_wait_trouble(b, "[load-died] Load big: dd", 10));
	bench_stop(b);
	bench_free(b);
}

/* SIGKILL waits for what the kernel writes: the end may take a while and is still an end. */
static void test_busy_disk(void)
{
	struct bench *b = bench_new();
	struct load *l = bench_load(b, "disk",
				    (const char *[]){ "dd", "if=/dev/zero", "of=f", "bs=1M",
						      "count=128", "conv=fdatasync", NULL });
	gint64 start;

	l->scratch_bytes = 128 << 20;
	l->repeat = true;
	bench_start(b);
	g_assert_true(bench_wait(b, &b->running, 5));
	bench_run(b, 0.7);
	start = g_get_monotonic_time();
	bench_stop(b);
	g_test_message("gone after %" G_GINT64_FORMAT " ms",
		       (g_get_monotonic_time() - start) / 1000);
	g_assert_cmpstr(b->troubles->str, ==, "");
	bench_free(b);
}

static void test_no_space(void)
{
	struct bench *b = bench_new();
	g_autofree char *scratch = g_build_filename(b->folder, "scratch", NULL);

	g_assert_cmpint(mkdir(scratch, 0711), ==, 0);
	if (mount("lrtbf-test", scratch, "tmpfs", 0, "size=8m") < 0) {
		g_test_skip("a file system cannot be mounted here");
		rmdir(scratch);
		bench_free(b);
		return;
	}
	/* the first fits, the second not beside it */
	bench_load(b, "one", (const char *[]){ "sleep", "100", NULL })->scratch_bytes = 3 << 20;
	bench_load(b, "two", (const char *[]){ "sleep", "100", NULL })->scratch_bytes = 3 << 20;
	bench_start(b);
	g_assert_true(bench_wait(b, &b->running, 5));
	g_test_message("%s", b->troubles->str);
	g_assert_true(
		g_str_has_prefix(b->troubles->str, "[load-absent] Load two: The scratch folder "));
	g_assert_nonnull(strstr(b->troubles->str, scratch));
	g_assert_nonnull(strstr(b->troubles->str, "MiB free, 6.0 MiB are needed"));
	g_assert_null(strstr(b->troubles->str, "Load one"));
	bench_stop(b);
	g_assert_cmpint(umount(scratch), ==, 0);
	bench_free(b);
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

static void add_ways(const char *name, GTestDataFunc test)
{
	static const char *const ways[] = { "namespace", "tree", "namespace-nobody",
					    "tree-nobody" };

	for (unsigned i = 0; i < G_N_ELEMENTS(ways); i++) {
		g_autofree char *path = g_strdup_printf("/loadset/%s/%s", name, ways[i]);

		g_test_add_data_func(path, GUINT_TO_POINTER(i), test);
	}
}

int main(int argc, char **argv)
{
	sigset_t child;

	g_test_init(&argc, &argv, NULL);
	sigemptyset(&child);
	sigaddset(&child, SIGCHLD);
	sigprocmask(SIG_BLOCK, &child, NULL);
	g_test_add_func("/loadset/empty", test_empty);
	add_ways("rights", test_rights);
	add_ways("stop", test_stop);
	add_ways("free", test_free);
	add_ways("kill-nanny", test_kill_nanny);
	add_ways("kill-guard", test_kill_guard);
	add_ways("kill-daemon", test_kill_daemon);
	g_test_add_data_func("/loadset/no-cap-kill/stop", NULL, test_no_cap_kill);
	g_test_add_data_func("/loadset/no-cap-kill/die", "dies", test_no_cap_kill);
	g_test_add_func("/loadset/absent", test_absent);
	g_test_add_func("/loadset/not-executable", test_not_executable);
	add_ways("died", test_died);
	g_test_add_func("/loadset/ended", test_ended);
	g_test_add_func("/loadset/end-statuses", test_end_statuses);
	add_ways("fork-bomb", test_fork_bomb);
	g_test_add_func("/loadset/repeat", test_repeat);
	add_ways("restart", test_restart);
	add_ways("instances", test_instances);
	add_ways("scratch", test_scratch);
	g_test_add_func("/loadset/scratch-in-use", test_scratch_in_use);
	g_test_add_func("/loadset/scratch-bounded", test_scratch_bounded);
	g_test_add_func("/loadset/busy-disk", test_busy_disk);
	g_test_add_func("/loadset/no-space", test_no_space);
	g_test_add_data_func("/loadset/needs-root", NULL, test_needs_root);
	g_test_add_func("/loadset/no-nanny", test_no_nanny);
	g_test_add_func("/loadset/free-in-news", test_free_in_news);
	return g_test_run();
}
