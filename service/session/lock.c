/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Why flock() and not a pid file: the kernel gives it back when the holder dies, whatever it died
 * of, and tells in /proc/locks who holds it, whatever a file may say.
 *
 * /run/lock is sticky and open to everybody, where the kernel (fs.protected_regular) refuses
 * O_CREAT on a file of another user: the file is opened without it first. Read-only is enough for
 * flock(). So any user's program can hold it, too, and is then named.
 */
#include "lock.h"

#include "cleanup.h"
#include "message.h"
#include "proc-locks.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>

#define LOCK_FLAGS (O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY)

static int lock_open(const char *path)
{
	int fd;

	/* Twice: the file may come or go between the two ways of opening it. */
	for (int attempt = 0; attempt < 2; attempt++) {
		fd = open(path, O_RDONLY | LOCK_FLAGS);
		if (fd >= 0 || errno != ENOENT)
			return fd >= 0 ? fd : -errno;
		fd = open(path, O_RDONLY | O_CREAT | O_EXCL | LOCK_FLAGS, 0644);
		if (fd >= 0 || errno != EEXIST)
			return fd >= 0 ? fd : -errno;
	}
	return -EEXIST;
}

/* "lrtbfd, process 123"; NULL when the kernel does not tell. g_free(). */
static char *lock_holder(const struct stat *st)
{
	g_autofree char *locks = NULL, *path = NULL, *comm = NULL;
	gsize size;
	pid_t pid;

	if (!g_file_get_contents("/proc/locks", &locks, &size, NULL))
		return NULL;
	pid = proc_locks_holder(locks, size, st->st_dev, st->st_ino);
	if (pid == 0)
		return NULL;
	path = g_strdup_printf("/proc/%d/comm", pid);
	if (!g_file_get_contents(path, &comm, NULL, NULL))
		return NULL;
	g_strstrip(comm);
	for (char *c = comm; *c; c++) /* whoever holds it chose his name, and it is printed */
		if (g_ascii_iscntrl(*c))
			*c = '?';
	return g_strdup_printf("%s, process %d", comm, pid);
}

int lock_take(const char *path, int *ret_fd, char **ret_message)
{
	g_auto(fd_t) fd = lock_open(path);
	g_autofree char *holder = NULL;
	struct stat st;
	int r;

	if (fd < 0)
		return message_fail(ret_message, fd, "The lock %s cannot be opened: %s.", path,
				    g_strerror(-fd));
	if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode))
		return message_fail(ret_message, -ENOTSUP, "The lock %s is not a regular file.",
				    path);
	r = flock(fd, LOCK_EX | LOCK_NB) < 0 ? -errno : 0;
	if (r == -EWOULDBLOCK) {
		holder = lock_holder(&st);
		return message_fail(ret_message, -EBUSY,
				    "Another program (%s) is measuring on this machine: it holds "
				    "%s.",
				    holder ?: "which one is not known", path);
	}
	if (r < 0)
		return message_fail(ret_message, r, "The lock %s cannot be taken: %s.", path,
				    g_strerror(-r));
	*ret_fd = fd_steal(&fd);
	return 0;
}
