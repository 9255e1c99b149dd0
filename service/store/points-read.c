/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A plan's points are one walk through a narrow table in its own order, a few hundred ms for a
 * hundred thousand sessions that each have several stages; nothing is collected, so that memory
 * does not grow with them. Sessions that still wait to be written are few and mostly the newest:
 * they are built whole and woven in by their row.
 */
#include "store-internal.h"

#include "points.h"

#include <errno.h>
#include <math.h>
#include <string.h>

struct points_query {
	const char *plan, *baseline, *stage;
	GHashTable *waiting; /* id -> struct overlay */
	GPtrArray *results;  /* of struct result: those of them that belong here, by row */
	GPtrArray *joined;   /* ids that wait to belong to the baseline; borrowed */
	int64_t floor;	     /* no session below this row */
	store_point_t each;
	void *userdata;
};

/* --- what waits --- */

static bool points_rewritten(const struct overlay *o)
{
	return o->erased || o->head || o->stages;
}

/* Does the database's row of session @id not count? */
static bool points_hidden(const struct points_query *q, const char *id)
{
	const struct overlay *o = g_hash_table_lookup(q->waiting, id);

	if (!o)
		return false;
	if (points_rewritten(o))
		return true;
	return q->baseline && o->baseline && strcmp(o->baseline, q->baseline) != 0;
}

static bool points_measured(const struct result *r)
{
	return r->started_usec > 0 &&
	       (r->state == SESSION_DONE || r->state == SESSION_STOPPED ||
		r->state == SESSION_FAILED || r->state == SESSION_INTERRUPTED);
}

static bool points_belongs(const struct points_query *q, const struct result *r)
{
	return points_measured(r) &&
	       (q->plan ? strcmp(q->plan, r->plan) == 0 : strcmp(q->baseline, r->baseline) == 0);
}

static int points_compare_rows(gconstpointer a, gconstpointer b)
{
	const struct result *const *x = a, *const *y = b;

	return (*x)->row < (*y)->row ? -1 : (*x)->row > (*y)->row;
}

static int points_wait(struct store *s, struct points_query *q, char **ret_message)
{
	const struct overlay *o;
	GHashTableIter iter;
	const char *id;

	q->waiting = store_overlays(s);
	q->results = g_ptr_array_new_with_free_func((GDestroyNotify)result_free);
	q->joined = g_ptr_array_new();
	g_hash_table_iter_init(&iter, q->waiting);
	while (g_hash_table_iter_next(&iter, (gpointer *)&id, (gpointer *)&o)) {
		struct result *r = NULL;
		int e;

		if (!points_rewritten(o)) {
			if (q->baseline && g_strcmp0(o->baseline, q->baseline) == 0)
				g_ptr_array_add(q->joined, (gpointer)id);
			continue;
		}
		e = store_get(s, id, &r, ret_message);
		if (e == -ENOENT) /* deleted, or a stage that came too late */
			g_clear_pointer(ret_message, g_free);
		else if (e < 0)
			return e;
		else if (points_belongs(q, r))
			g_ptr_array_add(q->results, g_steal_pointer(&r));
		result_free(r);
	}
	g_ptr_array_sort(q->results, points_compare_rows);
	return 0;
}

static void points_query_done(struct points_query *q)
{
	g_clear_pointer(&q->waiting, g_hash_table_unref);
	g_clear_pointer(&q->results, g_ptr_array_unref);
	g_clear_pointer(&q->joined, g_ptr_array_unref);
}

/* --- the database --- */

static void points_where(const struct points_query *q, GString *sql)
{
	g_string_append(sql, " FROM points WHERE ");
	if (q->plan) {
		g_string_append(sql, "plan = :plan");
	} else {
		g_string_append(sql, "session IN (SELECT row FROM sessions"
				     " INDEXED BY sessions_by_baseline"
				     " WHERE baseline = :baseline AND baseline <> ''");
		if (q->joined->len > 0) {
			g_string_append(sql, " UNION SELECT row FROM sessions WHERE id IN (''");
			for (guint i = 0; i < q->joined->len; i++)
				g_string_append_printf(sql, ", :id%u", i);
			g_string_append(sql, ")");
		}
		g_string_append(sql, ")");
	}
	g_string_append(sql, " AND session >= :floor");
	if (q->stage)
		g_string_append(sql, " AND name = :stage");
}

