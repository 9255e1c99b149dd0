/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Why the daemon moves and does not ask for a CPU at start: which CPUs are measured is the plan's
 * business and changes from session to session, and an idle daemon disturbs nobody anywhere.
 */
#include "house.h"

#include "cpulist.h"
#include "log.h"

#include <errno.h>
#include <glib.h>
#include <string.h>

int house_allowed(const struct house *h, cpu_set_t *ret)
{
	cpu_set_t online;
	int r;

	if (!h->away)
		return cpulist_allowed(h->root, ret);
	r = cpulist_online(h->root, &online);
	if (r == 0)
		CPU_AND(ret, &h->own, &online);
	return r;
}

/* @set without @less. */
static void house_subtract(const cpu_set_t *set, const cpu_set_t *less, cpu_set_t *ret)
{
	cpu_set_t both;

	CPU_AND(&both, set, less);
	CPU_XOR(ret, set, &both);
}

void house_leave_cpus(struct house *h, const cpu_set_t *measured)
{
	cpu_set_t rest;

	if (h->away || strcmp(h->root, "/") != 0 || cpulist_allowed("/", &h->own) < 0)
		return;
	house_subtract(&h->own, measured, &rest);
	if (CPU_COUNT(&h->wanted) > 0) {
		cpu_set_t wanted;

		CPU_AND(&wanted, &rest, &h->wanted);
		if (CPU_COUNT(&wanted) > 0)
			rest = wanted;
	}
	if (CPU_COUNT(&rest) == 0 || CPU_EQUAL(&rest, &h->own))
		return;
	if (sched_setaffinity(0, sizeof(rest), &rest) < 0) {
		log_warning("Staying on measured CPUs: %s", g_strerror(errno));
		return;
	}
	h->away = true;
	(void)store_set_cpus(h->store, &rest); /* it stays where it is then, as without us */
}

void house_return(struct house *h)
{
	if (!h->away)
		return;
	h->away = false;
	if (sched_setaffinity(0, sizeof(h->own), &h->own) < 0)
		log_warning("Not back on all CPUs: %s", g_strerror(errno));
	(void)store_set_cpus(h->store, &h->own);
}

int house_control_cpu(const struct house *h, const cpu_set_t *measured)
{
	for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
		if (CPU_ISSET(cpu, &h->wanted) && !CPU_ISSET(cpu, measured))
			return cpu;
	return -1;
}
