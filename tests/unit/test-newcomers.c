/* SPDX-License-Identifier: GPL-2.0-or-later */
/* New kernel threads until they have settled: in made trees, and real ones of this machine. */
#include <errno.h>
#include <glib.h>
#include <glib/gstdio.h>
#include <sched.h>
#include <string.h>
#include <unistd.h>

#include "newcomers.h"
#include "proc-pid.h"
#include "threadlist.h"

#define USER_FLAGS 0x00400000u

struct world {
	char *root;
	sd_event *event;
	struct newcomers *newcomers;
	GArray *told;	  /* of struct threadwatch_newcomer */
	unsigned unknown; /* told of without saying whom */
};

static void on_news(const struct threadwatch_newcomer *n, void *userdata)
{
	struct world *w = userdata;

	if (n)
		g_array_append_val(w->told, *n);
	else
		w->unknown++;
}

static struct world *world_new(const char *root)
{
	struct world *w = g_new0(struct world, 1);

	w->root = root ? g_strdup(root) : g_dir_make_tmp("newcomers-XXXXXX", NULL);
	w->told = g_array_new(FALSE, FALSE, sizeof(struct threadwatch_newcomer));
	g_assert_cmpint(sd_event_new(&w->event), ==, 0);
	g_assert_cmpint(newcomers_new(w->event, w->root, on_news, w, &w->newcomers), ==, 0);
	return w;
}

static char *world_folder(const struct world *w, pid_t tid)
{
	return g_strdup_printf("%s/proc/%d", w->root, tid);
}

static void world_thread(const struct world *w, pid_t tid, const char *comm, unsigned flags,
			 char state, int policy)
{
	g_autofree char *folder = world_folder(w, tid);
	g_autofree char *path = g_build_filename(folder, "stat", NULL);
	g_autofree char *text =
		g_strdup_printf("%d (%s) %c 2 0 0 0 -1 %u 0 0 0 0 0 0 0 0 20 0 1 0 %d 0 0 "
				"18446744073709551615 0 0 0 0 0 0 0 2147483647 0 0 0 0 17 1 %d %d "
				"0 0 0 0 0 0 0 0 0 0 0\n",
				tid, comm, state, flags, tid + 1000, policy ? 50 : 0, policy);

	g_assert_cmpint(g_mkdir_with_parents(folder, 0755), ==, 0);
	g_assert_true(g_file_set_contents(path, text, -1, NULL));
}

static void world_gone(const struct world *w, pid_t tid)
{
	g_autofree char *folder = world_folder(w, tid);
	g_autofree char *path = g_build_filename(folder, "stat", NULL);

	(void)g_remove(path); /* a file or a folder, or not there */
	(void)g_rmdir(folder);
}

/* Until nobody is waited for, or @usec have passed. How long it took. */
static uint64_t world_run(struct world *w, uint64_t usec)
{
	int64_t begin = g_get_monotonic_time();

	while (newcomers_waiting(w->newcomers) > 0 &&
	       (uint64_t)(g_get_monotonic_time() - begin) < usec)
		g_assert_cmpint(sd_event_run(w->event, 10000), >=, 0);
	return g_get_monotonic_time() - begin;
}

#define LONG (20 * G_USEC_PER_SEC)

static void world_free(struct world *w)
{
	g_autofree char *proc = g_build_filename(w->root, "proc", NULL);

	newcomers_free(w->newcomers);
	sd_event_unref(w->event);
	g_array_unref(w->told);
	if (strcmp(w->root, "/") != 0) {
		for (pid_t tid = 100; tid < 110; tid++)
			world_gone(w, tid);
		(void)g_rmdir(proc);
		g_assert_cmpint(g_rmdir(w->root), ==, 0);
	}
	g_free(w->root);
	g_free(w);
}

static void world_told(const struct world *w, guint i, pid_t tid, uint64_t created_ns)
{
	const struct threadwatch_newcomer *n;

	g_assert_cmpuint(w->told->len, >, i);
	n = &g_array_index(w->told, struct threadwatch_newcomer, i);
	g_assert_cmpint(n->tid, ==, tid);
	g_assert_cmpuint(n->start_ticks, ==, tid + 1000);
	g_assert_cmpuint(n->created_ns, ==, created_ns);
}

