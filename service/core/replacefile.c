/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The new file has a name that begins with a dot, which no reader of our folders takes, until it is
 * complete. One that a crash left is in nobody's way and goes with the next write of that name.
 */
#include "replacefile.h"

#include "cleanup.h"

#include <errno.h>
#include <fcntl.h>
#include <glib.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

static int replacefile_fill(int fd, const char *text, mode_t mode, bool sync)
{
	size_t left = strlen(text);

	while (left > 0) {
		ssize_t n = write(fd, text, left);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n < 0 ? -errno : -EIO;
		text += n;
		left -= (size_t)n;
	}
	if (fchmod(fd, mode) < 0 || (sync && fsync(fd) < 0))
		return -errno;
	return 0;
}

int replacefile_write(int dirfd, const char *name, const char *text, mode_t mode, bool sync)
{
	g_autofree char *temp = g_strdup_printf(".%s.new", name);
	g_auto(fd_t) fd = -1;
	int r;

	if (unlinkat(dirfd, temp, 0) < 0 && errno != ENOENT)
		return -errno;
	fd = openat(dirfd, temp, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0)
		return -errno;
	r = replacefile_fill(fd, text, mode, sync);
	if (r == 0 && renameat(dirfd, temp, dirfd, name) < 0)
		r = -errno;
	if (r < 0)
		(void)unlinkat(dirfd, temp, 0); /* the error that counts is the first */
	else if (sync && fsync(dirfd) < 0)
		r = -errno;
	return r;
}
