/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads see every write that was queued before them, committed or not. What waits is taken first
 * and the database read after it: a write that is committed in between is then seen twice, which is
 * harmless, and never not at all.
 */
#include "store-internal.h"

#include "query.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define READ_MEASURED                                                                              \
	(1u << SESSION_DONE | 1u << SESSION_STOPPED | 1u << SESSION_FAILED |                       \
	 1u << SESSION_INTERRUPTED)

static int read_no_session(const char *id, char **ret_message)
{
	if (ret_message)
		*ret_message = g_strdup_printf("There is no session %s.", id);
	return -ENOENT;
}

static int read_compare_stages(gconstpointer a, gconstpointer b)
{
	const struct stage_row *const *x = a, *const *y = b;
	int64_t i = (*x)->number[STAGE_INDEX], k = (*y)->number[STAGE_INDEX];

	return i < k ? -1 : i > k;
}

/* Head and stages as the database has them; nothing when it has not (or no longer). */
static int read_rows(struct store *s, const char *id, struct head_row **head, GPtrArray **stages,
		     char **ret_message)
{
	int r;

	/* one transaction: the worker may be writing this very session */
	r = db_exec(s->reader, "BEGIN", ret_message);
	if (r < 0)
		return r;
	r = query_head(s->reader, id, head, ret_message);
	if (r == 0)
		r = query_stages(s->reader, (*head)->number[HEAD_ROW], stages, ret_message);
	(void)db_exec(s->reader, "ROLLBACK", NULL); /* it only read */
	return r < 0 ? r : 0;
}

static void read_mark(const struct overlay *o, struct head_row **head)
{
	struct head_row *old = *head;

	if (!o->marked || !old)
		return;
	*head = head_row_with_mark(old, o->kept, o->baseline);
	head_row_unref(old);
}

/* @o over @head and @stages. */
static void read_merge(struct overlay *o, struct head_row **head, GPtrArray **stages)
{
	if (o->head) {
		head_row_unref(*head);
		*head = g_steal_pointer(&o->head);
	}
	read_mark(o, head);
	for (guint i = 0; o->stages && i < o->stages->len; i++) {
		struct stage_row *stage = stage_row_ref(o->stages->pdata[i]);

		for (guint k = 0; k < (*stages)->len; k++) {
			const struct stage_row *old = (*stages)->pdata[k];

			if (old->number[STAGE_INDEX] == stage->number[STAGE_INDEX])
				g_ptr_array_remove_index(*stages, k--);
		}
		g_ptr_array_add(*stages, stage);
	}
	g_ptr_array_sort(*stages, read_compare_stages);
}

static int read_build(const struct head_row *head, const GPtrArray *stages, struct result **ret,
		      char **ret_message)
{
	struct result *result = head_row_to_result(head, true);

	result->stages = g_ptr_array_new_with_free_func((GDestroyNotify)result_stage_free);
	for (guint i = 0; i < stages->len; i++) {
		struct result_stage *stage;
		int r;

		r = stage_row_to_stage(stages->pdata[i], &stage, ret_message);
		if (r < 0) {
			result_free(result);
			return r;
		}
		g_ptr_array_add(result->stages, stage);
	}
	*ret = result;
	return 0;
}

int store_get(struct store *s, const char *id, struct result **ret, char **ret_message)
{
	g_autoptr(GPtrArray) stages = NULL;
	g_auto(overlay_t) waiting = { 0 };
	struct head_row *head = NULL;
	int r = 0;

	store_overlay(s, id, &waiting);
	if (!waiting.erased)
		r = read_rows(s, id, &head, &stages, ret_message);
	if (!stages)
		stages = g_ptr_array_new_with_free_func((GDestroyNotify)stage_row_unref);
	if (r == 0)
		read_merge(&waiting, &head, &stages);
	if (r == 0)
		r = head ? read_build(head, stages, ret, ret_message)
			 : read_no_session(id, ret_message);
	head_row_unref(head);
	return r;
}

