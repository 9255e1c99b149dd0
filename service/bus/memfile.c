/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sealed, so that a receiver may map it without fear of SIGBUS, and so that who gets it cannot
 * change what the next one who gets the same description would read.
 */
#include "memfile.h"

#include "cleanup.h"
#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>

static int memfile_write(int fd, const char *data, size_t size)
{
	while (size > 0) {
		ssize_t n = write(fd, data, size);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		data += n;
		size -= (size_t)n;
	}
	return 0;
}

int memfile_new(const char *name, const void *data, size_t size, int *ret_fd)
{
	g_auto(fd_t) fd = memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING);
	int r;

	if (fd < 0)
		return -errno;
	r = memfile_write(fd, data, size);
	if (r < 0)
		return r;
	if (lseek(fd, 0, SEEK_SET) < 0 ||
	    fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE | F_SEAL_SEAL) < 0)
		return -errno;
	*ret_fd = fd_steal(&fd);
	return 0;
}
