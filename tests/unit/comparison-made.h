/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * Made sessions to compare: the same bytes in every run.
 */
#include "comparison.h"

#define MADE_US	    1000ULL
#define MADE_SECOND 1000000000ULL

/* A timer's session with a kernel and conditions that are known; result_free(). */
struct result *made_session(const char *label, const char *kernel);
struct result_stage *made_stage(struct result *r, const char *name);
struct figures *made_figures(struct result_stage *s); /* of CPU 0, made when it is not there */
/*
 * @seconds of 100 samples each, about @mean_ns: uniform within a tenth of it. Blocks of a second,
 * a snapshot every two.
 */
void made_run(struct result_stage *s, unsigned seconds, double mean_ns, uint64_t seed);
/* One with a stage "none" of 60 s. */
struct result *made_measured(const char *label, double mean_ns, uint64_t seed);
/* What a benchmark printed. */
struct result *made_benchmark(const char *label, const char *name, double value, int decimals);

void made_condition(struct result *r, const char *group, const char *key, json_t *value);

/* A comparison of @sides, to be ended by NULL; sessions of the same label in a row are one side.
 * Takes the sessions. */
struct comparison *made_comparison(const struct comparison_options *o, struct result *const *all);
/* The same, finished without an error, as JSON. json_decref(). */
json_t *made_json(const struct comparison_options *o, struct result *const *all);
char *made_text(const char *format, const struct comparison *c); /* g_free() */

/* Borrowed. Of the first table. */
json_t *made_row(json_t *j, unsigned side, const char *stage);
json_t *made_difference(json_t *j, unsigned side, const char *stage, const char *key);
double made_figure(json_t *j, unsigned side, const char *stage, const char *key, const char *what);
/* Is there a warning of this kind? Its text, or NULL. */
const char *made_warning(json_t *j, const char *id);
