/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Each has one thing that is unusual. A hostile text stands wherever a text can come from outside:
 * formats differ in which of these they show.
 */
#include "degenerate.h"

#include <string.h>

#define SECOND 1000000000ULL
#define US     1000ULL

static void set(char **text, const char *value)
{
	g_free(*text);
	*text = g_strdup(value);
}

static struct result *new_session(const char *label)
{
	struct result *r = sample_queued();

	r->state = SESSION_DONE;
	r->verdict = VERDICT_NONE;
	set(&r->label, label);
	r->started_usec = 1796004013000000ULL;
	r->finished_usec = r->started_usec + 60000000;
	r->conditions =
		json_pack("{s:{s:s,s:s,s:s,s:s}}", "kernel", "nodename", "board", "release",
			  "6.1.0-57-rt-amd64", "version", "#1 SMP PREEMPT_RT", "machine", "x86_64");
	g_assert_nonnull(r->conditions);
	return r;
}

static struct result_stage *new_stage(struct result *r, const char *name, enum verdict verdict,
				      unsigned cpus)
{
	struct result_stage *s = result_stage_new();

	s->index = r->stages->len;
	set(&s->name, name);
	set(&s->load, name);
	s->repeat = 1;
	s->verdict = verdict;
	s->complete = true;
	s->started_usec = r->started_usec + s->index * 20000000ULL;
	s->duration_ns = s->planned_ns = 10 * SECOND;
	for (unsigned c = 0; c < cpus; c++)
		g_ptr_array_add(s->cpus, result_cpu_new((int)c));
	g_ptr_array_add(r->stages, s);
	return s;
}

static struct figures *figures_of(struct result_stage *s, unsigned cpu)
{
	return ((struct result_cpu *)s->cpus->pdata[cpu])->figures;
}

static void take(struct figures *f, uint64_t base_ns, unsigned n)
{
	uint64_t state = base_ns;

	f->has_grid = 1;
	for (unsigned i = 0; i < n; i++) {
		state = state * 6364136223846793005ULL + 1442695040888963407ULL;
		figures_record(f, base_ns + (state >> 33) % base_ns, (i + 1) * US);
	}
}

static void judge(struct result_stage *s, const char *text)
{
	g_autofree struct figures *all = result_stage_all(s);
	struct result_limit l = { .cpu = -1 };

	g_assert_cmpint(limit_parse(text, &l.limit, NULL), ==, 0);
	l.outcome = limit_judge(&l.limit, all, &l.value);
	g_array_append_val(s->limits, l);
}

static struct result *silent_cpu(void)
{
	struct result *r = new_session("one silent CPU");
	struct result_stage *s = new_stage(r, "none", VERDICT_INCONCLUSIVE, 3);

	r->verdict = VERDICT_INCONCLUSIVE;
	take(figures_of(s, 0), 3 * US, 1000);
	take(figures_of(s, 2), 4 * US, 1000);
	judge(s, "max <= 1ms");
	finding_add(s->findings, "no-samples", "No sample was taken on CPU 1.");
	return r;
}

static struct result *torn(void)
{
	struct result *r = new_session("torn blocks");
	struct result_stage *s = new_stage(r, "none", VERDICT_INCONCLUSIVE, 2);
	struct figures *f = figures_of(s, 0);

	r->state = SESSION_INTERRUPTED;
	r->verdict = VERDICT_INCONCLUSIVE;
	take(f, 3 * US, 2000);
	f->sum_ns = 0;
	f->min_ns = 1;
	figures_rebuild(f);
	take(figures_of(s, 1), 3 * US, 2000);
	finding_add(s->findings, "torn", NULL);
	return r;
}

/* A farm's month: 10^12 samples, a large maximum. */
static struct result *huge(void)
{
	struct result *r = new_session("10^12 samples");
	struct result_stage *s = new_stage(r, "none", VERDICT_PASS, 1);
	struct figures *f = figures_of(s, 0);
	unsigned b = histogram_bucket(3 * US);

	r->verdict = VERDICT_PASS;
	take(f, 3 * US, 100000);
	f->bucket[b] += 1000000000000ULL - 100001;
	f->sum_ns += (u128)(1000000000000ULL - 100001) * 3 * US;
	f->sum_sq_ns2 += (u128)(1000000000000ULL - 100001) * 9 * US * US;
	figures_record(f, 7200 * SECOND + 1, 200000 * US);
	s->duration_ns = s->planned_ns = 1000000 * SECOND;
	judge(s, "p99.9999 <= 1ms");
	judge(s, "missed <= 1000");
	return r;
}

/* The published tables of another program: no sample of its own. */
static struct result *stated(void)
{
	struct result *r = new_session("stated only");
	struct figures *f = figures_of(new_stage(r, "none", VERDICT_NONE, 1), 0);

	f->stated = FIGURES_STATED_MIN | FIGURES_STATED_MAX | FIGURES_STATED_MEAN |
		    FIGURES_STATED_STDDEV | FIGURES_STATED_NO_COUNT;
	f->min_ns = 5600;
	f->max_ns = 51200;
	f->stated_mean_ns = 8700.25;
	f->stated_stddev_ns = 300.5;
	return r;
}

/* Some samples in no bucket, where they begin is not known. */
static struct result *unplaced(void)
{
	struct result *r = new_session("unplaced");
	struct figures *f = figures_of(new_stage(r, "none", VERDICT_NONE, 1), 0);

	take(f, 3 * US, 1000);
	f->has_grid = 0;
	f->unplaced = 77;
	f->stated = FIGURES_STATED_MAX;
	f->max_ns = 1234567;
	return r;
}

static struct result *thinned(void)
{
	struct result *r = new_session("thinned");

