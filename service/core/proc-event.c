/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Each layer is copied out before it is looked at: a datagram need not be aligned for the 64-bit
 * time stamp in it (the event begins at byte 36). Events grow from kernel to kernel, so one that is
 * longer than ours is read as far as we know it, and one that is shorter only has to hold what its
 * kind needs.
 */
#include "proc-event.h"

#include <errno.h>
#include <glib.h>
#include <linux/cn_proc.h>
#include <linux/connector.h>
#include <linux/netlink.h>
#include <string.h>

#define EVENT_HAS(n, member)                                                                       \
	((n) >= offsetof(struct proc_event, event_data) +                                          \
			sizeof(((struct proc_event *)NULL)->event_data.member))

static int proc_event_fork(const struct proc_event *e, size_t size, struct proc_notice *n)
{
	if (!EVENT_HAS(size, fork))
		return -EBADMSG;
	n->kind = PROC_NOTICE_FORK;
	n->parent_tgid = e->event_data.fork.parent_tgid;
	n->child = e->event_data.fork.child_pid;
	n->child_tgid = e->event_data.fork.child_tgid;
	return n->child > 0 && n->child_tgid > 0 && n->parent_tgid >= 0 ? 0 : -EBADMSG;
}

static int proc_event_ack(const struct proc_event *e, size_t size, uint32_t ack,
			  struct proc_notice *n)
{
	if (!EVENT_HAS(size, ack) || e->event_data.ack.err > G_MAXINT)
		return -EBADMSG;
	n->kind = PROC_NOTICE_ACK;
	n->ack = ack;
	n->error = (int)e->event_data.ack.err;
	return 0;
}

static int proc_event_read(const void *data, size_t size, uint32_t ack, struct proc_notice *n)
{
	struct proc_event e = { 0 };

	if (size < offsetof(struct proc_event, event_data))
		return -EBADMSG;
	memcpy(&e, data, MIN(size, sizeof(e)));
	*n = (struct proc_notice){ .kind = PROC_NOTICE_OTHER, .at_ns = e.timestamp_ns };
	if ((uint32_t)e.what == PROC_EVENT_FORK)
		return proc_event_fork(&e, size, n);
	if ((uint32_t)e.what == PROC_EVENT_NONE)
		return proc_event_ack(&e, size, ack, n);
	return 0;
}

int proc_event_decode(const void *data, size_t size, struct proc_notice *ret)
{
	const char *at = data;
	struct nlmsghdr head;
	struct cn_msg msg;
	struct proc_notice n;
	int r;

	if (size < NLMSG_LENGTH(sizeof(msg)))
		return -EBADMSG;
	memcpy(&head, at, sizeof(head));
	if (head.nlmsg_type != NLMSG_DONE || head.nlmsg_len > size ||
	    head.nlmsg_len < NLMSG_LENGTH(sizeof(msg)))
		return -EBADMSG;
	memcpy(&msg, at + NLMSG_HDRLEN, sizeof(msg));
	if (msg.id.idx != CN_IDX_PROC || msg.id.val != CN_VAL_PROC ||
	    msg.len > head.nlmsg_len - NLMSG_LENGTH(sizeof(msg)))
		return -EBADMSG;
	r = proc_event_read(at + NLMSG_LENGTH(sizeof(msg)), msg.len, msg.ack, &n);
	if (r < 0)
		return r;
	*ret = n;
	return 0;
}
