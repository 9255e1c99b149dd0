/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * stdout is flushed first so that a sentence stands where it belongs when both go to one place.
 */
#include "say.h"

#include "text.h"
#include <stdarg.h>
#include <stdio.h>

static void G_GNUC_PRINTF(1, 0) say_valist(const char *fmt, va_list ap)
{
	g_autofree char *raw = g_strdup_vprintf(fmt, ap);
	g_autofree char *clean = text_clean(raw, text_locale_is_utf8());

	(void)fflush(stdout); /* its error is reported when the program ends */
	fprintf(stderr, "lrtbfctl: %s\n", clean);
}

void say(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	say_valist(fmt, ap);
	va_end(ap);
}

enum outcome say_error(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	say_valist(fmt, ap);
	va_end(ap);
	return OUTCOME_ERROR;
}

enum outcome say_usage(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	say_valist(fmt, ap);
	va_end(ap);
	fputs("Try 'lrtbfctl --help'.\n", stderr);
	return OUTCOME_USAGE;
}
