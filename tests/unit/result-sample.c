/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Samples come from a linear congruential generator of our own: no library's random numbers are
 * promised to stay the same. Times are fixed.
 */
#include "result-sample.h"

#include "portfacts.h"

#include <sched.h>
#include <string.h>

#define SAMPLE_START_USEC 1796004013250000ULL /* 2026-11-30 02:00:13.25 UTC */
#define MS		  1000000ULL
#define US		  1000ULL

static uint32_t sample_random(uint64_t *state)
{
	*state = *state * 6364136223846793005ULL + 1442695040888963407ULL;
	return *state >> 33;
}

/* About @base, a quarter of it as noise, one in 512 with a tail of up to 2^5 times that. */
static uint64_t sample_latency(uint64_t *state, uint64_t base_ns)
{
	uint64_t ns = base_ns + sample_random(state) % (base_ns / 4) +
		      sample_random(state) % (base_ns / 4);

	if (sample_random(state) % 512 == 0)
		ns += (base_ns << sample_random(state) % 6) * (sample_random(state) % 1000) / 1000;
	return ns;
}

static void sample_fill(struct figures *f, uint64_t seed, unsigned n, uint64_t base_ns,
			uint64_t interval_ns)
{
	uint64_t state = seed;

	f->has_grid = 1;
	f->warmup = 100;
	f->warmup_max_ns = 8 * base_ns;
	for (unsigned i = 0; i < n; i++)
		figures_record(f, sample_latency(&state, base_ns), (i + 1) * interval_ns);
}

static struct result *sample_head(const char *id, enum session_state state)
{
	struct result *r = result_new();

	r->id = (g_free(r->id), g_strdup(id));
	r->plan = (g_free(r->plan), g_strdup("sample"));
	r->instrument = (g_free(r->instrument), g_strdup("timer"));
	r->plan_text = (g_free(r->plan_text), g_strdup("instrument = \"timer\";\n"));
	r->owner = 1000;
	r->state = state;
	r->policy = r->wanted_policy = SCHED_FIFO;
	r->priority = 80;
	r->interval_ns = MS;
	r->created_usec = SAMPLE_START_USEC - 1250000;
	json_object_set_new(r->method, "instrument", json_string("timer"));
	json_object_set_new(r->method, "policy", json_string("fifo"));
	json_object_set_new(r->method, "dma_latency_us", json_integer(0));
	return r;
}

static void sample_conditions(struct result *r)
{
	r->conditions =
		json_pack("{s:{s:s,s:s,s:s,s:s,s:b,s:s},s:{s:s}}", "kernel", "nodename", "board",
			  "release", "6.1.0-57-rt-amd64", "version",
			  "#1 SMP PREEMPT_RT Debian 6.1.192-3 (2026-11-26)", "machine", "x86_64",
			  "realtime", 1, "preemption", "PREEMPT_RT", "clock", "source", "tsc");
	g_assert_nonnull(r->conditions);
	r->started_usec = SAMPLE_START_USEC - 250000;
	r->finished_usec = SAMPLE_START_USEC + 10000000;
}

static struct result_stage *sample_stage(struct result *r, const char *load, enum verdict v)
{
	struct result_stage *s = result_stage_new();

	s->index = r->stages->len;
	s->name = (g_free(s->name), g_strdup(load));
	s->load = (g_free(s->load), g_strdup(load));
	s->verdict = v;
	s->started_usec = SAMPLE_START_USEC + s->index * 12000000ULL;
	s->duration_ns = s->planned_ns = 10000 * MS;
	s->complete = true;
	r->planned_ns += s->planned_ns;
	g_ptr_array_add(r->stages, s);
	return s;
}

static struct figures *sample_cpu(struct result *r, struct result_stage *s, int cpu)
{
	struct result_cpu *c = result_cpu_new(cpu);

	c->policy = r->policy;
	c->priority = r->priority;
	g_ptr_array_add(s->cpus, c);
	return c->figures;
}

