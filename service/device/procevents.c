/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The kernel takes a wish to listen from anybody and is silent about refusing it: from another PID
 * or user namespace, or built without CONFIG_PROC_EVENTS, it just never sends anything. So its
 * acknowledgement decides, and only ours: acknowledgements go to all who listen, and ours is known
 * by the number it carries.
 *
 * Why a second socket, that nobody ever reads: kernels of early 2024 (6.6 and 6.7 stable, commit
 * c46bfba1337d until 8929f95b2b58 took it back) stop making process events, for all, when one that
 * was sent was taken by no listener, and a datagram that our filter drops is taken by none. The
 * second socket has no filter and a queue as small as can be; with NETLINK_BROADCAST_ERROR its
 * overrun makes the send fail as "no room" instead of as "no listener". It is not in the event
 * loop, so it wakes nobody.
 *
 * The kernel can be asked (since 6.6) for forks alone as well. That is not used: our filter has to
 * decide anyway, on a load and two compares, and the acknowledgement would be filtered away.
 */
#include "procevents.h"

#include "cleanup.h"
#include "proc-event.h"
#include "procfilter.h"

#include <errno.h>
#include <linux/cn_proc.h>
#include <linux/connector.h>
#include <linux/netlink.h>
#include <stdbool.h>
#include <string.h>
#include <sys/socket.h>

#define PROCEVENTS_QUEUE (1024 * 1024) /* bytes: some thousand kernel threads at once */
#define PROCEVENTS_BATCH 64	       /* datagrams before the event loop gets its turn */
#define PROCEVENTS_WAKE	 1000	       /* microseconds that a timer may be late */

struct procevents {
	procevents_news_t news;
	void *userdata;
	fd_t fd;
	fd_t unread; /* see above */
	uint32_t token;
	bool ready;
	sd_event_source *io;
	sd_event_source *deadline;
};

static int procevents_refuse(struct procevents *p, const char *why)
{
	struct procevents_news n = { .what = PROCEVENTS_REFUSED, .why = why };

	p->io = sd_event_source_disable_unref(p->io);
	p->deadline = sd_event_source_disable_unref(p->deadline);
	p->news(&n, p->userdata); /* may have freed p */
	return 0;
}

static int on_procevents_deadline(sd_event_source *s, uint64_t usec, void *userdata)
{
	return procevents_refuse(userdata,
				 "The kernel did not answer the wish to hear of new threads within "
				 "a second: this is another PID or user namespace than the "
				 "machine's own, or a kernel without CONFIG_PROC_EVENTS.");
}

static int procevents_acknowledged(struct procevents *p, const struct proc_notice *notice)
{
	struct procevents_news n = { .what = PROCEVENTS_READY };
	g_autofree char *why = NULL;

	if (p->ready || notice->ack != p->token + 1)
		return 0;
	if (notice->error != 0) {
		why = g_strdup_printf("The kernel refuses to tell of new threads: %s.",
				      g_strerror(notice->error));
		(void)procevents_refuse(p, why);
		return -ECANCELED;
	}
	p->ready = true;
	p->deadline = sd_event_source_disable_unref(p->deadline);
	p->news(&n, p->userdata);
	return 0;
}

/* -ECANCELED: refused, and p may be gone. */
static int procevents_tell(struct procevents *p, const void *data, size_t size)
{
	struct procevents_news n = { .what = PROCEVENTS_THREAD };
	struct proc_notice notice;

	if (proc_event_decode(data, size, &notice) < 0)
		return 0;
	if (notice.kind == PROC_NOTICE_ACK)
		return procevents_acknowledged(p, &notice);
	/* a filter takes a moment to be in force; only a leader can be a kernel thread */
	if (notice.kind != PROC_NOTICE_FORK || notice.parent_tgid != 2 ||
	    notice.child != notice.child_tgid)
		return 0;
	n.child = notice.child;
	n.at_ns = notice.at_ns;
	p->news(&n, p->userdata);
	return 0;
}

/* 1: one datagram is done; 0: no more now; -errno: the socket is of no use any more. */
static int procevents_receive(struct procevents *p)
{
	struct procevents_news lost = { .what = PROCEVENTS_LOST };
	struct sockaddr_nl from = { 0 };
	socklen_t from_size = sizeof(from);
	char buffer[1024];
	ssize_t n = recvfrom(p->fd, buffer, sizeof(buffer), MSG_DONTWAIT, (struct sockaddr *)&from,
			     &from_size);

	if (n < 0 && errno == ENOBUFS) {
		p->news(&lost, p->userdata);
		return 1;
	}
	if (n < 0)
		return errno == EAGAIN || errno == EINTR ? 0 : -errno;
	if (from_size < sizeof(from) || from.nl_family != AF_NETLINK || from.nl_pid != 0)
		return 1; /* another process, with the right to send to us, plays kernel */
	n = procevents_tell(p, buffer, n);
	return n < 0 ? (int)n : 1;
}

