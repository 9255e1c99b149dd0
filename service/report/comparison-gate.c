/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * May they be compared? A side is sorted into groups by the method of its sessions, and only what
 * was measured in one way is in one table: a label may stand for latencies and a benchmark, or for
 * a timer's three ways to look at one wake-up, and each finds its like. A side of which nothing
 * finds its like is refused. Forced, it is held against the base's group of the same quantity, and
 * every row of it says so; a latency and a benchmark are in one table never.
 */
#include "comparison-internal.h"

#include <errno.h>
#include <string.h>

static void gate_stage_free(gpointer data)
{
	struct comparison_stage *s = data;

	for (unsigned i = 0; i < COMPARISON_SIDES_MAX; i++)
		comparison_place_free(s->place[i]);
	g_free(s->name);
	g_free(s);
}

void comparison_group_free(struct comparison_group *g)
{
	json_decref(g->method);
	g_ptr_array_unref(g->columns);
	g_ptr_array_unref(g->stages);
	for (unsigned i = 0; i < COMPARISON_SIDES_MAX; i++) {
		json_decref(g->methods[i]);
		g_free(g->forced[i]);
	}
	g_free(g);
}

static bool gate_is_overhead(const json_t *method)
{
	return strcmp(comparison_quantity(method), "overhead") == 0;
}

struct comparison_group *comparison_group_of(struct comparison *c, const struct result *r)
{
	struct comparison_group *g;

	for (guint i = 0; i < c->groups->len; i++) {
		g_autofree char *differs = NULL;

		g = c->groups->pdata[i];
		differs = comparison_method_differs(g->method, r->method);
		if (!differs)
			return g;
	}
	g = g_new0(struct comparison_group, 1);
	g->method = json_incref(r->method);
	g->columns = gate_is_overhead(r->method) ? comparison_columns_value()
						 : comparison_columns_latency();
	g->stages = g_ptr_array_new_with_free_func(gate_stage_free);
	g_ptr_array_add(c->groups, g);
	return g;
}

struct comparison_stage *comparison_group_stage(struct comparison_group *g, const char *name)
{
	struct comparison_stage *s;

	for (guint i = 0; i < g->stages->len; i++) {
		s = g->stages->pdata[i];
		if (strcmp(s->name, name) == 0)
			return s;
	}
	s = g_new0(struct comparison_stage, 1);
	s->name = g_strdup(name);
	g_ptr_array_add(g->stages, s);
	return s;
}

static bool gate_has_both(const struct comparison_group *g, unsigned a, unsigned b)
{
	return g->sessions[a] && g->sessions[b];
}

static struct comparison_group *gate_common(const struct comparison *c, unsigned side)
{
	for (guint i = 0; i < c->groups->len; i++)
		if (gate_has_both(c->groups->pdata[i], c->base, side))
			return c->groups->pdata[i];
	return NULL;
}

/* The side's first group of the same quantity as one of the base's, and that one. */
static bool gate_alike(const struct comparison *c, unsigned side,
		       struct comparison_group **ret_base, struct comparison_group **ret_side)
{
	for (guint i = 0; i < c->groups->len; i++)
		for (guint k = 0; k < c->groups->len; k++) {
			struct comparison_group *a = c->groups->pdata[i], *b = c->groups->pdata[k];

			if (!a->sessions[c->base] || !b->sessions[side] ||
			    strcmp(comparison_quantity(a->method),
				   comparison_quantity(b->method)) != 0)
				continue;
			*ret_base = a;
			*ret_side = b;
			return true;
		}
	return false;
}

/* Anything of @side, for a sentence. */
static const struct comparison_group *gate_any(const struct comparison *c, unsigned side)
{
	const struct comparison_group *g = NULL;

	for (guint i = 0; !g && i < c->groups->len; i++)
		if (((struct comparison_group *)c->groups->pdata[i])->sessions[side])
			g = c->groups->pdata[i];
	return g;
}

/* The places of @side in @from come to @to, which has none of it. */
static void gate_move(struct comparison_group *from, struct comparison_group *to, unsigned side)
{
	for (guint i = 0; i < from->stages->len; i++) {
		struct comparison_stage *s = from->stages->pdata[i];

		if (s->place[side])
			comparison_group_stage(to, s->name)->place[side] =
				g_steal_pointer(&s->place[side]);
	}
	to->sessions[side] = from->sessions[side];
	from->sessions[side] = 0;
	to->methods[side] = g_steal_pointer(&from->methods[side]);
}

