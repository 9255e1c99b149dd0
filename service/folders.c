/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "folders.h"

#include "cleanup.h"
#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

int folder_make(const char *path, mode_t mode, char **ret_message)
{
	int r;

	if (g_mkdir_with_parents(path, mode) == 0 && access(path, W_OK | X_OK) == 0)
		return 0;
	r = -errno;
	*ret_message =
		g_strdup_printf("The folder %s cannot be written to: %s.", path, g_strerror(-r));
	return r;
}

bool folder_same(const char *a, const char *b)
{
	struct stat x, y;

	return stat(a, &x) == 0 && stat(b, &y) == 0 && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

int folder_lock(const char *path, int *ret_fd, char **ret_message)
{
	g_auto(fd_t) fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int r;

	if (fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) == 0) {
		*ret_fd = fd_steal(&fd);
		return 0;
	}
	r = -errno;
	if (r == -EWOULDBLOCK)
		*ret_message = g_strdup_printf("Another lrtbfd uses the folder %s.", path);
	else
		*ret_message = g_strdup_printf("The folder %s cannot be opened: %s.", path,
					       g_strerror(-r));
	return r;
}
