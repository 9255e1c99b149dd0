/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Rules for interrupts within a plan.
 */
#include "conftree.h"
#include "plan-shared.h"
#include "rule.h"

#include <errno.h>
#include <string.h>

#define RULE_1 "{ match = { interface = \"*\"; }; policy = \"other\"; nice = 19; }"
#define RULE_2                                                                                     \
	"{ name = \"port\"; match = { parport = \"parport0\"; irq = \"7,5\"; }; policy = "         \
	"\"fifo\";"                                                                                \
	" priority = 90; affinity = \"1\"; override = [ \"measuring\" ]; }"

static void test_rules(void)
{
	struct plan *p = parsed("priority = 80;\nirq_rules = (\n" RULE_1 ",\n" RULE_2 " );");
	struct plan *copy = plan_copy(p);
	const struct rule *r = copy->irq_rules->pdata[0];
	g_autofree char *why = NULL;

	assert_round_trip(p);
	plan_free(p);
	g_assert_cmpuint(copy->irq_rules->len, ==, 2);
	g_assert_cmpstr(r->name, ==, "plan:x/1");
	g_assert_cmpstr(r->file, ==, "x.conf");
	g_assert_cmpuint(r->line, ==, 3);
	g_assert_cmpint(r->nice, ==, 19);
	r = copy->irq_rules->pdata[1];
	g_assert_cmpstr(r->name, ==, "port");
	g_assert_cmpstr(r->match[RULE_IRQ], ==, "5,7");
	override(copy, "policy", "rr");
	override(copy, "priority", "30");
	g_assert_cmpint(plan_check(copy, &why), ==, 0); /* the rule says that it may */
	assert_format_round_trip(copy);
	plan_free(copy);
}

/* A plan is not half valid: one bad rule refuses it. */
static void test_rules_refused(void)
{
	static const char above[] =
		"\nirq_rules = ( { match = { irq = 1; }; policy = \"rr\"; priority = 80; } );";
	struct plan *p;
	g_autofree char *why = NULL;

	refused("irq_rules = (\n" RULE_1 ",\n{ match = { irq = 5; }; policy = \"fifoo\"; } );",
		"x.conf:3: ", "did you mean \"fifo\"?");
	refused("irq_rules = ( 5 );", "x.conf:1: ", "groups in braces only");
	refused("irq_rules = " RULE_1 ";", "x.conf:1: ", "list of groups");
	refused("irq_rules = ( { match = { irq = 1; }; nice = 1; },\n"
		"{ match = { irq = 1; }; nice = 2; } );",
		"x.conf:2: ", "the rule \"plan:x/1\" in line 1 matches the same");
	refused("irq_rules = ( { match = { irq = 1; };\nnise = 1; nice = 1; } );",
		"x.conf:2: ", "did you mean \"nice\"?");
	refused("rules = ( );", "x.conf:1: ", "no key \"rules\"");
	refused(above, "x.conf:2: ", "at or above the measuring threads' 80");

	p = parsed("priority = 81; irq_rules = ( { match = { irq = 1; }; priority = 80; } );");
	override(p, "priority", "80");
	g_assert_cmpint(plan_check(p, &why), ==, -EINVAL);
	g_assert_nonnull(strstr(why, "\"plan:x/1\" gives priority 80, at or above"));
	override(p, "priority", "50");
	override(p, "policy", "other");
	p->priority = 0;
	g_assert_cmpint(plan_check(p, NULL), ==, 0); /* nobody to be in the way of */
	plan_free(p);
}

/* A drop-in replaces the list, and is what its problems name. */
static void test_rules_dropin(void)
{
	g_autoptr(GPtrArray) problems = problems_new();
	struct conftree_file drop = { .path = "1.conf", .text = "\nirq_rules = ( " RULE_2 " );" };
	struct conftree_file base = { .name = "x",
				      .path = "x.conf",
				      .text = "irq_rules = ( " RULE_1 ", " RULE_2 " );",
				      .problems = problems_new(),
				      .dropins = g_ptr_array_new() };
	g_autofree char *all = NULL;
	const struct rule *r;
	struct plan *p;

	base.size = strlen(base.text);
	drop.size = strlen(drop.text);
	g_ptr_array_add(base.dropins, &drop);
	p = plan_from_file(&base, problems);
	g_assert_nonnull(p);
	g_assert_cmpuint(p->irq_rules->len, ==, 1);
	r = p->irq_rules->pdata[0];
	g_assert_cmpstr(r->file, ==, "1.conf");
	g_assert_cmpuint(r->line, ==, 2);
	assert_round_trip(p);
	plan_free(p);

	drop.text = "\n\nirq_rules = ( { match = { irq = 1; }; nice = 20; } );";
	drop.size = strlen(drop.text);
	g_assert_null(plan_from_file(&base, problems));
	all = problems_format(problems);
	g_assert_true(g_str_has_prefix(all, "1.conf:3: \"nice\" is 20"));
	g_ptr_array_unref(base.problems);
	g_ptr_array_unref(base.dropins);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/plan/rules", test_rules);
	g_test_add_func("/plan/rules-refused", test_rules_refused);
	g_test_add_func("/plan/rules-dropin", test_rules_dropin);
	return g_test_run();
}
