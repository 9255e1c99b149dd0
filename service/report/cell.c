/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Times go from nanoseconds to text by integer division: "%f" would follow the locale and lose
 * digits of an hour in nanoseconds. Text of strangers (labels, kernel command lines) passes
 * cell_text() before it meets a terminal, which would obey escape sequences in it.
 */
#include "cell.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>
#include <time.h>

static const uint64_t cell_steps[] = { 1000, 100, 10, 1 }; /* ns per last digit */

/* @digits: how many units of the last digit. */
static char *cell_digits(uint64_t digits, int decimals)
{
	uint64_t scale = 1000 / cell_steps[decimals];

	if (decimals == 0)
		return g_strdup_printf("%" PRIu64, digits);
	return g_strdup_printf("%" PRIu64 ".%0*" PRIu64, digits / scale, decimals, digits % scale);
}

char *cell_us(uint64_t ns, int decimals)
{
	uint64_t step = cell_steps[decimals];

	return cell_digits(ns / step + (ns % step >= (step + 1) / 2 && step > 1), decimals);
}

char *cell_count(uint64_t n)
{
	return g_strdup_printf("%" PRIu64, n);
}

/* Rounded once: by way of whole nanoseconds 4549.7 would become 4.6 us. */
char *cell_real_us(double ns, int decimals)
{
	if (!isfinite(ns) || ns < 0 || ns >= 9e18)
		return NULL;
	return cell_digits((uint64_t)llround(ns / (double)cell_steps[decimals]), decimals);
}

char *cell_samples(const struct figures *f)
{
	return figures_count_known(f) ? cell_count(figures_count(f)) : NULL;
}

char *cell_mean_us(const struct figures *f, int decimals)
{
	double ns = 0;
	bool known = figures_mean_ns(f, &ns);

	return known ? cell_real_us(ns, decimals) : NULL;
}

char *cell_stddev_us(const struct figures *f, int decimals)
{
	double ns = 0;
	bool known = figures_stddev_ns(f, &ns);

	return known ? cell_real_us(ns, decimals) : NULL;
}

char *cell_corrected_mean_us(const struct figures *f, int decimals)
{
	double ns = 0;
	bool known = figures_corrected_mean_ns(f, &ns);

	return known ? cell_real_us(ns, decimals) : NULL;
}

char *cell_percentile_us(const struct figures *f, uint32_t ppm, bool corrected, int decimals)
{
	uint64_t ns;

	if (!figures_percentile_ns(f, ppm, corrected, &ns))
		return NULL;
	return cell_us(ns, decimals);
}

char *cell_min_us(const struct figures *f, int decimals)
{
	uint64_t ns;

	return figures_min_ns(f, &ns) ? cell_us(ns, decimals) : NULL;
}

char *cell_max_us(const struct figures *f, int decimals)
{
	uint64_t ns;

	return figures_max_ns(f, &ns) ? cell_us(ns, decimals) : NULL;
}

int cell_decimals(const struct figures *f)
{
	double mean;

	return figures_mean_ns(f, &mean) && mean < 10000 ? 2 : 1;
}

/* One decimal of @unit_ns, ".0" left out. */
static char *cell_scaled(uint64_t ns, uint64_t unit_ns, const char *unit)
{
	uint64_t tenths = ns / (unit_ns / 10);

	if (tenths % 10 == 0)
		return g_strdup_printf("%" PRIu64 "%s", tenths / 10, unit);
	return g_strdup_printf("%" PRIu64 ".%" PRIu64 "%s", tenths / 10, tenths % 10, unit);
}

static char *cell_pair(uint64_t large, const char *large_unit, uint64_t small,
		       const char *small_unit)
{
	if (small == 0)
		return g_strdup_printf("%" PRIu64 "%s", large, large_unit);
	return g_strdup_printf("%" PRIu64 "%s %" PRIu64 "%s", large, large_unit, small, small_unit);
}

char *cell_duration(uint64_t ns)
{
	uint64_t s = ns / 1000000000;

	if (ns < 1000)
		return g_strdup_printf("%" PRIu64 "ns", ns);
	if (ns < 1000000)
		return cell_scaled(ns, 1000, "us");
	if (s == 0)
		return cell_scaled(ns, 1000000, "ms");
	if (s < 60)
		return cell_scaled(ns, 1000000000, "s");
	if (s < 3600)
		return cell_pair(s / 60, "min", s % 60, "s");
	if (s < 86400)
		return cell_pair(s / 3600, "h", s % 3600 / 60, "min");
	return cell_pair(s / 86400, "d", s % 86400 / 3600, "h");
}

char *cell_time(uint64_t usec, bool fraction)
{
	time_t t = usec / 1000000;
	char day[48]; /* digits only: strftime's locale has no part in it */
	struct tm tm;

	if (!gmtime_r(&t, &tm) || strftime(day, sizeof(day), "%Y-%m-%d %H:%M:%S", &tm) == 0)
		return g_strdup("-");
	if (fraction)
		return g_strdup_printf("%s.%06u", day, (unsigned)(usec % 1000000));
	return g_strdup_printf("%s UTC", day);
}

static char *cell_tenthousandths(uint64_t tenthousandths)
{
	g_autofree char *text = g_strdup_printf("%" PRIu64 ".%04" PRIu64, tenthousandths / 10000,
						tenthousandths % 10000);
	size_t n = strlen(text);

	while (text[n - 1] == '0')
		n--;
	if (text[n - 1] == '.')
		n--;
	return g_strdup_printf("%.*s %%", (int)n, text);
}

char *cell_percent(uint64_t part, uint64_t whole)
{
	return cell_tenthousandths((uint64_t)((u128)part * 1000000 / whole));
}

char *cell_percent_bound(uint64_t part, uint64_t whole)
{
	uint64_t n = (uint64_t)(((u128)part * 1000000 + whole - 1) / whole);
	uint64_t step = n >= 10000 ? 1000 : n >= 1000 ? 100 : 10; /* two or three digits */

	return cell_tenthousandths((n + step - 1) / step * step);
}

/* What Unicode keeps from texts, and XML from documents. */
static bool cell_noncharacter(gunichar c)
{
	return (c & 0xfffe) == 0xfffe || (c >= 0xfdd0 && c <= 0xfdef);
}

char *cell_text(const char *s)
{
	g_autofree char *valid = g_utf8_make_valid(s ? s : "", -1);
	GString *out = g_string_new(NULL);

	for (const char *p = valid; *p; p = g_utf8_next_char(p)) {
		gunichar c = g_utf8_get_char(p);
		GUnicodeType t = g_unichar_type(c);

		if (g_ascii_isspace(c) || t == G_UNICODE_LINE_SEPARATOR ||
		    t == G_UNICODE_PARAGRAPH_SEPARATOR)
			g_string_append_c(out, ' ');
		else if (t == G_UNICODE_CONTROL || t == G_UNICODE_FORMAT || cell_noncharacter(c))
			g_string_append_c(out, '?');
		else
			g_string_append_unichar(out, c);
	}
	return g_string_free(out, FALSE);
}
