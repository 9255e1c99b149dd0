/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * What is at a parallel port: a jumper, a cable with somebody who answers, or nothing. A few runs
 * of the kernel module with a hundred pulses each, and what they mean in plain words. Knows no
 * device: it is given the function that makes a run, so that it can be tried without one. Blocks as
 * long as that does. Times are nanoseconds.
 */
#include <lrtbf-ioctl.h>

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#define PORTTEST_PULSES		 100
#define PORTTEST_PULSES_MAX	 10000
#define PORTTEST_INTERVAL_NS	 UINT64_C(2000000)
#define PORTTEST_INTERVAL_MIN_NS UINT64_C(100000)
#define PORTTEST_INTERVAL_MAX_NS UINT64_C(1000000000)
#define PORTTEST_MAX_NS		 UINT64_C(20000000000) /* pulses * interval */

enum porttest_verdict {
	PORTTEST_JUMPER,	  /* its own pulses raise its interrupt */
	PORTTEST_CABLE,		  /* somebody answers */
	PORTTEST_INTERRUPTS_ONLY, /* interrupts, but no answers */
	PORTTEST_NO_INTERRUPTS,	  /* somebody answers on the lines, but no interrupt comes */
	PORTTEST_SILENT,	  /* nothing */
	PORTTEST_NO_MODULE,	  /* the kernel module is not there for it */
	PORTTEST_BUSY,		  /* another driver has it */
	PORTTEST_NO_IRQ,	  /* it has no interrupt, and nobody answers on the lines */
	_PORTTEST_MAX,
};

/* One run of the module, to its end. */
struct porttest_run {
	struct lrtbf_caps caps; /* after it: access_ns is known */
	struct lrtbf_counters counters;
	uint64_t min_ns, max_ns, sum_ns; /* of counters.samples */
};

/* 0, or -errno of the call that failed. */
typedef int (*porttest_run_t)(const struct lrtbf_setup *setup, struct porttest_run *ret,
			      void *userdata);

struct porttest_plan {
	const char *port; /* "parport0" */
	uint32_t pulses;
	uint64_t interval_ns;
};

struct porttest_result {
	enum porttest_verdict verdict;
	char *text;		 /* sentences */
	struct porttest_run run; /* the one that decided; role 0: none did */
	struct lrtbf_setup setup;
};

/*
 * 0, whatever is found; -EINVAL with a sentence: @plan is out of its ranges. -ENODEV, -EIO, ...
 * with a sentence: it cannot be tried. @ret: porttest_done().
 */
int porttest(const struct porttest_plan *plan, porttest_run_t run, void *userdata,
	     struct porttest_result *ret, char **ret_message);
int porttest_check(const struct porttest_plan *plan, char **ret_message);
/* What there is to say without a run. */
void porttest_no_module(const char *port, const char *why, struct porttest_result *ret);
void porttest_busy(const char *port, const char *holder, struct porttest_result *ret);
void porttest_done(struct porttest_result *r);

const char *porttest_verdict_to_string(enum porttest_verdict v); /* "jumper", "no-irq" */
