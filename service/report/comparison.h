/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * Sessions side by side: may they be compared, how do they differ, and how sure is that?
 *
 * A side is one session or several that are repeats of each other. Results are added one by one and
 * reduced to what is needed (a result of many CPUs is large), then comparison_finish() compares
 * every side with the base. Pure; formats in comparing/, one file each, generated table.
 */
#include "report.h"

#define COMPARISON_SIDES_MAX 64

struct comparison;

struct comparison_options {
	const char *base;  /* name of the side that others are held against; NULL: the first */
	const char *stage; /* only stages of this name; NULL: all */
	bool force;	   /* compare what the gate refuses, with a warning in every row */
	double fail_above; /* percent: a figure that grew by more is a failure; 0: none is */
};

struct comparison *comparison_new(const struct comparison_options *o); /* copied */
struct comparison *comparison_free(struct comparison *c);	       /* returns NULL */

/* A new side, named as the caller asked for it. Its number. */
unsigned comparison_add_side(struct comparison *c, const char *name);
/* One more session of side @side; @r is not kept. -EINVAL with a sentence: nothing to compare. */
int comparison_add(struct comparison *c, unsigned side, const struct result *r, char **ret_message);

/*
 * Compare. -EXDEV with a sentence: the gate refuses (measured in different ways; no stage in
 * common), and options did not force it; -EINVAL: fewer than two sides, no such base or stage.
 */
int comparison_finish(struct comparison *c, char **ret_message);

/* After it: VERDICT_NONE, PASS or FAIL with fail_above; VERDICT_INCONCLUSIVE: the gate, forced. */
enum verdict comparison_verdict(const struct comparison *c);
/* { "format": "lrtbf-comparison", "version": 1, ... }: what every other format shows. */
json_t *comparison_json(const struct comparison *c);

struct comparison_format {
	const char *name, *media_type, *description;
	int (*render)(const struct comparison *c, const struct report_options *o, GString *out,
		      char **ret_message);
};
extern const struct comparison_format *const comparison_formats[]; /* ends with NULL; generated */
/* -EINVAL with a sentence that lists the formats. @o NULL: all defaults. */
int comparison_render(const char *format, const struct comparison *c,
		      const struct report_options *o, GString *out, char **ret_message);
