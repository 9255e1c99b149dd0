/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Why sessions that were measured in another way are left out and not refused: a baseline grows
 * over years, and one session in it with another interval must not make all limits against it
 * worthless. When none is left that is said, and the limit is not judged.
 *
 * Why the median: one session of a bad night moves it least. Why a session counts once, whatever
 * its repeats: these are one boot, and the next boot differs more than they do.
 */
#include "baseline.h"

#include "method.h"
#include "pointfigure.h"

#include <errno.h>
#include <math.h>
#include <string.h>

struct baseline_session {
	char *id;
	GPtrArray *values; /* for each limit a GArray of double, of its repeats */
};

struct baseline {
	const GArray *limits;
	GPtrArray *sessions; /* of struct baseline_session */
	unsigned others;     /* sessions that were measured in another way */
};

static void baseline_session_free(gpointer data)
{
	struct baseline_session *s = data;

	g_free(s->id);
	g_ptr_array_unref(s->values);
	g_free(s);
}

static struct baseline_session *baseline_session_new(const char *id, guint limits)
{
	struct baseline_session *s = g_new0(struct baseline_session, 1);

	s->id = g_strdup(id);
	s->values = g_ptr_array_new_with_free_func((GDestroyNotify)g_array_unref);
	for (guint i = 0; i < limits; i++)
		g_ptr_array_add(s->values, g_array_new(FALSE, FALSE, sizeof(double)));
	return s;
}

/* --- figures --- */

/* One for each session that has the figure. */
static GArray *baseline_values(const struct baseline *b, guint limit)
{
	const struct limit *l = &g_array_index(b->limits, struct limit, limit);
	GArray *all = g_array_new(FALSE, FALSE, sizeof(double));

	for (guint i = 0; i < b->sessions->len; i++) {
		const struct baseline_session *s = b->sessions->pdata[i];
		GArray *repeats = s->values->pdata[limit];

		if (repeats->len > 0) {
			double value = pointfigure_joined(l, (double *)(void *)repeats->data,
							  repeats->len);

			g_array_append_val(all, value);
		}
	}
	return all;
}

/* --- its sessions --- */

static void on_baseline_point(const struct store_point *p, void *userdata)
{
	struct baseline *b = userdata;
	guint n = b->sessions->len;
	struct baseline_session *s = n > 0 ? b->sessions->pdata[n - 1] : NULL;

	if (!s || strcmp(s->id, p->id) != 0) { /* a session's points come together */
		s = baseline_session_new(p->id, b->limits->len);
		g_ptr_array_add(b->sessions, s);
	}
	for (guint i = 0; i < b->limits->len; i++) {
		double value = pointfigure_value(&g_array_index(b->limits, struct limit, i), p);

		if (isfinite(value))
			g_array_append_val((GArray *)s->values->pdata[i], value);
	}
}

static bool baseline_comparable(struct store *store, const struct result *r, const char *id)
{
	struct result *head = NULL;
	bool same;

	if (store_head(store, id, &head, NULL) < 0)
		return false; /* deleted just now, or it cannot be read */
	same = method_same(r->method, head->method);
	result_free(head);
	return same;
}

static void baseline_drop_others(struct baseline *b, struct store *store, const struct result *r)
{
	for (guint i = b->sessions->len; i > 0; i--) {
		const struct baseline_session *s = b->sessions->pdata[i - 1];

		if (baseline_comparable(store, r, s->id))
			continue;
		g_ptr_array_remove_index(b->sessions, i - 1);
		b->others++;
	}
}

/* --- bounds --- */

/* Why there is no bound of @l; NULL: there is one. @n: sessions that have its figure. */
static char *baseline_lacks(const struct baseline *b, const struct limit *l, const char *name,
			    const struct result_stage *s, guint n)
{
	if (b->sessions->len == 0 && b->others == 0)
		return g_strdup_printf("The limit %s cannot be judged: no session with a stage %s "
				       "belongs to the baseline %s.",
				       l->text, s->name, name);
	if (b->sessions->len == 0)
		return g_strdup_printf("The limit %s cannot be judged: the sessions of baseline %s "
				       "(%u) were measured in another way.",
				       l->text, name, b->others);
	if (n == 0)
		return g_strdup_printf("The limit %s cannot be judged: no session of baseline %s "
				       "has that figure.",
				       l->text, name);
	if (l->figure == LIMIT_MAX && n < BASELINE_SESSIONS_MAX)
		return g_strdup_printf("The limit %s cannot be judged: the baseline %s has %u "
				       "comparable sessions, and a largest maximum takes %d.",
				       l->text, name, n, BASELINE_SESSIONS_MAX);
	return NULL;
}

static void baseline_bind(const struct baseline *b, const char *name, struct result_stage *s,
			  GArray *limits)
{
	for (guint i = 0; i < limits->len; i++) {
		struct limit *l = &g_array_index(limits, struct limit, i);
		g_autoptr(GArray) values = NULL;
		g_autofree char *lacks = NULL;

		if (!l->baseline)
			continue;
		values = baseline_values(b, i);
		lacks = baseline_lacks(b, l, name, s, values->len);
		if (lacks)
			finding_add(s->findings, "no-baseline", "%s", lacks);
		else
			limit_set_baseline(l, pointfigure_joined(l, (double *)(void *)values->data,
								 values->len));
	}
}

static bool baseline_wanted(const GArray *limits)
{
	for (guint i = 0; i < limits->len; i++)
		if (g_array_index(limits, struct limit, i).baseline)
			return true;
	return false;
}

GArray *baseline_limits(struct store *store, const struct result *r, const struct plan *p,
			struct result_stage *s)
{
	GArray *limits =
		p ? g_array_copy(p->limits) : g_array_new(FALSE, FALSE, sizeof(struct limit));
	struct baseline b = { .limits = limits };
	g_autofree char *message = NULL;

	if (!baseline_wanted(limits))
		return limits;
	b.sessions = g_ptr_array_new_with_free_func(baseline_session_free);
	if (store_points(store, NULL, plan_baseline(p), s->name, BASELINE_SESSIONS,
			 on_baseline_point, &b, &message) < 0) {
		finding_add(s->findings, "no-baseline", "The baseline %s cannot be read: %s",
			    plan_baseline(p), message);
	} else {
		baseline_drop_others(&b, store, r);
		baseline_bind(&b, plan_baseline(p), s, limits);
	}
	g_ptr_array_unref(b.sessions);
	return limits;
}
