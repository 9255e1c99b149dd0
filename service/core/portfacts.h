/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * What the kernel module said of a stage besides its samples, as a JSON object and as sentences.
 *
 *	{ "port": "parport0", "irq": 7, "role": "logger", "answer": null, "receive": "irq",
 *	  "context": [ "thread" ], "resolution_ns", "timeout_ns", "stop": "asked",
 *	  "threads": [ { "cpu", "tid", "name", "policy", "priority" } ],
 *	  "pulses", "answers", "samples", "lost", "late", "discarded", "strays", "interrupts",
 *	  "missed", "lost_records", "off_ns", "off_max_ns" }
 *
 * Counts are of the module's whole run, the warm-up included. "context" says where the handlers
 * really ran, "threads" which threads took the time; both are empty where there is none. Pure.
 */
#include "region.h"
#include <jansson.h>

/*
 * Add CPU @cpu's to @facts (NULL: it is the first), counts as sums. Returns it; @facts itself when
 * nothing is known of that CPU.
 */
json_t *portfacts_add(json_t *facts, int cpu, const struct region_port *p);

/* Sentences for a person, from any JSON; never NULL. g_strfreev(). */
char **portfacts_lines(const json_t *facts);
