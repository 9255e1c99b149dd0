/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * posix_spawn() and not fork(): the daemon's memory may be large and its threads hold locks.
 * Descriptors are first moved out of the range that they are put into, since dup2() onto one that
 * is still to be duplicated would lose it.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "cleanup.h"
#include "nanny.h"

#define FD_MIN 16

int nanny_errand_fd(const struct errand *e, int *ret)
{
	g_autofree char *text = errand_to_text(e);
	size_t size = strlen(text);
	g_auto(fd_t) fd = memfd_create("lrtbf-load-errand", MFD_CLOEXEC);
	int up;

	if (size > ERRAND_TEXT_MAX)
		return -E2BIG;
	if (fd < 0 || pwrite(fd, text, size, 0) != (ssize_t)size)
		return -errno;
	up = fcntl(fd, F_DUPFD_CLOEXEC, FD_MIN);
	if (up < 0)
		return -errno;
	*ret = up;
	return 0;
}

static int spawn_with(const char *path, const int fds[3], const posix_spawnattr_t *attributes,
		      pid_t *ret_pid)
{
	char *argv[] = { (char *)"lrtbf-load", NULL };
	posix_spawn_file_actions_t actions;
	int r;

	r = posix_spawn_file_actions_init(&actions);
	if (r != 0)
		return -r;
	r = posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDWR, 0);
	if (r == 0)
		r = posix_spawn_file_actions_adddup2(&actions, 0, 1);
	for (int i = 0; r == 0 && i < 3; i++)
		if (fds[i] >= 0)
			r = posix_spawn_file_actions_adddup2(&actions, fds[i], ERRAND_FD + i);
	if (r == 0)
		r = posix_spawn(ret_pid, path, &actions, attributes, argv, environ);
	posix_spawn_file_actions_destroy(&actions);
	return -r;
}

/* Signals as a new program expects them: the daemon blocks some. */
static int spawn_clean(const char *path, const int fds[3], pid_t *ret_pid)
{
	posix_spawnattr_t attributes;
	sigset_t none, all;
	int r;

	sigemptyset(&none);
	sigfillset(&all);
	r = posix_spawnattr_init(&attributes);
	if (r != 0)
		return -r;
	posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
	posix_spawnattr_setsigmask(&attributes, &none);
	posix_spawnattr_setsigdefault(&attributes, &all);
	r = spawn_with(path, fds, &attributes, ret_pid);
	posix_spawnattr_destroy(&attributes);
	return r;
}

int nanny_spawn(const char *path, const struct errand *e, int status_fd, int scratch_fd,
		pid_t *ret_pid)
{
	g_auto(fd_t) errand_up = -1, status_up = -1, scratch_up = -1;
	int r;

	r = nanny_errand_fd(e, &errand_up);
	if (r < 0)
		return r;
	status_up = fcntl(status_fd, F_DUPFD_CLOEXEC, FD_MIN);
	if (status_up < 0)
		return -errno;
	if (scratch_fd >= 0) {
		scratch_up = fcntl(scratch_fd, F_DUPFD_CLOEXEC, FD_MIN);
		if (scratch_up < 0)
			return -errno;
	}
	return spawn_clean(path, (int[3]){ errand_up, status_up, scratch_up }, ret_pid);
}
