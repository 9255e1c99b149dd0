/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "load.h"

#include "conftree.h"

#include <errno.h>
#include <string.h>

static struct load *parsed(const char *name, const char *text)
{
	g_autoptr(GPtrArray) problems = problems_new();
	struct load *l = load_parse(name, text, strlen(text), "x.conf", problems);

	if (!l) {
		g_autofree char *all = problems_format(problems);

		g_error("refused: %s", all);
	}
	return l;
}

static void refused(const char *name, const char *text, const char *begin, const char *part)
{
	g_autoptr(GPtrArray) problems = problems_new();
	struct load *l = load_parse(name, text, strlen(text), "x.conf", problems);
	g_autofree char *all = problems_format(problems);

	if (l || problems->len != 1 || !g_str_has_prefix(all, begin) || !strstr(all, part))
		g_error("%s\nexpected \"%s...%s...\" and got: %s", text, begin, part, all);
}

static void test_full(void)
{
	struct load *l = parsed(
		"x", "description = \"d\"; command = [ \"dd\", \"if=/dev/zero\", \"\" ];\n"
		     "instances = 3; repeat = true; pause = \"10ms\"; restart_after = \"5s\";\n"
		     "scratch = \"512M\"; as_root = true; why_root = \"because\";\n"
		     "end_status = [ 0, 1, 63 ];\n"
		     "effects = ( { metric = \"bytes_written\"; at_least = 3000000000L; },\n"
		     " { metric = \"forks\"; at_least = 1; } );");
	const struct load_effect *e = l->effects->pdata[0];

	g_assert_cmpstr(l->name, ==, "x");
	g_assert_cmpstr(l->description, ==, "d");
	g_assert_cmpuint(g_strv_length(l->command), ==, 3);
	g_assert_cmpstr(l->command[2], ==, "");
	g_assert_null(l->parts);
	g_assert_cmpuint(l->instances, ==, 3);
	g_assert_true(l->repeat && l->as_root);
	g_assert_cmpstr(l->why_root, ==, "because");
	g_assert_cmpuint(l->pause_ns, ==, 10000000);
	g_assert_cmpuint(l->restart_after_ns, ==, 5000000000);
	g_assert_cmpuint(l->scratch_bytes, ==, 512 << 20);
	g_assert_cmpuint(l->end_statuses, ==, 3 | UINT64_C(1) << 63);
	g_assert_cmpuint(l->effects->len, ==, 2);
	g_assert_cmpstr(e->metric, ==, "bytes_written");
	g_assert_cmpuint(e->at_least, ==, 3000000000);
	g_assert_cmpstr(l->path, ==, "x.conf");
	load_free(l);
}

static void test_defaults(void)
{
	struct load *l = parsed("x", "command = [ \"/bin/true\" ];");

	g_assert_cmpuint(l->instances, ==, 1);
	g_assert_cmpuint(l->end_statuses, ==, 1);
	g_assert_false(l->repeat || l->as_root);
	g_assert_cmpuint(l->scratch_bytes, ==, 0);
	g_assert_cmpuint(l->restart_after_ns, ==, 0);
	g_assert_cmpuint(l->effects->len, ==, 0);
	load_free(l);
	l = parsed("none", "description = \"nothing\";");
	g_assert_null(l->command);
	g_assert_null(l->parts);
	load_free(l);
}

