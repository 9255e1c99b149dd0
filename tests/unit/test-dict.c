/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "bus-message.h"
#include "dict.h"
#include "finding.h"
#include "problem.h"

#include <string.h>

static void put(struct fixture *f, const char *text)
{
	json_error_t error;
	json_t *j = json_loads(text, JSON_DECODE_ANY, &error);

	g_assert_nonnull(j);
	g_assert_cmpint(dict_json(f->m, j), >=, 0);
	json_decref(j);
	g_assert_cmpint(sd_bus_message_seal(f->m, 1, 0), >=, 0);
	g_assert_cmpint(sd_bus_message_rewind(f->m, true), >=, 0);
}

/* The message as words: each basic value, containers as their brackets. */
static void say(sd_bus_message *m, GString *s)
{
	union {
		const char *string;
		uint64_t u64;
		int64_t i64;
		double real;
		int boolean;
	} v;
	const char *contents;
	char type;

	while (sd_bus_message_peek_type(m, &type, &contents) > 0) {
		if (contents) {
			g_assert_cmpint(sd_bus_message_enter_container(m, type, contents), >, 0);
			g_string_append_printf(s, "%c%s(", type, type == 'e' ? "" : contents);
			say(m, s);
			g_string_append_c(s, ')');
			g_assert_cmpint(sd_bus_message_exit_container(m), >=, 0);
			continue;
		}
		g_assert_cmpint(sd_bus_message_read_basic(m, type, &v), >, 0);
		if (type == 's')
			g_string_append_printf(s, "'%s'", v.string);
		else if (type == 't')
			g_string_append_printf(s, "t%" G_GUINT64_FORMAT " ", v.u64);
		else if (type == 'x')
			g_string_append_printf(s, "x%" G_GINT64_FORMAT " ", v.i64);
		else if (type == 'd')
			g_string_append_printf(s, "d%g ", v.real);
		else if (type == 'b')
			g_string_append_printf(s, "b%d ", v.boolean);
		else
			g_assert_not_reached();
	}
}

static void expect(struct fixture *f, const char *json, const char *words)
{
	g_autoptr(GString) s = g_string_new(NULL);

	put(f, json);
	say(f->m, s);
	g_assert_cmpstr(s->str, ==, words);
}

static void test_basic(struct fixture *f, gconstpointer unused)
{
	expect(f,
	       "{\"s\": \"a\", \"n\": null, \"t\": 5, \"x\": -5, \"d\": 0.5, \"y\": true, \"z\": "
	       "false}",
	       "a{sv}(e('s'vs('a'))e('t'vt(t5 ))e('x'vx(x-5 ))e('d'vd(d0.5 ))e('y'vb(b1 ))"
	       "e('z'vb(b0 )))");
}

static void test_arrays(struct fixture *f, gconstpointer unused)
{
	expect(f,
	       "{\"0\": [], \"s\": [\"a\", \"b\"], \"t\": [0, 9223372036854775807], \"x\": [1, "
	       "-1], "
	       "\"o\": [{\"k\": 1}, {}], \"n\": [1, null, 2], \"aa\": [[1, 2], []]}",
	       "a{sv}(e('0'vav(av()))e('s'vas(as('a''b')))e('t'vat(at(t0 t9223372036854775807 )))"
	       "e('x'vav(av(vt(t1 )vx(x-1 ))))e('o'vaa{sv}(aa{sv}(a{sv}(e('k'vt(t1 )))a{sv}())))"
	       "e('n'vav(av(vt(t1 )vt(t2 ))))e('aa'vav(av(vat(at(t1 t2 ))vav(av())))))");
}

