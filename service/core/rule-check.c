/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Why rules are refused that could be taken with a shrug: a rule that matches nothing, or is never
 * asked, looks exactly like one that works until the day the machine misses its deadline. What can
 * be known to be pointless from the text alone is said when the file is read.
 */
#include "rule-internal.h"

#include "conffile.h"
#include "cpulist.h"
#include "duration.h"
#include "irqlist.h"
#include "policy.h"

#include <string.h>

/* The number in a pattern "irq/24-...", when it stands there as it is; -1: none does. */
static int thread_pattern_irq(const char *pattern)
{
	g_autofree char *digits = NULL;
	int64_t irq;
	size_t n;

	if (!g_str_has_prefix(pattern, "irq/"))
		return -1;
	pattern += strlen("irq/");
	n = strspn(pattern, "0123456789");
	digits = g_strndup(pattern, n);
	if (pattern[n] != '-' || integer_parse(digits, 0, IRQLIST_NUMBER_MAX, &irq, NULL) < 0)
		return -1;
	return irq;
}

/* Whether a text that begins with @begin could match @pattern, as far as it has no wildcards. */
static bool pattern_may_begin(const char *pattern, const char *begin)
{
	size_t plain = strcspn(pattern, "*?[\\");

	return strncmp(pattern, begin, MIN(plain, strlen(begin))) == 0 &&
	       (pattern[plain] || plain >= strlen(begin));
}

static void check_kthread(const struct rule *r, struct conf_group *match)
{
	static const enum rule_key of_lines[] = { RULE_IRQ, RULE_ACTION, RULE_THREAD,
						  RULE_PARPORT };

	for (size_t i = 0; i < G_N_ELEMENTS(of_lines); i++)
		if (r->match[of_lines[i]])
			(void)conf_complain(
				match, "kthread",
				"\"kthread\" names threads that are no interrupt threads, and "
				"\"%s\" is about interrupts: nothing is both; make two rules of it",
				rule_key_to_string(of_lines[i]));
	if (g_str_has_prefix(r->match[RULE_KTHREAD], "irq/"))
		(void)conf_complain(match, "kthread",
				    "an interrupt thread is not found by \"kthread\"; write "
				    "thread = \"%s\"",
				    r->match[RULE_KTHREAD]);
}

static void check_thread(const struct rule *r, struct conf_group *match)
{
	const char *pattern = r->match[RULE_THREAD];
	int irq = thread_pattern_irq(pattern);

	if (!pattern_may_begin(pattern, "irq/"))
		(void)conf_complain(
			match, "thread",
			"interrupt threads are called \"irq/NUMBER-ACTION\", so none is "
			"called \"%.64s\"; write thread = \"irq/*-%.64s\", or use "
			"\"action\" or, for other kernel threads, \"kthread\"",
			pattern, pattern);
	if (irq >= 0 && r->match[RULE_IRQ] && !irqlist_contains(r->match[RULE_IRQ], irq))
		(void)conf_complain(match, "thread",
				    "\"%.64s\" is a thread of interrupt %d, and \"irq\" asks for "
				    "%s: nothing is both; keep one of them",
				    pattern, irq, r->match[RULE_IRQ]);
}

static void check_match(const struct rule *r, struct conf_group *match)
{
	if (r->match[RULE_KTHREAD])
		check_kthread(r, match);
	if (r->match[RULE_THREAD])
		check_thread(r, match);
}

static void check_policy(const struct rule *r, struct conf_group *g)
{
	const char *policy = policy_to_string(r->policy);

	/* what was given and refused is not missing, too */
	if (r->policy >= 0 && policy_is_realtime(r->policy) && !conf_has(g, "priority"))
		(void)conf_complain(g, "policy",
				    "policy %s needs a priority from 1 to 99 in the same rule, as "
				    "chrt(1) does: add priority = 50",
				    policy);
	if (r->policy >= 0 && policy_is_ordinary(r->policy) && r->priority > 0)
		(void)conf_complain(
			g, "priority",
			"policy %s has no priority; leave it out, or use policy fifo or rr",
			policy);
	if (r->policy >= 0 && policy_is_realtime(r->policy) && r->priority == 0)
		(void)conf_complain(g, "priority", "\"priority\" is 0; policy %s takes 1 to 99",
				    policy);
	if (!conf_has(g, "policy") && r->priority == 0)
		(void)conf_complain(g, "priority",
				    "\"priority\" is 0, which is that of policy other, batch and "
				    "idle; write which, such as policy = \"other\"");
	if (!conf_has(g, "policy") && conf_has(g, "reset_on_fork"))
		(void)conf_complain(g, "reset_on_fork",
				    "\"reset_on_fork\" is set together with a policy; add one, or "
				    "leave it out");
	if (!conf_has(g, "policy") && !conf_has(g, "priority") && r->override)
		(void)conf_complain(g, "override",
				    "\"override\" sets guards on policy and priority aside, and "
				    "this rule sets neither; leave it out");
}

void rule_check(const struct rule *r, struct conf_group *g, struct conf_group *match)
{
	if (match)
		check_match(r, match);
	check_policy(r, g);
	if (!conf_has(g, "policy") && !conf_has(g, "priority") && !conf_has(g, "nice") &&
	    !conf_has(g, "affinity"))
		(void)conf_complain(g, NULL,
				    "a rule sets at least one of policy, priority, nice and "
				    "affinity; this one sets nothing");
}

static bool same_match(const struct rule *a, const struct rule *b)
{
	for (int i = 0; i < RULE_KEYS; i++)
		if (g_strcmp0(a->match[i], b->match[i]) != 0)
			return false;
	return true;
}

/* Equal lists written differently are no contradiction. */
static bool same_cpus(const char *a, const char *b)
{
	cpu_set_t every, x, y;

	memset(&every, 0xff, sizeof(every));
	return strcmp(a, b) == 0 || (cpulist_parse(a, &every, &x, NULL) == 0 &&
				     cpulist_parse(b, &every, &y, NULL) == 0 && CPU_EQUAL(&x, &y));
}

/* The key that both set, to different values; NULL: none. */
static const char *contradiction(const struct rule *a, const struct rule *b)
{
	if (a->policy >= 0 && b->policy >= 0 && a->policy != b->policy)
		return "policy";
	if (a->priority >= 0 && b->priority >= 0 && a->priority != b->priority)
		return "priority";
	if (a->policy >= 0 && b->policy >= 0 && a->reset_on_fork != b->reset_on_fork)
		return a->reset_on_fork ? "policy" : "reset_on_fork";
	if (a->has_nice && b->has_nice && a->nice != b->nice)
		return "nice";
	if (a->affinity && b->affinity && !same_cpus(a->affinity, b->affinity))
		return "affinity";
	return NULL;
}

void rule_check_among(const struct rule *r, const GPtrArray *before, struct conf_group *g)
{
	for (guint i = 0; i < before->len; i++) {
		const struct rule *b = before->pdata[i];
		const char *key = same_match(b, r) ? contradiction(b, r) : NULL;

		if (strcmp(b->name, r->name) == 0)
			(void)conf_complain(g, "name",
					    "the rule in line %u is called \"%s\", too; give this "
					    "one a name of its own",
					    b->line, b->name);
		if (!key)
			continue;
		(void)conf_complain(g, key,
				    "the rule \"%s\" in line %u matches the same and sets %s "
				    "otherwise; the first counts, so remove one of them",
				    b->name, b->line, key);
		return;
	}
}
