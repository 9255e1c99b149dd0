/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Opened non-blocking and without following a link: a captured tree may hold anything under these
 * names. Nothing is asked twice: no fstat(), because what is not a file has no bytes or is refused
 * by read().
 */
#include "roottree.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "beneath.h"
#include "cleanup.h"
#include "wholefile.h"

typedef DIR rootlist_t;
static void rootlist_close(rootlist_t *d)
{
	(void)closedir(d); /* nothing to do about an error on the way out */
}
G_DEFINE_AUTOPTR_CLEANUP_FUNC(rootlist_t, rootlist_close)

/* As openat(), errno included. */
static int roottree_openat(const struct roottree *t, int folder, const char *name, int flags)
{
	return t->captured ? beneath_openat(folder, name, flags) : openat(folder, name, flags);
}

int roottree_open(const char *root, struct roottree *ret)
{
	int fd = open(root, O_PATH | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0)
		return -errno;
	*ret = (struct roottree){ .fd = fd, .captured = strcmp(root, "/") != 0 };
	return 0;
}

void roottree_close(struct roottree *t)
{
	fd_close(t->fd);
	t->fd = -1;
}

void rootdir_open(const struct roottree *t, const char *path, struct rootdir *ret)
{
	g_autofree char *whole = NULL;

	ret->tree = t;
	ret->path = g_strdup(path);
	if (!t->captured) /* by its whole name: a test bed in between knows devices by that */
		path = whole = g_strconcat("/", path, NULL);
	ret->fd = roottree_openat(t, t->fd, path, O_PATH | O_DIRECTORY | O_CLOEXEC);
}

void rootdir_close(struct rootdir *d)
{
	fd_close(d->fd);
	d->fd = -1;
	g_clear_pointer(&d->path, g_free);
}

void rootdir_note(const struct rootdir *d, enum roottree_kind kind, const char *name,
		  const void *bytes, size_t size)
{
	g_autofree char *path = NULL;

	if (!d->tree->record)
		return;
	path = strcmp(name, ".") == 0 ? g_strdup(d->path) : g_build_filename(d->path, name, NULL);
	d->tree->record(kind, path, bytes, size, d->tree->userdata);
}

static int rootdir_open_file(const struct rootdir *d, const char *name)
{
	int fd;

	if (d->fd < 0)
		return -ENOENT;
	fd = roottree_openat(d->tree, d->fd, name,
			     O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | O_NOFOLLOW);
	return fd < 0 ? -errno : fd;
}

ssize_t rootdir_peek(const struct rootdir *d, const char *name, char *buf, size_t size)
{
	int fd = rootdir_open_file(d, name);
	size_t got = 0;
	ssize_t n;

	if (fd < 0)
		return fd;
	n = read(fd, buf, size - 1);
	/* these files come in one piece; only one that fills the buffer is asked for more */
	while (n > 0 && (got += n) < size - 1 && got % 4096 == 0)
		n = read(fd, buf + got, size - 1 - got);
	if (n < 0)
		n = -errno;
	(void)close(fd); /* it was only read */
	if (n < 0)
		return n;
	buf[got] = '\0';
	return got;
}

ssize_t rootdir_read(const struct rootdir *d, const char *name, char *buf, size_t size)
{
	ssize_t n = rootdir_peek(d, name, buf, size);

	if (n >= 0)
		rootdir_note(d, ROOTTREE_FILE, name, buf, n);
	return n;
}

ssize_t rootdir_line(const struct rootdir *d, const char *name, char *buf, size_t size)
{
	ssize_t n = rootdir_read(d, name, buf, size);

	if (n < 0)
		return n;
	while (n > 0 && g_ascii_isspace(buf[n - 1]))
		buf[--n] = '\0';
	return n;
}

char *rootdir_peek_whole(const struct rootdir *d, const char *name, size_t max, size_t *ret_size)
{
	g_auto(fd_t) fd = rootdir_open_file(d, name);

	return fd < 0 ? NULL : wholefile_read(fd, max, ret_size);
}

char *rootdir_read_whole(const struct rootdir *d, const char *name, size_t max, size_t *ret_size)
{
	char *bytes = rootdir_peek_whole(d, name, max, ret_size);

	if (bytes)
		rootdir_note(d, ROOTTREE_FILE, name, bytes, *ret_size);
	return bytes;
}

/* As readlinkat(); a link in a captured tree is opened first, which keeps to the tree on the way.
 */
static ssize_t rootdir_readlinkat(const struct rootdir *d, const char *name, char *buf, size_t size)
{
	g_auto(fd_t) fd = -1;

	if (!d->tree->captured)
		return readlinkat(d->fd, name, buf, size);
	fd = beneath_openat(d->fd, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	return fd < 0 ? -1 : readlinkat(fd, "", buf, size);
}

bool rootdir_readlink(const struct rootdir *d, const char *name, char *buf, size_t size)
{
	ssize_t n = d->fd < 0 ? -1 : rootdir_readlinkat(d, name, buf, size);

	if (n <= 0 || (size_t)n >= size)
		return false;
	buf[n] = '\0';
	rootdir_note(d, ROOTTREE_LINK, name, buf, n);
	return true;
}

static DIR *rootdir_opendir(const struct rootdir *d, const char *name)
{
	g_auto(fd_t) fd = -1;
	DIR *list;

	if (d->fd < 0)
		return NULL;
	fd = roottree_openat(d->tree, d->fd, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	list = fd < 0 ? NULL : fdopendir(fd);
	if (list)
		fd_steal(&fd);
	return list;
}

static gint name_compare(gconstpointer a, gconstpointer b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

GPtrArray *rootdir_list(const struct rootdir *d, const char *name)
{
	GPtrArray *names = g_ptr_array_new_with_free_func(g_free);
	g_autoptr(rootlist_t) list = rootdir_opendir(d, name);
	struct dirent *e;

	while (list && (e = readdir(list)))
		if (*e->d_name != '.')
			g_ptr_array_add(names, g_strdup(e->d_name));
	g_ptr_array_sort(names, name_compare);
	return names;
}

static bool name_number(const char *name, unsigned *ret)
{
	unsigned value = 0;

	if (!*name || (*name == '0' && name[1]))
		return false;
	for (; *name >= '0' && *name <= '9'; name++)
		if (__builtin_mul_overflow(value, 10, &value) ||
		    __builtin_add_overflow(value, (unsigned)(*name - '0'), &value))
			return false;
	*ret = value;
	return !*name && value <= G_MAXINT;
}

static int number_compare(const void *a, const void *b)
{
	unsigned x = *(const unsigned *)a, y = *(const unsigned *)b;

	return (x > y) - (x < y);
}

GArray *rootdir_numbers(const struct rootdir *d, const char *name)
{
	GArray *numbers = g_array_new(FALSE, FALSE, sizeof(unsigned));
	g_autoptr(rootlist_t) list = rootdir_opendir(d, name);
	struct dirent *e;
	unsigned number;

	while (list && (e = readdir(list)))
		if (name_number(e->d_name, &number))
			g_array_append_val(numbers, number);
	if (numbers->len > 1)
		qsort(numbers->data, numbers->len, sizeof(number), number_compare);
	return numbers;
}
