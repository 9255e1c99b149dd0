/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How sessions come in: asked for by a caller, or left by the daemon before this one.
 *
 * Why a caller's session is admitted before it is queued although it is admitted again when it
 * begins: a refusal now, with its reason, is worth more than one in the middle of the night.
 */
#include "sessions-internal.h"

#include "admission.h"
#include "cleanup.h"
#include "clock.h"
#include "conftree.h"
#include "loadset.h"
#include "lock.h"
#include "log.h"
#include "message.h"
#include "policy.h"
#include "ports.h"
#include "recover.h"

#include <errno.h>
#include <string.h>

#define INTAKE_FLUSH_NS	     (2 * NSEC_PER_SEC)
#define INTAKE_PEER_NAME_MAX 255

/* --- asked for --- */

static int intake_check_daemon(const struct sessions *m, char **ret_message)
{
	if (m->shutdown)
		return message_fail(ret_message, -EBUSY, "lrtbfd is being stopped.");
	if (strcmp(m->place.root, "/") == 0)
		return 0;
	return message_fail(ret_message, -EPERM,
			    "lrtbfd was started with --root=%s: it looks at the machine described "
			    "there, and cannot measure on it.",
			    m->place.root);
}

static int intake_find_plan(struct sessions *m, const char *name, const struct plan **ret,
			    char **ret_message)
{
	const struct plan_entry *e =
		conftree_name_valid(name) ? catalog_plan(m->catalog, name) : NULL;

	if (!e && !conftree_name_valid(name))
		return message_fail(
			ret_message, -ESRCH,
			"\"%.64s\" is no plan's name, which has small letters, digits and "
			"_ only; \"lrtbfctl plan list\" shows those there are.",
			name);
	if (!e)
		return message_fail(ret_message, -ESRCH,
				    "There is no plan \"%s\"; \"lrtbfctl plan list\" shows those "
				    "there are.",
				    name);
	if (!e->plan) {
		if (ret_message)
			*ret_message = problems_format(e->problems);
		return -EBADMSG;
	}
	*ret = e->plan;
	return 0;
}

int sessions_take_machine(struct sessions *m, int *ret_fd, char **ret_message)
{
	const struct session *s = m->active ?: g_queue_peek_head(&m->queued);
	int r;

	if (s) {
		*ret_message = g_strdup_printf("Session %s of plan %s %s.", s->r->id, s->r->plan,
					       m->active ? "is measuring" : "is about to begin");
		return -EBUSY;
	}
	r = lock_take(m->p.lock_path, ret_fd, ret_message);
	return r < 0 && r != -EBUSY ? -EIO : r;
}

static int intake_check_busy(struct sessions *m, char **ret_message)
{
	g_auto(fd_t) fd = -1;

	return sessions_take_machine(m, &fd, ret_message);
}

/* Timers are root's: however many plans have the same hour, no one user takes the queue there. */
static bool intake_by_timer(uid_t owner, bool scheduled)
{
	return owner == 0 && scheduled;
}

static unsigned intake_count_own(const struct sessions *m, uid_t caller)
{
	unsigned n = 0;

	for (GList *l = m->queued.head; l; l = l->next) {
		const struct session *s = l->data;

		n += s->r->owner == caller &&
		     !intake_by_timer(s->r->owner, session_is_scheduled(s));
	}
	return n;
}

static int intake_check_queue(struct sessions *m, uid_t caller, bool scheduled, char **ret_message)
{
	const struct settings *set = m->p.settings;
	unsigned own = intake_count_own(m, caller);

	if (m->queued.length >= set->queue_max) {
		*ret_message =
			g_strdup_printf("The queue is full: %u sessions wait.", set->queue_max);
		return -EDQUOT;
	}
	if (!intake_by_timer(caller, scheduled) && own >= set->queue_max_per_caller) {
		*ret_message = g_strdup_printf("User %u has %u sessions in the queue, no more are "
					       "permitted.",
					       caller, own);
		return -EDQUOT;
	}
	return 0;
}

/*
 * Also by a session of years ago: a board without a battery begins at the same second at each boot,
 * and one that is put under a name that is there takes its place.
 */
bool intake_id_taken(struct sessions *m, const char *id)
{
	struct result *head = NULL;
	bool taken;

	taken = sessions_find(m, id) || store_head(m->p.store, id, &head, NULL) == 0;
	result_free(head);
	return taken;
}

