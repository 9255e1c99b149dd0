/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a caller may change of a plan, and what comes of it.
 */
#include "plan-shared.h"

#include <errno.h>
#include <sched.h>
#include <string.h>

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
	p->repeat = 3;
	override(p, "load", "hd");
	g_assert_cmpint(p->repeat, ==, 1);
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

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/plan/override", test_override);
	g_test_add_func("/plan/override-policy", test_override_policy);
	g_test_add_func("/plan/override-refused", test_override_refused);
	return g_test_run();
}
