/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Stages follow one another through the event loop and not by recursion, so that a stop that comes
 * between two of them is seen.
 */
#include "session-internal.h"

#include "admission.h"
#include "baseline.h"
#include "clock.h"
#include "conditions.h"
#include "evaluation.h"
#include "irqs.h"
#include "log.h"
#include "method.h"
#include "peer.h"
#include "policy.h"
#include "ports.h"
#include "reason.h"
#include "sessionlog.h"
#include "stage.h"
#include "verdict.h"

#include <errno.h>
#include <string.h>

#define SESSION_STAGE_MARGIN_NS (20 * NSEC_PER_SEC) /* for lrtbf-measure to begin and to end */

void session_tell(struct session *s, enum sessions_news what)
{
	s->place->news(what, s, s->place->userdata);
}

void session_put(struct session *s)
{
	int r = store_put_session(s->place->store, s->r);

	if (r < 0)
		log_write(LOG_ERR, s->r->id, "The session cannot be queued for the store: %s",
			  g_strerror(-r));
}

void session_put_stage(struct session *s, const struct result_stage *stage)
{
	if (store_put_stage(s->place->store, s->r->id, stage) < 0)
		log_write(LOG_ERR, s->r->id, "Stage %s cannot be queued for the store",
			  stage->name);
}

static void session_set_state(struct session *s, enum session_state state)
{
	if (s->r->state == state)
		return;
	s->r->state = state;
	session_put(s);
	session_tell(s, SESSIONS_CHANGED);
}

bool session_see_trouble(struct session *s)
{
	const char *trouble = store_trouble(s->place->store);
	guint n = s->r->findings->len;

	if (trouble)
		finding_add(s->r->findings, "store-trouble", "%s", trouble);
	return s->r->findings->len > n;
}

bool session_ended(const struct session *s)
{
	return session_state_ended(s->r->state);
}

void session_set_reason(struct session *s, const char *id, const char *sentence)
{
	g_free(s->r->reason);
	g_free(s->r->reason_id);
	s->r->reason = g_strdup(sentence);
	s->r->reason_id = g_strdup(id);
}

/* Kept with the method, where it outlives the daemon: a queued one is taken up again. */
void session_set_scheduled(struct session *s, uint64_t waited_ns)
{
	uint64_t within_ns = s->plan ? s->plan->schedule.start_within_ns : 0;

	json_object_set_new(s->r->method, "scheduled", json_true());
	if (within_ns > 0)
		s->start_by_ns = clock_ns(CLOCK_BOOTTIME) + within_ns - MIN(waited_ns, within_ns);
}

bool session_is_scheduled(const struct session *s)
{
	return json_is_true(json_object_get(s->r->method, "scheduled"));
}

bool session_overdue(const struct session *s)
{
	return s->start_by_ns > 0 && clock_ns(CLOCK_BOOTTIME) > s->start_by_ns;
}

/* The port is its session's from the beginning to the end, between stages too. */
static void session_take_port(struct session *s)
{
	if (!s->place->ports || !s->plan->port)
		return;
	s->port = g_strdup(s->plan->port);
	ports_set_role(s->place->ports, s->port, role_to_string((uint32_t)s->plan->role));
}

/* --- stages --- */

static struct result_stage *session_current(const struct session *s)
{
	return s->r->stages->len > 0 ? s->r->stages->pdata[s->r->stages->len - 1] : NULL;
}

static bool session_goes_on(const struct session *s)
{
	return !s->stop_reason && !*s->r->reason_id &&
	       s->r->stages->len < plan_stage_count(s->plan);
}

static void session_take_failure(struct session *s)
{
	const char *id, *sentence = stage_failure(s->stage, &id);

	if (sentence)
		session_set_reason(s, id, sentence);
}

/* Where the handlers really ran: it belongs to the method, and only the kernel knows it. */
static void session_learn_context(struct session *s, const struct result_stage *stage)
{
	json_t *context = json_object_get(stage->port, "context");

	if (json_array_size(context) > 0)
		json_object_set(s->r->method, "context", context);
}

