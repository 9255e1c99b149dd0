/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * The cleanup functions that libraries do not bring themselves, for g_autoptr() and g_auto().
 * Includes nothing but what its includer has: define the family you need first.
 */
#include <glib.h>
#include <unistd.h>

#ifdef JANSSON_H
G_DEFINE_AUTOPTR_CLEANUP_FUNC(json_t, json_decref)
#endif

#ifdef SQLITE3_H
G_DEFINE_AUTOPTR_CLEANUP_FUNC(sqlite3_stmt, sqlite3_finalize)
#endif

/* g_auto(fd_t): closes when the scope ends; -1 is none. */
typedef int fd_t;
static inline void fd_close(fd_t fd)
{
	if (fd >= 0)
		(void)close(fd); /* nothing to do about an error on the way out */
}
G_DEFINE_AUTO_CLEANUP_FREE_FUNC(fd_t, fd_close, -1)

static inline int fd_steal(fd_t *fd)
{
	int r = *fd;

	*fd = -1;
	return r;
}
