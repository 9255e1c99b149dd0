/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * The result of a measurement made without a daemon, as text for a terminal and as JSON. Pure:
 * region copies in, text out.
 */
#include "order.h"
#include "region.h"
#include <glib.h>

struct outcome {
	const struct order *order;	    /* borrowed */
	const struct region_header *header; /* a copy from region_check(); borrowed */
	GPtrArray *cpus;		    /* of struct region_cpu */
	struct figures *all;
};

/* Take everything out of @h, whose measurement has ended. -EBADMSG: damaged. */
int outcome_take(struct outcome *out, const struct order *o, const struct region_header *map,
		 struct region_header *header);
void outcome_done(struct outcome *out);

/* g_free() */
char *outcome_text(const struct outcome *out);
/*
 * { "format": "lrtbf-measure", "version": 1, "instrument", "policy", "priority", "interval_ns",
 *   "duration_ns", "started_usec", "measured_ns", "broke_ns", "dma_latency_us",
 *   "port": null or what portfacts.h has,
 *   "warnings": [ { "id", "text", "mend" } ], "all": FIGURES,
 *   "cpus": [ { "cpu", "policy", "priority", ...FIGURES } ] }
 */
char *outcome_json(const struct outcome *out);
