/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a session takes is measured once, when it has ended, and kept with it: adding it all up at
 * each end would read the whole plan again. All of the choice then comes from one narrow index, in
 * one walk, so that a plan with a hundred thousand summaries costs some 20 ms.
 *
 * Every step looks and acts in one transaction and the choice is made anew in each, so that a crash
 * between two of them, a mark that was set meanwhile or a changed rule needs no bookkeeping.
 *
 * Room: pages that are free are used again by the next results, and moving others into them costs
 * writes; so a steady state (one session in, one out) moves nothing, and only more than a reserve
 * is given back.
 */
#include "retain.h"

#include "rows-json.h"
#include "words.h"
#include <errno.h>

#define RETAIN_MEASURES 32  /* sessions measured per step */
#define RETAIN_ACTS	16  /* sessions made smaller per step */
#define RETAIN_PAGES	256 /* pages moved per step */

/* --- the choice --- */

static bool retain_too_old(const struct retain_entry *e, uint64_t age_ns, uint64_t now_usec)
{
	/* one that ended in the future (the clock was set back) is as new as can be */
	return age_ns && now_usec > e->ended_usec && now_usec - e->ended_usec > age_ns / 1000;
}

/*
 * The clock may have been wrong, at the start of a machine without a battery or because somebody
 * set it: a session is no older than those before it, as far as these are not of the future.
 */
static void retain_order_ends(struct retain_entry *entries, size_t n, uint64_t now_usec)
{
	uint64_t before_usec = 0;

	for (size_t i = n; i > 0; i--) {
		struct retain_entry *e = &entries[i - 1];

		e->ended_usec = MAX(e->ended_usec, before_usec);
		if (e->ended_usec <= now_usec)
			before_usec = e->ended_usec;
	}
}

/* Is it one that the bounds are about? */
static bool retain_counts(const struct retain_entry *e)
{
	return e->ended && !e->kept;
}

static void retain_by_count_and_age(struct retain_entry *entries, size_t n,
				    const struct retention *keep, uint64_t now_usec,
				    const struct retain_entry *newest)
{
	unsigned all = 0, whole = 0;

	for (size_t i = 0; i < n; i++) {
		struct retain_entry *e = &entries[i];

		e->fate = RETAIN_WHOLE;
		if (!retain_counts(e))
			continue;
		all++;
		whole += e->measured && !e->thinned;
		if (e == newest)
			continue;
		if ((keep->summary_count && all > keep->summary_count) ||
		    retain_too_old(e, keep->summary_age_ns, now_usec))
			e->fate = RETAIN_GONE;
		else if (e->measured && !e->thinned &&
			 ((keep->count && whole > keep->count) ||
			  retain_too_old(e, keep->age_ns, now_usec)))
			e->fate = RETAIN_THIN;
	}
}

static uint64_t retain_bytes(const struct retain_entry *e)
{
	if (!retain_counts(e) || e->fate == RETAIN_GONE)
		return 0;
	return e->head_bytes + (e->fate == RETAIN_WHOLE ? e->detail_bytes : 0);
}

/* Oldest first: all details before any summary. */
static void retain_by_size(struct retain_entry *entries, size_t n, uint64_t size_bytes,
			   const struct retain_entry *newest)
{
	uint64_t total = 0;

	for (size_t i = 0; i < n; i++)
		total += retain_bytes(&entries[i]);
	for (int fate = RETAIN_THIN; fate <= RETAIN_GONE; fate++)
		for (size_t i = n; i > 0 && total > size_bytes; i--) {
			struct retain_entry *e = &entries[i - 1];

			if (!retain_counts(e) || e == newest || (int)e->fate >= fate ||
			    (fate == RETAIN_THIN && (e->thinned || !e->measured)))
				continue;
			total -= retain_bytes(e);
			e->fate = fate;
			total += retain_bytes(e);
		}
}

void retain_choose(struct retain_entry *entries, size_t n, const struct retention *keep,
		   uint64_t now_usec)
{
	const struct retain_entry *newest = NULL;

	for (size_t i = 0; i < n && !newest; i++)
		if (entries[i].ended && entries[i].measured && !entries[i].thinned)
			newest = &entries[i];
	retain_order_ends(entries, n, now_usec);
	retain_by_count_and_age(entries, n, keep, now_usec, newest);
	if (keep->size_bytes)
		retain_by_size(entries, n, keep->size_bytes, newest);
}

/* --- the database --- */

void retain_done_free(struct retain_done *d)
{
	if (!d)
		return;
	g_free(d->id);
	g_free(d);
}

