/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * What a load really did to the machine: counters taken once a second during a stage, as rates with
 * their spread. /proc/interrupts costs too much for that and is read at stage ends only.
 *
 * Metrics: context_switches, forks, interrupts, bytes_read, bytes_written, packets, steal_pct.
 */
#include "result.h"

struct effect;

/* @root: "/" or a captured tree. Takes the first reading. */
struct effect *effect_new(const char *root, uint64_t now_ns);
/* One reading; call once a second. A reading less than 100 ms after the last is left out. */
void effect_sample(struct effect *e, uint64_t now_ns);
/* @ret_metrics: of struct result_metric; @ret_irqs: {"line": {"actions","delta"}} or NULL. */
void effect_finish(struct effect *e, uint64_t now_ns, GPtrArray **ret_metrics, json_t **ret_irqs);
void effect_free(struct effect *e);

/*
 * Findings: effects that loads promise and did not show, loads of root, steal over 1 %. @loads:
 * simple ones. @wakeups: a second, of the measuring threads; what these cause no load may count
 * as its own.
 */
void effect_judge(const GPtrArray *metrics, const GPtrArray *loads, double wakeups,
		  GPtrArray *findings);
bool effect_metric_known(const char *name);
