/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Why so careful for a few text files: loads name commands that a root daemon runs, so whoever can
 * write one of these files, or put another in its place, is root. Everything is checked on open
 * descriptors (the folder's, then the file's below it), so nothing can change between check and
 * use.
 *
 * A file is looked at with fstatat() before it is opened, because opening can block (fifo) or act
 * (tape drive); and the descriptor is looked at again, because the first look proves nothing.
 */
#include "confopen.h"

#include "cleanup.h"
#include "message.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>

/* What is wrong with the owner or mode of a file or folder; NULL: nothing. */
static const char *confopen_trust(const struct stat *st)
{
	if (st->st_uid != 0 && st->st_uid != geteuid())
		return "belongs to another user than root or the service's own; chown it to root";
	if (st->st_mode & (S_IWGRP | S_IWOTH))
		return "may be written by its group or others; chmod go-w it";
	return NULL;
}

/* Not being there is no fault, everything else has its sentence. */
static int confopen_fail(int r, char **ret_wrong)
{
	if (r == -ENOENT)
		return r;
	return message_fail(ret_wrong, r, "cannot be read: %s", g_strerror(-r));
}

int confopen_dir(const char *path, int *ret_fd, char **ret_wrong)
{
	g_auto(fd_t) fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NONBLOCK);
	const char *wrong;
	struct stat st;

	if (fd < 0 || fstat(fd, &st) < 0)
		return confopen_fail(-errno, ret_wrong);
	wrong = confopen_trust(&st);
	if (wrong)
		return message_fail(ret_wrong, -EACCES, "%s", wrong);
	*ret_fd = fd_steal(&fd);
	return 0;
}

/* Whole text of an open file: 0 or -errno. A file that grows meanwhile is cut off at the limit. */
static int confopen_slurp(int fd, char **ret_text, size_t *ret_size)
{
	g_autoptr(GByteArray) bytes = g_byte_array_new();
	guint8 buf[16384];

	for (;;) {
		ssize_t n = read(fd, buf, sizeof(buf));

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		if (n == 0)
			break;
		g_byte_array_append(bytes, buf, n);
		if (bytes->len > CONFOPEN_SIZE_MAX)
			return -EFBIG;
	}
	*ret_size = bytes->len;
	g_byte_array_append(bytes, (const guint8 *)"", 1);
	*ret_text = (char *)g_byte_array_free(g_steal_pointer(&bytes), FALSE);
	return 0;
}

static const char *confopen_kind(mode_t mode)
{
	if (S_ISDIR(mode))
		return "is a folder; a file is expected";
	if (S_ISFIFO(mode))
		return "is a fifo; an ordinary file is expected";
	if (S_ISLNK(mode))
		return "is a symbolic link; put the file itself here (only a link to /dev/null is "
		       "taken: it masks the file of this name in the weaker folders)";
	return "is not an ordinary file";
}

static bool confopen_masks(int dirfd, const char *name)
{
	char target[16];
	ssize_t n = readlinkat(dirfd, name, target, sizeof(target));

	return n == (ssize_t)strlen("/dev/null") && memcmp(target, "/dev/null", n) == 0;
}

int confopen_read(int dirfd, const char *name, char **ret_text, size_t *ret_size, char **ret_wrong)
{
	g_auto(fd_t) fd = -1;
	const char *wrong;
	struct stat st;
	int r;

	if (fstatat(dirfd, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
		return confopen_fail(-errno, ret_wrong);
	if (S_ISLNK(st.st_mode) && confopen_masks(dirfd, name))
		return 1;
	if (!S_ISREG(st.st_mode))
		return message_fail(ret_wrong, -EINVAL, "%s", confopen_kind(st.st_mode));
	fd = openat(dirfd, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &st) < 0)
		return confopen_fail(-errno, ret_wrong);
	wrong = S_ISREG(st.st_mode) ? confopen_trust(&st) : confopen_kind(st.st_mode);
	if (wrong)
		return message_fail(ret_wrong, -EACCES, "%s", wrong);
	r = confopen_slurp(fd, ret_text, ret_size);
	if (r == -EFBIG)
		return message_fail(ret_wrong, r, "is over 1 MiB: this is no configuration");
	return r < 0 ? confopen_fail(r, ret_wrong) : 0;
}
