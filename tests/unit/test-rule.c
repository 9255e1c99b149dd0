/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "rule.h"

#include "conftree.h"
#include "glob.h"
#include "irqlist.h"
#include "ruleindex.h"

#include <errno.h>
#include <sched.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static GPtrArray *parsed_with(const char *text, GPtrArray *problems)
{
	return rules_parse("10-net", text, strlen(text), "10-net.conf", problems);
}

static GPtrArray *parsed(const char *text)
{
	g_autoptr(GPtrArray) problems = problems_new();
	GPtrArray *rules = parsed_with(text, problems);

	if (problems->len > 0) {
		g_autofree char *all = problems_format(problems);

		g_error("%s\n%s", text, all);
	}
	return rules;
}

/* One problem that begins with @begin and has @part in it; @n rules are left. */
static void refused_in(const char *text, guint n, const char *begin, const char *part)
{
	g_autoptr(GPtrArray) problems = problems_new();
	g_autoptr(GPtrArray) rules = parsed_with(text, problems);
	g_autofree char *all = problems_format(problems);

	if (problems->len != 1 || !g_str_has_prefix(all, begin) || !strstr(all, part))
		g_error("%s\nexpected \"%s...%s...\" and got: %s", text, begin, part, all);
	if (rules->len != n)
		g_error("%s\nexpected %u rules and got %u", text, n, rules->len);
}

/* @rule, in line 2 between two good ones, is left out alone. */
static void refused(const char *rule, const char *part)
{
	g_autofree char *text =
		g_strdup_printf("rules = ( { match = { irq = 1; }; nice = 1; },\n%s,\n"
				"{ match = { irq = 3; }; nice = 3; } );",
				rule);

	refused_in(text, 2, "10-net.conf:2: ", part);
}

static void assert_same(const struct rule *a, const struct rule *b)
{
	g_assert_cmpstr(a->name, ==, b->name);
	for (int i = 0; i < RULE_KEYS; i++)
		g_assert_cmpstr(a->match[i], ==, b->match[i]);
	g_assert_cmpint(a->policy, ==, b->policy);
	g_assert_cmpint(a->priority, ==, b->priority);
	g_assert_cmpint(a->has_nice, ==, b->has_nice);
	g_assert_cmpint(a->nice, ==, b->nice);
	g_assert_cmpstr(a->affinity, ==, b->affinity);
	g_assert_cmpint(a->reset_on_fork, ==, b->reset_on_fork);
	g_assert_cmpuint(a->override, ==, b->override);
}

static void assert_round_trip(const GPtrArray *rules)
{
	g_autofree char *list = rules_format(rules);
	g_autofree char *text = g_strdup_printf("rules = %s;", list);
	g_autoptr(GPtrArray) again = parsed(text);

	g_assert_cmpuint(again->len, ==, rules->len);
	for (guint i = 0; i < rules->len; i++)
		assert_same(rules->pdata[i], again->pdata[i]);
}

static const char full[] =
	"# all keys\n"
	"rules = (\n"
	"\t{ name = \"a \\\"b\\\" \\\\ c\"; match = { irq = \"30-33, 24,25\"; action = \"eth*\";\n"
	"\t\tthread = \"irq/*-eth?\"; interface = \"eth0\"; pci = \"0000:00:1f.[2-4]\";\n"
	"\t\tdriver = \"e1000e\"; subsystem = \"net\"; };\n"
	"\t  policy = \"fifo\"; priority = 60; nice = -5; affinity = \"0-1, 3\";\n"
	"\t  reset_on_fork = true; override = [ \"rcu\", \"measuring\" ]; },\n"
	"\t{ match = { kthread = \"napi/eth0-*\"; }; policy = \"other\"; nice = 19; },\n"
	"\t{ match = { parport = \"parport0\"; irq = 7; }; affinity = \"!2\"; }\n"
	");\n";

