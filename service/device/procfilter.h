/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * The socket filter of process events: a classic BPF program that the kernel runs over each
 * datagram before it is queued, so that what user processes do wakes nobody. Lets through answers
 * to wishes to listen, and forks by kthreadd (2), whose children are kernel threads. (A helper
 * program that the kernel starts for itself is its child too, for an instant.)
 */
#include <linux/filter.h>

/* Static; for setsockopt(SO_ATTACH_FILTER). */
const struct sock_fprog *procfilter_program(void);
