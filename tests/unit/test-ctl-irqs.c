/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What lrtbfctl makes of lines and threads: rates, rows, selectors, sentences on changes. */
#include "irqchange.h"
#include "irqrate.h"
#include "irqrules.h"
#include "irqs.h"
#include "irqselect.h"
#include <errno.h>
#include <string.h>

static json_t *load(const char *text)
{
	json_error_t e;
	json_t *j = json_loads(text, 0, &e);

	if (!j)
		g_error("%s: %s", text, e.text);
	return j;
}

/* --- rates --- */

/* Interrupts a second in thousandths; -1: cannot be told. */
static int64_t rate(const char *before, const char *after)
{
	json_t *a = load(before), *b = load(after);
	double r;
	int64_t thousandths = irqrate_of(a, b, &r) ? (int64_t)(r * 1000 + 0.5) : -1;

	json_decref(a);
	json_decref(b);
	return thousandths;
}

static void test_rate(void)
{
	g_assert_cmpint(rate("{\"read_usec\": 1000000, \"counts\": {\"0\": 10, \"1\": 5}}",
			     "{\"read_usec\": 1500000, \"counts\": {\"0\": 15, \"1\": 5}}"),
			==, 10000);
	g_assert_cmpint(rate("{\"read_usec\": 1, \"counts\": {\"0\": 10}}",
			     "{\"read_usec\": 1000001, \"counts\": {\"0\": 10}}"),
			==, 0);
	/* a total of no CPU */
	g_assert_cmpint(
		rate("{\"read_usec\": 0, \"total\": 7}", "{\"read_usec\": 2000000, \"total\": 10}"),
		==, 1500);
}

static void test_rate_wraps(void)
{
	/* 4294967295 -> 4: five */
	g_assert_cmpint(rate("{\"read_usec\": 0, \"counts\": {\"0\": 4294967295, \"1\": 1}}",
			     "{\"read_usec\": 1000000, \"counts\": {\"0\": 4, \"1\": 2}}"),
			==, 6000);
	/* the sum over CPUs, which is above 32 bits, falls by as much */
	g_assert_cmpint(rate("{\"read_usec\": 0, \"total\": 6294967295}",
			     "{\"read_usec\": 1000000, \"total\": 2000000004}"),
			==, 5000);
	/* that many cannot have come: the line was made anew meanwhile */
	g_assert_cmpint(rate("{\"read_usec\": 0, \"counts\": {\"0\": 1000000}}",
			     "{\"read_usec\": 1000000, \"counts\": {\"0\": 3}}"),
			==, -1);
	/* 64 bits, as of ERR, do not wrap here */
	g_assert_cmpint(rate("{\"read_usec\": 0, \"total\": 9000000000000}",
			     "{\"read_usec\": 1000000, \"total\": 3}"),
			==, -1);
}

static void test_rate_of_changing_cpus(void)
{
	/* CPU 1 went, CPU 2 came with all it ever counted */
	g_assert_cmpint(
		rate("{\"read_usec\": 0, \"counts\": {\"0\": 1, \"1\": 500}, \"total\": 501}",
		     "{\"read_usec\": 1000000, \"counts\": {\"0\": 3, \"2\": 900}, \"total\": "
		     "903}"),
		==, 2000);
	g_assert_cmpint(rate("{\"read_usec\": 0, \"counts\": {\"0\": 1}, \"total\": 1}",
			     "{\"read_usec\": 1000000, \"counts\": {\"1\": 3}, \"total\": 3}"),
			==, -1);
}

static void test_rate_unknown(void)
{
	g_assert_cmpint(rate("{\"counts\": {\"0\": 1}}", "{\"counts\": {\"0\": 2}}"), ==, -1);
	g_assert_cmpint(rate("{\"read_usec\": 5, \"counts\": {\"0\": 1}}",
			     "{\"read_usec\": 5, \"counts\": {\"0\": 2}}"),
			==, -1);
	g_assert_cmpint(rate("{\"read_usec\": 0, \"counts\": {\"0\": \"x\"}}",
			     "{\"read_usec\": 5, \"counts\": {\"0\": 2}}"),
			==, -1);
	g_assert_cmpint(rate("[]", "{}"), ==, -1);
}

