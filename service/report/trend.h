/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * One figure of a plan over all its sessions: a line, the places where it shifted, and what else
 * changed there. Pure; formats in trending/, one file each, generated table.
 */
#include "report.h"

struct trend_point { /* a session's stage */
	const char *id;
	uint64_t started_usec;
	double value;	    /* in the figure's unit; NAN: there is none */
	const char *kernel; /* release; "" not known */
	enum verdict verdict;
};

struct trend_options {
	const char *plan, *stage;
	const char *figure; /* "max", "p99.9", ...: limit.h's names */
	bool by_kernel;	    /* a row for each kernel */
};

struct trend;
struct trend *trend_new(const struct trend_options *o); /* copied */
struct trend *trend_free(struct trend *t);
/* In the order of the sessions. Strings are copied (or interned). */
void trend_add(struct trend *t, const struct trend_point *p);
/* Finds the shifts. */
void trend_finish(struct trend *t);
/* Shifts found, and the sessions before and after each: for the caller to add what changed. */
size_t trend_shifts(const struct trend *t);
void trend_shift_sessions(const struct trend *t, size_t i, const char **ret_before,
			  const char **ret_after);
/* Conditions of those two (may be NULL): what differs is shown with the shift. */
void trend_shift_conditions(struct trend *t, size_t i, const json_t *before, const json_t *after);

json_t *trend_json(const struct trend *t);

struct trend_format {
	const char *name, *media_type, *description;
	int (*render)(const struct trend *t, const struct report_options *o, GString *out,
		      char **ret_message);
};
extern const struct trend_format *const trend_formats[]; /* ends with NULL; generated */
int trend_render(const char *format, const struct trend *t, const struct report_options *o,
		 GString *out, char **ret_message);
