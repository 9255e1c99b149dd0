/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * The plots of a session. Each draws itself at the cursor of an SVG and says in @desc, in a
 * sentence for who cannot see it, what it shows; false: there is nothing to draw, and nothing was.
 */
#include "result.h"
#include "svg.h"

enum plot_kind { PLOT_HISTOGRAM, PLOT_CCDF, PLOT_MAXIMA, PLOT_TAIL, _PLOT_MAX };

const char *plot_to_string(enum plot_kind k); /* "histogram", "ccdf", "maxima", "tail" */
/* -EINVAL with a sentence that lists them. */
int plot_from_string(const char *name, enum plot_kind *ret, char **ret_message);

/* Samples per bin: of up to PLOT_CPUS_APART CPUs a histogram each, of more a strip of shades. */
bool plot_histogram(struct svg *s, const struct result *r, const struct result_stage *st,
		    GString *desc);
/*
 * The share of samples at or above a latency, exact at every bucket's edge, the last step at the
 * exact maximum. plot_ccdf(): of a stage, by CPU; plot_ccdf_stages(): all stages of a session with
 * several of them, overlaid.
 */
bool plot_ccdf(struct svg *s, const struct result *r, const struct result_stage *st, GString *desc);
bool plot_ccdf_stages(struct svg *s, const struct result *r, GString *desc);
/* Maxima of blocks over the time that was measured, all stages. */
bool plot_maxima(struct svg *s, const struct result *r, GString *desc);
/* The fitted tail, if the stage's analysis has one. */
bool plot_return(struct svg *s, const struct result *r, const struct result_stage *st,
		 GString *desc);

/* --- what they share --- */

#define PLOT_CPUS_APART 8 /* so many are told apart by line; more are a band */

struct plot_range { /* of samples, ns */
	uint64_t low, high;
	bool zero; /* there are samples of 0: low is the smallest above */
	bool any;
	uint64_t placed, unplaced; /* the most that any of the figures has */
};

void plot_range_add(struct plot_range *range, const struct figures *f);
/* A logarithmic axis of latencies over @range. */
struct svg_axis plot_axis(const struct plot_range *range);
/* "hd", "hd, repeat 2". g_free(). */
char *plot_stage_name(const struct result *r, const struct result_stage *st);
/* The colour of stage number @i: repeats of one name have the same. */
unsigned plot_stage_series(const struct result *r, guint i);
/* "12.3 us". g_free(). */
char *plot_time(uint64_t ns);
/* Bounds on the maximum that @st's limits set, where they are near enough to be seen. */
void plot_limits_x(struct svg *s, const struct svg_frame *f, const struct result_stage *st);
void plot_limits_y(struct svg *s, const struct svg_frame *f, const struct result_stage *st);
/* Points of figures_ccdf: GArray of struct svg_point from (smallest sample, 1) on. */
GArray *plot_ccdf_points(const struct figures *f, bool corrected);
/* An empty one for samples in @range, and the curve of @figures in it. */
struct svg_frame plot_ccdf_frame(const struct plot_range *range);
void plot_ccdf_curve(struct svg *s, const struct svg_frame *f, unsigned series,
		     const struct figures *figures, bool corrected);
