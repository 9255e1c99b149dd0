/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * As a fallback: a desktop session has an agent of its own, which goes first. It stays in our
 * process group, because only the foreground may read a terminal, and dies with us.
 */
#include "agent.h"

#include <errno.h>
#include <fcntl.h>
#include <glib.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define AGENT_READY_MS 5000

/* In the child: never returns. @fd is closed by the agent when it is ready. */
static void agent_run(const char *path, int fd, pid_t parent)
{
	g_autofree char *notify = g_strdup_printf("--notify-fd=%d", fd);

	(void)prctl(PR_SET_PDEATHSIG, SIGTERM);
	if (getppid() != parent)
		_exit(0);
	(void)fcntl(fd, F_SETFD, 0);
	(void)execl(path, path, notify, "--fallback", NULL);
	_exit(127);
}

static void agent_wait_ready(int fd)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };

	while (poll(&p, 1, AGENT_READY_MS) < 0 && errno == EINTR)
		;
}

void agent_open(struct agent *a)
{
	g_autofree char *path = NULL;
	pid_t self = getpid();
	int fds[2];

	*a = (struct agent){ 0 };
	if (geteuid() == 0 || !isatty(STDIN_FILENO) || !isatty(STDERR_FILENO))
		return;
	path = g_find_program_in_path("pkttyagent");
	if (!path || pipe2(fds, O_CLOEXEC) < 0)
		return;
	a->pid = fork();
	if (a->pid == 0)
		agent_run(path, fds[1], self);
	(void)close(fds[1]);
	if (a->pid > 0)
		agent_wait_ready(fds[0]);
	else
		a->pid = 0;
	(void)close(fds[0]);
}

void agent_close(struct agent *a)
{
	if (!a->pid)
		return;
	(void)kill(a->pid, SIGTERM);
	(void)kill(a->pid, SIGCONT); /* it may be stopped, waiting for the terminal */
	while (waitpid(a->pid, NULL, 0) < 0 && errno == EINTR)
		;
	a->pid = 0;
}
