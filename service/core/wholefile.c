/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "wholefile.h"

#include <glib.h>
#include <unistd.h>

#define WHOLEFILE_FIRST (16 * 1024) /* most files of /proc and /sys are read at once */

char *wholefile_read(int fd, size_t max, size_t *ret_size)
{
	size_t room = WHOLEFILE_FIRST, size = 0;
	g_autofree char *bytes = g_malloc(room + 1);
	ssize_t n;

	while ((n = read(fd, bytes + size, room - size)) > 0) {
		size += n;
		if (size > max)
			return NULL;
		if (size == room)
			bytes = g_realloc(bytes, (room *= 2) + 1);
	}
	if (n < 0)
		return NULL;
	bytes[size] = '\0';
	*ret_size = size;
	return g_steal_pointer(&bytes);
}