static void test_full(void)
{
	g_autoptr(GPtrArray) rules = parsed(full);
	const struct rule *r = rules->pdata[0];

	g_assert_cmpuint(rules->len, ==, 3);
	g_assert_cmpstr(r->name, ==, "a \"b\" \\ c");
	g_assert_cmpstr(r->file, ==, "10-net.conf");
	g_assert_cmpuint(r->line, ==, 3);
	g_assert_cmpstr(r->match[RULE_IRQ], ==, "24-25,30-33");
	g_assert_cmpstr(r->match[RULE_ACTION], ==, "eth*");
	g_assert_cmpstr(r->match[RULE_THREAD], ==, "irq/*-eth?");
	g_assert_cmpstr(r->match[RULE_INTERFACE], ==, "eth0");
	g_assert_cmpstr(r->match[RULE_PCI], ==, "0000:00:1f.[2-4]");
	g_assert_cmpstr(r->match[RULE_DRIVER], ==, "e1000e");
	g_assert_cmpstr(r->match[RULE_SUBSYSTEM], ==, "net");
	g_assert_null(r->match[RULE_PARPORT]);
	g_assert_null(r->match[RULE_KTHREAD]);
	g_assert_cmpint(r->policy, ==, SCHED_FIFO);
	g_assert_cmpint(r->priority, ==, 60);
	g_assert_true(r->has_nice && r->nice == -5);
	g_assert_cmpstr(r->affinity, ==, "0-1, 3");
	g_assert_true(r->reset_on_fork);
	g_assert_cmpuint(r->override, ==, OVERRIDE_RCU | OVERRIDE_MEASURING);
	r = rules->pdata[1];
	g_assert_cmpstr(r->name, ==, "10-net/2");
	g_assert_cmpint(r->policy, ==, SCHED_OTHER);
	g_assert_cmpint(r->priority, ==, -1);
	g_assert_null(r->affinity);
	r = rules->pdata[2];
	g_assert_cmpuint(r->line, ==, 9);
	g_assert_cmpstr(r->match[RULE_IRQ], ==, "7");
	g_assert_cmpint(r->policy, ==, -1);
	g_assert_false(r->has_nice);
	assert_round_trip(rules);
}

static void test_copy(void)
{
	GPtrArray *rules = parsed(full);
	g_autoptr(GPtrArray) copy = rules_copy(rules);

	g_ptr_array_unref(rules);
	g_assert_cmpuint(copy->len, ==, 3);
	g_assert_cmpstr(((struct rule *)copy->pdata[0])->match[RULE_INTERFACE], ==, "eth0");
	assert_round_trip(copy); /* nothing of it was shared */
}

static void test_shapes(void)
{
	static const char *const good[] = {
		"rules = ( { match = { irq = 24; }; priority = 60; } );",
		"rules = ( { match = { irq = 0; }; priority = 1; } );",
		"rules = ( { match = { irq = 24; }; nice = -20; } );",
		"rules = ( { match = { irq = 24; }; affinity = \"all\"; } );",
		"rules = ( { match = { irq = 24; }; policy = \"other\"; priority = 0; } );",
		"rules = ( { match = { irq = 24; }; policy = \"batch\"; reset_on_fork = true; } );",
		"rules = ( { match = { irq = 24; }; policy = \"idle\"; } );",
		"rules = ( { match = { irq = 24; }; policy = \"rr\"; priority = 99; } );",
		"rules = ( { match = { irq = 24; }; priority = 9; override = ( \"softirq\" ); } );",
		/* the same again, or in other words, contradicts nothing */
		"rules = ( { match = { irq = 24; }; nice = 1; },"
		" { match = { irq = \"24\"; }; nice = 1; } );",
		"rules = ( { match = { irq = \"1,2\"; }; affinity = \"0,1\"; },"
		" { match = { irq = \"1-2\"; }; affinity = \"0-1\"; } );",
		/* another attribute, or another match */
		"rules = ( { match = { irq = 24; }; nice = 1; },"
		" { match = { irq = 24; }; priority = 5; } );",
		"rules = ( { match = { irq = 24; }; nice = 1; },"
		" { match = { irq = 24; action = \"*\"; }; nice = 2; } );",
		"rules = ( { match = { thread = \"*-eth0\"; irq = 5; }; nice = 1; } );",
		"rules = ( { match = { thread = \"irq/5-*\"; irq = \"4-6\"; }; nice = 1; } );",
		"rules = ( { match = { thread = \"i*\"; }; nice = 1; } );",
		"rules = ( { match = { kthread = \"*\"; interface = \"eth0\"; }; nice = 1; } );",
	};

	for (size_t i = 0; i < G_N_ELEMENTS(good); i++) {
		g_autoptr(GPtrArray) rules = parsed(good[i]);

		g_assert_cmpuint(rules->len, >=, 1);
		assert_round_trip(rules);
	}
}

