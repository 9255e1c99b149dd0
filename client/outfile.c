/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Renaming over a device would replace it, and as root it would succeed: hence the look first. A
 * link is followed, so that the file it points to changes and not the link.
 */
#include "outfile.h"

#include <errno.h>
#include <fcntl.h>
#include <glib.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static int outfile_open_temp(struct outfile *f, mode_t mode)
{
	int fd;

	f->temp = g_strdup_printf("%s.XXXXXX", f->path);
	fd = g_mkstemp_full(f->temp, O_WRONLY | O_CLOEXEC, 0600);
	if (fd < 0) {
		int r = -errno;

		g_clear_pointer(&f->temp, g_free);
		return r;
	}
	(void)fchmod(fd, mode); /* a file system without modes: as it comes */
	return fd;
}

static int outfile_open_in_place(const struct outfile *f)
{
	int fd = open(f->path, O_WRONLY | O_CLOEXEC | O_NOCTTY);

	return fd < 0 ? -errno : fd;
}

static mode_t outfile_new_mode(void)
{
	mode_t mask = umask(0);

	(void)umask(mask);
	return 0666 & ~mask;
}

int outfile_open(struct outfile *f, const char *path)
{
	g_autofree char *real = realpath(path, NULL);
	struct stat st;
	bool there;
	int fd;

	*f = (struct outfile){ .fd = -1, .path = g_strdup(real ? real : path) };
	there = stat(f->path, &st) == 0;
	if (there && S_ISDIR(st.st_mode))
		fd = -EISDIR;
	else if (there && !S_ISREG(st.st_mode))
		fd = outfile_open_in_place(f);
	else
		fd = outfile_open_temp(f, there ? st.st_mode & 0777 : outfile_new_mode());
	if (fd < 0) {
		g_clear_pointer(&f->path, g_free);
		return fd;
	}
	f->fd = fd;
	return 0;
}

int outfile_commit(struct outfile *f)
{
	int r = 0;

	if (f->temp && fsync(f->fd) < 0)
		r = -errno;
	if (close(f->fd) < 0 && r == 0)
		r = -errno;
	f->fd = -1;
	if (r == 0 && f->temp) {
		if (rename(f->temp, f->path) < 0)
			r = -errno;
		else
			g_clear_pointer(&f->temp, g_free);
	}
	outfile_discard(f);
	return r;
}

void outfile_discard(struct outfile *f)
{
	if (f->fd >= 0)
		(void)close(f->fd); /* what it could tell has no reader any more */
	f->fd = -1;
	if (f->temp)
		(void)unlink(f->temp);
	g_clear_pointer(&f->temp, g_free);
	g_clear_pointer(&f->path, g_free);
}

int outfile_write(int fd, const void *data, size_t size)
{
	const char *p = data;

	while (size) {
		ssize_t n = write(fd, p, size);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		p += n;
		size -= n;
	}
	return 0;
}