/* Run @stmt with @row as its first parameter, to its end. */
static int retain_run(sqlite3 *db, const char *sql, int64_t row, uint64_t second,
		      char **ret_message)
{
	g_autoptr(sqlite3_stmt) stmt = NULL;
	int r, rc;

	r = db_prepare(db, sql, &stmt, ret_message);
	if (r < 0)
		return r;
	(void)sqlite3_bind_int64(stmt, 1, row);
	(void)sqlite3_bind_int64(stmt, 2, (int64_t)second); /* may have no second */
	rc = sqlite3_step(stmt);
	return rc == SQLITE_DONE ? 0 : db_error(db, rc, ret_message);
}

/* Columns of text; NULL in them counts nothing. */
static const char *const retain_head[] = { "overrides", "method", "summary", "findings", NULL };
static const char *const retain_papers[] = { "plan_text", "conditions", "peer_conditions",
					     "blocks",	  "analysis",	NULL };
static const char *const retain_stages[] = { "findings",    "limits",	  "metrics", "irqs",
					     "checkpoints", "port",	  "peer",    "snapshots",
					     "analysis",    "\"values\"", NULL };

/* "@fixed + the bytes of each column": @fixed stands for keys, numbers and indexes. */
static char *retain_sum(const char *const *columns, unsigned fixed)
{
	GString *sql = g_string_new(NULL);

	g_string_printf(sql, "%u", fixed);
	for (; *columns; columns++)
		g_string_append_printf(sql, " + coalesce(length(CAST(%s AS BLOB)), 0)", *columns);
	return g_string_free(sql, FALSE);
}

static char *retain_measure_sql(void)
{
	g_autofree char *head = retain_sum(retain_head, 600);
	g_autofree char *papers = retain_sum(retain_papers, 0);
	g_autofree char *stages = retain_sum(retain_stages, 200);

	return g_strdup_printf(
		"WITH next AS (SELECT row AS r FROM sessions INDEXED BY sessions_by_fate"
		"  WHERE plan = ? AND head_bytes = 0 AND finished_usec > 0 LIMIT ?),"
		" sizes AS (SELECT r,"
		"  (SELECT coalesce(sum(%s), 0) FROM papers WHERE session = r) AS papers,"
		"  (SELECT coalesce(sum(%s), 0) FROM stages WHERE session = r) +"
		"  (SELECT coalesce(sum(50 + length(data)), 0) FROM figures WHERE session = r)"
		"  AS stages FROM next)"
		" UPDATE sessions SET head_bytes = %s + iif(thinned_usec, papers, 0),"
		"  detail_bytes = iif(thinned_usec, 0, papers + stages)"
		" FROM sizes WHERE row = r",
		papers, stages, head);
}

/* What the next ones that have ended take; *ret_n: how many. */
static int retain_measure(sqlite3 *db, const char *plan, int *ret_n, char **ret_message)
{
	g_autofree char *sql = retain_measure_sql();
	g_autoptr(sqlite3_stmt) stmt = NULL;
	int r, rc;

	r = db_prepare(db, sql, &stmt, ret_message);
	if (r < 0)
		return r;
	(void)sqlite3_bind_text(stmt, 1, plan, -1, SQLITE_STATIC);
	(void)sqlite3_bind_int(stmt, 2, RETAIN_MEASURES);
	rc = sqlite3_step(stmt);
	if (rc != SQLITE_DONE)
		return db_error(db, rc, ret_message);
	*ret_n = sqlite3_changes(db);
	return 0;
}

static void retain_take_entry(sqlite3_stmt *stmt, struct retain_entry *e)
{
	int state = session_state_from_string((const char *)sqlite3_column_text(stmt, 1));
	int64_t finished_usec = sqlite3_column_int64(stmt, 4);
	int64_t created_usec = sqlite3_column_int64(stmt, 5);

	*e = (struct retain_entry){
		.row = sqlite3_column_int64(stmt, 0),
		/* a state of another version: whoever writes it looks after it */
		.ended = state >= 0 && session_state_ended(state),
		.kept = sqlite3_column_int64(stmt, 2) != 0,
		.thinned = sqlite3_column_int64(stmt, 3) != 0,
		/* it did not end before it was: then the clock was set back meanwhile */
		.ended_usec = (uint64_t)MAX(finished_usec, created_usec),
		.measured = sqlite3_column_int64(stmt, 6) > 0,
		.head_bytes = sqlite3_column_int64(stmt, 7),
		.detail_bytes = sqlite3_column_int64(stmt, 8),
	};
}

