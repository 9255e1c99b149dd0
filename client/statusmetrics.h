/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * The state of the service and of its plans as gauges, for a file that Prometheus's node exporter
 * reads (textfile collector) or anything else that reads OpenMetrics. Pure.
 */
#include <glib.h>
#include <jansson.h>
#include <stdbool.h>

struct statusmetrics_plan {
	const char *plan;      /* borrowed */
	const json_t *session; /* its newest that ended, as of session list; NULL: none yet */
	int64_t age_ns;	       /* since its end; < 0 or INT64_MAX: not known */
	bool good;	       /* the exit status of status --plan would be 0 */
};

/* @status: what status --json prints; NULL: the service does not run, and @plans has nothing. */
void statusmetrics_append(GString *out, const json_t *status,
			  const struct statusmetrics_plan *plans, size_t n);
