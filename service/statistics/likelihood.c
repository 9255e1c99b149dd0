/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Why profile likelihood and not a bootstrap of the fit: both were tried on samples of 100, 300 and
 * 1000 blocks. A bootstrap's interval is centred on a shape that few blocks know badly, and with a
 * heavy tail the truth lies above its upper end in 9 % of the cases instead of 2.5 %; here in 2-5
 * %. lrtbf-statistics(7) has the table.
 *
 * The data are moved and scaled by the fit that searching begins with, so that all parameters are
 * around 1 and one precision suits all. Where a parameter is held, the remaining ones are searched
 * with the simplex of J. A. Nelder and R. Mead (1965), which needs no derivatives; what no
 * distribution allows costs the more the farther it is off, so that a simplex that begins there
 * finds out. The end of an interval is where the signed root of the deviance, which is nearly
 * straight, comes to 1.96 (more for a short tail: likelihood_root()).
 */
#include "likelihood.h"

#include <gsl/gsl_multimin.h>
#include <math.h>

/* Roots of the 95 % points of chi-squared with 1 and with 2 degrees of freedom. */
#define LIKELIHOOD_ROOT	    1.959964
#define LIKELIHOOD_ROOT_2   2.447747
#define LIKELIHOOD_SHAPE    1.0 /* -1 .. 1.5 is searched */
#define LIKELIHOOD_SHAPE_UP 1.5
#define LIKELIHOOD_NEVER    1e9 /* worse than any that is allowed */
#define LIKELIHOOD_STEPS    300
#define LIKELIHOOD_SIZE	    0.02 /* of the simplex at the end, in standard errors or so */
#define LIKELIHOOD_OUTWARD  60
#define LIKELIHOOD_INWARD   20
#define LIKELIHOOD_NEAR	    0.005 /* of the root */
#define LIKELIHOOD_HALVES   40

/* What is held while the others are searched; the parameters are then {location,} log scale, shape.
 */
enum likelihood_held {
	HELD_NONE,
	HELD_LEVEL, /* log scale, shape */
	HELD_SHAPE, /* location, log scale */
};

struct likelihood {
	double *value; /* moved and scaled, ascending */
	size_t n;
	double origin, unit;
	struct gev best; /* of these */
	double least;	 /* -log likelihood of it */
	double root;	 /* how much worse an end of an interval explains them */
};

struct search {
	const struct likelihood *l;
	enum likelihood_held held;
	double at, y; /* the held value; of the level with this y */
	struct gev found;
};

/* -log likelihood. */
static double likelihood_cost(const struct likelihood *l, const struct gev *g)
{
	double sum = (double)l->n * log(g->scale), k = g->shape;
	double first = 1 + k * (l->value[0] - g->location) / g->scale;
	double last = 1 + k * (l->value[l->n - 1] - g->location) / g->scale;

	if (!(fmin(first, last) > 0))
		return LIKELIHOOD_NEVER * (1 - fmax(fmin(first, last), -1e6));
	for (size_t i = 0; i < l->n; i++) {
		double w = (l->value[i] - g->location) / g->scale;

		w = fabs(k) < 1e-8 ? w : log1p(k * w) / k;
		sum += (1 + k) * w + exp(-w);
	}
	return isfinite(sum) ? fmin(sum, LIKELIHOOD_NEVER) : LIKELIHOOD_NEVER;
}

static struct gev search_gev(const struct search *s, const gsl_vector *v)
{
	struct gev g;

	switch (s->held) {
	case HELD_SHAPE:
		g.location = gsl_vector_get(v, 0);
		g.scale = exp(gsl_vector_get(v, 1));
		g.shape = s->at;
		break;
	case HELD_LEVEL:
		g.scale = exp(gsl_vector_get(v, 0));
		g.shape = gsl_vector_get(v, 1);
		g.location = 0;
		g.location = s->at - gev_level(&g, s->y);
		break;
	default:
		g.location = gsl_vector_get(v, 0);
		g.scale = exp(gsl_vector_get(v, 1));
		g.shape = gsl_vector_get(v, 2);
	}
	return g;
}

