/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The same bytes as each of the three files. */
#include <string.h>

#include "proc-counters.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *text = (const char *)data;
	GArray *devices = NULL;
	struct proc_vmstat v;
	struct proc_stat s;

	if (proc_stat_parse(text, size, &s) == 0)
		g_assert_true(memmem(text, size, "ctxt", 4) && memmem(text, size, "processes", 9));
	if (proc_vmstat_parse(text, size, &v) == 0)
		g_assert_nonnull(memmem(text, size, "pgpgin", 6));
	if (proc_net_dev_parse(text, size, &devices) == 0) {
		for (guint i = 0; i < devices->len; i++)
			g_assert_cmpuint(strlen(g_array_index(devices, struct proc_netdev, i).name),
					 <, 32);
		g_array_unref(devices);
	}
	return 0;
}
