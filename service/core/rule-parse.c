/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Why a rule stands or falls alone: rules of one file are for different devices, and a slip in the
 * one for the sound card must not cost the network its priority. A file whose text cannot be parsed
 * gives none, because nobody knows where its rules end. Half a rule never counts: what is wrong in
 * one key may be what would have kept the rest from doing harm.
 */
#include "rule-internal.h"

#include "conffile.h"
#include "conftree.h"
#include "cpulist.h"
#include "glob.h"
#include "irqlist.h"
#include "message.h"
#include "policy.h"
#include "spelling.h"
#include "textline.h"

#include <errno.h>
#include <string.h>

#define RULE_NAME_MAX	 64
#define RULE_PATTERN_MAX 256
#define RULE_CPUS_MAX	 4096

static const char *const rule_policies[] = { "other", "batch", "idle", "fifo", "rr", NULL };

int rule_pattern_check(enum rule_key key, const char *pattern, char **ret_message)
{
	g_autofree char *list = NULL;

	if (key == RULE_IRQ)
		return irqlist_normalise(pattern, &list, ret_message);
	if (!*pattern)
		return message_fail(ret_message, -EINVAL,
				    "it is empty and matches nothing; \"*\" matches all");
	if (strlen(pattern) > RULE_PATTERN_MAX)
		return message_fail(ret_message, -EINVAL, "it is longer than %d bytes",
				    RULE_PATTERN_MAX);
	if (!text_is_line(pattern))
		return message_fail(ret_message, -EINVAL,
				    "it takes one line without control characters");
	return glob_check(pattern, ret_message);
}

static void take_pattern(struct conf_group *match, enum rule_key key, struct rule *r)
{
	const char *name = rule_key_to_string(key), *pattern;
	g_autofree char *why = NULL;

	if (conf_take_string(match, name, &pattern) != 0)
		return;
	if (rule_pattern_check(key, pattern, &why) < 0)
		(void)conf_complain(match, name, "\"%s\": %s", name, why);
	else if (key == RULE_IRQ)
		(void)irqlist_normalise(pattern, &r->match[key], NULL);
	else
		r->match[key] = g_strdup(pattern);
}

/* A number as a number, or a list of them as text. */
static void take_irq(struct conf_group *match, struct rule *r)
{
	int64_t irq;

	if (conf_is_string(match, "irq"))
		take_pattern(match, RULE_IRQ, r);
	else if (conf_take_integer(match, "irq", 0, IRQLIST_NUMBER_MAX, &irq) == 0)
		r->match[RULE_IRQ] = g_strdup_printf("%" G_GINT64_FORMAT, irq);
}

/* The group, when there is one. */
static struct conf_group *take_match(struct conf_group *g, struct rule *r)
{
	struct conf_group *match = NULL;
	bool any = false;
	int taken;

	taken = conf_take_group(g, "match", &match);
	if (taken == 1)
		(void)conf_complain(g, NULL,
				    "a rule needs a match, such as "
				    "match = { interface = \"eth0\"; }");
	if (taken != 0)
		return NULL;
	take_irq(match, r);
	for (int key = 0; key < RULE_KEYS; key++) {
		if (key != RULE_IRQ)
			take_pattern(match, key, r);
		any |= conf_has(match, rule_key_to_string(key));
	}
	if (!any)
		(void)conf_complain(g, "match",
				    "this match asks for nothing; write what to match, such as "
				    "interface = \"eth0\"");
	return match;
}

static void take_name(struct conf_group *g, struct rule *r)
{
	const char *name;

	if (conf_take_string(g, "name", &name) != 0)
		return;
	if (!*name || strlen(name) > RULE_NAME_MAX || !text_is_line(name)) {
		(void)conf_complain(g, "name", "a rule's name is one line of 1 to %d bytes",
				    RULE_NAME_MAX);
		return;
	}
	g_free(r->name);
	r->name = g_strdup(name);
}

static void take_policy(struct conf_group *g, struct rule *r)
{
	const char *text, *nearest;

	if (conf_take_string(g, "policy", &text) != 0)
		return;
	if (g_strv_contains(rule_policies, text)) {
		r->policy = policy_from_string(text);
		return;
	}
	if (policy_from_string(text) >= 0) {
		(void)conf_complain(g, "policy",
				    "a rule cannot set policy %s; it can set other, batch, idle, "
				    "fifo and rr",
				    text);
		return;
	}
	nearest = spelling_nearest(text, rule_policies);
	(void)conf_complain(g, "policy",
			    "there is no policy \"%.32s\"; there are other, batch, idle, fifo and "
			    "rr%s%s%s",
			    text, nearest ? "; did you mean \"" : "", nearest ?: "",
			    nearest ? "\"?" : "");
}

