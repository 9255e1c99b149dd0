/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A rule as it is written: what is understood, what is refused and with which words, and that the
 * manual has all of it.
 */
#include "conftree.h"
#include "rule-shared.h"
#include "rule.h"

#include <errno.h>
#include <sched.h>
#include <string.h>

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
	g_test_add_func("/rule/words", test_words);
	g_test_add_func("/rule/documented", test_documented);
	return g_test_run();
}
