/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Why an absent command of a load is no refusal: it may be installed before the session begins, and
 * the other stages of the plan are worth measuring without it. The stage it belongs to is
 * inconclusive then. A load that no file describes is a mistake in the plan and refused.
 */
#include "admission.h"

#include "cpulist.h"
#include "message.h"
#include "policy.h"
#include "ports.h"
#include "probe.h"

#include <errno.h>
#include <string.h>

static int admission_wishes(struct plan *p, const json_t *overrides, char **ret_message)
{
	const char *key;
	json_t *value;
	int r;

	json_object_foreach ((json_t *)overrides, key, value) {
		if (!json_is_string(value)) {
			*ret_message = g_strdup_printf("Option %s is not a string.", key);
			return -EINVAL;
		}
		r = plan_override(p, key, json_string_value(value), ret_message);
		if (r < 0)
			return -EINVAL;
	}
	return plan_check(p, ret_message) < 0 ? -EINVAL : 0;
}

/* Whose fault a refusal is: the caller's when it was his wish, else the plan's. */
static int admission_blame(const json_t *overrides, const char *key)
{
	return json_object_get(overrides, key) ? -EINVAL : -EBADMSG;
}

static int admission_check_loads(GHashTable *loads, const struct plan *p, const json_t *overrides,
				 char **ret_message)
{
	g_autoptr(GPtrArray) problems = problems_new();

	if (!loads)
		return 0;
	/* a wish is in no line of the plan's file */
	if (!json_object_get(overrides, "load") && plan_check_loads(p, loads, problems) < 0) {
		*ret_message = problems_format(problems);
		return -EBADMSG;
	}
	for (guint i = 0; i < p->stages->len; i++) {
		const struct plan_stage *stage = p->stages->pdata[i];
		g_autoptr(GPtrArray) simple = NULL;
		g_autofree char *why = NULL;

		if (load_expand(loads, stage->load, &simple, &why) < 0)
			return message_fail(ret_message, -EINVAL,
					    "%s; see the files in loads.d, or which of them have "
					    "problems",
					    why);
	}
	return 0;
}

/* A port has one CPU: of "all" the first, which is where its interrupt most likely comes. */
static int admission_one_cpu(const struct plan *p, cpu_set_t *cpus, char **ret_why)
{
	int cpu = 0;

	if (!role_of_port((uint32_t)p->role) || CPU_COUNT(cpus) <= 1)
		return 0;
	if (strcmp(p->cpus, "all") != 0)
		return message_fail(ret_why, -EINVAL,
				    "a port is measured on one CPU, and these are %d",
				    CPU_COUNT(cpus));
	while (!CPU_ISSET(cpu, cpus))
		cpu++;
	CPU_ZERO(cpus);
	CPU_SET(cpu, cpus);
	return 0;
}

/* Where the kernel module measures: a port that is free, or the module alone. */
static int admission_port(const struct admission_place *where, const struct plan *p,
			  char **ret_message)
{
	if (!where->ports || p->role == ROLE_NONE)
		return 0;
	if (role_of_port((uint32_t)p->role))
		return ports_check(where->ports, p->port,
				   p->role != ROLE_LOGGER || p->receive == ROLE_RECEIVE_IRQ,
				   ret_message);
	if (ports_module_loaded(where->ports))
		return 0;
	return message_fail(ret_message, -ENODEV,
			    "The kernel module lrtbf, which measures this, is not loaded. "
			    "\"modprobe lrtbf\" loads it.");
}

static int admission_cpus(const struct admission_place *where, const struct plan *p,
			  const json_t *overrides, cpu_set_t *ret, char **ret_message)
{
	g_autofree char *why = NULL;
	cpu_set_t allowed, reachable, online;
	int r;

	r = cpulist_online(where->root, &online);
	if (r == 0)
		r = house_allowed(where->house, &allowed);
	if (r < 0) {
		*ret_message = g_strdup_printf("The CPUs of this machine cannot be found out: %s.",
					       g_strerror(-r));
		return -EIO;
	}
	cpulist_reachable(where->root, &allowed, &reachable);
	if (cpulist_parse(p->cpus, &allowed, ret, &why) < 0 ||
	    cpulist_check(ret, &reachable, &online, &why) < 0 ||
	    admission_one_cpu(p, ret, &why) < 0) {
		*ret_message = g_strdup_printf("cpus = \"%s\": %s", p->cpus, why);
		return admission_blame(overrides, "cpus");
	}
	return 0;
}

/* The plan's policy, else its fallback when it names one. */
static int admission_policy(struct admission *a, char **ret_message)
{
	g_autofree char *why = NULL;
	struct order order;
	int r;

	plan_order(a->plan, a->plan->stages->pdata[0], a->plan->policy, &a->cpus, &order);
	a->policy = a->plan->policy;
	r = probe_policy(&order, &why);
	if (r == -EPERM && a->plan->fallback_policy >= 0) {
		a->policy = a->plan->fallback_policy;
		finding_add(a->findings, "policy-fallback",
			    "Real-time priority was not permitted: measured with policy %s. %s",
			    policy_to_string(a->policy), why);
		return 0;
	}
	if (r < 0)
		*ret_message = g_steal_pointer(&why);
	return r < 0 && r != -EPERM ? -EIO : r;
}

static void admission_spare(const struct admission_place *where, struct admission *a)
{
	cpu_set_t allowed, spare;

	if (house_allowed(where->house, &allowed) < 0)
		return;
	CPU_XOR(&spare, &allowed, &a->cpus); /* those measured are among the allowed */
	if (CPU_COUNT(&spare) == 0)
		finding_add(a->findings, "no-spare-cpu", NULL);
}

int admission_check(const struct admission_place *where, const struct plan *plan,
		    const json_t *overrides, struct admission *ret, char **ret_message)
{
	struct admission a = { .plan = plan_copy(plan), .findings = findings_new() };
	struct order order;
	int r;

	r = admission_wishes(a.plan, overrides, ret_message);
	if (r == 0)
		r = admission_check_loads(where->loads, a.plan, overrides, ret_message);
	if (r == 0)
		r = admission_port(where, a.plan, ret_message);
	if (r == 0)
		r = admission_cpus(where, a.plan, overrides, &a.cpus, ret_message);
	if (r == 0)
		r = admission_policy(&a, ret_message);
	if (r == 0) {
		plan_order(a.plan, a.plan->stages->pdata[0], a.policy, &a.cpus, &order);
		r = probe_memory(&order, ret_message);
	}
	if (r < 0) {
		admission_done(&a);
		return r;
	}
	admission_spare(where, &a);
	*ret = a;
	return 0;
}

void admission_done(struct admission *a)
{
	plan_free(a->plan);
	a->plan = NULL;
	g_clear_pointer(&a->findings, g_ptr_array_unref);
}