int store_head(struct store *s, const char *id, struct result **ret, char **ret_message)
{
	g_auto(overlay_t) waiting = { 0 };
	struct head_row *head = NULL;
	int r = 0;

	store_overlay(s, id, &waiting);
	if (waiting.head)
		head = g_steal_pointer(&waiting.head);
	else if (!waiting.erased)
		r = query_head(s->reader, id, &head, ret_message);
	if (r < 0)
		return r;
	if (!head)
		return read_no_session(id, ret_message);
	read_mark(&waiting, &head);
	*ret = head_row_to_result(head, false);
	head_row_unref(head);
	return 0;
}

static int read_compare_heads(gconstpointer a, gconstpointer b)
{
	const struct head_row *const *x = a, *const *y = b;
	int64_t i = (*x)->number[HEAD_ROW], k = (*y)->number[HEAD_ROW];

	return i > k ? -1 : i < k;
}

/* Has what waits a say in whether the database's row belongs to the list? */
static bool read_replaces(const struct query *q, const struct overlay *o)
{
	return o->erased || o->head || (q->filter.baseline && o->baseline);
}

/* The head of @id as it will be; NULL: there will be none. */
static int read_replacement(struct store *s, const char *id, const struct overlay *o,
			    struct head_row **ret, char **ret_message)
{
	int r = 0;

	*ret = NULL;
	if (o->head)
		*ret = head_row_ref(o->head);
	else if (!o->erased)
		r = query_head(s->reader, id, ret, ret_message);
	read_mark(o, ret);
	return MIN(r, 0);
}

/* query_heads() of the database and of what waits. */
static int read_heads(struct store *s, const struct query *q, GPtrArray **ret, char **ret_message)
{
	g_autoptr(GHashTable) waiting = store_overlays(s);
	g_autoptr(GPtrArray) heads = NULL;
	struct query wider = *q;
	const char *id;
	struct overlay *o;
	GHashTableIter iter;
	int r;

	/* each waiting session may take one row out of the page */
	if (wider.limit != QUERY_NO_LIMIT)
		wider.limit += g_hash_table_size(waiting);
	r = query_heads(s->reader, &wider, &heads, ret_message);
	if (r < 0)
		return r;
	for (guint i = 0; i < heads->len; i++) {
		const struct head_row *h = heads->pdata[i];

		o = g_hash_table_lookup(waiting, h->text[HEAD_ID]);
		if (o && read_replaces(q, o))
			g_ptr_array_remove_index(heads, i--);
		else if (o)
			read_mark(o, (struct head_row **)&heads->pdata[i]);
	}
	g_hash_table_iter_init(&iter, waiting);
	while (g_hash_table_iter_next(&iter, (gpointer *)&id, (gpointer *)&o)) {
		struct head_row *head = NULL;

		if (read_replaces(q, o))
			r = read_replacement(s, id, o, &head, ret_message);
		if (r < 0)
			return r;
		if (head && query_matches(q, head))
			g_ptr_array_add(heads, head);
		else
			head_row_unref(head);
	}
	g_ptr_array_sort(heads, read_compare_heads);
	if (heads->len > q->limit)
		g_ptr_array_set_size(heads, q->limit);
	*ret = g_steal_pointer(&heads);
	return 0;
}

int store_last(struct store *s, const char *plan, char **ret_id)
{
	g_autoptr(GPtrArray) heads = NULL;
	struct query q;
	int r;

	r = query_init(&q, NULL, NULL);
	if (r < 0)
		return r;
	q.filter.plan = plan;
	q.states = READ_MEASURED;
	q.started = true;
	q.limit = 1;
	r = read_heads(s, &q, &heads, NULL);
	if (r < 0)
		return r;
	if (heads->len == 0)
		return -ENOENT;
	*ret_id = g_strdup(((struct head_row *)heads->pdata[0])->text[HEAD_ID]);
	return 0;
}

int store_plans(struct store *s, char ***ret, char **ret_message)
{
	return query_plans(s->reader, ret, ret_message);
}

/* A cursor is "r" and the row of the last one shown, as read_next() writes it. */
static int read_cursor(const char *cursor, int64_t *ret, char **ret_message)
{
	g_autofree char *again = NULL;
	int64_t row;

	if (!*cursor)
		return 0;
	row = g_ascii_strtoll(cursor + 1, NULL, 10);
	again = g_strdup_printf("r%" G_GINT64_FORMAT, row);
	if (row <= 0 || strcmp(cursor, again) != 0) {
		if (ret_message)
			*ret_message = g_strdup("The cursor is not one that an earlier page gave.");
		return -EINVAL;
	}
	*ret = row;
	return 0;
}