	r->verdict = VERDICT_FAIL;
	set(&r->reason, "Stage none: max <= 1us is broken: 98.765us on CPU 1.");
	r->thinned_usec = 1796100000000000ULL;
	r->summary = json_pack("{s:i,s:i,s:f,s:i,s:n,s:i,s:{s:i,s:n},s:n,s:I}", "count", 20000,
			       "min_ns", 4120, "avg_ns", 12345.678, "max_ns", 98765, "stddev_ns",
			       "lost", 0, "percentiles", "50", 12000, "99.9999", "corrected",
			       "duration_ns", (json_int_t)(20 * SECOND));
	g_assert_nonnull(r->summary);
	finding_add(r->findings, "thinned", NULL);
	return r;
}

static struct result *overhead(void)
{
	struct result *r = new_session("a benchmark");
	struct result_stage *s = new_stage(r, "plain", VERDICT_NONE, 0);

	json_object_set_new(r->method, "quantity", json_string("overhead"));
	g_ptr_array_add(s->values, result_value_new("fork", "us", 96.5, 1));
	g_ptr_array_add(s->values, result_value_new("total", "s", 1794, 0));
	s = new_stage(r, "hd", VERDICT_NONE, 0);
	g_ptr_array_add(s->values, result_value_new("fork", "us", 1044.25, 2));
	return r;
}

static struct result *skipped(void)
{
	struct result *r = new_session("skipped");

	r->state = SESSION_SKIPPED;
	r->verdict = VERDICT_EMPTY;
	set(&r->reason, "It would have begun 2h too late.");
	return r;
}

static struct result *running(void)
{
	struct result *r = new_session("running");
	struct result_stage *s = new_stage(r, "none", VERDICT_EMPTY, 1);

	r->state = SESSION_RUNNING;
	r->verdict = VERDICT_EMPTY;
	r->finished_usec = 0;
	s->complete = false;
	s->duration_ns = SECOND;
	take(figures_of(s, 0), 3 * US, 1000);
	return r;
}

/* Stages, limits and metrics of which two have the same name. */
static struct result *alike(void)
{
	struct result *r = new_session("alike");

	r->verdict = VERDICT_FAIL;
	for (unsigned i = 0; i < 3; i++) {
		struct result_stage *s = new_stage(r, i < 2 ? "hd" : "hd-2", VERDICT_FAIL, 2);

		take(figures_of(s, 0), 3 * US, 100);
		take(figures_of(s, 1), 4 * US, 100);
		judge(s, "max <= 1ms");
		judge(s, "max <= 1us");
		judge(s, "max <= 1ms");
		for (unsigned k = 0; k < 2; k++) {
			struct result_metric *m = result_metric_new("interrupts", "1/s");

			m->n = 3;
			m->mean = 5120.5 + k;
			m->min = m->max = m->mean;
			g_ptr_array_add(s->metrics, m);
		}
	}
	return r;
}

const struct result_sample degenerate_samples[] = {
	{ "silent-cpu", silent_cpu }, { "torn", torn },		{ "huge", huge },
	{ "stated", stated },	      { "unplaced", unplaced }, { "thinned", thinned },
	{ "overhead", overhead },     { "skipped", skipped },	{ "running", running },
	{ "alike", alike },	      { NULL, NULL },
};

static const char *const hostile_texts[] = {
	"\"double\" 'single' `back`",
	"<script>alert(1)</script> &amp; <!-- --> ]]> <b>",
	"a,b;c|d|e",
	"line\nbreak\r\nand\rmore\ttab",
	"bell\a esc\033[31m null-like\001 del\177 \302\205 end",
	"\u05e9\u05dc\u05d5\u05dd \u202e evil \u2066 isolates \u200f",
	"\xff\xfe invalid \xc3( utf-8 \xed\xa0\x80",
	"not ok # SKIP really",
	"x #todo later # skip",
	"\\ backslash \\n \\\" at the end \\",
	"| --- | **bold** _it_ [a](http://x) #12 @root ~~s~~ $x$ ![i](j)",
	"RESULT=pass MEASUREMENT=1> <LAVA_SIGNAL_TESTCASE TEST_CASE_ID=x RESULT=pass>",
	"\uffff\ufffe non-characters \U0001f600",
	"a} 1\n# EOF\nb{c=\"d\"} 2",
	"",
	" leading and trailing ",
	"=1+1",
	"%s%n%d %%",
	"\u2028separators\u2029",
};

struct result *degenerate_hostile(unsigned i)
{
	const char *text = i < G_N_ELEMENTS(hostile_texts) ? hostile_texts[i] : NULL;
	struct result *r = text ? new_session(text) : NULL;
	struct result_metric *m;
	struct result_stage *s;

	if (!r)
		return NULL;
	set(&r->plan, text);
	set(&r->reason, text);
	set(&r->instrument, text);
	r->verdict = VERDICT_FAIL;
	for (unsigned k = 0; k < 2; k++) {
		struct result_limit *l;

		s = new_stage(r, text, VERDICT_FAIL, 2);
		take(figures_of(s, 0), 3 * US, 100);
		take(figures_of(s, 1), 5 * US, 100);
		judge(s, "max <= 1us");
		judge(s, "max <= 1ms");
		l = &g_array_index(s->limits, struct result_limit, 1);
		g_strlcpy(l->limit.text, text, sizeof(l->limit.text));
		g_strlcpy(l->limit.name, text, sizeof(l->limit.name));
		m = result_metric_new(text, text);
		m->n = 2;
		m->mean = m->min = m->max = 1.5;
		g_ptr_array_add(s->metrics, m);
		finding_add(s->findings, "load-died", "%s", text);
	}
	json_object_set_new(json_object_get(r->conditions, "kernel"), "release",
			    json_stringn_nocheck("6.1 \"x\"<|>\n", 11));
	return r;
}
