/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * What the store's tests share: a temporary state folder, results with something in every field,
 * and their comparison.
 */
#include "store.h"

#include <errno.h>
#include <glib/gstdio.h>
#include <string.h>

static inline char *fixture_dir(void)
{
	g_autoptr(GError) error = NULL;
	char *dir = g_dir_make_tmp("lrtbf-store-XXXXXX", &error);

	g_assert_no_error(error);
	return dir;
}

static inline void fixture_remove(const char *dir)
{
	GDir *d = g_dir_open(dir, 0, NULL);
	const char *name;

	while (d && (name = g_dir_read_name(d))) {
		g_autofree char *path = g_build_filename(dir, name, NULL);

		if (g_unlink(path) < 0)
			g_rmdir(path);
	}
	if (d)
		g_dir_close(d);
	g_rmdir(dir);
}

static inline struct store *fixture_open(const char *dir)
{
	g_autofree char *message = NULL;
	struct store *s = NULL;
	int r;

	r = store_open(dir, NULL, NULL, NULL, &s, &message);
	g_assert_cmpstr(message, ==, NULL);
	g_assert_cmpint(r, ==, 0);
	return s;
}

static inline void fixture_flush(struct store *s)
{
	g_autofree char *message = NULL;
	int r;

	r = store_flush(s, 60 * 1000000000ULL, &message);
	g_assert_cmpstr(message, ==, NULL);
	g_assert_cmpint(r, ==, 0);
}

/* A head of which listing cares. */
static inline struct result *fixture_head(const char *id, const char *plan,
					  enum session_state state)
{
	struct result *r = result_new();

	g_free(r->id);
	r->id = g_strdup(id);
	g_free(r->plan);
	r->plan = g_strdup(plan);
	r->state = state;
	r->created_usec = 1700000000000000;
	r->started_usec = state == SESSION_QUEUED ? 0 : 1700000001000000;
	return r;
}

static inline void fixture_put(struct store *s, const char *id, const char *plan,
			       enum session_state state)
{
	struct result *r = fixture_head(id, plan, state);

	g_assert_cmpint(store_put_session(s, r), ==, 0);
	result_free(r);
}

static inline struct result_cpu *fixture_cpu(int number, unsigned samples)
{
	struct result_cpu *c = result_cpu_new(number);

	c->policy = 1;
	c->priority = 95;
	c->figures->has_grid = 1;
	for (unsigned i = 0; i < samples; i++)
		figures_record(c->figures, 1000 + (i * 7919 + number * 31) % 100000,
			       i * 1000000ULL);
	(void)figures_miss(c->figures, 3500000, 1000000);
	c->figures->migrated = 1;
	c->figures->warmup = 100;
	return c;
}

/* Three of them, at 10 s, 20 s and 30 s. */
static inline struct snapshots *fixture_snapshots(void)
{
	g_autofree uint64_t *bucket = g_new0(uint64_t, HISTOGRAM_BUCKETS);
	struct snapshots *s = snapshots_new();

	for (unsigned i = 1; i <= 3; i++) {
		bucket[100 * i] += 7 * i;
		bucket[5] += 1000;
		g_assert_true(snapshots_offer(s, i * 10000000000ULL, bucket));
	}
	return s;
}