static int on_procevents(sd_event_source *s, int fd, uint32_t revents, void *userdata)
{
	struct procevents *p = userdata;
	g_autofree char *why = NULL;
	int r = 1;

	for (int i = 0; i < PROCEVENTS_BATCH && r > 0; i++)
		r = procevents_receive(p);
	if (r >= 0 || r == -ECANCELED)
		return 0;
	why = g_strdup_printf("The kernel's news of new threads broke off: %s.", g_strerror(-r));
	return procevents_refuse(p, why);
}

/* A socket in the group of process events. @filter may be NULL. */
static int procevents_join(const struct sock_fprog *filter, fd_t *ret)
{
	g_auto(fd_t) fd =
		socket(AF_NETLINK, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, NETLINK_CONNECTOR);
	struct sockaddr_nl at = { .nl_family = AF_NETLINK, .nl_groups = CN_IDX_PROC };
	int least = 1, on = 1;

	if (fd < 0)
		return -errno;
	if (filter) {
		if (setsockopt(fd, SOL_SOCKET, SO_ATTACH_FILTER, filter, sizeof(*filter)) < 0)
			return -errno;
	} else if (setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &least, sizeof(least)) < 0 ||
		   setsockopt(fd, SOL_NETLINK, NETLINK_BROADCAST_ERROR, &on, sizeof(on)) < 0) {
		return -errno;
	}
	if (bind(fd, (struct sockaddr *)&at, sizeof(at)) < 0)
		return -errno;
	*ret = fd_steal(&fd);
	return 0;
}

static void procevents_enlarge(int fd)
{
	int size = PROCEVENTS_QUEUE;

	/* the first may exceed the system's limit, and needs CAP_NET_ADMIN; without either the
	 * queue is as small as it is, and what it loses is told as lost */
	if (setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &size, sizeof(size)) < 0)
		(void)setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &size, sizeof(size));
}

static int procevents_listen(int fd, uint32_t token)
{
	enum proc_cn_mcast_op wish = PROC_CN_MCAST_LISTEN;
	struct cn_msg msg = { .id = { CN_IDX_PROC, CN_VAL_PROC },
			      .ack = token,
			      .len = sizeof(wish) };
	struct nlmsghdr head = { .nlmsg_len = NLMSG_LENGTH(sizeof(msg) + sizeof(wish)),
				 .nlmsg_type = NLMSG_DONE };
	char bytes[NLMSG_LENGTH(sizeof(msg) + sizeof(wish))];

	memcpy(bytes, &head, sizeof(head));
	memcpy(bytes + NLMSG_HDRLEN, &msg, sizeof(msg));
	memcpy(bytes + NLMSG_HDRLEN + sizeof(msg), &wish, sizeof(wish));
	return send(fd, bytes, sizeof(bytes), 0) < 0 ? -errno : 0;
}

static char *procevents_explain(int error)
{
	if (error == -EPERM || error == -EACCES)
		return g_strdup(
			"This process may not hear of new threads from the kernel: it lacks "
			"CAP_NET_ADMIN.");
	if (error == -ECONNREFUSED)
		return g_strdup("The kernel tells of new threads in the machine's own network "
				"namespace only, and this is another.");
	if (error == -EPROTONOSUPPORT || error == -EAFNOSUPPORT)
		return g_strdup(
			"This kernel cannot tell of new threads: it has no CONFIG_CONNECTOR.");
	return g_strdup_printf("The kernel cannot be asked to tell of new threads: %s.",
			       g_strerror(-error));
}

static int procevents_open(struct procevents *p)
{
	int r = procevents_join(NULL, &p->unread);

	if (r >= 0)
		r = procevents_join(procfilter_program(), &p->fd);
	if (r < 0)
		return r;
	procevents_enlarge(p->fd);
	p->token = g_random_int();
	return procevents_listen(p->fd, p->token);
}

int procevents_new(sd_event *event, procevents_news_t news, void *userdata, struct procevents **ret,
		   char **ret_why)
{
	struct procevents *p = g_new0(struct procevents, 1);
	int r;

	p->fd = p->unread = -1;
	p->news = news;
	p->userdata = userdata;
	r = procevents_open(p);
	if (r >= 0)
		r = sd_event_add_io(event, &p->io, p->fd, EPOLLIN, on_procevents, p);
	if (r >= 0)
		r = sd_event_add_time_relative(event, &p->deadline, CLOCK_MONOTONIC,
					       PROCEVENTS_ANSWER_USEC, PROCEVENTS_WAKE,
					       on_procevents_deadline, p);
	if (r < 0) {
		*ret_why = procevents_explain(r);
		procevents_free(p);
		return r;
	}
	*ret = p;
	return 0;
}

struct procevents *procevents_free(struct procevents *p)
{
	if (!p)
		return NULL;
	sd_event_source_disable_unref(p->io);
	sd_event_source_disable_unref(p->deadline);
	fd_close(p->fd);
	fd_close(p->unread);
	g_free(p);
	return NULL;
}
