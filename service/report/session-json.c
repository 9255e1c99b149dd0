/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The `session` object: the same in a report and in a list, although a list has read the head only.
 * What needs the stages is therefore taken from the summary there, which verdict_session() filled.
 */
#include "figures-json.h"
#include "report.h"
#include "value.h"

static json_t *session_summary(const struct result *r)
{
	g_autofree struct figures *all = NULL;

	if (r->summary)
		return json_deep_copy(r->summary);
	if (!r->stages || r->stages->len == 0)
		return json_null();
	all = result_all(r); /* it still runs */
	return figures_to_json(all, 0, false);
}

/* Measured so far, all stages. */
static json_t *session_duration(const struct result *r)
{
	json_t *known = json_object_get(r->summary, "duration_ns");
	uint64_t ns = 0;

	if (r->stages && r->stages->len) {
		for (guint i = 0; i < r->stages->len; i++)
			ns += ((const struct result_stage *)r->stages->pdata[i])->duration_ns;
		return value_count(ns);
	}
	return known ? json_incref(known) : json_null();
}

static json_t *session_object(const json_t *o)
{
	return json_is_object(o) ? json_deep_copy(o) : json_object();
}

json_t *report_session_json(const struct result *r)
{
	json_t *o = json_object();

	json_object_set_new(o, "id", value_string(r->id));
	json_object_set_new(o, "plan", value_string(r->plan));
	json_object_set_new(o, "label", value_string(r->label));
	json_object_set_new(o, "owner", json_integer(r->owner));
	json_object_set_new(o, "state", value_string(session_state_to_string(r->state)));
	json_object_set_new(o, "verdict", value_string(verdict_to_string(r->verdict)));
	json_object_set_new(o, "reason", value_string(r->reason));
	json_object_set_new(o, "reason_id", value_string(r->reason_id));
	json_object_set_new(o, "instrument", value_string(r->instrument));
	json_object_set_new(o, "policy", value_policy(r->policy));
	json_object_set_new(o, "wanted_policy", value_policy(r->wanted_policy));
	json_object_set_new(o, "priority", json_integer(r->priority));
	json_object_set_new(o, "method", session_object(r->method));
	json_object_set_new(o, "overrides", session_object(r->overrides));
	json_object_set_new(o, "peer", r->peer ? json_deep_copy(r->peer) : json_null());
	json_object_set_new(o, "created_usec", value_time(r->created_usec));
	json_object_set_new(o, "started_usec", value_time(r->started_usec));
	json_object_set_new(o, "finished_usec", value_time(r->finished_usec));
	json_object_set_new(o, "kept", json_boolean(r->kept));
	json_object_set_new(o, "baseline", *r->baseline ? value_string(r->baseline) : json_null());
	json_object_set_new(o, "thinned_usec", value_time(r->thinned_usec));
	json_object_set_new(o, "duration_ns", session_duration(r));
	json_object_set_new(o, "planned_ns", value_count(r->planned_ns));
	json_object_set_new(o, "interval_ns",
			    r->interval_ns ? value_count(r->interval_ns) : json_null());
	json_object_set_new(o, "summary", session_summary(r));
	return o;
}
