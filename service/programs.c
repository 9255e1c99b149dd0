/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * An upgrade replaces programs while a session measures, and each of its stages starts one: all of
 * them shall be the one that this daemon speaks with. The installed lrtbf-measure is therefore held
 * open and started by that. Not lrtbf-load, which PID 1 starts as another user, who may not follow
 * such a link.
 */
#include "programs.h"

#include "config.h"
#include <errno.h>
#include <fcntl.h>
#include <glib.h>
#include <unistd.h>

/* @beside: below lrtbfd's folder in the build tree. */
static int program_find(const char *option, const char *beside, const char *installed, char **ret,
			char **ret_message)
{
	g_autofree char *self = g_file_read_link("/proc/self/exe", NULL);
	g_autofree char *folder = self ? g_path_get_dirname(self) : NULL;
	char *path = option ? g_strdup(option) : NULL;

	if (!path && folder) {
		path = g_build_filename(folder, beside, NULL);
		if (access(path, X_OK) < 0)
			g_clear_pointer(&path, g_free);
	}
	if (!path)
		path = g_strdup(installed);
	if (access(path, X_OK) < 0) {
		int r = -errno;

		*ret_message = g_strdup_printf("The program %s cannot be executed: %m.", path);
		g_free(path);
		return r;
	}
	*ret = path;
	return 0;
}

/* @path, or what leads to the same file when another has its name. Open as long as we live. */
static char *program_hold(char *path)
{
	int fd = open(path, O_PATH | O_CLOEXEC);
	char *link = g_strdup_printf("/proc/%d/fd/%d", getpid(), fd);

	if (fd >= 0 && access(link, X_OK) == 0) {
		g_free(path);
		return link;
	}
	if (fd >= 0)
		(void)close(fd);
	g_free(link);
	return path;
}

int program_measure(const char *option, char **ret, char **ret_message)
{
	int r = program_find(option, "measure/lrtbf-measure", BINDIR "/lrtbf-measure", ret,
			     ret_message);

	if (r == 0 && !option)
		*ret = program_hold(*ret);
	return r;
}

int program_load(const char *option, char **ret, char **ret_message)
{
	return program_find(option, "load/lrtbf-load", LIBEXECDIR "/lrtbf-load", ret, ret_message);
}
