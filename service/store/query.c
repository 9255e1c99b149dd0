/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Listing is two steps in one statement: the rows of the page from an index that holds every
 * filtered column, then those rows from the table. Which index is said, not left to the planner: it
 * has no statistics here, and its guesses differ between a young database and an old one.
 *
 * Pages are cut by row (everything below the last one seen), never by offset: a page costs the same
 * wherever it stands, and sessions that come or go meanwhile neither repeat nor hide others.
 */
#include "query.h"

#include <errno.h>
#include <string.h>

static int query_states(const char *words, unsigned *ret, char **ret_message)
{
	g_auto(GStrv) list = g_strsplit(words, ",", -1);
	unsigned states = 0;

	for (char **word = list; *word; word++) {
		int state = session_state_from_string(g_strstrip(*word));

		if (state < 0) {
			if (ret_message)
				*ret_message =
					g_strdup_printf("There is no session state \"%s\".", *word);
			return -EINVAL;
		}
		states |= 1u << state;
	}
	*ret = states;
	return 0;
}

int query_init(struct query *q, const struct store_filter *f, char **ret_message)
{
	*q = (struct query){
		.states = QUERY_ANY_STATE,
		.before_row = INT64_MAX,
		.limit = QUERY_NO_LIMIT,
		.filter.owner = -1,
	};
	if (!f)
		return 0;
	q->filter = *f;
	if (f->verdict && verdict_from_string(f->verdict) < 0) {
		if (ret_message)
			*ret_message = g_strdup_printf("There is no verdict \"%s\".", f->verdict);
		return -EINVAL;
	}
	return f->state ? query_states(f->state, &q->states, ret_message) : 0;
}

bool query_matches(const struct query *q, const struct head_row *h)
{
	const struct store_filter *f = &q->filter;
	int state = session_state_from_string(h->text[HEAD_STATE]);

	return h->number[HEAD_ROW] < q->before_row &&
	       (q->states == QUERY_ANY_STATE || (state >= 0 && q->states & 1u << state)) &&
	       (!f->plan || strcmp(f->plan, h->text[HEAD_PLAN]) == 0) &&
	       (!f->label || strcmp(f->label, h->text[HEAD_LABEL]) == 0) &&
	       (!f->verdict || strcmp(f->verdict, h->text[HEAD_VERDICT]) == 0) &&
	       (f->owner < 0 || f->owner == h->number[HEAD_OWNER]) &&
	       (uint64_t)h->number[HEAD_CREATED_USEC] >= f->since_usec &&
	       (!f->baseline || strcmp(f->baseline, h->text[HEAD_BASELINE]) == 0) &&
	       (!q->started || h->number[HEAD_STARTED_USEC] > 0);
}

/* Parameters have names: query_bind() binds those that are there. */
static void query_where(const struct query *q, GString *sql)
{
	const struct store_filter *f = &q->filter;

	g_string_append(sql, " WHERE row < :row");
	if (f->plan)
		g_string_append(sql, " AND plan = :plan");
	if (f->label)
		g_string_append(sql, " AND label = :label");
	if (f->verdict)
		g_string_append(sql, " AND verdict = :verdict");
	if (f->owner >= 0)
		g_string_append(sql, " AND owner = :owner");
	if (f->since_usec > 0)
		g_string_append(sql, " AND created_usec >= :since");
	if (f->baseline) /* the second, so that an index of those that have one may be used */
		g_string_append(sql, *f->baseline ? " AND baseline = :baseline AND baseline <> ''"
						  : " AND baseline = ''");
	if (q->started)
		g_string_append(sql, " AND started_usec > 0");
	if (q->states == QUERY_ANY_STATE)
		return;
	/* our own words, no quoting needed */
	g_string_append(sql, " AND state IN (''");
	for (int i = 0; i < _SESSION_STATE_MAX; i++)
		if (q->states & 1u << i)
			g_string_append_printf(sql, ", '%s'", session_state_to_string(i));
	g_string_append(sql, ")");
}

static void query_bind_text(sqlite3_stmt *stmt, const char *name, const char *text)
{
	int i = sqlite3_bind_parameter_index(stmt, name);

	if (i > 0)
		(void)sqlite3_bind_text(stmt, i, text, -1, SQLITE_STATIC);
}

static void query_bind_number(sqlite3_stmt *stmt, const char *name, int64_t number)
{
	int i = sqlite3_bind_parameter_index(stmt, name);

	if (i > 0)
		(void)sqlite3_bind_int64(stmt, i, number);
}

