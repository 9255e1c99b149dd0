/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * For Prometheus and whoever reads its text format: a file for the node exporter's textfile
 * collector, or OpenMetrics 1.0 as it is. Gauges only, because nothing here counts on from one
 * session to the next; seconds, as its rules want; no time stamps, which the collector refuses.
 *
 * The session's id is no label of the figures: each night would begin new series, and a graph of
 * the maximum would be a cloud of single points. It stands in lrtbf_session. Of two sessions of the
 * same plan and label the series are therefore the same: one file per plan and label.
 *
 * What is not known has no sample. Help texts are the same in every file, which the collector
 * insists on.
 */
#include "cell.h"
#include "duration.h"
#include "metricfile.h"
#include "policy.h"
#include "quantity.h"
#include "report.h"
#include "stagename.h"
#include "value.h"

#include <math.h>
#include <string.h>

struct openmetrics_stage {
	const struct result_stage *stage;
	struct figures *all; /* of all CPUs; NULL: it has no latencies */
	char *labels;
};

struct openmetrics {
	struct metricfile file;
	const struct result *result;
	struct figures *all; /* of all stages; NULL: the summary is all there is */
	char *labels;	     /* of the session */
	GPtrArray *stages;   /* of struct openmetrics_stage */
};

static void openmetrics_stage_free(gpointer data)
{
	struct openmetrics_stage *s = data;

	g_free(s->all);
	g_free(s->labels);
	g_free(s);
}

static void openmetrics_add_stage(struct openmetrics *m, const struct result_stage *stage,
				  const char *name)
{
	struct openmetrics_stage *s = g_new0(struct openmetrics_stage, 1);
	GString *labels = g_string_new(m->labels);

	metricfile_label(labels, "stage", name);
	metricfile_label(labels, "load", stage->load);
	s->stage = stage;
	s->labels = g_string_free(labels, FALSE);
	s->all = result_is_latency(m->result) ? result_stage_all(stage) : NULL;
	g_ptr_array_add(m->stages, s);
}

static void openmetrics_init(struct openmetrics *m, const struct result *r, GString *out)
{
	GString *labels = g_string_new(NULL);
	g_auto(GStrv) names = stagename_all(r);

	*m = (struct openmetrics){ .result = r };
	metricfile_init(&m->file, out);
	metricfile_label(labels, "plan", r->plan);
	metricfile_label(labels, "label", r->label);
	m->labels = g_string_free(labels, FALSE);
	m->stages = g_ptr_array_new_with_free_func(openmetrics_stage_free);
	for (guint i = 0; r->stages && i < r->stages->len; i++)
		openmetrics_add_stage(m, r->stages->pdata[i], names[i]);
	if (m->stages->len && result_is_latency(r))
		m->all = result_all(r);
}

static void openmetrics_done(struct openmetrics *m)
{
	g_ptr_array_unref(m->stages);
	g_free(m->labels);
	g_free(m->all);
}

/* --- samples --- */

/* One more label for this sample only. g_free(). */
static char *openmetrics_with(const char *labels, const char *name, const char *value)
{
	GString *more = g_string_new(labels);

	metricfile_label(more, name, value);
	return g_string_free(more, FALSE);
}

static void openmetrics_time(struct openmetrics *m, const char *labels, bool known, uint64_t ns)
{
	if (known)
		metricfile_sample_time(&m->file, labels, ns, 0);
}

static void openmetrics_amount(struct openmetrics *m, const char *labels, const struct quantity *q,
			       const struct amount *a)
{
	g_autoptr(GString) text = g_string_new(NULL);

	quantity_append(text, q, a, 1);
	metricfile_sample(&m->file, labels, text->str);
}

static void openmetrics_verdict(struct openmetrics *m, const char *labels, enum verdict v)
{
	for (int i = VERDICT_NONE; i < _VERDICT_MAX && v != VERDICT_EMPTY; i++) {
		g_autofree char *with = openmetrics_with(labels, "verdict", verdict_to_string(i));

		metricfile_sample_number(&m->file, with, v == (enum verdict)i);
	}
}

/* --- one figure --- */

/* "99.9" */
static const char *openmetrics_percentile(const struct quantity *q)
{
	return q->metric ? "" : strrchr(q->key, ' ') + 1;
}

static void openmetrics_of_session(struct openmetrics *m, const struct quantity *q,
				   const char *labels)
{
	struct amount a;

	if (m->all ? quantity_of(q, m->all, &a) : quantity_stored(q, m->result->summary, &a))
		openmetrics_amount(m, labels, q, &a);
}

static void openmetrics_of_stage(struct openmetrics *m, const struct quantity *q,
				 const struct openmetrics_stage *s, const char *labels)
{
	struct amount a;

	if (s->all && quantity_of(q, s->all, &a))
		openmetrics_amount(m, labels, q, &a);
}