static struct result *intake_result(struct sessions *m, const char *plan, const struct admission *a,
				    const json_t *overrides, uid_t caller)
{
	struct result *r = result_new();
	const struct plan *p = a->plan;

	do {
		g_free(r->id);
		r->id = result_id_new(clock_real_usec());
	} while (intake_id_taken(m, r->id));
	g_free(r->plan);
	g_free(r->label);
	g_free(r->instrument);
	g_free(r->plan_text);
	r->plan = g_strdup(plan);
	r->label = g_strdup(p->label ?: "");
	r->instrument = g_strdup(p->instrument);
	r->plan_text = g_strdup(p->text);
	r->owner = caller;
	r->state = SESSION_QUEUED;
	r->policy = a->policy;
	r->wanted_policy = p->policy;
	r->priority = policy_is_realtime(a->policy) ? p->priority : 0;
	r->interval_ns = p->interval_ns;
	r->planned_ns = plan_planned_ns(p);
	r->created_usec = clock_real_usec();
	if (overrides)
		json_object_update(r->overrides, (json_t *)overrides);
	return r;
}

static int intake_check_peer(const struct session_peer_wish *peer, char **ret_message)
{
	size_t size = peer ? strlen(peer->name) : 1;

	if (size < 1 || size > INTAKE_PEER_NAME_MAX)
		return message_fail(ret_message, -EINVAL,
				    "A peer's name has between 1 and %d bytes.",
				    INTAKE_PEER_NAME_MAX);
	for (const char *c = peer ? peer->name : ""; *c; c++)
		if (g_ascii_iscntrl(*c))
			return message_fail(ret_message, -EINVAL,
					    "A peer's name has no control characters.");
	return 0;
}

/* How a caller's session is to be. */
struct intake_wish {
	bool queue;			      /* it may wait */
	const struct session_peer_wish *peer; /* NULL: none */
	bool scheduled;
	const char *late; /* it is only kept, with this sentence; NULL: it is to measure */
};

static int intake_admit(struct sessions *m, const char *plan, const json_t *overrides,
			const struct intake_wish *wish, uid_t caller, struct session **ret,
			char **ret_message)
{
	const struct plan *p = NULL;
	const struct admission_place where = {
		.root = m->place.root,
		.house = &m->house,
		.loads = wish->peer ? NULL : catalog_loads(m->catalog),
		.ports = m->p.ports,
	};
	struct admission a;
	int r;

	r = intake_find_plan(m, plan, &p, ret_message);
	if (r == 0)
		r = intake_check_queue(m, caller, wish->scheduled, ret_message);
	if (r == 0 && !wish->queue)
		r = intake_check_busy(m, ret_message);
	if (r < 0)
		return r;
	r = admission_check(&where, p, overrides, &a, ret_message);
	if (r < 0)
		return r;
	*ret = session_new(&m->place, intake_result(m, plan, &a, overrides, caller), plan_copy(p),
			   where.loads);
	admission_done(&a);
	return 0;
}

static int intake_start(struct sessions *m, const char *plan, const json_t *overrides,
			const struct intake_wish *wish, uid_t caller, struct session **ret,
			char **ret_message)
{
	struct session *s = NULL;
	int r;

	r = intake_check_daemon(m, ret_message);
	if (r == 0)
		r = intake_check_peer(wish->peer, ret_message);
	if (r == 0)
		r = intake_admit(m, plan, overrides, wish, caller, &s, ret_message);
	if (r < 0)
		return r;
	if (wish->peer)
		session_set_peer(s, wish->peer);
	if (wish->scheduled)
		session_set_scheduled(s, 0);
	r = store_put_session(m->p.store, s->r);
	if (r < 0) {
		*ret_message = g_strdup_printf("The session cannot be kept: %s.", g_strerror(-r));
		session_free(s);
		return -EIO;
	}
	sessions_enqueue(m, s);
	if (wish->late)
		session_skip(s, wish->late);
	*ret = s;
	return 0;
}

int sessions_start(struct sessions *m, const char *plan, const json_t *overrides, bool queue,
		   uid_t caller, struct session **ret, char **ret_message)
{
	return sessions_start_with_peer(m, plan, overrides, queue, NULL, caller, ret, ret_message);
}

int sessions_start_with_peer(struct sessions *m, const char *plan, const json_t *overrides,
			     bool queue, const struct session_peer_wish *peer, uid_t caller,
			     struct session **ret, char **ret_message)
{
	const struct intake_wish wish = { .queue = queue, .peer = peer };

