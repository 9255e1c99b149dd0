/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * What differs between the conditions of two sessions and could change the number: kernel,
 * configuration options (those known to cost first), command line, CPU, microcode, clock source,
 * thread priorities, virtualisation, knobs.
 */
#include <glib.h>
#include <jansson.h>
#include <stdbool.h>

struct conditionsdiff {
	char *what;  /* "kernel", "CONFIG_PREEMPT_RT", "clock_source" */
	char *a, *b; /* as text for people; "" where there is none */
	bool costly; /* known to cost latency */
};
void conditionsdiff_free(struct conditionsdiff *d);

/* Of struct conditionsdiff, the weightiest first; both may be NULL (nothing is known: empty). */
GPtrArray *conditionsdiff_new(const json_t *a, const json_t *b);
