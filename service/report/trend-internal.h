/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* The insides of a trend, for its formats. */
#include "trend.h"

#include "changepoint.h"

#define TREND_SHIFTS_MAX 64
#define TREND_NEWEST	 10 /* sessions that are listed for people */

enum trend_unit { TREND_TIME, TREND_NUMBER, TREND_SHARE }; /* ns, a count, per million */

struct trend_shift {
	struct changepoint found; /* at: of the values that are known */
	guint at, last;		  /* points: the first of the new level, the last of the old one */
	bool compared;		  /* conditions of both are known */
	GPtrArray *changed;	  /* of struct conditionsdiff */
};

struct trend_level {	    /* sessions between shifts; or of one kernel */
	const char *kernel; /* of trend_by_kernel() */
	guint from, to;	    /* points, both included */
	unsigned sessions, known, fail, inconclusive;
	double median, low, high; /* NAN: none is known */
};

struct trend {
	struct trend_options options; /* strings owned */
	enum trend_unit unit;
	GStringChunk *text;
	GArray *points; /* of struct trend_point */
	/* after trend_finish() */
	GArray *known;	   /* of guint: points with a value */
	GPtrArray *shifts; /* of struct trend_shift */
	GArray *levels;	   /* of struct trend_level: one more than shifts; none without points */
	GArray *kernels; /* the same, by kernel in the order in which they came; NULL: not asked */
	struct trend_level all;
};

static inline const struct trend_point *trend_point(const struct trend *t, guint i)
{
	return &g_array_index(t->points, struct trend_point, i);
}

static inline const struct trend_shift *trend_shift(const struct trend *t, guint i)
{
	return t->shifts->pdata[i];
}

static inline const struct trend_level *trend_level(const GArray *levels, guint i)
{
	return &g_array_index(levels, struct trend_level, i);
}

/* --- words: all g_free() --- */

/* "max of stage hd" */
char *trend_title(const struct trend *t);
const char *trend_unit_name(const struct trend *t); /* of numbers for people: "us", "", "%" */
/* @value as people read it, without its unit; NULL: NAN. */
char *trend_value(const struct trend *t, double value);
/* "+12.3 %"; NULL: there is none (nothing, or from 0). */
char *trend_change(const struct trend_shift *s);
/* How much it grew, in percent with one decimal, halves away from zero; NAN: there is none. */
double trend_percent(const struct trend_shift *s);
char *trend_day(uint64_t usec); /* "2026-11-30" */
/* "365 sessions from ... to ..., 3 without this figure, 2 failed, 1 inconclusive." */
char *trend_summary(const struct trend *t);
/* "From s... (2026-05-01) on: 12.3 us -> 24.6 us, +100.0 %, p 0.0001." */
char *trend_shift_text(const struct trend *t, const struct trend_shift *s);
/* What changed there, in a line each; at least one. g_strfreev(). */
char **trend_changed_lines(const struct trend_shift *s);
/* How far the shifts are to be believed. */
char *trend_alarm_text(const struct trend *t);

/* --- tables for people --- */

struct trend_table {
	const char *caption;
	GPtrArray *titles; /* of char *; first columns are words, */
	guint words;	   /* so many; the rest are numbers */
	GPtrArray *rows;   /* of GPtrArray of char *; NULL: there is none */
};
struct trend_table *trend_table_levels(const struct trend *t);
struct trend_table *trend_table_kernels(const struct trend *t); /* NULL: not asked for */
struct trend_table *trend_table_newest(const struct trend *t);
void trend_table_free(struct trend_table *table);
