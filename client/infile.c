/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "infile.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

int infile_read(const char *path, size_t max, GString *text)
{
	int fd = strcmp(path, "-") == 0 ? fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3)
					: open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	size_t before = text->len;
	char buffer[65536];
	int r = 0;

	if (fd < 0)
		return -errno;
	for (;;) {
		size_t room = max + 1 - (text->len - before);
		ssize_t n = read(fd, buffer, MIN(sizeof(buffer), room));

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			r = -errno;
		if (n <= 0)
			break;
		g_string_append_len(text, buffer, n);
		if (text->len - before > max) {
			r = -EFBIG;
			break;
		}
	}
	(void)close(fd); /* only read from */
	return r;
}

char *infile_name(const char *path)
{
	return g_utf8_make_valid(strcmp(path, "-") ? path : "<stdin>", -1);
}
