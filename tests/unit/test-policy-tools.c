/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * policy_change() and policy_renice() against chrt and renice themselves: two threads of this
 * program go through the same, one by the tools, one by the functions, and everything that can be
 * read of them is compared after each step.
 */
#include "policy.h"

#include <errno.h>
#include <glib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

/* As of Linux 5.3; older kernels fill less of it. */
struct attr {
	struct policy_attr a;
	uint32_t util_min, util_max;
};

struct dummy {
	GThread *thread;
	GMutex lock;
	GCond changed;
	pid_t tid;
	bool over;
};

struct pair {
	struct dummy by_tool, by_us;
};

static void *dummy_run(void *data)
{
	struct dummy *d = data;

	g_mutex_lock(&d->lock);
	d->tid = (pid_t)syscall(SYS_gettid);
	g_cond_broadcast(&d->changed);
	while (!d->over)
		g_cond_wait(&d->changed, &d->lock);
	g_mutex_unlock(&d->lock);
	return NULL;
}

static void dummy_start(struct dummy *d)
{
	g_mutex_init(&d->lock);
	g_cond_init(&d->changed);
	d->thread = g_thread_new("dummy", dummy_run, d);
	g_mutex_lock(&d->lock);
	while (!d->tid)
		g_cond_wait(&d->changed, &d->lock);
	g_mutex_unlock(&d->lock);
}

static void dummy_end(struct dummy *d)
{
	g_mutex_lock(&d->lock);
	d->over = true;
	g_cond_broadcast(&d->changed);
	g_mutex_unlock(&d->lock);
	g_thread_join(d->thread);
	g_mutex_clear(&d->lock);
	g_cond_clear(&d->changed);
}

static void pair_start(struct pair *p, gconstpointer data)
{
	dummy_start(&p->by_tool);
	dummy_start(&p->by_us);
}

static void pair_end(struct pair *p, gconstpointer data)
{
	dummy_end(&p->by_tool);
	dummy_end(&p->by_us);
}

/* Whether the command line (@fmt, blanks between words) ended well. */
static bool tool(char **ret_out, const char *fmt, ...) G_GNUC_PRINTF(2, 3);
static bool tool(char **ret_out, const char *fmt, ...)
{
	g_autofree char *line = NULL, *err = NULL, *out = NULL;
	g_auto(GStrv) argv = NULL;
	GError *error = NULL;
	va_list ap;
	int status;

	va_start(ap, fmt);
	line = g_strdup_vprintf(fmt, ap);
	va_end(ap);
	argv = g_strsplit(line, " ", -1);
	g_spawn_sync(NULL, argv, NULL, G_SPAWN_SEARCH_PATH, NULL, NULL, &out, &err, &status,
		     &error);
	g_assert_no_error(error);
	if (ret_out)
		*ret_out = g_steal_pointer(&out);
	return status == 0;
}

/* What `ps` says of a thread, but for its number. */
static char *ps_line(pid_t tid)
{
	g_autofree char *out = NULL, *number = g_strdup_printf("%d", tid);
	g_auto(GStrv) lines = NULL;

	g_assert_true(tool(&out, "ps -L -o tid=,cls=,rtprio=,ni= -p %d", getpid()));
	lines = g_strsplit(out, "\n", -1);
	for (char **l = lines; *l; l++) {
		char *at = g_strstrip(*l);

		if (g_str_has_prefix(at, number) && at[strlen(number)] == ' ')
			return g_strdup(at + strlen(number));
	}
	g_assert_not_reached();
}

/* What `chrt -p` says, its sentences without the number. */
static char *chrt_text(pid_t tid)
{
	g_autofree char *out = NULL, *number = g_strdup_printf("pid %d's", tid);
	g_auto(GStrv) parts = NULL;

	g_assert_true(tool(&out, "chrt -p %d", tid));
	parts = g_strsplit(out, number, -1);
	return g_strjoinv("pid", parts);
}

static void read_attr(pid_t tid, struct attr *ret)
{
	memset(ret, 0, sizeof(*ret));
	g_assert_cmpint(syscall(SYS_sched_getattr, tid, ret, sizeof(*ret), 0), ==, 0);
}

