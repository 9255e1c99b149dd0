/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Why overrides come one by one and are checked together afterwards (plan_check()): "--policy=fifo
 * --priority=90" must mean the same in any order, and the combination in between may not stand.
 *
 * A few keys have more than their own field. They say so here and nowhere else.
 */
#include "plan-keys.h"

#include "conftree.h"
#include "message.h"
#include "policy.h"

#include <errno.h>
#include <string.h>

static int override_load(struct plan *p, const char *value, char **ret_message)
{
	if (!conftree_name_valid(value))
		return message_fail(ret_message, -EINVAL,
				    "\"%.64s\" is no load's name: small letters, digits and _",
				    value);
	p->repeat = 1;
	g_ptr_array_set_size(p->stages, 0);
	g_ptr_array_add(p->stages, plan_stage_new(value, value, p->duration_ns));
	return 0;
}

static int override_limits(struct plan *p, const char *value, char **ret_message)
{
	g_auto(GStrv) limits = g_strsplit(value, ";", PLAN_LIMITS_MAX + 1);
	g_autoptr(GArray) parsed = g_array_new(FALSE, FALSE, sizeof(struct limit));

	for (char **text = limits; *text; text++) {
		struct limit l;
		int r = limit_parse(g_strstrip(*text), &l, ret_message);

		if (r < 0)
			return r;
		g_array_append_val(parsed, l);
	}
	if (parsed->len == 0)
		return message_fail(ret_message, -EINVAL,
				    "\"limit\" says nothing; write it like \"max <= 100us\"");
	if (p->limits->len + parsed->len > PLAN_LIMITS_MAX)
		return message_fail(ret_message, -EINVAL, "there are over %d limits",
				    PLAN_LIMITS_MAX);
	g_array_append_vals(p->limits, parsed->data, parsed->len);
	return 0;
}

static void override_policy_done(struct plan *p)
{
	p->fallback_policy = -1;
	if (!policy_is_realtime(p->policy)) {
		if (!p->priority_wished)
			p->priority = 0;
	} else if (p->priority == 0) {
		p->priority = PLAN_PRIORITY_DEFAULT;
	}
	/* the plan's nice was for the plan's policy; for this one it would be refused */
	if (p->policy != SCHED_OTHER && p->policy != SCHED_BATCH)
		p->nice = 0;
	if (p->policy != SCHED_DEADLINE)
		p->dl_runtime_ns = p->dl_deadline_ns = p->dl_period_ns = 0;
}

int plan_override(struct plan *p, const char *key, const char *value, char **ret_message)
{
	const struct plan_key *k = plan_keys;
	int r;

	if (strcmp(key, "load") == 0)
		return override_load(p, value, ret_message);
	if (strcmp(key, "limit") == 0)
		return override_limits(p, value, ret_message);
	while (k->name && (!k->override || strcmp(k->name, key) != 0))
		k++;
	if (!k->name)
		return message_fail(
			ret_message, -ENOENT,
			"a session cannot have a \"%.32s\" of its own; it can have: "
			"duration, interval, priority, policy, cpus, port, load, label, warm_up, "
			"break, dma_latency, limit",
			key);
	if (strcmp(key, "interval") == 0 && !plan_has_interval(p))
		return message_fail(
			ret_message, -EINVAL,
			p->role == ROLE_TARGET
				? "the instrument %s has no interval in the role target"
				: "the instrument %s has no interval: its passes follow each other",
			p->instrument);
	if (strcmp(key, "port") == 0 && !role_of_port(p->role))
		return message_fail(ret_message, -EINVAL, "the instrument %s measures no port",
				    p->instrument);
	r = plan_key_set(p, k, value, ret_message);
	if (r < 0)
		return r;
	if (strcmp(key, "duration") == 0)
		for (guint i = 0; i < p->stages->len; i++)
			((struct plan_stage *)p->stages->pdata[i])->duration_ns = p->duration_ns;
	if (strcmp(key, "policy") == 0)
		override_policy_done(p);
	if (strcmp(key, "priority") == 0)
		p->priority_wished = true;
	return 0;
}
