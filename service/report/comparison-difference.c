/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How much more, in percent, and how sure that is. Printed figures are divided as the decimal
 * numbers that they are, in integers: 2.05 over 2 is +2.5 %, of which binary fractions make 2.4.
 *
 * What an interval says depends on what there is. Three sessions on either side tell how the
 * machines differ, boots and all; then, and only then, may a difference be called none. One session
 * on either side tells how two runs differ. In between, and of single samples (maximum, minimum)
 * and deviations, there is no interval.
 */
#include "comparison-internal.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#define DIFFERENCE_MAX 900000000000000000LL /* beyond any latency's over 1 ns */

typedef __int128 i128;

static int64_t difference_power(int decimals)
{
	int64_t power = 1;

	while (decimals-- > 0)
		power *= 10;
	return power;
}

/* @b over @a, numbers of @places decimals, to the unit of @decimals; halves away from zero. */
static bool difference_exact(double a, double b, int places, int decimals, int64_t *ret)
{
	double scale = (double)difference_power(places);
	i128 x = (i128)llroundl((long double)a * scale), y = (i128)llroundl((long double)b * scale);
	i128 n = (y - x) * 100 * difference_power(decimals), up;

	if (x <= 0)
		return false;
	up = n < 0 ? -n : n;
	up = (2 * up + x) / (2 * x);
	if (up > DIFFERENCE_MAX)
		return false;
	*ret = (int64_t)(n < 0 ? -up : up);
	return true;
}

static bool difference_of_ratio(double ratio, int decimals, int64_t *ret)
{
	double percent = (ratio - 1) * 100 * (double)difference_power(decimals);

	if (!isfinite(percent) || percent > (double)DIFFERENCE_MAX)
		return false;
	*ret = llround(percent);
	return true;
}

char *comparison_percent_text(int64_t percent, int decimals)
{
	int64_t power = difference_power(decimals), n = llabs(percent);
	const char *sign = percent < 0 ? "-" : percent > 0 ? "+" : "";

	if (decimals == 0)
		return g_strdup_printf("%s%" PRId64, sign, n);
	return g_strdup_printf("%s%" PRId64 ".%0*" PRId64, sign, n / power, decimals, n % power);
}

enum comparison_basis comparison_basis(const struct comparison_group *g, unsigned base,
				       unsigned side)
{
	unsigned a = g->sessions[base], b = g->sessions[side];

	if (a >= INTERVAL_SESSIONS_MIN && b >= INTERVAL_SESSIONS_MIN)
		return COMPARISON_SESSIONS;
	return a == 1 && b == 1 ? COMPARISON_RUN : COMPARISON_NONE;
}

struct pair {
	const struct comparison_group *group;
	const struct comparison_place *base, *side;
	enum comparison_basis basis;
};

/* Places of places: what a printed number has. */
static int difference_places(const struct comparison_column *c)
{
	return c->kind == COMPARISON_VALUE ? c->decimals : 3;
}

static void difference_of_shown(const struct pair *p, unsigned column,
				struct comparison_difference *ret)
{
	const struct comparison_column *c = comparison_column(p->group, column);
	double low, high;
	double a = comparison_place_value(p->base, p->group, column, &low, &high);
	double b = comparison_place_value(p->side, p->group, column, &low, &high);

	if (c->kind == COMPARISON_COUNT || isnan(a) || isnan(b))
		return;
	ret->known =
		difference_exact(a, b, difference_places(c), c->percent_decimals, &ret->percent);
	ret->exact = ret->surest = ret->known ? (b - a) * 100 / a : 0;
	ret->alike = ret->known && p->base->printed && p->side->printed &&
		     p->basis == COMPARISON_RUN && fabs(b - a) * 200 < a;
}

/* An interval around @ratio. */
static void difference_set(const struct comparison_column *c, double ratio, double low, double high,
			   struct comparison_difference *ret)
{
	struct comparison_difference d = { .interval = true };

