/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "textline.h"

#include <glib.h>

bool text_is_line(const char *text)
{
	if (!g_utf8_validate(text, -1, NULL))
		return false;
	for (const char *s = text; *s; s = g_utf8_next_char(s)) {
		gunichar c = g_utf8_get_char(s);
		GUnicodeType t = g_unichar_type(c);

		if (t == G_UNICODE_CONTROL || t == G_UNICODE_LINE_SEPARATOR ||
		    t == G_UNICODE_PARAGRAPH_SEPARATOR || (c >= 0x202a && c <= 0x202e) ||
		    (c >= 0x2066 && c <= 0x2069))
			return false;
	}
	return true;
}
