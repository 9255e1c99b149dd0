/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fail_above judged with care. A figure fails only when its growth is shown: when its whole
 * interval lies above the bound. When it grew by more but not surely, nobody knows, and the verdict
 * is inconclusive, as it is where there is no interval to be had; only what another program
 * measured, of which there can never be one, is taken at its word. Maximum, minimum and deviation
 * are not judged: of equal systems one has a maximum 10 % larger in one of three runs, and no
 * interval can tell. Those that grew by more are named, so that none goes unseen.
 */
#include "comparison-internal.h"

#include "cell.h"
#include "value.h"

#include <string.h>

enum judged { JUDGED_FAILS, JUDGED_UNSURE, JUDGED_NOT, _JUDGED_MAX };

static const char *const judged_words[] = {
	[JUDGED_FAILS] = "fails",
	[JUDGED_UNSURE] = "not sure",
	[JUDGED_NOT] = "not judged",
};

struct judging {
	struct comparison *c;
	unsigned judged, failed, doubtful;
	GPtrArray *said[_JUDGED_MAX]; /* of char: what grew by more */
};

static void judge_say(struct judging *j, const struct comparison_group *g,
		      const struct comparison_stage *s, unsigned side, unsigned column,
		      enum judged what)
{
	const struct comparison_column *c = comparison_column(g, column);
	const struct comparison_difference *d = comparison_difference_at(s->place[side], column);
	g_autofree char *percent = comparison_percent_text(d->percent, c->percent_decimals);
	g_autofree char *low = comparison_percent_text(d->low, c->percent_decimals);
	g_autofree char *high = comparison_percent_text(d->high, c->percent_decimals);
	g_autofree char *title = cell_text(comparison_side(j->c, side)->title);
	g_autofree char *load = cell_text(s->name), *name = cell_text(c->title);
	g_autofree char *interval =
		d->interval ? g_strdup_printf(" (%s to %s)", low, high) : g_strdup("");

	g_ptr_array_add(j->said[what], g_strdup_printf("%s, %s: %s %s %%%s: %s", title, load, name,
						       percent, interval, judged_words[what]));
}

static bool judge_foreign(const struct comparison_group *g)
{
	return value_get_string(g->method, "source") != NULL;
}

static void judge_cell(struct judging *j, const struct comparison_group *g,
		       const struct comparison_stage *s, unsigned side, unsigned column)
{
	const struct comparison_difference *d = comparison_difference_at(s->place[side], column);
	double bound = j->c->options.fail_above;

	if (!d->known)
		return;
	if (!comparison_column(g, column)->judged) {
		if (d->exact > bound)
			judge_say(j, g, s, side, column, JUDGED_NOT);
		return;
	}
	j->judged++;
	if (d->exact <= bound)
		return;
	if (d->interval ? d->surest > bound : judge_foreign(g)) {
		j->failed++;
		judge_say(j, g, s, side, column, JUDGED_FAILS);
	} else {
		j->doubtful++;
		judge_say(j, g, s, side, column, JUDGED_UNSURE);
	}
}

static void judge_stage(struct judging *j, const struct comparison_group *g,
			const struct comparison_stage *s)
{
	for (unsigned side = 0; side < j->c->sides->len; side++) {
		const struct comparison_place *p = s->place[side];

		if (!p || (!p->differences && side != j->c->base))
			continue;
		j->doubtful += p->doubt != NULL;
		for (unsigned i = 0; p->differences && i < g->columns->len; i++)
			judge_cell(j, g, s, side, i);
	}
}

void comparison_judge(struct comparison *c)
{
	struct judging j = { .c = c };

	c->verdict = c->forced ? VERDICT_INCONCLUSIVE : VERDICT_NONE;
	if (!(c->options.fail_above > 0))
		return;
	for (int i = 0; i < _JUDGED_MAX; i++)
		j.said[i] = g_ptr_array_new();
	for (guint i = 0; i < c->groups->len; i++) {
		const struct comparison_group *g = c->groups->pdata[i];

		for (guint k = 0; g->shown && k < g->stages->len; k++)
			judge_stage(&j, g, g->stages->pdata[k]);
	}
	for (int i = 0; i < _JUDGED_MAX; i++) /* the worst first */
		g_ptr_array_extend_and_steal(c->exceeded, j.said[i]);
	if (c->forced)
		return;
	if (j.failed)
		c->verdict = VERDICT_FAIL;
	else
		c->verdict = j.doubtful || j.judged == 0 ? VERDICT_INCONCLUSIVE : VERDICT_PASS;
}
