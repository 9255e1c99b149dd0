/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Were both sides measured in the same way and under the same load? A kernel that lets a flood of
 * pings through faster gets more of it, and then pays for it with its latency; a maximum of ten
 * times as many samples is larger for that alone.
 */
#include "comparison-internal.h"

#include "cell.h"
#include "duration.h"

#include <math.h>
#include <string.h>

#define EFFECT_APART 1.1
#define COUNTS_APART 10.0

static bool effect_apart(double a, double b, double times)
{
	return MAX(a, b) > MIN(a, b) * times;
}

static void effect_compare(GString *out, const struct comparison_place *a,
			   const struct comparison_effect *e)
{
	for (guint i = 0; i < a->effects->len; i++) {
		const struct comparison_effect *other = a->effects->pdata[i];
		g_autofree char *text_a = NULL, *text_b = NULL, *name = cell_text(e->name);
		double mean_a, mean_b;

		if (strcmp(other->name, e->name) != 0 || strcmp(other->unit, e->unit) != 0 ||
		    other->n == 0 || e->n == 0)
			continue;
		mean_a = other->sum / other->n;
		mean_b = e->sum / e->n;
		if (!effect_apart(mean_a, mean_b, EFFECT_APART))
			continue;
		text_a = number_format(mean_a, mean_a < 100 ? 2 : 0);
		text_b = number_format(mean_b, mean_b < 100 ? 2 : 0);
		g_string_append_printf(out, "%s%s %s / %s %s", out->len ? "; " : "", name, text_a,
				       text_b, e->unit);
	}
}

static void effect_load(struct comparison *c, unsigned side, const struct comparison_stage *s)
{
	const struct comparison_place *a = s->place[c->base], *b = s->place[side];
	g_autoptr(GString) text = g_string_new(NULL);

	if (strcmp(a->load, b->load) != 0)
		comparison_note(c, "load", (int)side, "stage %s ran under another load: %s / %s.",
				s->name, a->load, b->load);
	for (guint i = 0; i < b->effects->len; i++)
		effect_compare(text, a, b->effects->pdata[i]);
	if (text->len)
		comparison_note(c, "load-effect", (int)side,
				"the load's effect is apart by more than 10 %% in stage %s: %s.",
				s->name, text->str);
}

static double effect_count(const struct comparison_group *g, const struct comparison_place *p)
{
	double low, high;

	for (unsigned i = 0; i < g->columns->len; i++)
		if (strcmp(comparison_column(g, i)->key, "count") == 0 &&
		    comparison_column(g, i)->kind == COMPARISON_COUNT)
			return comparison_place_value(p, g, i, &low, &high);
	return NAN;
}

static void effect_counts(struct comparison *c, unsigned side, const struct comparison_group *g,
			  const struct comparison_stage *s)
{
	double a = effect_count(g, s->place[c->base]), b = effect_count(g, s->place[side]);

	if (!isnan(a) && !isnan(b) && effect_apart(a, b, COUNTS_APART))
		comparison_note(c, "sample-counts", (int)side,
				"numbers of samples are apart by more than ten times in stage %s: "
				"%.0f / %.0f. The longer one has had more time for a maximum.",
				s->name, a, b);
}

static void effect_stage(struct comparison *c, unsigned side, const struct comparison_group *g,
			 const struct comparison_stage *s)
{
	const struct comparison_place *p = s->place[side];

	if (p && p->doubt)
		comparison_note(c, "doubtful", (int)side, "stage %s is inconclusive: %s", s->name,
				p->doubt);
	if (side == c->base || !g->sessions[side])
		return;
	if (!p != !s->place[c->base])
		comparison_note(c, "stage-missing", (int)side, "%s has no stage %s.",
				p ? "the base" : "it", s->name);
	if (!p || !s->place[c->base])
		return;
	effect_load(c, side, s);
	effect_counts(c, side, g, s);
}

void comparison_warn_stages(struct comparison *c, unsigned side)
{
	for (guint i = 0; i < c->groups->len; i++) {
		const struct comparison_group *g = c->groups->pdata[i];
		g_autofree char *differ =
			comparison_settings_differ(g->methods[c->base], g->methods[side]);

		if (!g->shown)
			continue;
		if (g->forced[side])
			comparison_note(c, "forced", (int)side, "not comparable: %s.",
					g->forced[side]);
		if (differ)
			comparison_note(c, "settings", (int)side,
					"measured with other settings: %s.", differ);
		for (guint k = 0; k < g->stages->len; k++)
			effect_stage(c, side, g, g->stages->pdata[k]);
	}
}
