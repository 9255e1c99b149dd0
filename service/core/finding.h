/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * What can be found that weakens a number, and what it does to the verdict. One table: whether a
 * finding makes a stage inconclusive or only warns is decided here and nowhere else.
 */
#include <glib.h>
#include <stdbool.h>

enum finding_weight {
	FINDING_WARNS,	      /* shown on top of the report */
	FINDING_INCONCLUSIVE, /* and the stage's verdict cannot be pass */
};

struct finding_kind {
	const char *id; /* "migrated", "not-realtime-policy", ...: stable, in JSON and on the bus */
	enum finding_weight weight;
	const char *text; /* what it means for the number: a sentence */
	const char *mend; /* what to do about it: a sentence */
};

struct finding {
	const struct finding_kind *kind;
	char *text; /* this case's own sentence, with figures; never NULL (a copy of kind->text) */
};

extern const struct finding_kind finding_kinds[];	 /* ends with .id NULL */
const struct finding_kind *finding_kind(const char *id); /* NULL: unknown */

GPtrArray *findings_new(void); /* frees its members */
/* Append one (once per id and text); @id must be in the table. fmt NULL: the kind's own text. */
void finding_add(GPtrArray *findings, const char *id, const char *fmt, ...) G_GNUC_PRINTF(3, 4);
bool findings_inconclusive(const GPtrArray *findings);
GPtrArray *findings_copy(const GPtrArray *findings);
