/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The same bytes as configuration, /proc/cpuinfo, version and command line. */
#include <stdint.h>
#include <string.h>

#include "kconfig.h"
#include "preemption.h"
#include "proc-cpuinfo.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	g_autoptr(GHashTable) options = kconfig_parse((const char *)data, size);
	g_autofree char *text = size > 0 ? g_strndup((const char *)data, size) : g_strdup("");
	struct proc_cpuinfo c;
	bool dynamic;

	g_assert_cmpuint(g_hash_table_size(options), <=, size / strlen("CONFIG_A="));
	proc_cpuinfo_parse((const char *)data, size, &c);
	g_assert_true(!c.model || g_utf8_validate(c.model, -1, NULL));
	proc_cpuinfo_done(&c);
	if (preemption_from_version(text, &dynamic) == PREEMPTION_RT)
		g_assert_nonnull(strstr(text, "PREEMPT"));
	(void)preemption_from_debugfs(text);
	(void)preemption_from_command_line(text);
	return 0;
}
