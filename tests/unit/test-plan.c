/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A plan as it is written: what is understood, what is refused and with which words, and the order
 * that is made of it.
 */
#include "conftree.h"
#include "plan-shared.h"

#include <errno.h>
#include <locale.h>
#include <sched.h>
#include <string.h>

static void test_full(void)
{
	struct plan *p = parsed(full);
	const struct plan_stage *s = p->stages->pdata[1];

	g_assert_cmpstr(p->name, ==, "x");
	g_assert_cmpstr(p->description, ==, "all \"keys\" \\ of it");
	g_assert_cmpstr(p->label, ==, "night");
	g_assert_cmpuint(p->duration_ns, ==, 90 * S);
	g_assert_cmpuint(p->interval_ns, ==, 250000);
	g_assert_cmpuint(p->warmup_ns, ==, 2 * S);
	g_assert_cmpuint(p->break_ns, ==, 5000000);
	g_assert_cmpuint(p->within_ns, ==, 100000);
	g_assert_cmpuint(p->dither_ns, ==, 10000);
	g_assert_cmpstr(p->cpus, ==, "0-1, 3");
	g_assert_cmpint(p->policy, ==, SCHED_RR);
	g_assert_cmpint(p->fallback_policy, ==, SCHED_BATCH);
	g_assert_cmpint(p->priority, ==, 98);
	g_assert_cmpint(p->nice, ==, -5);
	g_assert_cmpint(p->dma_latency_us, ==, 20);
	g_assert_false(p->lock_memory);
	g_assert_cmpuint(p->checkpoint_ns, ==, 60 * S);
	g_assert_cmpuint(p->settle_ns, ==, 2 * S);
	g_assert_cmpuint(p->stages->len, ==, 2);
	g_assert_cmpstr(s->name, ==, "hd again");
	g_assert_cmpstr(s->load, ==, "hd");
	g_assert_cmpuint(s->duration_ns, ==, 10 * S);
	g_assert_cmpuint(s->line, ==, 7);
	s = p->stages->pdata[0];
	g_assert_cmpstr(s->name, ==, "none");
	g_assert_cmpuint(s->duration_ns, ==, 90 * S);
	g_assert_cmpuint(p->limits->len, ==, 5);
	g_assert_cmpstr(p->text, ==, full);
	assert_round_trip(p);
	plan_free(p);
}

static void test_defaults(void)
{
	struct plan *p = parsed("duration = \"10s\";");
	const struct plan_stage *s = p->stages->pdata[0];
	struct plan *copy = plan_copy(p);

	g_assert_cmpstr(p->instrument, ==, "timer");
	g_assert_cmpint(p->policy, ==, SCHED_FIFO);
	g_assert_cmpint(p->priority, ==, 80);
	g_assert_cmpint(p->fallback_policy, ==, -1);
	g_assert_cmpuint(p->interval_ns, ==, 1000000);
	g_assert_cmpuint(p->checkpoint_ns, ==, 10 * S);
	g_assert_cmpuint(p->settle_ns, ==, S);
	g_assert_cmpint(p->dma_latency_us, ==, 0);
	g_assert_cmpstr(p->cpus, ==, "all");
	g_assert_true(p->lock_memory);
	g_assert_null(p->label);
	g_assert_cmpuint(p->stages->len, ==, 1);
	g_assert_cmpstr(s->load, ==, "none");
	g_assert_cmpuint(p->limits->len, ==, 0);
	g_assert_cmpuint(p->irq_rules->len, ==, 0);
	assert_round_trip(p);
	plan_free(p);
	assert_round_trip(copy); /* nothing of it was shared */
	plan_free(copy);
}