static void test_rates_of_lines(void)
{
	json_t *before = load("[{\"irq\": 1, \"read_usec\": 0, \"counts\": {\"0\": 1}},"
			      " {\"irq\": 2, \"read_usec\": 0, \"counts\": {\"0\": 1}},"
			      " {\"name\": \"LOC\", \"read_usec\": 0, \"counts\": {\"0\": 1}}]");
	json_t *after =
		load("[{\"irq\": 2, \"read_usec\": 500000, \"counts\": {\"0\": 2}},"
		     " {\"irq\": 3, \"read_usec\": 500000, \"counts\": {\"0\": 9}},"
		     " {\"name\": \"LOC\", \"read_usec\": 500000, \"counts\": {\"0\": 1}}]");

	g_assert_true(irqrate_counting(before));
	irqrate_add(before, after);
	g_assert_cmpfloat(field_real(json_array_get(after, 0), "per_second", -1), ==, 2);
	g_assert_false(field_has(json_array_get(after, 1), "per_second")); /* came meanwhile */
	g_assert_cmpfloat(field_real(json_array_get(after, 2), "per_second", -1), ==, 0);
	json_decref(before);
	json_decref(after);
	after = load("[{\"irq\": 1, \"counts\": {\"0\": 1}}]");
	g_assert_false(irqrate_counting(after));
	json_decref(after);
}

/* --- rows --- */

static const char lines_text[] =
	"[{\"irq\": 8, \"actions\": [\"rtc0\"], \"threaded\": \"no-thread\","
	"  \"explanation\": \"Exempt.\", \"affinity\": \"0-1\", \"drifted\": false},"
	" {\"irq\": 12, \"actions\": [], \"threaded\": \"unused\"},"
	" {\"irq\": 16, \"actions\": [\"eth0\", \"parport0\"], \"threaded\": \"threaded\","
	"  \"affinity\": \"0\", \"rule\": \"line\", \"drifted\": true, \"drift\": \"Moved.\","
	"  \"devices\": [\"interface=eth0\", \"pci=0000:00:1f.2\", \"parport=parport0\"]},"
	" {\"name\": \"LOC\", \"text\": \"Local timer interrupts\", \"total\": 5}]";
static const char threads_text[] =
	"[{\"tid\": 91, \"start_ticks\": 5, \"kind\": \"irq\", \"irq\": 16,"
	"  \"name\": \"irq/16-parport0\", \"actions\": [\"eth0\", \"parport0\"],"
	"  \"policy\": \"fifo\", \"priority\": 50, \"nice\": 0, \"rule\": \"\"},"
	" {\"tid\": 90, \"start_ticks\": 4, \"kind\": \"irq\", \"irq\": 16, \"name\": "
	"\"irq/16-eth0\","
	"  \"actions\": [\"eth0\", \"parport0\"], \"policy\": \"fifo\", \"priority\": 60, "
	"\"nice\": 0,"
	"  \"rule\": \"net\", \"drifted\": false,"
	"  \"path\": \"/org/lrtbf1/thread/90_4\"},"
	" {\"tid\": 14, \"kind\": \"ksoftirqd\", \"name\": \"ksoftirqd/0\", \"policy\": \"other\"},"
	" {\"tid\": 15, \"kind\": \"napi\", \"name\": \"napi/eth0-8193\", \"policy\": \"other\"},"
	" {\"tid\": 77, \"kind\": \"irq\", \"irq\": 99, \"name\": \"irq/99-gone\"}]";

static json_t *rows(bool all)
{
	struct irqs t = { load(lines_text), load(threads_text) };
	json_t *r = irqs_rows(&t, all);

	irqs_done(&t);
	return r;
}

