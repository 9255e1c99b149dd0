/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a rule matches: patterns, lists of numbers, the names of a thread, alone and by the index;
 * and what becomes of a thread that several match.
 */
#include "glob.h"
#include "irqlist.h"
#include "rule-shared.h"
#include "rule.h"
#include "ruleindex.h"

#include <errno.h>
#include <sched.h>
#include <string.h>

static const struct rule_tag eth_tags[] = {
	{ RULE_IRQ, "24" },	     { RULE_ACTION, "ahci[0000:00:1f.2]" },
	{ RULE_ACTION, "eth0" },     { RULE_THREAD, "irq/24-ahci[000" },
	{ RULE_INTERFACE, "eth0" },  { RULE_THREAD, "irq/24-ahci[0000:00:1f.2]" },
	{ RULE_SUBSYSTEM, "net" },   { RULE_SUBSYSTEM, "pci" },
	{ RULE_PCI, "0000:00:1f.2" }
};
static const struct rule_target eth = { eth_tags, G_N_ELEMENTS(eth_tags) };

static void test_match(void)
{
	static const struct {
		enum rule_key key;
		const char *pattern;
		bool matches;
	} cases[] = {
		{ RULE_IRQ, "24", true },
		{ RULE_IRQ, "1,20-24", true },
		{ RULE_IRQ, "30-33 , 24", true },
		{ RULE_IRQ, "25,240-249,2,4", false },
		{ RULE_IRQ, "24,x", false },
		{ RULE_IRQ, "2*", false },
		{ RULE_IRQ, "", false },
		{ RULE_ACTION, "eth0", true },
		{ RULE_ACTION, "eth?", true },
		{ RULE_ACTION, "eth", false },
		{ RULE_ACTION, "ahci\\[0000:00:1f.2]", true },
		{ RULE_ACTION, "ahci\\[*\\]", true },
		{ RULE_ACTION, "ahci[0000:00:1f.2]", true }, /* the name as it is */
		{ RULE_ACTION, "ahci[[]0000:00:1f.[2-4]]", true },
		{ RULE_ACTION, "ahci[[]0000:00:1f.[!2]]", false },
		{ RULE_THREAD, "irq/24-ahci[000", true },
		{ RULE_THREAD, "irq/24-ahci\\[0000:00:1f.2]", true },
		{ RULE_THREAD, "irq/*", true },
		{ RULE_THREAD, "*", true },
		{ RULE_THREAD, "irq", false },
		{ RULE_SUBSYSTEM, "pci", true },
		{ RULE_PCI, "0000:00:1f.*", true },
		{ RULE_PARPORT, "*", false },
		{ RULE_KTHREAD, "*", false },
	};

	for (size_t i = 0; i < G_N_ELEMENTS(cases); i++)
		if (rule_tag_match(&eth, cases[i].key, cases[i].pattern) != cases[i].matches)
			g_error("%s against %s", cases[i].pattern,
				rule_key_to_string(cases[i].key));
}

/* All keys must hold, and a pattern as a file has it is the one that the man page shows. */
static void test_match_rule(void)
{
	g_autoptr(GPtrArray) rules =
		parsed("rules = ( { match = { interface = \"eth0\"; irq = 24; }; nice = 1; },"
		       " { match = { interface = \"eth0\"; irq = 25; }; nice = 1; },"
		       " { match = { thread = \"irq/*-ahci\\\\[0000:00:1f.2]\"; }; nice = 1; },"
		       " { match = { thread = \"irq/24-ahci[0000:00:1f.2]\"; }; nice = 1; } );");

	g_assert_true(rule_matches(rules->pdata[0], &eth));
	g_assert_false(rule_matches(rules->pdata[1], &eth));
	g_assert_true(rule_matches(rules->pdata[2], &eth));
	g_assert_true(rule_matches(rules->pdata[3], &eth));
}

