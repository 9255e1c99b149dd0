/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The rule behind every line here: no silent pass. A limit is kept only by figures that can be
 * trusted, so whatever is doubtful becomes a finding with a sentence first, and the verdict is then
 * read off the findings and the limits alone. The other way round does not hold: a bound that was
 * exceeded was exceeded, no matter how doubtful the rest is.
 *
 * A session that was ended early gives no pass either: half of the time is not what the plan asks
 * for. An end by the plan's own break value is no early end.
 */
#include "verdict.h"

#include "duration.h"
#include "figures-json.h"
#include "role.h"

#include <inttypes.h>
#include <string.h>

#define VERDICT_EARLY_SHARE 1000	/* one in so many passes faster than nominal is too many */
#define VERDICT_SLACK_NS    50000000ULL /* a stage may end so much before its time, */
#define VERDICT_SLACK_SHARE 100		/* and one part in so many of it */

static bool verdict_has_limits(const struct plan *p)
{
	return p && p->limits->len > 0;
}

/* "CPU 0: 3, CPU 2: 1" of those CPUs for which @figure is not 0. */
static char *verdict_per_cpu(const struct result_stage *s,
			     uint64_t (*figure)(const struct figures *))
{
	GString *text = g_string_new(NULL);

	for (guint i = 0; i < s->cpus->len; i++) {
		const struct result_cpu *c = s->cpus->pdata[i];
		uint64_t n = figure(c->figures);

		if (n)
			g_string_append_printf(text, "%sCPU %d: %" PRIu64, text->len ? ", " : "",
					       c->cpu, n);
	}
	return g_string_free(text, FALSE);
}

static uint64_t verdict_migrated(const struct figures *f)
{
	return f->migrated;
}

static uint64_t verdict_lacks_samples(const struct figures *f)
{
	return figures_count(f) == 0;
}

/* Passes faster than nominal when they are too many; else 0. */
static uint64_t verdict_early(const struct figures *f)
{
	return (u128)f->early * VERDICT_EARLY_SHARE > figures_count(f) ? f->early : 0;
}

static bool verdict_is_target(const struct result_stage *s)
{
	const char *role = json_string_value(json_object_get(s->port, "role"));

	return g_strcmp0(role, role_to_string(ROLE_TARGET)) == 0;
}

static void verdict_find_samples(struct result_stage *s, const struct figures *all)
{
	g_autoptr(GString) cpus = g_string_new(NULL);

	if (figures_count(all) == 0) {
		/* a target that nobody asked anything is silent, and that is found already */
		if (verdict_is_target(s))
			return;
		finding_add(s->findings, "no-samples", NULL);
		return;
	}
	for (guint i = 0; i < s->cpus->len; i++) {
		const struct result_cpu *c = s->cpus->pdata[i];

		if (verdict_lacks_samples(c->figures))
			g_string_append_printf(cpus, "%s%d", cpus->len ? ", " : "", c->cpu);
	}
	if (cpus->len)
		finding_add(s->findings, "no-samples", "No sample was taken on CPU %s.", cpus->str);
}

static void verdict_find_doubts(struct result_stage *s, const struct figures *all)
{
	g_autofree char *migrated = verdict_per_cpu(s, verdict_migrated);
	g_autofree char *early = verdict_per_cpu(s, verdict_early);

	if (*migrated)
		finding_add(s->findings, "migrated",
			    "%" PRIu64
			    " samples were taken on another CPU than theirs and not counted (%s).",
			    all->migrated, migrated);
	if (*early)
		finding_add(
			s->findings, "early",
			"Passes were faster than the nominal one (%s): the CPU's clock changed.",
			early);
	if (all->torn)
		finding_add(s->findings, "torn", NULL);
	for (guint i = 0; i < s->cpus->len; i++) {
		const struct result_cpu *c = s->cpus->pdata[i];
		g_autofree char *pending = duration_format(c->figures->pending_ns);

		if (c->figures->pending_ns)
			finding_add(
				s->findings, "pending",
				"A wake-up on CPU %d was overdue by %s when the measuring ended.",
				c->cpu, pending);
	}
}

/* Ended by the plan's own break value. */
static bool verdict_broke(const struct plan *p, const struct figures *all)
{
	return p && p->break_ns && figures_count(all) && all->max_ns >= p->break_ns;
}