static void test_other_shapes(void)
{
	static const char *const good[] = {
		"policy = \"other\"; nice = 5;",
		"policy = \"idle\";",
		"policy = \"deadline\"; runtime = \"2us\"; deadline = \"5us\"; period = \"1ms\";",
		("policy = \"deadline\"; runtime = \"2us\"; deadline = \"2us\"; period = \"2us\";"
		 " fallback_policy = \"other\";"),
		"instrument = \"cpuloop\"; work = \"50us\"; limits = [ \"max <= 1ms\" ];",
		"instrument = \"cpuloop\"; policy = \"other\";",
		"dma_latency = \"none\"; break = \"0\";",
		"dma_latency = \"10us\";",
		"duration = \"366d\"; interval = \"1us\";",
		"duration = \"1ms\"; interval = \"1ms\";",
		"duration = \"1h\"; interval = \"1h\";",
		"cpus = \"!0\"; description = \"\xc3\xbc\"; label = \"\";",
		"limits = ( \"max <= 1s\" ); fallback_policy = \"none\";",
		"limits = [ ];",
		"priority = 1; policy = \"fifo\"; nice = 3; fallback_policy = \"other\";",
		"stages = ( { load = \"a\"; }, { name = \"b\"; load = \"a\"; } );",
	};

	for (size_t i = 0; i < G_N_ELEMENTS(good); i++) {
		struct plan *p = parsed(good[i]);

		assert_round_trip(p);
		plan_free(p);
	}
}

static void test_refused(void)
{
	refused("", "x.conf: ", "is empty");
	refused("# nothing\n", "x.conf: ", "is empty");
	refused("a = 1;\ninterval = \"1ms\";", "x.conf:1: ", "no key \"a\"");
	refused("\nintervall = \"1ms\";", "x.conf:2: ", "did you mean \"interval\"?");
	refused("stages = ( { load = \"hd\";\nlaod = \"x\"; } );",
		"x.conf:2: ", "did you mean \"load\"?");
	refused("\ninterval = 1;", "x.conf:2: ", "\"250us\"");
	refused("interval = \"0\";", "x.conf:1: ", "1us to 1h");
	refused("interval = \"0us\";", "x.conf:1: ", "1us to 1h");
	refused("interval = \"999ns\";", "x.conf:1: ", "1us to 1h");
	refused("interval = \"2h\";", "x.conf:1: ", "1us to 1h");
	refused("interval = \"-1ms\";", "x.conf:1: ", "negative");
	refused("duration = \"367d\";", "x.conf:1: ", "366d");
	refused("duration = \"1us\";", "x.conf:1: ", "1ms to 366d");
	refused("duration = 3000000000;", "x.conf:1: ", "would be read as another number");
	refused("duration = 99999999999999999999;",
		"x.conf:1: ", "would be read as another number");
	refused("priority = 3000000000;", "x.conf:1: ", "would be read as another number");
	refused("priority = 4294967298L;", "x.conf:1: ", "1 to 98");
	refused("priority = 99;", "x.conf:1: ", "1 to 98");
	refused("priority = 0;", "x.conf:1: ", "1 to 98");
	refused("priority = \"high\";", "x.conf:1: ", "whole number");
	refused("priority = 1.5;", "x.conf:1: ", "fraction");
	refused("nice = -21; policy = \"other\";", "x.conf:1: ", "-20 to 19");
	refused("checkpoint = \"100ms\";", "x.conf:1: ", "1s to 1h");
	refused("instrument = \"tymer\";", "x.conf:1: ", "there are: timer, cpuloop");
	refused("policy = \"fifi\";", "x.conf:1: ", "there are other, batch, idle, fifo");
	refused("policy = 1;", "x.conf:1: ", "text in double quotes");
	refused("fallback_policy = \"rr\";", "x.conf:1: ", "other, batch or idle");
	refused("cpus = \"3-1\";", "x.conf:1: ", "backwards");
	refused("cpus = \"0,,1\";", "x.conf:1: ", "empty");
	refused("cpus = \"\";", "x.conf:1: ", "empty");
	refused("cpus = 0;", "x.conf:1: ", "text in double quotes");
	refused("dma_latency = \"some\";", "x.conf:1: ", "none");
	refused("dma_latency = \"1ns\";", "x.conf:1: ", "whole microseconds");
	refused("dma_latency = -1;", "x.conf:1: ", "0 to");
	refused("lock_memory = 1;", "x.conf:1: ", "true or false");
	refused("description = \"a\\nb\";", "x.conf:1: ", "one line");
	refused("limits = [ \"max <= 1ms\",\n\"maxi <= 1ms\" ];", "x.conf:2: ", "known figure");
	refused("limits = \"max <= 1ms\";", "x.conf:1: ", "several texts");
	refused("limits = [ 5 ];", "x.conf:1: ", "texts in double quotes only");
	refused("stages = ( );", "x.conf:1: ", "1 to 64");
	refused("stages = \"hd\";", "x.conf:1: ", "list of groups");
	refused("stages = ( { name = \"x\"; } );", "x.conf:1: ", "needs a load");
	refused("stages = ( { load = \"../hd\"; } );", "x.conf:1: ", "no load's name");
	refused("stages = ( { load = \"a\"; duration = \"0s\"; } );", "x.conf:1: ", "1ms to 366d");
	refused("stages = ( { load = \"a\"; name = \"\"; } );", "x.conf:1: ", "one line");
	refused("stages = ( { load = \"a\"; name = \"a\302\233b\"; } );", "x.conf:1: ", "one line");
	refused("stages = ( { load = \"a\"; },\n{ load = \"a\"; } );",
		"x.conf:2: ", "name = \"a_again\"");
	refused("stages = ( { load = \"a\"; },\n{ load = \"b\"; name = \"a\"; } );",
		"x.conf:2: ", "two stages");
}

