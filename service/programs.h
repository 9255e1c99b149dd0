/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * Where the programs are that are part of us: the one that an option names, else that of the build
 * tree when lrtbfd runs from one, else the installed one.
 */

/* @option: NULL, none given. g_free(). -errno with a sentence: it cannot be executed. */
int program_measure(const char *option, char **ret, char **ret_message);
int program_load(const char *option, char **ret, char **ret_message);
