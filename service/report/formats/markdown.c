/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The report for an issue tracker, in the Markdown that GitHub and GitLab share: what a reader of a
 * bug report needs, within the 64 KiB that such a comment may have. So of many CPUs the worst are
 * shown, and there is no histogram.
 */
#include "cases.h"
#include "cell.h"
#include "duration.h"
#include "markdowntext.h"
#include "notes.h"
#include "policy.h"
#include "quantity.h"
#include "report.h"
#include "stagename.h"
#include "value.h"

#include <inttypes.h>
#include <string.h>

#define MARKDOWN_CPUS 16 /* of a stage */

/* --- tables --- */

/* Opens one: the first @left columns are text, the others numbers. */
static void markdown_head(GString *out, const char *const *titles, size_t n, size_t left)
{
	g_string_append_c(out, '\n');
	for (size_t i = 0; i < n; i++)
		g_string_append_printf(out, "| %s ", titles[i]);
	g_string_append(out, "|\n");
	for (size_t i = 0; i < n; i++)
		g_string_append(out, i < left ? "| --- " : "| ---: ");
	g_string_append(out, "|\n");
}

static void markdown_cell_text(GString *out, const char *s)
{
	g_string_append(out, "| ");
	markdowntext_append(out, *s ? s : "-");
	g_string_append_c(out, ' ');
}

/* A number. Takes @s over; NULL: "-". */
static void markdown_cell(GString *out, char *s)
{
	g_string_append_printf(out, "| %s ", s ? s : "-");
	g_free(s);
}

static void markdown_end(GString *out)
{
	g_string_append(out, "|\n");
}

static const char *const markdown_titles[] = { "samples", "average", "maximum", "minimum",
					       "stddev",  "missed",  "lost" };

/* What stands under markdown_titles. */
static void markdown_figures(GString *out, const struct figures *f, int decimals)
{
	markdown_cell(out, cell_samples(f));
	markdown_cell(out, cell_mean_us(f, decimals));
	markdown_cell(out, cell_max_us(f, decimals));
	markdown_cell(out, cell_min_us(f, decimals));
	markdown_cell(out, cell_stddev_us(f, decimals));
	markdown_cell(out, f->has_grid ? cell_count(f->missed) : NULL);
	markdown_cell(out, cell_count(f->lost));
}

static void markdown_figures_head(GString *out, const char *const *left, size_t n_left)
{
	const char *titles[2 + G_N_ELEMENTS(markdown_titles)];

	memcpy(titles, left, n_left * sizeof(*titles));
	memcpy(titles + n_left, markdown_titles, sizeof(markdown_titles));
	markdown_head(out, titles, n_left + G_N_ELEMENTS(markdown_titles), n_left);
}

/* --- head --- */

static void markdown_field(GString *out, const char *name, const char *text)
{
	if (!text || !*text)
		return;
	g_string_append_printf(out, "| %s ", name);
	markdown_cell_text(out, text);
	markdown_end(out);
}

static void markdown_session(GString *out, const struct result *r)
{
	static const char *const titles[] = { "session", "" };
	static const char *const keys[] = { "kernel.release", "kernel.machine", "kernel.version" };
	const char *policy = policy_to_string(r->policy);
	g_autoptr(GString) kernel = g_string_new(NULL), method = g_string_new(r->instrument);
	g_autofree char *when = r->started_usec ? cell_time(r->started_usec, false) : NULL;

	for (size_t i = 0; i < G_N_ELEMENTS(keys); i++) {
		const char *s = value_get_string(r->conditions, keys[i]);

		if (s && *s)
			g_string_append_printf(kernel, "%s%s", kernel->len ? " " : "", s);
	}
	if (r->interval_ns) {
		g_autofree char *interval = duration_format(r->interval_ns);

		g_string_append_printf(method, " every %s", interval);
	}
	g_string_append_printf(method, ", policy %s", policy ? policy : "unknown");
	if (policy_is_realtime(r->policy))
		g_string_append_printf(method, " priority %d", r->priority);

	markdown_head(out, titles, 2, 2);
	markdown_field(out, "id", r->id);
	markdown_field(out, "label", r->label);
	markdown_field(out, "state", session_state_to_string(r->state));
	markdown_field(out, "reason", r->reason);
	markdown_field(out, "kernel", kernel->str);
	markdown_field(out, "method", method->str);
	markdown_field(out, "started", when);
}

