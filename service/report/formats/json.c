/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The report that other programs read: every key of the contract is always there, with null where
 * there is no data or no meaning, so that a reader never needs to guess whether a key was
 * forgotten. Keys are only ever added. The `session` object lives in session-json.c because lists
 * show it without a report.
 */
#include "figures-json.h"
#include "policy.h"
#include "repeats.h"
#include "report.h"
#include "value.h"

static json_t *json_finding(const struct finding *f)
{
	json_t *o = json_object();

	json_object_set_new(o, "id", value_string(f->kind->id));
	json_object_set_new(o, "text", value_string(f->text));
	json_object_set_new(o, "mend", value_string(f->kind->mend));
	json_object_set_new(o, "inconclusive",
			    json_boolean(f->kind->weight == FINDING_INCONCLUSIVE));
	return o;
}

static json_t *json_findings(const GPtrArray *findings)
{
	json_t *a = json_array();

	for (guint i = 0; i < findings->len; i++)
		json_array_append_new(a, json_finding(findings->pdata[i]));
	return a;
}

/* Sentences that make a stage inconclusive. */
static json_t *json_reasons(const GPtrArray *findings)
{
	json_t *a = json_array();

	for (guint i = 0; i < findings->len; i++) {
		const struct finding *f = findings->pdata[i];

		if (f->kind->weight == FINDING_INCONCLUSIVE)
			json_array_append_new(a, value_string(f->text));
	}
	return a;
}

/* A bound or value in the limit's unit; shares as 0..1. */
static json_t *json_limit_number(const struct limit *l, uint64_t v)
{
	return l->figure == LIMIT_WITHIN ? value_real((double)v / 1e6) : value_count(v);
}

static const char *json_limit_unit(const struct limit *l)
{
	switch (l->figure) {
	case LIMIT_MISSED:
	case LIMIT_LOST:
		return "count";
	case LIMIT_WITHIN:
		return "share";
	default:
		return "ns";
	}
}

static json_t *json_limit(const struct result_limit *l)
{
	bool known = l->outcome != LIMIT_UNKNOWN;
	json_t *o = json_object();

	json_object_set_new(o, "figure", value_string(l->limit.name));
	json_object_set_new(o, "bound",
			    l->limit.unbound ? json_null()
					     : json_limit_number(&l->limit, l->limit.bound));
	json_object_set_new(o, "value",
			    known ? json_limit_number(&l->limit, l->value) : json_null());
	json_object_set_new(o, "unit", value_string(json_limit_unit(&l->limit)));
	json_object_set_new(o, "broken",
			    known ? json_boolean(l->outcome == LIMIT_BROKEN) : json_null());
	json_object_set_new(o, "cpu", l->cpu >= 0 && known ? json_integer(l->cpu) : json_null());
	json_object_set_new(o, "text", value_string(l->limit.text));
	return o;
}

static json_t *json_limits(const GArray *limits)
{
	json_t *a = json_array();

	for (guint i = 0; i < limits->len; i++)
		json_array_append_new(a,
				      json_limit(&g_array_index(limits, struct result_limit, i)));
	return a;
}

static json_t *json_metric(const struct result_metric *m)
{
	json_t *o = json_object();

	json_object_set_new(o, "mean", m->n > 0 ? value_real(m->mean) : json_null());
	json_object_set_new(o, "stddev", m->n > 1 ? value_real(m->stddev) : json_null());
	json_object_set_new(o, "min", m->n > 0 ? value_real(m->min) : json_null());
	json_object_set_new(o, "max", m->n > 0 ? value_real(m->max) : json_null());
	json_object_set_new(o, "unit", value_string(m->unit));
	json_object_set_new(o, "seconds", value_count(m->n));
	return o;
}

static json_t *json_effect(const GPtrArray *metrics)
{
	json_t *o = json_object();

	for (guint i = 0; i < metrics->len; i++) {
		const struct result_metric *m = metrics->pdata[i];
		g_autofree char *name = g_utf8_make_valid(m->name, -1);

		json_object_set_new(o, name, json_metric(m));
	}
	return o;
}

/* What benchmarks took. */
static json_t *json_values(const GPtrArray *values)
{
	json_t *a = json_array();

	for (guint i = 0; i < values->len; i++) {
		const struct result_value *v = values->pdata[i];
		json_t *o = json_object();

		json_object_set_new(o, "name", value_string(v->name));
		json_object_set_new(o, "value", value_real(v->value));
		json_object_set_new(o, "unit", value_string(v->unit));
		json_object_set_new(o, "decimals", json_integer(v->decimals));
		json_array_append_new(a, o);
	}
	return a;
}

static json_t *json_cpu(const struct result_cpu *c, uint64_t start_ns)
{
	g_autoptr(json_t) figures = figures_to_json(c->figures, start_ns, true);
	json_t *o = json_object();

	json_object_set_new(o, "cpu", json_integer(c->cpu));
	json_object_set_new(o, "policy", value_policy(c->policy));
	json_object_set_new(o, "priority", json_integer(c->priority));
	json_object_update(o, figures);
	return o;
}

