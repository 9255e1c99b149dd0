/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Why every sentence is made valid here: one that quotes a user's text in part may end within a
 * character, and a message that is not UTF-8 costs a service its connection to the bus.
 */
#include "message.h"

int message_fail(char **ret_message, int r, const char *fmt, ...)
{
	g_autofree char *text = NULL;
	va_list ap;

	if (!ret_message)
		return r;
	va_start(ap, fmt);
	text = g_strdup_vprintf(fmt, ap);
	va_end(ap);
	*ret_message = g_utf8_make_valid(text, -1);
	return r;
}
