/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Why a program and not a function of ours: what a calendar expression means is what the timer's
 * own systemd makes of it, leap years, time zones and all.
 *
 * What it prints is read when a time was asked for, of one expression: a few lines, far less than a
 * pipe holds. It gets an environment of its own: language and colours are not to be guessed.
 */
#include "analyze.h"

#include "cleanup.h"
#include "clock.h"
#include "command.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#define ANALYZE_NS	 (10 * NSEC_PER_SEC)
#define ANALYZE_TEXT_MAX 65536

struct analyze {
	analyze_done_t done;
	void *userdata;
	pid_t pid; /* 0: ended and waited for */
	fd_t fd;
	sd_event_source *exited, *timeout;
};

struct analyze *analyze_free(struct analyze *a)
{
	if (!a)
		return NULL;
	sd_event_source_disable_unref(a->exited);
	sd_event_source_disable_unref(a->timeout);
	if (a->pid > 0) {
		(void)kill(a->pid, SIGKILL);
		(void)waitpid(a->pid, NULL, 0); /* at once: it was killed */
	}
	fd_close(a->fd);
	g_free(a);
	return NULL;
}

/* It has ended: all that it wrote is in the pipe. */
static void analyze_tell(struct analyze *a, int r)
{
	g_autofree char *text = g_malloc(ANALYZE_TEXT_MAX);
	size_t size = 0;
	ssize_t n;

	while (r >= 0 && a->fd >= 0 && size < ANALYZE_TEXT_MAX &&
	       (n = read(a->fd, text + size, ANALYZE_TEXT_MAX - size)) > 0)
		size += (size_t)n;
	a->done(r, text, size, a->userdata);
}

static int on_analyze_exit(sd_event_source *src, const siginfo_t *si, void *userdata)
{
	struct analyze *a = userdata;

	a->pid = 0;
	a->timeout = sd_event_source_disable_unref(a->timeout);
	if (si->si_code != CLD_EXITED)
		analyze_tell(a, -EIO);
	else
		analyze_tell(a, si->si_status == 0 ? 0 : 1);
	return 0;
}

static int on_analyze_timeout(sd_event_source *src, uint64_t usec, void *userdata)
{
	struct analyze *a = userdata;

	a->done(-ETIMEDOUT, "", 0, a->userdata);
	return 0;
}

/* Signals as a new program expects them: the daemon blocks some. */
static int analyze_spawn(const char *path, char **argv, char **env, int out, pid_t *ret_pid)
{
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attributes;
	sigset_t none, all;
	int r;

	sigemptyset(&none);
	sigfillset(&all);
	(void)posix_spawnattr_init(&attributes); /* these four cannot fail on Linux */
	(void)posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
	(void)posix_spawnattr_setsigmask(&attributes, &none);
	(void)posix_spawnattr_setsigdefault(&attributes, &all);
	(void)posix_spawn_file_actions_init(&actions);
	r = posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDWR, 0);
	if (r == 0)
		r = posix_spawn_file_actions_adddup2(&actions, out >= 0 ? out : 0, 1);
	if (r == 0)
		r = posix_spawn_file_actions_adddup2(&actions, 0, 2);
	if (r == 0)
		r = posix_spawn(ret_pid, path, &actions, &attributes, argv, env);
	posix_spawn_file_actions_destroy(&actions);
	posix_spawnattr_destroy(&attributes);
	return -r;
}

static int analyze_pipe(struct analyze *a, int *ret_out)
{
	int fds[2];

	if (pipe2(fds, O_CLOEXEC) < 0)
		return -errno;
	a->fd = fds[0];
	*ret_out = fds[1];
	/* this end alone: nobody else may keep us waiting */
	return fcntl(a->fd, F_SETFL, O_NONBLOCK) < 0 ? -errno : 0;
}

static int analyze_run(struct analyze *a, const char *path, const char *const *texts,
		       uint64_t base_usec)
{
	g_autofree char *base =
		g_strdup_printf("--base-time=@%" G_GUINT64_FORMAT, base_usec / G_USEC_PER_SEC);
	const char *zone = getenv("TZ");
	g_autofree char *zone_is = zone ? g_strconcat("TZ=", zone, NULL) : NULL;
	char *env[] = { (char *)"LC_ALL=C", (char *)"SYSTEMD_COLORS=0",
			(char *)"PATH=" COMMAND_PATH, zone_is, NULL };
	g_autoptr(GPtrArray) argv = g_ptr_array_new();
	g_auto(fd_t) out = -1;
	int r = base_usec ? analyze_pipe(a, &out) : 0;

	if (r < 0)
		return r;
	g_ptr_array_add(argv, (char *)"systemd-analyze");
	g_ptr_array_add(argv, (char *)"calendar");
	if (base_usec)
		g_ptr_array_add(argv, base);
	g_ptr_array_add(argv, (char *)"--");
	for (; *texts; texts++)
		g_ptr_array_add(argv, (char *)*texts);
	g_ptr_array_add(argv, NULL);
	return analyze_spawn(path, (char **)argv->pdata, env, out, &a->pid);
}

int analyze_start(sd_event *event, const char *const *texts, uint64_t base_usec,
		  analyze_done_t done, void *userdata, struct analyze **ret)
{
	g_autofree char *path = NULL;
	struct analyze *a;
	int r;

	if (command_find("systemd-analyze", &path) < 0)
		return -ENOENT;
	a = g_new0(struct analyze, 1);
	a->done = done;
	a->userdata = userdata;
	a->fd = -1;
	r = analyze_run(a, path, texts, base_usec);
	if (r >= 0)
		r = sd_event_add_child(event, &a->exited, a->pid, WEXITED, on_analyze_exit, a);
	if (r >= 0)
		r = clock_timer(event, &a->timeout, ANALYZE_NS, on_analyze_timeout, a);
	if (r < 0) {
		analyze_free(a);
		return r;
	}
	*ret = a;
	return 0;
}
