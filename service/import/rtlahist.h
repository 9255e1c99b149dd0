/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * The table that rtla's hist tools print: a column for each CPU (and, of timerlat, each context), a
 * row for each step, then over, count, min, avg and max. count includes over; a CPU without samples
 * has no column, and columns without samples have "-".
 */
#include "source.h"

struct rtlahist_column {
	char kind[8]; /* "IRQ", "Thr", "Usr", "CPU" */
	unsigned cpu;
	uint64_t over, count, min, avg, max; /* in @unit_ns */
	bool known;			     /* min, avg and max are numbers */
	GArray *rows;			     /* of struct rtlahist_row, those with samples */
};
struct rtlahist_row {
	uint64_t at, n;
};

struct rtlahist {
	uint64_t unit_ns;
	uint64_t step, last;  /* in @unit_ns: what a row spans, at least; the last row */
	bool rows, zeroes;    /* there was one; one without samples (--with-zeros) */
	uint64_t duration_ns; /* 0: not told */
	GPtrArray *columns;   /* of struct rtlahist_column */
	char *missed;	      /* what it says of events that were missed; NULL: nothing */
};

/* -EBADMSG with a sentence. rtlahist_done() all the same. */
int rtlahist_read(struct source *s, struct rtlahist *ret);
void rtlahist_done(struct rtlahist *h);

/*
 * Column @c as figures. @average: its avg is to be trusted. A sample of a row that spans several
 * units is taken to be in its middle, within min and max.
 */
int rtlahist_figures(struct source *s, const struct rtlahist *h, const struct rtlahist_column *c,
		     bool average, struct figures *f);
/* A result of the columns of @kind; NULL: there are none. */
int rtlahist_result(struct source *s, const struct rtlahist *h, const char *kind, bool average,
		    const char *format, const char *quantity, const struct import_options *o,
		    struct result **ret);
