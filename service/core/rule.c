/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Why a rule is text that keeps its patterns and not a compiled matcher: rules are shown, written
 * into a session's plan, compared with each other and named in reports. Matching one is cheap; who
 * has thousands of rules and of lines does not try each with each (ruleindex.h).
 */
#include "rule-internal.h"

#include "conffile.h"
#include "policy.h"

#include <errno.h>
#include <string.h>

const char *const rule_key_names[RULE_KEYS + 1] = {
	[RULE_IRQ] = "irq",	    [RULE_ACTION] = "action",
	[RULE_THREAD] = "thread",   [RULE_INTERFACE] = "interface",
	[RULE_PCI] = "pci",	    [RULE_PARPORT] = "parport",
	[RULE_DRIVER] = "driver",   [RULE_SUBSYSTEM] = "subsystem",
	[RULE_KTHREAD] = "kthread",
};

const char *const rule_override_names[] = { "softirq", "rcu", "measuring", NULL }; /* bit 0 on */

const char *rule_key_to_string(enum rule_key key)
{
	return key < RULE_KEYS ? rule_key_names[key] : NULL;
}

int rule_key_from_string(const char *name)
{
	for (int i = 0; i < RULE_KEYS; i++)
		if (strcmp(rule_key_names[i], name) == 0)
			return i;
	return -EINVAL;
}

int rule_override_from_string(const char *name)
{
	for (int i = 0; rule_override_names[i]; i++)
		if (strcmp(rule_override_names[i], name) == 0)
			return 1 << i;
	return -EINVAL;
}

/* The names of @overrides, each with @quote around it. */
static char *overrides_join(unsigned overrides, const char *quote)
{
	GString *out = g_string_new(NULL);

	for (int i = 0; rule_override_names[i]; i++)
		if (overrides & (1u << i))
			g_string_append_printf(out, "%s%s%s%s", out->len ? ", " : "", quote,
					       rule_override_names[i], quote);
	return g_string_free(out, FALSE);
}

char *rule_overrides_format(unsigned overrides)
{
	return overrides_join(overrides, "");
}

struct rule *rule_new(const char *name, const char *file, unsigned line)
{
	struct rule *r = g_new0(struct rule, 1);

	r->name = g_strdup(name);
	r->file = g_strdup(file);
	r->line = line;
	r->policy = -1;
	r->priority = -1;
	return r;
}

void rule_free(struct rule *r)
{
	if (!r)
		return;
	for (int i = 0; i < RULE_KEYS; i++)
		g_free(r->match[i]);
	g_free(r->affinity);
	g_free(r->name);
	g_free(r->file);
	g_free(r);
}

static void rule_free_gpointer(gpointer data)
{
	rule_free(data);
}

GPtrArray *rules_new(void)
{
	return g_ptr_array_new_with_free_func(rule_free_gpointer);
}

static void *rule_copy(const void *data, void *unused)
{
	const struct rule *r = data;
	struct rule *copy = g_memdup2(r, sizeof(*r));

	copy->name = g_strdup(r->name);
	copy->file = g_strdup(r->file);
	copy->affinity = g_strdup(r->affinity);
	for (int i = 0; i < RULE_KEYS; i++)
		copy->match[i] = g_strdup(r->match[i]);
	return copy;
}

GPtrArray *rules_copy(const GPtrArray *rules)
{
	return g_ptr_array_copy((GPtrArray *)rules, (GCopyFunc)rule_copy, NULL);
}

static void append_text(GString *out, const char *key, const char *text)
{
	g_autofree char *quoted = conf_quote(text);

	g_string_append_printf(out, " %s = %s;", key, quoted);
}

/* In braces, as it stands in a file. The name always: default ones depend on the place. */
static void rule_append(GString *out, const struct rule *r)
{
	g_string_append(out, "{");
	append_text(out, "name", r->name);
	g_string_append(out, " match = {");
	for (int i = 0; i < RULE_KEYS; i++)
		if (r->match[i])
			append_text(out, rule_key_names[i], r->match[i]);
	g_string_append(out, " };");
	if (r->policy >= 0)
		append_text(out, "policy", policy_to_string(r->policy));
	if (r->priority >= 0)
		g_string_append_printf(out, " priority = %d;", r->priority);
	if (r->reset_on_fork)
		g_string_append(out, " reset_on_fork = true;");
	if (r->has_nice)
		g_string_append_printf(out, " nice = %d;", r->nice);
	if (r->affinity)
		append_text(out, "affinity", r->affinity);
	if (r->override) {
		g_autofree char *names = overrides_join(r->override, "\"");

		g_string_append_printf(out, " override = [ %s ];", names);
	}
	g_string_append(out, " }");
}

char *rules_format(const GPtrArray *rules)
{
	GString *out = g_string_new("(");

	for (guint i = 0; i < rules->len; i++) {
		g_string_append(out, i ? ",\n\t" : "\n\t");
		rule_append(out, rules->pdata[i]);
	}
	g_string_append(out, rules->len ? "\n)" : " )");
	return g_string_free(out, FALSE);
}
