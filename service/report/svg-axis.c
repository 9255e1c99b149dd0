/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Axes. Latencies spread over decades, so most of them are logarithmic; one that shows a fraction
 * of a decade has its ticks at even steps all the same, because 1, 2, 5 would give it none. Time
 * since a start goes by seconds, minutes, hours and days as a clock does, not by tens of them.
 */
#include "svg-internal.h"

#include "duration.h"

#include <math.h>
#include <string.h>
#include <time.h>

#define AXIS_TICKS  400 /* more are none */
#define AXIS_SECOND 1e9
#define AXIS_DAY    86400e6 /* us */

/* The largest of 1, 2, 5 in a decade at or below @v > 0. */
static double axis_floor(double v)
{
	double decade = pow(10, floor(log10(v) + 1e-9));
	double m = v / decade * (1 + 1e-9);

	return decade * (m >= 5 ? 5 : m >= 2 ? 2 : 1);
}

static double axis_next(double v)
{
	double low = axis_floor(v), decade = pow(10, floor(log10(low) + 1e-9));

	return low / decade > 4 ? 10 * decade : low / decade > 1.5 ? 5 * decade : 2 * decade;
}

/* An even step of about @want, for @unit. */
static double axis_step(enum svg_unit unit, double want)
{
	static const double clock[] = { 1,     2,     5,     10,    15,	    30,	   60,
					120,   300,   600,   900,   1800,   3600,  7200,
					10800, 21600, 43200, 86400, 172800, 604800 };
	static const double days[] = { 1. / 24, .25, .5, 1, 2, 7, 14 };

	if (unit == SVG_TIME && want > AXIS_SECOND / 2) {
		for (size_t i = 0; i < G_N_ELEMENTS(clock); i++)
			if (clock[i] * AXIS_SECOND >= want)
				return clock[i] * AXIS_SECOND;
		return ceil(want / (604800 * AXIS_SECOND)) * 604800 * AXIS_SECOND;
	}
	if (unit == SVG_DATE)
		for (size_t i = 0; i < G_N_ELEMENTS(days); i++)
			if (days[i] * AXIS_DAY >= want)
				return days[i] * AXIS_DAY;
	want = axis_floor(want) >= want * (1 - 1e-9) ? axis_floor(want) : axis_next(want);
	return unit == SVG_COUNT && want < 1 ? 1 : want;
}

void svg_axis_fit(struct svg_axis *a)
{
	double step;

	if (!isfinite(a->low) || !isfinite(a->high))
		a->low = a->high = a->scale == SVG_LOG;
	if (a->scale == SVG_LOG) {
		a->low = axis_floor(a->low > 0 ? a->low : 1);
		if (a->high <= a->low * (1 + 1e-9))
			a->high = axis_next(a->low);
		else if (axis_floor(a->high) < a->high * (1 - 1e-9))
			a->high = axis_next(a->high);
		return;
	}
	if (a->high <= a->low)
		a->high = a->low + MAX(fabs(a->low) / 10, a->unit == SVG_TIME ? 1000 : 1);
	step = axis_step(a->unit, (a->high - a->low) / 6);
	a->low = floor(a->low / step + 1e-9) * step;
	a->high = ceil(a->high / step - 1e-9) * step;
}

/* @v with as many of @decimals as it needs. */
static char *axis_number(double v, int decimals)
{
	char *s = number_format(v, decimals), *end = s + strlen(s);

	if (!strchr(s, '.'))
		return s;
	while (end[-1] == '0')
		*--end = '\0';
	if (end[-1] == '.')
		end[-1] = '\0';
	return s;
}

static char *axis_scaled(double v, const char *const units[], size_t n)
{
	g_autofree char *number = NULL;
	size_t i = 0;

	for (; fabs(v) >= 1000 * (1 - 1e-9) && i + 1 < n; i++)
		v /= 1000;
	number = axis_number(v, 3);
	return g_strconcat(number, units[i], NULL);
}

/* @clock: 90 s are 1 min 30 s; else seconds all the way up. */
static char *axis_time(double ns, bool clock)
{
	static const char *const units[] = { " ns", " us", " ms", " s" };
	static const struct {
		double s;
		const char *large, *small;
		double small_s;
	} long_ones[] = { { 86400, "d", "h", 3600 },
			  { 3600, "h", "min", 60 },
			  { 60, "min", "s", 1 } };
	double s = round(ns / AXIS_SECOND);

	if (ns == 0)
		return g_strdup("0");
	if (!clock || s < 60 || s > 1e9)
		return axis_scaled(ns, units, G_N_ELEMENTS(units));
	for (size_t i = 0; i < G_N_ELEMENTS(long_ones); i++) {
		double whole = floor(s / long_ones[i].s), rest = s - whole * long_ones[i].s;

		if (whole < 1)
			continue;
		if (rest < long_ones[i].small_s)
			return g_strdup_printf("%.0f %s", whole, long_ones[i].large);
		return g_strdup_printf("%.0f %s %.0f %s", whole, long_ones[i].large,
				       floor(rest / long_ones[i].small_s), long_ones[i].small);
	}
	return axis_scaled(ns, units, G_N_ELEMENTS(units));
}

