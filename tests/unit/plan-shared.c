/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "plan-shared.h"

#include "conftree.h"
#include "rule.h"

#include <string.h>

const char full[] =
	"description = \"all \\\"keys\\\" \\\\ of it\"; label = \"night\";\n"
	"instrument = \"timer\"; duration = \"1min 30s\"; interval = \"250us\";\n"
	"warm_up = \"2s\"; break = \"5ms\"; within = \"100us\"; dither = \"10us\";\n"
	"cpus = \"0-1, 3\"; policy = \"rr\"; fallback_policy = \"batch\"; priority = 98;\n"
	"nice = -5; dma_latency = 20; lock_memory = false; checkpoint = \"60s\";\n"
	"settle = \"2s\"; repeat = 3; baseline = \"night_6\";\n"
	"stages = ( { load = \"none\"; }, { name = \"hd again\"; load = \"hd\";\n"
	"  duration = \"10s\"; } );\n"
	"limits = [ \"max <= 100us\", \"p99.99 <= 50us\", \"within >= 99.9%\",\n"
	" \"corrected.p99 <= 1ms\", \"missed <= 0\" ];\n";

struct plan *parsed(const char *text)
{
	g_autoptr(GPtrArray) problems = problems_new();
	struct plan *p = plan_parse("x", text, strlen(text), "x.conf", problems);

	if (!p) {
		g_autofree char *all = problems_format(problems);

		g_error("refused: %s", all);
	}
	return p;
}

void refused(const char *text, const char *begin, const char *part)
{
	g_autoptr(GPtrArray) problems = problems_new();
	struct plan *p = plan_parse("x", text, strlen(text), "x.conf", problems);
	g_autofree char *all = problems_format(problems);

	if (p || problems->len != 1 || !g_str_has_prefix(all, begin) || !strstr(all, part))
		g_error("%s\nexpected \"%s...%s...\" and got: %s", text, begin, part, all);
}

void override(struct plan *p, const char *key, const char *value)
{
	g_autofree char *why = NULL;

	if (plan_override(p, key, value, &why) < 0)
		g_error("%s=%s: %s", key, value, why);
}

void assert_equal(const struct plan *a, const struct plan *b)
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
	g_assert_cmpint(a->repeat, ==, b->repeat);
	g_assert_cmpstr(a->baseline, ==, b->baseline);
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

void assert_format_round_trip(const struct plan *p)
{
	g_autofree char *text = plan_format(p);
	struct plan *again = parsed(text);

	assert_equal(p, again);
	plan_free(again);
}

void assert_round_trip(const struct plan *p)
{
	struct plan *again = parsed(p->text);

	assert_equal(p, again);
	plan_free(again);
	assert_format_round_trip(p);
}