static void test_rows(void)
{
	static const char *const keys[] = { "irq",	"tid",	"name",	    "actions", "policy",
					    "priority", "nice", "affinity", "rule",    "drifted" };
	json_t *r = rows(false);
	const json_t *row;

	g_assert_cmpuint(json_array_size(r), ==, 4);
	for (size_t i = 0; i < json_array_size(r); i++)
		for (size_t k = 0; k < G_N_ELEMENTS(keys); k++)
			g_assert_nonnull(json_object_get(json_array_get(r, i), keys[k]));
	row = json_array_get(r, 0);
	g_assert_cmpint(field_number(row, "irq", -1), ==, 8);
	g_assert_true(json_is_null(json_object_get(row, "tid")));
	g_assert_true(json_is_null(json_object_get(row, "name")));
	g_assert_true(json_is_null(json_object_get(row, "policy")));
	g_assert_true(json_is_null(json_object_get(row, "priority")));
	g_assert_true(json_is_null(json_object_get(row, "nice")));
	g_assert_cmpstr(field_text(row, "affinity"), ==, "0-1");
	g_assert_true(json_is_false(json_object_get(row, "drifted")));
	row = json_array_get(r, 1);
	g_assert_cmpint(field_number(row, "tid", -1), ==, 90);
	g_assert_cmpstr(field_text(row, "rule"), ==, "net");
	g_assert_cmpstr(field_text(row, "affinity_rule"), ==, "line");
	g_assert_cmpstr(field_text(row, "affinity"), ==, "0");
	g_assert_true(field_true(row, "drifted")); /* its line has */
	g_assert_cmpstr(field_text(row, "drift"), ==, "Moved.");
	row = json_array_get(r, 2);
	g_assert_cmpint(field_number(row, "tid", -1), ==, 91);
	g_assert_cmpstr(field_text(row, "rule"), ==, "line"); /* "" is nobody's */
	g_assert_cmpint(field_number(json_array_get(r, 3), "irq", -1), ==, 99);
	g_assert_cmpuint(json_array_size(json_object_get(json_array_get(r, 3), "actions")), ==, 0);
	g_assert_true(json_is_array(json_object_get(json_array_get(r, 3), "actions")));
	json_decref(r);
}

static void test_rows_all(void)
{
	json_t *r = rows(true);
	const json_t *row;

	g_assert_cmpuint(json_array_size(r), ==, 8);
	g_assert_cmpint(field_number(json_array_get(r, 1), "irq", -1), ==, 12);
	g_assert_cmpstr(field_text(json_array_get(r, 5), "name"), ==, "ksoftirqd/0");
	row = json_array_get(r, 7);
	g_assert_cmpstr(field_text(row, "row"), ==, "LOC");
	g_assert_true(json_is_null(json_object_get(row, "name"))); /* of a thread only */
	g_assert_true(json_is_null(json_object_get(row, "irq")));
	g_assert_true(json_is_null(json_object_get(row, "drifted")));
	json_decref(r);
}

static void test_rows_of_nonsense(void)
{
	struct irqs t = {
		load("[7, \"x\", null, [], {}, {\"irq\": \"x\"}, {\"irq\": 1, \"threaded\": 5}]"),
		load("[7, {}, {\"irq\": 1, \"tid\": \"x\"}, {\"actions\": 7, \"devices\": {}}]"),
	};
	json_t *r = irqs_rows(&t, true);

	for (size_t i = 0; i < json_array_size(r); i++) {
		const json_t *row = json_array_get(r, i);
		g_autofree char *subject = irqs_subject(row), *path = irqs_thread_path(row);

		g_assert_true(json_is_array(json_object_get(row, "actions")));
		g_assert_nonnull(subject);
		g_assert_null(path);
	}
	json_decref(r);
	irqs_done(&t);
	g_assert_null(t.lines);
}

static void check_path(const char *row, const char *expected)
{
	json_t *j = load(row);
	g_autofree char *path = irqs_thread_path(j);

	g_assert_cmpstr(path, ==, expected);
	json_decref(j);
}

static void test_paths(void)
{
	check_path("{\"path\": \"/org/lrtbf1/thread/90_4\"}", "/org/lrtbf1/thread/90_4");
	check_path("{\"path\": \"/org/other\"}", NULL);
	check_path("{\"path\": \"/org/lrtbf1/thread/..\"}", NULL);
	check_path("{\"tid\": 7, \"start_ticks\": 12}", "/org/lrtbf1/thread/7_12");
	check_path("{\"tid\": 7}", NULL);
}

