/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Every write can be done twice with the same outcome, since the worker repeats a transaction whose
 * COMMIT failed without knowing how far it came.
 *
 * Statements are made anew per transaction: that costs some 100 us every checkpoint, and leaves no
 * statement that a failed transaction or a changed schema could have spoilt.
 */
#include "write.h"

#include "points.h"
#include <errno.h>

struct writer {
	sqlite3 *db;
	char **ret_message; /* never NULL */
};

/* Run @stmt to its end; 0 or -errno. SQLite's own code in @ret_rc when it matters. */
static int writer_step(struct writer *w, sqlite3_stmt *stmt, int *ret_rc)
{
	int rc = sqlite3_step(stmt);

	if (ret_rc)
		*ret_rc = rc;
	return rc == SQLITE_DONE ? 0 : db_error(w->db, rc, w->ret_message);
}

static void writer_bind_text(sqlite3_stmt *stmt, int i, const char *text)
{
	/* rows outlive the transaction */
	(void)sqlite3_bind_text(stmt, i, text, -1, SQLITE_STATIC);
}

/* "INSERT INTO TABLE (first, names...) VALUES (?, ?...)" */
static GString *writer_insert(const char *name, const char *first, const char *const *numbers,
			      int n_numbers, const char *const *texts, int n_texts)
{
	GString *sql = g_string_new(NULL);
	int n = 0;

	g_string_append_printf(sql, "INSERT INTO %s (", name);
	if (first)
		g_string_append_printf(sql, "%s%s", n++ ? ", " : "", first);
	for (int i = 0; i < n_numbers; i++)
		g_string_append_printf(sql, "%s%s", n++ ? ", " : "", numbers[i]);
	for (int i = 0; i < n_texts; i++)
		g_string_append_printf(sql, "%s%s", n++ ? ", " : "", texts[i]);
	g_string_append(sql, ") VALUES (");
	for (int i = 0; i < n; i++)
		g_string_append(sql, i ? ", ?" : "?");
	g_string_append(sql, ")");
	return sql;
}

/* What those hear who wait for a deletion (@mark false) or a mark. */
static void write_answer(struct change *c, bool mark, bool existed)
{
	for (guint i = 0; i < c->dones->len; i++) {
		struct pending_done *d = c->dones->pdata[i];

		if (d->mark != mark)
			continue;
		d->r = existed ? 0 : -ENOENT;
		g_clear_pointer(&d->message, g_free);
		if (!existed)
			d->message = g_strdup_printf("There is no session %s.", c->id);
	}
}

static int write_delete(struct writer *w, struct change *c)
{
	g_autoptr(sqlite3_stmt) stmt = NULL;
	int r;

	r = db_prepare(w->db, "DELETE FROM sessions WHERE id = ?", &stmt, w->ret_message);
	if (r < 0)
		return r;
	writer_bind_text(stmt, 1, c->id);
	r = writer_step(w, stmt, NULL);
	if (r < 0)
		return r;
	if (sqlite3_changes(w->db) > 0)
		c->existed = true; /* also for the next try, should COMMIT fail half-way */
	write_answer(c, false, c->existed);
	return 0;
}

static GString *write_head_sql(void)
{
	GString *sql = writer_insert("sessions", NULL, head_numbers, _HEAD_NUMBER_MAX, head_texts,
				     HEAD_PAPERS);
	int n = 0;

	/* the row of a session never changes, whatever the caller thought it was */
	g_string_append(sql, " ON CONFLICT (id) DO UPDATE SET ");
	for (int i = HEAD_ROW + 1; i < _HEAD_NUMBER_MAX; i++)
		g_string_append_printf(sql, "%s%s = excluded.%s", n++ ? ", " : "", head_numbers[i],
				       head_numbers[i]);
	for (int i = HEAD_ID + 1; i < HEAD_PAPERS; i++)
		g_string_append_printf(sql, ", %s = excluded.%s", head_texts[i], head_texts[i]);
	return sql;
}

