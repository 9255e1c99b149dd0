/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a reader asks first comes first: is it good (heading, reasons, limits), what are the figures
 * (the columns of 2005, per CPU), what are they worth, how does the distribution look, when was the
 * worst, and did the load do anything.
 */
#include "text-stage.h"

#include "bars.h"
#include "cases.h"
#include "cell.h"
#include "duration.h"
#include "pagehtml.h"
#include "portfacts.h"
#include "table.h"
#include "text-effect.h"
#include "text-head.h"
#include "text-peer.h"
#include "text-tail.h"
#include "text-worst.h"
#include "text-worth.h"

#include <inttypes.h>
#include <string.h>

static char *text_stage_load(const struct result_stage *s)
{
	g_autofree char *load = cell_text(s->load);

	if (g_str_equal(load, "none"))
		return g_strdup("No load");
	return g_strconcat("Load ", load, s->peer ? " on the peer" : "", NULL);
}

static void text_stage_heading(struct page *p, const struct result_stage *s, guint number,
			       guint total)
{
	g_autofree char *name = cell_text(s->name), *load = text_stage_load(s);
	g_autofree char *again = g_strdup_printf(", repeat %u", s->repeat);
	g_autofree char *title = g_strdup_printf("Stage %u of %u: %s%s", number, total, name,
						 s->repeat > 1 ? again : "");
	g_autofree char *took = cell_duration(s->duration_ns);
	g_autofree char *planned = cell_duration(s->planned_ns);
	g_autofree char *when = s->started_usec ? cell_time(s->started_usec, false) : NULL;
	const char *verdict =
		s->verdict == VERDICT_NONE ? "no limits" : verdict_to_string(s->verdict);

	page_blank(p);
	page_heading(p, title, text_verdict_style(s->verdict), verdict);
	if (!when)
		page_text(p, 0, "%s. The measuring never began.", load);
	else if (s->planned_ns > s->duration_ns + s->duration_ns / 100)
		page_text(p, 0, "%s, measured %s of %s from %s.", load, took, planned, when);
	else
		page_text(p, 0, "%s, measured %s from %s.", load, took, when);
}

static void text_stage_reasons(struct page *p, const struct result_stage *s)
{
	for (guint i = 0; i < s->findings->len; i++) {
		const struct finding *f = s->findings->pdata[i];
		g_autofree char *text = cell_text(f->text);

		if (f->kind->weight == FINDING_INCONCLUSIVE)
			page_item(p, PAGE_BAD, "Inconclusive: ", 4, text);
	}
}

/* How it was measured, where the kernel module did it. */
static void text_stage_port(struct page *p, const struct result_stage *s)
{
	g_auto(GStrv) lines = portfacts_lines(s->port);

	for (char **line = lines; *line; line++) {
		g_autofree char *clean = cell_text(*line);

		page_item(p, PAGE_PLAIN, "", 2, clean);
	}
}

static bool text_stage_breaks(const struct result_stage *s, int cpu)
{
	for (guint i = 0; i < s->limits->len; i++) {
		const struct result_limit *l = &g_array_index(s->limits, struct result_limit, i);

		if (l->outcome == LIMIT_BROKEN && l->cpu == cpu)
			return true;
	}
	return false;
}

static void text_figures_row(struct table *t, const struct figures *f, int decimals)
{
	table_cell(t, cell_samples(f));
	table_cell(t, cell_mean_us(f, decimals));
	table_cell(t, cell_max_us(f, decimals));
	table_cell(t, cell_min_us(f, decimals));
	table_cell(t, cell_stddev_us(f, decimals));
	table_cell(t, f->has_grid ? cell_count(f->missed) : NULL);
	table_cell(t, cell_count(f->lost));
	table_cell(t, cell_count(f->migrated));
}

static void text_figures(struct page *p, const struct result_stage *s, const struct figures *all)
{
	static const char *const titles[] = { "CPU",	"samples", "average", "maximum", "minimum",
					      "stddev", "missed",  "lost",    "migrated" };
	struct table *t = table_new();
	int decimals = cell_decimals(all);

	for (size_t i = 0; i < G_N_ELEMENTS(titles); i++)
		table_column(t, titles[i], true);
	for (guint i = 0; i < s->cpus->len; i++) {
		const struct result_cpu *c = s->cpus->pdata[i];

		table_row(t, text_stage_breaks(s, c->cpu) ? PAGE_BAD : PAGE_PLAIN);
		table_cell(t, g_strdup_printf("%d", c->cpu));
		text_figures_row(t, c->figures, decimals);
	}
	table_row(t, PAGE_BOLD);
	table_cell(t, g_strdup("all"));
	text_figures_row(t, all, decimals);
	page_blank(p);
	page_text(p, 0, "Time in microseconds:");
	table_print(t, p);
	table_free(t);
}

/* How sure they are, below the sampled ones. */
static void text_percentile_intervals(struct table *t, const struct result_stage *s, int decimals)
{
	for (int to = 0; to <= 1; to++) {
		table_row(t, PAGE_FAINT);
		table_cell(t, g_strdup(to ? "95 % to" : "95 % from"));
		for (const struct figures_percentile *q = figures_percentiles; q->name; q++)
			table_cell(t, text_worth_percentile(s, q->name, to, decimals));
	}
}

static bool text_percentiles_sure(const struct result_stage *s)
{
	g_autofree char *median = text_worth_percentile(s, figures_percentiles->name, false, 0);

	return median;
}