static void sample_limit(struct result_stage *s, const char *text, int cpu)
{
	g_autofree struct figures *all = result_stage_all(s);
	struct result_limit l = { .cpu = cpu };

	g_assert_cmpint(limit_parse(text, &l.limit, NULL), ==, 0);
	l.outcome = limit_judge(&l.limit, all, &l.value);
	g_array_append_val(s->limits, l);
}

static void sample_metric(struct result_stage *s, const char *name, const char *unit, unsigned n,
			  double mean)
{
	struct result_metric *m = result_metric_new(name, unit);

	m->n = n;
	m->mean = mean;
	m->stddev = mean / 16;
	m->min = mean * 0.75;
	m->max = mean * 1.25;
	g_ptr_array_add(s->metrics, m);
}

struct result *sample_idle(void)
{
	struct result *r = sample_head("s20261130T020012Z_4f2a", SESSION_DONE);
	struct result_stage *s;

	sample_conditions(r);
	r->label = (g_free(r->label), g_strdup("after the update"));
	r->verdict = VERDICT_PASS;
	s = sample_stage(r, "none", VERDICT_PASS);
	sample_fill(sample_cpu(r, s, 0), 1, 9999, 3 * US, MS);
	sample_fill(sample_cpu(r, s, 1), 2, 10000, 2500, MS);
	((struct result_cpu *)s->cpus->pdata[1])->figures->worst[0].self = 1;
	sample_limit(s, "max <= 1ms", 0);
	sample_limit(s, "p99.9 <= 50us", -1);
	sample_metric(s, "context_switches", "1/s", 10, 2154.375);
	sample_metric(s, "bytes_written", "B/s", 10, 4096);
	finding_add(r->findings, "no-spare-cpu", NULL);
	finding_add(r->findings, "throttling", NULL);
	return r;
}

static void sample_hell_hd(struct result *r)
{
	struct result_stage *s = sample_stage(r, "hd", VERDICT_FAIL);
	struct figures *f = sample_cpu(r, s, 0);

	sample_fill(f, 5, 9990, 20 * US, MS);
	f = sample_cpu(r, s, 1);
	sample_fill(f, 6, 4000, 18 * US, MS);
	figures_record(f, 1000 * MS + 250 * US, 5000 * MS);
	figures_miss(f, 1000 * MS + 250 * US, MS);
	sample_limit(s, "max <= 100ms", 1);
	sample_limit(s, "p99 <= 100us", -1);
	sample_metric(s, "bytes_written", "B/s", 10, 187904819.2);
	sample_metric(s, "interrupts", "1/s", 10, 5120.5);
}

struct result *sample_hell(void)
{
	struct result *r = sample_head("s20261130T020012Z_0bad", SESSION_DONE);
	struct result_stage *s;
	struct figures *f;

	sample_conditions(r);
	r->policy = SCHED_OTHER;
	r->priority = 0;
	r->verdict = VERDICT_FAIL;
	r->reason = (g_free(r->reason),
		     g_strdup("Stage hd: max <= 100ms is broken: 1.00025s on CPU 1."));
	json_object_set_new(r->overrides, "duration", json_string("10s"));
	finding_add(r->findings, "virtual", NULL);
	finding_add(r->findings, "policy-fallback", NULL);

	s = sample_stage(r, "none", VERDICT_PASS);
	sample_fill(sample_cpu(r, s, 0), 3, 10000, 12 * US, MS);
	sample_fill(sample_cpu(r, s, 1), 4, 10000, 11 * US, MS);
	sample_limit(s, "max <= 100ms", 0);
	finding_add(s->findings, "page-faults", NULL);

	sample_hell_hd(r);

	s = sample_stage(r, "hackbench", VERDICT_INCONCLUSIVE);
	f = sample_cpu(r, s, 0);
	sample_fill(f, 7, 9000, 40 * US, MS);
	f->migrated = 990;
	sample_fill(sample_cpu(r, s, 1), 8, 9980, 44 * US, MS);
	sample_limit(s, "p99.9999 <= 1s", -1);
	sample_metric(s, "context_switches", "1/s", 1, 912345.6);
	finding_add(s->findings, "migrated",
		    "990 samples were taken on another CPU than theirs (CPU 0: 990).");
	finding_add(s->findings, "page-faults", NULL);

