/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The text report over every sample: widths, colours, states, and what stands in its head.
 */
#include "columns.h"
#include "report-shared.h"

#include <sched.h>
#include <string.h>

/* No line wider than asked for, nothing a terminal would obey, valid UTF-8, no trailing blanks. */
static void check_page(const char *text, unsigned width, bool unicode)
{
	g_auto(GStrv) lines = g_strsplit(text, "\n", -1);

	g_assert_true(g_utf8_validate(text, -1, NULL));
	g_assert_true(g_str_has_suffix(text, "\n"));
	for (char **l = lines; *l; l++) {
		if (columns_of(*l) > width) {
			g_test_message("%u columns instead of %u: %s", columns_of(*l), width, *l);
			g_test_fail();
		}
		if (g_str_has_suffix(*l, " ")) {
			g_test_message("trailing blank: \"%s\"", *l);
			g_test_fail();
		}
		for (const char *p = *l; *p; p++)
			g_assert_cmpint((unsigned char)*p, >=, ' ');
	}
	if (!unicode)
		g_assert_null(strstr(text, "\u2588"));
}

static void test_text_width(void)
{
	static const unsigned widths[] = { 40, 57, 80, 132, 200 };

	for (const struct result_sample *s = result_samples; s->name; s++) {
		struct result *r = s->make();

		for (size_t i = 0; i < G_N_ELEMENTS(widths) * 2; i++) {
			struct report_options o = { .width = widths[i / 2], .unicode = i % 2 };
			g_autofree char *text = render("text", r, &o);

			check_page(text, o.width, o.unicode);
		}
		result_free(r);
	}
}

static void test_text_width_bounds(void)
{
	struct result *r = sample_hell();
	struct report_options tiny = { .width = 3 }, none = { 0 }, huge = { .width = 100000 };
	struct report_options least = { .width = 40 }, most = { .width = 200 };
	g_autofree char *a = render("text", r, &tiny), *b = render("text", r, &least);
	g_autofree char *c = render("text", r, &huge), *d = render("text", r, &most);
	g_autofree char *e = render("text", r, &none), *f = render("text", r, &plain);
	g_autofree char *g = render("text", r, NULL);

	g_assert_cmpstr(a, ==, b);
	g_assert_cmpstr(c, ==, d);
	g_assert_cmpstr(e, ==, f);
	g_assert_cmpstr(g, ==, f);
	result_free(r);
}

/* Colour adds escape sequences and changes nothing else. */
static void test_text_colour(void)
{
	for (const struct result_sample *s = result_samples; s->name; s++) {
		struct report_options o = { .width = 80, .colour = true };
		struct result *r = s->make();
		g_autofree char *bare = render("text", r, &plain), *text = render("text", r, &o);
		g_autoptr(GRegex) escape = g_regex_new("\033\\[[0-9;]*m", 0, 0, NULL);
		g_autofree char *stripped = g_regex_replace(escape, text, -1, 0, "", 0, NULL);

		g_assert_nonnull(strchr(text, '\033'));
		g_assert_cmpstr(stripped, ==, bare);
		result_free(r);
	}
}

/* Whoever reads one line only must not take `other` for `fifo`. */
static void check_first_line(struct result *r, unsigned width)
{
	struct report_options o = { .width = width };
	g_autofree char *text = render("text", r, &o);
	g_auto(GStrv) lines = g_strsplit(text, "\n", 3);

	g_assert_nonnull(strstr(lines[0], "not permitted"));
	g_assert_nonnull(strstr(lines[0], "other"));
	result_free(r);
}

/* Threads that a rule gave their value stand in the head, the rest in the JSON report only. */
static void test_text_interrupts(void)
{
	struct result *r = sample_hell();
	json_t *threads = json_array(), *others = json_array();
	g_autofree char *text = NULL;

	for (int i = 0; i < 10; i++)
		json_array_append_new(threads, json_pack("{s:o, s:s, s:i, s:i, s:s?}", "name",
							 json_sprintf("irq/%d-eth0", i), "policy",
							 i == 1 ? "fifo" : "other", "priority",
							 i == 1 ? 60 : 0, "nice", i == 0 ? 19 : 0,
							 "rule", i == 9 ? NULL : "net"));
	json_array_append_new(others, json_pack("{s:s, s:s, s:i, s:i, s:s}", "name", "napi/eth0-1",
						"policy", "other", "priority", 0, "nice", 5, "rule",
						"napi"));
	json_object_set_new(r->conditions, "interrupts",
			    json_pack("{s:[{s:i, s:o}], s:o}", "lines", "irq", 16, "threads",
				      threads, "threads", others));
	text = render("text", r, &(struct report_options){ .width = 1000 });
	g_assert_nonnull(strstr(text,
				"\nInterrupts  irq/0-eth0 other nice 19 (net), irq/1-eth0 fifo "
				"60 (net), irq/2-eth0 other (net), "));
	/* the width has its own bound */
	g_assert_nonnull(strstr(text, "irq/7-eth0"));
	g_assert_null(strstr(text, "irq/8-eth0"));
	g_assert_nonnull(strstr(text, "and 2 more\n"));
	result_free(r);
}

static void test_text_first_line(void)
{
	struct result *r = sample_hell();

	check_first_line(r, 80);
	r = sample_idle(); /* nobody said so, but the policy is not the one that was wanted */
	r->policy = SCHED_OTHER;
	check_first_line(r, 80);
	r = sample_idle(); /* only a stage says so, in its own words */
	finding_add(((struct result_stage *)r->stages->pdata[0])->findings, "policy-fallback",
		    "SCHED_FIFO was not permitted (EPERM): measured with other.");
	check_first_line(r, 80);
}

static void test_text_states(void)
{
	for (int state = 0; state < _SESSION_STATE_MAX; state++) {
		struct result *r = sample_idle(), *head = sample_queued();
		g_autofree char *text = NULL, *bare = NULL;

		r->state = head->state = state;
		r->verdict = VERDICT_EMPTY;
		g_clear_pointer(&head->stages, g_ptr_array_unref); /* a head only */
		text = render("text", r, &plain);
		bare = render("text", head, &plain);
		g_assert_nonnull(strstr(text, session_state_to_string(state)));
		g_assert_nonnull(strstr(bare, session_state_to_string(state)));
		g_assert_nonnull(strstr(bare, "No stage has begun."));
		result_free(r);
		result_free(head);
	}
}

static void test_text_no_figures(void)
{
	struct result *r = sample_idle();
	struct result_stage *s = r->stages->pdata[0];
	g_autofree char *text = NULL;

	for (guint i = 0; i < s->cpus->len; i++)
		figures_init(((struct result_cpu *)s->cpus->pdata[i])->figures);
	s->started_usec = 0;
	text = render("text", r, &plain);
	g_assert_nonnull(strstr(text, "never began"));
	g_assert_null(strstr(text, "nan"));
	g_assert_null(strstr(text, "inf"));
	g_assert_null(strstr(text, "18446744073709551615"));
	result_free(r);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/report/text/width", test_text_width);
	g_test_add_func("/report/text/width-bounds", test_text_width_bounds);
	g_test_add_func("/report/text/colour", test_text_colour);
	g_test_add_func("/report/text/interrupts", test_text_interrupts);
	g_test_add_func("/report/text/first-line", test_text_first_line);
	g_test_add_func("/report/text/states", test_text_states);
	g_test_add_func("/report/text/no-figures", test_text_no_figures);
	return g_test_run();
}
