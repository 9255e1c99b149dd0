/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * The clocks a session is told by, and the one-shot timers of its event loop.
 *
 * There is no periodic source anywhere in session/: whoever still has something to wait for sets
 * the timer again, so that an idle daemon has none.
 */
#include <stdint.h>
#include <systemd/sd-event.h>
#include <time.h>

#define NSEC_PER_SEC  1000000000ULL
#define NSEC_PER_MSEC 1000000ULL
#define NSEC_PER_USEC 1000ULL

static inline uint64_t clock_ns(clockid_t id)
{
	struct timespec t;

	clock_gettime(id, &t);
	return (uint64_t)t.tv_sec * NSEC_PER_SEC + (uint64_t)t.tv_nsec;
}

static inline uint64_t clock_mono_ns(void)
{
	return clock_ns(CLOCK_MONOTONIC);
}

static inline uint64_t clock_real_usec(void)
{
	return clock_ns(CLOCK_REALTIME) / NSEC_PER_USEC;
}

/* What the wall clock is ahead of the time since boot: another value, and it was set. */
static inline int64_t clock_real_offset_ns(void)
{
	return (int64_t)(clock_ns(CLOCK_REALTIME) - clock_ns(CLOCK_BOOTTIME));
}

/* Nanoseconds this machine has spent suspended since boot. */
static inline uint64_t clock_suspended_ns(void)
{
	uint64_t mono = clock_mono_ns(), boot = clock_ns(CLOCK_BOOTTIME);

	return boot > mono ? boot - mono : 0;
}

/* Call @cb once, @delay_ns from now; what @src held before is dropped. -errno of sd-event. */
static inline int clock_timer(sd_event *event, sd_event_source **src, uint64_t delay_ns,
			      sd_event_time_handler_t cb, void *userdata)
{
	*src = sd_event_source_disable_unref(*src);
	return sd_event_add_time_relative(event, src, CLOCK_MONOTONIC, delay_ns / NSEC_PER_USEC,
					  NSEC_PER_MSEC / NSEC_PER_USEC, cb, userdata);
}
