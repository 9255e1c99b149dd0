/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * First what the numbers are of and what weakens them, then the tables of 2005, then the
 * differences: a table of percent at the top would be all that is read.
 */
#include "comparison-sheet.h"

#include "cell.h"
#include "comparison-cell.h"

#include <string.h>

#define SHEET_TITLES   3 /* sides that are named in one warning */
#define SHEET_IDS      3 /* sessions of a side that are named */
#define SHEET_EXCEEDED 8 /* figures that grew by more, the worst first */

/* --- head --- */

char *comparison_titles(const struct comparison *c, unsigned most)
{
	g_autoptr(GString) out = g_string_new(NULL);
	guint n = c->sides->len;

	for (guint i = 0; i < MIN(n, most); i++)
		g_string_append_printf(out, "%s%s", i ? ", " : "", comparison_side(c, i)->title);
	if (n > most)
		g_string_append_printf(out, " and %u more", n - most);
	return g_strdup(out->str);
}

static void sheet_side(struct comparison_sheet *s, const struct comparison *c, unsigned i)
{
	const struct comparison_side *side = comparison_side(c, i);
	const struct comparison_session *first = side->sessions->pdata[0];
	g_autoptr(GString) out = g_string_new(side->title);
	guint n = side->sessions->len;

	g_string_append_printf(out, ": %u session%s of plan %s (", n, n == 1 ? "" : "s",
			       first->plan);
	for (guint k = 0; k < MIN(n, SHEET_IDS); k++)
		g_string_append_printf(out, "%s%s", k ? ", " : "",
				       ((struct comparison_session *)side->sessions->pdata[k])->id);
	if (n > SHEET_IDS)
		g_string_append_printf(out, " and %u more", n - SHEET_IDS);
	g_string_append_c(out, ')');
	if (*first->kernel && strcmp(first->kernel, side->title) != 0)
		g_string_append_printf(out, ", kernel %s", first->kernel);
	if (*first->label && strcmp(first->label, side->title) != 0)
		g_string_append_printf(out, ", label \"%s\"", first->label);
	s->field(s, i == c->base ? "base" : "against it", out->str);
}

static bool sheet_same_note(const struct comparison_note *a, const struct comparison_note *b)
{
	return strcmp(a->id, b->id) == 0 && strcmp(a->text, b->text) == 0;
}

char *comparison_note_text(const struct comparison *c, guint at)
{
	const struct comparison_note *n = c->notes->pdata[at];
	g_autoptr(GString) out = g_string_new(NULL);
	unsigned sides = 0;

	for (guint i = 0; i < at; i++)
		if (sheet_same_note(c->notes->pdata[i], n))
			return NULL;
	if (n->side < 0 || (c->sides->len == 2 && n->side != (int)c->base))
		return g_strdup(n->text);
	for (guint i = at; i < c->notes->len; i++) {
		const struct comparison_note *other = c->notes->pdata[i];

		if (sheet_same_note(other, n) && ++sides <= SHEET_TITLES)
			g_string_append_printf(out, "%s%s", sides > 1 ? ", " : "",
					       comparison_side(c, (unsigned)other->side)->title);
	}
	if (sides > SHEET_TITLES)
		g_string_append_printf(out, " and %u more", sides - SHEET_TITLES);
	g_string_append_printf(out, ": %s", n->text);
	return g_strdup(out->str);
}

static void sheet_warnings(struct comparison_sheet *s, const struct comparison *c)
{
	for (guint i = 0; i < c->notes->len; i++) {
		const struct comparison_note *n = c->notes->pdata[i];
		g_autofree char *text = comparison_note_text(c, i);

		if (text)
			s->item(s, strcmp(n->id, "forced") == 0 ? PAGE_BAD : PAGE_DOUBT,
				"warning: ", text);
	}
}

static void sheet_verdict(struct comparison_sheet *s, const struct comparison *c)
{
	g_autofree char *bound = g_strdup_printf("%.15g", c->options.fail_above);
	g_autofree char *text = NULL;

	if (c->verdict == VERDICT_NONE)
		return;
	g_strdelimit(bound, ",", '.'); /* a locale's */
	if (c->forced)
		text = g_strdup("inconclusive: what was measured in different ways was compared");
	else
		text = g_strdup_printf(
			"%s: averages, percentiles and times of benchmarks may grow by %s %%, and "
			"fail when they surely grew by more; not judged: max, min, stddev",
			verdict_to_string(c->verdict), bound);
	s->field(s, "verdict", text);
	for (guint i = 0; i < MIN(c->exceeded->len, SHEET_EXCEEDED); i++)
		s->item(s, PAGE_DOUBT, "grew by more: ", c->exceeded->pdata[i]);
	if (c->exceeded->len > SHEET_EXCEEDED) {
		g_autofree char *more =
			g_strdup_printf("%u more, which format json lists as \"exceeded\"",
					c->exceeded->len - SHEET_EXCEEDED);

		s->item(s, PAGE_DOUBT, "grew by more: ", more);
	}
}

