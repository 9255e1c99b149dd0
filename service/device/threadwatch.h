/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * Threads and devices that come later: when to look again. Tells, decides nothing. Owned by
 * irqpolicy.c, event loop's thread only.
 *
 * Sources, all of them waited for and none asked: kernel process events (netlink proc connector,
 * with a filter in the kernel that lets through only what kthreadd forks, so user processes never
 * wake us), udev events of devices that interrupts belong to (added, removed, moved, bound,
 * unbound) and of CPUs (online, offline), the end of a suspend. A process event comes before the
 * thread has its name and, on interrupt threads, its fifo 50: a newcomer is looked at until both
 * have settled, and told of then. Only where process events cannot be had (their acknowledgement
 * did not come within a second: another network or PID namespace, no CAP_NET_ADMIN, no
 * CONFIG_PROC_EVENTS) the list of kernel threads is read every THREADWATCH_POLL_USEC instead; a
 * list that is as it was costs 0.2 ms and is no news.
 *
 * A burst of reasons to look is told of once, THREADWATCH_LOOK_USEC after the first, a little later
 * while newcomers are settling (their values are the kernel's own to set until then), and not more
 * often than every THREADWATCH_REST_USEC.
 */
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <systemd/sd-event.h>

#define THREADWATCH_POLL_USEC (5 * UINT64_C(1000000))
#define THREADWATCH_LOOK_USEC (30 * UINT64_C(1000))
#define THREADWATCH_REST_USEC (200 * UINT64_C(1000))

struct threadwatch;

enum threadwatch_news {
	THREADWATCH_THREAD, /* a kernel thread that rules may name has come and settled; maybe told
			       of twice */
	THREADWATCH_LOOK, /* something else changed (device, resume, events lost, poll): look at all
			   */
	THREADWATCH_RESET, /* the kernel may have set threads and lines anew (resume, a CPU that
			      came or went): told of at once, and the look follows */
	THREADWATCH_MODE,  /* threadwatch_mode() changed */
};

struct threadwatch_newcomer {
	pid_t tid;
	uint64_t start_ticks;
	uint64_t created_ns; /* CLOCK_MONOTONIC, when the kernel told of it; 0: not known (poll) */
};

/* @newcomer: THREADWATCH_THREAD only. May not free the threadwatch. */
typedef void (*threadwatch_news_t)(enum threadwatch_news what,
				   const struct threadwatch_newcomer *newcomer, void *userdata);

/* Begins at once, never tells before it has returned. Never fails for a source that cannot be had.
 * -errno of sd-event. */
int threadwatch_new(sd_event *event, threadwatch_news_t news, void *userdata,
		    struct threadwatch **ret);
struct threadwatch *threadwatch_free(struct threadwatch *w);

/* "process-events", "poll" (and why: *ret_why, borrowed, NULL otherwise), "starting". */
const char *threadwatch_mode(const struct threadwatch *w, const char **ret_why);
