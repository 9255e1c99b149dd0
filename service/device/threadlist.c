/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Why order counts: the kernel appends a child to its parent's list, so all that has come stands
 * behind all that was there. Comparing is one pass without any set, and an id that ended and was
 * given again, which a set would not see, stands too late and is taken for new.
 */
#include "threadlist.h"

#include "sysfile.h"

#include <errno.h>
#include <limits.h>
#include <stdint.h>

#define THREADLIST_MAX                                                                             \
	(16 * 1024 * 1024) /* bytes; 4 million ids, the most there can be, in part                 \
			    */

struct threadlist {
	const char *root;
	GArray *last;
};

GArray *threadlist_parse(const char *text, size_t size)
{
	GArray *ids = g_array_new(FALSE, FALSE, sizeof(pid_t));
	size_t i = 0;

	while (i < size) {
		uint64_t id = 0;
		size_t begin = i;
		pid_t pid;

		while (i < size && g_ascii_isdigit(text[i]) && id <= INT_MAX)
			id = id * 10 + (uint64_t)(text[i++] - '0');
		if (i == begin || id == 0 || id > INT_MAX)
			break;
		pid = (pid_t)id;
		g_array_append_val(ids, pid);
		while (i < size && text[i] == ' ')
			i++;
	}
	return ids;
}

GArray *threadlist_compare(const GArray *before, const GArray *now)
{
	GArray *new = g_array_new(FALSE, FALSE, sizeof(pid_t));
	guint old = 0, i;

	for (i = 0; i < now->len; i++) {
		pid_t id = g_array_index(now, pid_t, i);
		guint at = old;

		while (at < before->len && g_array_index(before, pid_t, at) != id)
			at++;
		if (at == before->len)
			break;
		old = at + 1;
	}
	if (i < now->len)
		g_array_append_vals(new, &g_array_index(now, pid_t, i), now->len - i);
	return new;
}

static GArray *threadlist_get(const char *root)
{
	size_t size;
	g_autofree char *text =
		sysfile_bytes(root, "proc/2/task/2/children", THREADLIST_MAX, &size);

	return text ? threadlist_parse(text, size) : NULL;
}

int threadlist_read(struct threadlist *l, GArray **ret_new)
{
	g_autoptr(GArray) now = threadlist_get(l->root);

	if (!now) {
		g_autofree char *name = sysfile_text(l->root, "proc/2/comm");

		return g_strcmp0(name, "kthreadd") == 0 ? -EOPNOTSUPP : -ENOENT;
	}
	*ret_new = threadlist_compare(l->last, now);
	g_array_unref(l->last);
	l->last = g_steal_pointer(&now);
	return 0;
}

struct threadlist *threadlist_new(const char *root)
{
	struct threadlist *l = g_new0(struct threadlist, 1);

	l->root = root;
	l->last = threadlist_get(root) ?: g_array_new(FALSE, FALSE, sizeof(pid_t));
	return l;
}

struct threadlist *threadlist_free(struct threadlist *l)
{
	if (!l)
		return NULL;
	g_array_unref(l->last);
	g_free(l);
	return NULL;
}
