/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Why text and not a group of keys: a limit is quoted in reports, tickets and on the command line,
 * and "p99.99 <= 50us" means the same in all of them. The comparison sign is part of it so that
 * nobody has to guess which side a bound is on.
 *
 * A figure that does not exist (no sample, too few for the percentile) is neither kept nor broken:
 * LIMIT_UNKNOWN, and the verdict says inconclusive. The one exception is what an absent sample
 * proves by itself: a wake-up that is overdue by more than the bound.
 */
#include "limit.h"

#include "duration.h"
#include "message.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#define PPM	       1000000
#define LIMIT_BASELINE "baseline"
#define LIMIT_MORE_MAX 1000  /* percent above a baseline */
#define BOUND_NOISE_NS 0.001 /* what arithmetic with fractions may add */

enum limit_unit {
	UNIT_NS,
	UNIT_COUNT,
	UNIT_PPM,
};

static const struct {
	const char *name; /* percentiles: what stands before their number */
	enum limit_unit unit;
	bool percentile;
} limit_figures[_LIMIT_FIGURE_MAX] = {
	[LIMIT_MAX] = { "max", UNIT_NS },
	[LIMIT_MIN] = { "min", UNIT_NS },
	[LIMIT_AVG] = { "avg", UNIT_NS },
	[LIMIT_STDDEV] = { "stddev", UNIT_NS },
	[LIMIT_PERCENTILE] = { "p", UNIT_NS, true },
	[LIMIT_CORRECTED_PERCENTILE] = { "corrected.p", UNIT_NS, true },
	[LIMIT_MISSED] = { "missed", UNIT_COUNT },
	[LIMIT_LOST] = { "lost", UNIT_COUNT },
	[LIMIT_WITHIN] = { "within", UNIT_PPM },
};

#define LIMIT_FIGURES                                                                              \
	"max, min, avg, stddev, p50 to p99.9999, corrected.p50 to corrected.p99.9999, missed, "    \
	"lost and within"
#define LIMIT_EXAMPLE "write it like \"max <= 100us\", \"p99.99 <= 50us\" or \"within >= 99.9%%\""

/* "99.99" with at most four decimals, up to @max, as millionths: -EINVAL for anything else. */
static int percent_scan(const char *text, uint32_t max, uint32_t *ret_ppm)
{
	uint32_t ppm = 0, place = PPM / 100;
	const char *s = text;

	if (!g_ascii_isdigit(*s))
		return -EINVAL;
	for (; g_ascii_isdigit(*s); s++) {
		ppm = ppm * 10 + (*s - '0');
		if (ppm > max)
			return -EINVAL;
	}
	ppm *= place;
	if (*s == '.') {
		if (!g_ascii_isdigit(*++s))
			return -EINVAL;
		for (; g_ascii_isdigit(*s); s++) {
			place /= 10;
			if (place == 0 && *s != '0')
				return -EINVAL;
			ppm += (*s - '0') * place;
		}
	}
	if (*s || ppm > max * (PPM / 100))
		return -EINVAL;
	*ret_ppm = ppm;
	return 0;
}

/* "99.99" for 999900. */
static char *percent_format(uint32_t ppm)
{
	char *text = g_strdup_printf("%u.%04u", ppm / (PPM / 100), ppm % (PPM / 100));
	size_t n = strlen(text);

	while (text[n - 1] == '0')
		text[--n] = '\0';
	if (text[n - 1] == '.')
		text[--n] = '\0';
	return text;
}

static int limit_figure_parse(const char *name, struct limit *l)
{
	for (int i = 0; i < _LIMIT_FIGURE_MAX; i++) {
		const char *known = limit_figures[i].name;

		if (!limit_figures[i].percentile && strcmp(known, name) != 0)
			continue;
		if (limit_figures[i].percentile &&
		    (!g_str_has_prefix(name, known) ||
		     percent_scan(name + strlen(known), 100, &l->ppm) < 0 || l->ppm == 0 ||
		     l->ppm == PPM))
			continue;
		l->figure = i;
		return 0;
	}
	return -EINVAL;
}

/* What stands after "baseline": nothing, or a sign and a percentage. */
static int limit_change_parse(const char *text, int32_t *ret)
{
	g_autofree char *number = g_strstrip(g_strdup(text));
	size_t n = strlen(number);
	uint32_t ppm;
	bool less;

	if (n == 0) {
		*ret = 0;
		return 0;
	}
	less = *number == '-';
	if ((!less && *number != '+') || number[n - 1] != '%')
		return -EINVAL;
	number[n - 1] = '\0';
	if (percent_scan(g_strstrip(number + 1), LIMIT_MORE_MAX, &ppm) < 0 || (less && ppm >= PPM))
		return -EINVAL;
	*ret = less ? -(int32_t)ppm : (int32_t)ppm;
	return 0;
}

