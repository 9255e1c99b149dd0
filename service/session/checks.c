/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What can be said without measuring: the plans there are and what is wrong with them, what would
 * weaken numbers from this machine.
 */
#include "sessions-internal.h"

#include "conditions.h"
#include "irqpolicy.h"
#include "probe.h"

#include <errno.h>
#include <string.h>

GPtrArray *sessions_reload(struct sessions *m)
{
	GPtrArray *problems = problems_new();

	catalog_free(m->catalog);
	m->catalog = catalog_read(m->p.config_dirs);
	catalog_problems(m->catalog, problems);
	sessions_set_housekeeping(m);
	sessions_kick(m); /* ended_shown may be smaller */
	return problems;
}

size_t sessions_plans(struct sessions *m, const struct plan_entry **ret)
{
	return catalog_plans(m->catalog, ret);
}

GPtrArray *sessions_check_plan(struct sessions *m, const char *text)
{
	GPtrArray *problems = problems_new();
	struct plan *p = plan_parse("plan", text, strlen(text), "", problems);

	if (p)
		(void)plan_check_loads(p, catalog_loads(m->catalog), problems); /* they say it */
	plan_free(p);
	return problems;
}

/* What would be refused to an ordinary real-time plan. */
static void checks_rights(struct sessions *m, GPtrArray *findings)
{
	g_autofree char *policy = NULL, *memory = NULL;
	struct order o;

	order_init(&o);
	o.policy = SCHED_FIFO;
	o.priority = 80;
	o.lock_memory = 1;
	if (house_allowed(&m->house, &o.cpus) < 0)
		return;
	if (probe_policy(&o, &policy) == -EPERM)
		finding_add(findings, "policy-fallback", "%s", policy);
	if (probe_memory(&o, &memory) == -EPERM)
		finding_add(findings, "memory-unlocked", "%s", memory);
}

GPtrArray *sessions_check_system(struct sessions *m)
{
	GPtrArray *findings = findings_new();
	json_t *c = conditions_collect(m->place.root);

	conditions_judge(c, NULL, SCHED_FIFO, findings);
	json_decref(c);
	if (strcmp(m->place.root, "/") == 0)
		checks_rights(m, findings);
	if (m->place.irqpolicy)
		irqpolicy_find(m->place.irqpolicy, findings);
	return findings;
}
