/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The names differ from those of a session's own report in that form, so that both may lie in one
 * folder: a reader refuses the same series twice. Ids are labels of one gauge only, and all others
 * go on from session to session.
 */
#include "statusmetrics.h"

#include "metricfile.h"
#include "variant.h"
#include <math.h>
#include <string.h>

static const struct {
	const char *key, *name, *unit, *help; /* in the summary, in nanoseconds where unit is set */
} statusmetrics_figures[] = {
	{ "count", "lrtbf_plan_samples", NULL, "Samples of its newest session." },
	{ "min_ns", "lrtbf_plan_minimum", "seconds", "The smallest sample of its newest session." },
	{ "avg_ns", "lrtbf_plan_average", "seconds", "Mean of its newest session." },
	{ "max_ns", "lrtbf_plan_maximum", "seconds", "The largest sample of its newest session." },
	{ "stddev_ns", "lrtbf_plan_deviation", "seconds",
	  "Standard deviation of its newest session." },
	{ "missed", "lrtbf_plan_missed_periods", NULL, "Missed periods of its newest session." },
	{ "lost", "lrtbf_plan_lost_answers", NULL, "Lost answers of its newest session." },
};

static char *statusmetrics_label(const char *name, const char *value)
{
	GString *labels = g_string_new(NULL);

	metricfile_label(labels, name, value);
	return g_string_free(labels, FALSE);
}

/* A number of the JSON report, if it is one: 3 decimals of a nanosecond. */
static void statusmetrics_number(struct metricfile *m, const char *labels, const json_t *v,
				 const char *unit)
{
	double x = json_number_value(v);

	if (!json_is_number(v) || !isfinite(x) || x < 0 || x >= 9e15)
		return;
	if (!unit)
		metricfile_sample_number(m, labels, (uint64_t)json_integer_value(v));
	else if (json_is_integer(v))
		metricfile_sample_time(m, labels, (uint64_t)json_integer_value(v), 0);
	else
		metricfile_sample_time(m, labels, (uint64_t)llround(x * 1000) / 1000,
				       (uint64_t)llround(x * 1000) % 1000);
}

static void statusmetrics_active(struct metricfile *m, const json_t *active)
{
	g_autofree char *plan = statusmetrics_label("plan", field_text(active, "plan"));
	double progress = field_real(active, "progress", -1);
	char text[G_ASCII_DTOSTR_BUF_SIZE];

	metricfile_family(m, "lrtbf_measuring", NULL, "1: a session is being measured.");
	metricfile_sample_number(m, "", json_is_object(active));
	metricfile_family(m, "lrtbf_measuring_progress_ratio", NULL, "How far that session is.");
	if (json_is_object(active) && progress >= 0 && progress <= 1)
		metricfile_sample(m, plan, g_ascii_formatd(text, sizeof(text), "%.3f", progress));
}

static void statusmetrics_service(struct metricfile *m, const json_t *status)
{
	g_autoptr(GString) labels = g_string_new(NULL);

	metricfile_label(labels, "version", field_text(status, "version"));
	metricfile_label(labels, "kernel", field_text(status, "kernel_release"));
	metricfile_label(labels, "realtime", field_true(status, "realtime") ? "yes" : "no");
	metricfile_family(m, "lrtbf_service", NULL, "Always 1: what the service is.");
	metricfile_sample_number(m, labels->str, 1);
	metricfile_family(m, "lrtbf_trouble", NULL, "1: results cannot be kept at the moment.");
	metricfile_sample_number(m, "", *field_text(status, "trouble") != '\0');
	metricfile_family(m, "lrtbf_queue_length", NULL, "Sessions that wait.");
	metricfile_sample_number(m, "", (uint64_t)MAX(field_number(status, "queue_length", 0), 0));
	statusmetrics_active(m, json_object_get(status, "active"));
}

static void statusmetrics_session(struct metricfile *m, const struct statusmetrics_plan *p)
{
	g_autoptr(GString) labels = g_string_new(NULL);

	if (!p->session)
		return;
	metricfile_label(labels, "plan", p->plan);
	metricfile_label(labels, "label", field_text(p->session, "label"));
	metricfile_label(labels, "session", field_text(p->session, "id"));
	metricfile_label(labels, "state", field_text(p->session, "state"));
	metricfile_sample_number(m, labels->str, 1);
}