static void query_bind(const struct query *q, sqlite3_stmt *stmt)
{
	const struct store_filter *f = &q->filter;

	query_bind_number(stmt, ":row", q->before_row);
	query_bind_text(stmt, ":plan", f->plan);
	query_bind_text(stmt, ":label", f->label);
	query_bind_text(stmt, ":verdict", f->verdict);
	query_bind_text(stmt, ":baseline", f->baseline);
	query_bind_number(stmt, ":owner", f->owner);
	query_bind_number(stmt, ":since", MIN(f->since_usec, (uint64_t)INT64_MAX));
	query_bind_number(stmt, ":limit", q->limit);
}

static void query_columns(GString *sql, const char *const *numbers, int n_numbers,
			  const char *const *texts, int n_texts)
{
	g_string_append(sql, "SELECT ");
	for (int i = 0; i < n_numbers; i++)
		g_string_append_printf(sql, "%s%s", i ? ", " : "", numbers[i]);
	for (int i = 0; i < n_texts; i++)
		g_string_append_printf(sql, ", %s", texts[i]);
}

static char *query_text(sqlite3_stmt *stmt, int column)
{
	return g_strdup((const char *)sqlite3_column_text(stmt, column));
}

static struct head_row *query_take_head(sqlite3_stmt *stmt, int n_texts)
{
	struct head_row *h = head_row_new();

	for (int i = 0; i < _HEAD_NUMBER_MAX; i++)
		h->number[i] = sqlite3_column_int64(stmt, i);
	for (int i = 0; i < n_texts; i++)
		h->text[i] = query_text(stmt, _HEAD_NUMBER_MAX + i);
	return h;
}

/* Few belong to a baseline; who asks for those that do not takes a table row with each. */
static const char *query_index(const struct store_filter *f)
{
	if (f->baseline && *f->baseline)
		return "baseline";
	return f->plan ? "plan" : "row";
}

int query_heads(sqlite3 *db, const struct query *q, GPtrArray **ret, char **ret_message)
{
	g_autoptr(GPtrArray) heads = g_ptr_array_new_with_free_func((GDestroyNotify)head_row_unref);
	g_autoptr(GString) sql = g_string_new(NULL);
	g_autoptr(sqlite3_stmt) stmt = NULL;
	int r, rc;

	query_columns(sql, head_numbers, _HEAD_NUMBER_MAX, head_texts, HEAD_PAPERS);
	g_string_append_printf(sql,
			       " FROM sessions WHERE row IN"
			       " (SELECT row FROM sessions INDEXED BY sessions_by_%s",
			       query_index(&q->filter));
	query_where(q, sql);
	g_string_append(sql, " ORDER BY row DESC LIMIT :limit) ORDER BY row DESC");
	r = db_prepare(db, sql->str, &stmt, ret_message);
	if (r < 0)
		return r;
	query_bind(q, stmt);
	while ((rc = sqlite3_step(stmt)) == SQLITE_ROW)
		g_ptr_array_add(heads, query_take_head(stmt, HEAD_PAPERS));
	if (rc != SQLITE_DONE)
		return db_error(db, rc, ret_message);
	*ret = g_steal_pointer(&heads);
	return 0;
}

int query_head(sqlite3 *db, const char *id, struct head_row **ret, char **ret_message)
{
	g_autoptr(GString) sql = g_string_new(NULL);
	g_autoptr(sqlite3_stmt) stmt = NULL;
	int r;

	query_columns(sql, head_numbers, _HEAD_NUMBER_MAX, head_texts, _HEAD_TEXT_MAX);
	g_string_append(sql, " FROM sessions LEFT JOIN papers ON session = row WHERE id = :id");
	r = db_prepare(db, sql->str, &stmt, ret_message);
	if (r < 0)
		return r;
	query_bind_text(stmt, ":id", id);
	r = db_row(db, stmt, ret_message);
	if (r != 0)
		return r;
	*ret = query_take_head(stmt, _HEAD_TEXT_MAX);
	return 0;
}

static void query_take_bytes(sqlite3_stmt *stmt, int column, GByteArray *to)
{
	const void *data = sqlite3_column_blob(stmt, column);

	if (data)
		g_byte_array_append(to, data, sqlite3_column_bytes(stmt, column));
}

