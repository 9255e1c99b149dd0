/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Why no strtod() here: a time that is stored never passes through floating point, and the C
 * library's number parsing follows the locale. Decimals are read digit by digit and scaled with
 * integers, so "1.5s" is exact and "0.3ns" is refused instead of rounded.
 *
 * Durations and sizes are the same grammar (number, unit) with two unit tables, so one scanner
 * serves both.
 */
#include "duration.h"

#include <errno.h>
#include <glib.h>
#include <stdbool.h>
#include <string.h>

#define QUANTITY_MAX (UINT64_C(1) << 62)
#define FRACTION_MAX 18 /* digits: times the largest unit they fit 128 bits, their power 64 */
#define US	     UINT64_C(1000)
#define MS	     (1000 * US)
#define S	     (1000 * MS)
#define MINUTE	     (60 * S)
#define H	     (60 * MINUTE)
#define D	     (24 * H)

struct unit {
	const char *name;
	uint64_t scale;
};

/* Ascending, the name that is written first of each scale. */
static const struct unit duration_units[] = {
	{ "ns", 1 }, { "us", US },	{ "\xc2\xb5s", US }, { "\xce\xbcs", US }, { "ms", MS },
	{ "s", S },  { "min", MINUTE }, { "h", H },	     { "d", D },	  { NULL },
};

static const struct unit size_units[] = {
	{ "B", 1 },
	{ "k", 1ULL << 10 },
	{ "K", 1ULL << 10 },
	{ "M", 1ULL << 20 },
	{ "G", 1ULL << 30 },
	{ "T", 1ULL << 40 },
	{ "KiB", 1ULL << 10 },
	{ "MiB", 1ULL << 20 },
	{ "GiB", 1ULL << 30 },
	{ "TiB", 1ULL << 40 },
	{ "kB", 1000 },
	{ "MB", 1000000 },
	{ "GB", 1000000000 },
	{ "TB", 1000000000000 },
	{ NULL },
};

static void quantity_message(char **ret_message, const char *text, const char *what)
{
	g_autofree char *start = NULL;
	g_autofree char *shown = NULL;

	if (!ret_message)
		return;
	start = g_strndup(text, 40);
	shown = g_utf8_make_valid(start, -1);
	*ret_message = g_strdup_printf("\"%s\"%s %s", shown, strlen(text) > 40 ? "..." : "", what);
}

static const char *skip_blanks(const char *s)
{
	return s + strspn(s, " \t");
}

/* The unit at the start of @s, as far as letters go; NULL: none of the table's. */
static const struct unit *unit_find(const struct unit *units, const char *s, size_t len)
{
	for (; units->name; units++)
		if (strlen(units->name) == len && memcmp(units->name, s, len) == 0)
			return units;
	return NULL;
}

static size_t unit_length(const char *s)
{
	size_t n = 0;

	while (g_ascii_isalpha(s[n]) || (unsigned char)s[n] >= 0x80)
		n++;
	return n;
}

struct decimal {
	uint64_t whole;
	const char *fraction; /* its digits, zeroes at the end left out */
	size_t n_fraction;
};

/* Digits with at most one dot between them: 0, -EINVAL or -ERANGE. */
static int decimal_scan(const char **s, struct decimal *ret)
{
	struct decimal d = { 0 };
	const char *p = *s;

	if (!g_ascii_isdigit(*p))
		return -EINVAL;
	for (; g_ascii_isdigit(*p); p++) {
		if (__builtin_mul_overflow(d.whole, 10, &d.whole) ||
		    __builtin_add_overflow(d.whole, *p - '0', &d.whole))
			return -ERANGE;
	}
	if (*p == '.') {
		d.fraction = ++p;
		if (!g_ascii_isdigit(*p))
			return -EINVAL;
		for (; g_ascii_isdigit(*p); p++)
			if (*p != '0')
				d.n_fraction = p - d.fraction + 1;
	}
	*s = p;
	*ret = d;
	return 0;
}