int store_list(struct store *s, const struct store_filter *f, const char *cursor, unsigned limit,
	       GPtrArray **ret, char **ret_next, char **ret_message)
{
	g_autoptr(GPtrArray) heads = NULL;
	struct query q;
	GPtrArray *page;
	int r;

	r = query_init(&q, f, ret_message);
	if (r == 0)
		r = read_cursor(cursor ? cursor : "", &q.before_row, ret_message);
	if (r < 0)
		return r;
	limit = CLAMP(limit, 1, 1000);
	q.limit = limit + 1; /* one more tells whether there is another page */
	r = read_heads(s, &q, &heads, ret_message);
	if (r < 0)
		return r;
	page = g_ptr_array_new_with_free_func((GDestroyNotify)result_free);
	for (guint i = 0; i < heads->len && i < limit; i++)
		g_ptr_array_add(page, head_row_to_result(heads->pdata[i], false));
	if (ret_next)
		*ret_next =
			heads->len > limit
				? g_strdup_printf("r%" G_GINT64_FORMAT,
						  ((struct result *)page->pdata[limit - 1])->row)
				: g_strdup("");
	*ret = page;
	return 0;
}

/* Whole when it can be read; else its head alone, so that one damaged session does not hide the
 * others. */
static struct result *read_unfinished(struct store *s, const struct head_row *head,
				      GString *complaints)
{
	g_autofree char *message = NULL;
	struct result *result;

	if (store_get(s, head->text[HEAD_ID], &result, &message) == 0)
		return result;
	g_string_append_printf(complaints, "%sSession %s: %s", complaints->len ? " " : "",
			       head->text[HEAD_ID], message);
	result = head_row_to_result(head, true);
	result->stages = g_ptr_array_new_with_free_func((GDestroyNotify)result_stage_free);
	return result;
}

int store_unfinished(struct store *s, GPtrArray **ret, char **ret_message)
{
	g_autoptr(GString) complaints = g_string_new(NULL);
	g_autoptr(GPtrArray) heads = NULL;
	GPtrArray *list;
	struct query q;
	int r;

	r = query_init(&q, NULL, ret_message);
	if (r < 0)
		return r;
	q.states = 0;
	for (int state = 0; state < _SESSION_STATE_MAX; state++)
		if (!session_state_ended(state))
			q.states |= 1u << state;
	r = read_heads(s, &q, &heads, ret_message);
	if (r < 0)
		return r;
	list = g_ptr_array_new_with_free_func((GDestroyNotify)result_free);
	for (guint i = heads->len; i > 0; i--)
		g_ptr_array_add(list, read_unfinished(s, heads->pdata[i - 1], complaints));
	if (complaints->len && ret_message)
		*ret_message = g_strdup(complaints->str);
	*ret = list;
	return 0;
}

/* One PRAGMA that lists what is wrong. */
static int read_check(struct store *s, const char *sql, const char *good, GString *wrong,
		      char **ret_message)
{
	g_autoptr(sqlite3_stmt) stmt = NULL;
	int r, rc;

	r = db_prepare(s->reader, sql, &stmt, ret_message);
	if (r < 0)
		return r;
	while ((rc = sqlite3_step(stmt)) == SQLITE_ROW) {
		const char *text = (const char *)sqlite3_column_text(stmt, 0);

		if (g_strcmp0(text, good) != 0)
			g_string_append_printf(wrong, "%s%s", wrong->len ? "; " : "", text);
	}
	return rc == SQLITE_DONE ? 0 : db_error(s->reader, rc, ret_message);
}

int store_check(struct store *s, char **ret_message)
{
	g_autoptr(GString) wrong = g_string_new(NULL);
	int r;

	r = read_check(s, "PRAGMA integrity_check", "ok", wrong, ret_message);
	if (r == 0)
		r = read_check(s,
			       "SELECT 'rows of ' || \"table\" || ' without their session'"
			       " FROM pragma_foreign_key_check",
			       NULL, wrong, ret_message);
	if (r < 0 || !wrong->len)
		return r;
	if (ret_message)
		*ret_message = g_strdup_printf("%s is damaged: %s", s->path, wrong->str);
	return -EBADMSG;
}
