/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Why not wcwidth(): it follows the locale, and the daemon, which renders reports, has none.
 */
#include "columns.h"

static unsigned columns_of_char(gunichar c)
{
	return g_unichar_iszerowidth(c) ? 0 : g_unichar_iswide(c) ? 2 : 1;
}

unsigned columns_of(const char *s)
{
	unsigned n = 0;

	for (; *s; s = g_utf8_next_char(s))
		n += columns_of_char(g_utf8_get_char(s));
	return n;
}

size_t columns_fit(const char *s, size_t bytes, unsigned columns)
{
	const char *p = s;

	while (p < s + bytes) {
		unsigned n = columns_of_char(g_utf8_get_char(p));

		if (n > columns)
			break;
		columns -= n;
		p = g_utf8_next_char(p);
	}
	return p - s;
}