static inline struct result_stage *fixture_stage(unsigned index, unsigned samples)
{
	struct limit limit;
	struct result_limit judged = { .outcome = LIMIT_BROKEN,
				       .value = UINT64_MAX - 5,
				       .cpu = -1 };
	struct result_stage *s = result_stage_new();
	struct result_metric *m = result_metric_new("bytes_written", "B/s");
	uint64_t at = 10000000123, late = UINT64_MAX;

	g_free(s->name);
	g_free(s->load);
	s->index = index;
	s->name = g_strdup_printf("stage %u", index);
	s->load = g_strdup(index ? "hd" : "none");
	s->verdict = VERDICT_FAIL;
	s->started_usec = 1700000002000000 + index;
	s->duration_ns = 10000000001 + index;
	s->planned_ns = 20000000002;
	s->complete = index == 0;
	s->repeat = 3 + index;
	s->snapshots = fixture_snapshots();
	s->analysis = json_pack("{s:n, s:{s:[f,f]}}", "tail", "intervals", "avg_ns", 0.1, 1e6 / 3);
	g_ptr_array_add(s->values, result_value_new("fork \"x\"", "us", 1.0 / 3, 1));
	g_ptr_array_add(s->values, result_value_new("total", "s", 200, 0));
	s->port = json_pack("{s:s,s:i,s:[s]}", "port", "parport0", "pulses", 10000, "context",
			    "thread");
	s->peer = json_pack("{s:s,s:{}}", "session", "s20261130T020000Z_0001", "effect");
	s->irqs = json_pack("{s:{s:[s],s:I}}", "27", "actions", "eth0 \"rx\"", "delta",
			    (json_int_t)12345678901);
	finding_add(s->findings, "migrated", NULL);
	finding_add(s->findings, "load-died", "dd ended after %d s; \"bs=1m\"", 2);
	g_assert_cmpint(limit_parse("p99.99 <= 50us", &limit, NULL), ==, 0);
	judged.limit = limit;
	g_array_append_val(s->limits, judged);
	m->n = 10;
	m->mean = 1.0 / 3;
	m->stddev = 1e-300;
	m->min = -0.1;
	m->max = 123456789012.375;
	g_ptr_array_add(s->metrics, m);
	g_array_append_val(s->checkpoints, at);
	g_array_append_val(s->checkpoints, late);
	g_ptr_array_add(s->cpus, fixture_cpu(0, samples));
	g_ptr_array_add(s->cpus, fixture_cpu(3, samples));
	return s;
}

static inline struct result *fixture_result(const char *id)
{
	struct result *r = fixture_head(id, "quick", SESSION_DONE);

	g_free(r->label);
	g_free(r->reason);
	g_free(r->reason_id);
	g_free(r->instrument);
	g_free(r->plan_text);
	r->label = g_strdup("6.1 <rt> \"güld\" 'o''; DROP TABLE sessions; --");
	r->owner = 4294967290u;
	r->verdict = VERDICT_FAIL;
	r->reason = g_strdup("A sentence.");
	r->reason_id = g_strdup("Failed");
	r->instrument = g_strdup("timer");
	r->plan_text = g_strdup("instrument = \"timer\";\n\t# ünïcode\n");
	r->policy = 1;
	r->priority = 95;
	r->wanted_policy = 6;
	r->interval_ns = 1000000;
	r->planned_ns = UINT64_MAX - 1;
	r->finished_usec = 1700000030000000;
	json_object_set_new(r->overrides, "duration", json_string("5s"));
	json_object_set_new(r->method, "instrument", json_string("timer"));
	r->peer = json_pack("{s:s,s:s}", "name", "root@target", "plan", "parport_target");
	r->peer_conditions = json_pack("{s:{s:s}}", "kernel", "release", "6.1.0-rt");
	r->conditions =
		json_pack("{s:{s:s},s:[n,b,f]}", "kernel", "release", "6.1.0", "odd", 1, 0.1);
	r->summary = json_pack("{s:I,s:n,s:{s:[i,n]}}", "count", (json_int_t)2000, "stddev_ns",
			       "blocks", "maxima", 7);
	finding_add(r->findings, "virtual", NULL);
	g_ptr_array_add(r->stages, fixture_stage(0, 5000));
	g_ptr_array_add(r->stages, fixture_stage(1, 3));
	return r;
}

static inline void fixture_same_json(const json_t *a, const json_t *b)
{
	if (a || b)
		g_assert_true(json_equal(a, b));
}

static inline void fixture_same_findings(const GPtrArray *a, const GPtrArray *b)
{
	g_assert_cmpuint(a->len, ==, b->len);
	for (guint i = 0; i < a->len; i++) {
		const struct finding *x = a->pdata[i], *y = b->pdata[i];

		g_assert_true(x->kind == y->kind);
		g_assert_cmpstr(x->text, ==, y->text);
	}
}

