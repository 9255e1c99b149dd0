/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * Quantities with units, read and written without the locale: "250us", "1.5s", "2h 30min", "100ns";
 * "512M" (binary, as dd). The one place where such text becomes a number. Pure. Fuzzed.
 */
#include <stdint.h>

/*
 * Durations: ns, us (also µs), ms, s, min, h, d, several parts with or without blanks, decimals
 * exact to the nanosecond. A bare number is refused unless @default_unit_ns is given (0: refuse).
 * -EINVAL: not a duration; -ERANGE: above 2^62 ns; with a sentence (g_free; may be NULL).
 */
int duration_parse(const char *text, uint64_t default_unit_ns, uint64_t *ret_ns,
		   char **ret_message);

/* Shortest exact text that duration_parse() reads back: "250us", "1.5s". g_free(). */
char *duration_format(uint64_t ns);

/* Bytes: "512M", "1G", "100k", "4096". Binary units as dd has them; KiB/MiB/GiB and kB/MB/GB too.
 */
int size_parse(const char *text, uint64_t *ret_bytes, char **ret_message);

/* A whole number within [min, max]; -EINVAL or -ERANGE with a sentence. */
int integer_parse(const char *text, int64_t min, int64_t max, int64_t *ret, char **ret_message);
/* @value with @decimals digits and a dot, whatever LC_NUMERIC says. g_free(). */
char *number_format(double value, int decimals);