static void statusmetrics_verdict(struct metricfile *m, const struct statusmetrics_plan *p)
{
	static const char *const verdicts[] = { "none", "pass", "inconclusive", "fail" };
	const char *verdict = field_text(p->session, "verdict");

	for (size_t i = 0; p->session && *verdict && i < G_N_ELEMENTS(verdicts); i++) {
		g_autoptr(GString) labels = g_string_new(NULL);

		metricfile_label(labels, "plan", p->plan);
		metricfile_label(labels, "verdict", verdicts[i]);
		metricfile_sample_number(m, labels->str, strcmp(verdict, verdicts[i]) == 0);
	}
}

static void statusmetrics_percentiles(struct metricfile *m, const struct statusmetrics_plan *p)
{
	const json_t *summary = json_object_get(p->session, "summary");
	const char *name;
	json_t *ns;

	json_object_foreach (json_object_get(summary, "percentiles"), name, ns) {
		g_autoptr(GString) labels = g_string_new(NULL);

		metricfile_label(labels, "plan", p->plan);
		metricfile_label(labels, "percentile", name);
		statusmetrics_number(m, labels->str, ns, "seconds");
	}
}

static void statusmetrics_plans(struct metricfile *m, const struct statusmetrics_plan *plans,
				size_t n)
{
	metricfile_family(m, "lrtbf_plan_session", NULL,
			  "Always 1: the newest session of the plan that has ended.");
	for (size_t i = 0; i < n; i++)
		statusmetrics_session(m, &plans[i]);
	metricfile_family(m, "lrtbf_plan_verdict", NULL, "1: this is that session's verdict.");
	for (size_t i = 0; i < n; i++)
		statusmetrics_verdict(m, &plans[i]);
	metricfile_family(m, "lrtbf_plan_good", NULL,
			  "1: that session is done, young enough, and nothing is wrong with it.");
	for (size_t i = 0; i < n; i++) {
		g_autofree char *labels = statusmetrics_label("plan", plans[i].plan);

		metricfile_sample_number(m, labels, plans[i].good);
	}
	metricfile_family(m, "lrtbf_plan_age", "seconds", "How long ago that session ended.");
	for (size_t i = 0; i < n; i++) {
		g_autofree char *labels = statusmetrics_label("plan", plans[i].plan);

		if (plans[i].age_ns >= 0 && plans[i].age_ns != INT64_MAX)
			metricfile_sample_time(m, labels,
					       (uint64_t)plans[i].age_ns / 1000000 * 1000000, 0);
	}
}

static void statusmetrics_all_figures(struct metricfile *m, const struct statusmetrics_plan *plans,
				      size_t n)
{
	for (size_t k = 0; k < G_N_ELEMENTS(statusmetrics_figures); k++) {
		const char *unit = statusmetrics_figures[k].unit;

		metricfile_family(m, statusmetrics_figures[k].name, unit,
				  statusmetrics_figures[k].help);
		for (size_t i = 0; i < n; i++) {
			g_autofree char *labels = statusmetrics_label("plan", plans[i].plan);
			const json_t *summary = json_object_get(plans[i].session, "summary");

			statusmetrics_number(m, labels,
					     json_object_get(summary, statusmetrics_figures[k].key),
					     unit);
		}
	}
	metricfile_family(m, "lrtbf_plan_percentile", "seconds",
			  "A percentile of its newest session.");
	for (size_t i = 0; i < n; i++)
		statusmetrics_percentiles(m, &plans[i]);
}

void statusmetrics_append(GString *out, const json_t *status,
			  const struct statusmetrics_plan *plans, size_t n)
{
	struct metricfile m;

	metricfile_init(&m, out);
	metricfile_family(&m, "lrtbf_up", NULL, "1: lrtbfd runs and answers.");
	metricfile_sample_number(&m, "", status != NULL);
	if (status) {
		statusmetrics_service(&m, status);
		statusmetrics_plans(&m, plans, n);
		statusmetrics_all_figures(&m, plans, n);
	}
	metricfile_end(&m);
}
