/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Opened non-blocking: a captured tree may hold anything under these names, a fifo included. */
#include "sysfile.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "beneath.h"
#include "cleanup.h"
#include "duration.h"
#include "wholefile.h"

#define SYSFILE_TEXT_MAX (64 * 1024)

/* As open(). This machine's own files may be links to anywhere. */
static int sysfile_open(const char *root, const char *name, int flags)
{
	g_auto(fd_t) folder = open(root, O_PATH | O_DIRECTORY | O_CLOEXEC);

	flags |= O_RDONLY | O_CLOEXEC;
	if (folder < 0)
		return -1;
	return strcmp(root, "/") == 0 ? openat(folder, name, flags)
				      : beneath_openat(folder, name, flags);
}

char *sysfile_bytes(const char *root, const char *name, size_t max, size_t *ret_size)
{
	g_auto(fd_t) fd = sysfile_open(root, name, O_NONBLOCK | O_NOCTTY);
	struct stat st;

	if (fd < 0 || fstat(fd, &st) < 0 || !S_ISREG(st.st_mode))
		return NULL;
	return wholefile_read(fd, max, ret_size);
}

static char *sysfile_read(const char *root, const char *name)
{
	size_t size;
	g_autofree char *bytes = sysfile_bytes(root, name, SYSFILE_TEXT_MAX, &size);

	if (!bytes)
		return NULL;
	for (size_t i = 0; i < size; i++)
		if (bytes[i] == '\0')
			bytes[i] = ' ';
	return g_utf8_make_valid(g_strchomp(bytes), -1);
}

char *sysfile_text(const char *root, const char *fmt, ...)
{
	g_autofree char *name = NULL;
	va_list ap;

	va_start(ap, fmt);
	name = g_strdup_vprintf(fmt, ap);
	va_end(ap);
	return sysfile_read(root, name);
}

json_t *sysfile_string(const char *root, const char *fmt, ...)
{
	g_autofree char *name = NULL, *text = NULL;
	va_list ap;

	va_start(ap, fmt);
	name = g_strdup_vprintf(fmt, ap);
	va_end(ap);
	text = sysfile_read(root, name);
	return text ? json_string(text) : json_null();
}

json_t *sysfile_integer(const char *root, const char *fmt, ...)
{
	g_autofree char *name = NULL, *text = NULL;
	int64_t value;
	va_list ap;

	va_start(ap, fmt);
	name = g_strdup_vprintf(fmt, ap);
	va_end(ap);
	text = sysfile_read(root, name);
	if (!text || integer_parse(text, G_MININT64, G_MAXINT64, &value, NULL) < 0)
		return json_null();
	return json_integer(value);
}

static gint name_compare(gconstpointer a, gconstpointer b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

GPtrArray *sysfile_list(const char *root, const char *name)
{
	GPtrArray *names = g_ptr_array_new_with_free_func(g_free);
	g_auto(fd_t) fd = sysfile_open(root, name, O_DIRECTORY);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *d;

	if (dir)
		fd_steal(&fd);
	while (dir && (d = readdir(dir)))
		if (*d->d_name != '.')
			g_ptr_array_add(names, g_strdup(d->d_name));
	if (dir)
		closedir(dir);
	g_ptr_array_sort(names, name_compare);
	return names;
}
