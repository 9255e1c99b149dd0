/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How a session ends.
 *
 * Why one function for every end (session_conclude()): done, stopped and failed differ in a word
 * and a sentence. Verdict, store and news must be the same for all, or the rare ends lose data.
 *
 * Why in two steps: what is measured is judged and in the store before its stages are worked out,
 * which takes a while; whoever kills the daemon meanwhile takes no more than that. Until it is
 * there the session is finishing, for all but the store.
 */
#include "session-internal.h"

#include "clock.h"
#include "conditions.h"
#include "duration.h"
#include "evaluation.h"
#include "irqs.h"
#include "log.h"
#include "peer.h"
#include "ports.h"
#include "reason.h"
#include "sessionlog.h"
#include "verdict.h"

#include <malloc.h>

#define SESSION_CLOCK_SET_NS ((int64_t)(2 * NSEC_PER_SEC)) /* no adjustment does that */
#define SESSION_EVALUATE_NS  (300 * NSEC_PER_MSEC)	   /* where somebody waits for the end */

/*
 * What an ended session shows from memory is its head and the stages' findings and limits; figures
 * are in the store, and 160 KiB for each CPU and stage are too much to keep for an idle daemon. So
 * are the summary's lists: tens of JSON objects each.
 */
static void session_shrink(struct session *s)
{
	for (guint i = 0; i < s->r->stages->len; i++) {
		struct result_stage *stage = s->r->stages->pdata[i];

		g_ptr_array_set_size(stage->cpus, 0);
		g_array_set_size(stage->checkpoints, 0);
		g_clear_pointer(&stage->irqs, json_decref);
		g_clear_pointer(&stage->port, json_decref);
		g_clear_pointer(&stage->peer, json_decref);
		g_clear_pointer(&stage->analysis, json_decref);
		stage->snapshots = snapshots_free(stage->snapshots);
	}
	g_clear_pointer(&s->r->conditions, json_decref);
	g_clear_pointer(&s->r->peer_conditions, json_decref);
	if (s->r->summary) {
		(void)json_object_del(s->r->summary, "worst"); /* may not be there */
		(void)json_object_del(s->r->summary, "blocks");
	}
	plan_free(s->plan);
	s->plan = NULL;
	g_clear_pointer(&s->loads, g_hash_table_unref);
	malloc_trim(0);
}

static void session_leave_port(struct session *s)
{
	if (!s->port)
		return;
	ports_set_role(s->place->ports, s->port, NULL);
	g_clear_pointer(&s->port, g_free);
}

/* Order is by row and durations are monotonic; only when it was is in doubt, and that is said. */
static void session_see_clock(struct session *s)
{
	int64_t set_ns = clock_real_offset_ns() - s->clock_ns;
	uint64_t seconds = ((uint64_t)ABS(set_ns) + NSEC_PER_SEC / 2) / NSEC_PER_SEC;
	g_autofree char *by = duration_format(seconds * NSEC_PER_SEC);

	if (ABS(set_ns) < SESSION_CLOCK_SET_NS)
		return;
	finding_add(
		s->r->findings, "clock-set",
		"The wall clock was set %s by %s meanwhile: when the session began and ended is "
		"in doubt, how long it measured is not.",
		set_ns < 0 ? "back" : "forward", by);
}

static void session_end(struct session *s)
{
	s->evaluation = evaluation_free(s->evaluation);
	s->r->state = s->end;
	s->r->verdict = s->end_verdict;
	session_put(s);
	session_tell(s, SESSIONS_ENDED);
	session_shrink(s);
}

/* All but the state that others see: what it ends as is in @s->end, and in the store. */
static void session_conclude(struct session *s, enum session_state state)
{
	struct result *r = s->r;
	enum session_state before = r->state;

	s->next = sd_event_source_disable_unref(s->next);
	if (s->peer)
		peer_forsake(s->peer);
	irqs_end(s);
	session_leave_port(s);
	if (r->conditions) {
		conditions_finish(r->conditions, s->place->root);
		conditions_judge_meanwhile(r->conditions, &s->cpus, s->plan->dma_latency_us,
					   r->findings);
	}
	if (r->started_usec > 0) {
		(void)session_see_trouble(s); /* news of all comes at the end */
		session_see_clock(s);
	}
	r->state = s->end = state;
	r->finished_usec = clock_real_usec();
	verdict_session(r, s->plan);
	s->end_verdict = r->verdict;
	session_put(s);
	sessionlog_ended(r);
	r->state = before;
	r->verdict = VERDICT_EMPTY;
}

/* One that never measured. */
static void session_conclude_now(struct session *s, enum session_state state)
{
	session_conclude(s, state);
	session_end(s);
}

void session_refuse(struct session *s, int err, const char *sentence)
{
	session_set_reason(s, reason_from_errno(err), sentence);
	session_conclude_now(s, SESSION_FAILED);
}

void session_skip(struct session *s, const char *sentence)
{
	session_set_reason(s, "", sentence);
	session_conclude_now(s, SESSION_SKIPPED);
}

void session_stop_queued(struct session *s, const char *sentence)
{
	session_set_reason(s, "", sentence);
	session_conclude_now(s, SESSION_STOPPED);
}

/* Every way to end once it has begun: failed, stopped or done. */
static void session_conclude_begun(struct session *s)
{
	if (*s->r->reason_id) {
		session_conclude(s, SESSION_FAILED);
	} else if (s->stop_reason) {
		session_set_reason(s, "", s->stop_reason);
		session_conclude(s, SESSION_STOPPED);
	} else {
		session_conclude(s, SESSION_DONE);
	}
}

static void on_session_evaluation(enum evaluation_news what, struct result_stage *stage,
				  void *userdata)
{
	struct session *s = userdata;

	switch (what) {
	case EVALUATION_STAGE:
		session_put_stage(s, stage);
		break;
	case EVALUATION_OVER:
		session_end(s);
		break;
	}
}

void session_finish(struct session *s)
{
	const struct evaluation_params p = {
		.event = s->place->event,
		.result = s->r,
		.within_ns = s->stop_reason ? SESSION_EVALUATE_NS : 0,
		.news = on_session_evaluation,
		.userdata = s,
	};

	if (s->evaluation)
		return;
	session_conclude_begun(s);
	if (s->r->stages->len == 0 || evaluation_start(&p, &s->evaluation) < 0) {
		session_end(s);
	} else if (s->r->state != SESSION_FINISHING) {
		s->r->state = SESSION_FINISHING;
		session_tell(s, SESSIONS_CHANGED);
	}
}

void session_finish_now(struct session *s)
{
	if (!s->evaluation)
		session_conclude_begun(s);
	session_end(s);
}