	s = sample_stage(r, "dohell_xenomai", VERDICT_INCONCLUSIVE);
	s->duration_ns = 2500 * MS;
	s->complete = false;
	sample_fill(sample_cpu(r, s, 0), 9, 2500, 55 * US, MS);
	f = sample_cpu(r, s, 1);
	sample_fill(f, 10, 2000, 50 * US, MS);
	figures_close(f, 2001 * MS, MS, 2500 * MS);
	finding_add(s->findings, "load-absent",
		    "The load netcat could not be started: nc is not installed.");
	finding_add(s->findings, "incomplete", "The stage ran for 2.5s of 10s.");
	return r;
}

static void sample_baseline_limit(struct result_stage *s, const char *text, double baseline_ns)
{
	g_autofree struct figures *all = result_stage_all(s);
	struct result_limit l = { .cpu = -1 };

	g_assert_cmpint(limit_parse(text, &l.limit, NULL), ==, 0);
	if (baseline_ns > 0)
		limit_set_baseline(&l.limit, baseline_ns);
	l.outcome = limit_judge(&l.limit, all, &l.value);
	g_array_append_val(s->limits, l);
}

struct result *sample_repeats(void)
{
	static const char loads[] = "abbaab";
	struct result *r = sample_head("s20261130T020012Z_4e9e", SESSION_DONE);

	sample_conditions(r);
	r->verdict = VERDICT_INCONCLUSIVE;
	r->finished_usec = SAMPLE_START_USEC + 73000000;
	for (unsigned i = 0; loads[i]; i++) {
		struct result_stage *s =
			sample_stage(r, loads[i] == 'a' ? "none" : "hd", VERDICT_INCONCLUSIVE);

		s->repeat = i / 2 + 1;
		sample_fill(sample_cpu(r, s, 0), 2 * i + 1, 9999,
			    (loads[i] == 'a' ? 3 : 7) * US + i * 100, MS);
		sample_fill(sample_cpu(r, s, 1), 2 * i + 2, 10000, loads[i] == 'a' ? 2500 : 6000,
			    MS);
		sample_baseline_limit(s, "avg <= baseline + 10%", loads[i] == 'a' ? 3456.25 : 8000);
		sample_baseline_limit(s, "max <= baseline", 0);
		finding_add(s->findings, "no-baseline", NULL);
	}
	return r;
}

struct result *sample_failed(void)
{
	struct result *r = sample_head("s20261130T020012Z_dead", SESSION_FAILED);

	sample_conditions(r);
	r->verdict = VERDICT_INCONCLUSIVE;
	r->planned_ns = 10000 * MS;
	r->reason = (g_free(r->reason), g_strdup("CPU 3 went offline before the measuring began."));
	r->reason_id = (g_free(r->reason_id), g_strdup("NoDevice"));
	return r;
}

struct result *sample_queued(void)
{
	struct result *r = sample_head("s20261130T020012Z_0001", SESSION_QUEUED);

	r->planned_ns = 10000 * MS;
	return r;
}

struct result *sample_gaps(void)
{
	struct result *r = sample_head("s20261130T020012Z_9a95", SESSION_STOPPED);
	struct result_stage *s;
	struct figures *f;
	uint64_t state = 11;

