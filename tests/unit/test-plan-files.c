/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Plans as they lie in folders: those that are shipped, drop-ins, and the loads that they name; and
 * that the manual has every key.
 */
#include "conftree.h"
#include "load.h"
#include "plan-keys.h"
#include "plan-shared.h"

#include <errno.h>
#include <string.h>

static GHashTable *shipped_loads(const char *const *dirs)
{
	GHashTable *loads =
		g_hash_table_new_full(g_str_hash, g_str_equal, NULL, (GDestroyNotify)load_free);
	g_autoptr(GPtrArray) problems = problems_new();
	g_autoptr(GPtrArray) files = NULL;

	files = conftree_list(dirs, "loads.d");
	for (guint i = 0; i < files->len; i++) {
		struct load *l = load_from_file(files->pdata[i], problems);

		if (!l) {
			g_autofree char *all = problems_format(problems);

			g_error("%s", all);
		}
		g_hash_table_insert(loads, l->name, l);
	}
	return loads;
}

/* The plans that come with it stand, and all their loads are there. */
static void test_shipped(void)
{
	const char *const dirs[] = { g_getenv("CONF"), NULL };
	static const char *const names[] = {
		"quick",	  "timer",   "cpuloop",		 "hell",
		"soak",		  "netnice", "parport_loopback", "parport_logger",
		"parport_target", "ktimer",  "kernels",
	};
	g_autoptr(GHashTable) loads = shipped_loads(dirs);
	g_autoptr(GPtrArray) problems = problems_new();

	for (size_t i = 0; i < G_N_ELEMENTS(names); i++) {
		struct conftree_file *f;
		struct plan *p;

		g_assert_cmpint(conftree_get(dirs, "plans.d", names[i], &f), ==, 0);
		p = plan_from_file(f, problems);
		if (!p || plan_check_loads(p, loads, problems) < 0) {
			g_autofree char *all = problems_format(problems);

			g_error("%s", all);
		}
		g_assert_cmpstr(p->text, ==, f->text);
		assert_round_trip(p);
		plan_free(p);
		conftree_file_free(f);
	}
}

/* Every key of the table is in the man page as a key of its own. */
static void test_documented(void)
{
	g_autofree char *path =
		g_build_filename(g_getenv("CONF"), "..", "docs", "lrtbfd-plan.5", NULL);
	g_autofree char *page = NULL;

	g_assert_true(g_file_get_contents(path, &page, NULL, NULL));
	for (const struct plan_key *k = plan_keys; k->name; k++) {
		g_autofree char *pattern =
			g_strdup_printf("\n\\.TP\n\\.BR ([a-z]+ \", \" )*%s ", k->name);

		if (!g_regex_match_simple(pattern, page, 0, 0))
			g_error("the key \"%s\" is not in lrtbfd-plan(5)", k->name);
	}
	g_assert_nonnull(strstr(page, "\n.TP\n.BR irq_rules "));
	g_assert_nonnull(strstr(page, "\n.TP\n.BR keep "));
}

static void test_check_loads(void)
{
	g_autoptr(GHashTable) loads =
		g_hash_table_new_full(g_str_hash, g_str_equal, NULL, (GDestroyNotify)load_free);
	g_autoptr(GPtrArray) problems = problems_new();
	struct plan *p = parsed("\nstages = (\n{ load = \"none\"; },\n{ load = \"hdd\"; } );");
	struct load *none = load_parse("none", "description = \"\";", 17, "none.conf", problems);
	g_autofree char *all = NULL;

	g_hash_table_insert(loads, none->name, none);
	g_assert_cmpint(plan_check_loads(p, loads, problems), ==, -EINVAL);
	all = problems_format(problems);
	g_assert_true(g_str_has_prefix(all, "x.conf:4: there is no load \"hdd\""));
	plan_free(p);
}

static void test_dropins(void)
{
	g_autoptr(GPtrArray) problems = problems_new();
	struct conftree_file drop1 = { .path = "1.conf",
				       .text = "interval = \"2ms\";",
				       .size = 17 };
	struct conftree_file drop2 = { .path = "2.conf",
				       .text = "\ncpus = \"0\"; limits = [ ];",
				       .size = 26 };
	struct conftree_file base = { .name = "x",
				      .path = "x.conf",
				      .text = "interval = \"1ms\"; limits = [ \"max <= 1ms\" ];",
				      .problems = problems_new(),
				      .dropins = g_ptr_array_new() };
	g_autofree char *all = NULL;
	struct plan *p;

	base.size = strlen(base.text);
	g_ptr_array_add(base.dropins, &drop1);
	g_ptr_array_add(base.dropins, &drop2);
	p = plan_from_file(&base, problems);
	g_assert_nonnull(p);
	g_assert_cmpuint(p->interval_ns, ==, 2000000);
	g_assert_cmpstr(p->cpus, ==, "0");
	g_assert_cmpuint(p->limits->len, ==, 0);
	assert_round_trip(p);
	plan_free(p);

	drop2.text = "\ncpus = \"9-0\"; priorty = 5;";
	drop2.size = strlen(drop2.text);
	g_assert_null(plan_from_file(&base, problems));
	all = problems_format(problems);
	g_assert_cmpuint(problems->len, ==, 2);
	g_assert_true(g_str_has_prefix(all, "2.conf:2: "));
	g_assert_nonnull(
		strstr(all, "\n2.conf:2: there is no key \"priorty\"; did you mean \"priority\"?"));
	g_ptr_array_unref(base.problems);
	g_ptr_array_unref(base.dropins);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/plan/shipped", test_shipped);
	g_test_add_func("/plan/documented", test_documented);
	g_test_add_func("/plan/check-loads", test_check_loads);
	g_test_add_func("/plan/dropins", test_dropins);
	return g_test_run();
}
