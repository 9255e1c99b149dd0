/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * A result as test cases, for the formats that test farms read: each limit of each stage, whether
 * each stage was measured soundly, and whether the session came to its end.
 *
 * The worst case has the session's verdict: where that is inconclusive none has failed and at least
 * one is inconclusive, where it is pass all have passed.
 */
#include "result.h"

enum case_outcome {
	CASE_PASS,
	CASE_SKIP, /* nothing was measured, and nothing should have been */
	CASE_INCONCLUSIVE,
	CASE_FAIL,
};

#define CASES_SESSION (-1)
#define CASES_ALL     (-2)

struct test_case {
	int stage;  /* number of the stage; CASES_SESSION: the session's own */
	char *name; /* "max <= 100us", "measured", "session"; and */
	char *id;   /* "max", "measured", "session": of no two of a stage's alike */
	char *text; /* why, a sentence or several; "" when there is nothing to say. For people */
	enum case_outcome outcome;
	const struct result_limit *limit; /* borrowed; NULL: none */
};

/* GPtrArray of struct test_case, the stages' in their order and the session's last;
 * g_ptr_array_unref(). Strings are valid UTF-8, one line. */
GPtrArray *cases_new(const struct result *r);

/* How many of @cases have @outcome; @stage: as in struct test_case, or CASES_ALL. */
unsigned cases_count(const GPtrArray *cases, int stage, enum case_outcome outcome);

/* What a limit's figure is, for people: "48.696us on CPU 0", "12", "98.5 %"; NULL: not known.
 * g_free(). */
char *cases_limit_value(const struct result_limit *l);