static void assert_runs(const struct plan *p, const char *want, const char *repeats)
{
	g_autoptr(GString) got = g_string_new(NULL);
	g_autoptr(GString) rounds = g_string_new(NULL);

	for (unsigned i = 0; i < plan_stage_count(p); i++) {
		unsigned repeat;

		g_string_append(got, plan_stage_at(p, i, &repeat)->name);
		g_string_append_printf(rounds, "%u", repeat);
	}
	g_assert_cmpstr(got->str, ==, want);
	g_assert_cmpstr(rounds->str, ==, repeats);
}

static void test_repeat(void)
{
	struct plan *p = parsed("stages = ( { load = \"a\"; duration = \"1s\"; },\n"
				"{ load = \"b\"; duration = \"2s\"; },\n"
				"{ name = \"c\"; load = \"a\"; } ); repeat = 3;"),
		    *copy = plan_copy(p);

	assert_runs(p, "abccbaabc", "111222333");
	g_assert_cmpuint(plan_planned_ns(p), ==, 3 * (1 + 2 + 10) * S);
	g_assert_null(strchr(plan_stage_at(p, 8, NULL)->load, 'c'));
	assert_equal(p, copy);
	assert_round_trip(p);
	plan_free(copy);
	plan_free(p);
	p = parsed("duration = \"1s\";");
	assert_runs(p, "none", "1");
	g_assert_cmpuint(plan_planned_ns(p), ==, S);
	plan_free(p);
	p = parsed("duration = \"1s\"; repeat = 64;");
	g_assert_cmpuint(plan_stage_count(p), ==, 64);
	plan_free(p);

	refused("repeat = 0;", "x.conf:1: ", "1 to 64");
	refused("repeat = 65;", "x.conf:1: ", "1 to 64");
	refused("repeat = \"3\";", "x.conf:1: ", "repeat");
	refused("stages = ( { load = \"a\"; }, { load = \"b\"; } );\nrepeat = 33;",
		"x.conf:2: ", "66, and a session takes 64");
}

static void test_baseline(void)
{
	struct plan *p = parsed("duration = \"1s\";");

	g_assert_cmpstr(plan_baseline(p), ==, "x");
	plan_free(p);
	p = parsed("baseline = \"linux_6_1\";");
	g_assert_cmpstr(plan_baseline(p), ==, "linux_6_1");
	assert_round_trip(p);
	plan_free(p);
	refused("baseline = \"\";", "x.conf:1: ", "small letters");
	refused("baseline = \"Linux 6\";", "x.conf:1: ", "small letters");
	refused("baseline = \"../6\";", "x.conf:1: ", "small letters");
}