/* --- tables --- */

static void sheet_row_end(struct comparison_grid *t, const struct comparison_group *g,
			  unsigned side, bool forced)
{
	if (forced)
		comparison_grid_cell(t, g_strdup(comparison_row_warning(g, side) ?: ""));
}

static bool sheet_is_forced(const struct comparison *c, const struct comparison_group *g)
{
	for (unsigned side = 0; side < c->sides->len; side++)
		if (g->forced[side])
			return true;
	return false;
}

/* Kernels downwards, under each its loads; across columns @from to @to. */
static void sheet_figures(struct comparison_sheet *s, const struct comparison *c,
			  const struct comparison_group *g, const char *caption, unsigned from,
			  unsigned to)
{
	struct comparison_grid *t = comparison_grid_new(2);
	bool forced = sheet_is_forced(c, g), any = false;

	comparison_grid_column(t, g_strdup(c->titled_by));
	comparison_grid_column(t, g_strdup("load"));
	for (unsigned i = from; i < to; i++)
		if (comparison_column_used(c, g, i))
			comparison_grid_column(t, g_strdup(comparison_column(g, i)->title));
	if (forced)
		comparison_grid_column(t, g_strdup("warning"));
	for (unsigned side = 0; side < c->sides->len; side++)
		for (guint k = 0; k < g->stages->len; k++) {
			const struct comparison_stage *st = g->stages->pdata[k];

			if (!st->place[side])
				continue;
			comparison_grid_row(t, PAGE_PLAIN);
			comparison_grid_cell(t, g_strdup(comparison_side(c, side)->title));
			comparison_grid_cell(t, cell_text(st->name));
			for (unsigned i = from; i < to; i++)
				if (comparison_column_used(c, g, i))
					comparison_grid_cell(
						t, comparison_figure_text(g, st->place[side], i));
			sheet_row_end(t, g, side, forced);
		}
	for (unsigned i = from; i < to; i++)
		any = any || comparison_column_used(c, g, i);
	if (any)
		s->grid(s, caption, t);
	comparison_grid_free(t);
}

static const char *sheet_basis(enum comparison_basis basis)
{
	switch (basis) {
	case COMPARISON_SESSIONS:
		return "with 95 % intervals over sessions; ~: no difference shown";
	case COMPARISON_RUN:
		return "with 95 % intervals of this run only";
	case COMPARISON_NONE:
		break;
	}
	return "without intervals, which take 3 sessions on both sides";
}

static bool sheet_printed(const struct comparison *c, const struct comparison_group *g,
			  unsigned side)
{
	for (guint k = 0; k < g->stages->len; k++) {
		const struct comparison_stage *st = g->stages->pdata[k];

		if (st->place[c->base] && st->place[side])
			return st->place[c->base]->printed && st->place[side]->printed &&
			       comparison_basis(g, c->base, side) == COMPARISON_RUN;
	}
	return false;
}

static char *sheet_difference_caption(const struct comparison *c, const struct comparison_group *g,
				      unsigned side)
{
	const char *basis =
		sheet_printed(c, g, side)
			? "from printed tables, of which nobody knows how sure they are; ~: less "
			  "than 0.5 %"
			: sheet_basis(comparison_basis(g, c->base, side));

	return g_strdup_printf(
		"%s against %s, difference in percent, %s:", comparison_side(c, side)->title,
		comparison_side(c, c->base)->title, basis);
}

static bool sheet_has_difference(const struct comparison_group *g, unsigned side, unsigned column)
{
	for (guint k = 0; k < g->stages->len; k++) {
		const struct comparison_stage *st = g->stages->pdata[k];
		g_autofree char *text = comparison_difference_text(g, st->place[side], column);

		if (text)
			return true;
	}
	return false;
}

static void sheet_differences(struct comparison_sheet *s, const struct comparison *c,
			      const struct comparison_group *g, unsigned side)
{
	g_autofree char *caption = sheet_difference_caption(c, g, side);
	struct comparison_grid *t = comparison_grid_new(1);
	bool any = false;

	comparison_grid_column(t, g_strdup("load"));
	for (unsigned i = 0; i < g->columns->len; i++)
		if (sheet_has_difference(g, side, i))
			comparison_grid_column(t, g_strdup(comparison_column(g, i)->title));
	if (g->forced[side])
		comparison_grid_column(t, g_strdup("warning"));
	for (guint k = 0; k < g->stages->len; k++) {
		const struct comparison_stage *st = g->stages->pdata[k];

		if (!st->place[side] || !st->place[side]->differences)
			continue;
		any = true;
		comparison_grid_row(t, PAGE_PLAIN);
		comparison_grid_cell(t, cell_text(st->name));
		for (unsigned i = 0; i < g->columns->len; i++)
			if (sheet_has_difference(g, side, i))
				comparison_grid_cell(
					t, comparison_difference_text(g, st->place[side], i));
		sheet_row_end(t, g, side, g->forced[side] != NULL);
	}
	if (any)
		s->grid(s, caption, t);
	comparison_grid_free(t);
}

