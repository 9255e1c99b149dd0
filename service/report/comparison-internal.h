/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * What a comparison is made of. From outside in:
 *
 *	comparison	sides, groups, notes
 *	group		what was measured in one way, on whichever sides: a table of its own
 *	stage		one load in it
 *	place		one side under that load: a reading per session, and the difference to the
 *base reading		one session's figures, repeats of the stage reduced to one: a number per
 *column
 *
 * Figures become numbers when a session is added, and nothing of it is kept but these, its
 * conditions and the counts of its buckets. comparison_finish() adds what follows from all.
 */
#include "comparison.h"
#include "interval.h"

enum comparison_kind { COMPARISON_TIME, COMPARISON_COUNT, COMPARISON_VALUE };
enum comparison_rule { COMPARISON_MEDIAN, COMPARISON_LARGEST, COMPARISON_SUM };

struct comparison_column {
	enum comparison_kind kind;
	enum comparison_rule rule; /* what repeats, and sessions, are reduced by */
	char *key;		   /* "avg_ns", "p99.9_ns", "fork": unique in its group */
	char *title;		   /* "avg", "p99.9", "fork" */
	char *unit;		   /* "ns", "", "us" */
	int decimals;		   /* of COMPARISON_VALUE, as printed */
	int percent_decimals;
	int ppm;     /* a percentile; -1: none */
	bool judged; /* there is a way to tell how sure it is: fail_above looks at it */
};

struct comparison_reading {
	GArray *shown; /* of double, by column; NAN or too short: there is none */
	GArray *fine;  /* the same, percentiles by their place within the bucket */
};

struct comparison_effect { /* what a load did, over the sessions */
	char *name, *unit;
	double sum;
	unsigned n;
};

struct comparison_difference {
	bool known;
	int64_t percent;      /* in units of the column's percent_decimals */
	bool interval;	      /* low and high have a meaning */
	int64_t low, high;    /* the same unit */
	bool alike;	      /* none is shown: "~" */
	double exact, surest; /* percent; the interval's lower end */
};

struct comparison_distribution;

struct comparison_place {
	GPtrArray *readings; /* of struct comparison_reading, one per session that has the stage */
	GPtrArray *batches; /* of GArray of double, by column, NULL among them: while one session */
	char *load;
	GPtrArray *effects;			      /* of struct comparison_effect */
	struct comparison_distribution *distribution; /* NULL: none is known */
	bool printed;	     /* nothing but what a table said: no number of samples */
	char *doubt;	     /* what makes a session inconclusive here; NULL: nothing does */
	GArray *differences; /* of struct comparison_difference, by column; NULL: no base here */
};

struct comparison_stage {
	char *name;
	struct comparison_place *place[COMPARISON_SIDES_MAX]; /* NULL: the side does not have it */
};

enum comparison_basis {			     /* what an interval says */
			COMPARISON_SESSIONS, /* how machines differ: from one figure per session */
			COMPARISON_RUN,	     /* how two runs differ: from batches within each */
			COMPARISON_NONE,     /* there can be none */
};

struct comparison_group {
	json_t *method;			       /* of its first session */
	json_t *methods[COMPARISON_SIDES_MAX]; /* of each side's first */
	GPtrArray *columns;		       /* of struct comparison_column */
	GPtrArray *stages;		       /* of struct comparison_stage */
	unsigned sessions[COMPARISON_SIDES_MAX];
	char *forced[COMPARISON_SIDES_MAX]; /* how the side was measured otherwise; NULL: not */
	bool shown;			    /* the base has it, and another one */
	unsigned intervals;		    /* of 95 %, in its tables */
};

struct comparison_session {
	char *id, *label, *plan, *kernel;
	uint64_t started_usec;
};

struct comparison_side {
	char *name, *title;		      /* as asked for; as shown */
	GPtrArray *sessions;		      /* of struct comparison_session */
	json_t *conditions, *peer_conditions; /* of the first session; may be NULL */
	GPtrArray *drift;	/* of char: what differs between its own sessions, each once */
	GPtrArray *differences; /* of struct conditionsdiff, to the base; NULL for the base */
};

struct comparison_note {
	const char *id;
	char *text;
	int side; /* -1: all */
};

struct comparison {
	struct comparison_options options; /* strings are owned */
	GPtrArray *sides, *groups, *notes;
	unsigned base;
	const char *titled_by; /* what sides are shown as: "kernel", "label", "session" */
	bool forced;
	GPtrArray *exceeded; /* of char: what fail_above was exceeded by, and what is in doubt */
	enum verdict verdict;
};