static int gate_refuse(const struct comparison *c, unsigned side, const char *differs, bool may,
		       char **ret_message)
{
	*ret_message = g_strdup_printf("\"%s\" and \"%s\" were measured in different ways: %s. %s",
				       comparison_side(c, c->base)->name,
				       comparison_side(c, side)->name, differs,
				       may ? "To see them side by side all the same, force it."
					   : "These are in one table never.");
	return -EXDEV;
}

static int gate_side(struct comparison *c, unsigned side, char **ret_message)
{
	struct comparison_group *a, *b;
	g_autofree char *differs = NULL;

	if (gate_common(c, side))
		return 0;
	if (!gate_alike(c, side, &a, &b)) {
		differs = comparison_method_differs(gate_any(c, c->base)->method,
						    gate_any(c, side)->method);
		return gate_refuse(c, side, differs, false, ret_message);
	}
	differs = comparison_method_differs(a->method, b->method);
	if (!c->options.force)
		return gate_refuse(c, side, differs, true, ret_message);
	gate_move(b, a, side);
	a->forced[side] = g_steal_pointer(&differs);
	c->forced = true;
	return 0;
}

static bool gate_common_stage(const struct comparison *c, unsigned side)
{
	for (guint i = 0; i < c->groups->len; i++) {
		const struct comparison_group *g = c->groups->pdata[i];

		for (guint k = 0; k < g->stages->len; k++) {
			const struct comparison_stage *s = g->stages->pdata[k];

			if (s->place[c->base] && s->place[side])
				return true;
		}
	}
	return false;
}

static char *gate_stage_names(const struct comparison *c, unsigned side)
{
	g_autoptr(GString) names = g_string_new(NULL);

	for (guint i = 0; i < c->groups->len; i++) {
		const struct comparison_group *g = c->groups->pdata[i];

		for (guint k = 0; k < g->stages->len; k++) {
			const struct comparison_stage *s = g->stages->pdata[k];

			if (s->place[side])
				g_string_append_printf(names, "%s%s", names->len ? ", " : "",
						       s->name);
		}
	}
	return g_strdup(names->str);
}

static int gate_stages(struct comparison *c, unsigned side, char **ret_message)
{
	g_autofree char *a = NULL, *b = NULL;
	struct comparison_group *g = gate_common(c, side);

	if (gate_common_stage(c, side))
		return 0;
	a = gate_stage_names(c, c->base);
	b = gate_stage_names(c, side);
	if (c->options.force && g) {
		g_free(g->forced[side]);
		g->forced[side] = g_strdup_printf("no stage in common: %s and %s", a, b);
		c->forced = true;
		return 0;
	}
	*ret_message = g_strdup_printf(
		"\"%s\" and \"%s\" have no stage in common: the first has %s; the second %s.",
		comparison_side(c, c->base)->name, comparison_side(c, side)->name, a, b);
	return -EXDEV;
}

static void gate_show(struct comparison *c)
{
	for (guint i = 0; i < c->groups->len; i++) {
		struct comparison_group *g = c->groups->pdata[i];

		for (unsigned side = 0; side < c->sides->len; side++)
			g->shown = g->shown || (side != c->base && gate_has_both(g, c->base, side));
	}
}

/* Latencies first, benchmarks last. */
static gint gate_order(gconstpointer a, gconstpointer b)
{
	static const char *const order[] = { "latency", "noise", "overhead" };
	int rank[2];

	for (int i = 0; i < 2; i++) {
		const struct comparison_group *g = *(struct comparison_group *const *)(i ? b : a);

		rank[i] = 0;
		while (rank[i] < (int)G_N_ELEMENTS(order) &&
		       strcmp(order[rank[i]], comparison_quantity(g->method)) != 0)
			rank[i]++;
	}
	return rank[0] - rank[1];
}

int comparison_gate(struct comparison *c, char **ret_message)
{
	int r = 0;

	for (unsigned side = 0; r == 0 && side < c->sides->len; side++)
		if (side != c->base)
			r = gate_side(c, side, ret_message);
	for (unsigned side = 0; r == 0 && side < c->sides->len; side++)
		if (side != c->base)
			r = gate_stages(c, side, ret_message);
	if (r == 0)
		gate_show(c);
	g_ptr_array_sort(c->groups, gate_order); /* stable */
	return r;
}