/* --- selectors --- */

/* Thread ids (lines: -number) that @word selects, with blanks between. */
static char *selected(const char *word)
{
	json_t *all = rows(true);
	GString *out = g_string_new(NULL);
	g_autofree char *message = NULL;
	struct irqselect s;

	g_assert_cmpint(irqselect_parse(word, &s, &message), ==, 0);
	for (size_t i = 0; i < json_array_size(all); i++) {
		const json_t *row = json_array_get(all, i);

		if (irqselect_matches(&s, row))
			g_string_append_printf(
				out, "%s%d", out->len ? " " : "",
				(int)field_number(row, "tid", -field_number(row, "irq", 0)));
	}
	json_decref(all);
	return g_string_free(out, FALSE);
}

static void check_selected(const char *word, const char *expected)
{
	g_autofree char *is = selected(word);

	if (g_strcmp0(is, expected) != 0)
		g_error("%s selects '%s' and not '%s'", word, is, expected);
}

static void test_select(void)
{
	check_selected("16", "90 91");
	check_selected("8", "-8");
	check_selected("12", "-12");
	check_selected("1", "");
	check_selected("irq/*eth0*", "90");
	check_selected("irq/16-parport0", "91");
	check_selected("eth0", "90 91"); /* an action of the line, so all its threads */
	check_selected("rtc?", "-8");
	check_selected("ksoftirqd/*", "14");
	check_selected("*", "-8 90 91 77 14 15");
	check_selected("irq=8,16", "-8 90 91");
	check_selected("action=parport*", "90 91");
	check_selected("thread=irq/16-eth0", "90");
	check_selected("interface=eth0", "90 91 15");
	check_selected("pci=0000:00:1f.2", "90 91");
	check_selected("parport=parport0", "90 91");
	check_selected("kthread=irq/*", "");
	check_selected("kthread=*", "14 15");
	check_selected("LOC", "");
}

static void check_name(const char *name, const char *actions, const char *word, bool expected)
{
	json_t *row = json_pack("{s:i, s:i, s:s, s:o}", "irq", 24, "tid", 5, "name", name,
				"actions", load(actions));
	g_autofree char *message = NULL;
	struct irqselect s;

	g_assert_cmpint(irqselect_parse(word, &s, &message), ==, 0);
	if (irqselect_matches(&s, row) != expected)
		g_error("%s with %s: %s", name, actions, word);
	json_decref(row);
}

static void test_select_cut_names(void)
{
	static const char actions[] = "[\"0000:00:1f.2\", \"other\"]";

	check_name("irq/24-0000:00:", actions, "irq/24-0000:00:1f.2", true);
	check_name("irq/24-0000:00:", actions, "thread=irq/24-0000:00:1f.2", true);
	check_name("irq/24-0000:00:", actions, "irq/24-0000:00:", true);
	check_name("irq/24-0000:00:", actions, "irq/24-other", false);
	check_name("irq/24-s-0000:0", actions, "irq/24-s-0000:00:1f.2", true);
	check_name("irq/24-s-video0", "[\"s-video0-and-more\"]", "irq/24-s-video0-and-more", true);
	check_name("irq/24-s-video0", "[\"s-video0-and-more\"]", "irq/24-s-s-video0-and-more",
		   false);
}

static void check_refused(const char *word, const char *part)
{
	g_autofree char *message = NULL;
	struct irqselect s;

	g_assert_cmpint(irqselect_parse(word, &s, &message), ==, -EINVAL);
	g_assert_nonnull(strstr(message, part));
}

static void test_select_refused(void)
{
	check_refused("", "empty");
	check_refused("intreface=eth0", "'interface='");
	check_refused("zzz=eth0", "subsystem=");
	check_refused("interface=", "needs a value");
	/* as a rule is refused */
	check_refused("irq=24,x", "'irq=24,x': it takes numbers");
	check_refused("irq=30-24", "runs backwards");
	check_refused("99999999999", "no interrupt has a number above");
	check_refused("action=eth[[:digit:]]", "class of characters");
	check_refused("thread=irq/*-ahci[0000:00:1f.2]", "one character");
}

