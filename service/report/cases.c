/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A limit that was kept by figures that cannot be trusted is not a pass, and so neither is its
 * case. That a stage is doubtful is a case of its own, because a farm shows the name of what is
 * wrong, and because a plan without limits would have no case at all.
 *
 * The session's own case takes the verdict up where no other case accounts for it: stages may be
 * gone, a session may have failed before its first one.
 */
#include "cases.h"

#include "cell.h"
#include "duration.h"
#include "stagename.h"

#include <inttypes.h>
#include <string.h>

static void test_case_free(gpointer data)
{
	struct test_case *c = data;

	g_free(c->name);
	g_free(c->id);
	g_free(c->text);
	g_free(c);
}

static struct test_case *cases_add(GPtrArray *cases, int stage, const char *name, const char *id)
{
	struct test_case *c = g_new0(struct test_case, 1);

	c->stage = stage;
	c->name = cell_text(name);
	c->id = g_strdup(id);
	c->text = g_strdup("");
	g_ptr_array_add(cases, c);
	return c;
}

/* At least @outcome, because of @text ("": nothing to say). */
static void case_weaken(struct test_case *c, enum case_outcome outcome, const char *text)
{
	g_autofree char *clean = cell_text(text);
	char *both;

	c->outcome = MAX(c->outcome, outcome);
	if (!*clean)
		return;
	both = g_strconcat(c->text, *c->text ? " " : "", clean, NULL);
	g_free(c->text);
	c->text = both;
}

static void case_weaken_findings(struct test_case *c, const GPtrArray *findings)
{
	for (guint i = 0; findings && i < findings->len; i++) {
		const struct finding *f = findings->pdata[i];

		if (f->kind->weight == FINDING_INCONCLUSIVE)
			case_weaken(c, CASE_INCONCLUSIVE, f->text);
	}
}

char *cases_limit_value(const struct result_limit *l)
{
	g_autofree char *value = NULL;

	if (l->outcome == LIMIT_UNKNOWN)
		return NULL;
	switch (l->limit.figure) {
	case LIMIT_MISSED:
	case LIMIT_LOST:
		value = cell_count(l->value);
		break;
	case LIMIT_WITHIN:
		value = cell_percent(l->value, 1000000);
		break;
	default:
		value = duration_format(l->value);
	}
	if (l->cpu < 0)
		return g_steal_pointer(&value);
	return g_strdup_printf("%s on CPU %d", value, l->cpu);
}

static void cases_of_limit(GPtrArray *cases, int stage, const struct result_limit *l, bool doubt,
			   GHashTable *used)
{
	g_autofree char *clean = cell_text(*l->limit.text ? l->limit.text : "-");
	g_autofree char *name = stagename_unused(used, clean);
	g_autofree char *id = stagename_unused(used, l->limit.name);
	struct test_case *c = cases_add(cases, stage, name, id);
	g_autofree char *value = NULL, *text = NULL;

	c->limit = l;
	if (l->outcome == LIMIT_UNKNOWN) {
		case_weaken(c, CASE_INCONCLUSIVE, "The figure is not known.");
		return;
	}
	value = cases_limit_value(l);
	text = g_strdup_printf("%s: %s.", l->outcome == LIMIT_BROKEN ? "Broken" : "Kept", value);
	case_weaken(c, l->outcome == LIMIT_BROKEN ? CASE_FAIL : CASE_PASS, text);
	if (l->outcome == LIMIT_KEPT && doubt)
		case_weaken(c, CASE_INCONCLUSIVE, "The stage cannot be trusted.");
}

static void cases_of_stage(GPtrArray *cases, const struct result_stage *s, int number)
{
	g_autoptr(GHashTable) used = stagename_set();
	struct test_case *measured = cases_add(cases, number, "measured", "measured");
	bool doubt, broken = false, unknown = false;

	g_hash_table_add(used, g_strdup("measured"));
	case_weaken_findings(measured, s->findings);
	doubt = measured->outcome == CASE_INCONCLUSIVE;
	for (guint i = 0; i < s->limits->len; i++) {
		const struct result_limit *l = &g_array_index(s->limits, struct result_limit, i);

		broken = broken || l->outcome == LIMIT_BROKEN;
		unknown = unknown || l->outcome == LIMIT_UNKNOWN;
		cases_of_limit(cases, number, l, doubt, used);
	}
	/* what none of these accounts for */
	if (s->verdict == VERDICT_EMPTY)
		case_weaken(measured, CASE_INCONCLUSIVE, "It has not been judged.");
	else if (s->verdict == VERDICT_FAIL && !broken)
		case_weaken(measured, CASE_FAIL, "The verdict is fail.");
	else if (s->verdict == VERDICT_INCONCLUSIVE && !doubt && !unknown)
		case_weaken(measured, CASE_INCONCLUSIVE, "The verdict is inconclusive.");
}

static void case_judge_state(struct test_case *c, const struct result *r)
{
	g_autofree char *text = NULL;

	switch (r->state) {
	case SESSION_DONE:
	case SESSION_STOPPED: /* whether it was long enough is found by each stage */
		break;
	case SESSION_FAILED:
	case SESSION_INTERRUPTED:
		text = g_strdup_printf("The session %s.",
				       r->state == SESSION_FAILED ? "failed" : "was interrupted");
		case_weaken(c, CASE_INCONCLUSIVE, text);
		break;
	case SESSION_SKIPPED:
		case_weaken(c, CASE_SKIP, "The session was skipped.");
		break;
	default:
		text = g_strdup_printf("The session has not ended: it is %s.",
				       session_state_to_string(r->state));
		case_weaken(c, CASE_INCONCLUSIVE, text);
	}
}

static void cases_of_session(GPtrArray *cases, const struct result *r)
{
	bool broken = cases_count(cases, CASES_ALL, CASE_FAIL) > 0;
	bool doubt = cases_count(cases, CASES_ALL, CASE_INCONCLUSIVE) > 0;
	struct test_case *c = cases_add(cases, CASES_SESSION, "session", "session");

	case_judge_state(c, r);
	case_weaken_findings(c, r->findings);
	if (r->verdict == VERDICT_FAIL && !broken)
		case_weaken(c, CASE_FAIL, "The verdict is fail.");
	else if (r->verdict == VERDICT_INCONCLUSIVE && !doubt && c->outcome < CASE_INCONCLUSIVE)
		case_weaken(c, CASE_INCONCLUSIVE, "The verdict is inconclusive.");
	case_weaken(c, CASE_PASS, r->reason);
}

GPtrArray *cases_new(const struct result *r)
{
	GPtrArray *cases = g_ptr_array_new_with_free_func(test_case_free);

	for (guint i = 0; r->stages && i < r->stages->len; i++)
		cases_of_stage(cases, r->stages->pdata[i], (int)i);
	cases_of_session(cases, r);
	return cases;
}

unsigned cases_count(const GPtrArray *cases, int stage, enum case_outcome outcome)
{
	unsigned n = 0;

	for (guint i = 0; i < cases->len; i++) {
		const struct test_case *c = cases->pdata[i];

		n += c->outcome == outcome && (stage == CASES_ALL || c->stage == stage);
	}
	return n;
}
