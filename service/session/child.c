/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Why posix_spawn(): the daemon has a worker thread and hundreds of pages of its own; vfork
 * semantics copy neither, and between fork and exec none of our code runs.
 *
 * The order travels in a pipe, which has room for all of it: a child that never reads leaves nobody
 * blocked, and one that has to wait for its unit waits at its first line, without a thread or a
 * page that would have to be moved with it. When the daemon dies meanwhile the pipe is closed and
 * the child ends.
 */
#include "child.h"

#include "cage.h"
#include "cleanup.h"
#include "clock.h"
#include "log.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define CHILD_PATIENCE_NS (500 * NSEC_PER_MSEC)

struct child {
	sd_event *event; /* borrowed */
	pid_t pid;	 /* 0: reaped */
	child_ended_t ended;
	void *userdata;
	sd_event_source *exit_source, *kill_timer;
	bool asked, killed;
	uint64_t killed_ns;
	/* until its unit is there */
	const struct cage *cage; /* NULL: none */
	struct cage_unit *unit;
	void (*outside)(const char *why, void *userdata);
	struct order order;
	int order_fds[2]; /* -1: it has its order, or gets none */
};

/* A child without its order reads the end of the pipe, and ends. */
static void child_close_order(struct child *c)
{
	for (int i = 0; i < 2; i++)
		fd_close(fd_steal(&c->order_fds[i]));
}

/* The reading end is open here until then: no SIGPIPE comes of a child that has ended. */
static int child_give_order(struct child *c)
{
	int r;

	if (c->order_fds[1] < 0)
		return 0;
	r = order_write(c->order_fds[1], &c->order);
	child_close_order(c);
	return r;
}

/*
 * Descriptors are moved out of the way first: dup2() onto 3 must not close the one that has to
 * become 4.
 */
static int child_fd_high(int fd)
{
	int high = fcntl(fd, F_DUPFD_CLOEXEC, 16);

	return high < 0 ? -errno : high;
}

static int child_actions(posix_spawn_file_actions_t *a, int order_fd, int region_fd)
{
	return -(posix_spawn_file_actions_addopen(a, STDIN_FILENO, "/dev/null", O_RDONLY, 0) ?:
		 posix_spawn_file_actions_adddup2(a, STDERR_FILENO, STDOUT_FILENO) ?:
		 posix_spawn_file_actions_adddup2(a, order_fd, 3) ?:
		 posix_spawn_file_actions_adddup2(a, region_fd, 4) ?:
		 posix_spawn_file_actions_addclosefrom_np(a, 5));
}

/* All signals at their default and none blocked; a process group of its own, out of reach of ^C. */
static int child_attributes(posix_spawnattr_t *a)
{
	sigset_t none, all;

	sigemptyset(&none);
	sigfillset(&all);
	return -(posix_spawnattr_setflags(a, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF |
						     POSIX_SPAWN_SETPGROUP) ?:
		 posix_spawnattr_setsigmask(a, &none) ?:
		 posix_spawnattr_setsigdefault(a, &all) ?:
		 posix_spawnattr_setpgroup(a, 0));
}

static int child_spawn(const char *path, int order_fd, int region_fd, pid_t *ret)
{
	char *argv[] = { (char *)"lrtbf-measure", (char *)"--order-fd=3", (char *)"--region-fd=4",
			 NULL };
	g_auto(fd_t) order_high = child_fd_high(order_fd);
	g_auto(fd_t) region_high = child_fd_high(region_fd);
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attr;
	int r;

	if (order_high < 0 || region_high < 0)
		return order_high < 0 ? order_high : region_high;
	posix_spawn_file_actions_init(&actions);
	posix_spawnattr_init(&attr);
	r = child_actions(&actions, order_high, region_high);
	if (r == 0)
		r = child_attributes(&attr);
	if (r == 0)
		r = -posix_spawn(ret, path, &actions, &attr, argv, environ);
	posix_spawnattr_destroy(&attr);
	posix_spawn_file_actions_destroy(&actions);
	return r;
}

static int on_child_exit(sd_event_source *src, const siginfo_t *si, void *userdata)
{
	struct child *c = userdata;
	struct child_end end = {
		.code = si->si_code,
		.status = si->si_status,
		.asked = c->asked,
		.killed = c->killed,
		.mono_ns = c->killed ? c->killed_ns : clock_mono_ns(),
	};

	c->pid = 0;
	c->kill_timer = sd_event_source_disable_unref(c->kill_timer);
	c->ended(&end, c->userdata);
	return 0;
}

