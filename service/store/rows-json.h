/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * The structured columns of a row as JSON text, and back. Pure. Every _text() gives text to
 * g_free(); every _parse() takes NULL and any text and gives what it could make of it, never NULL.
 */
#include "result.h"

/* Compact text of @j, numbers exact and free of the locale; NULL for NULL. */
char *rows_json_text(const json_t *j);
/* NULL for NULL and for what is not JSON. */
json_t *rows_json_parse(const char *text);

char *rows_findings_text(const GPtrArray *findings);
/*
 * Findings of a kind that this build does not know keep their own words and weight under the id
 * "other-version".
 */
GPtrArray *rows_findings_parse(const char *text);

char *rows_limits_text(const GArray *limits);
/* A limit that cannot be read any more is left out: the verdict it led to is stored beside it. */
void rows_limits_parse(const char *text, GArray *limits);

char *rows_metrics_text(const GPtrArray *metrics);
void rows_metrics_parse(const char *text, GPtrArray *metrics);

/* NULL for none. */
char *rows_values_text(const GPtrArray *values);
void rows_values_parse(const char *text, GPtrArray *values);

char *rows_checkpoints_text(const GArray *checkpoints);
void rows_checkpoints_parse(const char *text, GArray *checkpoints);
