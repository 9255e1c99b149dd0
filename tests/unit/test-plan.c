/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "plan.h"

#include "conftree.h"
#include "load.h"
#include "plan-keys.h"
#include "rule.h"

#include <errno.h>
#include <locale.h>
#include <sched.h>
#include <string.h>

#define S UINT64_C(1000000000)

static struct plan *parsed(const char *text)
{
	g_autoptr(GPtrArray) problems = problems_new();
	struct plan *p = plan_parse("x", text, strlen(text), "x.conf", problems);

	if (!p) {
		g_autofree char *all = problems_format(problems);

		g_error("refused: %s", all);
	}
	return p;
}

/* The one problem begins with @begin (file and line) and contains @part. */
static void refused(const char *text, const char *begin, const char *part)
{
	g_autoptr(GPtrArray) problems = problems_new();
	struct plan *p = plan_parse("x", text, strlen(text), "x.conf", problems);
	g_autofree char *all = problems_format(problems);

	if (p || problems->len != 1 || !g_str_has_prefix(all, begin) || !strstr(all, part))
		g_error("%s\nexpected \"%s...%s...\" and got: %s", text, begin, part, all);
}

static void assert_equal(const struct plan *a, const struct plan *b)
{
	g_autofree char *x = NULL;
	g_autofree char *y = NULL;

	g_assert_cmpstr(a->description, ==, b->description);
	g_assert_cmpstr(a->instrument, ==, b->instrument);
	g_assert_cmpint(a->role, ==, b->role);
	g_assert_cmpstr(a->port, ==, b->port);
	g_assert_cmpint(a->answer, ==, b->answer);
	g_assert_cmpint(a->receive, ==, b->receive);
	g_assert_cmpint(a->strobe, ==, b->strobe);
	g_assert_cmpint(a->virtual_port, ==, b->virtual_port);
	g_assert_cmpuint(a->timeout_ns, ==, b->timeout_ns);
	g_assert_cmpint(a->policy, ==, b->policy);
	g_assert_cmpint(a->fallback_policy, ==, b->fallback_policy);
	g_assert_cmpint(a->priority, ==, b->priority);
	g_assert_cmpint(a->nice, ==, b->nice);
	g_assert_cmpuint(a->interval_ns, ==, b->interval_ns);
	g_assert_cmpuint(a->duration_ns, ==, b->duration_ns);
	g_assert_cmpuint(a->warmup_ns, ==, b->warmup_ns);
	g_assert_cmpuint(a->break_ns, ==, b->break_ns);
	g_assert_cmpuint(a->within_ns, ==, b->within_ns);
	g_assert_cmpuint(a->dither_ns, ==, b->dither_ns);
	g_assert_cmpuint(a->work_ns, ==, b->work_ns);
	g_assert_cmpuint(a->dl_runtime_ns, ==, b->dl_runtime_ns);
	g_assert_cmpuint(a->dl_deadline_ns, ==, b->dl_deadline_ns);
	g_assert_cmpuint(a->dl_period_ns, ==, b->dl_period_ns);
	g_assert_cmpint(a->dma_latency_us, ==, b->dma_latency_us);
	g_assert_cmpstr(a->cpus, ==, b->cpus);
	g_assert_cmpint(a->lock_memory, ==, b->lock_memory);
	g_assert_cmpuint(a->checkpoint_ns, ==, b->checkpoint_ns);
	g_assert_cmpuint(a->settle_ns, ==, b->settle_ns);
	g_assert_cmpstr(a->label, ==, b->label);
	g_assert_cmpint(a->keep.given, ==, b->keep.given);
	g_assert_cmpuint(a->keep.count, ==, b->keep.count);
	g_assert_cmpuint(a->keep.summary_count, ==, b->keep.summary_count);
	g_assert_cmpuint(a->keep.age_ns, ==, b->keep.age_ns);
	g_assert_cmpuint(a->keep.summary_age_ns, ==, b->keep.summary_age_ns);
	g_assert_cmpuint(a->keep.size_bytes, ==, b->keep.size_bytes);
	g_assert_cmpuint(a->stages->len, ==, b->stages->len);
	for (guint i = 0; i < a->stages->len; i++) {
		const struct plan_stage *s = a->stages->pdata[i], *t = b->stages->pdata[i];

		g_assert_cmpstr(s->name, ==, t->name);
		g_assert_cmpstr(s->load, ==, t->load);
		g_assert_cmpuint(s->duration_ns, ==, t->duration_ns);
	}
	g_assert_cmpmem(a->limits->data, a->limits->len * sizeof(struct limit), b->limits->data,
			b->limits->len * sizeof(struct limit));
	x = rules_format(a->irq_rules);
	y = rules_format(b->irq_rules);
	g_assert_cmpstr(x, ==, y);
}

