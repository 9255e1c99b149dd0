/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * Table points: the figures of each stage of a session that measured and has ended, as numbers. It
 * stays when retention takes the stage itself.
 */
#include "db.h"
#include "patience.h"
#include "result.h"

#define POINTS_VERSION 5 /* of the schema that the table came with */

#define POINTS_PERCENTILES 9 /* as many as there are in figures_percentiles[] */

enum point_figure { /* doubles; NAN: there is none */
		    POINT_COUNT,
		    POINT_MIN_NS,
		    POINT_AVG_NS,
		    POINT_MAX_NS,
		    POINT_STDDEV_NS,
		    POINT_MISSED,
		    POINT_LOST,
		    POINT_WITHIN, /* per million */
		    POINT_PERCENTILE_NS,
		    POINT_CORRECTED_NS = POINT_PERCENTILE_NS + POINTS_PERCENTILES,
		    _POINT_MAX = POINT_CORRECTED_NS + POINTS_PERCENTILES,
};
/* Column names, by the enum. */
extern const char *const point_columns[_POINT_MAX];

/* Into @ret (_POINT_MAX). false: no CPU of it was measured, it makes no point. */
bool point_of_stage(const struct result_stage *s, double *ret);
/* Release of the kernel that @conditions tell of; "" not known. Borrowed. */
const char *point_kernel(const json_t *conditions);
/* States of sessions that measured, as a list for SQL: "'done', 'stopped'...". */
extern const char points_states[];

/*
 * Make the points of the session in @row from its stages as they are in the database; those of
 * stages that are not there any more stay. Nothing to do for one that has not ended. On the
 * worker's thread, in its transaction.
 */
int points_make(sqlite3 *db, int64_t row, char **ret_message);
/* All sessions', for a database from before there was the table. */
int points_fill(sqlite3 *db, struct patience *p, char **ret_message);
