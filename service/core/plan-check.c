/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What each key may be by itself is in the table; here is what keys may not be together. The same
 * rules serve the file (a problem at the key's line) and overrides (a sentence), so each names the
 * key that it would change first.
 */
#include "plan-keys.h"

#include "duration.h"
#include "load.h"
#include "policy.h"
#include "rule.h"

#include <errno.h>
#include <string.h>

G_GNUC_PRINTF(3, 4)
static const char *conflict(char **ret_message, const char *key, const char *fmt, ...)
{
	va_list ap;

	if (!ret_message)
		return key;
	va_start(ap, fmt);
	*ret_message = g_strdup_vprintf(fmt, ap);
	va_end(ap);
	return key;
}

static const char *conflict_times(const struct plan *p, char **ret_message)
{
	const struct plan_instrument *i = plan_instrument(p->instrument);
	uint64_t step_ns = i->work ? p->work_ns : p->interval_ns;

	for (guint n = 0; n < p->stages->len; n++) {
		const struct plan_stage *s = p->stages->pdata[n];

		if (s->duration_ns < step_ns) {
			g_autofree char *is = duration_format(s->duration_ns);
			g_autofree char *step = duration_format(step_ns);

			return conflict(ret_message, i->work ? "work" : "interval",
					"the stage \"%s\" lasts %s, not even one %s of %s", s->name,
					is, i->work ? "pass" : "interval", step);
		}
	}
	if (i->dither && p->dither_ns >= p->interval_ns)
		return conflict(ret_message, "dither",
				"\"dither\" must be shorter than the interval");
	return NULL;
}

static const char *conflict_repeat(const struct plan *p, char **ret_message)
{
	if (plan_stage_count(p) <= PLAN_STAGES_MAX)
		return NULL;
	return conflict(ret_message, "repeat",
			"%u stages %d times are %u, and a session takes %d at most", p->stages->len,
			p->repeat, plan_stage_count(p), PLAN_STAGES_MAX);
}

static const char *conflict_policy(const struct plan *p, char **ret_message)
{
	const char *name = policy_to_string(p->policy);
	bool fair = p->policy == SCHED_OTHER || p->policy == SCHED_BATCH;

	if (p->priority != 0 && !policy_is_realtime(p->policy))
		return conflict(ret_message, "priority",
				"policy %s has no priority; leave it out, or use policy fifo or rr",
				name);
	if (p->priority == 0 && policy_is_realtime(p->policy))
		return conflict(ret_message, "priority", "policy %s needs a priority from 1 to 98",
				name);
	if (p->fallback_policy >= 0 && policy_is_ordinary(p->policy))
		return conflict(ret_message, "fallback_policy",
				"policy %s is always permitted and needs no fallback", name);
	if (p->nice != 0 && !fair && p->fallback_policy < 0)
		return conflict(ret_message, "nice",
				"policy %s has no nice value; leave it out, or use policy other",
				name);
	if (p->policy != SCHED_DEADLINE)
		return NULL;
	if (p->dl_runtime_ns == 0 || p->dl_deadline_ns == 0 || p->dl_period_ns == 0)
		return conflict(ret_message, "policy",
				"policy deadline needs the plan keys runtime, deadline and period");
	if (p->dl_runtime_ns > p->dl_deadline_ns)
		return conflict(ret_message, "runtime",
				"\"runtime\" must not be over \"deadline\"");
	if (p->dl_deadline_ns > p->dl_period_ns)
		return conflict(ret_message, "deadline",
				"\"deadline\" must not be over \"period\"");
	return NULL;
}

static const char *conflict_limits(const struct plan *p, char **ret_message)
{
	bool grid = plan_instrument(p->instrument)->grid;

	for (guint i = 0; i < p->limits->len; i++) {
		const struct limit *l = &g_array_index(p->limits, struct limit, i);

		if (!grid && (l->figure == LIMIT_MISSED || l->figure == LIMIT_CORRECTED_PERCENTILE))
			return conflict(
				ret_message, "limits",
				"the limit \"%s\" cannot be judged: the instrument %s has no "
				"periods that could be missed",
				l->text, p->instrument);
		if (l->figure == LIMIT_WITHIN && p->within_ns == 0)
			return conflict(ret_message, "limits",
					"the limit \"%s\" needs the plan key within, such as "
					"within = \"100us\"",
					l->text);
	}
	return NULL;
}

static const char *conflict_role(const struct plan *p, char **ret_message)
{
	const struct plan_instrument *i = plan_instrument(p->instrument);
	const struct role_setup s = {
		.role = (uint32_t)p->role,
		.answer = (uint32_t)p->answer,
		.receive = (uint32_t)p->receive,
		.strobe = p->strobe,
		.virtual_port = p->virtual_port,
		.port = p->port,
		.interval_ns = p->interval_ns,
		.timeout_ns = p->timeout_ns,
		.policy = p->policy,
	};

	if (!(i->roles >> p->role & 1))
		return conflict(ret_message, "role", "the instrument %s has no role %s", i->name,
				role_to_string(s.role) ?: "none");
	if (p->role != ROLE_NONE && p->fallback_policy >= 0)
		return conflict(ret_message, "fallback_policy",
				"what the kernel module measures runs as fifo; there is nothing to "
				"fall back to");
	return role_conflict(&s, ret_message);
}

/* A guard would refuse it in every session; better now than at night. */
static const char *conflict_rules(const struct plan *p, char **ret_message)
{
	for (guint i = 0; i < p->irq_rules->len; i++) {
		const struct rule *r = p->irq_rules->pdata[i];

		if (policy_is_realtime(p->policy) && r->priority >= p->priority &&
		    !(r->override & OVERRIDE_MEASURING))
			return conflict(
				ret_message, "irq_rules",
				"the rule \"%s\" gives priority %d, at or above the measuring "
				"threads' %d; lower it, raise the plan's, or, if that is meant, "
				"add override = [ \"measuring\" ] to the rule",
				r->name, r->priority, p->priority);
	}
	return NULL;
}

const char *plan_conflict(const struct plan *p, char **ret_message)
{
	return conflict_role(p, ret_message) ?: conflict_times(p, ret_message) ?:
	       conflict_repeat(p, ret_message) ?: conflict_policy(p, ret_message) ?:
	       conflict_limits(p, ret_message) ?: conflict_rules(p, ret_message);
}

int plan_check(const struct plan *p, char **ret_message)
{
	return plan_conflict(p, ret_message) ? -EINVAL : 0;
}

int plan_check_loads(const struct plan *p, GHashTable *loads, GPtrArray *problems)
{
	int r = 0;

	for (guint i = 0; i < p->stages->len; i++) {
		const struct plan_stage *s = p->stages->pdata[i];
		g_autoptr(GPtrArray) simple = NULL;
		g_autofree char *why = NULL;

		if (load_expand(loads, s->load, &simple, &why) < 0)
			r = problem_add(
				problems, p->file, s->line,
				"%s; see the files in loads.d, or which of them have problems",
				why);
	}
	return r;
}