static void assert_format_round_trip(const struct plan *p)
{
	g_autofree char *text = plan_format(p);
	struct plan *again = parsed(text);

	assert_equal(p, again);
	plan_free(again);
}

/* What a queued session keeps must give the plan it was queued with. */
static void assert_round_trip(const struct plan *p)
{
	struct plan *again = parsed(p->text);

	assert_equal(p, again);
	plan_free(again);
	assert_format_round_trip(p);
}

static const char full[] =
	"description = \"all \\\"keys\\\" \\\\ of it\"; label = \"night\";\n"
	"instrument = \"timer\"; duration = \"1min 30s\"; interval = \"250us\";\n"
	"warm_up = \"2s\"; break = \"5ms\"; within = \"100us\"; dither = \"10us\";\n"
	"cpus = \"0-1, 3\"; policy = \"rr\"; fallback_policy = \"batch\"; priority = 98;\n"
	"nice = -5; dma_latency = 20; lock_memory = false; checkpoint = \"60s\";\n"
	"settle = \"2s\";\n"
	"stages = ( { load = \"none\"; }, { name = \"hd again\"; load = \"hd\";\n"
	"  duration = \"10s\"; } );\n"
	"limits = [ \"max <= 100us\", \"p99.99 <= 50us\", \"within >= 99.9%\",\n"
	" \"corrected.p99 <= 1ms\", \"missed <= 0\" ];\n";

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

static void override(struct plan *p, const char *key, const char *value)
{
	g_autofree char *why = NULL;

	if (plan_override(p, key, value, &why) < 0)
		g_error("%s=%s: %s", key, value, why);
}

static void test_override(void)
{
	struct plan *p = parsed(
		"fallback_policy = \"other\"; stages = ( { load = \"a\"; duration = \"5s\"; },"
		" { load = \"b\"; } ); limits = [ \"max <= 1ms\" ];");
	const struct plan_stage *s = p->stages->pdata[0];
	g_autofree char *why = NULL;

	override(p, "duration", "2s");
	g_assert_cmpuint(p->duration_ns, ==, 2 * S);
	g_assert_cmpuint(s->duration_ns, ==, 2 * S);
	override(p, "interval", "500us");
	override(p, "warm_up", "0");
	override(p, "break", "1ms");
	override(p, "cpus", "!0");
	override(p, "label", "mine");
	override(p, "dma_latency", "none");
	g_assert_cmpint(p->dma_latency_us, ==, -1);
	override(p, "dma_latency", "7");
	g_assert_cmpint(p->dma_latency_us, ==, 7);
	override(p, "limit", "p99 <= 1s");
	override(p, "limit", "avg <= 2s; min <= 3s");
	g_assert_cmpuint(p->limits->len, ==, 4);
	override(p, "load", "hd");
	g_assert_cmpuint(p->stages->len, ==, 1);
	s = p->stages->pdata[0];
	g_assert_cmpstr(s->name, ==, "hd");
	g_assert_cmpuint(s->duration_ns, ==, 2 * S);
	g_assert_cmpint(plan_check(p, &why), ==, 0);
	g_assert_cmpint(p->fallback_policy, ==, SCHED_OTHER);

	assert_format_round_trip(p);
	plan_free(p);
}

static void test_override_policy(void)
{
	struct plan *p = parsed("fallback_policy = \"other\"; nice = 3;");
	g_autofree char *why = NULL;

	/* who asks for a policy gets that one or none */
	override(p, "policy", "fifo");
	g_assert_cmpint(p->fallback_policy, ==, -1);
	g_assert_cmpint(p->priority, ==, 80);
	g_assert_cmpint(plan_check(p, NULL), ==, 0);
	override(p, "policy", "other");
	g_assert_cmpint(p->priority, ==, 0);
	g_assert_cmpint(plan_check(p, NULL), ==, 0);
	override(p, "policy", "deadline");
	g_assert_cmpint(plan_check(p, &why), ==, -EINVAL);
	g_assert_nonnull(strstr(why, "runtime"));
	plan_free(p);

	/* in any order the same: priority with a policy that has none is refused, with one that has
	 * it stands */
	for (int order = 0; order < 2; order++) {
		p = parsed("policy = \"fifo\";");
		override(p, order ? "policy" : "priority", order ? "other" : "50");
		override(p, order ? "priority" : "policy", order ? "50" : "other");
		g_assert_cmpint(plan_check(p, NULL), ==, -EINVAL);
		plan_free(p);
		p = parsed("policy = \"other\";");
		override(p, order ? "policy" : "priority", order ? "rr" : "50");
		override(p, order ? "priority" : "policy", order ? "50" : "rr");
		g_assert_cmpint(plan_check(p, NULL), ==, 0);
		g_assert_cmpint(p->priority, ==, 50);
		plan_free(p);
	}
	p = parsed(
		"policy = \"deadline\"; runtime = \"1ms\"; deadline = \"1ms\"; period = \"1ms\";");
	override(p, "policy", "other");
	g_assert_cmpint(plan_check(p, NULL), ==, 0);
	assert_format_round_trip(p);
	plan_free(p);
}