static void test_nothing(void)
{
	static const char *const none[] = { "", "# nothing yet\n// nor here\n", "rules = ( );" };

	for (size_t i = 0; i < G_N_ELEMENTS(none); i++) {
		g_autoptr(GPtrArray) rules = parsed(none[i]);

		g_assert_cmpuint(rules->len, ==, 0);
		assert_round_trip(rules);
	}
}

static void test_refused_attributes(void)
{
	refused("{ match = { irq = 2; }; policy = \"fifoo\"; priority = 5; }",
		"there is no policy \"fifoo\"; there are other, batch, idle, fifo and rr; did you "
		"mean \"fifo\"?");
	refused("{ match = { irq = 2; }; policy = \"SCHED_FIFO\"; priority = 5; }",
		"there is no policy \"SCHED_FIFO\"; there are other");
	refused("{ match = { irq = 2; }; policy = \"deadline\"; }", "cannot set policy deadline");
	refused("{ match = { irq = 2; }; policy = 1; }", "text in double quotes");
	refused("{ match = { irq = 2; }; policy = \"fifo\"; }",
		"policy fifo needs a priority from 1 to 99 in the same rule");
	refused("{ match = { irq = 2; }; policy = \"rr\"; nice = 1; }",
		"policy rr needs a priority");
	refused("{ match = { irq = 2; }; policy = \"fifo\"; priority = 0; }", "takes 1 to 99");
	refused("{ match = { irq = 2; }; policy = \"fifo\"; priority = 100; }", "0 to 99");
	refused("{ match = { irq = 2; }; policy = \"fifo\"; priority = -1; }", "0 to 99");
	refused("{ match = { irq = 2; }; priority = 4294967298L; }", "0 to 99");
	refused("{ match = { irq = 2; }; priority = \"50\"; }", "without quotes");
	refused("{ match = { irq = 2; }; priority = 0; }", "write which");
	refused("{ match = { irq = 2; }; policy = \"other\"; priority = 5; }",
		"policy other has no priority");
	refused("{ match = { irq = 2; }; nice = 20; }", "-20 to 19");
	refused("{ match = { irq = 2; }; nice = -21; }", "-20 to 19");
	refused("{ match = { irq = 2; }; affinity = \"3-1\"; }", "backwards");
	refused("{ match = { irq = 2; }; affinity = \"\"; }", "empty");
	refused("{ match = { irq = 2; }; affinity = 1; }", "text in double quotes");
	refused("{ match = { irq = 2; }; nice = 1; reset_on_fork = true; }", "with a policy");
	refused("{ match = { irq = 2; }; nice = 1; override = [ \"rcu\" ]; }", "sets neither");
	refused("{ match = { irq = 2; }; priority = 5; override = [ \"rcu\", \"softirqs\" ]; }",
		"no guard \"softirqs\"; there are softirq, rcu and measuring; did you mean "
		"\"softirq\"?");
	refused("{ match = { irq = 2; }; priority = 5; override = [ \"everything\" ]; }",
		"there are softirq, rcu and measuring");
	refused("{ match = { irq = 2; }; priority = 5; override = \"rcu\"; }", "several texts");
	refused("{ match = { irq = 2; }; }", "sets nothing");
	refused("{ match = { irq = 2; }; name = \"\"; nice = 1; }", "one line of 1 to 64");
	refused("{ match = { irq = 2; }; name = \"a\\nb\"; nice = 1; }", "one line of 1 to 64");
	refused("{ match = { irq = 2; }; prioritty = 5; nice = 1; }",
		"no key \"prioritty\"; did you mean \"priority\"?");
	refused("5", "groups in braces only");
}

