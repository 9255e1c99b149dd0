/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Trackers look for names behind '@' and numbers behind '#' after rendering, so that no backslash
 * keeps them from it: an empty comment parts the two.
 */
#include "markdowntext.h"

#include "cell.h"

#include <string.h>

void markdowntext_append(GString *out, const char *s)
{
	g_autofree char *clean = cell_text(s);

	for (const char *p = clean; *p; p++) {
		if (*p == '<')
			g_string_append(out, "&lt;");
		else if (*p == '&')
			g_string_append(out, "&amp;");
		else if (*p == '>')
			g_string_append(out, "&gt;");
		else if (*p == '@' || *p == '#')
			g_string_append_printf(out, "%c<!-- -->", *p);
		else if (strchr("\\`*_[]!|~$", *p))
			g_string_append_printf(out, "\\%c", *p);
		else
			g_string_append_c(out, *p);
	}
}