static void test_keep(void)
{
	struct plan *p = parsed("duration = \"1s\";");

	g_assert_false(p->keep.given);
	g_assert_false(retention_bounds(&p->keep));
	plan_free(p);
	p = parsed("keep = { };");
	g_assert_true(p->keep.given);
	g_assert_false(retention_bounds(&p->keep));
	assert_round_trip(p);
	plan_free(p);
	p = parsed("keep = { count = 100; age = \"90 d\"; size = \"1G\"; summary_count = 5000;\n"
		   " summary_age = \"3660d\"; };");
	g_assert_true(retention_bounds(&p->keep));
	g_assert_cmpuint(p->keep.count, ==, 100);
	g_assert_cmpuint(p->keep.age_ns, ==, 90 * 86400 * S);
	g_assert_cmpuint(p->keep.size_bytes, ==, 1 << 30);
	g_assert_cmpuint(p->keep.summary_count, ==, 5000);
	g_assert_cmpuint(p->keep.summary_age_ns, ==, 3660 * 86400 * S);
	assert_round_trip(p);
	plan_free(p);

	refused("keep = 100;", "x.conf:1: ", "a group");
	refused("keep = {\ncuont = 1; };", "x.conf:2: ", "did you mean \"count\"?");
	refused("keep = { count = 0; };", "x.conf:1: ", "1 to 1000000");
	refused("keep = { age = \"1s\"; };", "x.conf:1: ", "1h to ");
	refused("keep = { age = 90; };", "x.conf:1: ", "\"250us\"");
	refused("keep = { size = \"1k\"; };", "x.conf:1: ", "1M or more");
	refused("keep = { size = \"16777216T\"; };", "x.conf:1: ", "size");
	refused("keep = { count = 9;\nsummary_count = 8; };", "x.conf:2: ", "under \"count\"");
	refused("keep = { age = \"2d\";\nsummary_age = \"1d\"; };", "x.conf:2: ", "under \"age\"");
}

static void test_combinations(void)
{
	refused("policy = \"other\";\npriority = 5;", "x.conf:2: ", "no priority");
	refused("policy = \"fifo\";\nnice = 5;", "x.conf:2: ", "no nice value");
	refused("policy = \"other\";\nfallback_policy = \"batch\";",
		"x.conf:2: ", "needs no fallback");
	refused("\npolicy = \"deadline\";", "x.conf:2: ", "runtime, deadline and period");
	refused("policy = \"deadline\"; deadline = \"1ms\"; period = \"1ms\";\nruntime = \"2ms\";",
		"x.conf:2: ", "\"runtime\"");
	refused("policy = \"deadline\"; runtime = \"1ms\"; period = \"1ms\";\ndeadline = \"2ms\";",
		"x.conf:2: ", "\"deadline\"");
	refused("\nruntime = \"1ms\";", "x.conf:2: ", "belongs to policy deadline");
	refused("instrument = \"cpuloop\";\ninterval = \"1ms\";", "x.conf:2: ", "no interval");
	refused("instrument = \"cpuloop\";\ndither = \"1us\";",
		"x.conf:2: ", "no interval to dither");
	refused("\nwork = \"1us\";", "x.conf:2: ", "no work");
	refused("duration = \"1ms\";\ninterval = \"2ms\";", "x.conf:2: ", "not even one interval");
	refused("interval = \"1s\";\nstages = ( { load = \"a\"; duration = \"10ms\"; } );",
		"x.conf:1: ", "not even one interval");
	refused("interval = \"1ms\";\ndither = \"1ms\";",
		"x.conf:2: ", "shorter than the interval");
	refused("\nlimits = [ \"within >= 99%\" ];", "x.conf:2: ", "within = ");
	refused("instrument = \"cpuloop\";\nlimits = [ \"missed <= 0\" ];",
		"x.conf:2: ", "cannot be judged");
	refused("instrument = \"cpuloop\";\nlimits = [ \"corrected.p50 <= 1s\" ];",
		"x.conf:2: ", "cannot be judged");
}

/* A user sees all that is wrong, not the first of it. */
static void test_all_problems(void)
{
	static const char text[] = "interval = 5;\npriority = 500;\nfoo = 1;\nlimits = [ \"x\" ];\n"
				   "cpus = \"z\";\nstages = ( { load = \"A\"; } );";
	g_autoptr(GPtrArray) problems = problems_new();

	g_assert_null(plan_parse("x", text, strlen(text), "x.conf", problems));
	g_assert_cmpuint(problems->len, ==, 6);
}

