/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Points are made in the transaction that writes what they are made of, and from the database
 * rather than from the caller's data: so all ways by which a session comes to its end (measured,
 * stopped, recovered after a crash, imported, analysed later) are one, and a point never tells
 * something else than its stage. Decoding takes some 0.1 ms a CPU, once a session, on the worker's
 * thread.
 *
 * Numbers are columns and not bytes of ours: empty ones take one byte, whole ones two to four, and
 * a person with the sqlite3 shell can plot them.
 */
#include "points.h"

#include "query.h"
#include "rows-json.h"

#include <errno.h>
#include <math.h>

#define PPM 1000000.0

const char *const point_columns[_POINT_MAX] = {
	[POINT_COUNT] = "count",
	[POINT_MIN_NS] = "min_ns",
	[POINT_AVG_NS] = "avg_ns",
	[POINT_MAX_NS] = "max_ns",
	[POINT_STDDEV_NS] = "stddev_ns",
	[POINT_MISSED] = "missed",
	[POINT_LOST] = "lost",
	[POINT_WITHIN] = "within",
	[POINT_PERCENTILE_NS] = "p50",
	"p75",
	"p90",
	"p95",
	"p99",
	"p99_9",
	"p99_99",
	"p99_999",
	"p99_9999",
	[POINT_CORRECTED_NS] = "c50",
	"c75",
	"c90",
	"c95",
	"c99",
	"c99_9",
	"c99_99",
	"c99_999",
	"c99_9999",
};

const char points_states[] = "'done', 'stopped', 'failed', 'interrupted'";

const char *point_kernel(const json_t *conditions)
{
	const json_t *kernel = json_object_get(conditions, "kernel");

	return json_string_value(json_object_get(kernel, "release")) ?: "";
}

static void point_percentiles(const struct figures *f, bool corrected, double *ret)
{
	for (size_t i = 0; i < POINTS_PERCENTILES; i++) {
		uint64_t ns;

		if (figures_percentile_ns(f, figures_percentiles[i].ppm, corrected, &ns))
			ret[i] = (double)ns;
	}
}

bool point_of_stage(const struct result_stage *s, double *ret)
{
	g_autofree struct figures *f = NULL;
	uint64_t ns;

	if (s->cpus->len == 0)
		return false;
	f = result_stage_all(s);
	for (int i = 0; i < _POINT_MAX; i++)
		ret[i] = NAN;
	if (figures_count_known(f))
		ret[POINT_COUNT] = (double)figures_count(f);
	if (figures_min_ns(f, &ns))
		ret[POINT_MIN_NS] = (double)ns;
	if (figures_max_ns(f, &ns))
		ret[POINT_MAX_NS] = (double)ns;
	(void)figures_mean_ns(f, &ret[POINT_AVG_NS]); /* untouched where there is none */
	(void)figures_stddev_ns(f, &ret[POINT_STDDEV_NS]);
	if (f->has_grid)
		ret[POINT_MISSED] = (double)f->missed;
	ret[POINT_LOST] = (double)f->lost;
	if (f->within_bound_ns && figures_count(f) > 0)
		ret[POINT_WITHIN] = (double)f->within * PPM / (double)figures_count(f);
	point_percentiles(f, false, &ret[POINT_PERCENTILE_NS]);
	if (f->has_grid)
		point_percentiles(f, true, &ret[POINT_CORRECTED_NS]);
	return true;
}

/* Columns that every point of a session has; the rest is bound behind them. */
enum point_parameter {
	PARAMETER_SESSION = 1,
	PARAMETER_KERNEL,
	PARAMETER_STAGE,
	PARAMETER_REPEAT,
	PARAMETER_NAME,
	PARAMETER_LOAD,
	PARAMETER_VERDICT,
	PARAMETER_FIGURES,
};

static GString *points_insert(void)
{
	GString *sql = g_string_new("INSERT OR REPLACE INTO points (session, kernel, stage, repeat,"
				    " name, load, verdict");

	for (int i = 0; i < _POINT_MAX; i++)
		g_string_append_printf(sql, ", %s", point_columns[i]);
	g_string_append(sql, ", plan, id, started_usec)"
			     " SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7");
	for (int i = 0; i < _POINT_MAX; i++)
		g_string_append_printf(sql, ", ?%d", PARAMETER_FIGURES + i);
	g_string_append(sql, ", plan, id, started_usec FROM sessions WHERE row = ?1");
	return sql;
}

