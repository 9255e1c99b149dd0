/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Nothing a program does gets it out of a process namespace, and when the namespace's pid 1 dies
 * the kernel kills all others in it: so the guardian is pid 1 of one, and its own death, by
 * whatever signal, is the load's. Root may make one; others may together with a user namespace,
 * where that is permitted. /proc stays the one of the machine, which loads shall see (no mount
 * namespace).
 *
 * Without namespaces the guardian is a child subreaper that walks the tree below it. It cannot
 * clean up after its own SIGKILL: then its parent, a subreaper as well, does.
 */
#include "shelter.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/sched.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cleanup.h"
#include "rights.h"

static int shelter_write(const char *path, const char *text)
{
	g_auto(fd_t) fd = open(path, O_WRONLY | O_CLOEXEC);

	if (fd < 0 || write(fd, text, strlen(text)) != (ssize_t)strlen(text))
		return -errno;
	return 0;
}

/* One user in the new namespace: the one it was. */
static int shelter_map_user(uid_t uid, gid_t gid)
{
	g_autofree char *users = g_strdup_printf("%u %u 1\n", uid, uid);
	g_autofree char *groups = g_strdup_printf("%u %u 1\n", gid, gid);
	int r;

	r = shelter_write("/proc/self/setgroups", "deny");
	if (r == 0)
		r = shelter_write("/proc/self/uid_map", users);
	if (r == 0)
		r = shelter_write("/proc/self/gid_map", groups);
	return r;
}

static pid_t shelter_clone(enum shelter_kind kind)
{
	struct clone_args args = { .exit_signal = SIGCHLD };

	if (kind == SHELTER_TREE)
		return fork();
	args.flags = CLONE_NEWPID | (kind == SHELTER_USER_NAMESPACE ? CLONE_NEWUSER : 0);
	return syscall(SYS_clone3, &args, sizeof(args));
}

/* In the child: 0 when it may go on. */
static int shelter_settle(const struct errand *e, enum shelter_kind kind, uid_t uid, gid_t gid)
{
	int r = 0;

	if (kind == SHELTER_USER_NAMESPACE)
		r = shelter_map_user(uid, gid);
	if (r == 0)
		r = rights_drop(e);
	/* only now: a change of user takes it away again */
	if (r == 0 &&
	    prctl(PR_SET_PDEATHSIG, kind == SHELTER_TREE ? SIGTERM : SIGKILL, 0, 0, 0) < 0)
		r = -errno;
	if (r == 0 && kind == SHELTER_TREE && prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) < 0)
		r = -errno;
	return r;
}

static pid_t shelter_try(const struct errand *e, int life_fd, enum shelter_kind kind,
			 int *ret_pidfd)
{
	uid_t uid = geteuid();
	gid_t gid = getegid();
	int settled[2], r = -EIO;
	pid_t pid;

	if (pipe2(settled, O_CLOEXEC) < 0)
		return -errno;
	pid = shelter_clone(kind);
	if (pid < 0) {
		r = -errno;
		close(settled[0]);
		close(settled[1]);
		return r;
	}
	if (pid == 0) {
		close(life_fd);
		close(settled[0]);
		r = shelter_settle(e, kind, uid, gid);
		if (write(settled[1], &r, sizeof(r)) != sizeof(r) || r < 0)
			_exit(1);
		close(settled[1]);
		return 0;
	}
	close(settled[1]);
	if (read(settled[0], &r, sizeof(r)) != sizeof(r))
		r = -EIO;
	close(settled[0]);
	if (r == 0) {
		*ret_pidfd = syscall(SYS_pidfd_open, pid, 0);
		if (*ret_pidfd >= 0)
			return pid;
		r = -errno;
		kill(pid, SIGKILL);
	}
	waitpid(pid, NULL, 0);
	return r;
}

pid_t shelter_fork(const struct errand *e, int life_fd, enum shelter_kind *kind, int *ret_pidfd,
		   char **ret_message)
{
	pid_t pid = -EPERM;
	int r;

	if (*kind == SHELTER_NAMESPACE) {
		pid = shelter_try(e, life_fd, *kind, ret_pidfd);
		/* in a user namespace nobody cannot be reached from root: become it before */
		r = pid < 0 ? rights_drop(e) : 0;
		if (r < 0)
			pid = r;
		else if (pid < 0)
			*kind = e->keep_rights ? SHELTER_TREE : SHELTER_USER_NAMESPACE;
	}
	if (pid < 0 && *kind == SHELTER_USER_NAMESPACE) {
		pid = shelter_try(e, life_fd, *kind, ret_pidfd);
		if (pid < 0)
			*kind = SHELTER_TREE;
	}
	if (pid < 0 && *kind == SHELTER_TREE)
		pid = shelter_try(e, life_fd, *kind, ret_pidfd);
	if (pid < 0)
		*ret_message =
			g_strdup_printf("its guardian cannot be started: %s", g_strerror(-pid));
	return pid;
}
