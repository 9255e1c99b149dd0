/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * Single values as text for people: times, counts, rates. Integer arithmetic throughout, so that no
 * locale and no rounding of a float touches a time. All results: g_free().
 */
#include "figures.h"

/* "12.3": microseconds, half a digit rounded up. @decimals 0..3. */
char *cell_us(uint64_t ns, int decimals);
/* The same of a number with a fraction; NULL: it is no time. */
char *cell_real_us(double ns, int decimals);
char *cell_count(uint64_t n);
/* How many samples; NULL: not known. */
char *cell_samples(const struct figures *f);

/* Mean or deviation as microseconds; NULL: there is none. */
char *cell_mean_us(const struct figures *f, int decimals);
char *cell_stddev_us(const struct figures *f, int decimals);
char *cell_corrected_mean_us(const struct figures *f, int decimals);
char *cell_percentile_us(const struct figures *f, uint32_t ppm, bool corrected, int decimals);
/* NULL while there is no sample. */
char *cell_min_us(const struct figures *f, int decimals);
char *cell_max_us(const struct figures *f, int decimals);

/* Decimals that suit @f: 1 as in 2005, 2 where the mean is below 10 us. */
int cell_decimals(const struct figures *f);

/* "350ns", "12.5us", "1.2s", "3min 20s", "2h 5min": for reading, not for reading back. */
char *cell_duration(uint64_t ns);
/* "2026-11-30 02:00:13 UTC"; with @fraction "2026-11-30 02:00:13.123456" (no zone). */
char *cell_time(uint64_t usec, bool fraction);
/* "99.95 %" of @part in @whole (> 0), at most four decimals, rounded down: never 100 % by rounding.
 */
char *cell_percent(uint64_t part, uint64_t whole);
/* "0.08 %", "27.3 %": the same rounded up to few digits, for a bound. */
char *cell_percent_bound(uint64_t part, uint64_t whole);

/* @s fit for a terminal: valid UTF-8, no control characters, one line. NULL: "". */
char *cell_text(const char *s);
