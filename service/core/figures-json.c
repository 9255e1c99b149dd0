/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Why the text is made here too: jansson prints a double with 17 digits unless told otherwise, and
 * 12.345 becomes 12.345000000000001. 15 digits give back every value with 3 decimals below 1e12.
 */
#include "figures-json.h"

#include <math.h>
#include <string.h>

/* JSON integers are signed here; 2^63 ns are 292 years. */
static json_t *json_count(uint64_t n)
{
	return json_integer(MIN(n, (uint64_t)INT64_MAX));
}

static json_t *json_known(bool known, uint64_t n)
{
	return known ? json_count(n) : json_null();
}

static json_t *json_decimals(bool known, double value, double scale)
{
	return known ? json_real(round(value * scale) / scale) : json_null();
}

static json_t *percentiles_json(const struct figures *f, bool corrected)
{
	json_t *j = json_object();

	for (const struct figures_percentile *p = figures_percentiles; p->name; p++) {
		uint64_t ns = 0;
		bool known = figures_percentile_ns(f, p->ppm, corrected, &ns);

		json_object_set_new(j, p->name, json_known(known, ns));
	}
	return j;
}

static json_t *within_json(const struct figures *f, uint64_t n)
{
	json_t *j;

	if (f->within_bound_ns == 0)
		return json_null();
	j = json_object();
	json_object_set_new(j, "bound_ns", json_count(f->within_bound_ns));
	json_object_set_new(j, "share",
			    json_decimals(n > 0, n ? (double)f->within / (double)n : 0, 1e9));
	return j;
}

static json_t *corrected_json(const struct figures *f)
{
	json_t *j;
	double avg = 0;
	bool known = figures_corrected_mean_ns(f, &avg);

	if (!f->has_grid)
		return json_null();
	j = json_object();
	json_object_set_new(j, "count", json_count(figures_corrected_count(f)));
	json_object_set_new(j, "avg_ns", json_decimals(known, avg, 1e3));
	json_object_set_new(j, "percentiles", percentiles_json(f, true));
	return j;
}

static json_t *worst_json(const struct figures *f, uint64_t start_real_ns)
{
	json_t *list = json_array();

	for (uint32_t i = 0; i < f->n_worst; i++) {
		const struct worst_sample *w = &f->worst[i];
		json_t *j = json_object();

		json_object_set_new(j, "latency_ns", json_count(w->latency_ns));
		json_object_set_new(j, "at_ns", json_count(w->at_ns));
		json_object_set_new(
			j, "at_usec",
			json_known(start_real_ns > 0, (start_real_ns + w->at_ns) / 1000));
		json_object_set_new(j, "self", json_boolean(w->self));
		json_array_append_new(list, j);
	}
	return list;
}

static json_t *blocks_json(const struct figures *f)
{
	json_t *j = json_object(), *maxima = json_array();

	for (uint32_t i = 0; i < f->n_blocks; i++)
		json_array_append_new(maxima,
				      json_known(f->blocks[i].count > 0, f->blocks[i].max_ns));
	json_object_set_new(j, "length_ns", json_count(f->block_length_ns));
	json_object_set_new(j, "maxima", maxima);
	return j;
}

static json_t *histogram_json(const struct figures *f)
{
	json_t *list = json_array();

	for (unsigned b = 0; b < HISTOGRAM_BUCKETS; b++) {
		json_t *entry;

		if (f->bucket[b] == 0)
			continue;
		entry = json_array();
		json_array_append_new(entry, json_count(histogram_low_ns(b)));
		json_array_append_new(entry, json_count(histogram_high_ns(b)));
		json_array_append_new(entry, json_count(f->bucket[b]));
		json_array_append_new(list, entry);
	}
	return list;
}

/* Samples that are in no bucket of the histogram: above the source's range, or anywhere. */
static json_t *unplaced_json(const struct figures *f)
{
	json_t *j;

	if (f->unplaced == 0)
		return json_null();
	j = json_object();
	json_object_set_new(j, "count", json_count(f->unplaced));
	json_object_set_new(j, "from_ns", json_known(f->unplaced_from_ns > 0, f->unplaced_from_ns));
	return j;
}

static void counters_json(json_t *j, const struct figures *f, uint64_t n)
{
	json_object_set_new(j, "count", json_known(figures_count_known(f), n));
	json_object_set_new(j, "unplaced", unplaced_json(f));
	json_object_set_new(j, "missed", json_known(f->has_grid, f->missed));
	json_object_set_new(j, "lost", json_count(f->lost));
	json_object_set_new(j, "late", json_count(f->late));
	json_object_set_new(j, "migrated", json_count(f->migrated));
	json_object_set_new(j, "early", json_count(f->early));
	json_object_set_new(j, "overrun", json_count(f->overrun));
	json_object_set_new(j, "warmup", json_count(f->warmup));
	json_object_set_new(j, "warmup_max_ns", json_known(f->warmup > 0, f->warmup_max_ns));
	json_object_set_new(j, "torn", json_boolean(f->torn));
	json_object_set_new(j, "pending_ns", json_known(f->has_grid, f->pending_ns));
	json_object_set_new(j, "nominal_ns", json_known(f->nominal_ns > 0, f->nominal_ns));
}

json_t *figures_to_json(const struct figures *f, uint64_t start_real_ns, bool histogram)
{
	json_t *j = json_object();
	uint64_t n = figures_count(f), min = 0, max = 0;
	bool has_min = figures_min_ns(f, &min), has_max = figures_max_ns(f, &max);
	double avg = 0, stddev = 0;
	bool has_avg = figures_mean_ns(f, &avg), has_stddev = figures_stddev_ns(f, &stddev);

	counters_json(j, f, n);
	json_object_set_new(j, "min_ns", json_known(has_min, min));
	json_object_set_new(j, "avg_ns", json_decimals(has_avg, avg, 1e3));
	json_object_set_new(j, "max_ns", json_known(has_max, max));
	json_object_set_new(j, "stddev_ns", json_decimals(has_stddev, stddev, 1e3));
	json_object_set_new(j, "percentiles", percentiles_json(f, false));
	json_object_set_new(j, "within", within_json(f, n));
	json_object_set_new(j, "corrected", corrected_json(f));
	json_object_set_new(j, "worst", worst_json(f, start_real_ns));
	json_object_set_new(j, "blocks", blocks_json(f));
	if (histogram)
		json_object_set_new(j, "histogram", histogram_json(f));
	return j;
}

char *json_text(const json_t *j, bool indent)
{
	size_t flags = JSON_REAL_PRECISION(15) | JSON_ENCODE_ANY |
		       (indent ? JSON_INDENT(2) : JSON_COMPACT);
	char *text = json_dumps(j, flags);
	char *copy = g_strdup(text ? text : "null");

	free(text);
	return copy;
}
