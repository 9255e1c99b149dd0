/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdint.h>
#include <string.h>
#include <sys/types.h>

#include "proc-children.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	g_autoptr(GArray) tids = g_array_new(FALSE, FALSE, sizeof(pid_t));
	g_autoptr(GArray) again = g_array_new(FALSE, FALSE, sizeof(pid_t));
	g_autoptr(GString) text = g_string_new(NULL);

	if (proc_children_parse((const char *)data, size, tids) < 0)
		return 0;
	g_assert_cmpuint(tids->len, >, 0);
	for (guint i = 0; i < tids->len; i++) {
		g_assert_cmpint(g_array_index(tids, pid_t, i), >, 0);
		g_string_append_printf(text, "%d ", g_array_index(tids, pid_t, i));
	}
	g_assert_cmpint(proc_children_parse(text->str, text->len, again), ==, 0);
	g_assert_cmpmem(tids->data, tids->len * sizeof(pid_t), again->data,
			again->len * sizeof(pid_t));
	return 0;
}
