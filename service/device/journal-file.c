/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Who else may write here: the folder is ours, but whoever could put a link or a file of his own in
 * the journal's place would choose what we put onto kernel threads. So only a regular file of our
 * own that nobody else can write is taken. The lock is of fcntl(2)'s old kind on purpose: a child
 * that is forked and not yet exec'd does not hold it on when its parent is killed.
 */
#include "journal-file.h"

#include "cleanup.h"
#include "message.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#define SIZE_MAX_BYTES (16 * 1024 * 1024)
#define OPEN_TRIES     8

int journal_file_lock(int fd)
{
	struct flock lock = { .l_type = F_WRLCK, .l_whence = SEEK_SET };

	if (fcntl(fd, F_SETLK, &lock) >= 0)
		return 0;
	return errno == EACCES || errno == EAGAIN ? -EBUSY : -errno;
}

int journal_file_write(int fd, const char *text, off_t at)
{
	size_t left = strlen(text);

	while (left > 0) {
		ssize_t n = pwrite(fd, text, left, at);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n < 0 ? -errno : -EIO;
		text += n;
		at += n;
		left -= (size_t)n;
	}
	return 0;
}

/* Whether the open file may be trusted as a journal of ours. */
static int file_check(const struct stat *st, const char *path, char **ret_message)
{
	if (!S_ISREG(st->st_mode))
		return message_fail(ret_message, -EPERM,
				    "%s is no regular file: nothing is changed while it is in the "
				    "journal's place; remove it.",
				    path);
	if (st->st_uid != geteuid())
		return message_fail(ret_message, -EPERM,
				    "%s belongs to user %u and is no journal of this program: "
				    "remove it.",
				    path, st->st_uid);
	if ((st->st_mode & 0022) || st->st_nlink > 1)
		return message_fail(ret_message, -EPERM,
				    "%s can be written by others (mode %04o, %u names) and is not "
				    "believed: remove it.",
				    path, st->st_mode & 07777, (unsigned)st->st_nlink);
	return 0;
}

static int file_open_failed(const char *path, int error, char **ret_message)
{
	if (error == ELOOP)
		return message_fail(ret_message, -ELOOP,
				    "%s is a symbolic link, where the journal of changes has to "
				    "be: remove it.",
				    path);
	return message_fail(ret_message, -error, "The journal of changes %s cannot be opened: %s.",
			    path, g_strerror(error));
}

/* 0: open, checked and locked; 1: it was replaced meanwhile. */
static int file_try_open(const char *path, int *ret_fd, char **ret_message)
{
	g_auto(fd_t) fd = open(path, JOURNAL_OPEN_FLAGS, 0600);
	struct stat st, now;
	int r;

	if (fd < 0)
		return file_open_failed(path, errno, ret_message);
	if (fstat(fd, &st) < 0)
		return file_open_failed(path, errno, ret_message);
	if (st.st_nlink == 0)
		return 1;
	r = file_check(&st, path, ret_message);
	if (r < 0)
		return r;
	r = journal_file_lock(fd);
	if (r == -EBUSY)
		return message_fail(ret_message, r,
				    "Another process has the journal of changes %s open: is an "
				    "lrtbfd running?",
				    path);
	if (r < 0)
		return message_fail(ret_message, r,
				    "The journal of changes %s cannot be locked: %s.", path,
				    g_strerror(-r));
	if (lstat(path, &now) < 0 || now.st_ino != st.st_ino || now.st_dev != st.st_dev)
		return 1;
	*ret_fd = fd_steal(&fd);
	return 0;
}

int journal_file_open(const char *path, int *ret_fd, char **ret_message)
{
	int r = 1;

	for (int i = 0; i < OPEN_TRIES && r > 0; i++)
		r = file_try_open(path, ret_fd, ret_message);
	return r > 0 ? file_open_failed(path, EBUSY, ret_message) : r;
}

int journal_file_read(int fd, char **ret_text, size_t *ret_size)
{
	g_autofree char *text = NULL;
	size_t size = 0;
	struct stat st;
	ssize_t n;

	if (fstat(fd, &st) < 0)
		return -errno;
	if (st.st_size > SIZE_MAX_BYTES)
		return -EFBIG;
	text = g_malloc((size_t)st.st_size + 1);
	while (size < (size_t)st.st_size) {
		n = pread(fd, text + size, (size_t)st.st_size - size, (off_t)size);
		if (n < 0)
			return -errno;
		if (n == 0)
			break;
		size += (size_t)n;
	}
	*ret_text = g_steal_pointer(&text);
	*ret_size = size;
	return 0;
}
