/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Why ended sessions are read from the store each time: figures are large and rarely asked for, and
 * what the store says is what will be there tomorrow. Only of a session that measures right now is
 * the truth in memory.
 */
#include "sessions-internal.h"

#include "conftree.h"
#include "message.h"

#include <errno.h>
#include <string.h>

#define ARCHIVE_PAGE 100

static int archive_no_session(const char *id, char **ret_message)
{
	*ret_message = result_id_valid(id) ? g_strdup_printf("There is no session %s.", id)
					   : g_strdup("That is not a session's id.");
	return -ENOENT;
}

static int archive_last(struct sessions *m, const char *plan, char **ret_id, char **ret_message)
{
	int r;

	if (plan && !conftree_name_valid(plan)) {
		*ret_message = g_strdup("That is not a plan's name.");
		return -ENOENT;
	}
	r = store_last(m->p.store, plan, ret_id);
	if (r == 0)
		return 0;
	if (r != -ENOENT) {
		*ret_message = g_strdup_printf("The results cannot be read: %s.", g_strerror(-r));
		return -EIO;
	}
	*ret_message = plan ? g_strdup_printf("No session of plan %s has ended yet.", plan)
			    : g_strdup("No session has ended yet.");
	return -ENOENT;
}

int sessions_resolve(struct sessions *m, const char *word, char **ret_id, char **ret_message)
{
	struct result *r = NULL;
	int n;

	if (strcmp(word, "last") == 0)
		return archive_last(m, NULL, ret_id, ret_message);
	if (g_str_has_prefix(word, "last:"))
		return archive_last(m, word + strlen("last:"), ret_id, ret_message);
	if (!result_id_valid(word))
		return archive_no_session(word, ret_message);
	if (!sessions_find(m, word)) {
		n = store_head(m->p.store, word, &r, ret_message);
		result_free(r);
		if (n == -ENOENT) {
			g_clear_pointer(ret_message, g_free);
			return archive_no_session(word, ret_message);
		}
		if (n < 0)
			return -EIO;
	}
	*ret_id = g_strdup(word);
	return 0;
}

int sessions_result(struct sessions *m, const char *id, struct result **ret, char **ret_message)
{
	struct session *s = sessions_find(m, id);
	int r;

	if (s && !session_ended(s)) {
		session_drain(s);
		*ret = result_copy(s->r);
		return 0;
	}
	if (!result_id_valid(id))
		return archive_no_session(id, ret_message);
	r = store_get(m->p.store, id, ret, ret_message);
	if (r == -ENOENT) {
		g_clear_pointer(ret_message, g_free);
		return archive_no_session(id, ret_message);
	}
	return r < 0 ? -EIO : 0;
}

int sessions_list(struct sessions *m, const struct store_filter *filter, const char *cursor,
		  unsigned limit, GPtrArray **ret, char **ret_next, char **ret_message)
{
	int r = store_list(m->p.store, filter, cursor, limit, ret, ret_next, ret_message);

	return r < 0 && r != -EINVAL ? -EIO : r;
}

int sessions_labelled(struct sessions *m, const char *label, unsigned max, GPtrArray **ret,
		      char **ret_message)
{
	const struct store_filter filter = {
		.label = label,
		.state = "done,stopped,failed,interrupted",
		.owner = -1,
	};
	g_autoptr(GPtrArray) ids = g_ptr_array_new_with_free_func(g_free);
	g_autofree char *cursor = g_strdup("");
	bool thinned = false;

	do {
		g_autoptr(GPtrArray) heads = NULL;
		g_autofree char *next = NULL;
		int r = sessions_list(m, &filter, cursor, ARCHIVE_PAGE, &heads, &next, ret_message);

		if (r < 0)
			return r;
		for (guint i = 0; i < heads->len && ids->len < max; i++) {
			const struct result *head = heads->pdata[i];

			thinned = thinned || head->thinned_usec;
			if (head->started_usec && !head->thinned_usec)
				g_ptr_array_add(ids, g_strdup(head->id));
		}
		g_free(cursor);
		cursor = g_steal_pointer(&next);
	} while (*cursor && ids->len < max);
	if (ids->len == 0)
		return message_fail(
			ret_message, -ENOENT,
			thinned ? "Of the sessions with label \"%s\" summaries are left."
				: "\"%s\" is no session, and no label of one that "
				  "measured.",
			label);
	*ret = g_steal_pointer(&ids);
	return 0;
}

struct archive_deletion {
	struct sessions *m; /* NULL: gone meanwhile */
	char *id;
	store_done_t done;
	void *userdata;
};

static void on_archive_deleted(int r, const char *message, void *userdata)
{
	struct archive_deletion *d = userdata;
	struct session *s = d->m ? sessions_find(d->m, d->id) : NULL;
	g_autofree char *sentence = NULL;

	if (d->m)
		g_ptr_array_remove_fast(d->m->deletions, d);
	if (r == 0 && s)
		sessions_drop(d->m, s);
	if (r == -ENOENT)
		(void)archive_no_session(d->id, &sentence);
	d->done(r, sentence ?: message, d->userdata);
	g_free(d->id);
	g_free(d);
}

void archive_forsake(struct sessions *m)
{
	for (guint i = 0; i < m->deletions->len; i++)
		((struct archive_deletion *)m->deletions->pdata[i])->m = NULL;
}

/* One that cannot be read is not said to be kept: what it is worth is for its owner to say. */
static bool archive_kept(struct sessions *m, const char *id, const struct session *s)
{
	struct result *head = NULL;
	bool kept;

	if (s)
		return s->r->kept;
	kept = store_head(m->p.store, id, &head, NULL) == 0 && head->kept;
	result_free(head);
	return kept;
}

int sessions_delete(struct sessions *m, const char *id, bool force, store_done_t done,
		    void *userdata, char **ret_message)
{
	struct session *s = sessions_find(m, id);
	struct archive_deletion *d;
	int r;

	if (strcmp(id, "last") == 0 || g_str_has_prefix(id, "last:")) {
		*ret_message = g_strdup("Only an id names a session to delete, no word like last.");
		return -EINVAL;
	}
	if (!result_id_valid(id))
		return archive_no_session(id, ret_message);
	if (s && !session_ended(s)) {
		*ret_message = g_strdup_printf("Session %s has not ended: stop it first.", id);
		return -EINPROGRESS;
	}
	if (!force && archive_kept(m, id, s)) {
		*ret_message = g_strdup_printf(
			"Session %s is marked to be kept: take the mark away, or delete it with "
			"force.",
			id);
		return -EKEYREJECTED;
	}
	d = g_new0(struct archive_deletion, 1);
	d->m = m;
	d->id = g_strdup(id);
	d->done = done;
	d->userdata = userdata;
	g_ptr_array_add(m->deletions, d);
	r = store_delete(m->p.store, id, on_archive_deleted, d);
	if (r < 0) {
		g_ptr_array_remove_fast(m->deletions, d);
		*ret_message =
			g_strdup_printf("The session cannot be deleted: %s.", g_strerror(-r));
		g_free(d->id);
		g_free(d);
	}
	return r < 0 ? -EIO : 0;
}
