/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * The figures of a session, stage or CPU one by one, for formats that name each: from figures, or
 * from the summary that is all that is left of an old session.
 */
#include "figures.h"
#include <jansson.h>

enum quantity_unit {
	QUANTITY_COUNT,
	QUANTITY_TIME, /* ns */
};

struct amount { /* exact to 1/1000 of the unit, as the JSON report is */
	uint64_t n;
	unsigned thousandths;
};

struct quantity {
	const char *key; /* in FIGURES of the JSON report, '.' between an object's and its member's:
			    "max_ns", "percentiles 99.9" */
	const char *name;   /* "max", "p99.9": a limit's name where there is such a limit */
	const char *metric; /* "maximum", "missed_periods"; NULL: of percentiles */
	const char *help;   /* a sentence; NULL: of percentiles */
	enum quantity_unit unit;
	/* for quantity.c */
	bool (*get)(const struct quantity *q, const struct figures *f, struct amount *ret);
	size_t offset;	/* of a plain counter */
	uint32_t ppm;	/* of a percentile */
	bool grid;	/* means something only on a grid of periods */
	bool corrected; /* percentile of the corrected view */
};

/* All of them, percentiles included; ends with .key NULL. */
extern const struct quantity quantities[];

/* false: there is none, or it is not known. */
bool quantity_of(const struct quantity *q, const struct figures *f, struct amount *ret);
/* The same from FIGURES as JSON. */
bool quantity_stored(const struct quantity *q, const json_t *figures, struct amount *ret);

/*
 * As a number with a dot, without an exponent: counts as they are; times in 1/@per_second seconds
 * (1: s, 1000000: us, 1000000000: ns), as many decimals as they have. Appended.
 */
void quantity_append(GString *out, const struct quantity *q, const struct amount *a,
		     uint64_t per_second);