static bool verdict_short(const struct result_stage *s)
{
	uint64_t slack = s->planned_ns / VERDICT_SLACK_SHARE + VERDICT_SLACK_NS;

	return s->duration_ns + slack < s->planned_ns;
}

static void verdict_find_incomplete(struct result_stage *s, const struct plan *p,
				    const struct figures *all)
{
	g_autofree char *took = duration_format(s->duration_ns / 1000000 * 1000000);
	g_autofree char *planned = duration_format(s->planned_ns);

	if (s->complete && (!verdict_has_limits(p) || !verdict_short(s) || verdict_broke(p, all)))
		return;
	if (!verdict_short(s))
		finding_add(s->findings, "incomplete", "The measuring did not come to its end.");
	else
		finding_add(s->findings, "incomplete", "The stage ran for %s of %s.", took,
			    planned);
}

/* Samples below which a percentile says nothing: n (1 - p) >= 1. */
static uint64_t verdict_needed(const struct limit *l)
{
	return (1000000 + (1000000 - l->ppm) - 1) / (1000000 - l->ppm);
}

static void verdict_find_too_few(struct result_stage *s, const GArray *limits,
				 const struct figures *all)
{
	uint64_t count = figures_count(all), value;

	for (guint i = 0; limits && count && i < limits->len; i++) {
		const struct limit *l = &g_array_index(limits, struct limit, i);
		bool percentile = l->figure == LIMIT_PERCENTILE;

		if (l->unbound || limit_judge(l, all, &value) != LIMIT_UNKNOWN)
			continue;
		if (percentile)
			finding_add(s->findings, "too-few",
				    "%" PRIu64
				    " samples are too few for the limit %s: it needs %" PRIu64 ".",
				    count, l->text, verdict_needed(l));
		else
			finding_add(s->findings, "too-few",
				    "The limit %s cannot be judged: %" PRIu64
				    " samples of this instrument "
				    "do not give that figure.",
				    l->text, count);
	}
}

void verdict_findings(struct result_stage *s, const struct plan *p, const GArray *limits)
{
	g_autofree struct figures *all = result_stage_all(s);

	verdict_find_samples(s, all);
	verdict_find_doubts(s, all);
	verdict_find_incomplete(s, p, all);
	verdict_find_too_few(s, limits, all);
}

/* The CPU with the largest value answers for the maximum; of equals the first. */
static void verdict_judge_max(struct result_limit *l, const struct result_stage *s)
{
	for (guint i = 0; i < s->cpus->len; i++) {
		const struct result_cpu *c = s->cpus->pdata[i];
		uint64_t value = 0;
		enum limit_outcome o = limit_judge(&l->limit, c->figures, &value);

		if (o == LIMIT_UNKNOWN || (l->outcome != LIMIT_UNKNOWN && value <= l->value))
			continue;
		l->outcome = o;
		l->value = value;
		l->cpu = c->cpu;
	}
}

static void verdict_judge(struct result_limit *l, const struct result_stage *s,
			  const struct figures *all)
{
	l->outcome = LIMIT_UNKNOWN;
	l->cpu = -1;
	if (l->limit.figure == LIMIT_MAX)
		verdict_judge_max(l, s);
	else
		l->outcome = limit_judge(&l->limit, all, &l->value);
}

void verdict_stage(struct result_stage *s, const GArray *limits)
{
	g_autofree struct figures *all = result_stage_all(s);
	bool broken = false, unknown = false;

	g_array_set_size(s->limits, 0);
	for (guint i = 0; limits && i < limits->len; i++) {
		struct result_limit l = { .limit = g_array_index(limits, struct limit, i) };

		verdict_judge(&l, s, all);
		broken = broken || l.outcome == LIMIT_BROKEN;
		unknown = unknown || l.outcome == LIMIT_UNKNOWN;
		g_array_append_val(s->limits, l);
	}

	if (broken)
		s->verdict = VERDICT_FAIL;
	else if (unknown || findings_inconclusive(s->findings))
		s->verdict = VERDICT_INCONCLUSIVE;
	else
		s->verdict = limits && limits->len > 0 ? VERDICT_PASS : VERDICT_NONE;
}