static char *axis_chance(double v)
{
	static const char *const units[] = { "", "k", "M", "G", "T", "P", "E" };
	g_autofree char *many = NULL;

	if (v > 0.5 * (1 + 1e-9) || v <= 0)
		return axis_number(v, 3);
	many = axis_scaled(round(1 / v), units, G_N_ELEMENTS(units));
	return g_strconcat("1 in ", many, NULL);
}

static char *axis_date(double usec)
{
	time_t t = (time_t)floor(usec / 1e6 + 0.5);
	struct tm tm;
	char day[40]; /* digits only: the locale has no part in it */

	if (!gmtime_r(&t, &tm))
		return g_strdup("-");
	if (strftime(day, sizeof(day), t % 86400 ? "%m-%d %H:%M" : "%Y-%m-%d", &tm) == 0)
		return g_strdup("-");
	return g_strdup(day);
}

char *svg_axis_text(const struct svg_axis *a, double value)
{
	static const char *const units[] = { "", "k", "M", "G", "T", "P", "E" };
	g_autofree char *number = NULL;

	switch (a->unit) {
	case SVG_TIME:
		return axis_time(value, a->scale == SVG_LINEAR);
	case SVG_COUNT:
		return axis_scaled(value, units, G_N_ELEMENTS(units));
	case SVG_CHANCE:
		return axis_chance(value);
	case SVG_DATE:
		return axis_date(value);
	case SVG_RETURN:
		return axis_chance(1 / value);
	case SVG_PLAIN:
		break;
	}
	number = axis_number(value == 0 ? 0 : value, fabs(value) < 0.1 ? 6 : 3); /* -0 too */
	return g_strconcat(number, a->suffix ? " " : NULL, a->suffix, NULL);
}

static void axis_add(GArray *ticks, double value, bool major)
{
	struct svg_tick t = { value, major };

	if (ticks->len < AXIS_TICKS)
		g_array_append_val(ticks, t);
}

static void axis_even_ticks(const struct svg_axis *a, double room, GArray *ticks)
{
	double step = axis_step(a->unit, (a->high - a->low) / CLAMP(room, 2, 12));

	for (double k = ceil(a->low / step - 1e-6); k * step <= a->high + step * 1e-6; k++) {
		axis_add(ticks, k * step, true);
		if (ticks->len >= AXIS_TICKS)
			return;
	}
}

/* First days of months, every @months. */
static void axis_months(const struct svg_axis *a, double months, GArray *ticks)
{
	time_t t = (time_t)(a->low / 1e6);
	int step = months <= 1	 ? 1
		   : months <= 3 ? 3
		   : months <= 6 ? 6
				 : 12 * (int)ceil(months / 12);
	struct tm tm;

	if (!gmtime_r(&t, &tm))
		return;
	tm = (struct tm){ .tm_mday = 1, .tm_year = tm.tm_year };
	for (unsigned i = 0; i < AXIS_TICKS; i++, tm.tm_mon += step) {
		struct tm copy = tm;
		double usec = (double)timegm(&copy) * 1e6;

		if (usec > a->high)
			return;
		if (usec >= a->low)
			axis_add(ticks, usec, true);
	}
}

static void axis_log_ticks(const struct svg_axis *a, double room, GArray *ticks)
{
	double decades = log10(a->high / a->low), first = floor(log10(a->low) + 1e-9);
	int every = (int)ceil(decades / MAX(room, 1));

	if (every == 2 && a->unit == SVG_TIME)
		every = 3; /* whole units */
	if (decades < 0.55) {
		axis_even_ticks(a, room * 0.7, ticks);
		return;
	}
	for (double d = first; d <= log10(a->high) + 1e-9; d++)
		for (int m = 1; m < 10; m++) {
			double value = pow(10, d) * m;
			bool major = m == 1 ? (int)d % every == 0
					    : (m == 2 || m == 5) && decades * 3 <= room + 1;

			if (value < a->low * (1 - 1e-9) || value > a->high * (1 + 1e-9))
				continue;
			if (m == 1 || decades < 8)
				axis_add(ticks, value, major);
		}
}

GArray *svg_axis_ticks(const struct svg_axis *a, double room)
{
	GArray *ticks = g_array_new(FALSE, FALSE, sizeof(struct svg_tick));
	double want = (a->high - a->low) / CLAMP(room, 2, 12);

	if (a->scale == SVG_LOG)
		axis_log_ticks(a, room, ticks);
	else if (a->unit == SVG_DATE && want > 14 * AXIS_DAY)
		axis_months(a, want / (30 * AXIS_DAY), ticks);
	else
		axis_even_ticks(a, room, ticks);
	return ticks;
}
