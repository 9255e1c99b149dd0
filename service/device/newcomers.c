/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Why looking again and no event: nothing tells of a kernel thread's name (process events of names
 * are for those who name themselves) or policy. It takes the kernel well under a millisecond, so
 * the first looks are close together; after that its maker waits for something, a CPU most likely.
 *
 * One file is read per look, /proc/TID/stat, which has all of it: name, flags, policy, start time.
 * Nearly all newcomers are kworkers, and cost one or two looks. One timer serves all.
 */
#include "newcomers.h"

#include "cleanup.h"
#include "kthread.h"
#include "proc-pid.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <string.h>

#define USEC_PER_MSEC	  UINT64_C(1000)
#define NEWCOMERS_SLOWEST 256 /* ms between two looks, at most */
#define NEWCOMERS_LOOKS	  13  /* a nameless one: 1 + 2 + ... + 256 + 256 ... ms: 1.5 s */
#define NEWCOMERS_TIMELY  100 /* microseconds that the timer may be late */
#define NEWCOMERS_CUT	  300 /* ms that the rest of a name is waited for */

struct newcomer {
	struct threadwatch_newcomer told;
	uint64_t due_usec;   /* CLOCK_MONOTONIC of the next look */
	uint64_t named_usec; /* when it was first seen with a name; 0: not yet */
	unsigned looks;	     /* since it came or was named */
};

struct newcomers {
	sd_event *event;
	const char *root;
	newcomers_news_t news;
	void *userdata;
	sd_event_source *timer;
	GArray *waiting; /* of struct newcomer */
};

enum newcomer_state {
	NEWCOMER_GONE, /* or nobody's business */
	NEWCOMER_SETTLED,
	NEWCOMER_NAMELESS,
	NEWCOMER_NAMED, /* but maybe not with its whole name or its policy yet */
	NEWCOMER_UNREADABLE,
};

static int newcomers_read(const char *root, pid_t tid, struct proc_pid_stat *ret)
{
	g_autofree char *path = g_strdup_printf("%s/proc/%d/stat", root, tid);
	g_auto(fd_t) fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	char text[1024];
	ssize_t n;

	if (fd < 0)
		return -errno;
	n = read(fd, text, sizeof(text));
	return n < 0 ? -errno : proc_pid_stat_parse(text, n, ret);
}

/* How long after it was named the kernel may take to give it its policy, in ms. */
static unsigned newcomer_grace(enum kthread_kind kind)
{
	switch (kind) {
	case KTHREAD_IRQ: /* when its first handler is there */
		return 30;
	case KTHREAD_KTIMERS: /* of a CPU that comes up: when it is up */
	case KTHREAD_RCU:
	case KTHREAD_IRQ_WORK:
		return 200;
	default:
		return 0;
	}
}

/*
 * Kernels before 5.17 cut for good, those from 6.4 on until the thread has run for the first time,
 * and until then it is 'R'.
 */
static bool newcomer_is_cut(const struct newcomer *c, const struct proc_pid_stat *s, uint64_t now)
{
	if (!kthread_name_is_cut(s->comm))
		return false;
	return c->named_usec == 0 ||
	       (s->state == 'R' && now < c->named_usec + NEWCOMERS_CUT * USEC_PER_MSEC);
}

static enum newcomer_state newcomer_judge(const struct newcomer *c, const struct proc_pid_stat *s,
					  uint64_t now)
{
	struct kthread_name name;
	uint64_t grace;

	if (!(s->flags & PROC_PF_KTHREAD) || s->state == 'Z' || s->state == 'X')
		return NEWCOMER_GONE;
	if (strcmp(s->comm, "kthreadd") == 0)
		return NEWCOMER_NAMELESS;
	kthread_name_parse(s->comm, &name);
	if (!kthread_kind_namable(name.kind))
		return NEWCOMER_GONE;
	if (newcomer_is_cut(c, s, now))
		return NEWCOMER_NAMED;
	grace = newcomer_grace(name.kind) * USEC_PER_MSEC;
	if (grace == 0 || s->policy != SCHED_OTHER)
		return NEWCOMER_SETTLED;
	return c->named_usec != 0 && now >= c->named_usec + grace ? NEWCOMER_SETTLED
								  : NEWCOMER_NAMED;
}

static enum newcomer_state newcomer_look(struct newcomers *n, struct newcomer *c, uint64_t now)
{
	struct proc_pid_stat s;
	enum newcomer_state state;
	int r = newcomers_read(n->root, c->told.tid, &s);

	if (r == -ENOENT || r == -ESRCH)
		return NEWCOMER_GONE;
	if (r < 0)
		return NEWCOMER_UNREADABLE;
	c->told.start_ticks = s.start_ticks;
	state = newcomer_judge(c, &s, now);
	if (state == NEWCOMER_NAMED && c->named_usec == 0) {
		c->named_usec = now;
		c->looks = 0;
	}
	return state;
}