static void openmetrics_of_cpus(struct openmetrics *m, const struct quantity *q,
				const struct openmetrics_stage *s)
{
	for (guint i = 0; s->all && i < s->stage->cpus->len; i++) {
		const struct result_cpu *c = s->stage->cpus->pdata[i];
		g_autofree char *cpu = g_strdup_printf("%d", c->cpu);
		g_autofree char *labels = openmetrics_with(s->labels, "cpu", cpu);
		struct amount a;

		if (quantity_of(q, c->figures, &a))
			openmetrics_amount(m, labels, q, &a);
	}
}

static void openmetrics_open(struct openmetrics *m, const char *whose, const struct quantity *q,
			     const char *what)
{
	g_autofree char *name = g_strdup_printf("lrtbf_%s_%s", whose, q->metric);
	g_autofree char *help = g_strdup_printf("%s %s", q->help, what);

	metricfile_family(&m->file, name, q->unit == QUANTITY_TIME ? "seconds" : NULL, help);
}

static void openmetrics_figures(struct openmetrics *m)
{
	for (const struct quantity *q = quantities; q->key; q++) {
		if (!q->metric)
			continue;
		openmetrics_open(m, "session", q, "All stages together.");
		openmetrics_of_session(m, q, m->labels);
		openmetrics_open(m, "stage", q, "All CPUs of a stage together.");
		for (guint i = 0; i < m->stages->len; i++) {
			const struct openmetrics_stage *s = m->stages->pdata[i];

			openmetrics_of_stage(m, q, s, s->labels);
		}
		openmetrics_open(m, "cpu", q, "One CPU in a stage.");
		for (guint i = 0; i < m->stages->len; i++)
			openmetrics_of_cpus(m, q, m->stages->pdata[i]);
	}
}

static void openmetrics_percentiles(struct openmetrics *m, bool corrected, const char *name,
				    const char *help)
{
	g_autofree char *session = g_strconcat("lrtbf_session_", name, NULL);
	g_autofree char *stage = g_strconcat("lrtbf_stage_", name, NULL);

	metricfile_family(&m->file, session, "seconds", help);
	for (const struct quantity *q = quantities; q->key; q++) {
		g_autofree char *labels =
			openmetrics_with(m->labels, "percentile", openmetrics_percentile(q));

		if (!q->metric && q->corrected == corrected)
			openmetrics_of_session(m, q, labels);
	}
	metricfile_family(&m->file, stage, "seconds", help);
	for (guint i = 0; i < m->stages->len; i++) {
		const struct openmetrics_stage *s = m->stages->pdata[i];

		for (const struct quantity *q = quantities; q->key; q++) {
			g_autofree char *labels = openmetrics_with(s->labels, "percentile",
								   openmetrics_percentile(q));

			if (!q->metric && q->corrected == corrected)
				openmetrics_of_stage(m, q, s, labels);
		}
	}
}

/* --- families --- */

/* @name for a label, of no two alike. */
static char *openmetrics_unused(GHashTable *used, const char *name)
{
	g_autofree char *clean = cell_text(name);

	return stagename_unused(used, clean);
}

static void openmetrics_measured(struct openmetrics *m)
{
	json_int_t known = value_get_integer(m->result->summary, "duration_ns", -1);
	uint64_t ns = 0;

	for (guint i = 0; i < m->stages->len; i++)
		ns += ((struct openmetrics_stage *)m->stages->pdata[i])->stage->duration_ns;
	metricfile_family(&m->file, "lrtbf_session_measured", "seconds",
			  "How long it measured, all stages.");
	if (m->stages->len)
		openmetrics_time(m, m->labels, true, ns);
	else
		openmetrics_time(m, m->labels, known >= 0, (uint64_t)known);
}

static void openmetrics_session(struct openmetrics *m)
{
	const struct result *r = m->result;
	const char *quantity = value_get_string(r->method, "quantity");
	const char *policy = policy_to_string(r->policy);
	g_autoptr(GString) labels = g_string_new(m->labels);

	metricfile_label(labels, "session", r->id);
	metricfile_label(labels, "state", session_state_to_string(r->state));
	metricfile_label(labels, "instrument", r->instrument);
	metricfile_label(labels, "quantity", quantity ? quantity : "latency");
	metricfile_label(labels, "policy", policy ? policy : "");
	metricfile_label(labels, "kernel", value_get_string(r->conditions, "kernel.release"));
	metricfile_family(&m->file, "lrtbf_session", NULL, "Always 1: what the session is.");
	metricfile_sample_number(&m->file, labels->str, 1);

	metricfile_family(&m->file, "lrtbf_session_verdict", NULL, "1: this is its verdict.");
	openmetrics_verdict(m, m->labels, r->verdict);
	metricfile_family(&m->file, "lrtbf_session_started_time", "seconds",
			  "When it began, since 1970.");
	openmetrics_time(m, m->labels, r->started_usec, r->started_usec * 1000);
	metricfile_family(&m->file, "lrtbf_session_finished_time", "seconds",
			  "When it ended, since 1970.");
	openmetrics_time(m, m->labels, r->finished_usec, r->finished_usec * 1000);
	openmetrics_measured(m);
}

