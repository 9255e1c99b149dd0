/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Why sessions are added one by one: a result of 64 CPUs is some forty MiB, and a comparison may be
 * of hundreds of them. What is kept of each is a few hundred numbers.
 */
#include "comparison-internal.h"

#include "cell.h"
#include "conditionsdiff.h"
#include "message.h"
#include "value.h"

#include <errno.h>
#include <string.h>

static void session_free(gpointer data)
{
	struct comparison_session *s = data;

	g_free(s->id);
	g_free(s->label);
	g_free(s->plan);
	g_free(s->kernel);
	g_free(s);
}

static void side_free(gpointer data)
{
	struct comparison_side *s = data;

	g_free(s->name);
	g_free(s->title);
	g_ptr_array_unref(s->sessions);
	g_ptr_array_unref(s->drift);
	g_clear_pointer(&s->differences, g_ptr_array_unref);
	json_decref(s->conditions);
	json_decref(s->peer_conditions);
	g_free(s);
}

struct comparison *comparison_new(const struct comparison_options *o)
{
	struct comparison *c = g_new0(struct comparison, 1);

	if (o)
		c->options = *o;
	c->options.base = g_strdup(c->options.base);
	c->options.stage = g_strdup(c->options.stage);
	c->sides = g_ptr_array_new_with_free_func(side_free);
	c->groups = g_ptr_array_new_with_free_func((GDestroyNotify)comparison_group_free);
	c->notes = comparison_notes_new();
	c->exceeded = g_ptr_array_new_with_free_func(g_free);
	return c;
}

struct comparison *comparison_free(struct comparison *c)
{
	if (!c)
		return NULL;
	g_free((char *)c->options.base);
	g_free((char *)c->options.stage);
	g_ptr_array_unref(c->sides);
	g_ptr_array_unref(c->groups);
	g_ptr_array_unref(c->notes);
	g_ptr_array_unref(c->exceeded);
	g_free(c);
	return NULL;
}

unsigned comparison_add_side(struct comparison *c, const char *name)
{
	struct comparison_side *s = g_new0(struct comparison_side, 1);

	s->name = g_utf8_make_valid(name, -1);
	s->sessions = g_ptr_array_new_with_free_func(session_free);
	s->drift = g_ptr_array_new_with_free_func(g_free);
	g_ptr_array_add(c->sides, s);
	return c->sides->len - 1;
}

/* What differs from the side's first session, each once. */
static void comparison_note_drift(struct comparison_side *s, const struct result *r)
{
	g_autoptr(GPtrArray) differ = conditionsdiff_new(s->conditions, r->conditions);

	for (guint i = 0; i < differ->len; i++) {
		const struct conditionsdiff *d = differ->pdata[i];

		if (!g_ptr_array_find_with_equal_func(s->drift, d->what, g_str_equal, NULL))
			g_ptr_array_add(s->drift, g_strdup(d->what));
	}
}

static void comparison_add_session(struct comparison_side *side, const struct result *r)
{
	struct comparison_session *s = g_new0(struct comparison_session, 1);

	s->id = g_strdup(r->id);
	s->label = cell_text(r->label);
	s->plan = cell_text(r->plan);
	s->kernel = cell_text(value_get_string(r->conditions, "kernel.release"));
	s->started_usec = r->started_usec;
	g_ptr_array_add(side->sessions, s);
	if (side->sessions->len == 1) {
		side->conditions = json_incref(r->conditions);
		side->peer_conditions = json_incref(r->peer_conditions);
	} else {
		comparison_note_drift(side, r);
	}
}

static void comparison_add_stage(struct comparison_group *g, unsigned side, const struct result *r,
				 const char *name)
{
	g_autoptr(GPtrArray) repeats = g_ptr_array_new();
	struct comparison_stage *s = comparison_group_stage(g, name);

	for (guint i = 0; i < r->stages->len; i++)
		if (strcmp(((struct result_stage *)r->stages->pdata[i])->name, name) == 0)
			g_ptr_array_add(repeats, r->stages->pdata[i]);
	if (!s->place[side])
		s->place[side] = comparison_place_new();
	comparison_place_add(s->place[side], g, r, repeats);
}

static bool comparison_is_repeat(const struct result *r, guint at)
{
	for (guint i = 0; i < at; i++)
		if (strcmp(((struct result_stage *)r->stages->pdata[i])->name,
			   ((struct result_stage *)r->stages->pdata[at])->name) == 0)
			return true;
	return false;
}

