/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One thing that is no number makes the whole list worthless: what else is wrong is not known. */
#include "proc-children.h"

#include <errno.h>
#include <stdbool.h>
#include <sys/types.h>

static bool is_gap(char c)
{
	return c == ' ' || c == '\n';
}

int proc_children_parse(const char *text, gsize size, GArray *tids)
{
	guint before = tids->len;
	gsize at = 0;

	while (at < size) {
		gsize begin = at;
		pid_t tid = 0;

		for (; at < size && text[at] >= '0' && text[at] <= '9'; at++)
			if (__builtin_mul_overflow(tid, 10, &tid) ||
			    __builtin_add_overflow(tid, text[at] - '0', &tid))
				return -EBADMSG;
		if ((at > begin && tid == 0) || (at < size && !is_gap(text[at])))
			return -EBADMSG;
		if (at > begin)
			g_array_append_val(tids, tid);
		at++;
	}
	return tids->len > before ? 0 : -EBADMSG;
}
