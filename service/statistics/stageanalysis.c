/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Why it is kept and not worked out with each report: a tail takes up to a second, and a list of
 * sessions or a comparison asks for many.
 *
 * Block maxima are exact, unlike the distribution's buckets, but a clock or a source may tell time
 * in coarse steps: what step is seen in the maxima themselves.
 */
#include "stageanalysis.h"

#include "interval.h"
#include "power.h"
#include "stageblocks.h"
#include "tail.h"

#include <math.h>
#include <string.h>

#define STAGEANALYSIS_SEED	   20050707 /* any: but the same figures give the same analysis */
#define STAGEANALYSIS_RARE	   0.01	    /* share of samples */
#define STAGEANALYSIS_BOUND_BLOCKS 3	    /* of the rule of three: with fewer it says nothing */

static json_t *analysis_number(double x, double scale)
{
	return isfinite(x) ? json_real(round(x * scale) / scale) : json_null();
}

static json_t *analysis_ns(double ns)
{
	return isfinite(ns) && fabs(ns) < 1e18 ? json_integer(llround(ns)) : json_null();
}

static json_t *analysis_pair(const struct interval *v, double scale)
{
	json_t *pair;

	if (!v->known)
		return json_null();
	pair = json_array();
	json_array_append_new(pair, analysis_number(v->low, scale));
	json_array_append_new(pair, analysis_number(v->high, scale));
	return pair;
}

/* The figure itself is a bucket's midpoint, and known no better than its bucket. */
static json_t *analysis_percentile(const struct result_stage *s, const struct figures *all,
				   uint32_t ppm)
{
	double batch[INTERVAL_BATCHES_MAX];
	struct interval v;
	uint64_t ns;

	if (!figures_percentile_ns(all, ppm, false, &ns))
		return json_null();
	v = interval_of_mean(batch, interval_percentile_batches(s, ppm, batch));
	v.low = fmax(fmin(v.low, (double)ns), 0);
	v.high = fmax(v.high, (double)ns);
	return v.known ? json_pack("[o, o]", analysis_ns(v.low), analysis_ns(v.high)) : json_null();
}

static json_t *analysis_intervals(const struct result_stage *s, const struct figures *all)
{
	json_t *o = json_object(), *percentiles = json_object();
	double batch[INTERVAL_BATCHES_MAX];
	unsigned n = interval_mean_batches(s, batch);
	struct interval v = interval_of_mean(batch, n);

	v.low = fmax(v.low, 0);
	json_object_set_new(o, "avg_ns", analysis_pair(&v, 1e3));
	for (const struct figures_percentile *p = figures_percentiles; p->name; p++)
		json_object_set_new(percentiles, p->name, analysis_percentile(s, all, p->ppm));
	json_object_set_new(o, "percentiles", percentiles);
	json_object_set_new(o, "batches", json_integer(n));
	return o;
}

static json_t *analysis_worst(const struct figures *all)
{
	uint32_t blocks = figures_blocks_taken(all);
	json_t *o;

	if (blocks <= STAGEANALYSIS_BOUND_BLOCKS || figures_foreign(all))
		return json_null();
	o = json_object();
	json_object_set_new(o, "blocks", json_integer(blocks));
	json_object_set_new(o, "length_ns", json_integer((json_int_t)all->block_length_ns));
	json_object_set_new(o, "chance",
			    json_real((double)STAGEANALYSIS_BOUND_BLOCKS / (double)blocks));
	return o;
}

static json_t *analysis_levels(const struct tail *t, double length_ns)
{
	json_t *levels = json_array();

	for (size_t i = 0; i < TAIL_LEVELS; i++) {
		const struct tail_level *l = &t->level[i];
		json_t *o = json_object();

		json_object_set_new(o, "times", json_integer(l->times));
		json_object_set_new(o, "duration_ns",
				    analysis_ns(length_ns * (double)t->blocks * l->times));
		json_object_set_new(o, "level_ns", analysis_ns(l->level));
		json_object_set_new(o, "low_ns", analysis_ns(l->low));
		json_object_set_new(o, "high_ns", analysis_ns(l->high));
		json_array_append_new(levels, o);
	}
	return levels;
}