/* Deeper than the bus allows: cut, and still a message that can be sent. */
static void test_deep(struct fixture *f, gconstpointer unused)
{
	json_t *j = json_object();
	g_autoptr(GString) s = g_string_new(NULL);

	for (int i = 0; i < 1000; i++)
		j = i % 2 ? json_pack("{s:o, s:i}", "o", j, "i", i) : json_pack("{s:[o]}", "a", j);
	g_assert_cmpint(dict_json(f->m, j), >=, 0);
	g_assert_cmpint(sd_bus_message_seal(f->m, 1, 0), >=, 0);
	g_assert_cmpint(sd_bus_message_rewind(f->m, true), >=, 0);
	say(f->m, s);
	g_assert_true(g_str_has_prefix(s->str, "a{sv}(e('o'va{sv}(a{sv}(e('a'vaa{sv}("));
	g_assert_nonnull(strstr(s->str, "t999 "));
	g_assert_null(strstr(s->str, "t900 "));
	json_decref(j);
}

/* At least what is in the message: 8 bytes a number, every text, every key. */
static void test_size_is_a_bound(void)
{
	json_t *j = json_loads("{\"a\": [1, 2, 3], \"b\": {\"c\": \"some words\", "
			       "\"d\": [{\"e\": 0.25}]}, \"f\": []}",
			       0, NULL);
	json_t *many = json_array();

	g_assert_cmpuint(dict_size(j), >, 4 * 8 + strlen("some words") + strlen("abcdef"));
	g_assert_cmpuint(dict_size(j), <, 1000);
	json_decref(j);
	for (int i = 0; i < 100000; i++)
		json_array_append_new(many,
				      json_string("0123456789012345678901234567890123456789"));
	g_assert_cmpuint(dict_size(many), >, 4000000);
	json_decref(many);
}

static void test_drop(void)
{
	json_t *j = json_loads("{\"a\": {\"h\": 1, \"k\": [{\"h\": [1]}, 2]}, \"h\": 3}", 0, NULL);
	json_t *expected = json_loads("{\"a\": {\"k\": [{}, 2]}}", 0, NULL);

	dict_drop(j, "h");
	g_assert_true(json_equal(j, expected));
	json_decref(j);
	json_decref(expected);
}

/* What is not UTF-8 would get us disconnected. */
static void test_text_is_made_valid(struct fixture *f, gconstpointer unused)
{
	g_autoptr(GPtrArray) problems = problems_new();
	g_autoptr(GPtrArray) findings = findings_new();

	(void)problem_add(problems, "caf\xe9.conf", 0, "a \xff letter");
	finding_add(findings, "smt", "cpu\xfe 3");
	g_assert_cmpint(sd_bus_message_open_container(f->m, 'a', "{sv}"), >=, 0);
	g_assert_cmpint(dict_value(f->m, "p", "aa{sv}", dict_problems, problems), >=, 0);
	g_assert_cmpint(dict_value(f->m, "f", "aa{sv}", dict_findings, findings), >=, 0);
	g_assert_cmpint(dict_string(f->m, "\xc3", "\xc3("), >=, 0);
	g_assert_cmpint(sd_bus_message_close_container(f->m), >=, 0);
	g_assert_cmpint(sd_bus_message_seal(f->m, 1, 0), >=, 0);
	g_assert_cmpint(sd_bus_message_rewind(f->m, true), >=, 0);
	g_assert_cmpint(sd_bus_message_skip(f->m, "a{sv}"), >=, 0);
}

static void test_no_problems(struct fixture *f, gconstpointer unused)
{
	g_autoptr(GString) s = g_string_new(NULL);

	g_assert_cmpint(dict_problems(f->m, NULL), >=, 0);
	g_assert_cmpint(sd_bus_message_seal(f->m, 1, 0), >=, 0);
	g_assert_cmpint(sd_bus_message_rewind(f->m, true), >=, 0);
	say(f->m, s);
	g_assert_cmpstr(s->str, ==, "aa{sv}()");
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
#define ADD(name, test) g_test_add("/dict/" name, struct fixture, NULL, set_up, test, tear_down)
	ADD("basic", test_basic);
	ADD("arrays", test_arrays);
	ADD("deep", test_deep);
	ADD("text", test_text_is_made_valid);
	ADD("no-problems", test_no_problems);
	g_test_add_func("/dict/size", test_size_is_a_bound);
	g_test_add_func("/dict/drop", test_drop);
	return g_test_run();
}