static void test_named_later(void)
{
	struct world *w = world_new(NULL);

	world_thread(w, 100, "kthreadd", PROC_PF_KTHREAD, 'S', SCHED_OTHER);
	g_assert_cmpint(newcomers_add(w->newcomers, 100, 77), ==, 0);
	g_assert_cmpuint(w->told->len, ==, 0);
	for (int i = 0; i < 3; i++)
		g_assert_cmpint(sd_event_run(w->event, 10000), >=, 0);
	g_assert_cmpuint(newcomers_waiting(w->newcomers), ==, 1);
	g_assert_cmpuint(w->told->len, ==, 0);
	world_thread(w, 100, "napi/eth0-17", PROC_PF_KTHREAD, 'S', SCHED_OTHER);
	world_run(w, LONG);
	world_told(w, 0, 100, 77);
	g_assert_cmpuint(w->told->len, ==, 1);
	g_assert_cmpuint(w->unknown, ==, 0);
	world_free(w);
}

static void test_interrupt_policy(void)
{
	struct world *w = world_new(NULL);

	/* its kernel has set its policy: no reason to wait for the end of a grace */
	world_thread(w, 100, "irq/24-ACPI:Ged", PROC_PF_KTHREAD, 'S', SCHED_FIFO);
	world_thread(w, 101, "irq/24-s-ehci_hcd:usb1", PROC_PF_KTHREAD, 'S', SCHED_RR);
	g_assert_cmpint(newcomers_add(w->newcomers, 100, 1), ==, 0);
	g_assert_cmpint(newcomers_add(w->newcomers, 101, 2), ==, 0);
	world_run(w, LONG);
	g_assert_cmpuint(w->told->len, ==, 2);

	/* one that stays as it is is told of at the end of its grace, not before */
	world_thread(w, 102, "irq/25-rtc0", PROC_PF_KTHREAD, 'S', SCHED_OTHER);
	g_assert_cmpint(newcomers_add(w->newcomers, 102, 3), ==, 0);
	g_assert_cmpuint(world_run(w, LONG), >=, 30000);
	world_told(w, 2, 102, 3);
	world_free(w);
}

static void test_dropped(void)
{
	struct world *w = world_new(NULL);

	world_thread(w, 100, "kworker/0:1-events", PROC_PF_KTHREAD, 'I', SCHED_OTHER);
	world_thread(w, 101, "irq/24-eth0", USER_FLAGS, 'S', SCHED_FIFO);
	world_thread(w, 102, "napi/eth0-1", PROC_PF_KTHREAD, 'Z', SCHED_OTHER);
	world_thread(w, 103, "migration/0", PROC_PF_KTHREAD, 'S', SCHED_FIFO);
	/* 104 is not there */
	for (pid_t tid = 100; tid < 105; tid++)
		g_assert_cmpint(newcomers_add(w->newcomers, tid, 1), ==, 0);
	world_run(w, LONG);
	g_assert_cmpuint(newcomers_waiting(w->newcomers), ==, 0);
	g_assert_cmpuint(w->told->len, ==, 0);
	g_assert_cmpuint(w->unknown, ==, 0);
	world_free(w);
}

static void test_cut_name(void)
{
	struct world *w = world_new(NULL);

	world_thread(w, 100, "napi/enp0s31f6-", PROC_PF_KTHREAD, 'S', SCHED_OTHER);
	g_assert_cmpint(newcomers_add(w->newcomers, 100, 5), ==, 0);
	/* one look is not enough: the rest of the name may be on its way */
	while (sd_event_run(w->event, 10000) == 0)
		;
	g_assert_cmpuint(w->told->len, ==, 0);
	g_assert_cmpuint(newcomers_waiting(w->newcomers), ==, 1);
	while (w->told->len == 0 && newcomers_waiting(w->newcomers) == 1)
		g_assert_cmpint(sd_event_run(w->event, 10000), >=, 0);
	world_told(w, 0, 100, 5);
	g_assert_cmpuint(w->told->len, ==, 1);
	world_free(w);
}

/* It has not run yet, and so has not its whole name. */
static void test_not_run_yet(void)
{
	struct world *w = world_new(NULL);

	world_thread(w, 100, "napi/enp0s31f6-", PROC_PF_KTHREAD, 'R', SCHED_OTHER);
	g_assert_cmpint(newcomers_add(w->newcomers, 100, 5), ==, 0);
	for (int looks = 0; looks < 5 && w->told->len == 0;)
		looks += sd_event_run(w->event, 10000) > 0;
	g_assert_cmpuint(w->told->len, ==, 0);
	world_thread(w, 100, "napi/enp0s31f6-8193", PROC_PF_KTHREAD, 'D', SCHED_OTHER);
	g_assert_cmpuint(world_run(w, LONG), <, LONG);
	world_told(w, 0, 100, 5);
	/* a kernel that cuts, and a thread that always runs */
	world_thread(w, 101, "napi/enp0s31f6-", PROC_PF_KTHREAD, 'R', SCHED_OTHER);
	g_assert_cmpint(newcomers_add(w->newcomers, 101, 6), ==, 0);
	g_assert_cmpuint(world_run(w, LONG), <, LONG);
	world_told(w, 1, 101, 6);
	world_free(w);
}

