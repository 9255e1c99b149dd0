/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * What systemd-analyze(1) prints about a calendar expression. Pure. Fuzzed.
 */
#include <stddef.h>
#include <stdint.h>

/*
 * The next time of the one expression that "calendar" was called with: 0 and microseconds since the
 * epoch; -ENODATA: it never comes; -EBADMSG: this is no such output. @text needs no NUL.
 */
int calendartext_next(const char *text, size_t size, uint64_t *ret_usec);