static void test_refused_match(void)
{
	refused("{ nice = 1; }", "needs a match");
	refused("{ match = \"eth0\"; nice = 1; }", "takes a group: { ... }");
	refused("{ match = { }; nice = 1; }", "asks for nothing");
	refused("{ match = { iface = \"eth0\"; interface = \"eth0\"; }; nice = 1; }",
		"no key \"iface\"");
	refused("{ match = { irq = -1; }; nice = 1; }", "0 to 2147483647");
	refused("{ match = { irq = true; }; nice = 1; }", "whole number");
	refused("{ match = { irq = \"\"; }; nice = 1; }", "is empty");
	refused("{ match = { irq = \"24-\"; }; nice = 1; }", "takes numbers of interrupts");
	refused("{ match = { irq = \"33-30\"; }; nice = 1; }", "write 30-33");
	refused("{ match = { irq = \"eth0\"; }; nice = 1; }", "takes numbers of interrupts");
	refused("{ match = { irq = \"24 25\"; }; nice = 1; }", "commas between");
	refused("{ match = { irq = \"24,\"; }; nice = 1; }", "last comma");
	refused("{ match = { irq = \"99999999999\"; }; nice = 1; }", "above 2147483647");
	refused("{ match = { action = \"\"; }; nice = 1; }", "matches nothing");
	refused("{ match = { action = 5; }; nice = 1; }", "text in double quotes");
	refused("{ match = { action = \"a\\nb\"; }; nice = 1; }", "one line");
	refused("{ match = { action = \"a\\\\\"; }; nice = 1; }", "ends in a backslash");
	refused("{ match = { action = \"e[[:digit:]]\"; }; nice = 1; }", "no class");
	refused("{ match = { action = \"*-ahci[0000:00:1f.2]\"; }; nice = 1; }",
		"\"[0000:00:1f.2]\" in it stands for one character");
	refused("{ match = { thread = \"eth0\"; }; nice = 1; }", "thread = \"irq/*-eth0\"");
	refused("{ match = { thread = \"ir\"; }; nice = 1; }", "none is called \"ir\"");
	refused("{ match = { thread = \"irq/5-eth0\"; irq = 6; }; nice = 1; }", "nothing is both");
	refused("{ match = { thread = \"irq/*\"; kthread = \"napi/*\"; }; nice = 1; }",
		"nothing is both");
	refused("{ match = { irq = 5; kthread = \"napi/*\"; }; nice = 1; }", "nothing is both");
	refused("{ match = { kthread = \"irq/*-eth0\"; }; nice = 1; }",
		"write thread = \"irq/*-eth0\"");
}

/* Two rules of a file that cannot both be meant: the later one is left out. */
static void test_conflicts(void)
{
	static const char *const pairs[][3] = {
		{ "nice = 1;", "nice = 2;", "sets nice otherwise" },
		{ "priority = 5;", "priority = 6;", "sets priority otherwise" },
		{ "policy = \"fifo\"; priority = 5;", "policy = \"rr\"; priority = 5;",
		  "sets policy otherwise" },
		{ "policy = \"other\";", "policy = \"other\"; reset_on_fork = true;",
		  "sets reset_on_fork otherwise" },
		{ "affinity = \"0\";", "affinity = \"1\";", "sets affinity otherwise" },
		{ "nice = 1; affinity = \"0\";", "affinity = \"0-1\"; priority = 5;",
		  "the rule \"10-net/1\" in line 1 matches the same" },
	};

	for (size_t i = 0; i < G_N_ELEMENTS(pairs); i++) {
		g_autofree char *text = g_strdup_printf(
			"rules = ( { match = { irq = \"4,5\"; action = \"x\"; }; %s },\n"
			"{ match = { action = \"x\"; irq = \"4-5\"; }; %s },\n"
			"{ match = { irq = 9; }; nice = 3; } );",
			pairs[i][0], pairs[i][1]);

		refused_in(text, 2, "10-net.conf:2: ", pairs[i][2]);
	}
	refused_in("rules = ( { name = \"x\"; match = { irq = 1; }; nice = 1; },\n"
		   "{ name = \"x\"; match = { irq = 2; }; nice = 1; } );",
		   1, "10-net.conf:2: ", "in line 1 is called \"x\", too");
	refused_in("rules = ( { name = \"10-net/2\"; match = { irq = 1; }; nice = 1; },\n"
		   "{ match = { irq = 2; }; nice = 1; } );",
		   1, "10-net.conf:2: ", "is called \"10-net/2\", too");
	/* one that is left out contradicts nothing, and names stay with their places */
	refused_in("rules = (\n{ match = { irq = 1; }; nice = 1; policy = \"x\"; },"
		   "{ match = { irq = 1; }; nice = 2; } );",
		   1, "10-net.conf:2: ", "no policy \"x\"");
}

