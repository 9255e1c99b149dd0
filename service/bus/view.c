/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A client asks for the dozen properties of an old session one by one. Reading the database for each
 * would make that slow, keeping whole results would make us big: so the head of one is kept.
 */
#include "view.h"

#include "errors.h"
#include <errno.h>
#include <string.h>

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

	for (guint i = 0; r->stages && i < r->stages->len; i++)
		measured_ns += ((const struct result_stage *)r->stages->pdata[i])->duration_ns;
	return r->planned_ns ? MIN((double)measured_ns / (double)r->planned_ns, 1.0) : 0.0;
}

static void view_forget_stored(struct view *v)
{
	if (v->result == v->stored)
		v->result = NULL;
	result_free(v->stored);
	v->stored = NULL;
	g_strfreev(v->stored_warnings);
	v->stored_warnings = NULL;
}

static int view_read(struct view *v, struct sessions *sessions, const char *id,
		     sd_bus_error *error)
{
	g_autofree char *message = NULL;
	struct result *result = NULL;
	int r;

	r = sessions_result(sessions, id, &result, &message);
	if (r < 0)
		return bus_error_set(error, r, message);
	view_forget_stored(v);
	v->stored_warnings = view_collect_warnings(result);
	v->stored_progress = view_share_measured(result);
	g_clear_pointer(&result->conditions, json_decref);
	if (result->stages)
		g_ptr_array_unref(g_steal_pointer(&result->stages));
	v->stored = result;
	return 0;
}

int view_set(struct view *v, struct sessions *sessions, const char *id, sd_bus_error *error)
{
	struct session *live;
	int r;

	if (!result_id_valid(id))
		return bus_error_setf(error, ENOENT, "There is no session \"%.64s\".", id);
	live = sessions_find(sessions, id);
	if (!live && v->leaving && strcmp(session_result(v->leaving)->id, id) == 0)
		live = v->leaving;
	v->live = live;
	if (live) {
		v->result = session_result(live);
		return 0;
	}
	if (!v->stored || strcmp(v->stored->id, id) != 0) {
		r = view_read(v, sessions, id, error);
		if (r < 0)
			return r;
	}
	v->result = v->stored;
	return 0;
}

void view_forget(struct view *v, const char *id)
{
	if (v->stored && strcmp(v->stored->id, id) == 0)
		view_forget_stored(v);
}

void view_done(struct view *v)
{
	view_forget_stored(v);
}

char **view_warnings(const struct view *v)
{
	return v->live ? view_collect_warnings(v->result) : g_strdupv(v->stored_warnings);
}
