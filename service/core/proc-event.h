/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * A datagram of the kernel's process events: what it tells. Pure. Fuzzed. Sources:
 * include/uapi/linux/cn_proc.h, connector.h and netlink.h, drivers/connector/cn_proc.c: one netlink
 * message holds one connector message holds one event, all in the kernel's own byte order.
 */
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum proc_notice_kind {
	PROC_NOTICE_ACK,   /* the answer to somebody's wish to listen, or to listen no more */
	PROC_NOTICE_FORK,  /* a task has come */
	PROC_NOTICE_OTHER, /* exec, exit, ...: nothing that is decoded here */
};

struct proc_notice {
	enum proc_notice_kind kind;
	uint64_t at_ns;	   /* CLOCK_MONOTONIC, when it happened */
	uint32_t ack;	   /* ACK: of the wish it answers, plus 1 */
	int error;	   /* ACK: positive errno; 0: granted */
	pid_t parent_tgid; /* FORK; ids are those of the first PID namespace */
	pid_t child, child_tgid;
};

/* -EBADMSG: no such datagram, cut, or with lengths that do not fit into each other. */
int proc_event_decode(const void *data, size_t size, struct proc_notice *ret);