/* Everything wrong with one rule is said at once, each at its own line. */
static void test_all_problems(void)
{
	g_autoptr(GPtrArray) problems = problems_new();
	g_autoptr(GPtrArray) rules =
		parsed_with("rules = ( {\nmatch = {\nirq = \"x\"; foo = 1; };\n"
			    "policy = \"x\";\npriority = 100;\nnice = 90;\n"
			    "bar = 1; } );\nrulez = 1;",
			    problems);
	g_autofree char *all = problems_format(problems);

	g_assert_cmpuint(rules->len, ==, 0);
	if (problems->len != 7)
		g_error("%s", all);
	g_assert_nonnull(strstr(all, "10-net.conf:3: there is no key \"foo\""));
	g_assert_nonnull(strstr(all, "10-net.conf:4: there is no policy"));
	g_assert_nonnull(strstr(all, "10-net.conf:5: \"priority\""));
	g_assert_nonnull(strstr(all, "10-net.conf:6: \"nice\""));
	g_assert_nonnull(strstr(all, "10-net.conf:7: there is no key \"bar\""));
	g_assert_nonnull(
		strstr(all, "10-net.conf:8: there is no key \"rulez\"; did you mean \"rules\"?"));
}

/* A whole file: what cannot be parsed has no rules; what is beside them costs them nothing. */
static void test_whole_file(void)
{
	refused_in("rules = ( { match = { irq = 1; }; nice = 1; }\nrules", 0,
		   "10-net.conf:2: ", "");
	refused_in("rules = ( { match = { irq = 1; }; nice = 1; } );\nrules = ( );", 0,
		   "10-net.conf:2: ", "");
	refused_in("rules = ( { match = { irq = 3000000000; }; nice = 1; } );", 0,
		   "10-net.conf:1: ", "would be read as another number");
	refused_in("rules = { match = { irq = 1; }; nice = 1; };", 0,
		   "10-net.conf:1: ", "list of groups");
	refused_in("rules = ( { match = { irq = 1; }; nice = 1; } );\nrule = 1;", 1,
		   "10-net.conf:2: ", "did you mean \"rules\"?");
}

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

static void test_words(void)
{
	g_autofree char *all = rule_overrides_format(7);
	g_autofree char *none = rule_overrides_format(0);

	for (int i = 0; i < RULE_KEYS; i++)
		g_assert_cmpint(rule_key_from_string(rule_key_to_string(i)), ==, i);
	g_assert_null(rule_key_to_string(RULE_KEYS));
	g_assert_cmpint(rule_key_from_string("irqs"), ==, -EINVAL);
	g_assert_cmpint(rule_override_from_string("softirq"), ==, OVERRIDE_SOFTIRQ);
	g_assert_cmpint(rule_override_from_string("rcu"), ==, OVERRIDE_RCU);
	g_assert_cmpint(rule_override_from_string("measuring"), ==, OVERRIDE_MEASURING);
	g_assert_cmpint(rule_override_from_string(""), ==, -EINVAL);
	g_assert_cmpstr(all, ==, "softirq, rcu, measuring");
	g_assert_cmpstr(none, ==, "");
}

struct tree {
	char *base;
	char *etc, *lib;
	const char *dirs[3];
};

static void tree_init(struct tree *t, gconstpointer unused)
{
	t->base = g_dir_make_tmp("lrtbf-rule-XXXXXX", NULL);
	t->etc = g_build_filename(t->base, "etc", NULL);
	t->lib = g_build_filename(t->base, "lib", NULL);
	g_assert_cmpint(mkdir(t->etc, 0755), ==, 0);
	g_assert_cmpint(mkdir(t->lib, 0755), ==, 0);
	t->dirs[0] = t->etc;
	t->dirs[1] = t->lib;
}