static void session_judge_stage(struct session *s, struct result_stage *stage)
{
	g_autoptr(GArray) limits = NULL;

	session_learn_context(s, stage);
	limits = baseline_limits(s->place->store, s->r, s->plan, stage);
	verdict_findings(stage, s->plan, limits);
	verdict_stage(stage, limits);
	sessionlog_limits(s->r, stage);
	session_put_stage(s, stage);
}

static int on_session_next(sd_event_source *src, void *userdata);

static void session_stage_over(struct session *s)
{
	struct result_stage *stage = session_current(s);
	bool broke = stage_broke(s->stage);
	const char *path = stage_region_path(s->stage);
	int r;

	session_take_failure(s);
	if (broke && !*s->r->reason_id)
		session_set_reason(s, "", "A sample reached the plan's break value.");
	session_judge_stage(s, stage);
	if (path)
		g_ptr_array_add(s->regions, g_strdup(path));
	s->stage = stage_free(s->stage);
	s->stage_over = false;
	if (session_goes_on(s) && !broke) {
		r = sd_event_add_defer(s->place->event, &s->next, on_session_next, s);
		if (r >= 0)
			return;
		session_set_reason(s, "Failed", "The next stage could not be started.");
	}
	session_finish(s);
}

/* Whoever it was that drained it: the tick, the end, or a caller who asked for figures. */
static void session_see_maximum(struct session *s)
{
	int cpu;
	uint64_t max_ns = stage_maximum_ns(s->stage, &cpu);

	if (max_ns <= s->max_ns)
		return;
	s->max_ns = max_ns;
	s->max_cpu = cpu;
	session_tell(s, SESSIONS_MAXIMUM);
}

/* Once a second: what is new and weakens the figures. */
static void session_watch(struct session *s)
{
	bool irqs = irqs_watch(s), trouble = session_see_trouble(s);

	if (irqs || trouble)
		session_tell(s, SESSIONS_CHANGED);
}

static void on_session_stage(enum stage_news what, void *userdata)
{
	struct session *s = userdata;
	const char *id;

	switch (what) {
	case STAGE_MEASURING:
		session_set_state(s, SESSION_RUNNING);
		break;
	case STAGE_PROGRESS:
		session_watch(s);
		session_tell(s, SESSIONS_PROGRESS);
		session_see_maximum(s);
		break;
	case STAGE_FINDING:
		session_tell(s, SESSIONS_CHANGED);
		break;
	case STAGE_MEASURED:
		session_tell(s, SESSIONS_PROGRESS);
		session_see_maximum(s);
		if (!session_goes_on(s) || stage_broke(s->stage) || stage_failure(s->stage, &id))
			session_set_state(s, SESSION_FINISHING);
		break;
	case STAGE_OVER:
		s->stage_over = true;
		if (!s->peer || !peer_end(s->peer, s->stop_reason != NULL))
			session_stage_over(s);
		break;
	}
}

static struct result_stage *session_add_stage(struct session *s)
{
	struct result_stage *stage = result_stage_new();
	const struct plan_stage *spec = plan_stage_at(s->plan, s->r->stages->len, &stage->repeat);

	g_free(stage->name);
	g_free(stage->load);
	stage->index = s->r->stages->len;
	stage->name = g_strdup(spec->name);
	stage->load = g_strdup(spec->load);
	stage->planned_ns = spec->duration_ns;
	stage->peer = s->peer ? peer_part(s->peer) : NULL;
	g_ptr_array_add(s->r->stages, stage);
	return stage;
}