static void markdown_notes(GString *out, const struct result *r)
{
	g_autoptr(GPtrArray) notes = notes_new(r);

	for (guint i = 0; i < notes->len; i++) {
		const struct note *n = notes->pdata[i];

		g_string_append_printf(out, "%s- **%s:** ", i ? "" : "\n",
				       n->inconclusive ? "Inconclusive" : "Warning");
		markdowntext_append(out, n->text);
		g_string_append_c(out, '\n');
	}
}

static void markdown_title(GString *out, const struct result *r)
{
	const char *verdict = verdict_to_string(r->verdict);

	g_string_append(out, "### Latency report: ");
	markdowntext_append(out, r->plan);
	if (*verdict)
		g_string_append_printf(out, ", verdict **%s**", verdict);
	g_string_append_c(out, '\n');
}

/* --- stages --- */

static void markdown_stages(GString *out, const struct result *r, char **names)
{
	static const char *const left[] = { "stage", "verdict" };

	g_string_append(out, "\nTime in microseconds, all CPUs together:\n");
	markdown_figures_head(out, left, 2);
	for (guint i = 0; i < r->stages->len; i++) {
		const struct result_stage *s = r->stages->pdata[i];
		g_autofree struct figures *all = result_stage_all(s);

		markdown_cell_text(out, names[i]);
		markdown_cell_text(out, verdict_to_string(s->verdict));
		markdown_figures(out, all, cell_decimals(all));
		markdown_end(out);
	}
}

static void markdown_percentiles(GString *out, const struct result *r, char **names)
{
	g_autoptr(GPtrArray) titles = g_ptr_array_new();

	g_ptr_array_add(titles, "percentile");
	for (const struct figures_percentile *p = figures_percentiles; p->name; p++)
		g_ptr_array_add(titles, (gpointer)p->name);
	markdown_head(out, (const char *const *)titles->pdata, titles->len, 1);
	for (guint i = 0; i < r->stages->len; i++) {
		g_autofree struct figures *all = result_stage_all(r->stages->pdata[i]);

		for (int corrected = 0; corrected <= (all->has_grid && all->missed); corrected++) {
			g_autofree char *name =
				g_strconcat(names[i], corrected ? ", corrected" : NULL, NULL);

			markdown_cell_text(out, name);
			for (const struct figures_percentile *p = figures_percentiles; p->name; p++)
				markdown_cell(out, cell_percentile_us(all, p->ppm, corrected,
								      cell_decimals(all)));
			markdown_end(out);
		}
	}
}

static void markdown_unplaced(GString *out, const struct result *r, char **names)
{
	for (guint i = 0; i < r->stages->len; i++) {
		g_autofree struct figures *all = result_stage_all(r->stages->pdata[i]);
		g_autofree char *from = cell_us(all->unplaced_from_ns, 3);

		if (all->unplaced == 0)
			continue;
		g_string_append(out, "\nOf ");
		markdowntext_append(out, names[i]);
		if (all->unplaced_from_ns)
			g_string_append_printf(out,
					       ", %" PRIu64
					       " samples took %s us or more: they were above the "
					       "source's range.\n",
					       all->unplaced, from);
		else
			g_string_append_printf(out, ", %" PRIu64 " samples are in no histogram.\n",
					       all->unplaced);
	}
}

static void markdown_limits(GString *out, const GPtrArray *cases, char **names)
{
	static const char *const titles[] = { "stage", "limit", "outcome", "" };
	static const char *const outcomes[] = { [CASE_PASS] = "pass",
						[CASE_SKIP] = "skipped",
						[CASE_INCONCLUSIVE] = "**inconclusive**",
						[CASE_FAIL] = "**fail**" };
	bool any = false;

	for (guint i = 0; i < cases->len; i++) {
		const struct test_case *c = cases->pdata[i];

		if (!c->limit)
			continue;
		if (!any)
			markdown_head(out, titles, G_N_ELEMENTS(titles), G_N_ELEMENTS(titles));
		any = true;
		markdown_cell_text(out, names[c->stage]);
		markdown_cell_text(out, c->name);
		g_string_append_printf(out, "| %s ", outcomes[c->outcome]);
		markdown_cell_text(out, c->text);
		markdown_end(out);
	}
}

