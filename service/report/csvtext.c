/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "csvtext.h"

#include <string.h>

void csvtext_append(GString *out, const char *s)
{
	g_autofree char *valid = g_utf8_make_valid(s, -1);

	if (!strpbrk(valid, ",\"\r\n") && valid[0] != ' ') {
		g_string_append(out, valid);
		return;
	}
	g_string_append_c(out, '"');
	for (const char *p = valid; *p; p++) {
		if (*p == '"')
			g_string_append_c(out, '"');
		g_string_append_c(out, *p);
	}
	g_string_append_c(out, '"');
}