static void test_refused(void)
{
	refused("x", "", "x.conf: ", "is empty");
	refused("none", "", "x.conf: ", "is empty");
	refused("x", "description = \"d\";", "x.conf:", "neither a command nor parts");
	refused("x", "\ncomand = [ \"dd\" ]; parts = [ \"y\" ];",
		"x.conf:2: ", "did you mean \"command\"?");
	refused("x", "command = \"dd if=/dev/zero\";", "x.conf:1: ", "several texts");
	refused("x", "command = [ ];", "x.conf:1: ", "names no program");
	refused("x", "command = [ \"\" ];", "x.conf:1: ", "names no program");
	refused("x", "command = [ \"dd if=/dev/zero\" ];", "x.conf:1: ", "no shell");
	refused("x", "command = [ \"./dd\" ];", "x.conf:1: ", "relative path");
	refused("x", "command = [ 1 ];", "x.conf:1: ", "texts in double quotes");
	refused("x", "command = [ \"dd\" ];\nparts = [ \"y\" ];",
		"x.conf:2: ", "either a command or parts");
	refused("x", "parts = [ ];", "x.conf:1: ", "1 to 32");
	refused("x", "parts = [ \"a\", \n\"B\" ];", "x.conf:2: ", "no load's name");
	refused("x", "parts = [ \"a\", \n\"a\" ];", "x.conf:2: ", "named twice");
	refused("x", "parts = [ \"a\" ];\nrepeat = true;", "x.conf:2: ", "parts' own files");
	refused("none", "\ncommand = [ \"dd\" ];", "x.conf:2: ", "absence of load");
	refused("x", "command = [ \"dd\" ]; instances = 0;", "x.conf:1: ", "1 to 256");
	refused("x", "command = [ \"dd\" ]; instances = 257;", "x.conf:1: ", "1 to 256");
	refused("x", "command = [ \"dd\" ]; instances = 3000000000;",
		"x.conf:1: ", "another number");
	refused("x", "command = [ \"dd\" ]; pause = \"1s\";", "x.conf:1: ", "between repeats");
	refused("x", "command = [ \"dd\" ]; restart_after = \"1ms\";", "x.conf:1: ", "10ms to 1d");
	refused("x", "command = [ \"dd\" ]; restart_after = 5;", "x.conf:1: ", "bare number");
	refused("x", "command = [ \"dd\" ]; scratch = 512;", "x.conf:1: ", "\"512M\"");
	refused("x", "command = [ \"dd\" ]; scratch = \"0\";", "x.conf:1: ", "leave it out");
	refused("x", "command = [ \"dd\" ]; as_root = true;", "x.conf:1: ", "why_root = ");
	refused("x", "command = [ \"dd\" ]; as_root = true; why_root = \"\";",
		"x.conf:1: ", "why_root = ");
	refused("x", "command = [ \"dd\" ]; why_root = \"x\";", "x.conf:1: ", "without as_root");
	refused("x", "command = [ \"dd\" ]; as_root = \"yes\";", "x.conf:1: ", "true or false");
	refused("x", "command = [ \"dd\" ]; end_status = [ 0, 1 ];",
		"x.conf:1: ", "repeat = true only");
	refused("x", "command = [ \"dd\" ]; repeat = true; end_status = [ ];",
		"x.conf:1: ", "no exit status");
	refused("x", "command = [ \"dd\" ]; repeat = true; end_status = [ 64 ];",
		"x.conf:1: ", "0 to 63");
	refused("x", "command = [ \"dd\" ]; effects = ( { metric = \"cpu\"; at_least = 1; } );",
		"x.conf:1: ", "there are context_switches, forks");
	refused("x", "command = [ \"dd\" ]; effects = (\n{ at_least = 1; } );",
		"x.conf:2: ", "needs \"metric\"");
	refused("x", "command = [ \"dd\" ]; effects = (\n{ metric = \"forks\"; } );",
		"x.conf:2: ", "needs \"at_least\"");
	refused("x", "command = [ \"dd\" ]; effects = (\n{ metric = \"forks\"; at_least = 0; } );",
		"x.conf:2: ", "it takes 1 to");
	refused("x",
		"command = [ \"dd\" ]; effects = ( { metric = \"forks\"; at_least = 1; },\n"
		"{ metric = \"forks\"; at_least = 2; } );",
		"x.conf:2: ", "keep one");
	refused("x",
		"command = [ \"dd\" ]; effects = ( { metric = \"forks\"; at_least = 1; atleast = "
		"2; } );",
		"x.conf:1: ", "did you mean \"at_least\"?");
	refused("A-b", "command = [ \"dd\" ];", "x.conf: ", "small letters");
}

static void loads_add(GHashTable *loads, const char *name, const char *text)
{
	struct load *l = parsed(name, text);

	g_hash_table_insert(loads, l->name, l);
}

static GHashTable *loads_new(void)
{
	return g_hash_table_new_full(g_str_hash, g_str_equal, NULL, (GDestroyNotify)load_free);
}

/* "a,b,c", or the sentence when it cannot be opened. */
static char *expanded(GHashTable *loads, const char *name, int *ret_r)
{
	g_autoptr(GPtrArray) simple = NULL;
	GString *out = g_string_new(NULL);
	char *why = NULL;

	*ret_r = load_expand(loads, name, &simple, &why);
	if (*ret_r < 0) {
		g_string_free(out, TRUE);
		return why;
	}
	for (guint i = 0; i < simple->len; i++)
		g_string_append_printf(out, "%s%s", i ? "," : "",
				       ((struct load *)simple->pdata[i])->name);
	return g_string_free(out, FALSE);
}