static void session_next_stage(struct session *s)
{
	const struct plan_stage *spec = plan_stage_at(s->plan, s->r->stages->len, NULL);
	g_autoptr(GPtrArray) loads = NULL;
	g_autofree char *message = NULL;
	struct result_stage *stage = session_add_stage(s);
	struct order order;

	if (s->peer) {
		loads = g_ptr_array_new(); /* they run there */
	} else if (load_expand(s->loads, spec->load, &loads, &message) < 0) {
		/* found when it was admitted: cannot happen with the loads of that time */
		finding_add(stage->findings, "load-absent", "%s", message);
		loads = g_ptr_array_new();
	}
	plan_order(s->plan, spec, s->r->policy, &s->cpus, &order);
	if (order.control_cpu < 0)
		order.control_cpu = house_control_cpu(s->place->house, &s->cpus);
	s->stage = stage_start(&(struct stage_params){
		.place = s->place,
		.id = s->r->id,
		.order = &order,
		.loads = loads,
		.settle_ns = s->plan->settle_ns,
		.checkpoint_ns = s->plan->checkpoint_ns,
		.result = stage,
		.news = on_session_stage,
		.userdata = s,
	});
	session_tell(s, SESSIONS_CHANGED);
}

/* The longest that the next stage may take, lrtbf-measure's own beginning and end included. */
static void session_ask_peer(struct session *s)
{
	guint index = s->r->stages->len;
	const struct plan_stage *spec = plan_stage_at(s->plan, index, NULL);

	peer_begin(s->peer, spec, index,
		   s->plan->warmup_ns + spec->duration_ns + SESSION_STAGE_MARGIN_NS);
}

static int on_session_next(sd_event_source *src, void *userdata)
{
	struct session *s = userdata;

	s->next = sd_event_source_disable_unref(s->next);
	if (s->stage_over) /* its peer's part, too */
		session_stage_over(s);
	else if (!session_goes_on(s))
		session_finish(s);
	else if (s->peer && !peer_ready(s->peer))
		session_ask_peer(s);
	else
		session_next_stage(s);
	return 0;
}

/* --- the beginning --- */

static int session_admit(struct session *s, char **ret_message)
{
	const struct admission_place where = {
		.root = s->place->root,
		.house = s->place->house,
		.loads = s->loads,
		.ports = s->place->ports,
	};
	struct admission a;
	int r;

	r = admission_check(&where, s->plan, s->r->overrides, &a, ret_message);
	if (r < 0)
		return r;
	plan_free(s->plan);
	s->plan = g_steal_pointer(&a.plan);
	s->cpus = a.cpus;
	s->r->policy = a.policy;
	s->r->priority = policy_is_realtime(a.policy) ? s->plan->priority : 0;
	s->r->wanted_policy = s->plan->policy;
	g_ptr_array_unref(s->r->findings);
	s->r->findings = g_steal_pointer(&a.findings);
	admission_done(&a);
	return 0;
}

void session_begin(struct session *s)
{
	g_autofree char *message = NULL;
	int r;

	s->r->started_usec = clock_real_usec();
	s->clock_ns = clock_real_offset_ns();
	session_set_reason(s, "", "");
	r = session_admit(s, &message);
	if (r < 0)
		session_set_reason(s, reason_from_errno(r), message);
	sessionlog_began(s->r);
	if (r == 0) {
		method_describe(s);
		session_take_port(s);
		irqs_begin(s);
		s->r->conditions = conditions_collect(s->place->root);
		conditions_judge(s->r->conditions, &s->cpus, s->r->policy, s->r->findings);
		if (policy_is_realtime(s->r->policy))
			conditions_judge_priority(s->r->conditions, s->r->priority, s->plan->port,
						  s->r->findings);
		irqs_record(s);
	}
	session_set_state(s, SESSION_PREPARING);
	r = sd_event_add_defer(s->place->event, &s->next, on_session_next, s);
	if (r < 0)
		log_write(LOG_ERR, s->r->id, "The session cannot begin: %s", g_strerror(-r));
}

/* --- from outside --- */