int comparison_add(struct comparison *c, unsigned side, const struct result *r, char **ret_message)
{
	struct comparison_group *g;

	if (r->thinned_usec)
		return message_fail(ret_message, -EINVAL,
				    "The details of session %s were removed, as its plan's "
				    "\"keep\" wants it: nothing is left to compare.",
				    r->id);
	if (!r->stages || r->stages->len == 0)
		return message_fail(ret_message, -EINVAL,
				    "Session %s has begun no stage: there is nothing to compare.",
				    r->id);
	if (side >= COMPARISON_SIDES_MAX || side >= c->sides->len)
		return message_fail(ret_message, -EINVAL, "At most %d sides can be compared.",
				    COMPARISON_SIDES_MAX);
	comparison_add_session(comparison_side(c, side), r);
	g = comparison_group_of(c, r);
	if (g->sessions[side]++ == 0)
		g->methods[side] = json_incref(r->method);
	for (guint i = 0; i < r->stages->len; i++) {
		const struct result_stage *s = r->stages->pdata[i];

		if (!comparison_is_repeat(r, i) &&
		    (!c->options.stage || strcmp(c->options.stage, s->name) == 0))
			comparison_add_stage(g, side, r, s->name);
	}
	return 0;
}

/* --- what follows from all --- */

static int comparison_find_base(struct comparison *c, char **ret_message)
{
	g_autoptr(GString) names = g_string_new(NULL);

	if (!c->options.base)
		return 0;
	for (guint i = 0; i < c->sides->len; i++) {
		c->base = i;
		if (strcmp(comparison_side(c, i)->name, c->options.base) == 0)
			return 0;
		g_string_append_printf(names, "%s%s", i ? ", " : "", comparison_side(c, i)->name);
	}
	return message_fail(ret_message, -EINVAL,
			    "The base \"%s\" is none of what is compared: %s.", c->options.base,
			    names->str);
}

static int comparison_check(struct comparison *c, char **ret_message)
{
	bool stage = !c->options.stage;

	if (c->sides->len < 2 || c->sides->len > COMPARISON_SIDES_MAX)
		return message_fail(ret_message, -EINVAL,
				    "A comparison is of 2 to %d sides, and these are %u.",
				    COMPARISON_SIDES_MAX, c->sides->len);
	for (guint i = 0; i < c->sides->len; i++)
		if (comparison_side(c, i)->sessions->len == 0)
			return message_fail(ret_message, -EINVAL, "\"%s\" has no session.",
					    comparison_side(c, i)->name);
	for (guint i = 0; i < c->groups->len; i++)
		stage = stage || ((struct comparison_group *)c->groups->pdata[i])->stages->len > 0;
	if (!stage)
		return message_fail(ret_message, -EINVAL,
				    "None of these sessions has a stage \"%s\".", c->options.stage);
	return comparison_find_base(c, ret_message);
}

typedef const char *(*title_of)(const struct comparison_side *s);

static const char *title_kernel(const struct comparison_side *s)
{
	return ((const struct comparison_session *)s->sessions->pdata[0])->kernel;
}

static const char *title_label(const struct comparison_side *s)
{
	return ((const struct comparison_session *)s->sessions->pdata[0])->label;
}

static const char *title_name(const struct comparison_side *s)
{
	return s->name;
}

/* Does it tell every side from every other one? */
static bool comparison_tells_apart(const struct comparison *c, title_of of)
{
	for (guint i = 0; i < c->sides->len; i++) {
		if (!*of(comparison_side(c, i)))
			return false;
		for (guint k = 0; k < i; k++)
			if (strcmp(of(comparison_side(c, i)), of(comparison_side(c, k))) == 0)
				return false;
	}
	return true;
}

/* The kernel, as in 2005, where that says which side is meant; else the label; else the name. */
static void comparison_title(struct comparison *c)
{
	static const title_of titles[] = { title_kernel, title_label, title_name };
	size_t t = 0;

	while (t + 1 < G_N_ELEMENTS(titles) && !comparison_tells_apart(c, titles[t]))
		t++;
	for (guint i = 0; i < c->sides->len; i++)
		comparison_side(c, i)->title = cell_text(titles[t](comparison_side(c, i)));
	c->titled_by = t == 0 ? "kernel" : t == 1 ? "label" : "session";
}

int comparison_finish(struct comparison *c, char **ret_message)
{
	g_autofree char *message = NULL;
	int r = comparison_check(c, &message);

	if (r == 0)
		r = comparison_gate(c, &message);
	if (r < 0 && ret_message) /* names of strangers are in it */
		*ret_message = cell_text(message);
	if (r < 0)
		return r;
	comparison_title(c);
	comparison_differences(c);
	comparison_warn(c);
	comparison_judge(c);
	return 0;
}

enum verdict comparison_verdict(const struct comparison *c)
{
	return c->verdict;
}

int comparison_render(const char *format, const struct comparison *c,
		      const struct report_options *o, GString *out, char **ret_message)
{
	static const struct report_options defaults;
	g_autoptr(GString) names = g_string_new(NULL);

	for (const struct comparison_format *const *f = comparison_formats; *f; f++) {
		if (g_strcmp0((*f)->name, format) == 0)
			return (*f)->render(c, o ? o : &defaults, out, ret_message);
		g_string_append_printf(names, "%s%s", names->len ? ", " : "", (*f)->name);
	}
	return message_fail(ret_message, -EINVAL,
			    "There is no comparison format \"%s\"; there are %s.", format,
			    names->str);
}