static unsigned sheet_find(const struct comparison_group *g, const char *key)
{
	unsigned i = 0;

	while (i < g->columns->len && strcmp(comparison_column(g, i)->key, key) != 0)
		i++;
	return i;
}

static void sheet_latency(struct comparison_sheet *s, const struct comparison *c,
			  const struct comparison_group *g)
{
	unsigned first = sheet_find(g, "p50_ns"), counts = sheet_find(g, "count");

	sheet_figures(s, c, g, "Average, maximum, minimum and standard deviation in us:", 0, first);
	sheet_figures(s, c, g, "Percentiles in us:", first, counts);
	sheet_figures(s, c, g, "Number of samples, of missed periods and of lost answers:", counts,
		      g->columns->len);
	for (unsigned side = 0; side < c->sides->len; side++)
		if (side != c->base && g->sessions[side])
			sheet_differences(s, c, g, side);
}

/* As LMbench's results were printed: what was timed downwards, kernels across, each with percent.
 */
static void sheet_benchmark(struct comparison_sheet *s, const struct comparison *c,
			    const struct comparison_group *g, const struct comparison_stage *st)
{
	g_autofree char *load = cell_text(st->name), *caption = NULL;
	struct comparison_grid *t = comparison_grid_new(1);
	bool forced = sheet_is_forced(c, g);

	comparison_grid_column(t, g_strdup("measure"));
	for (unsigned side = 0; side < c->sides->len; side++) {
		if (!st->place[side])
			continue;
		comparison_grid_column(t, g_strdup(comparison_side(c, side)->title));
		if (side != c->base)
			comparison_grid_column(t, g_strdup("%"));
	}
	if (forced)
		comparison_grid_column(t, g_strdup("warning"));
	for (unsigned i = 0; i < g->columns->len; i++) {
		const struct comparison_column *column = comparison_column(g, i);
		g_autofree char *name = g_strdup_printf("%s, %s", column->title, column->unit);

		comparison_grid_row(t, PAGE_PLAIN);
		comparison_grid_cell(t, cell_text(name));
		for (unsigned side = 0; side < c->sides->len; side++) {
			const struct comparison_place *p = st->place[side];

			if (!p)
				continue;
			comparison_grid_cell(t, comparison_figure_text(g, p, i));
			if (side != c->base)
				comparison_grid_cell(t, comparison_difference_text(g, p, i));
		}
		if (forced)
			comparison_grid_cell(t, g_strdup("not comparable"));
	}
	caption = g_strdup_printf("Times under load %s, and difference to %s in percent:", load,
				  comparison_side(c, c->base)->title);
	s->grid(s, caption, t);
	comparison_grid_free(t);
}

static void sheet_overhead(struct comparison_sheet *s, const struct comparison *c,
			   const struct comparison_group *g)
{
	bool printed = false;

	for (guint k = 0; k < g->stages->len; k++)
		sheet_benchmark(s, c, g, g->stages->pdata[k]);
	for (unsigned side = 0; side < c->sides->len; side++)
		printed = printed || (side != c->base && sheet_printed(c, g, side));
	if (printed)
		s->text(s, "From printed tables, of which nobody knows how sure they are; ~: less "
			   "than 0.5 %.");
}

static void sheet_intervals(struct comparison_sheet *s, const struct comparison_group *g)
{
	g_autofree char *text = NULL;

	if (g->intervals == 0)
		text = g_strdup("No interval of 95 % is in these tables.");
	else
		text = g_strdup_printf("%u interval%s of 95 %% %s in these tables: where nothing "
				       "differs, one of twenty leaves out 0 by chance.",
				       g->intervals, g->intervals == 1 ? "" : "s",
				       g->intervals == 1 ? "is" : "are");
	s->text(s, text);
}

static bool sheet_over_sessions(const struct comparison *c, const struct comparison_group *g)
{
	for (unsigned side = 0; side < c->sides->len; side++)
		if (g->sessions[side] > 1)
			return true;
	return false;
}

void comparison_sheet_write(struct comparison_sheet *s, const struct comparison *c)
{
	sheet_verdict(s, c);
	for (unsigned i = 0; i < c->sides->len; i++)
		sheet_side(s, c, i);
	sheet_warnings(s, c);
	for (guint i = 0; i < c->groups->len; i++) {
		const struct comparison_group *g = c->groups->pdata[i];
		g_autofree char *title = comparison_group_title(g);

		if (!g->shown)
			continue;
		s->heading(s, title);
		if (strcmp(comparison_quantity(g->method), "overhead") == 0)
			sheet_overhead(s, c, g);
		else
			sheet_latency(s, c, g);
		if (sheet_over_sessions(c, g))
			s->text(s, "Of several sessions: the median, and in parentheses the range; "
				   "of max the largest. A difference with an interval is that of "
				   "the sessions' means on a logarithmic scale.");
		sheet_intervals(s, g);
		if (s->pictures)
			s->pictures(s, c, g, i);
	}
}
