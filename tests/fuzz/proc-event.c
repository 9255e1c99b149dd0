/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <glib.h>
#include <stdint.h>

#include "proc-event.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct proc_notice n;

	if (proc_event_decode(data, size, &n) < 0)
		return 0;
	g_assert_cmpint(n.kind, <=, PROC_NOTICE_OTHER);
	if (n.kind == PROC_NOTICE_FORK) {
		g_assert_cmpint(n.child, >, 0);
		g_assert_cmpint(n.child_tgid, >, 0);
		g_assert_cmpint(n.parent_tgid, >=, 0);
	}
	if (n.kind == PROC_NOTICE_ACK)
		g_assert_cmpint(n.error, >=, 0);
	return 0;
}
