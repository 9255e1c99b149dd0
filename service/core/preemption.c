/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The version text is built by scripts/mkcompile_h or init/Makefile: words after "#1 SMP". "PREEMPT
 * RT" is what the patch set of old wrote. A word counts only as a whole: a builder's name may hold
 * any of them.
 */
#include "preemption.h"

#include <glib.h>
#include <string.h>

static const char *const preemption_names[] = { NULL, "none", "voluntary", "lazy", "full", "rt" };

const char *preemption_to_string(enum preemption p)
{
	return p > PREEMPTION_UNKNOWN && p < G_N_ELEMENTS(preemption_names) ? preemption_names[p]
									    : NULL;
}

static enum preemption preemption_from_name(const char *name)
{
	for (guint i = 1; i < G_N_ELEMENTS(preemption_names); i++)
		if (strcmp(name, preemption_names[i]) == 0)
			return i;
	return PREEMPTION_UNKNOWN;
}

enum preemption preemption_from_version(const char *version, bool *ret_dynamic)
{
	g_auto(GStrv) words = g_strsplit_set(version, " \t\n", -1);
	enum preemption p = PREEMPTION_UNKNOWN;

	*ret_dynamic = false;
	for (char **w = words; *w; w++) {
		if (strcmp(*w, "PREEMPT_RT") == 0 ||
		    (strcmp(*w, "PREEMPT") == 0 && g_strcmp0(w[1], "RT") == 0))
			return PREEMPTION_RT;
		if (strcmp(*w, "PREEMPT_DYNAMIC") == 0)
			*ret_dynamic = true;
		else if (strcmp(*w, "PREEMPT_LAZY") == 0)
			p = PREEMPTION_LAZY;
		else if (strcmp(*w, "PREEMPT") == 0)
			p = PREEMPTION_FULL;
	}
	return p;
}

enum preemption preemption_from_debugfs(const char *text)
{
	const char *open = strchr(text, '('), *close = open ? strchr(open, ')') : NULL;
	g_autofree char *name = close ? g_strndup(open + 1, close - open - 1) : NULL;

	return name ? preemption_from_name(name) : PREEMPTION_UNKNOWN;
}

enum preemption preemption_from_command_line(const char *text)
{
	g_auto(GStrv) words = g_strsplit_set(text, " \t\n", -1);
	enum preemption p = PREEMPTION_UNKNOWN;

	for (char **w = words; *w; w++) {
		if (strcmp(*w, "--") == 0) /* what follows is for init */
			break;
		if (g_str_has_prefix(*w, "preempt="))
			p = preemption_from_name(*w + strlen("preempt="));
	}
	return p;
}