	return intake_start(m, plan, overrides, &wish, caller, ret, ret_message);
}

int sessions_start_scheduled(struct sessions *m, const char *plan, const json_t *overrides,
			     bool queue, const char *late, uid_t caller, struct session **ret,
			     char **ret_message)
{
	const struct intake_wish wish = { .queue = queue, .scheduled = true, .late = late };

	return intake_start(m, plan, overrides, &wish, caller, ret, ret_message);
}

const char *const *sessions_config_dirs(const struct sessions *m)
{
	return m->p.config_dirs;
}

/* The plan alone decides, and the port if another one is wished for. */
bool sessions_lack_module(struct sessions *m, const char *plan, const json_t *overrides)
{
	const char *wish = json_string_value(json_object_get(overrides, "port"));
	const struct plan *p = NULL;
	const struct port *port;

	if (!m->p.ports || intake_check_daemon(m, NULL) < 0 ||
	    intake_find_plan(m, plan, &p, NULL) < 0 || p->role == ROLE_NONE)
		return false;
	if (!role_of_port((uint32_t)p->role))
		return !ports_module_loaded(m->p.ports);
	port = ports_find(m->p.ports, wish ?: p->port);
	return port && port->state == PORT_PRESENT;
}

/* --- left by an earlier life --- */

/* By the clock on the wall: no other was there before. Set back, it has not waited. */
static uint64_t intake_waited_ns(const struct result *old)
{
	uint64_t now_usec = clock_real_usec();

	return now_usec > old->created_usec ? (now_usec - old->created_usec) * NSEC_PER_USEC : 0;
}

static void intake_requeue(struct sessions *m, const struct result *old)
{
	g_autofree char *message = NULL;
	struct plan *plan = recover_plan(old, false, &message);
	struct session *s;

	s = session_new(&m->place, result_copy(old), plan, catalog_loads(m->catalog));
	if (session_is_scheduled(s))
		session_set_scheduled(s, intake_waited_ns(old));
	sessions_enqueue(m, s);
	if (!plan)
		session_refuse(s, EBADMSG, message);
	else if (old->peer)
		session_refuse(s, EREMOTEIO,
			       "lrtbfd was restarted, and nobody holds the connection to the peer "
			       "any more.");
}

/* Files of loads that were killed with their daemon. */
static void intake_clean_scratch(struct sessions *m)
{
	g_autofree char *message = NULL;

	if (loadset_clean_scratch(m->place.scratch_dir, &message) < 0)
		log_warning("%s", message);
}

int intake_recover(struct sessions *m)
{
	g_autoptr(GPtrArray) queued = NULL;
	g_autoptr(GPtrArray) regions = NULL;
	g_autofree char *message = NULL;
	int r;

	intake_clean_scratch(m);
	r = recover(&m->place, &queued, &regions, &message);
	if (r < 0) {
		log_error("What an earlier lrtbfd left cannot be taken up: %s",
			  message ?: g_strerror(-r));
		return r;
	}
	/* before anybody is told: what was recovered is safe, unless the disk is in trouble */
	if (regions->len > 0)
		(void)store_flush(m->p.store, INTAKE_FLUSH_NS, NULL);
	sessions_take_regions(m, regions);
	for (guint i = 0; i < queued->len; i++)
		intake_requeue(m, queued->pdata[i]);
	return 0;
}

/*
 * The newest that ended in earlier lives, for ObjectManager. Those just recovered are among
 * them.
 */
void intake_load_ended(struct sessions *m)
{
	const struct store_filter filter = {
		.state = "done,stopped,failed,interrupted,skipped",
		.owner = -1,
	};
	g_autoptr(GPtrArray) heads = NULL;
	g_autofree char *next = NULL;
	g_autofree char *message = NULL;

	if (m->p.settings->ended_shown == 0)
		return;
	if (store_list(m->p.store, &filter, "", MIN(m->p.settings->ended_shown, 1000), &heads,
		       &next, &message) < 0) {
		log_warning("Sessions of earlier lives are not shown: %s", message);
		return;
	}
	for (guint i = 0; i < heads->len; i++) {
		const struct result *head = heads->pdata[i];

		if (!sessions_find(m, head->id))
			g_queue_push_head(&m->ended,
					  session_new(&m->place, result_copy(head), NULL, NULL));
	}
}
