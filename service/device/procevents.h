/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * Kernel process events: new kernel threads, told by the kernel as they come. Owned by
 * threadwatch.c, event loop's thread only. User processes' events are dropped in the kernel (see
 * procfilter.h). Usable from PROCEVENTS_READY on; a source that will never be is REFUSED within
 * PROCEVENTS_ANSWER_USEC, with a sentence.
 */
#include <stdint.h>
#include <sys/types.h>
#include <systemd/sd-event.h>

#define PROCEVENTS_ANSWER_USEC UINT64_C(1000000)

struct procevents;

enum procevents_what {
	PROCEVENTS_READY,   /* once: from now on nothing is missed */
	PROCEVENTS_THREAD,  /* `child` has come: a kernel thread, without its name yet */
	PROCEVENTS_LOST,    /* the queue ran over: events are missing */
	PROCEVENTS_REFUSED, /* no events will come (any more): `why`; free it, now or later */
};

struct procevents_news {
	enum procevents_what what;
	pid_t child;	 /* THREAD */
	uint64_t at_ns;	 /* THREAD: CLOCK_MONOTONIC, when it was made */
	const char *why; /* REFUSED: a sentence, borrowed */
};

/* May free the procevents on REFUSED, and only then. */
typedef void (*procevents_news_t)(const struct procevents_news *n, void *userdata);

/* -errno of the step that the kernel refused, with a sentence (g_free). */
int procevents_new(sd_event *event, procevents_news_t news, void *userdata, struct procevents **ret,
		   char **ret_why);
struct procevents *procevents_free(struct procevents *p);