static void remove_tree(const char *path)
{
	g_autoptr(GDir) dir = g_dir_open(path, 0, NULL);
	const char *name;

	while (dir && (name = g_dir_read_name(dir))) {
		g_autofree char *inner = g_build_filename(path, name, NULL);

		if (g_file_test(inner, G_FILE_TEST_IS_DIR) &&
		    !g_file_test(inner, G_FILE_TEST_IS_SYMLINK))
			remove_tree(inner);
		else
			(void)unlink(inner);
	}
	(void)rmdir(path);
}

static void tree_done(struct tree *t, gconstpointer unused)
{
	remove_tree(t->base);
	g_free(t->base);
	g_free(t->etc);
	g_free(t->lib);
}

static void write_text(const struct tree *t, const char *name, const char *text)
{
	g_autofree char *path = g_build_filename(t->base, name, NULL);
	g_autofree char *dir = g_path_get_dirname(path);

	g_assert_cmpint(g_mkdir_with_parents(dir, 0755), ==, 0);
	g_assert_true(g_file_set_contents(path, text, -1, NULL));
	g_assert_cmpint(chmod(path, 0644), ==, 0);
}

/* Names of the rules that were read; *ret_problems as text. */
static char *names_read(const struct tree *t, char **ret_problems)
{
	g_autoptr(GPtrArray) problems = problems_new();
	g_autoptr(GPtrArray) rules = rules_read(t->dirs, problems);
	GString *names = g_string_new(NULL);

	for (guint i = 0; i < rules->len; i++)
		g_string_append_printf(names, "%s ", ((struct rule *)rules->pdata[i])->name);
	*ret_problems = problems_format(problems);
	return g_string_free(names, FALSE);
}

static void expect_read(const struct tree *t, const char *names)
{
	g_autofree char *problems = NULL;
	g_autofree char *got = names_read(t, &problems);

	g_assert_cmpstr(problems, ==, "");
	g_assert_cmpstr(got, ==, names);
}

static const char one_rule[] = "rules = ( { match = { irq = 1; }; nice = 1; } );";

static void test_read(struct tree *t, gconstpointer unused)
{
	g_autofree char *mask = g_build_filename(t->etc, "irq.d", "30-z.conf", NULL);

	expect_read(t, "");
	write_text(t, "lib/irq.d/20-b.conf", one_rule);
	write_text(t, "lib/irq.d/30-z.conf", one_rule);
	write_text(t, "etc/irq.d/10-net.conf",
		   "rules = ( { match = { irq = 1; }; nice = 1; },"
		   " { match = { irq = 2; }; nice = 1; } );");
	write_text(t, "etc/irq.d/a.conf", "# nothing\n");
	write_text(t, "etc/irq.d/README", "not rules");
	expect_read(t, "10-net/1 10-net/2 20-b/1 30-z/1 ");
	g_assert_cmpint(symlink("/dev/null", mask), ==, 0);
	expect_read(t, "10-net/1 10-net/2 20-b/1 ");
	/* a stronger folder's file replaces; a drop-in replaces the list, and is what is to blame
	 */
	write_text(t, "etc/irq.d/20-b.conf", "rules = ( );");
	write_text(t, "etc/irq.d/10-net.conf.d/x.conf", one_rule);
	expect_read(t, "10-net/1 ");
}

static void test_read_problems(struct tree *t, gconstpointer unused)
{
	g_autofree char *writable = g_build_filename(t->base, "etc/irq.d/60-open.conf", NULL);
	g_autofree char *problems = NULL;
	g_autofree char *names = NULL;

	write_text(t, "etc/irq.d/10-a.conf", "rules = ( {");
	write_text(t, "etc/irq.d/20-b.conf", one_rule);
	write_text(t, "etc/irq.d/30-c.conf", one_rule);
	write_text(t, "etc/irq.d/30-c.conf.d/x.conf",
		   "\nrules = ( { match = { irq = 1; }; nice = 100; },"
		   " { match = { irq = 2; }; nice = 1; } );");
	write_text(t, "etc/irq.d/40-Net.conf", one_rule);
	write_text(t, "etc/irq.d/50-net.bak.conf", one_rule);
	write_text(t, "etc/irq.d/60-open.conf", one_rule);
	g_assert_cmpint(chmod(writable, 0666), ==, 0);
	names = names_read(t, &problems);
	g_assert_cmpstr(names, ==, "20-b/1 30-c/2 ");
	g_assert_nonnull(strstr(problems, "irq.d/10-a.conf:1: "));
	g_assert_nonnull(strstr(problems, "irq.d/30-c.conf.d/x.conf:2: \"nice\" is 100"));
	g_assert_nonnull(strstr(problems, "40-Net.conf: is not read: a name has small letters, "
					  "digits, _ and - only"));
	g_assert_nonnull(strstr(problems, "50-net.bak.conf: is not read"));
	g_assert_nonnull(strstr(problems, "60-open.conf: may be written by"));
}