static void test_expand(void)
{
	static const struct {
		const char *name;
		int r;
		const char *text;
	} cases[] = {
		{ "a", 0, "a" },
		{ "none", 0, "" },
		{ "ab", 0, "a,b" },
		{ "nested", 0, "c,a,b" },
		{ "shared", 0, "a,b,c" }, /* each once */
		{ "with_none", 0, "a" },
		{ "nowhere", -ENOENT, "there is no load \"nowhere\"" },
		{ "broken", -ENOENT, "there is no load \"gone\", a part of \"broken\"" },
		{ "self", -ELOOP, "the load \"self\" is made of itself" },
		{ "ring1", -ELOOP, "the load \"ring1\" is made of itself" },
	};
	g_autoptr(GHashTable) loads = loads_new();

	loads_add(loads, "none", "description = \"\";");
	loads_add(loads, "a", "command = [ \"a\" ];");
	loads_add(loads, "b", "command = [ \"b\" ];");
	loads_add(loads, "c", "command = [ \"c\" ];");
	loads_add(loads, "ab", "parts = [ \"a\", \"b\" ];");
	loads_add(loads, "nested", "parts = [ \"c\", \"ab\" ];");
	loads_add(loads, "shared", "parts = [ \"ab\", \"nested\", \"b\" ];");
	loads_add(loads, "with_none", "parts = [ \"none\", \"a\" ];");
	loads_add(loads, "broken", "parts = [ \"a\", \"gone\" ];");
	loads_add(loads, "self", "parts = [ \"a\", \"self\" ];");
	loads_add(loads, "ring1", "parts = [ \"ring2\" ];");
	loads_add(loads, "ring2", "parts = [ \"ring1\" ];");
	for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
		int r;
		g_autofree char *text = expanded(loads, cases[i].name, &r);

		g_assert_cmpint(r, ==, cases[i].r);
		g_assert_cmpstr(text, ==, cases[i].text);
	}
}

/* Composites of composites, each naming all of the level below: costs their number, not their
 * product. */
static void test_expand_width(void)
{
	g_autoptr(GHashTable) loads = loads_new();
	g_autofree char *text = NULL;
	g_autofree char *deep = NULL;
	int r;

	for (int level = 0; level < 8; level++) {
		for (int i = 0; i < 32; i++) {
			g_autofree char *name = g_strdup_printf("l%d_%d", level, i);
			g_autoptr(GString) body =
				g_string_new(level ? "parts = [" : "command = [ \"x\"");

			for (int j = 0; level && j < 32; j++)
				g_string_append_printf(body, "%s\"l%d_%d\"", j ? "," : "",
						       level - 1, j);
			g_string_append(body, " ];");
			loads_add(loads, name, body->str);
		}
	}
	text = expanded(loads, "l7_0", &r);
	g_assert_cmpint(r, ==, 0);
	g_assert_true(g_str_has_prefix(text, "l0_0,l0_1,l0_2"));

	loads_add(loads, "over8", "parts = [ \"l7_0\" ];");
	loads_add(loads, "over9", "parts = [ \"over8\" ];");
	deep = expanded(loads, "over9", &r);
	g_assert_cmpint(r, ==, -ELOOP);
}

static void test_shipped(void)
{
	const char *const dirs[] = { g_getenv("CONF"), NULL };
	static const char *const names[] = { "none",	      "hd",	   "null",
					     "interrupts",    "hackbench", "dohell_molnar",
					     "dohell_xenomai" };
	g_autoptr(GHashTable) loads = loads_new();
	g_autoptr(GPtrArray) problems = problems_new();
	g_autoptr(GPtrArray) files = NULL;
	g_autofree char *molnar = NULL;
	g_autofree char *xenomai = NULL;
	int r;

	files = conftree_list(dirs, "loads.d");
	for (guint i = 0; i < files->len; i++) {
		struct load *l = load_from_file(files->pdata[i], problems);

		if (l)
			g_hash_table_insert(loads, l->name, l);
	}
	if (problems->len > 0) {
		g_autofree char *all = problems_format(problems);

		g_error("%s", all);
	}
	for (size_t i = 0; i < G_N_ELEMENTS(names); i++) {
		g_autofree char *parts = expanded(loads, names[i], &r);

		g_assert_cmpint(r, ==, 0);
		g_assert_true(!*parts == (strcmp(names[i], "none") == 0));
	}
	/* two mixtures that share a name in the mails and little else */
	molnar = expanded(loads, "dohell_molnar", &r);
	xenomai = expanded(loads, "dohell_xenomai", &r);
	g_assert_cmpstr(molnar, ==, "bigfile,hackbench_killed,du");
	g_assert_cmpstr(xenomai, ==, "null,interrupts,proc,bigfile,ls");
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/load/full", test_full);
	g_test_add_func("/load/defaults", test_defaults);
	g_test_add_func("/load/refused", test_refused);
	g_test_add_func("/load/expand", test_expand);
	g_test_add_func("/load/expand-width", test_expand_width);
	g_test_add_func("/load/shipped", test_shipped);
	return g_test_run();
}