/* Of old sessions these are left, whatever became of their histograms. */
static int limit_check_kept(const struct limit *l, char **ret_message)
{
	const struct figures_percentile *q = figures_percentiles;
	g_autoptr(GString) known = g_string_new(NULL);

	for (; q->name && q->ppm != l->ppm; q++)
		g_string_append_printf(known, "%s%s", known->len ? ", " : "", q->name);
	if (q->name)
		return 0;
	return message_fail(ret_message, -EINVAL,
			    "%s cannot be held against a baseline: of percentiles it has %s",
			    l->name, known->str);
}

static int limit_baseline_parse(const char *text, struct limit *l, char **ret_message)
{
	if (limit_figures[l->figure].unit != UNIT_NS)
		return message_fail(ret_message, -EINVAL,
				    "%s cannot be held against a baseline: only times can, such as "
				    "\"p99.9 <= baseline + 10%%\"",
				    l->name);
	if (limit_figures[l->figure].percentile && limit_check_kept(l, ret_message) < 0)
		return -EINVAL;
	if (limit_change_parse(text, &l->change) < 0)
		return message_fail(
			ret_message, -EINVAL,
			"the bound of %s: write \"baseline\", \"baseline + 10%%\" (up to "
			"%d%%) or \"baseline - 5%%\" (under 100%%), with at most four "
			"decimals",
			l->name, LIMIT_MORE_MAX);
	l->baseline = l->unbound = true;
	return 0;
}

static int limit_bound_parse(const char *text, struct limit *l, char **ret_message)
{
	g_autofree char *number = NULL;
	g_autofree char *why = NULL;
	uint32_t ppm;
	int64_t count;

	if (g_str_has_prefix(text, LIMIT_BASELINE))
		return limit_baseline_parse(text + strlen(LIMIT_BASELINE), l, ret_message);
	switch (limit_figures[l->figure].unit) {
	case UNIT_NS:
		if (duration_parse(text, 0, &l->bound, &why) < 0)
			return message_fail(ret_message, -EINVAL, "the bound of %s: %s", l->name,
					    why);
		return 0;
	case UNIT_COUNT:
		if (integer_parse(text, 0, G_MAXINT64, &count, &why) < 0)
			return message_fail(ret_message, -EINVAL,
					    "the bound of %s: %s; write a count, such as "
					    "\"%s <= 0\"",
					    l->name, why, l->name);
		l->bound = count;
		return 0;
	case UNIT_PPM:
		if (g_str_has_suffix(text, "%"))
			number = g_strchomp(g_strndup(text, strlen(text) - 1));
		if (!number || percent_scan(number, 100, &ppm) < 0)
			return message_fail(
				ret_message, -EINVAL,
				"the bound of within is a percentage of at "
				"most 100 with at most four decimals, such as \"99.9%%\"");
		l->bound = ppm;
		return 0;
	}
	g_assert_not_reached();
}

static char *limit_baseline_format(const struct limit *l)
{
	g_autofree char *percent = percent_format((uint32_t)ABS(l->change));

	if (l->change == 0)
		return g_strdup(LIMIT_BASELINE);
	return g_strdup_printf(LIMIT_BASELINE " %c %s%%", l->change < 0 ? '-' : '+', percent);
}

static char *limit_bound_format(const struct limit *l)
{
	g_autofree char *percent = NULL;

	if (l->baseline)
		return limit_baseline_format(l);
	switch (limit_figures[l->figure].unit) {
	case UNIT_NS:
		return duration_format(l->bound);
	case UNIT_COUNT:
		return g_strdup_printf("%" G_GUINT64_FORMAT, l->bound);
	case UNIT_PPM:
		percent = percent_format((uint32_t)l->bound);
		return g_strconcat(percent, "%", NULL);
	}
	g_assert_not_reached();
}

static void limit_normalise(struct limit *l)
{
	const char *sign = l->figure == LIMIT_WITHIN ? ">=" : "<=";
	g_autofree char *bound = limit_bound_format(l);

	if (limit_figures[l->figure].percentile) {
		g_autofree char *percent = percent_format(l->ppm);

		memset(l->name, 0, sizeof(l->name)); /* equal limits are equal bytes */
		g_snprintf(l->name, sizeof(l->name), "%s%s", limit_figures[l->figure].name,
			   percent);
	}
	g_snprintf(l->text, sizeof(l->text), "%s %s %s", l->name, sign, bound);
}

