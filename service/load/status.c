/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A packet socket and not a pipe: instances write to it at the same time, a packet needs no
 * assembling on the other side, and a pidfd can travel. Errors are ignored: a daemon that is gone
 * takes the nanny with it by other means.
 */
#include "status.h"

#include <string.h>
#include <sys/socket.h>

#include "errand.h"

static void status_put(const char *text, int fd)
{
	char control[CMSG_SPACE(sizeof(int))] = "";
	struct iovec iov = { .iov_base = (void *)text,
			     .iov_len = MIN(strlen(text), ERRAND_STATUS_MAX) };
	struct msghdr msg = { .msg_iov = &iov, .msg_iovlen = 1 };
	struct cmsghdr *c;

	if (fd >= 0) {
		msg.msg_control = control;
		msg.msg_controllen = sizeof(control);
		c = CMSG_FIRSTHDR(&msg);
		c->cmsg_level = SOL_SOCKET;
		c->cmsg_type = SCM_RIGHTS;
		c->cmsg_len = CMSG_LEN(sizeof(int));
		memcpy(CMSG_DATA(c), &fd, sizeof(int));
	}
	(void)sendmsg(ERRAND_STATUS_FD, &msg, MSG_NOSIGNAL);
}

void status_send(const char *word, const char *fmt, ...)
{
	g_autofree char *text = NULL, *line = NULL;
	va_list ap;

	va_start(ap, fmt);
	text = g_strdup_vprintf(fmt, ap);
	va_end(ap);
	line = g_strdup_printf("%s %s", word, text);
	status_put(g_strchomp(line), -1);
}

void status_send_fd(const char *word, const char *text, int fd)
{
	g_autofree char *line = g_strdup_printf("%s %s", word, text);

	status_put(line, fd);
}