	d.known = difference_of_ratio(ratio, c->percent_decimals, &d.percent) &&
		  difference_of_ratio(low, c->percent_decimals, &d.low) &&
		  difference_of_ratio(high, c->percent_decimals, &d.high);
	d.exact = (ratio - 1) * 100;
	d.surest = (low - 1) * 100;
	if (d.known)
		*ret = d;
}

static unsigned difference_fine(const struct comparison_place *p, unsigned column, double *ret)
{
	unsigned n = 0;

	for (guint i = 0; i < p->readings->len; i++) {
		const struct comparison_reading *r = p->readings->pdata[i];
		double v = comparison_reading_get(r->fine, column);

		if (!isnan(v))
			ret[n++] = v;
	}
	return n;
}

static void difference_of_sessions(const struct pair *p, unsigned column,
				   struct comparison_difference *ret)
{
	g_autofree double *a = g_new(double, p->base->readings->len);
	g_autofree double *b = g_new(double, p->side->readings->len);
	unsigned n_a = difference_fine(p->base, column, a);
	unsigned n_b = difference_fine(p->side, column, b);
	struct interval v;
	double ratio = 1;

	if (n_a < INTERVAL_SESSIONS_MIN || n_b < INTERVAL_SESSIONS_MIN)
		return;
	v = interval_of_ratio(a, n_a, b, n_b, &ratio);
	if (!v.known)
		return;
	difference_set(comparison_column(p->group, column), ratio, v.low, v.high, ret);
	ret->alike = ret->interval && v.low <= 1 && v.high >= 1;
}

static const GArray *difference_batches(const struct comparison_place *p, unsigned column)
{
	return p->batches && column < p->batches->len ? p->batches->pdata[column] : NULL;
}

/* As wide as the batches say, around the ratio of the whole runs' figures. */
static void difference_of_runs(const struct pair *p, unsigned column,
			       struct comparison_difference *ret)
{
	const GArray *a = difference_batches(p->base, column);
	const GArray *b = difference_batches(p->side, column);
	double fine_a, fine_b, ratio = 1;
	struct interval v;

	if (!a || !b || p->base->readings->len != 1 || p->side->readings->len != 1)
		return;
	if (difference_fine(p->base, column, &fine_a) != 1 ||
	    difference_fine(p->side, column, &fine_b) != 1 || fine_a <= 0)
		return;
	v = interval_of_runs((const double *)a->data, a->len, (const double *)b->data, b->len,
			     &ratio);
	if (v.known)
		difference_set(comparison_column(p->group, column), fine_b / fine_a,
			       v.low / ratio * fine_b / fine_a, v.high / ratio * fine_b / fine_a,
			       ret);
}

static void difference_place(struct comparison_group *g, struct comparison_stage *s, unsigned base,
			     unsigned side)
{
	struct pair p = { g, s->place[base], s->place[side], comparison_basis(g, base, side) };

	s->place[side]->differences = g_array_sized_new(
		FALSE, TRUE, sizeof(struct comparison_difference), g->columns->len);
	for (unsigned i = 0; i < g->columns->len; i++) {
		struct comparison_difference d = { .known = false };

		difference_of_shown(&p, i, &d);
		if (d.known && comparison_column(g, i)->judged && p.basis == COMPARISON_SESSIONS)
			difference_of_sessions(&p, i, &d);
		if (d.known && comparison_column(g, i)->judged && p.basis == COMPARISON_RUN)
			difference_of_runs(&p, i, &d);
		g->intervals += d.interval;
		g_array_append_val(s->place[side]->differences, d);
	}
}

void comparison_differences(struct comparison *c)
{
	for (guint i = 0; i < c->groups->len; i++) {
		struct comparison_group *g = c->groups->pdata[i];

		for (guint k = 0; g->shown && k < g->stages->len; k++) {
			struct comparison_stage *s = g->stages->pdata[k];

			for (unsigned side = 0; s->place[c->base] && side < c->sides->len; side++)
				if (side != c->base && s->place[side])
					difference_place(g, s, c->base, side);
		}
	}
}
