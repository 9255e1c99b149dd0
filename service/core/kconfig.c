/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "kconfig.h"

#include <string.h>

#include "proc-line.h"

#define PREFIX "CONFIG_"

static void kconfig_take(GHashTable *options, struct proc_line line)
{
	const size_t skip = strlen(PREFIX);
	const char *equals;

	if (line.left <= skip || memcmp(line.at, PREFIX, skip) != 0 ||
	    memchr(line.at, '\0', line.left))
		return;
	line.at += skip;
	line.left -= skip;
	equals = memchr(line.at, '=', line.left);
	if (!equals || equals == line.at)
		return;
	g_hash_table_replace(options, g_strndup(line.at, equals - line.at),
			     g_strchomp(g_strndup(equals + 1, line.left - (equals + 1 - line.at))));
}

GHashTable *kconfig_parse(const char *text, size_t size)
{
	GHashTable *options = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
	struct proc_text t = { .at = text, .left = size };
	struct proc_line line;

	while (proc_text_line(&t, &line))
		kconfig_take(options, line);
	return options;
}
