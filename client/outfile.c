/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Renaming over a device would replace it, and as root it would succeed: hence the look first. A
 * link is followed, so that the file it points to changes and not the link; but not one that
 * somebody else left in a folder like /tmp, by the kernel's rule for opening (proc(5),
 * protected_symlinks), which does not see a link that is read and renamed over.
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
	int fd = open(f->path, O_WRONLY | O_CLOEXEC | O_NOCTTY | O_NOFOLLOW);

	return fd < 0 ? -errno : fd;
}

static mode_t outfile_new_mode(void)
{
	mode_t mask = umask(0);

	(void)umask(mask);
	return 0666 & ~mask;
}

static bool outfile_link_trusted(const char *path, const struct stat *link)
{
	g_autofree char *dir = g_path_get_dirname(path);
	struct stat st;

	if (link->st_uid == geteuid())
		return true;
	return stat(dir, &st) == 0 &&
	       (!(st.st_mode & S_ISVTX) || !(st.st_mode & S_IWOTH) || st.st_uid == link->st_uid);
}

/* Where @path leads; itself when it is no link, or one to nothing. g_free(). */
static int outfile_resolve(const char *path, char **ret)
{
	g_autofree char *real = NULL;
	struct stat st;

	if (lstat(path, &st) == 0 && S_ISLNK(st.st_mode)) {
		if (!outfile_link_trusted(path, &st))
			return -EACCES;
		real = realpath(path, NULL);
	}
	*ret = g_strdup(real ? real : path);
	return 0;
}

int outfile_open(struct outfile *f, const char *path)
{
	struct stat st;
	bool there;
	int fd;

	*f = (struct outfile){ .fd = -1 };
	fd = outfile_resolve(path, &f->path);
	if (fd < 0)
		return fd;
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

int outfile_whole(const char *path, int (*write)(void *data, int fd), void *data)
{
	struct outfile f;
	int r = outfile_open(&f, path);

	if (r < 0)
		return r;
	r = write(data, f.fd);
	if (r >= 0)
		return outfile_commit(&f);
	outfile_discard(&f);
	return r;
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

int outfile_copy(int from, int to)
{
	const size_t size = 128 * 1024;
	g_autofree char *buffer = NULL;

	if (lseek(from, 0, SEEK_SET) < 0 && errno != ESPIPE)
		return -errno;
	buffer = g_malloc(size);
	for (;;) {
		ssize_t n = read(from, buffer, size);
		int r;

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n < 0 ? -errno : 0;
		r = outfile_write(to, buffer, n);
		if (r < 0)
			return r;
	}
}
