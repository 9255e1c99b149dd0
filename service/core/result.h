/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * A session's result in memory: what the store keeps and a report shows.
 *
 * Filled by session/, written and read by store/, rendered by report/. Plain data with one owner;
 * every pointer is owned by the struct that holds it. Strings are never NULL unless said.
 */
#include "figures.h"
#include "finding.h"
#include "limit.h"
#include "snapshots.h"
#include "words.h"
#include <jansson.h>
#include <sys/types.h>

struct result_cpu {
	int cpu;
	int policy, priority;	 /* read back; SCHED_* */
	struct figures *figures; /* never NULL */
};

struct result_metric {		       /* a load's effect */
	char *name;		       /* "context_switches" */
	char *unit;		       /* "1/s", "B/s" */
	unsigned n;		       /* seconds it was taken over */
	double mean, stddev, min, max; /* per second; stddev meaningless below n = 2 */
};

struct result_value { /* a figure that is no latency: the time of a benchmark */
	char *name;   /* "fork", "total" */
	char *unit;   /* "us", "s" */
	double value;
	int decimals; /* as many as are known, 0..9 */
};

struct result_limit {
	struct limit limit;
	enum limit_outcome outcome;
	uint64_t value; /* in the bound's unit; no meaning when LIMIT_UNKNOWN */
	int cpu;	/* the CPU whose value it is; -1: all */
};

struct result_stage {
	unsigned index;	   /* 0-based */
	char *name, *load; /* of the plan's stage: repeats have the same */
	unsigned repeat;   /* which of the plan's repeats, from 1 */
	enum verdict verdict;
	GPtrArray *findings;   /* of struct finding */
	GArray *limits;	       /* of struct result_limit; empty until judged */
	GPtrArray *metrics;    /* of struct result_metric */
	GPtrArray *cpus;       /* of struct result_cpu, in CPU order */
	uint64_t started_usec; /* CLOCK_REALTIME at the stage's measuring start; 0: never began */
	uint64_t duration_ns;  /* measured so far */
	uint64_t planned_ns;
	json_t *irqs; /* per-line interrupt deltas; NULL: none */
	json_t *port; /* portfacts.h; NULL: no kernel module was used */
	json_t *peer; /* what another machine did in it (peerreport.h); NULL: none takes part */
	GArray *checkpoints;	     /* of uint64_t: ns since stage start at which we wrote */
	struct snapshots *snapshots; /* of the distribution as it grew; NULL: none */
	json_t *analysis;	     /* stageanalysis.h; NULL: none was made */
	GPtrArray *values;	     /* of struct result_value; empty but for imported benchmarks */
	bool complete;		     /* the instrument came to its end (or was stopped) by itself */
};

struct result {
	int64_t row; /* order of creation; 0: not stored yet */
	char *id, *plan, *label;
	uid_t owner;
	enum session_state state;
	enum verdict verdict;
	char *reason, *reason_id; /* of failed, skipped, stopped ...; "" when none */
	char *instrument;
	int policy, priority; /* in use; the plan's own when a fallback was taken: wanted_policy */
	int wanted_policy;
	uint64_t interval_ns, planned_ns;		    /* planned: sum of the stages */
	uint64_t created_usec, started_usec, finished_usec; /* CLOCK_REALTIME; 0: not yet */
	char *baseline;	       /* the baseline that it belongs to; "" when none. Then it is kept */
	bool kept;	       /* marked: no retention touches it */
	uint64_t thinned_usec; /* when retention took its details; 0: it is whole */
	char *plan_text;       /* as queued */
	json_t *overrides;     /* object of strings: what the caller asked over the plan */
	json_t *method; /* object: what makes two results comparable (instrument, policy, ...) */
	json_t *conditions; /* object; NULL: not collected */
	json_t *peer; /* object: name, plan, version of the other machine; NULL: none takes part */
	json_t *peer_conditions; /* object, of that machine; NULL: not known */
	json_t *summary;	 /* FIGURES over all stages, without histogram; NULL: none yet */
	GPtrArray *findings;	 /* of the session as a whole */
	GPtrArray *stages;	 /* of struct result_stage; NULL: head only (listing) */
};

struct result *result_new(void);
void result_free(struct result *r);
struct result *result_copy(const struct result *r);
struct result_stage *result_stage_new(void);
void result_stage_free(struct result_stage *s);
struct result_cpu *result_cpu_new(int cpu);
void result_cpu_free(struct result_cpu *c);
struct result_metric *result_metric_new(const char *name, const char *unit);
void result_metric_free(struct result_metric *m);

struct result_value *result_value_new(const char *name, const char *unit, double value,
				      int decimals);
void result_value_free(struct result_value *v);

/* Does it show latencies? Else what a benchmark took (method "quantity" is "overhead"), and its
 * stages have values instead of figures. */
bool result_is_latency(const struct result *r);

/* All CPUs of a stage, all stages, in one: g_free(). */
struct figures *result_stage_all(const struct result_stage *s);
struct figures *result_all(const struct result *r);

/* "s20261130T020000Z_4f2a" from the wall clock and 16 random bits. g_free(). */
char *result_id_new(uint64_t now_usec);
bool result_id_valid(const char *id);
