/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <glib.h>
#include <stdint.h>
#include <sys/sysmacros.h>

#include "proc-locks.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	g_assert_cmpint(proc_locks_holder((const char *)data, size, makedev(0xfe, 0), 1096), >=, 0);
	return 0;
}
