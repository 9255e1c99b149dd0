/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The user leaving the pager early is no error: SIGPIPE is ignored while one runs, and what was not
 * read is dropped. Ctrl-C belongs to the pager. It is told to run no commands (LESSSECURE): root's
 * lrtbfctl shall not become a root shell by way of '!'.
 */
#include "pager.h"

#include <errno.h>
#include <fcntl.h>
#include <glib.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *pager_command(void)
{
	const char *p = getenv("LRTBF_PAGER");

	if (!p)
		p = getenv("PAGER");
	if (!p)
		return "less";
	return *p && strcmp(p, "cat") != 0 ? p : NULL;
}

/* In the child: never returns. A pager that is not there: the text as it is. */
static void pager_run(const char *command, int fd)
{
	(void)dup2(fd, STDIN_FILENO);
	(void)setenv("LESS", "FRSXMK", 0);
	(void)setenv("LESSSECURE", "1", 1);
	(void)execl("/bin/sh", "sh", "-c", command, NULL);
	_exit(127);
}

static bool pager_exists(const char *command)
{
	g_autofree char *word = g_strndup(command, strcspn(command, " \t")), *path = NULL;

	path = g_find_program_in_path(word);
	return path != NULL;
}

void pager_open(struct pager *p, bool wanted)
{
	const char *command = pager_command();
	int fds[2];

	*p = (struct pager){ .stdout_fd = -1 };
	if (!wanted || !command || !pager_exists(command))
		return;
	(void)fflush(stdout);
	if (pipe2(fds, O_CLOEXEC) < 0)
		return;
	p->pid = fork();
	if (p->pid == 0)
		pager_run(command, fds[0]);
	if (p->pid > 0) {
		(void)signal(SIGPIPE, SIG_IGN);
		(void)signal(SIGINT, SIG_IGN);
		p->stdout_fd = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
		(void)dup2(fds[1], STDOUT_FILENO);
	} else {
		p->pid = 0;
	}
	(void)close(fds[0]);
	(void)close(fds[1]);
}

void pager_close(struct pager *p)
{
	if (!p->pid)
		return;
	(void)fflush(stdout);
	clearerr(stdout); /* EPIPE: the user has seen enough */
	(void)dup2(p->stdout_fd, STDOUT_FILENO);
	(void)close(p->stdout_fd);
	while (waitpid(p->pid, NULL, 0) < 0 && errno == EINTR)
		;
	(void)signal(SIGINT, SIG_DFL);
	(void)signal(SIGPIPE, SIG_DFL);
	p->pid = 0;
}