static void test_never_named(void)
{
	struct world *w = world_new(NULL);
	g_autofree char *folder = g_strdup_printf("%s/proc/101/stat", w->root);

	world_thread(w, 100, "kthreadd", PROC_PF_KTHREAD, 'D', SCHED_OTHER);
	g_assert_cmpint(g_mkdir_with_parents(folder, 0755), ==, 0); /* cannot be read */
	g_assert_cmpint(newcomers_add(w->newcomers, 100, 1), ==, 0);
	g_assert_cmpint(newcomers_add(w->newcomers, 101, 1), ==, 0);
	g_assert_cmpuint(world_run(w, LONG), >=, 1000000);
	g_assert_cmpuint(newcomers_waiting(w->newcomers), ==, 0);
	g_assert_cmpuint(w->told->len, ==, 0);
	g_assert_cmpuint(w->unknown, >=, 1);
	world_free(w);
}

static void test_number_again(void)
{
	struct world *w = world_new(NULL);

	world_thread(w, 100, "napi/eth0-1", PROC_PF_KTHREAD, 'S', SCHED_OTHER);
	g_assert_cmpint(newcomers_add(w->newcomers, 100, 1), ==, 0);
	g_assert_cmpint(newcomers_add(w->newcomers, 100, 2), ==, 0);
	g_assert_cmpuint(newcomers_waiting(w->newcomers), ==, 1);
	world_run(w, LONG);
	g_assert_cmpuint(w->told->len, ==, 1);
	world_told(w, 0, 100, 2);
	world_free(w);
}

static void test_bounded(void)
{
	struct world *w = world_new(NULL);

	for (pid_t tid = 1000; tid < 1000 + NEWCOMERS_MAX; tid++)
		g_assert_cmpint(newcomers_add(w->newcomers, tid, 1), ==, 0);
	g_assert_cmpint(newcomers_add(w->newcomers, 999, 1), ==, -ENOSPC);
	g_assert_cmpint(newcomers_add(w->newcomers, 1001, 1), ==, 0); /* waited for already */
	g_assert_cmpuint(newcomers_waiting(w->newcomers), ==, NEWCOMERS_MAX);
	world_run(w, LONG);
	g_assert_cmpuint(newcomers_waiting(w->newcomers), ==, 0);
	g_assert_cmpint(newcomers_add(w->newcomers, 999, 1), ==, 0);
	world_free(w);
}

/* In a PID namespace of its own, 2 is any process, with children perhaps. */
static bool kthreadd_is_2(void)
{
	g_autofree char *text = NULL;
	struct proc_pid_stat st;
	gsize size;

	return g_file_get_contents("/proc/2/stat", &text, &size, NULL) &&
	       proc_pid_stat_parse(text, size, &st) == 0 && st.flags & PROC_PF_KTHREAD;
}

/* Kernel threads that are there: every one is told of or dropped, and at once. */
static void test_real(void)
{
	struct world *w = world_new("/");
	g_autofree char *text = NULL;
	g_autoptr(GArray) ids = NULL;
	gsize size;

	if (!kthreadd_is_2() ||
	    !g_file_get_contents("/proc/2/task/2/children", &text, &size, NULL) || size == 0) {
		g_test_skip("kernel threads are not to be seen here");
		world_free(w);
		return;
	}
	ids = threadlist_parse(text, size);
	g_assert_cmpuint(ids->len, >, 0);
	for (guint i = 0; i < MIN(ids->len, NEWCOMERS_MAX); i++)
		g_assert_cmpint(newcomers_add(w->newcomers, g_array_index(ids, pid_t, i), 0), ==,
				0);
	world_run(w, LONG);
	g_assert_cmpuint(newcomers_waiting(w->newcomers), ==, 0);
	g_assert_cmpuint(w->told->len, >, 0); /* ksoftirqd/0, if nothing else */
	g_assert_cmpuint(w->told->len, <, ids->len);
	for (guint i = 0; i < w->told->len; i++)
		g_assert_cmpint(g_array_index(w->told, struct threadwatch_newcomer, i).tid, >, 2);
	world_free(w);
}

