/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * A result as the rows of the database's tables: numbers, texts (JSON for what has structure) and
 * figures as bytes. Pure; knows no SQLite.
 *
 * Rows are made on the event loop's thread, never change afterwards and are counted references, so
 * that the worker may write them while the event loop reads them.
 */
#include "result.h"

enum head_number {
	HEAD_ROW,
	HEAD_OWNER,
	HEAD_POLICY,
	HEAD_PRIORITY,
	HEAD_WANTED_POLICY,
	HEAD_INTERVAL_NS,
	HEAD_PLANNED_NS,
	HEAD_CREATED_USEC,
	HEAD_STARTED_USEC,
	HEAD_FINISHED_USEC,
	HEAD_KEPT,
	HEAD_THINNED_USEC,
	_HEAD_NUMBER_MAX,
};

enum head_text {
	HEAD_ID,
	HEAD_PLAN,
	HEAD_LABEL,
	HEAD_STATE,
	HEAD_VERDICT,
	HEAD_REASON,
	HEAD_REASON_ID,
	HEAD_INSTRUMENT,
	HEAD_OVERRIDES,
	HEAD_METHOD,
	HEAD_SUMMARY,
	HEAD_FINDINGS,
	HEAD_PEER,
	HEAD_BASELINE,
	HEAD_PLAN_TEXT, /* from here on: table papers, which listing does not read */
	HEAD_CONDITIONS,
	HEAD_PEER_CONDITIONS,
	HEAD_BLOCKS,   /* of the summary: thousands of numbers after some hours */
	HEAD_ANALYSIS, /* of the summary: what retention left of the stages */
	_HEAD_TEXT_MAX,
};
#define HEAD_PAPERS HEAD_PLAN_TEXT

enum stage_number {
	STAGE_INDEX,
	STAGE_STARTED_USEC,
	STAGE_DURATION_NS,
	STAGE_PLANNED_NS,
	STAGE_COMPLETE,
	STAGE_REPEAT,
	_STAGE_NUMBER_MAX,
};

enum stage_text {
	STAGE_NAME,
	STAGE_LOAD,
	STAGE_VERDICT,
	STAGE_FINDINGS,
	STAGE_LIMITS,
	STAGE_METRICS,
	STAGE_IRQS,
	STAGE_CHECKPOINTS,
	STAGE_PORT,
	STAGE_PEER,
	STAGE_ANALYSIS,
	STAGE_VALUES,
	_STAGE_TEXT_MAX,
};

/* Column names, by the enums above. */
extern const char *const head_numbers[_HEAD_NUMBER_MAX], *const head_texts[_HEAD_TEXT_MAX];
extern const char *const stage_numbers[_STAGE_NUMBER_MAX], *const stage_texts[_STAGE_TEXT_MAX];

struct head_row {
	int64_t number[_HEAD_NUMBER_MAX];
	char *text[_HEAD_TEXT_MAX]; /* NULL: none, or not read */
};

struct figures_row {
	int64_t cpu, policy, priority;
	GByteArray *data; /* figures_encode() */
};

struct stage_row {
	int64_t number[_STAGE_NUMBER_MAX];
	char *text[_STAGE_TEXT_MAX];
	GByteArray *snapshots; /* snapshots_encode(); empty: none */
	GPtrArray *figures;    /* of struct figures_row, in CPU order */
};

struct head_row *head_row_new(void);
struct head_row *head_row_ref(struct head_row *h);
void head_row_unref(struct head_row *h);
/*
 * The same with another mark (@kept -1: as it is) and baseline (NULL: as it is): a reference when
 * it has these, else a copy.
 */
struct head_row *head_row_with_mark(struct head_row *h, int kept, const char *baseline);

struct stage_row *stage_row_new(void);
struct stage_row *stage_row_ref(struct stage_row *s);
void stage_row_unref(struct stage_row *s);

struct figures_row *figures_row_new(void);
void figures_row_free(struct figures_row *f);

/* The head of @r; its stages are not looked at. @row: the row it has or will have. */
struct head_row *head_row_from_result(const struct result *r, int64_t row);
/*
 * Head without stages (stages NULL); without what is in table papers unless @papers. Words and JSON
 * that this build does not know become the neutral value: rows may come from another version.
 */
struct result *head_row_to_result(const struct head_row *h, bool papers);

struct stage_row *stage_row_from_stage(const struct result_stage *s);
/* -EBADMSG with a sentence: figures that cannot be decoded. */
int stage_row_to_stage(const struct stage_row *row, struct result_stage **ret, char **ret_message);
