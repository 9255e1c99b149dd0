/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sessionlog.h"

#include "log.h"

void sessionlog_began(const struct result *r)
{
	const struct log_field fields[] = {
		{ "LRTBF_SESSION", r->id },
		{ "LRTBF_PLAN", r->plan },
		{ NULL },
	};

	log_event(LOG_INFO, LOG_EVENT_SESSION_BEGAN, fields, "Session %s of plan %s begins", r->id,
		  r->plan);
}

void sessionlog_ended(const struct result *r)
{
	const struct log_field fields[] = {
		{ "LRTBF_SESSION", r->id },
		{ "LRTBF_PLAN", r->plan },
		{ "LRTBF_STATE", session_state_to_string(r->state) },
		{ "LRTBF_VERDICT", verdict_to_string(r->verdict) },
		{ "LRTBF_REASON_ID", *r->reason_id ? r->reason_id : NULL },
		{ NULL },
	};

	log_event(r->state == SESSION_FAILED ? LOG_WARNING : LOG_INFO, LOG_EVENT_SESSION_ENDED,
		  fields, "Session %s of plan %s ended: %s, verdict %s%s%s", r->id, r->plan,
		  session_state_to_string(r->state), verdict_to_string(r->verdict),
		  *r->reason ? ": " : "", r->reason);
}

static void sessionlog_limit(const struct result *r, const struct result_stage *stage,
			     const struct result_limit *l)
{
	g_autofree char *cpu = l->cpu >= 0 ? g_strdup_printf("%d", l->cpu) : NULL;
	const struct log_field fields[] = {
		{ "LRTBF_SESSION", r->id },	{ "LRTBF_PLAN", r->plan },
		{ "LRTBF_STAGE", stage->name }, { "LRTBF_LIMIT", l->limit.text },
		{ "LRTBF_CPU", cpu },		{ NULL },
	};

	log_event(LOG_WARNING, LOG_EVENT_LIMIT_BROKEN, fields,
		  "Session %s of plan %s, stage %s: the limit %s is broken%s%s", r->id, r->plan,
		  stage->name, l->limit.text, cpu ? " on CPU " : "", cpu ?: "");
}

void sessionlog_limits(const struct result *r, const struct result_stage *stage)
{
	for (guint i = 0; i < stage->limits->len; i++) {
		const struct result_limit *l =
			&g_array_index(stage->limits, struct result_limit, i);

		if (l->outcome == LIMIT_BROKEN)
			sessionlog_limit(r, stage, l);
	}
}

void sessionlog_recovered(const struct result *r)
{
	const struct log_field fields[] = {
		{ "LRTBF_SESSION", r->id },
		{ "LRTBF_PLAN", r->plan },
		{ "LRTBF_STATE", session_state_to_string(r->state) },
		{ "LRTBF_VERDICT", verdict_to_string(r->verdict) },
		{ NULL },
	};

	log_event(LOG_NOTICE, LOG_EVENT_SESSION_RECOVERED, fields,
		  "Session %s of plan %s was interrupted; recovered with its samples", r->id,
		  r->plan);
}
