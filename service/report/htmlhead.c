/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "htmlhead.h"

#include "htmlstyle.h"
#include "svg.h"

void htmlhead(GString *out, const char *title)
{
	g_string_append(
		out, "<!DOCTYPE html>\n"
		     "<html xmlns=\"http://www.w3.org/1999/xhtml\" lang=\"en\" xml:lang=\"en\">\n"
		     "<head>\n<meta charset=\"utf-8\"/>\n"
		     "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
		     "style-src 'unsafe-inline'\"/>\n"
		     "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n"
		     "<meta name=\"color-scheme\" content=\"light dark\"/>\n<title>");
	svg_append_text(out, title);
	g_string_append_printf(out, "</title>\n<style>%s%s</style>\n</head>\n", htmlstyle,
			       svg_style_dark);
}
