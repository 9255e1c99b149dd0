/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A client asks for the dozen properties of an old session one by one, and a desktop tool for those
 * of all that are listed. Reading the database for each would make that slow, keeping whole results
 * would make us big: so of the last few the heads are kept, and what their stages say in words.
 *
 * A session of an earlier life is in memory with its head only. It is shown as the store has it,
 * too, so that it says the same before and after a restart.
 */
#include "view.h"

#include "errors.h"
#include <errno.h>
#include <string.h>

struct view_stored {
	struct result *head;
	char **warnings;
	double progress;
};

static void view_stored_free(gpointer data)
{
	struct view_stored *k = data;

	result_free(k->head);
	g_strfreev(k->warnings);
	g_free(k);
}

static void view_add_warnings(GPtrArray *warnings, const GPtrArray *findings)
{
	for (guint i = 0; findings && i < findings->len; i++) {
		const struct finding *f = findings->pdata[i];

		if (!g_ptr_array_find_with_equal_func(warnings, f->text, g_str_equal, NULL))
			g_ptr_array_add(warnings, g_strdup(f->text));
	}
}

static char **view_collect_warnings(const struct result *r)
{
	GPtrArray *warnings = g_ptr_array_new();

	view_add_warnings(warnings, r->findings);
	for (guint i = 0; r->stages && i < r->stages->len; i++) {
		const struct result_stage *s = r->stages->pdata[i];

		view_add_warnings(warnings, s->findings);
	}
	g_ptr_array_add(warnings, NULL);
	return (char **)g_ptr_array_free(warnings, FALSE);
}

static double view_share_measured(const struct result *r)
{
	uint64_t measured_ns = 0;

	if (r->state == SESSION_DONE)
		return 1.0; /* a break value may have ended it before its time */
	for (guint i = 0; r->stages && i < r->stages->len; i++)
		measured_ns += ((const struct result_stage *)r->stages->pdata[i])->duration_ns;
	return r->planned_ns ? MIN((double)measured_ns / (double)r->planned_ns, 1.0) : 0.0;
}

static int view_read(struct view *v, struct sessions *sessions, const char *id, sd_bus_error *error)
{
	g_autofree char *message = NULL;
	struct result *result = NULL;
	struct view_stored *k;
	int r;

	r = sessions_result(sessions, id, &result, &message);
	if (r < 0)
		return bus_error_set(error, r, message);
	k = g_new0(struct view_stored, 1);
	k->warnings = view_collect_warnings(result);
	k->progress = view_share_measured(result);
	g_clear_pointer(&result->conditions, json_decref);
	if (result->stages)
		g_ptr_array_unref(g_steal_pointer(&result->stages));
	k->head = result;
	if (v->kept->len >= VIEW_KEPT)
		g_ptr_array_remove_index(v->kept, 0);
	g_ptr_array_add(v->kept, k);
	return 0;
}

/* Index in kept; -1: not there. */
static int view_find_kept(const struct view *v, const char *id)
{
	for (int i = (int)v->kept->len - 1; i >= 0; i--)
		if (strcmp(((const struct view_stored *)v->kept->pdata[i])->head->id, id) == 0)
			return i;
	return -1;
}

static int view_set_stored(struct view *v, struct sessions *sessions, const char *id,
			   sd_bus_error *error)
{
	int i = view_find_kept(v, id), r;

	if (i < 0) {
		r = view_read(v, sessions, id, error);
		if (r < 0)
			return r;
	} else {
		g_ptr_array_add(v->kept, g_ptr_array_steal_index(v->kept, (guint)i));
	}
	v->live = NULL;
	v->stored = v->kept->pdata[v->kept->len - 1];
	v->result = v->stored->head;
	return 0;
}

static bool view_is_head_only(const struct session *s)
{
	const struct result *r = session_result(s);

	return session_state_ended(r->state) && !(r->stages && r->stages->len);
}

int view_set(struct view *v, struct sessions *sessions, const char *id, sd_bus_error *error)
{
	struct session *live;

	if (!result_id_valid(id))
		return bus_error_setf(error, ENOENT, "There is no session \"%.64s\".", id);
	live = sessions_find(sessions, id);
	if (!live && v->leaving && strcmp(session_result(v->leaving)->id, id) == 0)
		live = v->leaving;
	if (!live || (live != v->leaving && view_is_head_only(live)))
		return view_set_stored(v, sessions, id, error);
	v->live = live;
	v->stored = NULL;
	v->result = session_result(live);
	return 0;
}

void view_forget(struct view *v, const char *id)
{
	int i = view_find_kept(v, id);

	if (i < 0)
		return;
	if (v->stored == v->kept->pdata[i]) {
		v->stored = NULL;
		v->result = NULL;
	}
	g_ptr_array_remove_index(v->kept, (guint)i);
}

char **view_warnings(const struct view *v)
{
	return v->stored ? g_strdupv(v->stored->warnings) : view_collect_warnings(v->result);
}

double view_progress(const struct view *v)
{
	return v->stored ? v->stored->progress : session_progress(v->live);
}

void view_init(struct view *v)
{
	v->kept = g_ptr_array_new_with_free_func(view_stored_free);
}

void view_done(struct view *v)
{
	g_clear_pointer(&v->kept, g_ptr_array_unref);
}
