/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Why samples come in batches some time after they were taken: a thread that is woken with each
 * would be a load on the very CPU whose latency is measured. So the block says `batched`: what is
 * awaited is not known from it, and a reader that is killed loses only what it had not read yet.
 *
 * Why pulses have no grid in the block and periods have: a period that is missed is latency that
 * nobody saw, so it belongs to the figures. A pulse that was not sent had no latency at all; how
 * many there were is among the port's facts.
 *
 * Why the end waits: the last pulse before it is answered after it, and the last period may be
 * late. What does not come within the time that it may take is lost or overdue then, and is said
 * to be so, instead of being cut off where it would have been the worst of all.
 */
#include "stream.h"

#include "now.h"
#include "policy.h"
#include "region-record.h"

#include <errno.h>
#include <glib.h>

#define STREAM_LOOK_NS	 250000000ULL /* between two looks at the module */
#define STREAM_LATE_NS	 20000000ULL  /* a period may come so long after the end */
#define STREAM_SETTLE_NS 1000000ULL   /* between two looks then */

int stream_new(struct worker *w, const char *dir, bool grid, struct stream **ret,
	       char **ret_message)
{
	struct stream *s = g_new0(struct stream, 1);
	int r;

	s->w = w;
	s->grid = grid;
	s->end_ns = UINT64_MAX;
	s->batch = g_new(struct lrtbf_record, STREAM_BATCH);
	r = lrtbfdev_open(&s->dev, dir, w->order, w->cpu, ret_message);
	if (r < 0) {
		stream_free(s);
		return r;
	}
	region_begin(w->block);
	w->block->batched = 1;
	region_end(w->block);
	*ret = s;
	return 0;
}

struct stream *stream_free(struct stream *s)
{
	if (!s)
		return NULL;
	lrtbfdev_close(&s->dev);
	g_free(s->batch);
	g_free(s);
	return NULL;
}

/* --- records --- */

static void stream_begin(struct stream *s)
{
	if (s->begun)
		return;
	s->begun = true;
	worker_begin(s->w, s->end_ns);
}

static uint64_t stream_at_ns(const struct stream *s, const struct lrtbf_record *r)
{
	return r->at_ns + r->latency_ns - *s->w->start_ns;
}

static void stream_broke(struct stream *s, const struct lrtbf_record *r)
{
	if (s->w->order->break_ns == 0 || r->latency_ns < s->w->order->break_ns)
		return;
	s->w->broke_ns = r->latency_ns;
	s->over = true;
}

static void stream_warm_up_broke(struct stream *s, const struct lrtbf_record *r)
{
	if (s->w->order->break_ns > 0 && r->latency_ns >= s->w->order->break_ns)
		s->w->warmup_broke_ns = MAX(s->w->warmup_broke_ns, r->latency_ns);
}

/* The grid is where the record says: in between there may be some that found no room. */
static void stream_place_period(struct region_cpu *c, const struct lrtbf_record *r,
				uint64_t interval_ns)
{
	if (c->interval_ns > 0 && c->next_ns == r->at_ns)
		return;
	region_begin(c);
	if (c->interval_ns == 0)
		c->grid_ns = r->at_ns;
	else
		c->grid_ns += r->at_ns - c->next_ns;
	c->interval_ns = interval_ns;
	c->next_ns = r->at_ns;
	region_end(c);
}

static void stream_take_period(struct stream *s, const struct lrtbf_record *r)
{
	struct region_cpu *c = s->w->block;
	uint64_t interval_ns = s->w->order->interval_ns;

	stream_place_period(c, r, interval_ns);
	if (r->at_ns < s->begin_ns) {
		stream_warm_up_broke(s, r);
		(void)region_warm_up(c, r->latency_ns, stream_at_ns(s, r), s->begin_ns, 0);
	} else if (r->cpu != (uint32_t)s->w->cpu) {
		(void)region_migrate(c, r->latency_ns, stream_at_ns(s, r), 0);
	} else {
		(void)region_record_inline(c, &s->place, r->latency_ns, stream_at_ns(s, r),
					   r->at_ns, interval_ns, 0);
		stream_broke(s, r);
	}
}

static void stream_warm_up_pulse(struct stream *s, const struct lrtbf_record *r)
{
	struct region_cpu *c = s->w->block;

	if (r->flags)
		return;
	stream_warm_up_broke(s, r);
	region_begin(c);
	c->figures.warmup++;
	c->figures.warmup_max_ns = MAX(c->figures.warmup_max_ns, r->latency_ns);
	region_end(c);
}

/* Never a sample: an answer that did not come has no latency, and one that came late belongs to no
 * pulse any more. */
static void stream_take_unanswered(struct region_cpu *c, const struct lrtbf_record *r)
{
	region_begin(c);
	c->figures.lost += r->flags & LRTBF_RECORD_LOST ? 1 : 0;
	c->figures.late += r->flags & LRTBF_RECORD_LATE ? 1 : 0;
	region_end(c);
}

static void stream_take_pulse(struct stream *s, const struct lrtbf_record *r)
{
	if (r->at_ns < s->begin_ns) {
		stream_warm_up_pulse(s, r);
	} else if (r->flags) {
		stream_take_unanswered(s->w->block, r);
	} else {
		(void)region_record_inline(s->w->block, &s->place, r->latency_ns,
					   stream_at_ns(s, r), 0, 0, 0);
		stream_broke(s, r);
	}
}