static int write_head(struct writer *w, const struct head_row *h)
{
	g_autoptr(GString) sql = write_head_sql();
	g_autoptr(sqlite3_stmt) stmt = NULL;
	int r, rc;

	r = db_prepare(w->db, sql->str, &stmt, w->ret_message);
	if (r < 0)
		return r;
	for (int i = 0; i < _HEAD_NUMBER_MAX; i++)
		(void)sqlite3_bind_int64(stmt, i + 1, h->number[i]);
	for (int i = 0; i < HEAD_PAPERS; i++)
		writer_bind_text(stmt, _HEAD_NUMBER_MAX + i + 1, h->text[i]);
	r = writer_step(w, stmt, &rc);
	if (rc == SQLITE_CONSTRAINT_PRIMARYKEY || rc == SQLITE_CONSTRAINT_ROWID) {
		/* another process took the row meanwhile: let the database give one */
		g_clear_pointer(w->ret_message, g_free);
		(void)sqlite3_reset(stmt);
		(void)sqlite3_bind_null(stmt, HEAD_ROW + 1);
		r = writer_step(w, stmt, NULL);
	}
	return r;
}

static int write_papers(struct writer *w, int64_t row, const struct head_row *h)
{
	g_autoptr(sqlite3_stmt) stmt = NULL;
	int r;

	/* tens of KiB that hardly ever change: not written again when they are the same */
	r = db_prepare(
		w->db,
		"INSERT INTO papers (session, plan_text, conditions, peer_conditions, blocks,"
		" analysis) VALUES (?, ?, ?, ?, ?, ?)"
		" ON CONFLICT (session) DO UPDATE SET plan_text = excluded.plan_text,"
		"  conditions = excluded.conditions, peer_conditions = excluded.peer_conditions,"
		"  blocks = excluded.blocks, analysis = excluded.analysis"
		" WHERE plan_text IS NOT excluded.plan_text"
		"  OR conditions IS NOT excluded.conditions"
		"  OR peer_conditions IS NOT excluded.peer_conditions"
		"  OR blocks IS NOT excluded.blocks"
		"  OR analysis IS NOT excluded.analysis",
		&stmt, w->ret_message);
	if (r < 0)
		return r;
	(void)sqlite3_bind_int64(stmt, 1, row);
	writer_bind_text(stmt, 2, h->text[HEAD_PLAN_TEXT]);
	writer_bind_text(stmt, 3, h->text[HEAD_CONDITIONS]);
	writer_bind_text(stmt, 4, h->text[HEAD_PEER_CONDITIONS]);
	writer_bind_text(stmt, 5, h->text[HEAD_BLOCKS]);
	writer_bind_text(stmt, 6, h->text[HEAD_ANALYSIS]);
	return writer_step(w, stmt, NULL);
}

static int write_figures(struct writer *w, int64_t row, const struct stage_row *s)
{
	g_autoptr(sqlite3_stmt) stmt = NULL;
	int r;

	r = db_prepare(
		w->db,
		"INSERT OR REPLACE INTO figures (session, stage, cpu, policy, priority, data)"
		" VALUES (?, ?, ?, ?, ?, ?)",
		&stmt, w->ret_message);
	for (guint i = 0; r == 0 && i < s->figures->len; i++) {
		const struct figures_row *f = s->figures->pdata[i];

		(void)sqlite3_reset(stmt);
		(void)sqlite3_bind_int64(stmt, 1, row);
		(void)sqlite3_bind_int64(stmt, 2, s->number[STAGE_INDEX]);
		(void)sqlite3_bind_int64(stmt, 3, f->cpu);
		(void)sqlite3_bind_int64(stmt, 4, f->policy);
		(void)sqlite3_bind_int64(stmt, 5, f->priority);
		(void)sqlite3_bind_blob(stmt, 6, f->data->data, f->data->len, SQLITE_STATIC);
		r = writer_step(w, stmt, NULL);
	}
	return r;
}

static int write_clear_stage(struct writer *w, int64_t row, int64_t index)
{
	g_autoptr(sqlite3_stmt) stmt = NULL;
	int r;

	r = db_prepare(w->db, "DELETE FROM stages WHERE session = ? AND idx = ?", &stmt,
		       w->ret_message);
	if (r < 0)
		return r;
	(void)sqlite3_bind_int64(stmt, 1, row);
	(void)sqlite3_bind_int64(stmt, 2, index);
	return writer_step(w, stmt, NULL);
}

static int write_snapshots(struct writer *w, int64_t row, const struct stage_row *s)
{
	g_autoptr(sqlite3_stmt) stmt = NULL;
	int r;

	if (s->snapshots->len == 0)
		return 0;
	r = db_prepare(w->db, "UPDATE stages SET snapshots = ? WHERE session = ? AND idx = ?",
		       &stmt, w->ret_message);
	if (r < 0)
		return r;
	(void)sqlite3_bind_blob(stmt, 1, s->snapshots->data, s->snapshots->len, SQLITE_STATIC);
	(void)sqlite3_bind_int64(stmt, 2, row);
	(void)sqlite3_bind_int64(stmt, 3, s->number[STAGE_INDEX]);
	return writer_step(w, stmt, NULL);
}