static void test_order(void)
{
	struct plan *p = parsed(full);
	const struct plan_stage *s = p->stages->pdata[1];
	g_autofree char *why = NULL;
	struct order o;
	cpu_set_t cpus;

	CPU_ZERO(&cpus);
	CPU_SET(1, &cpus);
	plan_order(p, s, p->policy, &cpus, &o);
	g_assert_cmpint(order_check(&o, &why), ==, 0);
	g_assert_cmpstr(o.instrument, ==, "timer");
	g_assert_cmpuint(o.policy, ==, SCHED_RR);
	g_assert_cmpuint(o.priority, ==, 98);
	g_assert_cmpint(o.nice, ==, 0);
	g_assert_cmpuint(o.duration_ns, ==, 10 * S);
	g_assert_cmpuint(o.interval_ns, ==, 250000);
	g_assert_cmpuint(o.warmup_ns, ==, 2 * S);
	g_assert_cmpuint(o.break_ns, ==, 5000000);
	g_assert_cmpuint(o.within_ns, ==, 100000);
	g_assert_cmpuint(o.dither_ns, ==, 10000);
	g_assert_cmpint(o.dma_latency_us, ==, 20);
	g_assert_cmpuint(o.lock_memory, ==, 0);
	g_assert_true(CPU_EQUAL(&o.cpus, &cpus));
	plan_order(p, s, p->fallback_policy, &cpus, &o);
	g_assert_cmpint(order_check(&o, &why), ==, 0);
	g_assert_cmpuint(o.policy, ==, SCHED_BATCH);
	g_assert_cmpuint(o.priority, ==, 0);
	g_assert_cmpint(o.nice, ==, -5);
	plan_free(p);

	/* whatever a plan may say, an order of it stands */
	static const char *const others[] = {
		"instrument = \"cpuloop\"; policy = \"other\";",
		"policy = \"deadline\"; runtime = \"2us\"; deadline = \"5us\"; period = \"1ms\";",
		"policy = \"fifo\"; priority = 98; nice = 3; fallback_policy = \"idle\";",
		"duration = \"1ms\"; interval = \"1us\"; warm_up = \"1h\"; dma_latency = \"none\";",
		"duration = \"366d\"; interval = \"1h\"; dma_latency = 2000000000;",
		"nice = 19; policy = \"batch\"; lock_memory = false;",
	};
	static const char *const roles[] = {
		"instrument = \"parport\";",
		"instrument = \"parport\"; interval = \"20us\";",
		"instrument = \"parport\"; interval = \"10s\"; timeout = \"5s\"; duration = "
		"\"10s\";",
		"instrument = \"parport\"; role = \"logger\"; timeout = \"10ms\"; interval = "
		"\"20ms\";",
		"instrument = \"parport\"; role = \"logger\"; receive = \"irq\"; strobe = true;",
		"instrument = \"parport\"; role = \"target\"; virtual = true;",
		"instrument = \"parport\"; role = \"target\"; answer = \"user\"; port = "
		"\"parport7\";",
		"instrument = \"ktimer\";",
		"instrument = \"ktimer\"; role = \"kthread\"; limits = [ \"missed <= 0\" ];",
	};

	for (size_t i = 0; i < G_N_ELEMENTS(others); i++) {
		p = parsed(others[i]);
		plan_order(p, p->stages->pdata[0], p->policy, &cpus, &o);
		if (order_check(&o, &why) < 0)
			g_error("%s: %s", others[i], why);
		plan_order(p, p->stages->pdata[0],
			   p->fallback_policy >= 0 ? p->fallback_policy : SCHED_OTHER, &cpus, &o);
		g_assert_cmpint(order_check(&o, NULL), ==, 0);
		plan_free(p);
	}
	for (size_t i = 0; i < G_N_ELEMENTS(roles); i++) {
		g_autofree char *text = NULL;
		struct plan *again;

		p = parsed(roles[i]);
		plan_order(p, p->stages->pdata[0], p->policy, &cpus, &o);
		if (order_check(&o, &why) < 0)
			g_error("%s: %s", roles[i], why);
		text = plan_format(p);
		again = parsed(text);
		assert_equal(p, again);
		plan_free(again);
		plan_free(p);
	}
}