static void pair_compare(struct pair *p)
{
	pid_t a = p->by_tool.tid, b = p->by_us.tid;
	g_autofree char *ps_a = ps_line(a), *ps_b = ps_line(b);
	g_autofree char *chrt_a = chrt_text(a), *chrt_b = chrt_text(b);
	struct policy_state state_a, state_b;
	struct attr attr_a, attr_b;

	g_assert_cmpstr(ps_a, ==, ps_b);
	g_assert_cmpstr(chrt_a, ==, chrt_b);
	read_attr(a, &attr_a);
	read_attr(b, &attr_b);
	g_assert_cmpmem(&attr_a, sizeof(attr_a), &attr_b, sizeof(attr_b));
	g_assert_cmpint(getpriority(PRIO_PROCESS, a), ==, getpriority(PRIO_PROCESS, b));
	g_assert_cmpint(policy_read(a, &state_a), ==, 0);
	g_assert_cmpint(policy_read(b, &state_b), ==, 0);
	g_assert_cmpint(state_a.policy, ==, state_b.policy);
	g_assert_cmpuint(state_a.priority, ==, state_b.priority);
	g_assert_cmpint(state_a.nice, ==, state_b.nice);
	g_assert_cmpint(state_a.reset_on_fork, ==, state_b.reset_on_fork);
}

static void pair_chrt(struct pair *p, int policy, int priority, bool reset)
{
	static const char *const options[] = { [SCHED_OTHER] = "-o",
					       [SCHED_BATCH] = "-b",
					       [SCHED_IDLE] = "-i",
					       [SCHED_FIFO] = "-f",
					       [SCHED_RR] = "-r" };
	bool done = tool(NULL, "chrt%s %s -p %d %d", reset ? " -R" : "", options[policy], priority,
			 p->by_tool.tid);
	int r = policy_change(p->by_us.tid, policy, (unsigned)priority, reset);

	g_test_message("chrt %s %d%s: %s, %d", options[policy], priority, reset ? " -R" : "",
		       done ? "done" : "refused", r);
	g_assert_cmpint(r == 0, ==, done);
	pair_compare(p);
}

static void pair_renice(struct pair *p, int nice)
{
	bool done = tool(NULL, "renice -n %d -p %d", nice, p->by_tool.tid);
	int r = policy_renice(p->by_us.tid, nice);

	g_test_message("renice %d: %s, %d", nice, done ? "done" : "refused", r);
	g_assert_cmpint(r == 0, ==, done);
	pair_compare(p);
}

static bool no_tools(void)
{
	static const char *const names[] = { "chrt", "renice", "ps" };

	for (size_t i = 0; i < G_N_ELEMENTS(names); i++) {
		g_autofree char *path = g_find_program_in_path(names[i]);

		if (!path) {
			g_test_skip("chrt, renice or ps is not installed here");
			return true;
		}
	}
	return false;
}

/* Every policy after every other, with nice from before, with and without reset-on-fork. */
static void test_all(struct pair *p, gconstpointer data)
{
	static const struct {
		int policy, priority;
		bool reset;
	} steps[] = {
		{ SCHED_OTHER, 0, false }, { SCHED_BATCH, 0, false }, { SCHED_IDLE, 0, false },
		{ SCHED_OTHER, 0, true },  { SCHED_OTHER, 0, false }, { SCHED_FIFO, 1, false },
		{ SCHED_RR, 33, false },   { SCHED_FIFO, 99, true },  { SCHED_FIFO, 98, false },
		{ SCHED_IDLE, 0, false },  { SCHED_RR, 1, true },     { SCHED_BATCH, 0, true },
		{ SCHED_RR, 99, false },   { SCHED_OTHER, 0, false }, { SCHED_FIFO, 50, false },
	};

	if (no_tools())
		return;
	pair_renice(p, 5);
	for (size_t i = 0; i < G_N_ELEMENTS(steps); i++)
		pair_chrt(p, steps[i].policy, steps[i].priority, steps[i].reset);
}

/* The nice of a fifo thread does nothing until the policy changes, and is there then. */
static void test_nice(struct pair *p, gconstpointer data)
{
	struct policy_state got;

	if (no_tools())
		return;
	for (int nice = -20; nice <= 19; nice += 13)
		pair_renice(p, nice);
	pair_chrt(p, SCHED_FIFO, 7, false);
	pair_renice(p, 19);
	if (geteuid() == 0)
		pair_renice(p, 11);
	g_assert_cmpint(policy_read(p->by_us.tid, &got), ==, 0);
	if (geteuid() == 0) {
		g_assert_cmpint(got.policy, ==, SCHED_FIFO);
		g_assert_cmpint(got.nice, ==, 11);
	}
	pair_chrt(p, SCHED_OTHER, 0, false);
	pair_chrt(p, SCHED_IDLE, 0, false);
	pair_renice(p, 12);
	pair_renice(p, 12);
	pair_chrt(p, SCHED_BATCH, 0, false);
}

