/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <glib.h>
#include <stdint.h>
#include <string.h>

#include "proc-pid.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct proc_pid_stat p;

	if (proc_pid_stat_parse((const char *)data, size, &p) < 0)
		return 0;
	g_assert_cmpint(p.pid, >=, 0);
	g_assert_cmpint(p.ppid, >=, 0);
	g_assert_cmpuint(p.rt_prio, <=, 99);
	g_assert_cmpint(p.nice, >=, -20);
	g_assert_cmpuint(strlen(p.comm), <, sizeof(p.comm));
	return 0;
}
