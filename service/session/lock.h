/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * The machine-wide lock: two daemons that measure at once would each be the other's load.
 *
 * A file (by default /run/lock/lrtbfd) with an flock() on it, held from a session's preparation to
 * its end. The descriptor is close-on-exec: a child that outlives the daemon for a moment does not
 * hold it.
 */

/*
 * Take it: 0 and a descriptor whose close() gives it back. -EBUSY: another process holds it,
 * @ret_message (g_free) names it as well as can be known. Other -errno: it cannot be opened, with a
 * sentence. Never waits.
 */
int lock_take(const char *path, int *ret_fd, char **ret_message);
