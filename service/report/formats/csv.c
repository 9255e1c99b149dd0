/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * For spreadsheets and scripts: one row per CPU and one for all of them in each stage. Times are
 * whole nanoseconds, so that no reader's locale can take a comma for a point; what is not known is
 * an empty field. Quoting is RFC 4180's, lines end with a newline alone. New columns go to the end.
 */
#include "csvtext.h"
#include "policy.h"
#include "report.h"

#include <inttypes.h>
#include <math.h>

static void csv_next_text(GString *out, const char *s)
{
	g_string_append_c(out, ',');
	csvtext_append(out, s);
}

static void csv_next(GString *out, bool known, uint64_t n)
{
	g_string_append_c(out, ',');
	if (known)
		g_string_append_printf(out, "%" PRIu64, n);
}

static void csv_next_real(GString *out, bool known, double ns)
{
	known = known && isfinite(ns) && ns >= 0 && ns < 9e18;
	csv_next(out, known, known ? (uint64_t)llround(ns) : 0);
}

static void csv_header(GString *out)
{
	g_string_append(out, "session,plan,label,stage,load,cpu,policy,priority,"
			     "count,missed,lost,late,migrated,early,overrun,warmup,torn,pending_ns,"
			     "min_ns,avg_ns,max_ns,stddev_ns");
	for (const struct figures_percentile *p = figures_percentiles; p->name; p++)
		g_string_append_printf(out, ",p%s_ns", p->name);
	g_string_append(out, ",within,within_bound_ns,corrected_count,corrected_avg_ns");
	for (const struct figures_percentile *p = figures_percentiles; p->name; p++)
		g_string_append_printf(out, ",corrected_p%s_ns", p->name);
	g_string_append(out, ",state,verdict,stage_verdict,instrument,interval_ns,"
			     "stage_started_usec,stage_duration_ns\n");
}

static void csv_percentiles(GString *out, const struct figures *f, bool corrected)
{
	for (const struct figures_percentile *p = figures_percentiles; p->name; p++) {
		uint64_t ns = 0;
		bool known = (!corrected || f->has_grid) &&
			     figures_percentile_ns(f, p->ppm, corrected, &ns);

		csv_next(out, known, ns);
	}
}

static void csv_figures(GString *out, const struct figures *f)
{
	uint64_t count = figures_count(f), min = 0, max = 0;
	bool has_min = figures_min_ns(f, &min), has_max = figures_max_ns(f, &max);
	double mean = 0, stddev = 0, corrected = 0;
	bool has_mean = figures_mean_ns(f, &mean), has_stddev = figures_stddev_ns(f, &stddev);
	bool has_corrected = f->has_grid && figures_corrected_mean_ns(f, &corrected);

	csv_next(out, figures_count_known(f), count);
	csv_next(out, f->has_grid, f->missed);
	csv_next(out, true, f->lost);
	csv_next(out, true, f->late);
	csv_next(out, true, f->migrated);
	csv_next(out, true, f->early);
	csv_next(out, true, f->overrun);
	csv_next(out, true, f->warmup);
	csv_next(out, true, f->torn);
	csv_next(out, f->has_grid, f->pending_ns);
	csv_next(out, has_min, min);
	csv_next_real(out, has_mean, mean);
	csv_next(out, has_max, max);
	csv_next_real(out, has_stddev, stddev);
	csv_percentiles(out, f, false);
	csv_next(out, f->within_bound_ns, f->within);
	csv_next(out, f->within_bound_ns, f->within_bound_ns);
	csv_next(out, f->has_grid, figures_corrected_count(f));
	csv_next_real(out, has_corrected, corrected);
	csv_percentiles(out, f, true);
}

static void csv_row(GString *out, const struct result *r, const struct result_stage *s,
		    const struct result_cpu *c, const struct figures *f)
{
	const char *policy = policy_to_string(c ? c->policy : r->policy);

	csvtext_append(out, r->id);
	csv_next_text(out, r->plan);
	csv_next_text(out, r->label);
	csv_next_text(out, s->name);
	csv_next_text(out, s->load);
	if (c)
		g_string_append_printf(out, ",%d", c->cpu);
	else
		g_string_append(out, ",all");
	csv_next_text(out, policy ? policy : "");
	csv_next(out, true, c ? c->priority : r->priority);
	csv_figures(out, f);
	csv_next_text(out, session_state_to_string(r->state));
	csv_next_text(out, verdict_to_string(r->verdict));
	csv_next_text(out, verdict_to_string(s->verdict));
	csv_next_text(out, r->instrument);
	csv_next(out, r->interval_ns, r->interval_ns);
	csv_next(out, s->started_usec, s->started_usec);
	csv_next(out, true, s->duration_ns);
	g_string_append_c(out, '\n');
}

static int csv_render(const struct result *r, const struct report_options *o, GString *out,
		      char **ret_message)
{
	csv_header(out);
	for (guint i = 0; r->stages && i < r->stages->len; i++) {
		const struct result_stage *s = r->stages->pdata[i];
		g_autofree struct figures *all = result_stage_all(s);

		for (guint k = 0; k < s->cpus->len; k++) {
			const struct result_cpu *c = s->cpus->pdata[k];

			csv_row(out, r, s, c, c->figures);
		}
		csv_row(out, r, s, NULL, all);
	}
	return 0;
}

const struct report_format report_format_csv = {
	.name = "csv",
	.media_type = "text/csv; charset=utf-8",
	.description = "one row per stage and CPU, nanoseconds, for spreadsheets",
	.render = csv_render,
};