/* Names, lists and wildcards, mixed: the same rules as by trying each, in the same order. */
static void test_index(void)
{
	static const char *const matches[] = {
		"irq = 24",
		"irq = 25",
		"irq = \"20-30\"",
		"action = \"eth0\"",
		"action = \"eth*\"",
		"action = \"eth1\"",
		"action = \"ahci[0000:00:1f.2]\"",
		"action = \"ahci\\\\[0000:00:1f.2]\"",
		"thread = \"irq/24-eth0\"",
		"thread = \"irq/*\"",
		"interface = \"eth0\"",
		"interface = \"eth0\"; irq = 24",
		"interface = \"eth0\"; irq = 25",
		"interface = \"eth?\"; irq = 24",
		"subsystem = \"pci\"",
		"kthread = \"eth0\"",
	};
	g_autoptr(GString) text = g_string_new("rules = (");
	g_autoptr(GPtrArray) rules = NULL, expected = g_ptr_array_new(), found = g_ptr_array_new();
	g_autoptr(ruleindex_t) index = NULL, none = ruleindex_new(NULL);
	struct rule_tag twice[2 * G_N_ELEMENTS(eth_tags)];
	const struct rule_target double_eth = { twice, G_N_ELEMENTS(twice) };

	for (size_t i = 0; i < 3 * G_N_ELEMENTS(matches); i++)
		g_string_append_printf(text, "%s { match = { %s; }; nice = 1; }", i ? "," : "",
				       matches[i * 7 % G_N_ELEMENTS(matches)]);
	g_string_append(text, " );");
	rules = parsed(text->str);
	for (guint i = 0; i < rules->len; i++)
		if (rule_matches(rules->pdata[i], &eth))
			g_ptr_array_add(expected, rules->pdata[i]);
	g_assert_cmpuint(expected->len, >=, 30);
	index = ruleindex_new(rules);
	ruleindex_match(index, &eth, found);
	g_assert_cmpuint(found->len, ==, expected->len);
	g_assert_cmpmem(found->pdata, found->len * sizeof(void *), expected->pdata,
			expected->len * sizeof(void *));

	/* what is known twice is matched once; matches are appended; no rules, no tags */
	memcpy(twice, eth_tags, sizeof(eth_tags));
	memcpy(twice + G_N_ELEMENTS(eth_tags), eth_tags, sizeof(eth_tags));
	ruleindex_match(index, &double_eth, found);
	g_assert_cmpuint(found->len, ==, 2 * expected->len);
	ruleindex_match(none, &eth, found);
	ruleindex_match(index, &(struct rule_target){ 0 }, found);
	g_assert_cmpuint(found->len, ==, 2 * expected->len);
}

static struct rule_wish resolved(const GPtrArray *const *lists, size_t n)
{
	struct rule_wish w;

	rules_resolve(lists, n, &eth, &w);
	return w;
}

static struct rule_wish resolved_one(const char *rules)
{
	/* the wish borrows the affinity only, which is not looked at here */
	g_autofree char *text = g_strdup_printf("rules = ( %s );", rules);
	g_autoptr(GPtrArray) list = parsed(text);
	const GPtrArray *lists[] = { list };

	return resolved(lists, 1);
}

static void test_resolve(void)
{
	static const char first[] =
		"rules = ( { name = \"p1\"; match = { action = \"eth*\"; }; priority = 70; },"
		" { name = \"p2\"; match = { irq = 25; }; nice = 9; } );";
	static const char second[] =
		"rules = ( { name = \"f1\"; match = { irq = 24; }; policy = \"rr\"; priority = 40;"
		"   reset_on_fork = true; override = [ \"rcu\" ]; },"
		" { name = \"f2\"; match = { interface = \"eth0\"; }; policy = \"other\"; nice = 5;"
		"   override = [ \"measuring\" ]; },"
		" { name = \"f3\"; match = { interface = \"*\"; }; nice = 6; affinity = \"1\"; } "
		");";
	g_autoptr(GPtrArray) plan = parsed(first);
	g_autoptr(GPtrArray) files = parsed(second);
	const GPtrArray *lists[] = { plan, NULL, files };
	struct rule_wish w = resolved(lists, 3);

	/* policy of one rule, priority of another, and a list that is not there */
	g_assert_cmpstr(w.policy_by->name, ==, "f1");
	g_assert_cmpint(w.policy, ==, SCHED_RR);
	g_assert_true(w.reset_on_fork);
	g_assert_cmpstr(w.priority_by->name, ==, "p1");
	g_assert_cmpint(w.priority, ==, 70);
	g_assert_cmpstr(w.nice_by->name, ==, "f2");
	g_assert_cmpint(w.nice, ==, 5);
	g_assert_cmpstr(w.affinity_by->name, ==, "f3");
	g_assert_cmpstr(w.affinity, ==, "1");
	g_assert_cmpuint(w.override, ==, OVERRIDE_RCU | OVERRIDE_MEASURING);

	/* the other way round the files' own priority counts */
	lists[0] = files;
	lists[2] = plan;
	w = resolved(lists, 3);
	g_assert_cmpint(w.priority, ==, 40);
	w = resolved(lists, 0);
	g_assert_true(!w.policy_by && !w.priority_by && !w.nice_by && !w.affinity_by);
	g_assert_true(w.policy == -1 && w.priority == -1 && !w.affinity && !w.override);
}

