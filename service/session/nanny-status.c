/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A packet and the descriptor that comes with it are read at once, or the descriptor is lost. */
#include <errno.h>
#include <string.h>
#include <sys/socket.h>

#include "nanny.h"

int nanny_read_status(int status_fd, char text[ERRAND_STATUS_MAX + 1], int *ret_fd)
{
	union {
		char bytes[CMSG_SPACE(sizeof(int))];
		struct cmsghdr align;
	} control;
	struct iovec iov = { .iov_base = text, .iov_len = ERRAND_STATUS_MAX };
	struct msghdr msg = { .msg_iov = &iov,
			      .msg_iovlen = 1,
			      .msg_control = &control,
			      .msg_controllen = sizeof(control) };
	ssize_t size = recvmsg(status_fd, &msg, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);

	if (size < 0)
		return errno == EAGAIN || errno == EINTR ? 0 : -errno;
	if (size == 0)
		return -EPIPE;
	text[size] = '\0';
	*ret_fd = -1;
	for (struct cmsghdr *c = CMSG_FIRSTHDR(&msg); c; c = CMSG_NXTHDR(&msg, c))
		if (c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_RIGHTS &&
		    c->cmsg_len == CMSG_LEN(sizeof(int)))
			memcpy(ret_fd, CMSG_DATA(c), sizeof(int));
	return 1;
}