static double search_cost(const gsl_vector *v, void *userdata)
{
	const struct search *s = userdata;
	struct gev g = search_gev(s, v);
	double off = fmax(-LIKELIHOOD_SHAPE - g.shape, g.shape - LIKELIHOOD_SHAPE_UP);

	/* the simplex takes numbers only */
	if (!(g.scale > 1e-6 && g.scale < 1e6) || !isfinite(g.location))
		return LIKELIHOOD_NEVER * 1e9;
	if (off > 0)
		return LIKELIHOOD_NEVER * (2 + off);
	return likelihood_cost(s->l, &g);
}

/*
 * The shape with which @g has the level that is held: what the level depends on most. A location
 * that followed the level would leave the data behind.
 */
static double search_shape(const struct search *s, struct gev g)
{
	double low = -LIKELIHOOD_SHAPE, high = LIKELIHOOD_SHAPE_UP;

	for (int i = 0; i < LIKELIHOOD_HALVES; i++) {
		g.shape = (low + high) / 2;
		if (gev_level(&g, s->y) < s->at)
			low = g.shape;
		else
			high = g.shape;
	}
	return g.shape;
}

static void search_begin(const struct search *s, gsl_vector *v)
{
	unsigned i = 0;

	if (s->held != HELD_LEVEL)
		gsl_vector_set(v, i++, s->found.location);
	gsl_vector_set(v, i++, log(s->found.scale));
	if (s->held != HELD_SHAPE)
		gsl_vector_set(v, i,
			       s->held == HELD_LEVEL ? search_shape(s, s->found) : s->found.shape);
}

/* The least cost from s->found, which becomes what it is reached with. */
static double search_run(struct search *s)
{
	size_t dimensions = s->held == HELD_NONE ? 3 : 2;
	gsl_multimin_function f = { .f = search_cost, .n = dimensions, .params = s };
	gsl_multimin_fminimizer *m =
		gsl_multimin_fminimizer_alloc(gsl_multimin_fminimizer_nmsimplex2, dimensions);
	gsl_vector *v = gsl_vector_alloc(dimensions), *step = gsl_vector_alloc(dimensions);
	double error = 1 / sqrt((double)s->l->n), cost;

	search_begin(s, v);
	gsl_vector_set_all(step, error);
	(void)gsl_multimin_fminimizer_set(m, &f, v, step); /* fails for other dimensions only */
	for (int i = 0; i < LIKELIHOOD_STEPS; i++)
		if (gsl_multimin_fminimizer_iterate(m) != GSL_SUCCESS ||
		    gsl_multimin_fminimizer_size(m) < LIKELIHOOD_SIZE * error)
			break;
	s->found = search_gev(s, gsl_multimin_fminimizer_x(m));
	cost = gsl_multimin_fminimizer_minimum(m);
	gsl_multimin_fminimizer_free(m);
	gsl_vector_free(v);
	gsl_vector_free(step);
	return cost;
}

/* How much worse the data are explained with @at than at best: 0 and more, nearly linear in @at. */
static double search_root(struct search *s, double at)
{
	s->at = at;
	return sqrt(2 * fmax(search_run(s) - s->l->least, 0));
}

/*
 * From where it is 0 to where it is LIKELIHOOD_ROOT: outward in growing steps, then inward by
 * false position (of the kind that halves the weight of an end which stays).
 */