static void newcomer_again(struct newcomer *c, uint64_t now)
{
	uint64_t wait = MIN(UINT64_C(1) << MIN(c->looks, 16), NEWCOMERS_SLOWEST);

	/* whoever has its name needs little more: the look that ends its grace is not late */
	if (c->named_usec != 0)
		wait = MIN(wait, 8);
	c->looks++;
	c->due_usec = now + wait * USEC_PER_MSEC;
}

static int newcomers_arm(struct newcomers *n)
{
	uint64_t due = UINT64_MAX;
	int r;

	for (guint i = 0; i < n->waiting->len; i++)
		due = MIN(due, g_array_index(n->waiting, struct newcomer, i).due_usec);
	if (due == UINT64_MAX)
		return sd_event_source_set_enabled(n->timer, SD_EVENT_OFF);
	r = sd_event_source_set_time(n->timer, due);
	return r < 0 ? r : sd_event_source_set_enabled(n->timer, SD_EVENT_ONESHOT);
}

/* One that has a name is waited for until it settles; one without, or unreadable, for so long. */
static bool newcomer_waits(const struct newcomer *c, enum newcomer_state state)
{
	return state == NEWCOMER_NAMED ||
	       ((state == NEWCOMER_NAMELESS || state == NEWCOMER_UNREADABLE) &&
		c->looks < NEWCOMERS_LOOKS);
}

/* Look at all that are due. @settled: gets those to tell of. true: some are not known. */
static bool newcomers_step(struct newcomers *n, uint64_t now, GArray *settled)
{
	bool unknown = false;

	for (guint i = n->waiting->len; i > 0; i--) {
		struct newcomer *c = &g_array_index(n->waiting, struct newcomer, i - 1);
		enum newcomer_state state;

		if (c->due_usec > now)
			continue;
		state = newcomer_look(n, c, now);
		if (newcomer_waits(c, state)) {
			newcomer_again(c, now);
			continue;
		}
		if (state == NEWCOMER_SETTLED)
			g_array_append_val(settled, c->told);
		else if (state != NEWCOMER_GONE)
			unknown = true;
		g_array_remove_index_fast(n->waiting, i - 1);
	}
	return unknown;
}

/*
 * Those to tell of are taken off the list first and told of last, since who hears of them may add
 * more.
 */
static int on_newcomers(sd_event_source *s, uint64_t usec, void *userdata)
{
	struct newcomers *n = userdata;
	g_autoptr(GArray) settled = g_array_new(FALSE, FALSE, sizeof(struct threadwatch_newcomer));
	bool unknown;
	uint64_t now;
	int r;

	r = sd_event_now(n->event, CLOCK_MONOTONIC, &now);
	if (r < 0)
		return r;
	unknown = newcomers_step(n, now, settled);
	r = newcomers_arm(n);
	for (guint i = 0; i < settled->len; i++)
		n->news(&g_array_index(settled, struct threadwatch_newcomer, i), n->userdata);
	if (unknown)
		n->news(NULL, n->userdata);
	return r;
}

int newcomers_add(struct newcomers *n, pid_t tid, uint64_t created_ns)
{
	struct newcomer c = { .told = { .tid = tid, .created_ns = created_ns } };
	guint i = 0;
	int r;

	r = sd_event_now(n->event, CLOCK_MONOTONIC, &c.due_usec);
	if (r < 0)
		return r;
	while (i < n->waiting->len && g_array_index(n->waiting, struct newcomer, i).told.tid != tid)
		i++;
	if (i >= NEWCOMERS_MAX)
		return -ENOSPC;
	if (i < n->waiting->len)
		g_array_index(n->waiting, struct newcomer, i) = c;
	else
		g_array_append_val(n->waiting, c);
	return newcomers_arm(n);
}

unsigned newcomers_waiting(const struct newcomers *n)
{
	return n->waiting->len;
}

int newcomers_new(sd_event *event, const char *root, newcomers_news_t news, void *userdata,
		  struct newcomers **ret)
{
	struct newcomers *n = g_new0(struct newcomers, 1);
	int r;

	n->event = sd_event_ref(event);
	n->root = root;
	n->news = news;
	n->userdata = userdata;
	n->waiting = g_array_new(FALSE, FALSE, sizeof(struct newcomer));
	r = sd_event_add_time(event, &n->timer, CLOCK_MONOTONIC, 0, NEWCOMERS_TIMELY, on_newcomers,
			      n);
	if (r >= 0)
		r = sd_event_source_set_enabled(n->timer, SD_EVENT_OFF);
	if (r < 0) {
		newcomers_free(n);
		return r;
	}
	*ret = n;
	return 0;
}

struct newcomers *newcomers_free(struct newcomers *n)
{
	if (!n)
		return NULL;
	sd_event_source_disable_unref(n->timer);
	sd_event_unref(n->event);
	g_array_unref(n->waiting);
	g_free(n);
	return NULL;
}