static int query_figures(sqlite3 *db, int64_t row, struct stage_row *stage, char **ret_message)
{
	g_autoptr(sqlite3_stmt) stmt = NULL;
	int r, rc;

	r = db_prepare(db,
		       "SELECT cpu, policy, priority, data FROM figures"
		       " WHERE session = :row AND stage = :stage ORDER BY cpu",
		       &stmt, ret_message);
	if (r < 0)
		return r;
	query_bind_number(stmt, ":row", row);
	query_bind_number(stmt, ":stage", stage->number[STAGE_INDEX]);
	while ((rc = sqlite3_step(stmt)) == SQLITE_ROW) {
		struct figures_row *f = figures_row_new();

		f->cpu = sqlite3_column_int64(stmt, 0);
		f->policy = sqlite3_column_int64(stmt, 1);
		f->priority = sqlite3_column_int64(stmt, 2);
		query_take_bytes(stmt, 3, f->data);
		g_ptr_array_add(stage->figures, f);
	}
	return rc == SQLITE_DONE ? 0 : db_error(db, rc, ret_message);
}

int query_stages(sqlite3 *db, int64_t row, GPtrArray **ret, char **ret_message)
{
	g_autoptr(GPtrArray) stages =
		g_ptr_array_new_with_free_func((GDestroyNotify)stage_row_unref);
	g_autoptr(GString) sql = g_string_new(NULL);
	g_autoptr(sqlite3_stmt) stmt = NULL;
	int r, rc;

	query_columns(sql, stage_numbers, _STAGE_NUMBER_MAX, stage_texts, _STAGE_TEXT_MAX);
	g_string_append(sql, ", snapshots FROM stages WHERE session = :row ORDER BY idx");
	r = db_prepare(db, sql->str, &stmt, ret_message);
	if (r < 0)
		return r;
	query_bind_number(stmt, ":row", row);
	while ((rc = sqlite3_step(stmt)) == SQLITE_ROW) {
		struct stage_row *s = stage_row_new();

		for (int i = 0; i < _STAGE_NUMBER_MAX; i++)
			s->number[i] = sqlite3_column_int64(stmt, i);
		for (int i = 0; i < _STAGE_TEXT_MAX; i++)
			s->text[i] = query_text(stmt, _STAGE_NUMBER_MAX + i);
		query_take_bytes(stmt, _STAGE_NUMBER_MAX + _STAGE_TEXT_MAX, s->snapshots);
		g_ptr_array_add(stages, s);
	}
	if (rc != SQLITE_DONE)
		return db_error(db, rc, ret_message);
	for (guint i = 0; i < stages->len; i++) {
		r = query_figures(db, row, stages->pdata[i], ret_message);
		if (r < 0)
			return r;
	}
	*ret = g_steal_pointer(&stages);
	return 0;
}

int query_row(sqlite3 *db, const char *id, int64_t *ret, char **ret_message)
{
	g_autoptr(sqlite3_stmt) stmt = NULL;
	int r;

	r = db_prepare(db, "SELECT row FROM sessions WHERE id = :id", &stmt, ret_message);
	if (r < 0)
		return r;
	query_bind_text(stmt, ":id", id);
	r = db_row(db, stmt, ret_message);
	if (r != 0)
		return r;
	*ret = sqlite3_column_int64(stmt, 0);
	return 0;
}

static bool query_take_plan(sqlite3_stmt *stmt, GPtrArray *plans)
{
	char *plan = query_text(stmt, 0); /* NULL: no further one */

	if (plan)
		g_ptr_array_add(plans, plan);
	return plan != NULL;
}

/* From one name to the next, each a look into the index: there are far fewer plans than sessions.
 */
int query_plans(sqlite3 *db, char ***ret, char **ret_message)
{
	g_autoptr(GPtrArray) plans = g_ptr_array_new_with_free_func(g_free);
	g_autoptr(sqlite3_stmt) stmt = NULL;
	int r, rc;

	r = db_prepare(db, "SELECT min(plan) FROM sessions WHERE plan > :plan", &stmt, ret_message);
	if (r < 0)
		return r;
	query_bind_text(stmt, ":plan", "");
	while ((rc = sqlite3_step(stmt)) == SQLITE_ROW && query_take_plan(stmt, plans)) {
		(void)sqlite3_reset(stmt);
		query_bind_text(stmt, ":plan", plans->pdata[plans->len - 1]);
	}
	if (rc != SQLITE_ROW)
		return db_error(db, rc, ret_message);
	g_ptr_array_add(plans, NULL);
	*ret = (char **)g_ptr_array_free(g_steal_pointer(&plans), FALSE);
	return 0;
}

int query_last_row(sqlite3 *db, int64_t *ret, char **ret_message)
{
	*ret = 0;
	return db_number(
		db, "SELECT coalesce(max(seq), 0) FROM sqlite_sequence WHERE name = 'sessions'",
		ret, ret_message);
}
