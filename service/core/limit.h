/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * Limits: a bound that a plan sets on a figure. "max <= 100us", "p99.99 <= 50us", "avg <= 20us",
 * "stddev <= 5us", "missed <= 0", "lost <= 0", "within >= 99.9%", "corrected.p99 <= 1ms".
 *
 * Or against what others measured: "p99.9 <= baseline + 10%". Its bound is not known before
 * somebody who has the baseline calls limit_set_baseline(), and it cannot be judged until then.
 */
#include "figures.h"
#include <stdbool.h>
#include <stdint.h>

enum limit_figure {
	LIMIT_MAX,
	LIMIT_MIN,
	LIMIT_AVG,
	LIMIT_STDDEV,
	LIMIT_PERCENTILE,
	LIMIT_CORRECTED_PERCENTILE,
	LIMIT_MISSED,
	LIMIT_LOST,
	LIMIT_WITHIN, /* per million; the only one with >= */
	_LIMIT_FIGURE_MAX,
};

struct limit {
	enum limit_figure figure;
	uint32_t ppm;	/* LIMIT_PERCENTILE: which */
	uint64_t bound; /* ns, count, or per million */
	bool baseline;	/* of times only: the bound is a baseline's figure, */
	bool unbound;	/* which is not known, */
	int32_t change; /* and so many millionths of it more (or less) */
	char name[32];	/* as written: "p99.99" */
	char text[64];	/* normalised: "p99.99 <= 50us" */
};

enum limit_outcome {
	LIMIT_KEPT,
	LIMIT_BROKEN,
	LIMIT_UNKNOWN, /* too few samples for the figure, no sample at all, or no bound */
};

/* "FIGURE <= BOUND". -EINVAL with a sentence. */
int limit_parse(const char *text, struct limit *ret, char **ret_message);

/* "p99.9" alone: figure, ppm and name, no bound. -EINVAL with a sentence that lists the figures. */
int limit_parse_figure(const char *name, struct limit *ret, char **ret_message);

/* The figure of its baseline: the bound follows. Only for a limit against one. */
void limit_set_baseline(struct limit *l, double ns);

/*
 * Judge @f. @ret_value: the figure in the bound's unit (untouched when LIMIT_UNKNOWN). A wake-up
 * still awaited at the end counts: max is judged with max(max, pending), and a limit that pending
 * alone breaks is broken even with no sample.
 */
enum limit_outcome limit_judge(const struct limit *l, const struct figures *f, uint64_t *ret_value);