static void text_percentiles(struct page *p, const struct result_stage *s, const struct figures *f)
{
	struct table *t = table_new();
	int decimals = cell_decimals(f);

	table_column(t, "percentile", false);
	for (const struct figures_percentile *q = figures_percentiles; q->name; q++)
		table_column(t, q->name, true);
	for (int corrected = 0; corrected <= (f->has_grid ? 1 : 0); corrected++) {
		table_row(t, PAGE_PLAIN);
		table_cell(t, g_strdup(corrected ? "corrected" : "sampled"));
		for (const struct figures_percentile *q = figures_percentiles; q->name; q++)
			table_cell(t, cell_percentile_us(f, q->ppm, corrected, decimals));
		if (!corrected && text_percentiles_sure(s))
			text_percentile_intervals(t, s, decimals);
	}
	page_blank(p);
	table_print(t, p);
	if (f->has_grid && f->missed) {
		g_autofree char *mean = cell_corrected_mean_us(f, decimals);

		page_text(p, 2,
			  "corrected: with what the %" PRIu64 " missed periods would have seen; "
			  "average %s.",
			  f->missed, mean ? mean : "-");
	}
	table_free(t);
}

/* With what its baseline came to, which is not in its words. */
static char *text_limit_text(const struct limit *l)
{
	g_autofree char *bound = duration_format(l->bound), *text = cell_text(l->text);

	if (!l->baseline)
		return g_steal_pointer(&text);
	return g_strdup_printf("%s (%s)", text, l->unbound ? "not known" : bound);
}

static void text_limits(struct page *p, const struct result_stage *s)
{
	static const char *const outcomes[] = {
		[LIMIT_KEPT] = "kept", [LIMIT_BROKEN] = "BROKEN", [LIMIT_UNKNOWN] = "unknown"
	};
	static const enum page_style styles[] = {
		[LIMIT_KEPT] = PAGE_GOOD, [LIMIT_BROKEN] = PAGE_BAD, [LIMIT_UNKNOWN] = PAGE_DOUBT
	};
	struct table *t;

	if (s->limits->len == 0)
		return;
	t = table_new();
	table_column(t, "limit", false);
	table_column(t, "outcome", false);
	table_column(t, "value", false);
	for (guint i = 0; i < s->limits->len; i++) {
		const struct result_limit *l = &g_array_index(s->limits, struct result_limit, i);

		table_row(t, styles[l->outcome]);
		table_cell(t, text_limit_text(&l->limit));
		table_cell(t, g_strdup(outcomes[l->outcome]));
		table_cell(t, cases_limit_value(l));
	}
	page_blank(p);
	table_print(t, p);
	table_free(t);
}

/* What another program counted without saying how long it took. */
static void text_unplaced(struct page *p, const struct figures *f)
{
	g_autofree char *from = cell_duration(f->unplaced_from_ns);

	if (f->unplaced == 0)
		return;
	if (f->unplaced_from_ns)
		page_text(p, 0,
			  "Of %" PRIu64 " samples the source says only that they took %s or more: "
			  "they were above its range.",
			  f->unplaced, from);
	else
		page_text(p, 0,
			  "Of %" PRIu64 " samples the source says no more than is shown here: it "
			  "has no histogram of them.",
			  f->unplaced);
}

/* What happened and is not a sample. */
static void text_beside(struct page *p, const struct figures *f)
{
	text_unplaced(p, f);
	if (f->within_bound_ns && figures_count(f)) {
		g_autofree char *bound = duration_format(f->within_bound_ns);
		g_autofree char *share = cell_percent(f->within, figures_count(f));

		page_text(p, 0, "Within %s: %s of the samples.", bound, share);
	}
	if (f->nominal_ns) {
		g_autofree char *nominal = cell_duration(f->nominal_ns);

		page_text(p, 0, "An undisturbed pass takes %s; passes faster than it: %" PRIu64 ".",
			  nominal, f->early);
	}
	if (f->pending_ns) {
		g_autofree char *pending = cell_duration(f->pending_ns);

		page_text(p, 0, "Still overdue when the measuring ended: a wake-up, by %s or more.",
			  pending);
	}
	if (f->late)
		page_text(p, 0, "Late answers, not counted as samples: %" PRIu64 ".", f->late);
	if (f->overrun)
		page_text(p, 0, "Runtime used up (overruns): %" PRIu64 ".", f->overrun);
	if (f->warmup) {
		g_autofree char *max = cell_duration(f->warmup_max_ns);

		page_text(p, 0, "Warm-up, not counted: %" PRIu64 " samples, the largest %s.",
			  f->warmup, max);
	}
}

void text_stage(struct page *p, const struct result_stage *s, guint number, guint total)
{
	g_autofree struct figures *all = result_stage_all(s);

	text_stage_heading(p, s, number, total);
	text_stage_reasons(p, s);
	text_stage_port(p, s);
	text_figures(p, s, all);
	text_percentiles(p, s, all);
	text_limits(p, s);
	text_worth(p, s, all);
	text_tail(p, s, cell_decimals(all));
	text_worth_both(p, s);
	text_beside(p, all);
	if (p->html) {
		pagehtml_pictures(p, s);
	} else if (figures_placed(all)) {
		page_blank(p);
		bars_print(all, p);
	}
	text_worst(p, s, cell_decimals(all));
	text_effect(p, s->metrics, "What the machine did meanwhile, second by second:");
	text_peer(p, s);
}