/* --- comparison-column.c --- */
GPtrArray *comparison_columns_latency(void);
GPtrArray *comparison_columns_value(void); /* none yet */
/* The column of a benchmark's figure, made when it is not there. Its number. */
unsigned comparison_columns_take(GPtrArray *columns, const struct result_value *v);

/* --- comparison-reading.c --- */
void comparison_reading_free(struct comparison_reading *r);
/* NAN: none. */
double comparison_reading_get(const GArray *values, unsigned column);
/* Values, which are sorted by it, as one by @rule; NAN for none. */
double comparison_reduce(enum comparison_rule rule, double *values, unsigned n);
/*
 * All @repeats (of struct result_stage) of one name as one reading of @g's kind. *ret_batches (may
 * be NULL): by column what intervals within the run come from, of GArray of double, or NULL;
 * g_ptr_array_unref().
 */
struct comparison_reading *comparison_read(struct comparison_group *g, const GPtrArray *repeats,
					   GPtrArray **ret_batches);

/* --- comparison-place.c --- */
struct comparison_place *comparison_place_new(void);
void comparison_place_free(struct comparison_place *p);
/* One more session. */
void comparison_place_add(struct comparison_place *p, struct comparison_group *g,
			  const struct result *r, const GPtrArray *repeats);
/* Over sessions: by the column's rule; *ret_low, *ret_high: their range. NAN: none. */
double comparison_place_value(const struct comparison_place *p, const struct comparison_group *g,
			      unsigned column, double *ret_low, double *ret_high);

/* --- comparison-distribution.c --- */
/* Add samples; @d NULL: makes it. Without any in a bucket: stays as it is. */
struct comparison_distribution *comparison_distribution_add(struct comparison_distribution *d,
							    const struct figures *f);
void comparison_distribution_free(struct comparison_distribution *d);
/* As figures that have buckets and a maximum and nothing else. g_free(). */
struct figures *comparison_distribution_figures(const struct comparison_distribution *d);

/* --- comparison-method.c --- */
const char *comparison_quantity(const json_t *method); /* "latency", "noise", "overhead" */
char *comparison_method_text(const json_t *method);    /* "timer, policy fifo" */
/* What makes them two kinds of measurement; and what else differs in how they were measured. NULL:
 * nothing. g_free(). */
char *comparison_method_differs(const json_t *a, const json_t *b);
char *comparison_settings_differ(const json_t *a, const json_t *b);

/* --- comparison-gate.c --- */
/* The group of @r's method; made when there is none. */
struct comparison_group *comparison_group_of(struct comparison *c, const struct result *r);
void comparison_group_free(struct comparison_group *g);
/* Made when there is none. */
struct comparison_stage *comparison_group_stage(struct comparison_group *g, const char *name);
/* Sort out which groups are compared. As comparison_finish(). */
int comparison_gate(struct comparison *c, char **ret_message);

/* --- comparison-difference.c --- */
enum comparison_basis comparison_basis(const struct comparison_group *g, unsigned base,
				       unsigned side);
void comparison_differences(struct comparison *c);
/* "+4.5", "-12", "0.0". g_free(). */
char *comparison_percent_text(int64_t percent, int decimals);

/* --- comparison-kernel.c --- */
/* "6.1.0-57" of "6.1.0-57-rt-amd64"; NULL: none is known. g_free(). */
char *comparison_kernel_base(const char *release);

/* --- comparison-warnings.c, comparison-effect.c --- */
GPtrArray *comparison_notes_new(void);
void comparison_note(struct comparison *c, const char *id, int side, const char *fmt, ...)
	G_GNUC_PRINTF(4, 5);
void comparison_warn(struct comparison *c);
void comparison_warn_stages(struct comparison *c, unsigned side);

/* --- comparison-judge.c --- */
void comparison_judge(struct comparison *c);

/* --- for all --- */
static inline struct comparison_side *comparison_side(const struct comparison *c, unsigned i)
{
	return (struct comparison_side *)c->sides->pdata[i];
}

static inline struct comparison_column *comparison_column(const struct comparison_group *g,
							  unsigned i)
{
	return (struct comparison_column *)g->columns->pdata[i];
}

static inline const struct comparison_difference *
comparison_difference_at(const struct comparison_place *p, unsigned column)
{
	return &g_array_index(p->differences, struct comparison_difference, column);
}
