/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Looked up by ourselves and not by execvp(): the daemon must know before a session starts whether
 * a command is there, and the nanny must tell "not there" from "cannot be executed".
 */
#include "command.h"

#include <errno.h>
#include <glib.h>
#include <sys/stat.h>

static int command_try(const char *path)
{
	struct stat st;

	if (stat(path, &st) < 0)
		return -ENOENT;
	/* access() would answer for root: any of the three bits decides, exec has the last word */
	if (!S_ISREG(st.st_mode) || !(st.st_mode & 0111))
		return -EACCES;
	return 0;
}

int command_find(const char *name, char **ret)
{
	g_auto(GStrv) dirs = NULL;
	int r = -ENOENT;

	if (strchr(name, '/')) {
		r = command_try(name);
		if (r == 0)
			*ret = g_strdup(name);
		return r;
	}
	dirs = g_strsplit(COMMAND_PATH, ":", -1);
	for (char **dir = dirs; *dir; dir++) {
		g_autofree char *path = g_build_filename(*dir, name, NULL);
		int q = command_try(path);

		if (q == 0) {
			*ret = g_steal_pointer(&path);
			return 0;
		}
		if (q == -EACCES)
			r = q;
	}
	return r;
}