static void points_bind_text(sqlite3_stmt *stmt, const char *name, const char *text)
{
	int i = sqlite3_bind_parameter_index(stmt, name);

	if (i > 0)
		(void)sqlite3_bind_text(stmt, i, text, -1, SQLITE_STATIC);
}

static void points_bind(const struct points_query *q, sqlite3_stmt *stmt)
{
	points_bind_text(stmt, ":plan", q->plan);
	points_bind_text(stmt, ":baseline", q->baseline);
	points_bind_text(stmt, ":stage", q->stage);
	for (guint i = 0; i < q->joined->len; i++) {
		char name[16];

		g_snprintf(name, sizeof(name), ":id%u", i);
		points_bind_text(stmt, name, q->joined->pdata[i]);
	}
	(void)sqlite3_bind_int64(stmt, sqlite3_bind_parameter_index(stmt, ":floor"), q->floor);
}

static bool points_has_stage(const struct points_query *q, const struct result *r)
{
	for (guint i = 0; i < r->stages->len; i++) {
		const struct result_stage *s = r->stages->pdata[i];

		if (s->cpus->len > 0 && (!q->stage || strcmp(q->stage, s->name) == 0))
			return true;
	}
	return false;
}

static int points_compare_newest(gconstpointer a, gconstpointer b)
{
	const int64_t *x = a, *y = b;

	return *x > *y ? -1 : *x < *y;
}

/* Into @rows: the newest sessions of the database that have points here. */
static int points_newest(sqlite3 *db, const struct points_query *q, unsigned limit, GArray *rows,
			 char **ret_message)
{
	g_autoptr(GString) sql = g_string_new("SELECT session, id");
	g_autoptr(sqlite3_stmt) stmt = NULL;
	int r, rc;

	points_where(q, sql);
	g_string_append_printf(sql, " GROUP BY session ORDER BY session DESC LIMIT %u", limit);
	r = db_prepare(db, sql->str, &stmt, ret_message);
	if (r < 0)
		return r;
	points_bind(q, stmt);
	while ((rc = sqlite3_step(stmt)) == SQLITE_ROW) {
		int64_t row = sqlite3_column_int64(stmt, 0);

		if (!points_hidden(q, (const char *)sqlite3_column_text(stmt, 1)))
			g_array_append_val(rows, row);
	}
	return rc == SQLITE_DONE ? 0 : db_error(db, rc, ret_message);
}

/* So that @limit sessions remain. */
static int points_set_floor(sqlite3 *db, struct points_query *q, unsigned limit, char **ret_message)
{
	g_autoptr(GArray) rows = g_array_new(FALSE, FALSE, sizeof(int64_t));
	int r;

	limit = MIN(limit, (unsigned)INT_MAX / 2);
	r = points_newest(db, q, limit + g_hash_table_size(q->waiting), rows, ret_message);
	if (r < 0)
		return r;
	for (guint i = 0; i < q->results->len; i++) {
		const struct result *result = q->results->pdata[i];

		if (points_has_stage(q, result))
			g_array_append_val(rows, result->row);
	}
	g_array_sort(rows, points_compare_newest);
	if (rows->len >= limit)
		q->floor = g_array_index(rows, int64_t, limit - 1);
	return 0;
}

/* --- telling --- */

static void points_tell(const struct points_query *q, struct store_point *p, const double *figures)
{
	p->count = figures[POINT_COUNT];
	p->min_ns = figures[POINT_MIN_NS];
	p->avg_ns = figures[POINT_AVG_NS];
	p->max_ns = figures[POINT_MAX_NS];
	p->stddev_ns = figures[POINT_STDDEV_NS];
	p->missed = figures[POINT_MISSED];
	p->lost = figures[POINT_LOST];
	p->within = figures[POINT_WITHIN];
	p->percentile_ns = &figures[POINT_PERCENTILE_NS];
	p->corrected_ns = &figures[POINT_CORRECTED_NS];
	q->each(p, q->userdata);
}

