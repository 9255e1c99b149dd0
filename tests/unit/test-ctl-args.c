/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The command line of lrtbfctl: where options may stand, and what is said about wrong ones. */
#include "args.h"
#include "help.h"
#include <errno.h>
#include <string.h>

#define PARSE(a, ...)                                                                              \
	do {                                                                                       \
		static const char *const argv_[] = { __VA_ARGS__, NULL };                          \
		g_autofree char *message_ = NULL;                                                  \
		int r_ = args_parse(a, argv_, &message_);                                          \
                                                                                                   \
		g_assert_null(message_);                                                           \
		g_assert_cmpint(r_, ==, 0);                                                        \
	} while (0)

#define REFUSED(expected, ...)                                                                     \
	do {                                                                                       \
		static const char *const argv_[] = { __VA_ARGS__, NULL };                          \
		g_autofree char *message_ = NULL;                                                  \
		struct args a_;                                                                    \
                                                                                                   \
		g_assert_cmpint(args_parse(&a_, argv_, &message_), ==, -EINVAL);                   \
		g_assert_cmpstr(message_, ==, expected);                                           \
		args_done(&a_);                                                                    \
	} while (0)

static void test_anywhere(void)
{
	struct args a;

	PARSE(&a, "--json", "session", "--wait", "start", "--duration=10s", "quick", "--label",
	      "a b");
	g_assert_cmpstr(a.verb->name, ==, "session start");
	g_assert_cmpuint(a.operands->len, ==, 1);
	g_assert_cmpstr(args_operand(&a, 0), ==, "quick");
	g_assert_null(args_operand(&a, 1));
	g_assert_cmpstr(args_value(&a, "duration"), ==, "10s");
	g_assert_cmpstr(args_value(&a, "label"), ==, "a b");
	g_assert_true(args_has(&a, "json"));
	g_assert_false(args_has(&a, "no-queue"));
	args_done(&a);
}

static void test_letters(void)
{
	struct args a;

	PARSE(&a, "-Hroot@there", "session", "report", "-o", "-", "-ofile");
	g_assert_cmpstr(args_value(&a, "host"), ==, "root@there");
	g_assert_cmpstr(args_value(&a, "output"), ==, "file"); /* the last one counts */
	args_done(&a);
}

static void test_double_dash(void)
{
	struct args a;

	PARSE(&a, "session", "delete", "--", "--json", "-x");
	g_assert_cmpuint(a.operands->len, ==, 2);
	g_assert_cmpstr(args_operand(&a, 0), ==, "--json");
	g_assert_false(args_has(&a, "json"));
	args_done(&a);
	PARSE(&a, "plan", "check", "-"); /* an operand */
	g_assert_cmpstr(args_operand(&a, 0), ==, "-");
	args_done(&a);
}

static void test_either(void)
{
	struct args a;

	PARSE(&a, "session", "start", "p", "--wait", "--no-wait");
	g_assert_false(args_either(&a, "wait", "no-wait", true));
	args_done(&a);
	PARSE(&a, "session", "start", "p", "--no-wait", "--wait");
	g_assert_true(args_either(&a, "wait", "no-wait", false));
	args_done(&a);
	PARSE(&a, "session", "start", "p");
	g_assert_true(args_either(&a, "wait", "no-wait", true));
	args_done(&a);
}

static void test_empty_value(void)
{
	struct args a;

	PARSE(&a, "session", "list", "--label=");
	g_assert_cmpstr(args_value(&a, "label"), ==, "");
	args_done(&a);
}

static void test_help_without_more(void)
{
	struct args a;

	PARSE(&a, "--help");
	g_assert_null(a.verb);
	args_done(&a);
	PARSE(&a, "session", "--help");
	g_assert_null(a.verb);
	args_done(&a);
	PARSE(&a, "session", "start", "--help"); /* no plan needed */
	g_assert_nonnull(a.verb);
	args_done(&a);
}

static void test_refused(void)
{
	static const char *const none[] = { NULL };
	g_autofree char *message = NULL;
	struct args a;

	g_assert_cmpint(args_parse(&a, none, &message), ==, -EINVAL);
	g_assert_cmpstr(message, ==, "Which command?");
	args_done(&a);

	REFUSED("There is no command 'sesion'. Did you mean 'session'?", "sesion", "start");
	REFUSED("There is no command 'session strat'. Did you mean 'session start'?", "session",
		"strat", "quick");
	REFUSED("There is no command 'session frobnicate'.", "session", "frobnicate");
	REFUSED("'plan' needs one of: list, show, check, "
		"schedule, enable, disable.",
		"plan");
	REFUSED("'session start' needs an argument: PLAN.", "session", "start");
	REFUSED("'session start' takes one argument: PLAN.", "session", "start", "a", "b");
	REFUSED("'status' takes no argument.", "status", "x");
	REFUSED("There is no option --wiat. Did you mean --wait?", "session", "start", "q",
		"--wiat");
	REFUSED("There is no option --dur.", "session", "start", "q", "--dur=1s");
	REFUSED("There is no option -q.", "-q", "status");
	REFUSED("--wait takes no value.", "session", "start", "q", "--wait=yes");
	REFUSED("--duration needs a value: TIME.", "session", "start", "q", "--duration");
	REFUSED("--wait does not go with 'session list'.", "session", "list", "--wait");
}

/* An option of several commands must take a value in all or in none: it is read before they are
 * known. */
static void test_tables_agree(void)
{
	g_autoptr(GHashTable) seen = g_hash_table_new(g_str_hash, g_str_equal);

	for (unsigned i = 0; verbs[i]; i++) {
		g_autoptr(GString) help = g_string_new(NULL);

		g_assert_nonnull(verbs[i]->run);
		help_print_command(verbs[i], help);
		g_assert_nonnull(strstr(help->str, verbs[i]->name));
		for (const struct option_spec *s = verbs[i]->options; s && s->name; s++) {
			const struct option_spec *other = g_hash_table_lookup(seen, s->name);

			g_assert_nonnull(s->help);
			if (other)
				g_assert_true(!other->value == !s->value);
			g_hash_table_insert(seen, (char *)s->name, (void *)s);
		}
	}
	for (const struct option_spec *s = args_global; s->name; s++)
		g_assert_null(g_hash_table_lookup(seen, s->name));
}

int main(int argc, char *argv[])
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/ctl-args/anywhere", test_anywhere);
	g_test_add_func("/ctl-args/letters", test_letters);
	g_test_add_func("/ctl-args/double-dash", test_double_dash);
	g_test_add_func("/ctl-args/either", test_either);
	g_test_add_func("/ctl-args/empty-value", test_empty_value);
	g_test_add_func("/ctl-args/help", test_help_without_more);
	g_test_add_func("/ctl-args/refused", test_refused);
	g_test_add_func("/ctl-args/tables-agree", test_tables_agree);
	return g_test_run();
}