/* @d times @scale as a whole number: -EINVAL when it is none, -ERANGE above QUANTITY_MAX. */
static int decimal_scale(const struct decimal *d, uint64_t scale, uint64_t *ret)
{
	unsigned __int128 part = 0;
	uint64_t value, power = 1;

	if (__builtin_mul_overflow(d->whole, scale, &value) || value > QUANTITY_MAX)
		return -ERANGE;
	if (d->n_fraction > FRACTION_MAX)
		return -EINVAL;
	for (size_t i = 0; i < d->n_fraction; i++) {
		part = part * 10 + (d->fraction[i] - '0');
		power *= 10;
	}
	part *= scale;
	if (part % power)
		return -EINVAL;
	value += part / power;
	if (value > QUANTITY_MAX)
		return -ERANGE;
	*ret = value;
	return 0;
}

struct grammar {
	const struct unit *units;
	const char *example; /* ends the sentences */
	const char *too_fine;
	bool several; /* "2h 30min" */
};

static const struct grammar duration_grammar = {
	duration_units,
	"write a number and a unit (ns, us, ms, s, min, h, d), such as \"250us\"",
	"is finer than a nanosecond",
	true,
};

static const struct grammar size_grammar = {
	size_units,
	"write bytes, such as \"512M\", \"4096\" or \"100kB\"",
	"is finer than a byte",
	false,
};

static int quantity_fail(int r, const struct grammar *g, const char *text, const char *what,
			 char **ret_message)
{
	g_autofree char *sentence = g_strdup_printf("%s; %s", what, g->example);

	quantity_message(ret_message, text, sentence);
	return r;
}

/*
 * One number with its unit, blanks after both taken. @bare_scale: the unit of a number without one;
 * 0: there is none. Returns what is wrong, with the errno in @ret_r; NULL: nothing.
 */
static const char *part_scan(const struct grammar *g, const char **s, uint64_t bare_scale,
			     uint64_t *ret_value, uint64_t *ret_scale, int *ret_r)
{
	const struct unit *unit;
	struct decimal d;
	size_t len;

	*ret_r = decimal_scan(s, &d);
	if (*ret_r == -ERANGE)
		return "is too large";
	if (*ret_r < 0)
		return "is not understood";
	*s = skip_blanks(*s);
	len = unit_length(*s);
	unit = unit_find(g->units, *s, len);
	*ret_r = -EINVAL;
	if (len > 0 && !unit)
		return "has a unit that is not known";
	/* nothing is nothing in any unit */
	if (!unit && bare_scale == 0 && (d.whole > 0 || d.n_fraction > 0))
		return "has no unit";
	*s = skip_blanks(*s + len);
	*ret_scale = unit ? unit->scale : MAX(bare_scale, 1);
	*ret_r = decimal_scale(&d, *ret_scale, ret_value);
	if (*ret_r == -EINVAL)
		return g->too_fine;
	return *ret_r < 0 ? "is too large" : NULL;
}

static int quantity_parse(const struct grammar *g, const char *text, uint64_t bare_scale,
			  uint64_t *ret, char **ret_message)
{
	uint64_t sum = 0, value = 0, scale = 0, last_scale = UINT64_MAX;
	const char *s = skip_blanks(text), *wrong;
	int r;

	if (!*s)
		return quantity_fail(-EINVAL, g, text, "says nothing", ret_message);
	if (*s == '-')
		return quantity_fail(-EINVAL, g, text, "is negative", ret_message);
	do {
		wrong = part_scan(g, &s, bare_scale, &value, &scale, &r);
		if (wrong)
			return quantity_fail(r, g, text, wrong, ret_message);
		if (scale >= last_scale)
			return quantity_fail(-EINVAL, g, text,
					     "has parts out of order, the largest unit comes first",
					     ret_message);
		last_scale = scale;
		bare_scale = 0;
		sum += value;
		if (sum > QUANTITY_MAX)
			return quantity_fail(-ERANGE, g, text, "is too large", ret_message);
		if (*s && !g->several)
			return quantity_fail(-EINVAL, g, text, "is not understood", ret_message);
	} while (*s);
	*ret = sum;
	return 0;
}

