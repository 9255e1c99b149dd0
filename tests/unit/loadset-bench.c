/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "loadset-bench.h"

#include <dirent.h>
#include <grp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define SECOND_US G_USEC_PER_SEC

void bench_init(int *argc, char ***argv)
{
	sigset_t child;

	g_test_init(argc, argv, NULL);
	sigemptyset(&child);
	sigaddset(&child, SIGCHLD);
	sigprocmask(SIG_BLOCK, &child, NULL);
}

static bool cmdline_has(const char *pid, const char *mark)
{
	g_autofree char *path = g_build_filename("/proc", pid, "cmdline", NULL);
	g_autofree char *text = NULL;
	gsize size;

	return g_file_get_contents(path, &text, &size, NULL) &&
	       memmem(text, size, mark, strlen(mark));
}

GArray *marked(const char *mark)
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

guint count_marked(const char *mark)
{
	g_autoptr(GArray) pids = marked(mark);

	return pids->len;
}

bool wait_marked(const char *mark, guint at_least, guint at_most, double seconds)
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

pid_t only_marked(const char *mark)
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

char *status_field(pid_t pid, const char *key)
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

void on_news(enum loadset_news what, const char *finding_id, const char *text, void *userdata)
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

struct load *bench_load(struct bench *b, const char *name, const char *const *command)
{
	struct load *l = g_new0(struct load, 1);

	l->name = g_strdup(name);
	l->command = g_strdupv((char **)command);
	l->instances = 1;
	l->end_statuses = 1;
	g_ptr_array_add(b->loads, l);
	return l;
}

struct load *bench_shell(struct bench *b, const char *script, const char *mark)
{
	return bench_load(b, "test", (const char *[]){ "sh", "-c", script, mark, NULL });
}

struct bench *bench_new(void)
{
	struct bench *b = g_new0(struct bench, 1);

	g_assert_cmpint(sd_event_new(&b->event), >=, 0);
	b->folder = g_dir_make_tmp("lrtbf-test-XXXXXX", NULL);
	b->loads = g_ptr_array_new_with_free_func(load_free_simple);
	b->troubles = g_string_new(NULL);
	return b;
}

void bench_start(struct bench *b)
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

bool bench_wait(struct bench *b, const bool *what, double seconds)
{
	gint64 until = g_get_monotonic_time() + seconds * SECOND_US;

	while (!*what && g_get_monotonic_time() < until)
		g_assert_cmpint(sd_event_run(b->event, 20000), >=, 0);
	return *what;
}

void bench_run(struct bench *b, double seconds)
{
	const bool never = false;

	bench_wait(b, &never, seconds);
}

bool bench_wait_trouble(struct bench *b, const char *text, double seconds)
{
	gint64 until = g_get_monotonic_time() + seconds * SECOND_US;

	while (!strstr(b->troubles->str, text) && g_get_monotonic_time() < until)
		g_assert_cmpint(sd_event_run(b->event, 20000), >=, 0);
	if (!strstr(b->troubles->str, text))
		g_test_message("troubles: %s", b->troubles->str);
	return strstr(b->troubles->str, text);
}

guint folder_entries(const char *path)
{
	g_autoptr(GDir) dir = g_dir_open(path, 0, NULL);
	guint n = 0;

	while (dir && g_dir_read_name(dir))
		n++;
	return n;
}

guint bench_scratch_entries(struct bench *b)
{
	g_autofree char *scratch = g_build_filename(b->folder, "scratch", NULL);

	return folder_entries(scratch);
}

void bench_stop(struct bench *b)
{
	loadset_stop(b->set);
	g_assert_true(bench_wait(b, &b->gone, 10));
	g_assert_cmpuint(bench_scratch_entries(b), ==, 0);
}

void bench_free(struct bench *b)
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

char *new_mark(void)
{
	return g_strdup_printf("lrtbf-mark-%d-%08x", getpid(), g_random_int());
}

const char stubborn[] = "trap '' TERM\n"
			"sh -c \"trap '' TERM; while :; do sleep 1; done\" $0 &\n"
			"setsid sh -c \"trap '' TERM; while :; do sleep 1; done\" $0 &\n"
			"(setsid sh -c \"trap '' TERM; (while :; do sleep 1; done) & exit\" $0 &)\n"
			"while :; do sleep 1; done\n";

void take_way(unsigned way)
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

void in_child(void (*body)(void), unsigned way)
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

void add_ways(const char *name, GTestDataFunc test)
{
	static const char *const ways[] = { "namespace", "tree", "namespace-nobody",
					    "tree-nobody" };

	for (unsigned i = 0; i < G_N_ELEMENTS(ways); i++) {
		g_autofree char *path = g_strdup_printf("/loadset/%s/%s", name, ways[i]);

		g_test_add_data_func(path, GUINT_TO_POINTER(i), test);
	}
}