/* What a list shows, but the row and the summary. */
static inline void fixture_same_head(const struct result *a, const struct result *b)
{
	g_assert_cmpstr(a->id, ==, b->id);
	g_assert_cmpstr(a->plan, ==, b->plan);
	g_assert_cmpstr(a->label, ==, b->label);
	g_assert_cmpuint(a->owner, ==, b->owner);
	g_assert_cmpint(a->state, ==, b->state);
	g_assert_cmpint(a->verdict, ==, b->verdict);
	g_assert_cmpstr(a->reason, ==, b->reason);
	g_assert_cmpstr(a->reason_id, ==, b->reason_id);
	g_assert_cmpstr(a->instrument, ==, b->instrument);
	g_assert_cmpint(a->policy, ==, b->policy);
	g_assert_cmpint(a->priority, ==, b->priority);
	g_assert_cmpint(a->wanted_policy, ==, b->wanted_policy);
	g_assert_cmpuint(a->interval_ns, ==, b->interval_ns);
	g_assert_cmpuint(a->planned_ns, ==, b->planned_ns);
	g_assert_cmpuint(a->created_usec, ==, b->created_usec);
	g_assert_cmpuint(a->started_usec, ==, b->started_usec);
	g_assert_cmpuint(a->finished_usec, ==, b->finished_usec);
	g_assert_cmpstr(a->baseline, ==, b->baseline);
	fixture_same_json(a->overrides, b->overrides);
	fixture_same_json(a->method, b->method);
	fixture_same_findings(a->findings, b->findings);
}

static inline void fixture_same_metrics(const GPtrArray *a, const GPtrArray *b)
{
	g_assert_cmpuint(a->len, ==, b->len);
	for (guint i = 0; i < a->len; i++) {
		const struct result_metric *x = a->pdata[i], *y = b->pdata[i];

		g_assert_cmpstr(x->name, ==, y->name);
		g_assert_cmpstr(x->unit, ==, y->unit);
		g_assert_cmpuint(x->n, ==, y->n);
		g_assert_true(x->mean == y->mean && x->stddev == y->stddev);
		g_assert_true(x->min == y->min && x->max == y->max);
	}
}

static inline void fixture_same_limits(const GArray *a, const GArray *b)
{
	g_assert_cmpuint(a->len, ==, b->len);
	for (guint i = 0; i < a->len; i++) {
		const struct result_limit *x = &g_array_index(a, struct result_limit, i);
		const struct result_limit *y = &g_array_index(b, struct result_limit, i);

		g_assert_cmpint(x->limit.figure, ==, y->limit.figure);
		g_assert_cmpuint(x->limit.ppm, ==, y->limit.ppm);
		g_assert_cmpuint(x->limit.bound, ==, y->limit.bound);
		g_assert_cmpstr(x->limit.name, ==, y->limit.name);
		g_assert_cmpstr(x->limit.text, ==, y->limit.text);
		g_assert_cmpint(x->outcome, ==, y->outcome);
		g_assert_cmpuint(x->value, ==, y->value);
		g_assert_cmpint(x->cpu, ==, y->cpu);
	}
}

static inline void fixture_same_values(const GPtrArray *a, const GPtrArray *b)
{
	g_assert_cmpuint(a->len, ==, b->len);
	for (guint i = 0; i < a->len; i++) {
		const struct result_value *x = a->pdata[i], *y = b->pdata[i];

		g_assert_cmpstr(x->name, ==, y->name);
		g_assert_cmpstr(x->unit, ==, y->unit);
		g_assert_cmpfloat(x->value, ==, y->value);
		g_assert_cmpint(x->decimals, ==, y->decimals);
	}
}