static int retain_read(sqlite3 *db, const char *plan, GArray *entries, char **ret_message)
{
	g_autoptr(sqlite3_stmt) stmt = NULL;
	struct retain_entry e;
	int r, rc;

	r = db_prepare(db,
		       "SELECT row, state, kept, thinned_usec, finished_usec, created_usec,"
		       " started_usec, head_bytes, detail_bytes"
		       " FROM sessions INDEXED BY sessions_by_fate WHERE plan = ?"
		       " ORDER BY row DESC",
		       &stmt, ret_message);
	if (r < 0)
		return r;
	(void)sqlite3_bind_text(stmt, 1, plan, -1, SQLITE_STATIC);
	while ((rc = sqlite3_step(stmt)) == SQLITE_ROW) {
		retain_take_entry(stmt, &e);
		g_array_append_val(entries, e);
	}
	return rc == SQLITE_DONE ? 0 : db_error(db, rc, ret_message);
}

/* Of conditions, what a summary keeps: the kernel. NULL: nothing. */
static char *retain_kernel(const char *conditions)
{
	json_t *all = rows_json_parse(conditions);
	json_t *kernel = json_object_get(all, "kernel");
	json_t *rest = kernel ? json_pack("{s:O}", "kernel", kernel) : NULL;
	char *text = rows_json_text(rest);

	json_decref(rest);
	json_decref(all);
	return text;
}

/*
 * What was worked out of the stages, which nobody can do again: [ { "stage", "load", "repeat",
 * "analysis" } ]. NULL: nothing was.
 */
static int retain_analysis(sqlite3 *db, int64_t row, char **ret, char **ret_message)
{
	g_autoptr(sqlite3_stmt) stmt = NULL;
	json_t *list = json_array();
	int r, rc = SQLITE_DONE;

	r = db_prepare(db,
		       "SELECT name, load, repeat, analysis FROM stages"
		       " WHERE session = ? AND analysis IS NOT NULL ORDER BY idx",
		       &stmt, ret_message);
	(void)sqlite3_bind_int64(stmt, 1, row);
	while (r == 0 && (rc = sqlite3_step(stmt)) == SQLITE_ROW) {
		json_t *one = rows_json_parse((const char *)sqlite3_column_text(stmt, 3));

		if (one)
			json_array_append_new(
				list, json_pack("{s:s?, s:s?, s:I, s:o}", "stage",
						(const char *)sqlite3_column_text(stmt, 0), "load",
						(const char *)sqlite3_column_text(stmt, 1),
						"repeat", (json_int_t)sqlite3_column_int64(stmt, 2),
						"analysis", one));
	}
	if (r == 0 && rc != SQLITE_DONE)
		r = db_error(db, rc, ret_message);
	if (r == 0 && json_array_size(list) > 0)
		*ret = rows_json_text(list);
	json_decref(list);
	return r;
}

static int retain_thin_papers(sqlite3 *db, int64_t row, char **ret_message)
{
	g_autofree char *conditions = NULL, *peer_conditions = NULL, *analysis = NULL;
	g_autoptr(sqlite3_stmt) stmt = NULL;
	g_autoptr(sqlite3_stmt) update = NULL;
	int r, rc;

	r = retain_analysis(db, row, &analysis, ret_message);
	if (r == 0)
		r = db_prepare(db,
			       "SELECT conditions, peer_conditions FROM papers WHERE session = ?",
			       &stmt, ret_message);
	if (r == 0)
		r = db_prepare(db,
			       "UPDATE papers SET conditions = ?, peer_conditions = ?,"
			       " blocks = NULL, analysis = ? WHERE session = ?",
			       &update, ret_message);
	if (r < 0)
		return r;
	(void)sqlite3_bind_int64(stmt, 1, row);
	rc = sqlite3_step(stmt);
	if (rc == SQLITE_ROW) {
		conditions = retain_kernel((const char *)sqlite3_column_text(stmt, 0));
		peer_conditions = retain_kernel((const char *)sqlite3_column_text(stmt, 1));
	} else if (rc != SQLITE_DONE) {
		return db_error(db, rc, ret_message);
	}
	(void)sqlite3_bind_text(update, 1, conditions, -1, SQLITE_STATIC);
	(void)sqlite3_bind_text(update, 2, peer_conditions, -1, SQLITE_STATIC);
	(void)sqlite3_bind_text(update, 3, analysis, -1, SQLITE_STATIC);
	(void)sqlite3_bind_int64(update, 4, row);
	rc = sqlite3_step(update);
	return rc == SQLITE_DONE ? 0 : db_error(db, rc, ret_message);
}

static int retain_thin(sqlite3 *db, int64_t row, uint64_t now_usec, char **ret_message)
{
	int r;

	/* papers first: something of the stages goes there; their points stay */
	r = retain_thin_papers(db, row, ret_message);
	if (r == 0)
		r = retain_run(db, "DELETE FROM stages WHERE session = ?", row, 0, ret_message);
	if (r == 0) /* 0 bytes: what is left of it is measured anew */
		r = retain_run(db,
			       "UPDATE sessions SET thinned_usec = ?2, head_bytes = 0,"
			       " detail_bytes = 0 WHERE row = ?1",
			       row, MAX(now_usec, 1), ret_message);
	return r;
}