/* --- sentences --- */

static void check_line(const char *change, const char *expected)
{
	json_t *j = load(change);
	g_autofree char *line = irqchange_line(j, true, true);

	g_assert_cmpstr(line, ==, expected);
	json_decref(j);
}

static void test_change_lines(void)
{
	check_line("{\"outcome\": \"set\", \"irq\": 16, \"tid\": 90, \"name\": \"irq/16-eth0\","
		   " \"attribute\": \"policy\", \"old\": \"fifo 50\", \"new\": \"rr 33\"}",
		   "set       irq/16-eth0 (tid 90): policy fifo 50 -> rr 33");
	check_line("{\"outcome\": \"would\", \"irq\": 16, \"name\": \"eth0, parport0\","
		   " \"attribute\": \"affinity\", \"old\": \"0-1\", \"new\": \"0\"}",
		   "would     irq 16 (eth0, parport0): affinity 0-1 -> 0");
	check_line("{\"outcome\": \"waits\", \"by\": \"net\", \"file\": \"/e/n.conf\", \"line\": 3,"
		   " \"message\": \"Nothing here matches it now.\"}",
		   "waits     net (/e/n.conf:3): Nothing here matches it now.");
	check_line("{\"outcome\": \"drifted\", \"tid\": 90, \"name\": \"irq/16-eth0\","
		   " \"attribute\": \"policy\", \"old\": \"fifo 1\", \"new\": \"fifo 2\","
		   " \"message\": \"irq/16-eth0 has fifo 1 instead of fifo 2.\"}",
		   "drifted   irq/16-eth0 has fifo 1 instead of fifo 2.");
	check_line("{\"outcome\": \"refused\", \"tid\": 9, \"name\": \"a\\u001b[2Jb\","
		   " \"message\": \"No\\n.\"}",
		   "refused   a?[2Jb (tid 9): No?.");
	check_line("{}", "          ");
}

static void test_rule_texts(void)
{
	json_t *j =
		load("{\"name\": \"net\", \"match\": {\"interface\": \"eth*\", \"driver\": \"e\"},"
		     " \"policy\": \"fifo\", \"priority\": 60, \"nice\": -5, \"affinity\": \"0\","
		     " \"reset_on_fork\": true, \"override\": \"rcu\"}");
	g_autofree char *match = irqrules_match_text(j), *sets = irqrules_sets_text(j);

	g_assert_cmpstr(match, ==, "interface=eth* driver=e");
	g_assert_cmpstr(sets, ==, "fifo 60, reset-on-fork, nice -5, affinity 0, override rcu");
	json_decref(j);
}

int main(int argc, char *argv[])
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/ctl-irqs/rate", test_rate);
	g_test_add_func("/ctl-irqs/rate-wraps", test_rate_wraps);
	g_test_add_func("/ctl-irqs/rate-of-changing-cpus", test_rate_of_changing_cpus);
	g_test_add_func("/ctl-irqs/rate-unknown", test_rate_unknown);
	g_test_add_func("/ctl-irqs/rates-of-lines", test_rates_of_lines);
	g_test_add_func("/ctl-irqs/rows", test_rows);
	g_test_add_func("/ctl-irqs/rows-all", test_rows_all);
	g_test_add_func("/ctl-irqs/rows-of-nonsense", test_rows_of_nonsense);
	g_test_add_func("/ctl-irqs/paths", test_paths);
	g_test_add_func("/ctl-irqs/select", test_select);
	g_test_add_func("/ctl-irqs/select-cut-names", test_select_cut_names);
	g_test_add_func("/ctl-irqs/select-refused", test_select_refused);
	g_test_add_func("/ctl-irqs/change-lines", test_change_lines);
	g_test_add_func("/ctl-irqs/rule-texts", test_rule_texts);
	return g_test_run();
}
