/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* Times as decimal numbers in a unit of choice, for programs: exact, whatever the locale. */
#include <glib.h>
#include <stdint.h>

/*
 * Append @ns and @ps (0..999) in 1/@per_second seconds (a power of ten: 1: s, 1000000: us, ...
 * 1000000000: ns), with as many decimals as they need, without an exponent.
 */
void decimal_append_time(GString *out, uint64_t ns, unsigned ps, uint64_t per_second);
