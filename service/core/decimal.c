/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * By integers alone: a double has 15 digits, and an hour in picoseconds has 16.
 */
#include "decimal.h"

#include <inttypes.h>

void decimal_append_time(GString *out, uint64_t ns, unsigned ps, uint64_t per_second)
{
	uint64_t unit_ns = 1000000000 / per_second, rest = ns % unit_ns * 1000 + ps;
	uint64_t digit = unit_ns * 100; /* of the first decimal, in ps */

	g_string_append_printf(out, "%" PRIu64, ns / unit_ns);
	if (rest)
		g_string_append_c(out, '.');
	for (; rest; digit /= 10) {
		g_string_append_c(out, (char)('0' + rest / digit));
		rest %= digit;
	}
}