/* A policy without priorities drops the priority, whichever rule that is of. */
static void test_resolve_priority(void)
{
	static const char *const dropped[] = {
		"{ match = { irq = 24; }; priority = 70; },"
		" { match = { action = \"eth0\"; }; policy = \"other\"; }",
		"{ match = { irq = 24; }; policy = \"other\"; },"
		" { match = { action = \"eth0\"; }; policy = \"fifo\"; priority = 70;"
		"   override = [ \"rcu\" ]; }",
		"{ match = { irq = 24; }; policy = \"other\"; priority = 0; },"
		" { match = { action = \"eth0\"; }; priority = 70; }",
	};
	struct rule_wish w;

	for (size_t i = 0; i < G_N_ELEMENTS(dropped); i++) {
		w = resolved_one(dropped[i]);
		g_assert_nonnull(w.policy_by);
		g_assert_cmpint(w.policy, ==, SCHED_OTHER);
		g_assert_null(w.priority_by);
		g_assert_cmpint(w.priority, ==, 0);
		g_assert_cmpuint(w.override, ==, 0); /* that of a rule that gave nothing */
	}
	w = resolved_one("{ match = { irq = 24; }; priority = 70; }");
	g_assert_null(w.policy_by);
	g_assert_cmpint(w.policy, ==, -1);
	g_assert_cmpint(w.priority, ==, 70);
	w = resolved_one("{ match = { irq = 24; }; nice = -3; }");
	g_assert_true(w.nice_by && w.nice == -3 && !w.policy_by && !w.priority_by);
	g_assert_cmpint(w.priority, ==, -1);
}

static void test_glob(void)
{
	static const struct {
		const char *pattern, *text;
		bool matches;
	} cases[] = {
		{ "", "", true },
		{ "", "a", false },
		{ "*", "", true },
		{ "**a**", "bab", true },
		{ "a*b*c", "a-b-b-c", true },
		{ "a*b*c", "a-b-b-d", false },
		{ "*.1", "a.1.1", true },
		{ "?", "", false },
		{ "?", "/", true },
		{ "[]a]", "]", true },
		{ "[!]a]", "]", false },
		{ "[^a-c]x", "dx", true },
		{ "[a-c]x", "dx", false },
		{ "[a-]", "-", true },
		{ "[c-a]", "b", false },
		{ "[\\]x]", "]", true },
		{ "[abc", "[abc", true },
		{ "[abc", "a", false },
		{ "\\*", "*", true },
		{ "\\*", "a", false },
		{ "a\\", "a\\", true },
		{ "*[!x]", "xxxy", true },
		{ "napi/*-8*", "napi/eth0-8193", true },
		{ "[\x80-\xff]", "\xc3", true },
		{ ".*", ".x", true },
		{ "*", ".x", true },
	};
	g_autofree char *text = g_strnfill(256, 'a');
	g_autoptr(GString) stars = g_string_new(NULL);

	for (size_t i = 0; i < G_N_ELEMENTS(cases); i++)
		if (glob_match(cases[i].pattern, cases[i].text) != cases[i].matches)
			g_error("%s against %s", cases[i].pattern, cases[i].text);
	/* what other matchers need years for */
	for (int i = 0; i < 100; i++)
		g_string_append(stars, "*a");
	g_string_append_c(stars, 'b');
	g_assert_false(glob_match(stars->str, text));
	g_assert_cmpint(glob_check("irq/*-[a-f]\\*", NULL), ==, 0);
	g_assert_cmpint(glob_check("x\\\\", NULL), ==, 0);
	g_assert_cmpint(glob_check("x\\", NULL), ==, -EINVAL);
}

static void test_irqlist(void)
{
	static const char *const same[][2] = {
		{ "24", "24" },
		{ "5,4", "4-5" },
		{ "1-3,2-5,7", "1-5,7" },
		{ "3,3,3", "3" },
		{ " 1 - 2 , 4 ", "1-2,4" },
		{ "1-9,2-3,12", "1-9,12" },
		{ "010", "10" },
		{ "2147483646,2147483647", "2147483646-2147483647" },
	};

	for (size_t i = 0; i < G_N_ELEMENTS(same); i++) {
		g_autofree char *list = NULL;

		g_assert_cmpint(irqlist_normalise(same[i][0], &list, NULL), ==, 0);
		g_assert_cmpstr(list, ==, same[i][1]);
	}
	g_assert_true(irqlist_contains("1,3-2147483647", 2147483647));
	g_assert_false(irqlist_contains("1,3", 2));
	g_assert_false(irqlist_contains("1,3,", 1));
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/rule/match", test_match);
	g_test_add_func("/rule/match-rule", test_match_rule);
	g_test_add_func("/rule/index", test_index);
	g_test_add_func("/rule/resolve", test_resolve);
	g_test_add_func("/rule/resolve-priority", test_resolve_priority);
	g_test_add_func("/rule/glob", test_glob);
	g_test_add_func("/rule/irqlist", test_irqlist);
	return g_test_run();
}