	sample_conditions(r);
	r->instrument = (g_free(r->instrument), g_strdup("cpuloop"));
	r->interval_ns = 0;
	r->verdict = VERDICT_INCONCLUSIVE;
	s = sample_stage(r, "none", VERDICT_INCONCLUSIVE);
	f = sample_cpu(r, s, 0);
	f->within_bound_ns = 10 * US;
	f->nominal_ns = 98765;
	for (unsigned i = 0; i < 5000; i++) {
		uint64_t ns =
			i % 3 ? 0 : sample_random(&state) % (1u << sample_random(&state) % 15);

		figures_record(f, ns, (i + 1) * 100 * US);
	}
	f->early = 12;
	f = sample_cpu(r, s, 2);
	f->within_bound_ns = 10 * US;
	f = sample_cpu(r, s, 7);
	f->within_bound_ns = 10 * US;
	figures_record(f, 0, 100 * US);
	sample_limit(s, "within >= 98%", -1);
	sample_limit(s, "p99.9999 <= 1ms", -1);
	finding_add(s->findings, "no-samples", "No sample was taken on CPU 2.");
	return r;
}

struct result *sample_many(void)
{
	struct result *r = sample_head("s20261130T020012Z_0070", SESSION_DONE);
	struct result_stage *s;
	struct figures *f;

	sample_conditions(r);
	r->verdict = VERDICT_NONE;
	s = sample_stage(r, "none", VERDICT_NONE);
	for (int cpu = 0; cpu < 70; cpu++)
		sample_fill(sample_cpu(r, s, cpu), 100 + cpu, 50, 8 * US, MS);
	f = ((struct result_cpu *)s->cpus->pdata[69])->figures;
	figures_record(f, 3600ULL * 1000 * MS, 3600ULL * 1000 * MS);
	figures_miss(f, 3600ULL * 1000 * MS, MS);
	return r;
}

static json_t *sample_port_facts(void)
{
	const struct region_port p = {
		.known = 1,
		.role = ROLE_LOGGER,
		.receive = ROLE_RECEIVE_IRQ,
		.context = REGION_CONTEXT_THREAD,
		.stop = REGION_STOP_ASKED,
		.irq = 7,
		.tid = 143,
		.policy = SCHED_FIFO,
		.priority = 80,
		.name = "irq/7-parport0",
		.port = "parport0",
		.resolution_ns = 2534,
		.timeout_ns = 500 * US,
		.pulses = 10100,
		.samples = 10087,
		.lost = 12,
		.late = 3,
		.discarded = 1,
		.strays = 2,
		.interrupts = 10093,
		.missed = 4,
	};

	return portfacts_add(NULL, 1, &p);
}

struct result *sample_port(void)
{
	struct result *r = sample_head("s20261130T020012Z_7a7a", SESSION_DONE);
	struct result_stage *s;
	struct figures *f;

	sample_conditions(r);
	r->instrument = (g_free(r->instrument), g_strdup("parport"));
	json_object_set_new(r->method, "instrument", json_string("parport"));
	json_object_set_new(r->method, "role", json_string("logger"));
	json_object_set_new(r->method, "port", json_string("parport0"));
	json_object_set_new(r->method, "receive", json_string("irq"));
	r->verdict = VERDICT_FAIL;
	r->reason = (g_free(r->reason), g_strdup("Stage none: lost <= 0 is broken: 12."));
	s = sample_stage(r, "none", VERDICT_FAIL);
	f = sample_cpu(r, s, 1);
	sample_fill(f, 77, 9987, 30 * US, MS);
	f->has_grid = 0;
	f->lost = 12;
	f->late = 3;
	s->port = sample_port_facts();
	sample_limit(s, "lost <= 0", -1);
	return r;
}

static json_t *sample_peer_part(void)
{
	json_t *o = json_pack(
		"{s:s,s:s,s:s,s:s,s:s,s:s,s:I,s:{s:{s:f,s:f,s:f,s:f,s:s,s:i}},s:{s:s,s:s,s:s,s:i}}",
		"session", "s20261130T020014Z_9e9e", "plan", "parport_target", "state", "stopped",
		"reason", "", "load", "hd", "verdict", "none", "duration_ns",
		(json_int_t)(12 * 1000 * MS), "effect", "bytes_written", "mean", 41.5e6, "stddev",
		2e6, "min", 37e6, "max", 44e6, "unit", "B/s", "seconds", 11, "port", "port",
		"parport1", "role", "target", "answer", "handler", "interrupts", 10093);

	g_assert_nonnull(o);
	return o;
}