static void take_numbers(struct conf_group *g, struct rule *r)
{
	int64_t value;

	if (conf_take_integer(g, "priority", 0, 99, &value) == 0)
		r->priority = value;
	if (conf_take_integer(g, "nice", -20, 19, &value) == 0) {
		r->has_nice = true;
		r->nice = value;
	}
}

static void take_affinity(struct conf_group *g, struct rule *r)
{
	g_autofree char *why = NULL;
	const char *cpus;

	if (conf_take_string(g, "affinity", &cpus) != 0)
		return;
	if (strlen(cpus) > RULE_CPUS_MAX)
		(void)conf_complain(g, "affinity", "\"affinity\" is longer than %d bytes",
				    RULE_CPUS_MAX);
	else if (cpulist_check_syntax(cpus, &why) < 0)
		(void)conf_complain(g, "affinity", "\"affinity\": %s", why);
	else
		r->affinity = g_strdup(cpus);
}

static void take_override(struct conf_group *g, struct rule *r)
{
	g_auto(GStrv) names = NULL;

	if (conf_take_strings(g, "override", &names) != 0)
		return;
	for (unsigned i = 0; names[i]; i++) {
		int bit = rule_override_from_string(names[i]);
		const char *nearest;

		if (bit >= 0) {
			r->override |= bit;
			continue;
		}
		nearest = spelling_nearest(names[i], rule_override_names);
		(void)conf_complain_at(g, "override", i,
				       "there is no guard \"%.32s\"; there are softirq, rcu and "
				       "measuring%s%s%s",
				       names[i], nearest ? "; did you mean \"" : "", nearest ?: "",
				       nearest ? "\"?" : "");
	}
}

/* One rule, or NULL and what is wrong with it. @before: the rules that count so far. */
static struct rule *rule_take(struct conf_group *g, const char *name, const GPtrArray *before,
			      GPtrArray *problems)
{
	struct rule *r = rule_new(name, conf_file(g, NULL), conf_line(g, NULL));
	guint clean = problems->len;
	struct conf_group *match;

	take_name(g, r);
	match = take_match(g, r);
	take_policy(g, r);
	take_numbers(g, r);
	take_affinity(g, r);
	(void)conf_take_bool(g, "reset_on_fork", &r->reset_on_fork);
	take_override(g, r);
	rule_check(r, g, match);
	conf_done_group(g);
	if (match)
		conf_done_group(match);
	/* what was refused cannot contradict anything */
	if (problems->len == clean)
		rule_check_among(r, before, g);
	if (problems->len == clean)
		return r;
	rule_free(r);
	return NULL;
}

GPtrArray *rules_take(struct conf_group *g, const char *key, const char *name, GPtrArray *problems)
{
	g_autofree struct conf_group **groups = NULL;
	GPtrArray *rules = rules_new();
	size_t n = 0;

	if (conf_take_each_group(g, key, &groups, &n) != 0)
		return rules;
	for (size_t i = 0; i < n; i++) {
		g_autofree char *own = g_strdup_printf("%s/%zu", name, i + 1);
		struct rule *r = groups[i] ? rule_take(groups[i], own, rules, problems) : NULL;

		if (r)
			g_ptr_array_add(rules, r);
	}
	return rules;
}

static GPtrArray *rules_from_conf(struct conf *c, const char *name, GPtrArray *problems)
{
	GPtrArray *rules = rules_take(conf_root(c), "rules", name, problems);

	conf_done(c);
	return rules;
}

GPtrArray *rules_parse(const char *name, const char *text, size_t size, const char *file,
		       GPtrArray *problems)
{
	struct conf *c = conf_parse(text, size, file, problems);
	GPtrArray *rules = c ? rules_from_conf(c, name, problems) : rules_new();

	conf_free(c);
	return rules;
}

GPtrArray *rules_from_file(const struct conftree_file *f, GPtrArray *problems)
{
	struct conf *c = conftree_file_parse(f, problems);
	GPtrArray *rules = c ? rules_from_conf(c, f->name, problems) : rules_new();

	conf_free(c);
	return rules;
}

GPtrArray *rules_read(const char *const *dirs, GPtrArray *problems)
{
	g_autoptr(GPtrArray) files = conftree_list(dirs, "irq.d");
	GPtrArray *all = rules_new();

	for (guint i = 0; i < files->len; i++) {
		g_autoptr(GPtrArray) rules = rules_from_file(files->pdata[i], problems);

		g_ptr_array_extend_and_steal(all, g_steal_pointer(&rules));
	}
	return all;
}
