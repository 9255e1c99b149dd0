/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Labels and reasons come from other users by way of the bus, so nothing of theirs reaches a
 * terminal before text_clean(). Tenths are made by integer division: a latency of 99.96 us is
 * shown rounded, but never by way of a double that a locale could print with a comma.
 */
#include "text.h"

#include "columns.h"
#include "spelling.h"

#include <langinfo.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

char *text_latency(uint64_t ns)
{
	uint64_t ms;

	if (ns < 1000)
		return g_strdup_printf("%" G_GUINT64_FORMAT " ns", ns);
	if (ns < 999950) {
		uint64_t tenths = (ns + 50) / 100;

		return g_strdup_printf("%" G_GUINT64_FORMAT ".%u us", tenths / 10,
				       (unsigned)(tenths % 10));
	}
	if (ns < 999995000) {
		uint64_t hundredths = (ns + 5000) / 10000;

		return g_strdup_printf("%" G_GUINT64_FORMAT ".%02u ms", hundredths / 100,
				       (unsigned)(hundredths % 100));
	}
	ms = ns / 1000000 + (ns % 1000000 >= 500000);
	return g_strdup_printf("%" G_GUINT64_FORMAT ".%03u s", ms / 1000, (unsigned)(ms % 1000));
}

static char *text_pair(uint64_t big, const char *big_unit, uint64_t small, const char *small_unit)
{
	if (!small)
		return g_strdup_printf("%" G_GUINT64_FORMAT " %s", big, big_unit);
	return g_strdup_printf("%" G_GUINT64_FORMAT " %s %" G_GUINT64_FORMAT " %s", big, big_unit,
			       small, small_unit);
}

char *text_span(uint64_t ns)
{
	uint64_t tenths = ns / 100000000 + (ns % 100000000 >= 50000000);
	uint64_t s = ns / 1000000000;

	if (ns < 1000000000 && ns % 1000000000)
		return text_latency(ns);
	if (s < 60 && tenths % 10)
		return g_strdup_printf("%" G_GUINT64_FORMAT ".%u s", tenths / 10,
				       (unsigned)(tenths % 10));
	if (s < 60)
		return g_strdup_printf("%" G_GUINT64_FORMAT " s", tenths / 10);
	if (s < 3600)
		return text_pair(s / 60, "min", s % 60, "s");
	if (s < 86400)
		return text_pair(s / 3600, "h", s % 3600 / 60, "min");
	return text_pair(s / 86400, "d", s % 86400 / 3600, "h");
}

char *text_time(uint64_t usec)
{
	time_t t = usec / 1000000;
	char stamp[64];
	struct tm tm;

	if (!usec || !localtime_r(&t, &tm) ||
	    !strftime(stamp, sizeof(stamp), "%Y-%m-%d %H:%M:%S", &tm))
		return g_strdup("-");
	return g_strdup(stamp);
}

char *text_clean(const char *s, bool utf8)
{
	g_autofree char *valid = g_utf8_make_valid(s, -1);
	GString *out = g_string_new(NULL);

	for (const char *p = valid; *p; p = g_utf8_next_char(p)) {
		gunichar c = g_utf8_get_char(p);
		GUnicodeType t = g_unichar_type(c);

		if (t == G_UNICODE_CONTROL || t == G_UNICODE_FORMAT ||
		    t == G_UNICODE_LINE_SEPARATOR || t == G_UNICODE_PARAGRAPH_SEPARATOR ||
		    t == G_UNICODE_UNASSIGNED || t == G_UNICODE_PRIVATE_USE || (c > 0x7e && !utf8))
			g_string_append_c(out, '?');
		else
			g_string_append_unichar(out, c);
	}
	return g_string_free(out, FALSE);
}

void text_wrap(GString *out, const char *s, unsigned indent, unsigned width)
{
	g_auto(GStrv) words = g_strsplit(s, " ", -1);
	unsigned column = 0;

	for (char **w = words; *w; w++) {
		unsigned n = columns_of(*w);

		if (!n)
			continue;
		if (!column) {
			g_string_append_printf(out, "%*s", indent, "");
			column = indent;
		} else if (width && column + 1 + n > width) {
			g_string_append_printf(out, "\n%*s", indent, "");
			column = indent;
		} else {
			g_string_append_c(out, ' ');
			column++;
		}
		g_string_append(out, *w);
		column += n;
	}
	g_string_append_c(out, '\n');
}

bool text_locale_is_utf8(void)
{
	return g_ascii_strcasecmp(nl_langinfo(CODESET), "UTF-8") == 0;
}

const char *text_nearest(const char *word, const char *const *candidates)
{
	const char *best = NULL;
	unsigned least = G_MAXUINT;

	for (; *candidates; candidates++) {
		unsigned d = spelling_distance(word, *candidates);

		if (d < least) {
			least = d;
			best = *candidates;
		}
	}
	/* Half the word changed is another word. */
	return best && least <= 2 && least * 2 <= strlen(best) ? best : NULL;
}