static void points_tell_result(const struct points_query *q, const struct result *r)
{
	for (guint i = 0; i < r->stages->len; i++) {
		const struct result_stage *s = r->stages->pdata[i];
		double figures[_POINT_MAX];
		struct store_point p = {
			.id = r->id,
			.stage = s->name,
			.load = s->load,
			.kernel = point_kernel(r->conditions),
			.repeat = s->repeat,
			.verdict = s->verdict,
			.started_usec = r->started_usec,
		};

		if ((!q->stage || strcmp(q->stage, s->name) == 0) && point_of_stage(s, figures))
			points_tell(q, &p, figures);
	}
}

/* Those that wait and come before @row; *@next: which is the next of them. */
static void points_tell_waiting(const struct points_query *q, guint *next, int64_t row)
{
	for (; *next < q->results->len; (*next)++) {
		const struct result *r = q->results->pdata[*next];

		if (r->row >= row)
			return;
		if (r->row >= q->floor)
			points_tell_result(q, r);
	}
}

#define POINTS_COLUMNS "session, id, name, load, kernel, verdict, repeat, started_usec"
#define POINTS_FIGURES 8 /* the column of the first */

static void points_tell_row(const struct points_query *q, sqlite3_stmt *stmt)
{
	int verdict = verdict_from_string((const char *)sqlite3_column_text(stmt, 5));
	double figures[_POINT_MAX];
	struct store_point p = {
		.id = (const char *)sqlite3_column_text(stmt, 1),
		.stage = (const char *)sqlite3_column_text(stmt, 2),
		.load = (const char *)sqlite3_column_text(stmt, 3),
		.kernel = (const char *)sqlite3_column_text(stmt, 4),
		.verdict = verdict >= 0 ? verdict : VERDICT_INCONCLUSIVE,
		.repeat = sqlite3_column_int(stmt, 6),
		.started_usec = sqlite3_column_int64(stmt, 7),
	};

	for (int i = 0; i < _POINT_MAX; i++) {
		int column = POINTS_FIGURES + i;

		figures[i] = sqlite3_column_double(stmt, column);
		if (figures[i] == 0 && sqlite3_column_type(stmt, column) == SQLITE_NULL)
			figures[i] = NAN;
	}
	points_tell(q, &p, figures);
}

static int points_walk(sqlite3 *db, const struct points_query *q, char **ret_message)
{
	g_autoptr(GString) sql = g_string_new("SELECT " POINTS_COLUMNS);
	g_autoptr(sqlite3_stmt) stmt = NULL;
	guint next = 0;
	int r, rc;

	for (int i = 0; i < _POINT_MAX; i++)
		g_string_append_printf(sql, ", %s", point_columns[i]);
	points_where(q, sql);
	g_string_append(sql, " ORDER BY session, stage");
	r = db_prepare(db, sql->str, &stmt, ret_message);
	if (r < 0)
		return r;
	points_bind(q, stmt);
	while ((rc = sqlite3_step(stmt)) == SQLITE_ROW) {
		if (points_hidden(q, (const char *)sqlite3_column_text(stmt, 1)))
			continue;
		points_tell_waiting(q, &next, sqlite3_column_int64(stmt, 0));
		points_tell_row(q, stmt);
	}
	if (rc != SQLITE_DONE)
		return db_error(db, rc, ret_message);
	points_tell_waiting(q, &next, INT64_MAX);
	return 0;
}

int store_points(struct store *s, const char *plan, const char *baseline, const char *stage,
		 unsigned limit, store_point_t each, void *userdata, char **ret_message)
{
	struct points_query q = {
		.plan = plan,
		.baseline = plan ? NULL : baseline,
		.stage = stage,
		.each = each,
		.userdata = userdata,
	};
	char *message = NULL;
	int r;

	r = points_wait(s, &q, &message);
	if (r == 0 && limit > 0)
		r = points_set_floor(s->reader, &q, limit, &message);
	if (r == 0)
		r = points_walk(s->reader, &q, &message);
	points_query_done(&q);
	if (ret_message)
		*ret_message = message;
	else
		g_free(message);
	return r;
}