/* --- its unit --- */

static void child_stays_outside(struct child *c, const char *why)
{
	if (!c->asked)
		c->outside(why, c->userdata);
}

static void on_child_unit(int r, const char *why, void *userdata)
{
	struct child *c = userdata;

	if (r < 0 && r != -EOPNOTSUPP)
		child_stays_outside(c, why);
	r = child_give_order(c);
	if (r < 0) {
		log_warning("The order for lrtbf-measure cannot be written, killing it: %s",
			    g_strerror(-r));
		child_kill(c);
	}
}

static int child_enter(struct child *c, const struct child_params *p)
{
	const struct cage_scope scope = {
		.name = p->unit,
		.description = p->description,
		.pid = c->pid,
	};
	int r;

	if (!p->cage)
		return child_give_order(c);
	c->cage = p->cage;
	r = c->cage->scope(c->cage->userdata, &scope, on_child_unit, c, &c->unit);
	if (r == 0)
		return 0;
	child_stays_outside(c, g_strerror(-r));
	return child_give_order(c);
}

/* --- from outside --- */

static struct child *child_new(const struct child_params *p)
{
	struct child *c = g_new0(struct child, 1);

	c->event = p->event;
	c->ended = p->ended;
	c->outside = p->outside;
	c->userdata = p->userdata;
	c->order = *p->order;
	c->order.parent_pid = getpid();
	c->order_fds[0] = c->order_fds[1] = -1;
	return c;
}

int child_start(const struct child_params *p, struct child **ret, char **ret_message)
{
	struct child *c = child_new(p);
	int r;

	r = pipe2(c->order_fds, O_CLOEXEC) < 0 ? -errno : 0;
	if (r == 0)
		r = child_spawn(p->path, c->order_fds[0], p->region_fd, &c->pid);
	if (r < 0) {
		*ret_message =
			g_strdup_printf("%s cannot be started: %s.", p->path, g_strerror(-r));
		child_free(c);
		return r;
	}
	r = sd_event_add_child(c->event, &c->exit_source, c->pid, WEXITED, on_child_exit, c);
	if (r >= 0)
		r = child_enter(c, p);
	if (r < 0) {
		*ret_message =
			g_strdup_printf("lrtbf-measure cannot be watched: %s.", g_strerror(-r));
		child_free(c);
		return r;
	}
	*ret = c;
	return 0;
}

void child_kill(struct child *c)
{
	c->asked = true;
	if (c->pid <= 0 || c->killed)
		return;
	c->killed = true;
	c->killed_ns = clock_mono_ns();
	(void)kill(c->pid, SIGKILL); /* not reaped yet: the pid is ours */
}

static int on_child_patience(sd_event_source *src, uint64_t usec, void *userdata)
{
	child_kill(userdata);
	return 0;
}

void child_stop(struct child *c)
{
	int r;

	if (c->pid <= 0 || c->asked)
		return;
	c->asked = true;
	(void)kill(c->pid, SIGTERM);
	child_close_order(c);
	r = clock_timer(c->event, &c->kill_timer, CHILD_PATIENCE_NS, on_child_patience, c);
	if (r < 0) {
		log_warning("No timer for the end of lrtbf-measure, killing it at once: %s",
			    g_strerror(-r));
		child_kill(c);
	}
}

struct child *child_free(struct child *c)
{
	if (!c)
		return NULL;
	sd_event_source_disable_unref(c->exit_source);
	sd_event_source_disable_unref(c->kill_timer);
	if (c->pid > 0) {
		(void)kill(c->pid, SIGKILL);
		while (waitpid(c->pid, NULL, 0) < 0 && errno == EINTR)
			;
	}
	child_close_order(c);
	if (c->unit)
		c->cage->leave(c->unit);
	g_free(c);
	return NULL;
}

char *child_end_text(const struct child_end *end)
{
	const char *name;

	if (end->code == CLD_EXITED)
		return g_strdup_printf("ended with status %d", end->status);
	name = sigabbrev_np(end->status);
	return g_strdup_printf("was killed by signal %d (SIG%s)", end->status, name ?: "?");
}