static json_t *json_checkpoints(const GArray *times)
{
	json_t *a = json_array();

	for (guint i = 0; i < times->len; i++)
		json_array_append_new(a, value_count(g_array_index(times, uint64_t, i)));
	return a;
}

/* When they were taken; what is in them is for intervals. */
static json_t *json_snapshots(const struct snapshots *s)
{
	json_t *a = json_array();

	for (unsigned i = 0; s && i < snapshots_count(s); i++)
		json_array_append_new(a, value_count(snapshots_at_ns(s, i)));
	return a;
}

static json_t *json_stage(const struct result_stage *s)
{
	g_autofree struct figures *all = result_stage_all(s);
	uint64_t start_ns = s->started_usec * 1000;
	json_t *o = json_object(), *cpus = json_array();

	json_object_set_new(o, "name", value_string(s->name));
	json_object_set_new(o, "load", value_string(s->load));
	json_object_set_new(o, "repeat", value_count(s->repeat));
	json_object_set_new(o, "verdict", value_string(verdict_to_string(s->verdict)));
	json_object_set_new(o, "reasons", json_reasons(s->findings));
	json_object_set_new(o, "findings", json_findings(s->findings));
	json_object_set_new(o, "complete", json_boolean(s->complete));
	json_object_set_new(o, "started_usec", value_time(s->started_usec));
	json_object_set_new(o, "duration_ns", value_count(s->duration_ns));
	json_object_set_new(o, "planned_ns", value_count(s->planned_ns));
	json_object_set_new(o, "limits", json_limits(s->limits));
	json_object_set_new(o, "effect", json_effect(s->metrics));
	json_object_set_new(o, "values", json_values(s->values));
	json_object_set_new(o, "irqs", s->irqs ? json_deep_copy(s->irqs) : json_null());
	json_object_set_new(o, "port", s->port ? json_deep_copy(s->port) : json_null());
	json_object_set_new(o, "peer", s->peer ? json_deep_copy(s->peer) : json_null());
	json_object_set_new(o, "checkpoints", json_checkpoints(s->checkpoints));
	json_object_set_new(o, "snapshots", json_snapshots(s->snapshots));
	json_object_set_new(o, "analysis", s->analysis ? json_deep_copy(s->analysis) : json_null());
	json_object_set_new(o, "all", figures_to_json(all, start_ns, true));
	for (guint i = 0; i < s->cpus->len; i++)
		json_array_append_new(cpus, json_cpu(s->cpus->pdata[i], start_ns));
	json_object_set_new(o, "cpus", cpus);
	return o;
}

/*
 * Everything that weakens the result as a whole: the session's findings, and what stages found that
 * only warns (a lock that was refused is found by the stage's child, and holds for all).
 */
static json_t *json_warnings(const struct result *r)
{
	g_autoptr(GPtrArray) all = findings_copy(r->findings);

	for (guint i = 0; r->stages && i < r->stages->len; i++) {
		const struct result_stage *s = r->stages->pdata[i];

		for (guint k = 0; k < s->findings->len; k++) {
			const struct finding *f = s->findings->pdata[k];

			if (f->kind->weight == FINDING_WARNS)
				finding_add(all, f->kind->id, "%s", f->text);
		}
	}
	return json_findings(all);
}

static json_t *json_conditions(const struct result *r)
{
	json_t *o = json_is_object(r->conditions) ? json_deep_copy(r->conditions) : json_object();

	json_object_set_new(o, "warnings", json_warnings(r));
	return o;
}

json_t *report_json(const struct result *r)
{
	json_t *o = json_object(), *session = report_session_json(r), *stages = json_array();

	json_object_set_new(session, "plan_text", value_string(r->plan_text));
	if (r->peer)
		json_object_set_new(json_object_get(session, "peer"), "conditions",
				    r->peer_conditions ? json_deep_copy(r->peer_conditions)
						       : json_null());
	for (guint i = 0; r->stages && i < r->stages->len; i++)
		json_array_append_new(stages, json_stage(r->stages->pdata[i]));

	json_object_set_new(o, "format", json_string("lrtbf-report"));
	json_object_set_new(o, "version", json_integer(1));
	json_object_set_new(o, "session", session);
	json_object_set_new(o, "conditions", json_conditions(r));
	json_object_set_new(o, "stages", stages);
	json_object_set_new(o, "repeats", repeats_json(r));
	return o;
}

static int json_render(const struct result *r, const struct report_options *o, GString *out,
		       char **ret_message)
{
	g_autoptr(json_t) j = report_json(r);
	g_autofree char *text = json_text(j, true);

	g_string_append(out, text);
	if (out->len && out->str[out->len - 1] != '\n')
		g_string_append_c(out, '\n');
	return 0;
}

const struct report_format report_format_json = {
	.name = "json",
	.media_type = "application/json",
	.description = "everything, for programs: lrtbf-report version 1",
	.summary = true,
	.render = json_render,
};
