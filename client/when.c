/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Dates are read by hand: strptime() takes blanks, signs and other years than were written, and a
 * 31st of February must be refused, not become a day in March.
 */
#include "when.h"

#include "duration.h"
#include <errno.h>
#include <glib.h>
#include <stdbool.h>
#include <string.h>
#include <time.h>

/* Exactly @n digits; -1 for anything else. */
static int when_digits(const char **p, int n)
{
	int v = 0;

	for (int i = 0; i < n; i++, (*p)++) {
		if (!g_ascii_isdigit(**p))
			return -1;
		v = v * 10 + (**p - '0');
	}
	return v;
}

static bool when_literal(const char **p, char c)
{
	if (**p != c)
		return false;
	(*p)++;
	return true;
}

/* "YYYY-MM-DD[ HH:MM[:SS]]" with a blank or T between. */
static bool when_scan(const char *p, struct tm *ret)
{
	*ret = (struct tm){ .tm_isdst = -1 };
	ret->tm_year = when_digits(&p, 4) - 1900;
	if (!when_literal(&p, '-'))
		return false;
	ret->tm_mon = when_digits(&p, 2) - 1;
	if (!when_literal(&p, '-'))
		return false;
	ret->tm_mday = when_digits(&p, 2);
	if (!*p)
		return ret->tm_mday >= 0;
	if (!when_literal(&p, ' ') && !when_literal(&p, 'T'))
		return false;
	ret->tm_hour = when_digits(&p, 2);
	if (!when_literal(&p, ':'))
		return false;
	ret->tm_min = when_digits(&p, 2);
	if (*p && !when_literal(&p, ':'))
		return false;
	if (p[-1] == ':')
		ret->tm_sec = when_digits(&p, 2);
	return !*p && ret->tm_hour >= 0 && ret->tm_hour < 24 && ret->tm_min >= 0 &&
	       ret->tm_min < 60 && ret->tm_sec >= 0 && ret->tm_sec < 60;
}

static int when_date(const char *text, uint64_t *ret_usec)
{
	struct tm tm, asked;
	time_t t;

	if (!when_scan(text, &asked))
		return -EINVAL;
	tm = asked;
	t = mktime(&tm);
	/* The hour may move over a change of summer time; a day that does not exist may not. */
	if (t < 0 || tm.tm_mday != asked.tm_mday || tm.tm_mon != asked.tm_mon ||
	    tm.tm_year != asked.tm_year)
		return -EINVAL;
	*ret_usec = (uint64_t)t * 1000000;
	return 0;
}

static int when_midnight(uint64_t now_usec, int days_ago, uint64_t *ret_usec)
{
	time_t t = now_usec / 1000000;
	struct tm tm;

	if (!localtime_r(&t, &tm))
		return -EINVAL;
	tm.tm_hour = tm.tm_min = tm.tm_sec = 0;
	tm.tm_mday -= days_ago;
	tm.tm_isdst = -1;
	t = mktime(&tm);
	if (t < 0)
		return -EINVAL;
	*ret_usec = (uint64_t)t * 1000000;
	return 0;
}

static int when_epoch(const char *digits, uint64_t *ret_usec)
{
	int64_t s;
	int r = integer_parse(digits, 0, INT64_MAX / 1000000, &s, NULL);

	if (r < 0)
		return -EINVAL;
	*ret_usec = (uint64_t)s * 1000000;
	return 0;
}

int when_parse(const char *text, uint64_t now_usec, uint64_t *ret_usec, char **ret_message)
{
	uint64_t ago_ns;
	int r;

	if (strcmp(text, "now") == 0) {
		*ret_usec = now_usec;
		return 0;
	}
	if (strcmp(text, "today") == 0 || strcmp(text, "yesterday") == 0)
		r = when_midnight(now_usec, text[0] == 'y', ret_usec);
	else if (text[0] == '@')
		r = when_epoch(text + 1, ret_usec);
	else if (strlen(text) >= 10 && text[4] == '-')
		r = when_date(text, ret_usec);
	else {
		r = duration_parse(text, 0, &ago_ns, NULL);
		if (r >= 0)
			*ret_usec = now_usec > ago_ns / 1000 ? now_usec - ago_ns / 1000 : 0;
	}
	if (r >= 0)
		return 0;
	*ret_message = g_strdup_printf("'%s' is no point in time: write '2h' (ago), '2026-11-30', "
				       "'2026-11-30 02:00', 'yesterday' or '@SECONDS'.",
				       text);
	return -EINVAL;
}
