/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Why flock() and not a pid file: the kernel gives it back when the holder dies, whatever it died
 * of. The pid inside is only for the sentence that names the holder, and is believed no further
 * than that such a process exists.
 *
 * /run/lock is sticky and open to everybody, where the kernel (fs.protected_regular) refuses
 * O_CREAT on a file of another user: the file is opened without it first, and read-only when it may
 * not be written, which is enough for flock().
 */
#include "lock.h"

#include "cleanup.h"
#include "duration.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>

#define LOCK_FLAGS (O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY)

static int lock_open(const char *path)
{
	int fd;

	/* Twice: the file may come or go between the two ways of opening it. */
	for (int attempt = 0; attempt < 2; attempt++) {
		fd = open(path, O_RDWR | LOCK_FLAGS);
		if (fd < 0 && errno == EACCES)
			fd = open(path, O_RDONLY | LOCK_FLAGS);
		if (fd >= 0 || errno != ENOENT)
			return fd >= 0 ? fd : -errno;
		fd = open(path, O_RDWR | O_CREAT | O_EXCL | LOCK_FLAGS, 0644);
		if (fd >= 0 || errno != EEXIST)
			return fd >= 0 ? fd : -errno;
	}
	return -EEXIST;
}

/* The process that the file names, when there is such a process; 0 otherwise. */
static pid_t lock_holder(int fd)
{
	char text[32];
	int64_t pid;
	ssize_t n;

	n = pread(fd, text, sizeof(text) - 1, 0);
	if (n <= 0)
		return 0;
	text[n] = '\0';
	g_strstrip(text);
	if (integer_parse(text, 1, INT_MAX, &pid, NULL) < 0)
		return 0;
	return kill((pid_t)pid, 0) == 0 || errno == EPERM ? (pid_t)pid : 0;
}

static void lock_sign(int fd)
{
	char text[32];
	int n = snprintf(text, sizeof(text), "%d\n", getpid());

	/* A file of another user cannot be signed; the lock holds all the same. */
	if (ftruncate(fd, 0) == 0)
		(void)!pwrite(fd, text, (size_t)n, 0);
}

int lock_take(const char *path, int *ret_fd, char **ret_message)
{
	g_auto(fd_t) fd = lock_open(path);
	struct stat st;
	pid_t pid;
	int r;

	if (fd < 0) {
		r = fd;
		*ret_message =
			g_strdup_printf("The lock %s cannot be opened: %s.", path, g_strerror(-r));
		return r;
	}
	if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode)) {
		*ret_message = g_strdup_printf("The lock %s is not a regular file.", path);
		return -ENOTSUP;
	}
	if (flock(fd, LOCK_EX | LOCK_NB) < 0) {
		r = -errno;
		if (r != -EWOULDBLOCK) {
			*ret_message = g_strdup_printf("The lock %s cannot be taken: %s.", path,
						       g_strerror(-r));
			return r;
		}
		pid = lock_holder(fd);
		*ret_message = pid > 0 ? g_strdup_printf("Another lrtbfd (process %d) is measuring "
							 "on this machine.",
							 pid)
				       : g_strdup("Another lrtbfd is measuring on this machine.");
		return -EBUSY;
	}
	lock_sign(fd);
	*ret_fd = fd_steal(&fd);
	return 0;
}
