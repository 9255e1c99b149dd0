/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * What importers share: reading lines and numbers with sentences that name file and line, and the
 * results that come of it.
 */
#include "import.h"

/* More threads than a machine has CPUs is no output of these programs; each takes 160 KiB here. */
#define SOURCE_CPUS_MAX 1024

/* Of one CPU: 285 years at 1 MHz, and those of all CPUs can be added up. */
#define SOURCE_SAMPLES_MAX (1ULL << 53)

#define SOURCE_US 1000 /* ns */

struct source {
	const char *name; /* of the file, for sentences */
	const char *at, *end;
	unsigned line; /* number of the one that source_line() gave last */
	char **ret_message;
};

void source_init(struct source *s, const char *text, size_t size, const struct import_options *o,
		 char **ret_message);
/*
 * The next line, without its end; NULL: there is none. g_free(). One without an end is none
 * either: it was cut off (source_cut()).
 */
char *source_line(struct source *s);
/* The text's last line has no end. */
bool source_cut(const struct source *s);
/* Sentence about the present line (@fmt begins in lower case); returns -EBADMSG. */
int source_fail(struct source *s, const char *fmt, ...) G_GNUC_PRINTF(2, 3);
/* The same about the whole. */
int source_fail_whole(struct source *s, const char *fmt, ...) G_GNUC_PRINTF(2, 3);

/* --- numbers; *at is moved behind them --- */

/* Blanks, then decimal digits. false: there are none, or it does not fit. */
bool source_number(const char **at, uint64_t *ret);
/* "15.2": @ret in the unit times 10^@decimals, exactly; digits beyond are refused. */
bool source_decimal(const char **at, unsigned decimals, uint64_t *ret);
/* Nothing but blanks left. */
bool source_ended(const char *at);
/* Digits, a comma, digits: as programs print under some locales, and none of these formats has. */
bool source_decimal_comma(const char *line);

/*
 * "-h 400", "-h400", "--histogram=400" of cyclictest's command line: where its histogram ends, the
 * first value that is not in it. 0: not told. @command may be NULL.
 */
uint64_t source_range(const char *command);

/* --- figures --- */

/* @n samples of @ns. false: more than can be. */
bool source_samples(struct figures *f, uint64_t ns, uint64_t n);
void source_state_min(struct figures *f, uint64_t ns);
void source_state_max(struct figures *f, uint64_t ns);
void source_state_mean(struct figures *f, double ns);
void source_state_stddev(struct figures *f, double ns);

/* --- results --- */

/* One stage, from @o's load; method with source and quantity ("latency", "noise", "overhead"). */
struct result *source_result(const char *format, const char *quantity,
			     const struct import_options *o);
struct result_stage *source_stage(struct result *r); /* its first */
/* The CPU's, made when it is not there. NULL: out of range. */
struct result_cpu *source_cpu(struct result_stage *s, uint64_t cpu);
/* Into conditions.kernel, unless options name a kernel. NULL: not known. */
void source_kernel(struct result *r, const struct import_options *o, const char *release,
		   const char *version, const char *machine);
/* What the source lost: a sentence. */
void source_lossy(struct result *r, const char *fmt, ...) G_GNUC_PRINTF(2, 3);