struct result *sample_peer(void)
{
	struct result *r = sample_head("s20261130T020012Z_9e0e", SESSION_FAILED);
	struct result_stage *s;

	sample_conditions(r);
	r->verdict = VERDICT_INCONCLUSIVE;
	r->reason = (g_free(r->reason), g_strdup("Peer root@target: lrtbfd has gone away there."));
	r->reason_id = (g_free(r->reason_id), g_strdup("PeerFailed"));
	r->peer = json_pack("{s:s,s:s,s:s}", "name", "root@target", "plan", "parport_target",
			    "version", "0.9");
	r->peer_conditions =
		json_pack("{s:{s:s,s:s,s:s,s:s}}", "kernel", "nodename", "board2", "release",
			  "6.12.0-rt", "version", "#1 SMP PREEMPT_RT", "machine", "aarch64");
	finding_add(r->findings, "peer-warns", "Peer root@target: Real-time throttling is on.");
	s = sample_stage(r, "hd", VERDICT_NONE);
	sample_fill(sample_cpu(r, s, 1), 77, 9987, 30 * US, MS);
	sample_metric(s, "bytes_written", "B/s", 11, 12e3);
	s->peer = sample_peer_part();
	s = sample_stage(r, "none", VERDICT_INCONCLUSIVE);
	s->peer = json_pack("{s:s}", "session", "s20261130T020026Z_9e9f");
	sample_fill(sample_cpu(r, s, 1), 78, 500, 30 * US, MS);
	finding_add(s->findings, "peer-doubt",
		    "Peer root@target: its part of this stage is missing.");
	return r;
}

struct result *sample_hostile(void)
{
	static const char text[] =
		"a \"quote\", a\\back\nslash, \033[31mred\033[0m, \xff\xfe, \u00e4\u4e2d";
	struct result *r = sample_head("s20261130T020012Z_e411", SESSION_DONE);
	struct result_stage *s;

	sample_conditions(r);
	r->plan = (g_free(r->plan), g_strdup(text));
	r->label = (g_free(r->label), g_strdup(text));
	r->reason = (g_free(r->reason), g_strdup(text));
	r->plan_text = (g_free(r->plan_text), g_strdup(text));
	json_object_set_new(r->overrides, "label", json_string("it's a \"label\"\n"));
	s = sample_stage(r, text, VERDICT_INCONCLUSIVE);
	s->port = json_pack("{s:s,s:s,s:[[s],i],s:i,s:{s:i}}", "port", "parport0\033[31m", "role",
			    "x\ny", "threads", "name\n", 7, "pulses", -5, "irq", "a", 1);
	g_assert_nonnull(s->port);
	r->peer = json_pack("{s:s,s:s}", "name", "a\033[31m", "plan", "x\ny");
	r->peer_conditions = json_pack("{s:i,s:{s:[]}}", "kernel", 5, "b", "release");
	s->peer = json_pack("{s:i,s:s,s:i,s:{s:i,s:{s:i,s:s},s:{s:s}},s:[i]}", "session", 7, "plan",
			    "\033[31m", "duration_ns", -1, "effect", "a", 1, "b\033", "seconds", -5,
			    "mean", "x", "c", "unit", "\n", "port", 1);
	sample_fill(sample_cpu(r, s, 0), 12, 100, 3 * US, MS);
	sample_metric(s, text, text, 3, 1.5);
	finding_add(s->findings, "load-died", "%s", text);
	finding_add(r->findings, "store-trouble", "%s", text);
	return r;
}

const struct result_sample result_samples[] = {
	{ "idle", sample_idle },
	{ "hell", sample_hell },
	{ "failed", sample_failed },
	{ "queued", sample_queued },
	{ "port", sample_port },
	{ "gaps", sample_gaps },
	{ "many", sample_many },
	{ "hostile", sample_hostile },
	{ "peer", sample_peer },
	{ "repeats", sample_repeats },
	{ NULL },
};
