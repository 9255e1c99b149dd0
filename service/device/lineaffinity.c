/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Why every error has its own sentence: most refusals here are no faults. A line that its driver
 * spread over the CPUs, a controller out of vectors, a sandbox with a read-only /proc/irq are facts
 * of this machine, and the one who asked has to tell them apart to know what to do. And why it is
 * read back: a write that the kernel took may still have changed nothing (a controller that cannot
 * move the line right now keeps it for later, and says so by what it reads back).
 */
#include "lineaffinity.h"

#include "cleanup.h"
#include "cpulist.h"
#include "message.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#define LIST_MAX 8192 /* every second of 1024 CPUs is about half of it */

static char *lineaffinity_path(const char *proc, unsigned irq)
{
	return g_strdup_printf("%s/irq/%u/smp_affinity_list", proc, irq);
}

int lineaffinity_get(const char *proc, unsigned irq, cpu_set_t *ret)
{
	g_autofree char *path = lineaffinity_path(proc, irq);
	g_auto(fd_t) fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	char text[LIST_MAX];
	cpu_set_t set;
	ssize_t n;

	if (fd < 0)
		return errno == ENOENT ? -ENODEV : -errno;
	n = read(fd, text, sizeof(text) - 1);
	if (n < 0)
		return -errno;
	text[n] = '\0';
	if (strlen(text) != (size_t)n || cpulist_parse(g_strchomp(text), NULL, &set, NULL) < 0)
		return -EBADMSG;
	*ret = set;
	return 0;
}

bool affinity_same(const cpu_set_t *a, const cpu_set_t *b, const cpu_set_t *online)
{
	cpu_set_t x, y;

	if (CPU_EQUAL(a, b))
		return true;
	CPU_AND(&x, a, online);
	CPU_AND(&y, b, online);
	return CPU_COUNT(&x) > 0 && CPU_EQUAL(&x, &y);
}

static int lineaffinity_open_failed(unsigned irq, const char *path, int error, char **ret_message)
{
	struct stat st;

	switch (error) {
	case ENOENT:
		return message_fail(ret_message, -ENODEV, "There is no interrupt line %u.", irq);
	case EROFS:
		return message_fail(ret_message, -EROFS,
				    "Line %u stays where it is: %s is read-only here, as a "
				    "container or a unit with ProtectKernelTunables= makes it.",
				    irq, path);
	case EACCES:
	case EPERM:
		if (stat(path, &st) == 0 && !(st.st_mode & 0222))
			return message_fail(
				ret_message, -EPERM,
				"Line %u stays where it is: the kernel lets nobody move "
				"it.",
				irq);
		return message_fail(ret_message, -EPERM,
				    "Line %u stays where it is: this process may not write %s; "
				    "root may.",
				    irq, path);
	}
	return message_fail(ret_message, -error, "Line %u stays where it is: %s: %s.", irq, path,
			    g_strerror(error));
}

static int lineaffinity_write_failed(unsigned irq, const char *list, int error, char **ret_message)
{
	switch (error) {
	case EIO:
	case EPERM:
		return message_fail(ret_message, -error,
				    "Line %u stays where it is: the kernel manages it itself (its "
				    "driver spread its lines over the CPUs, or it belongs to one "
				    "CPU) and lets nobody move it.",
				    irq);
	case ENOSPC:
		return message_fail(ret_message, -ENOSPC,
				    "Line %u stays where it is: CPU %s has no interrupt vector "
				    "left; allow it more CPUs, or move other lines away from "
				    "there.",
				    irq, list);
	case EINVAL:
		return message_fail(ret_message, -EINVAL,
				    "Line %u cannot go to CPU %s: none of them is online, or its "
				    "interrupt controller cannot reach them.",
				    irq, list);
	case ERANGE:
	case EOVERFLOW:
		return message_fail(ret_message, -EINVAL,
				    "Line %u cannot go to CPU %s: this machine can never have that "
				    "many.",
				    irq, list);
	case EBUSY:
		return message_fail(ret_message, -EBUSY,
				    "Line %u is just being moved by the kernel; try again.", irq);
	}
	return message_fail(ret_message, -error, "Line %u stays where it is: %s.", irq,
			    g_strerror(error));
}

static int lineaffinity_write(const char *proc, unsigned irq, const char *list, char **ret_message)
{
	g_autofree char *path = lineaffinity_path(proc, irq);
	g_auto(fd_t) fd = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
	g_autofree char *text = g_strdup_printf("%s\n", list);
	ssize_t n;

	if (fd < 0)
		return lineaffinity_open_failed(irq, path, errno, ret_message);
	/* in one piece: a second write would be another list */
	n = write(fd, text, strlen(text));
	if (n < 0)
		return lineaffinity_write_failed(irq, list, errno, ret_message);
	if ((size_t)n != strlen(text))
		return lineaffinity_write_failed(irq, list, E2BIG, ret_message);
	return 0;
}

int lineaffinity_set(const char *proc, unsigned irq, const cpu_set_t *cpus, const cpu_set_t *online,
		     char **ret_message)
{
	g_autofree char *list = cpulist_format(cpus), *back = NULL;
	cpu_set_t got;
	int r;

	if (CPU_COUNT(cpus) == 0) /* which the kernel takes as "wherever you like" */
		return message_fail(ret_message, -EINVAL, "Line %u needs a CPU.", irq);
	r = lineaffinity_write(proc, irq, list, ret_message);
	if (r < 0)
		return r;
	r = lineaffinity_get(proc, irq, &got);
	if (r == -ENODEV)
		return message_fail(ret_message, r, "Line %u went away while it was moved.", irq);
	if (r >= 0 && affinity_same(cpus, &got, online))
		return 0;
	back = r < 0 ? g_strdup("nothing that makes sense") : cpulist_format(&got);
	return message_fail(ret_message, -EBADE,
			    "Line %u was to go to CPU %s, the kernel took that, and it reads back "
			    "as %s.",
			    irq, list, back);
}