static void test_ranges(struct pair *p, gconstpointer data)
{
	static const int policies[] = { SCHED_OTHER, SCHED_BATCH, SCHED_IDLE, SCHED_FIFO,
					SCHED_RR };
	static const int priorities[] = { 0, 1, 99, 100, 1000000 };
	struct policy_state got;

	if (no_tools())
		return;
	for (size_t i = 0; i < G_N_ELEMENTS(policies); i++)
		for (size_t k = 0; k < G_N_ELEMENTS(priorities); k++)
			pair_chrt(p, policies[i], priorities[k], false);
	/* renice would cut them: a wrong number is told instead */
	g_assert_cmpint(policy_read(p->by_us.tid, &got), ==, 0);
	g_assert_cmpint(policy_renice(p->by_us.tid, got.nice), ==, 0);
	g_assert_cmpint(policy_renice(p->by_us.tid, 20), ==, -EINVAL);
	g_assert_cmpint(policy_renice(p->by_us.tid, -21), ==, -EINVAL);
	pair_compare(p);
}

/* What the tools know nothing of is left alone by both: the slice (6.12), util clamps (5.3). */
static void test_untold(struct pair *p, gconstpointer data)
{
	struct attr a = { .a = { .size = sizeof(struct policy_attr),
				 .policy = SCHED_OTHER,
				 .runtime_ns = 7000000 } },
		    got;

	if (no_tools())
		return;
	g_assert_cmpint(syscall(SYS_sched_setattr, p->by_tool.tid, &a, 0), ==, 0);
	g_assert_cmpint(syscall(SYS_sched_setattr, p->by_us.tid, &a, 0), ==, 0);
	a.a.size = sizeof(a);
	a.a.flags = 0x08 | 0x10 | 0x20 | 0x40; /* keep policy and parameters; both clamps */
	a.util_min = 100;
	a.util_max = 900;
	if (syscall(SYS_sched_setattr, p->by_tool.tid, &a, 0) < 0 ||
	    syscall(SYS_sched_setattr, p->by_us.tid, &a, 0) < 0)
		g_test_message("no util clamps here: %s", g_strerror(errno));
	pair_compare(p);
	pair_chrt(p, SCHED_BATCH, 0, false);
	pair_renice(p, 3);
	pair_chrt(p, SCHED_FIFO, 2, true);
	pair_renice(p, 4);
	pair_chrt(p, SCHED_OTHER, 0, false);
	if (geteuid() != 0)
		return;
	read_attr(p->by_us.tid, &got);
	if (got.a.runtime_ns != 0) /* a kernel that has slices */
		g_assert_cmpuint(got.a.runtime_ns, ==, 7000000);
}

static void test_refused(struct pair *p, gconstpointer data)
{
	struct policy_state got = { .nice = 55 };

	g_assert_cmpint(policy_change(p->by_us.tid, -1, 0, false), ==, -EINVAL);
	g_assert_cmpint(policy_change(p->by_us.tid, 77, 0, false), ==, -EINVAL);
	g_assert_cmpint(policy_change(p->by_us.tid, SCHED_DEADLINE, 0, false), ==, -EINVAL);
	/* would be reset-on-fork, if it went to the kernel */
	g_assert_cmpint(policy_change(p->by_us.tid, SCHED_RESET_ON_FORK, 0, false), ==, -EINVAL);
	/* above every possible thread id */
	g_assert_cmpint(policy_read(0x7ffffff0, &got), ==, -ESRCH);
	g_assert_cmpint(policy_change(0x7ffffff0, SCHED_OTHER, 0, false), ==, -ESRCH);
	g_assert_cmpint(policy_renice(0x7ffffff0, 0), ==, -ESRCH);
	g_assert_cmpint(got.nice, ==, 55);
	g_assert_cmpint(policy_read(p->by_us.tid, &got), ==, 0);
	g_assert_false(got.reset_on_fork);
	g_assert_cmpint(got.policy, ==, SCHED_OTHER);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
#define ADD(name, fn) g_test_add("/policy-tools/" name, struct pair, NULL, pair_start, fn, pair_end)
	ADD("all", test_all);
	ADD("nice", test_nice);
	ADD("ranges", test_ranges);
	ADD("untold", test_untold);
	ADD("refused", test_refused);
	return g_test_run();
}
