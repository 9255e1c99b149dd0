/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * The table of a plan's keys, between the files that read, override and write plans. Only they
 * include it.
 */
#include "plan.h"

#define PLAN_STAGES_MAX	      64
#define PLAN_LIMITS_MAX	      64
#define PLAN_REPEAT_MAX	      64
#define PLAN_NAME_MAX	      64 /* bytes of a stage's name */
#define PLAN_PRIORITY_DEFAULT 80
#define PLAN_PORT_DEFAULT     "parport0"
#define PLAN_DURATION_MIN_NS  UINT64_C(1000000)
#define PLAN_DURATION_MAX_NS  (UINT64_C(366) * 24 * 3600 * 1000000000)

enum plan_kind {
	PLAN_DURATION,	 /* uint64_t, ns */
	PLAN_INTEGER,	 /* int */
	PLAN_BOOL,	 /* bool */
	PLAN_TEXT,	 /* char *, at most max bytes, one line */
	PLAN_INSTRUMENT, /* char * */
	PLAN_POLICY,	 /* int, any policy */
	PLAN_FALLBACK,	 /* int, policies that need no right; "none": -1 */
	PLAN_CPUS,	 /* char *, syntax checked */
	PLAN_LATENCY,	 /* int, us; "none": -1 */
	PLAN_PORT,	 /* char *, a port's name */
	PLAN_NAME,	 /* char *, a name as a plan's */
	PLAN_ROLE,	 /* int, enum role */
	PLAN_ANSWER,	 /* int, enum role_answer */
	PLAN_RECEIVE,	 /* int, enum role_receive */
};

struct plan_key {
	const char *name;
	enum plan_kind kind;
	size_t offset;	   /* of its field in struct plan */
	uint64_t min, max; /* ns, or the integer's with min as int64_t */
	bool override;	   /* plan_override() takes it */
	bool schedule;	   /* says something about the key "schedule" */
};

extern const struct plan_key plan_keys[]; /* ends with .name NULL */

/* What plans must know of lrtbf-measure's instruments. */
struct plan_instrument {
	const char *name;
	bool interval;	/* has one (but for a target) */
	bool dither;	/* and it can be dithered */
	bool grid;	/* and missed periods and a corrected view */
	bool work;	/* has passes of work */
	uint32_t roles; /* bit n: enum role n; others than ROLE_NONE need the kernel module */
	int role;	/* where the plan names none */
};
extern const struct plan_instrument plan_instruments[];		 /* ends with .name NULL */
const struct plan_instrument *plan_instrument(const char *name); /* NULL: unknown */

/* The instrument has an interval, in the plan's role. */
bool plan_has_interval(const struct plan *p);
/* What the plan does not say about role, port, answer and receive. */
void plan_fill_role(struct plan *p);

/* Set from text, with the key's range. -EINVAL with a sentence. */
int plan_key_set(struct plan *p, const struct plan_key *k, const char *text, char **ret_message);
/* Its value as it stands in a plan file, quotes included; NULL: nothing to write. g_free(). */
char *plan_key_text(const struct plan *p, const struct plan_key *k);

/* @name as a stage's: 0 or -EINVAL with a sentence. */
int plan_stage_name_check(const char *name, char **ret_message);
struct plan_stage *plan_stage_new(const char *name, const char *load, uint64_t duration_ns);

/* The key whose value does not go with others, with a sentence; NULL: all is well. */
const char *plan_conflict(const struct plan *p, char **ret_message);