static json_t *analysis_fitted(const struct tail *t, uint64_t block_length_ns)
{
	uint64_t length_ns = block_length_ns * t->merged;
	struct interval shape = { true, t->shape_low, t->shape_high };
	json_t *o = json_object();

	json_object_set_new(o, "blocks", json_integer((json_int_t)t->blocks));
	json_object_set_new(o, "merged", json_integer(t->merged));
	json_object_set_new(o, "block_length_ns", json_integer((json_int_t)length_ns));
	json_object_set_new(o, "location_ns", analysis_ns(t->gev.location));
	json_object_set_new(o, "scale_ns", analysis_ns(t->gev.scale));
	json_object_set_new(o, "shape", analysis_number(t->gev.shape, 1e6));
	json_object_set_new(o, "shape_interval", analysis_pair(&shape, 1e4));
	json_object_set_new(o, "p_value", analysis_number(t->p_value, 1e4));
	json_object_set_new(o, "levels", analysis_levels(t, (double)length_ns));
	return o;
}

static json_t *analysis_refused(const struct tail *t)
{
	g_autofree char *reason = tail_refusal_sentence(t);
	json_t *o = json_object();

	json_object_set_new(o, "refused", json_string(tail_refusal_id(t->refusal)));
	json_object_set_new(o, "reason", json_string(reason));
	json_object_set_new(o, "blocks", json_integer((json_int_t)t->blocks));
	return o;
}

static json_t *analysis_tail(const struct figures *all)
{
	g_autofree struct figures_block *b = g_new(struct figures_block, FIGURES_BLOCKS);
	g_autofree double *maxima = g_new(double, FIGURES_BLOCKS);
	unsigned n = stageblocks_take(all, b);
	struct tail t;

	if (n == 0 || figures_foreign(all))
		return json_null();
	for (unsigned i = 0; i < n; i++)
		maxima[i] = (double)b[i].max_ns;
	tail_fit(maxima, n, tail_grid(maxima, n), STAGEANALYSIS_SEED, &t);
	return t.refusal == TAIL_FITS ? analysis_fitted(&t, all->block_length_ns)
				      : analysis_refused(&t);
}

bool stageanalysis_two_latencies(const struct result_stage *s)
{
	const char *role = json_string_value(json_object_get(s->port, "role"));
	const char *receive = json_string_value(json_object_get(s->port, "receive"));

	return role && receive && strcmp(role, "logger") == 0 && strcmp(receive, "irq") == 0;
}

static json_t *analysis_both(const struct result_stage *s, const struct figures *all)
{
	uint64_t samples = figures_placed(all), count = 0, max_ns = 0;
	double chance;
	unsigned from;
	json_t *o;

	if (!stageanalysis_two_latencies(s) || !figures_max_ns(all, &max_ns) || samples == 0)
		return json_null();
	from = histogram_bucket(max_ns / 2);
	for (unsigned b = from; b < HISTOGRAM_BUCKETS; b++)
		count += all->bucket[b];
	chance = (double)count / (double)samples;
	if (chance > STAGEANALYSIS_RARE)
		return json_null();
	o = json_object();
	json_object_set_new(o, "above_ns", json_integer((json_int_t)histogram_low_ns(from)));
	json_object_set_new(o, "count", json_integer((json_int_t)count));
	json_object_set_new(o, "samples", json_integer((json_int_t)samples));
	json_object_set_new(o, "expected", json_real(power_expected(chance, chance, samples)));
	return o;
}

json_t *stageanalysis_new(const struct result_stage *s)
{
	g_autofree struct figures *all = result_stage_all(s);
	json_t *o = json_object();

	json_object_set_new(o, "intervals", analysis_intervals(s, all));
	json_object_set_new(o, "worst", analysis_worst(all));
	json_object_set_new(o, "tail", analysis_tail(all));
	json_object_set_new(o, "both", analysis_both(s, all));
	return o;
}