static void test_override_refused(void)
{
	static const struct {
		const char *key, *value;
		int r;
	} bad[] = {
		{ "colour", "red", -ENOENT },
		{ "instrument", "cpuloop", -ENOENT },
		{ "stages", "none", -ENOENT },
		{ "limits", "max <= 1s", -ENOENT },
		{ "lock_memory", "no", -ENOENT },
		{ "description", "x", -ENOENT },
		{ "", "", -ENOENT },
		{ "duration", "5", -EINVAL },
		{ "duration", "", -EINVAL },
		{ "duration", "0s", -EINVAL },
		{ "interval", "0us", -EINVAL },
		{ "priority", "99", -EINVAL },
		{ "priority", "5x", -EINVAL },
		{ "policy", "fifi", -EINVAL },
		{ "cpus", "1-0", -EINVAL },
		{ "load", "../x", -EINVAL },
		{ "load", "", -EINVAL },
		{ "limit", "", -EINVAL },
		{ "limit", "max", -EINVAL },
		{ "limit", "max <= 1s;", -EINVAL },
		{ "dma_latency", "x", -EINVAL },
		{ "label", "a\nb", -EINVAL },
		{ "label", "\xff", -EINVAL },
		{ "label", "x\302\23331m",
		  -EINVAL }, /* C1: what some terminals take for escape [ */
		{ "label", "a\u2028b", -EINVAL },
		{ "label", "a\u202eb", -EINVAL },
		{ "label", "a\u2067b", -EINVAL },
		{ "warm_up", "2h", -EINVAL },
		{ "policy", "1234567890123456789012345678901\xc3\xbc", -EINVAL },
	};
	struct plan *p = parsed(full);
	struct plan *loop = parsed("instrument = \"cpuloop\";");
	struct plan *before = plan_copy(p);
	g_autofree char *why = NULL;

	for (size_t i = 0; i < G_N_ELEMENTS(bad); i++) {
		g_autofree char *sentence = NULL;
		int r = plan_override(p, bad[i].key, bad[i].value, &sentence);

		if (r != bad[i].r)
			g_test_message("%s=%s gave %d", bad[i].key, bad[i].value, r);
		g_assert_cmpint(r, ==, bad[i].r);
		g_assert_nonnull(sentence);
		g_assert_true(
			g_utf8_validate(sentence, -1, NULL)); /* also when it quotes in part */
		g_assert_cmpint(plan_override(p, bad[i].key, bad[i].value, NULL), ==, bad[i].r);
	}
	assert_equal(p, before); /* a refused wish leaves nothing behind */
	g_assert_cmpint(plan_override(loop, "interval", "1ms", &why), ==, -EINVAL);
	g_assert_nonnull(strstr(why, "no interval"));

	override(p, "interval", "1h");
	g_assert_cmpint(plan_check(p, NULL), ==, -EINVAL); /* longer than the stages */
	plan_free(p);
	plan_free(loop);
	plan_free(before);
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
		"parport_target", "ktimer",
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
	g_test_add_func("/plan/combinations", test_combinations);
	g_test_add_func("/plan/all-problems", test_all_problems);
	g_test_add_func("/plan/override", test_override);
	g_test_add_func("/plan/override-policy", test_override_policy);
	g_test_add_func("/plan/override-refused", test_override_refused);
	g_test_add_func("/plan/order", test_order);
	g_test_add_func("/plan/roles", test_roles);
	g_test_add_func("/plan/shipped", test_shipped);
	g_test_add_func("/plan/documented", test_documented);
	g_test_add_func("/plan/check-loads", test_check_loads);
	g_test_add_func("/plan/dropins", test_dropins);
	g_test_add_func("/plan/rules", test_rules);
	g_test_add_func("/plan/rules-refused", test_rules_refused);
	g_test_add_func("/plan/rules-dropin", test_rules_dropin);
	g_test_add_func("/plan/locale", test_locale);
	return g_test_run();
}
