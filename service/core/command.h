/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * Where a load's command is: the one PATH that loads are looked up in and run with, whatever the
 * daemon's own environment says.
 */
#define COMMAND_PATH "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

/* The file that @name stands for (g_free); with a slash in it: itself. -ENOENT; -EACCES: not
 * executable. */
int command_find(const char *name, char **ret);