/* From the event loop: whoever called must find the session as he left it. */
void session_schedule(struct session *s)
{
	int r = s->next ? 0 : sd_event_add_defer(s->place->event, &s->next, on_session_next, s);

	if (r < 0)
		log_write(LOG_ERR, s->r->id, "The session cannot go on: %s", g_strerror(-r));
}

void session_abandon(struct session *s, const char *reason)
{
	struct result_stage *stage = session_current(s);

	if (s->stage) {
		const char *path = stage_region_path(s->stage);

		if (path)
			g_ptr_array_add(s->regions, g_strdup(path));
		s->stage = stage_free(s->stage);
		session_judge_stage(s, stage);
	}
	if (!s->stop_reason && !s->evaluation)
		s->stop_reason = g_strdup(reason);
	session_finish_now(s);
}

void session_stop_because(struct session *s, char *reason)
{
	if (session_ended(s) || s->stop_reason) {
		g_free(reason);
		return;
	}
	s->stop_reason = reason;
	if (s->r->state == SESSION_QUEUED) {
		session_stop_queued(s, reason);
	} else if (s->r->state == SESSION_FINISHING) {
		/* it has measured all it wanted: it only ends sooner */
		g_clear_pointer(&s->stop_reason, g_free);
		if (s->evaluation)
			evaluation_hurry(s->evaluation);
		else
			stage_stop(s->stage);
	} else if (s->stage) {
		stage_stop(s->stage);
	} else if (s->peer) {
		session_schedule(s); /* it waits for its peer */
	}
	if (s->peer)
		peer_hurry(s->peer);
}

int session_stop(struct session *s, uid_t caller)
{
	session_stop_because(s, g_strdup_printf("Stopped by user %u.", caller));
	return 0;
}

/* --- life --- */

struct session *session_new(const struct session_place *place, struct result *r, struct plan *plan,
			    GHashTable *loads)
{
	struct session *s = g_new0(struct session, 1);

	s->place = place;
	s->r = r;
	s->plan = plan;
	s->loads = loads ? g_hash_table_ref(loads) : NULL;
	s->max_cpu = -1;
	s->regions = g_ptr_array_new_with_free_func(g_free);
	return s;
}

struct session *session_free(struct session *s)
{
	if (!s)
		return NULL;
	sd_event_source_disable_unref(s->next);
	stage_free(s->stage);
	evaluation_free(s->evaluation);
	peer_free(s->peer);
	result_free(s->r);
	plan_free(s->plan);
	if (s->loads)
		g_hash_table_unref(s->loads);
	g_ptr_array_unref(s->regions);
	g_free(s->stop_reason);
	g_free(s);
	return NULL;
}

void session_drain(struct session *s)
{
	if (s->stage)
		stage_drain(s->stage);
}

const struct result *session_result(const struct session *s)
{
	return s->r;
}

unsigned session_queue_position(const struct session *s)
{
	return s->position;
}

const char *session_stage(const struct session *s)
{
	return s->stage ? session_current(s)->name : "";
}

double session_progress(const struct session *s)
{
	uint64_t over_ns = 0;
	guint n = s->r->stages ? s->r->stages->len : 0;

	if (s->r->state == SESSION_DONE)
		return 1;
	if (s->r->planned_ns == 0)
		return 0;
	for (guint i = 0; i < n; i++) {
		const struct result_stage *stage = s->r->stages->pdata[i];

		if (i + 1 < n || !s->stage)
			over_ns += MIN(stage->duration_ns, stage->planned_ns);
		else
			over_ns += stage_elapsed_ns(s->stage);
	}
	return MIN((double)over_ns / (double)s->r->planned_ns, 1.0);
}

size_t session_live(const struct session *s, struct session_live *ret, size_t max)
{
	return s->stage ? stage_live(s->stage, ret, max) : 0;
}

uint64_t session_maximum_ns(const struct session *s, int *ret_cpu)
{
	*ret_cpu = s->max_cpu;
	return s->max_ns;
}