static void openmetrics_limits(struct openmetrics *m, const struct openmetrics_stage *s)
{
	g_autoptr(GHashTable) used = stagename_set();

	for (guint i = 0; i < s->stage->limits->len; i++) {
		const struct result_limit *l =
			&g_array_index(s->stage->limits, struct result_limit, i);
		g_autofree char *name = openmetrics_unused(used, l->limit.text);
		g_autofree char *labels = openmetrics_with(s->labels, "limit", name);

		if (l->outcome != LIMIT_UNKNOWN)
			metricfile_sample_number(&m->file, labels, l->outcome == LIMIT_KEPT);
	}
}

static void openmetrics_stages(struct openmetrics *m)
{
	metricfile_family(&m->file, "lrtbf_stage_verdict", NULL, "1: this is the stage's verdict.");
	for (guint i = 0; i < m->stages->len; i++) {
		const struct openmetrics_stage *s = m->stages->pdata[i];

		openmetrics_verdict(m, s->labels, s->stage->verdict);
	}
	metricfile_family(&m->file, "lrtbf_stage_measured", "seconds",
			  "How long the stage measured.");
	for (guint i = 0; i < m->stages->len; i++) {
		const struct openmetrics_stage *s = m->stages->pdata[i];

		openmetrics_time(m, s->labels, true, s->stage->duration_ns);
	}
	metricfile_family(&m->file, "lrtbf_stage_limit_kept", NULL,
			  "1: the limit was kept, 0: broken.");
	for (guint i = 0; i < m->stages->len; i++)
		openmetrics_limits(m, m->stages->pdata[i]);
}

/* What the load did: a mean per second, in the unit that is a label. */
static void openmetrics_effect(struct openmetrics *m, const struct openmetrics_stage *s)
{
	g_autoptr(GHashTable) used = stagename_set();

	for (guint i = 0; i < s->stage->metrics->len; i++) {
		const struct result_metric *e = s->stage->metrics->pdata[i];
		g_autofree char *name = openmetrics_unused(used, e->name);
		g_autofree char *labels = openmetrics_with(s->labels, "metric", name);
		g_autofree char *both = openmetrics_with(labels, "unit", e->unit);
		g_autofree char *text = number_format(e->mean, 3);

		if (e->n > 0 && isfinite(e->mean))
			metricfile_sample(&m->file, both, text);
	}
}

/* What a benchmark took, in the unit that is a label. */
static void openmetrics_values(struct openmetrics *m, const struct openmetrics_stage *s)
{
	g_autoptr(GHashTable) used = stagename_set();

	for (guint i = 0; i < s->stage->values->len; i++) {
		const struct result_value *v = s->stage->values->pdata[i];
		g_autofree char *name = openmetrics_unused(used, v->name);
		g_autofree char *labels = openmetrics_with(s->labels, "benchmark", name);
		g_autofree char *both = openmetrics_with(labels, "unit", v->unit);
		g_autofree char *text = number_format(v->value, v->decimals);

		if (isfinite(v->value))
			metricfile_sample(&m->file, both, text);
	}
}

static int openmetrics_render(const struct result *r, const struct report_options *o, GString *out,
			      char **ret_message)
{
	struct openmetrics m;

	openmetrics_init(&m, r, out);
	openmetrics_session(&m);
	openmetrics_stages(&m);
	openmetrics_figures(&m);
	openmetrics_percentiles(&m, false, "percentile", "A percentile of the samples.");
	openmetrics_percentiles(&m, true, "corrected_percentile",
				"A percentile with what missed periods would have seen.");
	metricfile_family(&m.file, "lrtbf_stage_load", NULL,
			  "What the machine did meanwhile, mean per second.");
	for (guint i = 0; i < m.stages->len; i++)
		openmetrics_effect(&m, m.stages->pdata[i]);
	metricfile_family(&m.file, "lrtbf_stage_benchmark", NULL, "What a benchmark took.");
	for (guint i = 0; i < m.stages->len; i++)
		openmetrics_values(&m, m.stages->pdata[i]);
	metricfile_end(&m.file);
	openmetrics_done(&m);
	return 0;
}

const struct report_format report_format_openmetrics = {
	.name = "openmetrics",
	.media_type = "application/openmetrics-text; version=1.0.0; charset=utf-8",
	.description = "gauges for Prometheus, or its node exporter's textfile collector",
	.summary = true,
	.render = openmetrics_render,
};
