/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * Writing gauges in the text form of OpenMetrics 1.0, such that Prometheus's own text format reads
 * it too. Families one after the other, each with all its samples. Pure; plain data.
 *
 * https://github.com/OpenObservability/OpenMetrics/blob/main/specification/OpenMetrics.md
 */
#include <glib.h>
#include <stdint.h>

struct metricfile {
	GString *out; /* borrowed */
	gsize begin;  /* where the family that is open begins in it */
	char *name;   /* of that family; NULL: none is open */
	unsigned samples;
};

void metricfile_init(struct metricfile *m, GString *out);
/*
 * A new family. @unit: "seconds", which then ends the name, or NULL. @help: the same in all files,
 * one line. One without samples is not written.
 */
void metricfile_family(struct metricfile *m, const char *name, const char *unit, const char *help);
/* @labels: as metricfile_label() makes them, or "". @value: a number as it is to stand there. */
void metricfile_sample(struct metricfile *m, const char *labels, const char *value);
void metricfile_sample_number(struct metricfile *m, const char *labels, uint64_t value);
/* Seconds; @ps 0..999. */
void metricfile_sample_time(struct metricfile *m, const char *labels, uint64_t ns, unsigned ps);
/* Ends the file: nothing may follow. */
void metricfile_end(struct metricfile *m);

/* Append a label to @labels. @value: any bytes; control characters but newlines become U+FFFD. */
void metricfile_label(GString *labels, const char *name, const char *value);
