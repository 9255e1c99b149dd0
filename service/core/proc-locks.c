/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "proc-locks.h"

#include "proc-line.h"

#include <glib.h>
#include <limits.h>
#include <string.h>
#include <sys/sysmacros.h>

/* "fe:00:1096 ": device in hexadecimal, inode in decimal. */
static bool locks_is_file(const struct proc_line *l, dev_t dev, ino_t inode)
{
	g_autofree char *want = g_strdup_printf("%02x:%02x:%lu ", major(dev), minor(dev), inode);
	size_t n = strlen(want);

	return l->left >= n && memcmp(l->at, want, n) == 0;
}

/* "1: FLOCK  ADVISORY  WRITE 17763 fe:00:1096 0 EOF"; one who waits has "->" before FLOCK. */
static pid_t locks_line(struct proc_line l, dev_t dev, ino_t inode)
{
	static const char *const words[] = { "FLOCK", "ADVISORY", "WRITE" };
	const char *colon = memchr(l.at, ':', l.left);
	uint64_t pid;

	if (!colon)
		return 0;
	l.left -= colon + 1 - l.at;
	l.at = colon + 1;
	for (size_t i = 0; i < G_N_ELEMENTS(words); i++) {
		proc_line_skip_blanks(&l);
		if (!proc_line_word(&l, words[i]))
			return 0;
	}
	if (!proc_line_number(&l, &pid) || pid > INT_MAX)
		return 0;
	proc_line_skip_blanks(&l);
	return locks_is_file(&l, dev, inode) ? (pid_t)pid : 0;
}

pid_t proc_locks_holder(const char *text, size_t size, dev_t dev, ino_t inode)
{
	struct proc_text t = { .at = text, .left = size };
	struct proc_line l;
	pid_t pid = 0;

	while (pid == 0 && proc_text_line(&t, &l))
		pid = locks_line(l, dev, inode);
	return pid;
}