static char *verdict_limit_text(const struct result_limit *l)
{
	g_autofree char *value = NULL;

	switch (l->limit.figure) {
	case LIMIT_MISSED:
	case LIMIT_LOST:
		value = g_strdup_printf("%" PRIu64, l->value);
		break;
	case LIMIT_WITHIN: {
		g_autofree char *percent = number_format((double)l->value / 1e4, 4);

		value = g_strdup_printf("%s%%", percent);
		break;
	}
	default:
		value = duration_format(l->value);
	}
	if (l->cpu < 0)
		return g_strdup_printf("%s is broken: %s", l->limit.text, value);
	return g_strdup_printf("%s is broken: %s on CPU %d", l->limit.text, value, l->cpu);
}

/* "Stage hd", "Stage hd, repeat 2". */
static char *verdict_stage_name(const struct result_stage *s)
{
	if (s->repeat <= 1)
		return g_strdup_printf("Stage %s", s->name);
	return g_strdup_printf("Stage %s, repeat %u", s->name, s->repeat);
}

/* Why @s has the verdict it has; NULL when it needs no reason. */
static char *verdict_stage_reason(const struct result_stage *s)
{
	g_autofree char *name = verdict_stage_name(s);

	if (s->verdict == VERDICT_FAIL)
		for (guint i = 0; i < s->limits->len; i++) {
			const struct result_limit *l =
				&g_array_index(s->limits, struct result_limit, i);
			g_autofree char *text = NULL;

			if (l->outcome != LIMIT_BROKEN)
				continue;
			text = verdict_limit_text(l);
			return g_strdup_printf("%s: %s.", name, text);
		}
	if (s->verdict == VERDICT_INCONCLUSIVE)
		for (guint i = 0; i < s->findings->len; i++) {
			const struct finding *f = s->findings->pdata[i];

			if (f->kind->weight == FINDING_INCONCLUSIVE)
				return g_strdup_printf("%s: %s", name, f->text);
		}
	return NULL;
}

/* The first stage with the worst verdict answers; then what the session as a whole found. */
static char *verdict_reason(const struct result *r, guint ran, guint planned)
{
	for (guint i = 0; i < ran; i++) {
		const struct result_stage *s = r->stages->pdata[i];
		char *reason = s->verdict == r->verdict ? verdict_stage_reason(s) : NULL;

		if (reason)
			return reason;
	}
	for (guint i = 0; i < r->findings->len; i++) {
		const struct finding *f = r->findings->pdata[i];

		if (f->kind->weight == FINDING_INCONCLUSIVE)
			return g_strdup(f->text);
	}
	return g_strdup_printf("%u of %u stages were measured.", ran, planned);
}

/* Stages that have been judged. */
static guint verdict_ran(const struct result *r)
{
	guint ran = 0;

	while (r->stages && ran < r->stages->len &&
	       ((struct result_stage *)r->stages->pdata[ran])->verdict != VERDICT_EMPTY)
		ran++;
	return ran;
}

static void verdict_summary(struct result *r)
{
	g_autofree struct figures *all = NULL;
	uint64_t duration_ns = 0;

	if (!r->stages || r->stages->len == 0)
		return;
	all = result_all(r);
	for (guint i = 0; i < r->stages->len; i++)
		duration_ns += ((const struct result_stage *)r->stages->pdata[i])->duration_ns;
	json_decref(r->summary);
	r->summary = figures_to_json(all, 0, false);
	json_object_set_new(r->summary, "duration_ns", json_integer((json_int_t)duration_ns));
}

void verdict_session(struct result *r, const struct plan *p)
{
	guint ran = verdict_ran(r), planned = p ? plan_stage_count(p) : ran;
	bool died = r->state == SESSION_FAILED || r->state == SESSION_INTERRUPTED;
	enum verdict v = verdict_has_limits(p) && ran ? VERDICT_PASS : VERDICT_NONE;

	for (guint i = 0; i < ran; i++)
		v = MAX(v, ((struct result_stage *)r->stages->pdata[i])->verdict);
	if (findings_inconclusive(r->findings) || died || (verdict_has_limits(p) && ran < planned))
		v = MAX(v, VERDICT_INCONCLUSIVE);
	if (r->state == SESSION_SKIPPED)
		v = VERDICT_NONE; /* nothing was tried */
	r->verdict = v;
	if (!*r->reason && v >= VERDICT_INCONCLUSIVE) {
		g_free(r->reason);
		r->reason = verdict_reason(r, ran, MAX(planned, 1));
	}
	verdict_summary(r);
}
