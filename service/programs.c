/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "programs.h"

#include "config.h"
#include <errno.h>
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

int program_measure(const char *option, char **ret, char **ret_message)
{
	return program_find(option, "measure/lrtbf-measure", BINDIR "/lrtbf-measure", ret,
			    ret_message);
}

int program_load(const char *option, char **ret, char **ret_message)
{
	return program_find(option, "load/lrtbf-load", LIBEXECDIR "/lrtbf-load", ret, ret_message);
}
