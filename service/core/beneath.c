/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A captured tree may have a link to this machine's /proc or /sys in the place of a folder: values
 * of the machine that reads would be shown, and captured again, as the tree's. Only the kernel can
 * look at a path and open it in one go.
 */
#include "beneath.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/syscall.h>
#include <unistd.h>

int beneath_openat(int folder, const char *name, int flags)
{
	struct open_how how = {
		.flags = (unsigned)flags,
		.resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS,
	};
	long fd = syscall(SYS_openat2, folder, name, &how, sizeof(how));

	/* an older kernel, or a sandbox that does not know it */
	if (fd < 0 && (errno == ENOSYS || errno == EPERM))
		return openat(folder, name, flags);
	return (int)fd;
}