static void check_ids(const GArray *ids, guint n, const pid_t *expected)
{
	g_assert_cmpmem(ids->data, ids->len * sizeof(pid_t), expected, n * sizeof(pid_t));
}

#define CHECK_IDS(ids, ...)                                                                        \
	check_ids(ids, G_N_ELEMENTS(((pid_t[]){ __VA_ARGS__ })), (pid_t[]){ __VA_ARGS__ })

static GArray *parse(const char *text)
{
	return threadlist_parse(text, strlen(text));
}

static void test_list_parse(void)
{
	static const struct {
		const char *text;
		guint n;
	} cases[] = { { "", 0 },       { "x", 0 },	{ "0 1 ", 0 },
		      { "-3 ", 0 },    { "3 4 5 ", 3 }, { "3 4 99999999999 ", 2 },
		      { "3 4\n5", 2 }, { "7", 1 } };
	g_autoptr(GArray) three = parse("3 4 15 ");

	CHECK_IDS(three, 3, 4, 15);
	for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autoptr(GArray) ids = parse(cases[i].text);

		g_assert_cmpuint(ids->len, ==, cases[i].n);
	}
}

static void check_new(const char *before, const char *now, const char *new)
{
	g_autoptr(GArray) a = parse(before), b = parse(now), expected = parse(new);
	g_autoptr(GArray) found = threadlist_compare(a, b);

	check_ids(found, expected->len, (const pid_t *)(void *)expected->data);
}

static void test_list_compare(void)
{
	check_new("3 4 5 ", "3 4 5 ", "");
	check_new("3 4 5 ", "3 5 ", "");
	check_new("3 4 5 ", "", "");
	check_new("", "3 4 ", "3 4 ");
	check_new("3 4 5 ", "3 4 5 9 8 ", "9 8 ");
	check_new("3 4 5 ", "4 9 ", "9 ");
	check_new("3 4 5 ", "3 5 4 ", "4 "); /* 4 has ended, its number was given again */
	check_new("3 4 5 ", "5 3 ", "3 ");
}

static void test_list_read(void)
{
	g_autofree char *root = g_dir_make_tmp("threadlist-XXXXXX", NULL);
	g_autofree char *folder = g_build_filename(root, "proc/2/task/2", NULL);
	g_autofree char *path = g_build_filename(folder, "children", NULL);
	g_autofree char *comm = g_build_filename(root, "proc/2/comm", NULL);
	struct threadlist *l = threadlist_new(root);
	g_autoptr(GArray) first = NULL, second = NULL;

	g_assert_cmpint(threadlist_read(l, &first), ==, -ENOENT);
	g_assert_cmpint(g_mkdir_with_parents(folder, 0755), ==, 0);
	g_assert_true(g_file_set_contents(comm, "kthreadd\n", -1, NULL));
	g_assert_cmpint(threadlist_read(l, &first), ==, -EOPNOTSUPP);
	g_assert_true(g_file_set_contents(path, "3 4 ", -1, NULL));
	g_assert_cmpint(threadlist_read(l, &first), ==, 0);
	CHECK_IDS(first, 3, 4);
	g_assert_true(g_file_set_contents(path, "3 4 6 ", -1, NULL));
	g_assert_cmpint(threadlist_read(l, &second), ==, 0);
	CHECK_IDS(second, 6);
	threadlist_free(l);
	g_remove(path);
	g_remove(comm);
	for (size_t i = strlen(folder); i > strlen(root); i = strrchr(folder, '/') - folder) {
		folder[i] = '\0';
		g_assert_cmpint(g_rmdir(folder), ==, 0);
	}
	g_assert_cmpint(g_rmdir(root), ==, 0);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/newcomers/named-later", test_named_later);
	g_test_add_func("/newcomers/interrupt-policy", test_interrupt_policy);
	g_test_add_func("/newcomers/dropped", test_dropped);
	g_test_add_func("/newcomers/cut-name", test_cut_name);
	g_test_add_func("/newcomers/not-run-yet", test_not_run_yet);
	g_test_add_func("/newcomers/never-named", test_never_named);
	g_test_add_func("/newcomers/number-again", test_number_again);
	g_test_add_func("/newcomers/bounded", test_bounded);
	g_test_add_func("/newcomers/real", test_real);
	g_test_add_func("/threadlist/parse", test_list_parse);
	g_test_add_func("/threadlist/compare", test_list_compare);
	g_test_add_func("/threadlist/read", test_list_read);
	return g_test_run();
}
