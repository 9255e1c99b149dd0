/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The time stands there twice, unless the machine's zone is UTC: "Next elapse" in that zone, whose
 * abbreviation means nothing ("IST"), and "(in UTC)". So the line that ends in UTC is the one.
 *
 *	    Next elapse: Tue 2026-12-01 02:00:00 CET
 *	       (in UTC): Tue 2026-12-01 01:00:00 UTC
 */
#include "calendartext.h"

#include <errno.h>
#include <glib.h>
#include <stdio.h>
#include <string.h>

#define CALENDARTEXT_MAX 65536

/* "Tue 2026-12-01 01:00:00 UTC". */
static int calendartext_time(const char *text, uint64_t *ret_usec)
{
	g_autoptr(GDateTime) t = NULL;
	int year, month, day, hour, minute, second, end = 0;
	gint64 usec;

	if (sscanf(text, "%*3[A-Za-z] %4d-%2d-%2d %2d:%2d:%2d UTC%n", &year, &month, &day, &hour,
		   &minute, &second, &end) != 6 ||
	    end == 0 || text[end] != '\0')
		return -EBADMSG;
	/* checks every range */
	t = g_date_time_new_utc(year, month, day, hour, minute, second);
	if (!t)
		return -EBADMSG;
	usec = g_date_time_to_unix(t);
	if (usec < 0)
		return -EBADMSG;
	*ret_usec = (uint64_t)usec * G_USEC_PER_SEC;
	return 0;
}

/* What follows "@label: " on one of the @lines; NULL. */
static const char *calendartext_value(char **lines, const char *label)
{
	for (; *lines; lines++) {
		const char *line = *lines + strspn(*lines, " ");

		if (g_str_has_prefix(line, label))
			return line + strlen(label);
	}
	return NULL;
}

int calendartext_next(const char *text, size_t size, uint64_t *ret_usec)
{
	g_autofree char *copy = NULL;
	g_auto(GStrv) lines = NULL;
	const char *next, *utc;

	if (size > CALENDARTEXT_MAX)
		return -EBADMSG;
	copy = g_strndup(text, size);
	lines = g_strsplit(copy, "\n", -1);
	next = calendartext_value(lines, "Next elapse: ");
	if (!next)
		return -EBADMSG;
	if (strcmp(next, "never") == 0)
		return -ENODATA;
	utc = calendartext_value(lines, "(in UTC): ");
	return calendartext_time(utc ?: next, ret_usec);
}
