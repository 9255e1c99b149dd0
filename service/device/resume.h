/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * The end of a suspend, after which firmware, drivers and the kernel may have set threads and lines
 * anew. Waited for, not asked for; a clock that was merely set is no resume. Owned by
 * threadwatch.c, event loop's thread only.
 */
#include <stdint.h>
#include <systemd/sd-event.h>

struct resume;

typedef void (*resume_news_t)(void *userdata);

/* -errno of timerfd_create(2) or sd-event. */
int resume_new(sd_event *event, resume_news_t news, void *userdata, struct resume **ret);
struct resume *resume_free(struct resume *u);

/* Nanoseconds this machine has spent suspended since boot, up to some microseconds. */
uint64_t resume_suspended_ns(void);
/* The clock was set, or the machine resumed: tell when @suspended_ns has grown since last time. */
void resume_look(struct resume *u, uint64_t suspended_ns);
