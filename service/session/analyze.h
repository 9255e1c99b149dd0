/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * systemd-analyze(1) asked about calendar expressions, by a process that nobody waits for. Owned by
 * calendars.c; event loop's thread only.
 */
#include <stddef.h>
#include <stdint.h>
#include <systemd/sd-event.h>

struct analyze;

/*
 * Once, from the event loop: 0, all could be read; 1, one of them at least could not; -ETIMEDOUT;
 * -EIO. @text: what was printed, borrowed; without @base_usec nothing. The question may be freed
 * from within.
 */
typedef void (*analyze_done_t)(int r, const char *text, size_t size, void *userdata);

/*
 * @texts: NULL-ended, at least one. @base_usec: the time (since the epoch) after which the next
 * elapse is asked for; 0: now. -ENOENT: there is no systemd-analyze here; other -errno.
 */
int analyze_start(sd_event *event, const char *const *texts, uint64_t base_usec,
		  analyze_done_t done, void *userdata, struct analyze **ret);
/* Ends it if it still runs; @done is not called any more. NULL is fine; returns NULL. */
struct analyze *analyze_free(struct analyze *a);
