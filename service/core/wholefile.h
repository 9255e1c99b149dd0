/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * All bytes of a file whose size is not known before it is read, as those of /proc and /sys.
 */
#include <stddef.h>

/* From where @fd stands to its end; a NUL follows them. g_free(). NULL: more than @max, or an
 * error. */
char *wholefile_read(int fd, size_t max, size_t *ret_size);
