/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Datagrams of process events: what is read from them, and which the kernel's filter lets through.
 */
#include <errno.h>
#include <glib.h>
#include <linux/cn_proc.h>
#include <linux/connector.h>
#include <linux/netlink.h>
#include <stdbool.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "proc-event.h"
#include "procfilter.h"

/* struct cn_msg, whose last member has no size, without it */
struct cn_head {
	struct cb_id id;
	uint32_t seq, ack;
	uint16_t len, flags;
};
G_STATIC_ASSERT(sizeof(struct cn_head) == sizeof(struct cn_msg));

struct datagram {
	struct nlmsghdr head;
	struct cn_head msg;
	char event[sizeof(struct proc_event)];
	char more[16]; /* what a later kernel may append */
} __attribute__((packed));

static struct datagram datagram(uint32_t what)
{
	struct datagram d = { 0 };
	struct proc_event e = { .timestamp_ns = 1234567890123 };

	d.head.nlmsg_len = offsetof(struct datagram, more);
	d.head.nlmsg_type = NLMSG_DONE;
	d.msg.id.idx = CN_IDX_PROC;
	d.msg.id.val = CN_VAL_PROC;
	d.msg.len = sizeof(struct proc_event);
	memcpy(&e, &what, sizeof(what));
	memcpy(d.event, &e, sizeof(e));
	return d;
}

static struct datagram forked(pid_t parent_pid, pid_t parent_tgid, pid_t child, pid_t child_tgid)
{
	struct datagram d = datagram(PROC_EVENT_FORK);
	struct proc_event e;

	memcpy(&e, d.event, sizeof(e));
	e.event_data.fork.parent_pid = parent_pid;
	e.event_data.fork.parent_tgid = parent_tgid;
	e.event_data.fork.child_pid = child;
	e.event_data.fork.child_tgid = child_tgid;
	memcpy(d.event, &e, sizeof(e));
	return d;
}

static struct datagram acknowledged(uint32_t ack, uint32_t error)
{
	struct datagram d = datagram(PROC_EVENT_NONE);
	struct proc_event e;

	d.msg.ack = ack;
	memcpy(&e, d.event, sizeof(e));
	e.event_data.ack.err = error;
	memcpy(d.event, &e, sizeof(e));
	return d;
}

static int decode(const struct datagram *d, size_t size, struct proc_notice *ret)
{
	/* an exact allocation, so that a sanitizer sees one byte too far */
	g_autofree char *copy = g_memdup2(d, size);

	return proc_event_decode(copy, size, ret);
}

#define WHOLE offsetof(struct datagram, more)

static void test_decode(void)
{
	struct datagram d = forked(2, 2, 4711, 4712);
	struct proc_notice n;

	g_assert_cmpint(decode(&d, WHOLE, &n), ==, 0);
	g_assert_cmpint(n.kind, ==, PROC_NOTICE_FORK);
	g_assert_cmpint(n.parent_tgid, ==, 2);
	g_assert_cmpint(n.child, ==, 4711);
	g_assert_cmpint(n.child_tgid, ==, 4712);
	g_assert_cmpuint(n.at_ns, ==, 1234567890123);

	d = acknowledged(78, 0);
	g_assert_cmpint(decode(&d, WHOLE, &n), ==, 0);
	g_assert_cmpint(n.kind, ==, PROC_NOTICE_ACK);
	g_assert_cmpuint(n.ack, ==, 78);
	g_assert_cmpint(n.error, ==, 0);
	d = acknowledged(0, EINVAL);
	g_assert_cmpint(decode(&d, WHOLE, &n), ==, 0);
	g_assert_cmpint(n.error, ==, EINVAL);

	d = datagram(PROC_EVENT_EXIT);
	g_assert_cmpint(decode(&d, WHOLE, &n), ==, 0);
	g_assert_cmpint(n.kind, ==, PROC_NOTICE_OTHER);
	d = datagram(0x10000); /* of a later kernel */
	g_assert_cmpint(decode(&d, WHOLE, &n), ==, 0);
	g_assert_cmpint(n.kind, ==, PROC_NOTICE_OTHER);
}

static void test_decode_longer(void)
{
	struct datagram d = forked(2, 2, 7, 7);
	struct proc_notice n;

	d.head.nlmsg_len = sizeof(d);
	d.msg.len += sizeof(d.more);
	g_assert_cmpint(decode(&d, sizeof(d), &n), ==, 0);
	g_assert_cmpint(n.child, ==, 7);
}

