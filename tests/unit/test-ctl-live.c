/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The live display, and replies that are not as one would wish. */
#include "live.h"
#include "session.h"
#include "variant.h"
#include <string.h>

static json_t *parse(const char *text)
{
	json_t *j = json_loads(text, 0, NULL);

	g_assert_nonnull(j);
	return j;
}

static unsigned show(const char *properties, unsigned width, unsigned height, GString *out)
{
	const struct terminal t = { .tty = true, .width = width, .height = height };
	json_t *j = parse(properties);
	unsigned lines, newlines = 0;

	g_string_truncate(out, 0);
	lines = live_text(j, &t, out);
	for (const char *p = out->str; *p; p++)
		newlines += *p == '\n';
	g_assert_cmpuint(newlines, ==, lines); /* or redrawing creeps */
	json_decref(j);
	return lines;
}

static void test_queued(void)
{
	g_autoptr(GString) out = g_string_new(NULL);

	g_assert_cmpuint(
		show("{\"Id\":\"s1\",\"Plan\":\"p\",\"State\":\"queued\",\"QueuePosition\":2}", 80,
		     24, out),
		==, 1);
	g_assert_cmpstr(out->str, ==, "s1  p  queued, position 2\n");
}

static void test_running(void)
{
	g_autoptr(GString) out = g_string_new(NULL);

	show("{\"Id\":\"s1\",\"Plan\":\"p\",\"State\":\"running\",\"Stage\":\"none\",\"Progress\":"
	     "0.427,"
	     "\"Figures\":{\"cpus\":[{\"cpu\":0,\"count\":1000,\"min_ns\":1049,\"last_ns\":2050,"
	     "\"avg_ns\":3000.5,\"max_ns\":3600000000000},{\"cpu\":3}]}}",
	     80, 24, out);
	g_assert_cmpstr(out->str, ==,
			"s1  p  running, stage none  42 %\n"
			" CPU        count        min        act        avg        max  (us)\n"
			"   0         1000        1.0        2.1        3.0 3600000000.0\n"
			"   3            0          -          -          -          -\n");
}

static void test_many_cpus(void)
{
	g_autoptr(GString) p = g_string_new("{\"Figures\":{\"cpus\":["), out = g_string_new(NULL);

	for (int i = 0; i < 64; i++)
		g_string_append_printf(p, "%s{\"cpu\":%d,\"count\":1,\"max_ns\":%d}", i ? "," : "",
				       i, i * 1000);
	g_string_append(p, "]}}");
	g_assert_cmpuint(show(p->str, 80, 24, out), <=, 23);
	g_assert_nonnull(strstr(out->str, "\n  63 ")); /* the largest maximum */
	g_assert_null(strstr(out->str, "\n   0 "));
	g_assert_nonnull(strstr(out->str, "and 44 more with smaller maxima\n"));
	/* a terminal too low for it all */
	g_assert_cmpuint(show(p->str, 80, 2, out), <=, 6);
}

static void test_narrow(void)
{
	g_autoptr(GString) out = g_string_new(NULL);

	show("{\"Id\":\"s20261130T020000Z_4f2a\",\"Plan\":\"a_plan_with_a_long_name\","
	     "\"State\":\"running\",\"Figures\":{\"cpus\":[{\"cpu\":0}]}}",
	     20, 24, out);
	for (const char *p = out->str; *p; p = strchr(p, '\n') + 1)
		g_assert_cmpint(strchr(p, '\n') - p, <, 20);
}

static void test_nonsense(void)
{
	g_autoptr(GString) out = g_string_new(NULL);

	show("{}", 80, 24, out);
	show("{\"State\":7,\"Progress\":\"x\",\"Figures\":[1]}", 80, 24, out);
	show("{\"State\":\"running\",\"Progress\":1e300,\"Figures\":{\"cpus\":[1,null,{\"cpu\":"
	     "\"x\","
	     "\"max_ns\":-1}]}}",
	     80, 24, out);
	show("{\"State\":\"a\\u001b[2J\",\"Progress\":-3}", 80, 24, out);
	g_assert_null(strchr(out->str, '\033'));
}

static void test_fields(void)
{
	json_t *o = parse("{\"s\":\"x\",\"n\":5,\"r\":2.6,\"big\":1e300,\"t\":true,\"null\":null}");

	g_assert_cmpstr(field_text(o, "s"), ==, "x");
	g_assert_cmpstr(field_text(o, "n"), ==, "");
	g_assert_cmpstr(field_text(NULL, "n"), ==, "");
	g_assert_cmpint(field_number(o, "n", -1), ==, 5);
	g_assert_cmpint(field_number(o, "r", -1), ==, 3);
	g_assert_cmpint(field_number(o, "big", -1), ==, -1);
	g_assert_cmpint(field_number(o, "s", -1), ==, -1);
	g_assert_true(field_true(o, "t"));
	g_assert_false(field_true(o, "n"));
	g_assert_false(field_has(o, "null"));
	json_decref(o);
}

static void test_complete(void)
{
	json_t *page = parse("[{\"id\":\"s1\",\"started_usec\":5000000,\"duration_ns\":2000000000,"
			     "\"summary\":{\"count\":3,\"percentiles\":{\"50\":7},"
			     "\"worst\":[{\"latency_ns\":9}]}},"
			     "[],null,{\"summary\":5}]");
	json_t *s = json_array_get(page, 0), *summary = json_object_get(s, "summary");

	session_complete_page(page);
	g_assert_true(json_is_null(json_object_get(s, "verdict")));
	g_assert_true(json_is_null(json_object_get(summary, "max_ns")));
	g_assert_true(
		json_is_null(json_object_get(json_object_get(summary, "percentiles"), "99.9999")));
	g_assert_true(json_is_null(
		json_object_get(json_array_get(json_object_get(summary, "worst"), 0), "at_usec")));
	g_assert_cmpint(field_number(summary, "count", 0), ==, 3);
	g_assert_cmpint(session_ended_usec(s), ==, 7000000);
	json_object_set_new(s, "finished_usec", json_integer(9));
	g_assert_cmpint(session_ended_usec(s), ==, 9);
	g_assert_cmpint(session_ended_usec(json_array_get(page, 1)), ==, 0);
	g_assert_true(json_is_null(json_object_get(json_array_get(page, 3), "id")));
	session_complete_page(NULL);
	json_decref(page);
}

static void test_properties(void)
{
	json_t *p = parse("{\"Id\":\"s1\",\"StartedUSec\":0,\"Owner\":0,\"CreatedUSec\":5}");
	json_t *s = session_properties_json("/org/lrtbf1/session/s1", p);

	g_assert_cmpstr(field_text(s, "id"), ==, "s1");
	g_assert_true(json_is_null(json_object_get(s, "started_usec")));
	g_assert_cmpint(field_number(s, "owner", -1), ==, 0);
	g_assert_cmpint(field_number(s, "created_usec", -1), ==, 5);
	g_assert_true(json_is_null(json_object_get(s, "figures")));
	json_decref(s);
	json_decref(p);
}

int main(int argc, char *argv[])
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/ctl-live/queued", test_queued);
	g_test_add_func("/ctl-live/running", test_running);
	g_test_add_func("/ctl-live/many-cpus", test_many_cpus);
	g_test_add_func("/ctl-live/narrow", test_narrow);
	g_test_add_func("/ctl-live/nonsense", test_nonsense);
	g_test_add_func("/ctl-live/fields", test_fields);
	g_test_add_func("/ctl-live/complete", test_complete);
	g_test_add_func("/ctl-live/properties", test_properties);
	return g_test_run();
}
