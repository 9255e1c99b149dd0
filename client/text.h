/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * Quantities, times and foreign strings as people read them. Pure; every result is g_free()d.
 * Numbers have a dot whatever the locale: the program never sets LC_NUMERIC.
 */
#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

/* A latency with the unit that suits it: "873 ns", "12.3 us", "1.45 ms", "2.001 s". */
char *text_latency(uint64_t ns);
/* How long something took, to three places at most: "10 s", "1.2 s", "1 h 30 min", "2 d 3 h". */
char *text_span(uint64_t ns);
/* Local time "2026-11-30 02:00:00"; "-" for 0. */
char *text_time(uint64_t usec);

/*
 * @s without what could steer a terminal: control characters become '?', and without @utf8
 * everything beyond ASCII as well.
 */
char *text_clean(const char *s, bool utf8);
/* Append @s with lines of at most @width columns, each after @indent blanks. 0: one line. */
void text_wrap(GString *out, const char *s, unsigned indent, unsigned width);

bool text_locale_is_utf8(void);

/*
 * The candidate nearest to @word if it is near enough to be meant (a slip or two), else NULL.
 * @candidates: NULL-ended.
 */
const char *text_nearest(const char *word, const char *const *candidates);