/* Whole numbers as such: SQLite keeps them in fewer bytes. */
static void points_bind(sqlite3_stmt *stmt, int i, double value)
{
	if (!isfinite(value))
		(void)sqlite3_bind_null(stmt, i);
	else if (fabs(value) < 0x1p53 && value == trunc(value))
		(void)sqlite3_bind_int64(stmt, i, (int64_t)value);
	else
		(void)sqlite3_bind_double(stmt, i, value);
}

static void points_bind_text(sqlite3_stmt *stmt, int i, const char *text)
{
	(void)sqlite3_bind_text(stmt, i, text, -1, SQLITE_STATIC);
}

static int points_put(sqlite3 *db, sqlite3_stmt *stmt, const struct result_stage *s,
		      char **ret_message)
{
	double figures[_POINT_MAX];
	int rc;

	if (!point_of_stage(s, figures))
		return 0;
	(void)sqlite3_reset(stmt);
	(void)sqlite3_bind_int64(stmt, PARAMETER_STAGE, s->index);
	(void)sqlite3_bind_int64(stmt, PARAMETER_REPEAT, s->repeat);
	points_bind_text(stmt, PARAMETER_NAME, s->name);
	points_bind_text(stmt, PARAMETER_LOAD, s->load);
	points_bind_text(stmt, PARAMETER_VERDICT, verdict_to_string(s->verdict));
	for (int i = 0; i < _POINT_MAX; i++)
		points_bind(stmt, PARAMETER_FIGURES + i, figures[i]);
	rc = sqlite3_step(stmt);
	return rc == SQLITE_DONE ? 0 : db_error(db, rc, ret_message);
}

static int points_put_all(sqlite3 *db, int64_t row, const char *kernel, const GPtrArray *stages,
			  char **ret_message)
{
	g_autoptr(GString) sql = points_insert();
	g_autoptr(sqlite3_stmt) stmt = NULL;
	int r;

	r = db_prepare(db, sql->str, &stmt, ret_message);
	if (r < 0)
		return r;
	(void)sqlite3_bind_int64(stmt, PARAMETER_SESSION, row);
	points_bind_text(stmt, PARAMETER_KERNEL, kernel);
	for (guint i = 0; r == 0 && i < stages->len; i++) {
		struct result_stage *stage;

		/* one that cannot be read makes no point, and is told of by who reads it */
		if (stage_row_to_stage(stages->pdata[i], &stage, NULL) < 0)
			continue;
		r = points_put(db, stmt, stage, ret_message);
		result_stage_free(stage);
	}
	return r;
}

/* Its conditions when it is a session that makes points; 1: it is none. */
static int points_conditions(sqlite3 *db, int64_t row, json_t **ret, char **ret_message)
{
	g_autofree char *sql =
		g_strdup_printf("SELECT conditions FROM sessions LEFT JOIN papers ON session = row"
				" WHERE row = ? AND started_usec > 0 AND state IN (%s)",
				points_states);
	g_autoptr(sqlite3_stmt) stmt = NULL;
	int r;

	r = db_prepare(db, sql, &stmt, ret_message);
	if (r < 0)
		return r;
	(void)sqlite3_bind_int64(stmt, 1, row);
	r = db_row(db, stmt, ret_message);
	if (r != 0)
		return r;
	*ret = rows_json_parse((const char *)sqlite3_column_text(stmt, 0));
	return 0;
}

int points_make(sqlite3 *db, int64_t row, char **ret_message)
{
	g_autoptr(GPtrArray) stages = NULL;
	json_t *conditions = NULL;
	int r;

	r = points_conditions(db, row, &conditions, ret_message);
	if (r != 0)
		return r < 0 ? r : 0;
	r = query_stages(db, row, &stages, ret_message);
	if (r == 0)
		r = points_put_all(db, row, point_kernel(conditions), stages, ret_message);
	json_decref(conditions);
	return r;
}

int points_fill(sqlite3 *db, struct patience *p, char **ret_message)
{
	g_autoptr(sqlite3_stmt) stmt = NULL;
	int r, rc = SQLITE_DONE;

	r = db_prepare(db, "SELECT row FROM sessions ORDER BY row", &stmt, ret_message);
	while (r == 0 && (rc = sqlite3_step(stmt)) == SQLITE_ROW) {
		patience_tell(p);
		r = points_make(db, sqlite3_column_int64(stmt, 0), ret_message);
	}
	if (r < 0)
		return r;
	return rc == SQLITE_DONE ? 0 : db_error(db, rc, ret_message);
}