/* Shipped: nothing is active, and what the comments show would work. */
static void test_shipped(void)
{
	const char *const dirs[] = { g_getenv("CONF"), NULL };
	g_autoptr(GPtrArray) problems = problems_new();
	g_autoptr(GPtrArray) rules = rules_read(dirs, problems);
	g_autofree char *path = g_build_filename(g_getenv("CONF"), "irq.d", "examples.conf", NULL);
	g_autofree char *all = problems_format(problems);
	g_autofree char *text = NULL;
	g_autoptr(GString) examples = g_string_new(NULL);
	g_autoptr(GPtrArray) shown = NULL;
	g_auto(GStrv) lines = NULL;

	g_assert_cmpstr(all, ==, "");
	g_assert_cmpuint(rules->len, ==, 0);
	g_assert_true(g_file_get_contents(path, &text, NULL, NULL));
	lines = g_strsplit(text, "\n", -1);
	for (char **l = lines; *l; l++)
		if (g_str_has_prefix(*l, "#\t"))
			g_string_append_printf(examples, "%s\n", *l + 2);
	shown = parsed(examples->str);
	g_assert_cmpuint(shown->len, >=, 5);
}

/* Every key stands in the manual. */
static void test_documented(void)
{
	static const char *const others[] = { "name",  "match",	   "policy",	    "priority",
					      "nice",  "affinity", "reset_on_fork", "override",
					      "rules", NULL };
	const char *const *const lists[] = { rule_key_names, rule_override_names, others };
	g_autofree char *path =
		g_build_filename(g_getenv("CONF"), "..", "docs", "lrtbfd-irq.5", NULL);
	g_autofree char *page = NULL;

	g_assert_true(g_file_get_contents(path, &page, NULL, NULL));
	for (size_t i = 0; i < G_N_ELEMENTS(lists); i++)
		for (const char *const *key = lists[i]; *key; key++) {
			g_autofree char *pattern =
				g_strdup_printf("\n\\.TP\n\\.BR? %s( |\n)", *key);

			if (!g_regex_match_simple(pattern, page, 0, 0))
				g_error("\"%s\" is not in lrtbfd-irq(5)", *key);
		}
}

#define ADD(name, func) g_test_add("/rule/" name, struct tree, NULL, tree_init, func, tree_done)

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/rule/full", test_full);
	g_test_add_func("/rule/copy", test_copy);
	g_test_add_func("/rule/shapes", test_shapes);
	g_test_add_func("/rule/nothing", test_nothing);
	g_test_add_func("/rule/refused-attributes", test_refused_attributes);
	g_test_add_func("/rule/refused-match", test_refused_match);
	g_test_add_func("/rule/conflicts", test_conflicts);
	g_test_add_func("/rule/all-problems", test_all_problems);
	g_test_add_func("/rule/whole-file", test_whole_file);
	g_test_add_func("/rule/match", test_match);
	g_test_add_func("/rule/match-rule", test_match_rule);
	g_test_add_func("/rule/index", test_index);
	g_test_add_func("/rule/resolve", test_resolve);
	g_test_add_func("/rule/resolve-priority", test_resolve_priority);
	g_test_add_func("/rule/glob", test_glob);
	g_test_add_func("/rule/irqlist", test_irqlist);
	g_test_add_func("/rule/words", test_words);
	ADD("read", test_read);
	ADD("read-problems", test_read_problems);
	g_test_add_func("/rule/shipped", test_shipped);
	g_test_add_func("/rule/documented", test_documented);
	return g_test_run();
}
