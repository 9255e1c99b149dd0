/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * A session's stages of one name: the same measured several times. What they have in common and how
 * far they are apart.
 */
#include "result.h"

struct repeats {
	const char *name, *load; /* of the first, borrowed */
	enum verdict verdict;	 /* the worst of them */
	GPtrArray *stages;	 /* of struct result_stage, borrowed, in order */
	GPtrArray *figures;	 /* of struct figures: of each all CPUs */
};

/*
 * One for each name, in the order in which these first came: g_ptr_array_unref(). Empty: no name
 * is there twice.
 */
GPtrArray *repeats_of(const struct result *r);

struct spread {
	unsigned n; /* of them that have the figure; 0: nothing else is known */
	double median, min, max;
};

/* Of figure @get of all of them; @ppm is for a percentile. */
typedef bool (*repeats_get_t)(const struct figures *f, uint32_t ppm, double *ret);
struct spread repeats_spread(const struct repeats *s, repeats_get_t get, uint32_t ppm);

bool repeats_mean_ns(const struct figures *f, uint32_t ppm, double *ret);
bool repeats_stddev_ns(const struct figures *f, uint32_t ppm, double *ret);
bool repeats_percentile_ns(const struct figures *f, uint32_t ppm, double *ret);
bool repeats_min_ns(const struct figures *f, uint32_t ppm, double *ret);
bool repeats_max_ns(const struct figures *f, uint32_t ppm, double *ret);

/* The one that has the largest maximum, of equals the first; borrowed. */
const struct result_stage *repeats_worst(const struct repeats *s);

/* The key "repeats" of the JSON report: of names that are there more than once. */
json_t *repeats_json(const struct result *r);
