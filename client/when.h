/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * Points in time as --since takes them. Pure but for the time zone. Fuzzed.
 */
#include <stdint.h>

/*
 * "2h 30min" (that long before @now_usec), "2026-11-30", "2026-11-30 02:00[:00]" (local time),
 * "today", "yesterday" (its midnight), "now", "@1796004000" (seconds since the epoch).
 * -EINVAL with a sentence (g_free).
 */
int when_parse(const char *text, uint64_t now_usec, uint64_t *ret_usec, char **ret_message);