static inline void fixture_same_snapshots(const struct snapshots *a, const struct snapshots *b)
{
	g_autoptr(GByteArray) x = g_byte_array_new(), y = g_byte_array_new();

	g_assert_true(!a == !b);
	if (!a)
		return;
	snapshots_encode(a, x);
	snapshots_encode(b, y);
	g_assert_cmpmem(x->data, x->len, y->data, y->len);
}

static inline void fixture_same_cpu(const struct result_cpu *a, const struct result_cpu *b)
{
	g_autoptr(GByteArray) x = g_byte_array_new(), y = g_byte_array_new();

	g_assert_cmpint(a->cpu, ==, b->cpu);
	g_assert_cmpint(a->policy, ==, b->policy);
	g_assert_cmpint(a->priority, ==, b->priority);
	g_assert_cmpmem(a->figures->bucket, sizeof(a->figures->bucket), b->figures->bucket,
			sizeof(b->figures->bucket));
	g_assert_true(a->figures->sum_sq_ns2 == b->figures->sum_sq_ns2);
	figures_encode(a->figures, x);
	figures_encode(b->figures, y);
	g_assert_cmpmem(x->data, x->len, y->data, y->len);
}

static inline void fixture_same_stage(const struct result_stage *a, const struct result_stage *b)
{
	g_assert_cmpuint(a->index, ==, b->index);
	g_assert_cmpstr(a->name, ==, b->name);
	g_assert_cmpstr(a->load, ==, b->load);
	g_assert_cmpint(a->verdict, ==, b->verdict);
	g_assert_cmpuint(a->started_usec, ==, b->started_usec);
	g_assert_cmpuint(a->duration_ns, ==, b->duration_ns);
	g_assert_cmpuint(a->planned_ns, ==, b->planned_ns);
	g_assert_cmpint(a->complete, ==, b->complete);
	g_assert_cmpuint(a->repeat, ==, b->repeat);
	fixture_same_values(a->values, b->values);
	fixture_same_snapshots(a->snapshots, b->snapshots);
	fixture_same_json(a->analysis, b->analysis);
	fixture_same_findings(a->findings, b->findings);
	fixture_same_limits(a->limits, b->limits);
	fixture_same_metrics(a->metrics, b->metrics);
	fixture_same_json(a->irqs, b->irqs);
	fixture_same_json(a->port, b->port);
	fixture_same_json(a->peer, b->peer);
	g_assert_cmpmem(a->checkpoints->data, a->checkpoints->len * sizeof(uint64_t),
			b->checkpoints->data, b->checkpoints->len * sizeof(uint64_t));
	g_assert_cmpuint(a->cpus->len, ==, b->cpus->len);
	for (guint i = 0; i < a->cpus->len; i++)
		fixture_same_cpu(a->cpus->pdata[i], b->cpus->pdata[i]);
}

static inline void fixture_same(const struct result *a, const struct result *b)
{
	fixture_same_head(a, b);
	g_assert_cmpstr(a->plan_text, ==, b->plan_text);
	fixture_same_json(a->conditions, b->conditions);
	fixture_same_json(a->peer, b->peer);
	fixture_same_json(a->peer_conditions, b->peer_conditions);
	fixture_same_json(a->summary, b->summary);
	g_assert_cmpuint(a->stages->len, ==, b->stages->len);
	for (guint i = 0; i < a->stages->len; i++)
		fixture_same_stage(a->stages->pdata[i], b->stages->pdata[i]);
}

static inline void fixture_put_whole(struct store *s, const struct result *r)
{
	g_assert_cmpint(store_put_session(s, r), ==, 0);
	for (guint i = 0; i < r->stages->len; i++)
		g_assert_cmpint(store_put_stage(s, r->id, r->stages->pdata[i]), ==, 0);
}

static inline struct result *fixture_get(struct store *s, const char *id)
{
	g_autofree char *message = NULL;
	struct result *r = NULL;
	int e;

	e = store_get(s, id, &r, &message);
	g_assert_cmpstr(message, ==, NULL);
	g_assert_cmpint(e, ==, 0);
	return r;
}