void stream_take(struct stream *s, const struct lrtbf_record *records, size_t n)
{
	for (size_t i = 0; i < n && !s->w->broke_ns; i++) {
		const struct lrtbf_record *r = &records[i];

		if (r->at_ns < *s->w->start_ns)
			continue; /* of another run: cannot be */
		if (r->at_ns >= s->end_ns) {
			s->over = true;
			continue; /* a late answer to an earlier pulse may follow */
		}
		if (r->at_ns >= s->begin_ns)
			stream_begin(s);
		if (s->grid)
			stream_take_period(s, r);
		else
			stream_take_pulse(s, r);
	}
}

static void stream_read(struct stream *s)
{
	size_t n;

	do {
		n = lrtbfdev_read(&s->dev, s->batch, STREAM_BATCH);
		stream_take(s, s->batch, n);
	} while (n == STREAM_BATCH);
}

/* --- the module --- */

static void stream_note(struct stream *s, const struct lrtbf_counters *c)
{
	struct region_cpu *block = s->w->block;

	lrtbfdev_facts(&s->dev, c, &s->facts);
	region_begin(block);
	block->port = s->facts;
	region_end(block);
}

void stream_step(struct stream *s)
{
	struct lrtbf_counters c;

	if (now_ns() >= s->begin_ns)
		stream_begin(s);
	/* before the records: what it stopped for has been recorded by then */
	if (lrtbfdev_counters(&s->dev, &c)) {
		stream_note(s, &c);
		s->over |= !c.running;
	}
	stream_read(s);
}

bool stream_goes_on(const struct stream *s)
{
	return !s->over && !worker_stopped(s->w) && now_ns() < s->end_ns;
}

void stream_wait(struct stream *s)
{
	uint64_t now = now_ns(), until_ns = MIN(s->end_ns, now + STREAM_LOOK_NS);

	if (now < s->begin_ns)
		until_ns = MIN(until_ns, s->begin_ns);
	lrtbfdev_wait(&s->dev, until_ns);
}

/*
 * Whose policy and priority the figures depend on: that of the module's own thread. Where there is
 * none, an interrupt's handler took the time, and there is nothing to name.
 */
static void stream_name_policy(struct stream *s)
{
	struct region_cpu *c = s->w->block;
	struct lrtbf_counters counters;
	struct policy_state p;

	if (s->w->order->answer == ROLE_ANSWER_USER)
		return; /* this thread answers */
	if (!lrtbfdev_counters(&s->dev, &counters))
		return;
	region_begin(c);
	c->policy = -1;
	c->priority = 0;
	if (counters.worker > 0 && policy_read(counters.worker, &p) == 0) {
		c->policy = p.policy;
		c->priority = (int32_t)p.priority;
	}
	region_end(c);
}

bool stream_start(struct stream *s)
{
	const struct order *o = s->w->order;
	struct region_cpu *c = s->w->block;
	char *text = NULL;
	int r;

	s->begin_ns = *s->w->start_ns + o->warmup_ns;
	s->end_ns = s->begin_ns + o->duration_ns;
	region_begin(c);
	c->figures.has_grid = s->grid;
	c->figures.within_bound_ns = o->within_ns;
	region_end(c);
	r = lrtbfdev_start(&s->dev, &text);
	if (r < 0) {
		worker_give_up(s->w, r, text);
		return false;
	}
	stream_name_policy(s);
	return true;
}

/* --- the end --- */

/* How long what began before the end may take. */
static uint64_t stream_settled_ns(const struct stream *s)
{
	if (s->grid)
		return s->end_ns + STREAM_LATE_NS;
	return s->end_ns + s->w->order->timeout_ns + STREAM_SETTLE_NS;
}

static bool stream_settled(const struct stream *s)
{
	const struct region_cpu *c = s->w->block;

	return s->over || (s->grid && c->interval_ns > 0 && c->next_ns >= s->end_ns) ||
	       now_ns() >= stream_settled_ns(s);
}

static void stream_settle(struct stream *s)
{
	while (!stream_settled(s) && !worker_stopped(s->w)) {
		struct timespec t = now_timespec(now_ns() + STREAM_SETTLE_NS);

		now_sleep_until(&t);
		stream_step(s);
	}
}

/* Periods before the end that nothing came for: that is latency, too. */
static void stream_close_grid(struct stream *s)
{
	struct region_cpu *c = s->w->block;
	uint64_t n;

	if (!s->grid || c->interval_ns == 0 || !c->started || c->next_ns >= s->end_ns)
		return;
	region_begin(c);
	n = figures_close(&c->figures, c->next_ns, c->interval_ns, s->end_ns - 1);
	c->next_ns += n * c->interval_ns;
	region_end(c);
}

void stream_judge(struct stream *s, const struct lrtbf_counters *c)
{
	const struct order *o = s->w->order;

	if (c->stop == LRTBF_STOP_LOSSES || (o->role == ROLE_TARGET && c->interrupts == 0))
		worker_find(s->w, "port-silent");
	if (c->stop == LRTBF_STOP_STORM)
		worker_find(s->w, "port-storm");
	if (c->stop == LRTBF_STOP_SUSPEND)
		worker_find(s->w, "suspended");
	if (c->lost_records > 0)
		worker_find(s->w, "lost-records");
	if (c->stop == LRTBF_STOP_DETACHED)
		worker_give_up(
			s->w, -ENODEV,
			g_strdup_printf("Port %s was removed while it was measured.", o->port));
}

void stream_end(struct stream *s)
{
	bool whole = !worker_stopped(s->w) && !s->over;
	struct lrtbf_counters c;

	if (whole)
		stream_settle(s);
	lrtbfdev_stop(&s->dev);
	stream_read(s);
	if (whole && !worker_stopped(s->w))
		stream_close_grid(s);
	if (!lrtbfdev_counters(&s->dev, &c))
		return;
	stream_note(s, &c);
	stream_judge(s, &c);
}