static int retain_id(sqlite3 *db, int64_t row, char **ret, char **ret_message)
{
	g_autoptr(sqlite3_stmt) stmt = NULL;
	int r, rc;

	r = db_prepare(db, "SELECT id FROM sessions WHERE row = ?", &stmt, ret_message);
	if (r < 0)
		return r;
	(void)sqlite3_bind_int64(stmt, 1, row);
	rc = sqlite3_step(stmt);
	if (rc != SQLITE_ROW)
		return db_error(db, rc, ret_message);
	*ret = g_strdup((const char *)sqlite3_column_text(stmt, 0));
	return 0;
}

static int retain_act(sqlite3 *db, const struct retain_entry *e, uint64_t now_usec, GPtrArray *done,
		      char **ret_message)
{
	struct retain_done *d;
	char *id = NULL;
	int r;

	r = retain_id(db, e->row, &id, ret_message);
	if (r == 0 && e->fate == RETAIN_THIN)
		r = retain_thin(db, e->row, now_usec, ret_message);
	else if (r == 0)
		r = retain_run(db, "DELETE FROM sessions WHERE row = ?", e->row, 0, ret_message);
	if (r < 0) {
		g_free(id);
		return r;
	}
	d = g_new0(struct retain_done, 1);
	d->id = id;
	d->fate = e->fate;
	g_ptr_array_add(done, d);
	return 0;
}

/* Oldest first, so that what is cut short has done what mattered most. */
static int retain_apply(sqlite3 *db, const GArray *entries, uint64_t now_usec, GPtrArray *done,
			char **ret_message)
{
	int r = 0;

	for (guint i = entries->len; r == 0 && i > 0 && done->len < RETAIN_ACTS; i--) {
		const struct retain_entry *e = &g_array_index(entries, struct retain_entry, i - 1);

		if (e->fate != RETAIN_WHOLE)
			r = retain_act(db, e, now_usec, done, ret_message);
	}
	return r;
}

static int retain_look_and_act(sqlite3 *db, const char *plan, const struct retention *keep,
			       uint64_t now_usec, GPtrArray *done, bool *ret_more,
			       char **ret_message)
{
	g_autoptr(GArray) entries = g_array_new(FALSE, FALSE, sizeof(struct retain_entry));
	int measured = 0, r = 0;

	if (keep->size_bytes)
		r = retain_measure(db, plan, &measured, ret_message);
	if (r == 0)
		r = retain_read(db, plan, entries, ret_message);
	if (r < 0)
		return r;
	retain_choose((struct retain_entry *)(void *)entries->data, entries->len, keep, now_usec);
	r = retain_apply(db, entries, now_usec, done, ret_message);
	/* those made smaller are measured again */
	*ret_more = measured == RETAIN_MEASURES || done->len > 0;
	return r;
}

int retain_step(sqlite3 *db, const char *plan, const struct retention *keep, uint64_t now_usec,
		GPtrArray *done, bool *ret_more, char **ret_message)
{
	int r;

	r = db_in_place(db, ret_message);
	if (r == 0)
		r = db_exec(db, "BEGIN IMMEDIATE", ret_message);
	if (r < 0)
		return r;
	r = retain_look_and_act(db, plan, keep, now_usec, done, ret_more, ret_message);
	if (r == 0)
		r = db_exec(db, "COMMIT", ret_message);
	if (r < 0) {
		(void)db_exec(db, "ROLLBACK", NULL); /* may have happened already */
		g_ptr_array_set_size(done, 0);
	}
	return r;
}

int retain_shrink(sqlite3 *db, bool *ret_more, char **ret_message)
{
	int64_t free_pages = 0, left = 0, page_size = 4096, reserve;
	char pragma[64];
	int r;

	*ret_more = false;
	r = db_number(db, "PRAGMA freelist_count", &free_pages, ret_message);
	if (r == 0)
		r = db_number(db, "PRAGMA page_size", &page_size, ret_message);
	if (r < 0)
		return r;
	reserve = RETAIN_RESERVE_BYTES / page_size;
	if (free_pages <= reserve) {
		/* with a reader in the way, the file is cut by a later one */
		(void)db_exec(db, "PRAGMA wal_checkpoint(TRUNCATE)", NULL);
		return 0;
	}
	g_snprintf(pragma, sizeof(pragma), "PRAGMA incremental_vacuum(%d)",
		   (int)MIN(free_pages - reserve, RETAIN_PAGES));
	r = db_exec(db, pragma, ret_message);
	if (r == 0)
		r = db_number(db, "PRAGMA freelist_count", &left, ret_message);
	*ret_more = r == 0 && left < free_pages; /* a file that was never prepared for it stays */
	return r;
}