static void test_decode_cut(void)
{
	struct datagram d = forked(2, 2, 7, 7), cut;
	struct proc_notice n;

	for (size_t size = 0; size < WHOLE; size++)
		g_assert_cmpint(decode(&d, size, &n), ==, -EBADMSG);
	/* lengths that tell the truth about a datagram that holds too little */
	for (size_t size = 0; size < offsetof(struct proc_event, event_data.fork.child_tgid) + 4;
	     size++) {
		cut = d;
		cut.msg.len = size;
		cut.head.nlmsg_len = NLMSG_LENGTH(sizeof(cut.msg)) + size;
		g_assert_cmpint(decode(&cut, cut.head.nlmsg_len, &n), ==, -EBADMSG);
	}
}

static void test_decode_hostile(void)
{
	struct datagram good = forked(2, 2, 7, 7), d;
	struct proc_notice n = { .child = 99 };

#define REFUSED(change)                                                                            \
	do {                                                                                       \
		d = good;                                                                          \
		change;                                                                            \
		g_assert_cmpint(decode(&d, WHOLE, &n), ==, -EBADMSG);                              \
	} while (0)

	REFUSED(d.head.nlmsg_len = 0);
	REFUSED(d.head.nlmsg_len = sizeof(d.head));
	REFUSED(d.head.nlmsg_len = WHOLE + 1);
	REFUSED(d.head.nlmsg_len = UINT32_MAX);
	REFUSED(d.head.nlmsg_type = NLMSG_ERROR);
	REFUSED(d.msg.len = UINT16_MAX);
	REFUSED(d.msg.len++);
	REFUSED(d.msg.id.idx++);
	REFUSED(d.msg.id.val = 0);
	REFUSED(d = forked(2, 2, 0, 0));
	REFUSED(d = forked(2, 2, -7, -7));
	REFUSED(d = forked(2, -2, 7, 7));
	REFUSED(d = acknowledged(1, UINT32_MAX));
	g_assert_cmpint(n.child, ==, 99); /* untouched */
}

/* A datagram sent through the program, which the kernel runs on any kind of socket. */
static bool passes(const struct datagram *d, size_t size)
{
	char buffer[sizeof(*d)];
	int pair[2];
	ssize_t n;

	g_assert_cmpint(socketpair(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0, pair), ==, 0);
	g_assert_cmpint(setsockopt(pair[1], SOL_SOCKET, SO_ATTACH_FILTER, procfilter_program(),
				   sizeof(struct sock_fprog)),
			==, 0);
	/* one that is filtered is "sent", or not (EPERM), as the kernel's version has it */
	(void)!send(pair[0], d, size, 0);
	n = recv(pair[1], buffer, sizeof(buffer), MSG_DONTWAIT);
	if (n >= 0)
		g_assert_cmpmem(buffer, n, d, size);
	close(pair[0]);
	close(pair[1]);
	return n >= 0;
}

static void test_filter(void)
{
	struct datagram d = forked(2, 2, 4711, 4711);

	g_assert_true(passes(&d, WHOLE));
	g_assert_true(passes(&d, sizeof(d)));
	d = acknowledged(5, 0);
	g_assert_true(passes(&d, WHOLE));

	d = forked(4242, 4242, 4711, 4711);
	g_assert_false(passes(&d, WHOLE));
	d = forked(0x02000000, 0x02000000, 4711, 4711); /* 2, bytes the wrong way round */
	g_assert_false(passes(&d, WHOLE));
	d = forked(1, 1, 2, 2);
	g_assert_false(passes(&d, WHOLE));
	d = acknowledged(5, 0);
	d.msg.id.idx = 3;
	g_assert_false(passes(&d, WHOLE));
	d.msg.id.idx = CN_IDX_PROC;
	d.msg.id.val = 2;
	g_assert_false(passes(&d, WHOLE));
	d = forked(2, 2, 4711, 4711);
	g_assert_false(
		passes(&d, sizeof(d.head) + sizeof(d.msg) +
				   offsetof(struct proc_event, event_data.fork.parent_tgid)));
	g_assert_false(passes(&d, 1));
}

static void test_filter_others(void)
{
	static const uint32_t others[] = { PROC_EVENT_EXEC,   PROC_EVENT_UID,  PROC_EVENT_GID,
					   PROC_EVENT_SID,    PROC_EVENT_EXIT, PROC_EVENT_COMM,
					   PROC_EVENT_PTRACE, 0x01000000,      3 };

	for (size_t i = 0; i < G_N_ELEMENTS(others); i++) {
		/* process 2 as well: the numbers stand where a fork's parent stands */
		struct datagram d = forked(2, 2, 2, 2);

		memcpy(d.event, &others[i], sizeof(others[i]));
		g_assert_false(passes(&d, WHOLE));
	}
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/proc-event/decode", test_decode);
	g_test_add_func("/proc-event/longer", test_decode_longer);
	g_test_add_func("/proc-event/cut", test_decode_cut);
	g_test_add_func("/proc-event/hostile", test_decode_hostile);
	g_test_add_func("/proc-event/filter", test_filter);
	g_test_add_func("/proc-event/filter-others", test_filter_others);
	return g_test_run();
}
