/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Any bytes as a plan: refused with a reason, or a plan that stands, can be ordered, and is written
 * and read back as itself.
 */
#include "plan.h"

#include <stdint.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_again(const struct plan *p)
{
	g_autoptr(GPtrArray) problems = problems_new();
	g_autofree char *text = plan_format(p);
	g_autofree char *text2 = NULL;
	struct plan *again = plan_parse("fuzz", text, strlen(text), "again", problems);

	g_assert(again);
	text2 = plan_format(again);
	g_assert(strcmp(text, text2) == 0);
	plan_free(again);
}

static void check_orders(const struct plan *p)
{
	struct order o;
	cpu_set_t cpus;

	CPU_ZERO(&cpus);
	CPU_SET(0, &cpus);
	for (guint i = 0; i < p->stages->len; i++) {
		plan_order(p, p->stages->pdata[i], p->policy, &cpus, &o);
		g_assert(order_check(&o, NULL) == 0);
		plan_order(p, p->stages->pdata[i],
			   p->role != ROLE_NONE	    ? SCHED_FIFO
			   : p->fallback_policy < 0 ? SCHED_OTHER
						    : p->fallback_policy,
			   &cpus, &o);
		g_assert(order_check(&o, NULL) == 0);
	}
}

/* The text's own strings as wishes over the plan. */
static void check_overrides(struct plan *p, const char *text)
{
	static const char *const keys[] = { "duration",	   "interval", "priority", "policy",
					    "cpus",	   "load",     "label",	   "warm_up",
					    "dma_latency", "break",    "limit",	   "port" };
	g_auto(GStrv) words = g_strsplit_set(text, "\"=;\n", 64);

	for (size_t i = 0; words[i]; i++)
		(void)plan_override(p, keys[i % G_N_ELEMENTS(keys)], words[i], NULL);
	if (plan_check(p, NULL) == 0) {
		check_again(p);
		check_orders(p);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *text = data ? (const char *)data : ""; /* no bytes may be no pointer */
	g_autoptr(GPtrArray) problems = problems_new();
	struct plan *p, *copy;

	p = plan_parse("fuzz", text, size, "fuzz", problems);
	g_assert(!p == (problems->len > 0));
	if (!p)
		return 0;
	g_assert(plan_check(p, NULL) == 0);
	check_again(p);
	check_orders(p);
	copy = plan_copy(p);
	plan_free(p);
	check_overrides(copy, copy->text);
	plan_free(copy);
	return 0;
}
