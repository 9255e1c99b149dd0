/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the daemon writes for its nannies is what they read. */
#include <errno.h>
#include <string.h>

#include "errand.h"

static void test_round_trip(void)
{
	const char *command[] = { "sh", "", "-c", "echo \"\xc3\xa4\"; exit 1", NULL };
	struct load l = { .name = (char *)"hd",
			  .command = (char **)command,
			  .instances = 3,
			  .repeat = true,
			  .end_statuses = 1ULL << 63 | 3,
			  .pause_ns = 5,
			  .restart_after_ns = 1ULL << 62,
			  .scratch_bytes = 512 << 20 };
	struct errand *e = errand_new(&l), *back = NULL;
	g_autofree char *text = NULL, *again = NULL, *message = NULL;

	e->nobody = true;
	e->parent = 4711;
	text = errand_to_text(e);
	g_assert_cmpint(errand_parse(text, strlen(text), &back, &message), ==, 0);
	again = errand_to_text(back);
	g_assert_cmpstr(text, ==, again);
	g_assert_cmpuint(back->end_statuses, ==, l.end_statuses);
	g_assert_cmpstr(back->command[3], ==, command[3]);
	g_assert_true(back->scratch && back->nobody && back->repeat && !back->keep_rights);
	errand_free(e);
	errand_free(back);
}

static void test_bad(void)
{
	static const char good[] = "{\"name\":\"a\",\"command\":[\"x\"],\"instances\":1,\"repeat\":"
				   "false,\"end_statuses\":[0],"
				   "\"pause_ns\":0,\"restart_after_ns\":0,\"scratch\":false,"
				   "\"scratch_bytes\":0,\"nobody\":false,"
				   "\"keep_rights\":false,\"no_namespace\":false,\"parent\":1}";
	static const struct {
		const char *from, *to;
	} changes[] = {
		{ "[\"x\"]", "[]" },
		{ "[\"x\"]", "[\"\"]" },
		{ "[\"x\"]", "\"x\"" },
		{ "[\"x\"]", "[1]" },
		{ "instances\":1", "instances\":0" },
		{ "instances\":1", "instances\":257" },
		{ "instances\":1", "instances\":1.5" },
		{ "[0]", "[64]" },
		{ "[0]", "[-1]" },
		{ "pause_ns\":0", "pause_ns\":-1" },
		{ "\"parent\":1", "\"parent\":1,\"parent\":2" },
		{ ",\"parent\":1", "" },
		{ "}", "" },
		{ "nobody\":false", "nobody\":0" },
	};
	struct errand *e = NULL;

	g_assert_cmpint(errand_parse(good, strlen(good), &e, NULL), ==, 0);
	errand_free(e);
	for (guint i = 0; i < G_N_ELEMENTS(changes); i++) {
		g_autoptr(GString) text = g_string_new(good);
		g_autofree char *message = NULL;

		g_assert_cmpuint(g_string_replace(text, changes[i].from, changes[i].to, 1), ==, 1);
		g_assert_cmpint(errand_parse(text->str, text->len, &e, &message), ==, -EBADMSG);
		g_assert_nonnull(message);
	}
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/errand/round-trip", test_round_trip);
	g_test_add_func("/errand/bad", test_bad);
	return g_test_run();
}