int duration_parse(const char *text, uint64_t default_unit_ns, uint64_t *ret_ns, char **ret_message)
{
	return quantity_parse(&duration_grammar, text, default_unit_ns, ret_ns, ret_message);
}

int size_parse(const char *text, uint64_t *ret_bytes, char **ret_message)
{
	return quantity_parse(&size_grammar, text, 1, ret_bytes, ret_message);
}

/* @ns in units of @scale with the decimals it needs. */
static void duration_append(GString *out, uint64_t ns, uint64_t scale, const char *unit)
{
	uint64_t rest = ns % scale;

	g_string_append_printf(out, "%" G_GUINT64_FORMAT, ns / scale);
	if (rest > 0) {
		g_string_append_c(out, '.');
		for (uint64_t digit = scale / 10; rest > 0; digit /= 10) {
			g_string_append_c(out, '0' + rest / digit);
			rest %= digit;
		}
	}
	g_string_append(out, unit);
}

/*
 * One unit as far as that reads well: the largest that divides it ("90min"), or below 1000 s the
 * largest that fits, with decimals. Parts only when that would take a long number.
 */
char *duration_format(uint64_t ns)
{
	static const struct unit large[] = { { "d", D }, { "h", H }, { "min", MINUTE } };
	static const struct unit small[] = { { "s", S }, { "ms", MS }, { "us", US }, { "ns", 1 } };
	GString *out = g_string_new(NULL);

	if (ns == 0)
		g_string_append(out, "0s");
	for (size_t i = 0; i < G_N_ELEMENTS(large) && ns > 0; i++) {
		if (ns % large[i].scale == 0 && ns / large[i].scale < 1000) {
			duration_append(out, ns, large[i].scale, large[i].name);
			ns = 0;
		}
	}
	for (size_t i = 0; i < G_N_ELEMENTS(large) && (ns >= 1000 * S || out->len); i++) {
		if (ns < large[i].scale)
			continue;
		g_string_append(out, out->len ? " " : "");
		duration_append(out, ns - ns % large[i].scale, large[i].scale, large[i].name);
		ns %= large[i].scale;
	}
	for (size_t i = 0; i < G_N_ELEMENTS(small) && ns > 0; i++) {
		if (ns < small[i].scale)
			continue;
		g_string_append(out, out->len ? " " : "");
		duration_append(out, ns, small[i].scale, small[i].name);
		ns = 0;
	}
	return g_string_free(out, FALSE);
}

int integer_parse(const char *text, int64_t min, int64_t max, int64_t *ret, char **ret_message)
{
	const char *digits = text + (*text == '-' || *text == '+');
	char *end;
	int64_t value;

	errno = 0;
	value = g_ascii_strtoll(text, &end, 10);
	if (!g_ascii_isdigit(*digits) || *end) {
		quantity_message(ret_message, text, "is not a whole number");
		return -EINVAL;
	}
	if (errno == ERANGE || value < min || value > max) {
		g_autofree char *what = g_strdup_printf(
			"is not within %" G_GINT64_FORMAT " and %" G_GINT64_FORMAT, min, max);

		quantity_message(ret_message, text, what);
		return -ERANGE;
	}
	*ret = value;
	return 0;
}

char *number_format(double value, int decimals)
{
	char fmt[16], buf[G_ASCII_DTOSTR_BUF_SIZE + 512];

	g_snprintf(fmt, sizeof(fmt), "%%.%df", CLAMP(decimals, 0, 20));
	return g_strdup(g_ascii_formatd(buf, sizeof(buf), fmt, value));
}
