/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * A plan: what a session measures. Text in, struct out; knows no folder and no daemon.
 * Keys and their meaning: lrtbfd-plan(5), made true by the table of plan-keys.c.
 */
#include "limit.h"
#include "order.h"
#include "problem.h"
#include "retention.h"
#include "schedule.h"
#include <stdbool.h>

struct conftree_file;

struct plan_stage {
	char *name;	      /* shown in reports; default: the load's name; unique in the plan */
	char *load;	      /* name of a load file; "none" */
	uint64_t duration_ns; /* default: the plan's */
	unsigned line;
};

struct plan {
	char *name, *description;
	char *file;	     /* where it came from: what problems call it */
	char *instrument;    /* "timer", "cpuloop", "parport", "ktimer" */
	int role;	     /* enum role */
	char *port;	     /* NULL: the role has none */
	int answer, receive; /* enum role_answer, role_receive */
	bool strobe;
	bool virtual_port;
	int policy;	      /* SCHED_* */
	int fallback_policy;  /* when @policy is not permitted; -1: refuse */
	int priority, nice;   /* priority: 0 but for fifo and rr */
	bool priority_wished; /* plan_override() set it: a policy without priorities is refused then
			       */
	uint64_t interval_ns, duration_ns, warmup_ns, break_ns, within_ns, dither_ns, work_ns;
	uint64_t timeout_ns; /* 0: role_timeout_ns() */
	uint64_t dl_runtime_ns, dl_deadline_ns, dl_period_ns;
	int dma_latency_us; /* default 0; -1: leave alone */
	char *cpus;	    /* as written: "all"; resolved when a session starts */
	bool lock_memory;
	uint64_t checkpoint_ns; /* default 10 s */
	uint64_t settle_ns; /* between a load's start and the measuring; default 1 s, none for load
			       none */
	GPtrArray *stages;  /* of struct plan_stage, at least one */
	int repeat;	    /* how often all stages are measured: plan_stage_at() */
	GArray *limits;	    /* of struct limit */
	char *baseline;	    /* what its limits mean by "baseline"; NULL: that of the plan's name */
	GPtrArray *irq_rules;	  /* of struct rule, for the length of a session; maybe empty */
	struct retention keep;	  /* of its sessions; not given: lrtbfd.conf's */
	struct schedule schedule; /* when they begin by themselves */
	char *label;		  /* default label of its sessions; may be NULL */
	char *text; /* kept with the session: its file's, or plan_format()'s when it has drop-ins */
};

/*
 * Parse a plan. NULL when it cannot stand; every problem is in @problems (the good parts are still
 * looked at). Ranges, combinations and duplicates are checked; whether loads exist is not
 * (plan_check_loads()).
 */
struct plan *plan_parse(const char *name, const char *text, size_t size, const char *file,
			GPtrArray *problems);
/*
 * The same with its drop-ins merged: scalars and lists of a drop-in replace. Problems of reading
 * the file are added too.
 */
struct plan *plan_from_file(const struct conftree_file *f, GPtrArray *problems);
void plan_free(struct plan *p);
struct plan *plan_copy(const struct plan *p);

/* The whole plan as text that plan_parse() makes an equal one of: overrides included. g_free(). */
char *plan_format(const struct plan *p);

/* Every stage's load must be in @loads (GHashTable name -> struct load). */
int plan_check_loads(const struct plan *p, GHashTable *loads, GPtrArray *problems);

/*
 * A session's own wish over the plan: key as in the plan ("duration", "interval", "priority",
 * "policy", "cpus", "port", "load", "label", "warm_up", "break", "dma_latency", "limit"), value as
 * text. `load` replaces all stages by one, once; `limit` adds those given (several: "; " between
 * them); `duration` is every stage's; `policy` drops the plan's fallback, for who asks for one
 * wants no other. Any order. -ENOENT: no such key; -EINVAL: bad value; with a sentence.
 */
int plan_override(struct plan *p, const char *key, const char *value, char **ret_message);
/* After overrides: combinations checked again. */
int plan_check(const struct plan *p, char **ret_message);

/*
 * All that is measured, repeats included: stages A, B and C three times are A B C C B A A B C.
 * @ret_repeat: which of the repeats, from 1; may be NULL.
 */
unsigned plan_stage_count(const struct plan *p);
const struct plan_stage *plan_stage_at(const struct plan *p, unsigned index, unsigned *ret_repeat);
uint64_t plan_planned_ns(const struct plan *p); /* of all of them */
/* The baseline's name. */
const char *plan_baseline(const struct plan *p);

/* The order for one stage on @cpus. @policy: the plan's or its fallback. */
void plan_order(const struct plan *p, const struct plan_stage *s, int policy, const cpu_set_t *cpus,
		struct order *ret);