static void test_roles(void)
{
	struct plan *p = parsed("instrument = \"parport\"; role = \"target\";"), *timer;
	g_autofree char *why = NULL, *why_not = NULL, *why_no = NULL;

	g_assert_cmpint(p->answer, ==, ROLE_ANSWER_HANDLER);
	g_assert_cmpstr(p->port, ==, "parport0");
	g_assert_cmpuint(p->interval_ns, ==, 0);
	override(p, "port", "parport1");
	g_assert_cmpstr(p->port, ==, "parport1");
	g_assert_cmpint(plan_override(p, "port", "/dev/parport1", &why), ==, -EINVAL);
	g_assert_cmpint(plan_override(p, "interval", "1ms", &why_not), ==, -EINVAL);
	g_assert_nonnull(strstr(why_not, "target"));
	override(p, "policy", "other");
	g_assert_cmpint(plan_check(p, NULL), ==, -EINVAL);
	timer = parsed("instrument = \"timer\";");
	g_assert_cmpint(plan_override(timer, "port", "parport0", &why_no), ==, -EINVAL);
	plan_free(timer);
	plan_free(p);

	refused("role = \"irq\";", "x.conf:1: ", "parport and ktimer");
	refused("\ntimeout = \"1ms\";", "x.conf:2: ", "parport and ktimer");
	refused("instrument = \"parport\";\nrole = \"irq\";", "x.conf:2: ", "no role irq");
	refused("instrument = \"parport\";\nrole = \"host\";", "x.conf:2: ", "loopback");
	refused("instrument = \"parport\";\nport = \"../x\";", "x.conf:2: ", "no path");
	refused("instrument = \"parport\";\nanswer = \"user\";", "x.conf:2: ", "target");
	refused("instrument = \"parport\";\nreceive = \"poll\";", "x.conf:2: ", "logger");
	refused("instrument = \"parport\";\nstrobe = true;", "x.conf:2: ", "strobe");
	refused("instrument = \"parport\";\nvirtual = true;", "x.conf:2: ", "virtual");
	refused("instrument = \"parport\"; role = \"target\"; strobe = true;\nvirtual = true;",
		"x.conf:2: ", "strobe or virtual");
	refused("\nvirtual = true;", "x.conf:2: ", "parport and ktimer");
	refused("instrument = \"parport\";\ntimeout = \"501us\";", "x.conf:2: ", "half");
	refused("instrument = \"parport\";\ninterval = \"19us\";", "x.conf:2: ", "20us");
	refused("instrument = \"parport\";\ndither = \"1us\";", "x.conf:2: ", "dither");
	refused("instrument = \"parport\";\npolicy = \"rr\";", "x.conf:2: ", "fifo");
	refused("instrument = \"parport\";\nfallback_policy = \"other\";", "x.conf:2: ", "fifo");
	refused("instrument = \"parport\";\nlimits = [ \"missed <= 0\" ];", "x.conf:2: ", "missed");
	refused("instrument = \"parport\"; role = \"target\";\ninterval = \"1ms\";",
		"x.conf:2: ", "no interval");
	refused("instrument = \"parport\"; role = \"target\";\ntimeout = \"1ms\";",
		"x.conf:2: ", "lost");
	refused("instrument = \"parport\"; role = \"logger\"; interval = \"1s\";\n"
		"timeout = \"11ms\";",
		"x.conf:2: ", "10ms");
	refused("instrument = \"ktimer\";\nport = \"parport0\";", "x.conf:2: ", "no port");
}

static void test_locale(void)
{
	struct plan *p;

	if (!setlocale(LC_ALL, "de_DE.UTF-8") && !setlocale(LC_ALL, "fr_FR.UTF-8")) {
		g_test_skip("no locale with a decimal comma is installed");
		return;
	}
	p = parsed("duration = \"1.5s\"; limits = [ \"p99.9 <= 1.5ms\" ];");
	g_assert_cmpuint(p->duration_ns, ==, 1500000000);
	g_assert_cmpstr(g_array_index(p->limits, struct limit, 0).text, ==, "p99.9 <= 1.5ms");
	assert_round_trip(p);
	plan_free(p);
	setlocale(LC_ALL, "C");
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/plan/full", test_full);
	g_test_add_func("/plan/defaults", test_defaults);
	g_test_add_func("/plan/other-shapes", test_other_shapes);
	g_test_add_func("/plan/refused", test_refused);
	g_test_add_func("/plan/keep", test_keep);
	g_test_add_func("/plan/repeat", test_repeat);
	g_test_add_func("/plan/baseline", test_baseline);
	g_test_add_func("/plan/combinations", test_combinations);
	g_test_add_func("/plan/all-problems", test_all_problems);
	g_test_add_func("/plan/order", test_order);
	g_test_add_func("/plan/roles", test_roles);
	g_test_add_func("/plan/locale", test_locale);
	return g_test_run();
}