/* --- CPUs --- */

/* Larger maximum first; without one last. */
static gint markdown_worse(gconstpointer a, gconstpointer b)
{
	const struct result_cpu *x = *(struct result_cpu *const *)a;
	const struct result_cpu *y = *(struct result_cpu *const *)b;
	uint64_t x_ns = 0, y_ns = 0;
	int known = figures_max_ns(y->figures, &y_ns) - figures_max_ns(x->figures, &x_ns);

	if (known)
		return known;
	return x_ns != y_ns ? (x_ns < y_ns ? 1 : -1) : x->cpu - y->cpu;
}

static void markdown_cpus(GString *out, const struct result_stage *s, const char *name)
{
	static const char *const left[] = { "CPU" };
	g_autofree struct figures *all = result_stage_all(s);
	g_autoptr(GPtrArray) cpus = g_ptr_array_new();
	guint n = MIN(s->cpus->len, MARKDOWN_CPUS);

	if (s->cpus->len < 2)
		return;
	g_ptr_array_extend(cpus, s->cpus, NULL, NULL);
	g_string_append(out, "\nCPUs in ");
	markdowntext_append(out, name);
	if (n < cpus->len) {
		g_ptr_array_sort(cpus, markdown_worse);
		g_string_append_printf(out, ", the %u of %u with the largest maximum", n,
				       cpus->len);
	}
	g_string_append(out, ":\n");
	markdown_figures_head(out, left, 1);
	for (guint i = 0; i < n; i++) {
		const struct result_cpu *c = cpus->pdata[i];

		markdown_cell(out, g_strdup_printf("%d", c->cpu));
		markdown_figures(out, c->figures, cell_decimals(all));
		markdown_end(out);
	}
}

/* --- sessions that are not of latencies, or no longer whole --- */

static void markdown_values(GString *out, const struct result *r, char **names)
{
	static const char *const titles[] = { "stage", "benchmark", "unit", "took" };

	markdown_head(out, titles, G_N_ELEMENTS(titles), 3);
	for (guint i = 0; i < r->stages->len; i++) {
		const struct result_stage *s = r->stages->pdata[i];

		for (guint k = 0; k < s->values->len; k++) {
			const struct result_value *v = s->values->pdata[k];

			markdown_cell_text(out, names[i]);
			markdown_cell_text(out, v->name);
			markdown_cell_text(out, v->unit);
			markdown_cell(out, number_format(v->value, v->decimals));
			markdown_end(out);
		}
	}
}

/* The summary is all there is: what of it has a metric's name. */
static void markdown_summary(GString *out, const struct result *r)
{
	static const char *const titles[] = { "all stages and CPUs", "us or number" };
	struct amount a;

	markdown_head(out, titles, 2, 1);
	for (const struct quantity *q = quantities; q->key; q++) {
		GString *value = g_string_new(NULL);

		if (!quantity_stored(q, r->summary, &a)) {
			g_string_free(value, TRUE);
			continue;
		}
		quantity_append(value, q, &a, 1000000);
		g_string_append_printf(out, "| %s ", q->name);
		markdown_cell(out, g_string_free(value, FALSE));
		markdown_end(out);
	}
}

static int markdown_render(const struct result *r, const struct report_options *o, GString *out,
			   char **ret_message)
{
	g_autoptr(GPtrArray) cases = cases_new(r);
	g_auto(GStrv) names = stagename_all(r);

	markdown_title(out, r);
	markdown_session(out, r);
	markdown_notes(out, r);
	if (names[0] && result_is_latency(r)) {
		markdown_stages(out, r, names);
		markdown_percentiles(out, r, names);
		markdown_unplaced(out, r, names);
		markdown_limits(out, cases, names);
		for (guint i = 0; i < r->stages->len; i++)
			markdown_cpus(out, r->stages->pdata[i], names[i]);
	} else if (names[0]) {
		markdown_values(out, r, names);
	} else if (r->summary) {
		markdown_summary(out, r);
	} else {
		g_string_append(out, "\nNo stage has begun.\n");
	}
	return 0;
}

const struct report_format report_format_markdown = {
	.name = "markdown",
	.media_type = "text/markdown; charset=utf-8",
	.description = "tables for an issue tracker",
	.summary = true,
	.render = markdown_render,
};