static int write_stage(struct writer *w, int64_t row, const struct stage_row *s)
{
	g_autoptr(sqlite3_stmt) stmt = NULL;
	g_autoptr(GString) sql = writer_insert("stages", "session", stage_numbers,
					       _STAGE_NUMBER_MAX, stage_texts, _STAGE_TEXT_MAX);
	int r;

	r = write_clear_stage(w, row, s->number[STAGE_INDEX]);
	if (r < 0)
		return r;
	r = db_prepare(w->db, sql->str, &stmt, w->ret_message);
	if (r < 0)
		return r;
	(void)sqlite3_bind_int64(stmt, 1, row);
	for (int i = 0; i < _STAGE_NUMBER_MAX; i++)
		(void)sqlite3_bind_int64(stmt, 2 + i, s->number[i]);
	for (int i = 0; i < _STAGE_TEXT_MAX; i++)
		writer_bind_text(stmt, 2 + _STAGE_NUMBER_MAX + i, s->text[i]);
	r = writer_step(w, stmt, NULL);
	if (r == 0)
		r = write_snapshots(w, row, s);
	return r < 0 ? r : write_figures(w, row, s);
}

/* The row of session @id: 0, or 1 when there is none. */
static int write_find(struct writer *w, const char *id, int64_t *ret)
{
	g_autoptr(sqlite3_stmt) stmt = NULL;
	int r;

	r = db_prepare(w->db, "SELECT row FROM sessions WHERE id = ?", &stmt, w->ret_message);
	if (r < 0)
		return r;
	writer_bind_text(stmt, 1, id);
	r = db_row(w->db, stmt, w->ret_message);
	if (r != 0)
		return r;
	*ret = sqlite3_column_int64(stmt, 0);
	return 0;
}

/* @kept -1, @baseline NULL: as it is. */
static int write_mark(struct writer *w, int64_t row, int kept, const char *baseline)
{
	g_autoptr(sqlite3_stmt) stmt = NULL;
	int r;

	r = db_prepare(w->db,
		       "UPDATE sessions SET kept = coalesce(?1, kept),"
		       " baseline = coalesce(?2, baseline) WHERE row = ?3",
		       &stmt, w->ret_message);
	if (r < 0)
		return r;
	if (kept >= 0)
		(void)sqlite3_bind_int(stmt, 1, kept);
	writer_bind_text(stmt, 2, baseline);
	(void)sqlite3_bind_int64(stmt, 3, row);
	return writer_step(w, stmt, NULL);
}

static int write_change(struct writer *w, struct change *c)
{
	int64_t row = 0;
	int r = 0;

	if (c->erase)
		r = write_delete(w, c);
	if (r == 0 && c->head)
		r = write_head(w, c->head);
	if (r == 0)
		r = write_find(w, c->id, &row);
	if (r >= 0)
		write_answer(c, true, r == 0);
	if (r != 0)
		return r < 0 ? r
			     : 0; /* deleted, perhaps under a stage that came late: gone it is */
	if (c->head)
		r = write_papers(w, row, c->head);
	for (guint i = 0; r == 0 && i < c->stages->len; i++)
		r = write_stage(w, row, c->stages->pdata[i]);
	if (r == 0 && (c->kept >= 0 || c->baseline))
		r = write_mark(w, row, c->kept, c->baseline);
	if (r == 0 && (c->head || c->stages->len > 0))
		r = points_make(w->db, row, w->ret_message);
	return r;
}

int write_changes(sqlite3 *db, struct pending *p, char **ret_message)
{
	struct writer w = { db, ret_message };
	int r;

	/* left open when a COMMIT failed for a reason that SQLite does not roll back for */
	if (!sqlite3_get_autocommit(db))
		(void)db_exec(db, "ROLLBACK", NULL);
	r = db_in_place(db, ret_message);
	if (r == 0)
		r = db_exec(db, "BEGIN IMMEDIATE", ret_message);
	if (r < 0)
		return r;
	for (guint i = 0; r == 0 && i < p->changes->len; i++)
		r = write_change(&w, p->changes->pdata[i]);
	if (r == 0)
		r = db_exec(db, "COMMIT", ret_message);
	if (r == 0)
		return db_in_place(db, ret_message); /* else done again where it is found */
	(void)db_exec(db, "ROLLBACK", NULL);	     /* may have happened already */
	return r;
}