static double search_end(struct search *s, double from, double step)
{
	double in = from, in_off = -s->l->root, out = from, out_off = -1, at, off;
	struct gev in_found = s->found;

	for (int i = 0; out_off < 0; i++) {
		if (i == LIKELIHOOD_OUTWARD)
			return step > 0 ? INFINITY : -INFINITY;
		in = out;
		in_off = i ? out_off : in_off;
		in_found = s->found;
		out = in + step;
		step *= 1.5;
		out_off = search_root(s, out) - s->l->root;
	}
	out_off = fmin(out_off, 10);
	for (int i = 0, side = 0; i < LIKELIHOOD_INWARD; i++) {
		at = in + (out - in) * in_off / (in_off - out_off);
		s->found = in_found;
		off = search_root(s, at) - s->l->root;
		if (fabs(off) < LIKELIHOOD_NEAR)
			return at;
		if (off < 0) {
			in = at;
			in_off = off;
			in_found = s->found;
			out_off /= side == -1 ? 2 : 1;
			side = -1;
		} else {
			out = at;
			out_off = fmin(off, 10);
			in_off /= side == 1 ? 2 : 1;
			side = 1;
		}
	}
	return in;
}

/*
 * With a shape under -0.5 the largest values alone tell where the distribution ends, and how much
 * worse another end explains them is no longer chi-squared with 1 degree of freedom, but, at -1
 * (where it is n times an exponential), with 2 (R. L. Smith, 1985).
 */
static double likelihood_root(double shape)
{
	double irregular = fmin(fmax((-0.5 - shape) / 0.25, 0), 1);

	return LIKELIHOOD_ROOT + irregular * (LIKELIHOOD_ROOT_2 - LIKELIHOOD_ROOT);
}

static bool likelihood_search(struct likelihood *l, const struct gev *start)
{
	struct search s = { .l = l, .held = HELD_NONE };

	s.found.location = 0; /* @start in its own units */
	s.found.scale = 1;
	s.found.shape = fmin(fmax(start->shape, -0.9 * LIKELIHOOD_SHAPE), 0.9);
	for (int i = 0; likelihood_cost(l, &s.found) >= LIKELIHOOD_NEVER && i < 60; i++)
		s.found.scale *= 1.2; /* until no value lies outside */
	(void)search_run(&s);
	l->least = search_run(&s); /* again: a simplex may have collapsed */
	l->best = s.found;
	l->root = likelihood_root(l->best.shape);
	return l->least < LIKELIHOOD_NEVER;
}

struct likelihood *likelihood_new(const double *sorted, size_t n, const struct gev *start)
{
	struct likelihood *l = g_new0(struct likelihood, 1);

	l->value = g_new(double, n);
	l->n = n;
	l->origin = start->location;
	l->unit = start->scale;
	for (size_t i = 0; i < n; i++)
		l->value[i] = (sorted[i] - l->origin) / l->unit;
	if (!likelihood_search(l, start))
		return likelihood_free(l);
	return l;
}

struct likelihood *likelihood_free(struct likelihood *l)
{
	if (!l)
		return NULL;
	g_free(l->value);
	g_free(l);
	return NULL;
}

struct gev likelihood_gev(const struct likelihood *l)
{
	return (struct gev){ .location = l->origin + l->unit * l->best.location,
			     .scale = l->unit * l->best.scale,
			     .shape = l->best.shape };
}

void likelihood_level(const struct likelihood *l, double y, double *ret_low, double *ret_high)
{
	struct search s = { .l = l, .held = HELD_LEVEL, .y = y, .found = l->best };
	double best = gev_level(&l->best, y), step = (best - l->best.location) / sqrt((double)l->n);

	*ret_high = l->origin + l->unit * search_end(&s, best, 2 * step);
	s.found = l->best;
	*ret_low = l->origin + l->unit * search_end(&s, best, -step);
}

void likelihood_shape(const struct likelihood *l, double *ret_low, double *ret_high)
{
	struct search s = { .l = l, .held = HELD_SHAPE, .found = l->best };
	double step = 1 / sqrt((double)l->n);

	*ret_high = search_end(&s, l->best.shape, step);
	s.found = l->best;
	*ret_low = search_end(&s, l->best.shape, -step);
}