int limit_parse_figure(const char *name, struct limit *ret, char **ret_message)
{
	struct limit l = { 0 };

	if (strlen(name) >= sizeof(l.name) || limit_figure_parse(name, &l) < 0)
		return message_fail(ret_message, -EINVAL,
				    "\"%.64s\" is no figure; these are " LIMIT_FIGURES ".", name);
	g_strlcpy(l.name, name, sizeof(l.name));
	*ret = l;
	return 0;
}

int limit_parse(const char *text, struct limit *ret, char **ret_message)
{
	const char *sign = strpbrk(text, "<>=");
	g_autofree char *name = NULL;
	g_autofree char *bound = NULL;
	struct limit l = { 0 };
	int r;

	if (strlen(text) > 200)
		return message_fail(ret_message, -EINVAL, "a limit is too long; " LIMIT_EXAMPLE);
	if (!sign)
		return message_fail(ret_message, -EINVAL,
				    "the limit \"%s\" has no bound; " LIMIT_EXAMPLE, text);
	name = g_strstrip(g_strndup(text, sign - text));
	if (strlen(name) >= sizeof(l.name) || limit_figure_parse(name, &l) < 0)
		return message_fail(
			ret_message, -EINVAL,
			"the limit \"%s\" is on no known figure; these are " LIMIT_FIGURES, text);
	g_strlcpy(l.name, name, sizeof(l.name));
	if (strncmp(sign, l.figure == LIMIT_WITHIN ? ">=" : "<=", 2) != 0 || sign[2] == '=')
		return message_fail(ret_message, -EINVAL,
				    "the limit \"%s\" needs %s between figure and bound", text,
				    l.figure == LIMIT_WITHIN ? "\">=\"" : "\"<=\"");
	bound = g_strstrip(g_strdup(sign + 2));
	r = limit_bound_parse(bound, &l, ret_message);
	if (r < 0)
		return r;
	limit_normalise(&l);
	*ret = l;
	return 0;
}

/* A mean or deviation as whole ns, rounded up: above the bound exactly when the figure is. */
static uint64_t limit_round(double ns)
{
	return ns <= 0 ? 0 : ns >= 0x1p62 ? UINT64_C(1) << 62 : (uint64_t)ceil(ns);
}

void limit_set_baseline(struct limit *l, double ns)
{
	double bound = ns + ns * l->change / PPM;

	g_assert(l->baseline);
	/* up, as figures are: what is equal to the baseline is not above it */
	l->bound = limit_round(bound - BOUND_NOISE_NS);
	l->unbound = false;
}

/* The figure in the bound's unit; false: there is none. */
static bool limit_value(const struct limit *l, const struct figures *f, uint64_t *ret)
{
	uint64_t n = figures_count(f), max_ns = 0;
	bool has_max = figures_max_ns(f, &max_ns);
	double ns;

	switch (l->figure) {
	case LIMIT_MAX:
		*ret = MAX(max_ns, f->pending_ns);
		return has_max || f->pending_ns > l->bound;
	case LIMIT_MIN:
		return figures_min_ns(f, ret);
	case LIMIT_AVG:
		if (!figures_mean_ns(f, &ns))
			return false;
		*ret = limit_round(ns);
		return true;
	case LIMIT_STDDEV:
		if (!figures_stddev_ns(f, &ns))
			return false;
		*ret = limit_round(ns);
		return true;
	case LIMIT_PERCENTILE:
		return figures_percentile_ns(f, l->ppm, false, ret);
	case LIMIT_CORRECTED_PERCENTILE:
		return f->has_grid && figures_percentile_ns(f, l->ppm, true, ret);
	case LIMIT_MISSED:
		*ret = f->missed;
		return f->has_grid && (n > 0 || f->missed > l->bound);
	case LIMIT_LOST:
		*ret = f->lost;
		return n > 0 || f->lost > l->bound;
	case LIMIT_WITHIN:
		if (n == 0 || f->within_bound_ns == 0)
			return false;
		*ret = (u128)f->within * PPM /
		       n; /* down: below the bound exactly when the share is */
		return true;
	case _LIMIT_FIGURE_MAX:
		break;
	}
	g_assert_not_reached();
}

enum limit_outcome limit_judge(const struct limit *l, const struct figures *f, uint64_t *ret_value)
{
	uint64_t value;

	if (l->unbound || !limit_value(l, f, &value))
		return LIMIT_UNKNOWN;
	*ret_value = value;
	if (l->figure == LIMIT_WITHIN)
		return value < l->bound ? LIMIT_BROKEN : LIMIT_KEPT;
	return value > l->bound ? LIMIT_BROKEN : LIMIT_KEPT;
}
