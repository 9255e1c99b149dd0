/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * BPF_ABS loads read the datagram as big-endian, the kernel writes it in its own byte order: hence
 * every constant is as a big-endian machine would see it. A load behind the end of a datagram ends
 * the program with 0, which drops it.
 *
 * A fork is told with the new task's real parent (parent_tgid), which is kthreadd for all kernel
 * threads: whoever asks for one has kthreadd make it. Flags of the task (PF_KTHREAD) are not in the
 * event; who gets it has to look.
 */
#include "procfilter.h"

#include <glib.h>
#include <linux/cn_proc.h>
#include <linux/connector.h>
#include <linux/netlink.h>
#include <stddef.h>
#include <stdint.h>

#define KTHREADD    2
#define AT_MSG(m)   (NLMSG_HDRLEN + offsetof(struct cn_msg, m))
#define AT_EVENT(m) (NLMSG_LENGTH(sizeof(struct cn_msg)) + offsetof(struct proc_event, m))
#define LOAD(at)    BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (at))
#if G_BYTE_ORDER == G_LITTLE_ENDIAN
#define SEEN(v) GUINT32_SWAP_LE_BE_CONSTANT((guint32)(v))
#else
#define SEEN(v) (v)
#endif
#define IF(v, t, e)  BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SEEN(v), (t), (e))
#define RETURN(size) BPF_STMT(BPF_RET | BPF_K, (size))

const struct sock_fprog *procfilter_program(void)
{
	static struct sock_filter steps[] = {
		LOAD(AT_MSG(id.idx)),
		IF(CN_IDX_PROC, 0, 8),
		LOAD(AT_MSG(id.val)),
		IF(CN_VAL_PROC, 0, 6),
		LOAD(AT_EVENT(what)),
		IF(PROC_EVENT_NONE, 3, 0),
		IF(PROC_EVENT_FORK, 0, 3),
		LOAD(AT_EVENT(event_data.fork.parent_tgid)),
		IF(KTHREADD, 0, 1),
		RETURN(UINT32_MAX),
		RETURN(0),
	};
	static const struct sock_fprog program = { G_N_ELEMENTS(steps), steps };

	return &program;
}
