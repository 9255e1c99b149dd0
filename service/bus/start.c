/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Arguments are checked as far as that needs no model before anybody is asked for a password, and
 * kept, since the message cannot be read twice: polkit may take minutes to answer.
 */
#include "start.h"

#include "bus-internal.h"
#include "calendars.h"
#include "cleanup-bus.h"
#include "cleanup.h"
#include "duration.h"
#include "errors.h"
#include "module.h"
#include "options.h"
#include "tie.h"
#include <errno.h>
#include <string.h>

#define START_PLAN_NAME_MAX    64
#define START_PEER_WAIT_MIN_NS (1000ULL * 1000 * 1000)
#define START_PEER_WAIT_MAX_NS (3600 * START_PEER_WAIT_MIN_NS)

static const struct option_spec start_options[] = {
	{ "duration", 's' }, { "interval", 's' },  { "priority", 's' },
	{ "policy", 's' },   { "cpus", 's' },	   { "port", 's' },
	{ "load", 's' },     { "label", 's' },	   { "warm_up", 's' },
	{ "break", 's' },    { "limit", 's' },	   { "dma_latency", 's' },
	{ "queue", 'b' },    { "tied", 'b' },	   { "scheduled", 'b' },
	{ "peer", 's' },     { "peer_wait", 's' }, { NULL },
};

struct start {
	struct bus *bus;
	char *plan;
	json_t *overrides;
	bool queue, scheduled;
	char *late; /* a sentence: it is only kept; NULL: in time */
	/* waits for the kernel module, or for how late it is */
	sd_bus_message *call; /* NULL: it does not */
	uid_t caller;
};

struct start_company {
	char *name; /* of the peer; NULL: none */
	struct session_peer_wish peer;
	bool tied; /* to the caller */
};

static void start_free(gpointer data)
{
	struct start *s = data;

	g_free(s->plan);
	json_decref(s->overrides);
	g_free(s->late);
	sd_bus_message_unref(s->call);
	g_free(s);
}

static int start_peer_wait(const json_t *options, uint64_t *ret_ns, sd_bus_error *error)
{
	const char *text = options_string(options, "peer_wait");
	g_autofree char *why = NULL;

	if (!text)
		return 0;
	if (!options_has(options, "peer"))
		return bus_error_setf(error, EINVAL, "Option peer_wait goes with option peer.");
	if (duration_parse(text, 0, ret_ns, &why) < 0)
		return bus_error_setf(error, EINVAL, "Option peer_wait: %s", why);
	if (*ret_ns < START_PEER_WAIT_MIN_NS || *ret_ns > START_PEER_WAIT_MAX_NS)
		return bus_error_setf(error, EINVAL, "Option peer_wait is between 1s and 1h.");
	return 0;
}

/* Who else takes part: what of the options is not the plan's, taken out of them. */
static int start_take_company(json_t *options, struct start_company *ret, sd_bus_error *error)
{
	uint64_t wait_ns = 0;
	int r = start_peer_wait(options, &wait_ns, error);

	if (r < 0)
		return r;
	ret->peer.wait_ns = wait_ns;
	ret->name = g_strdup(options_string(options, "peer"));
	ret->peer.name = ret->name;
	ret->tied = ret->name || options_bool(options, "tied", false);
	(void)json_object_del(options, "peer"); /* may not be there, as the others */
	(void)json_object_del(options, "peer_wait");
	(void)json_object_del(options, "tied");
	return 0;
}

static int start_now(struct start *s, sd_bus_message *call, uid_t caller, sd_bus_error *error)
{
	g_autofree char *message = NULL, *path = NULL;
	struct start_company company = { 0 };
	struct session *session = NULL;
	const char *id;
	int r;

	r = start_take_company(s->overrides, &company, error);
	if (r < 0)
		return r;
	if (s->scheduled)
		r = sessions_start_scheduled(s->bus->model.sessions, s->plan, s->overrides,
					     s->queue, s->late, caller, &session, &message);
	else
		r = sessions_start_with_peer(s->bus->model.sessions, s->plan, s->overrides,
					     s->queue, company.name ? &company.peer : NULL, caller,
					     &session, &message);
	g_free(company.name);
	if (r < 0)
		return bus_error_set(error, r, message);
	id = session_result(session)->id;
	if (company.tied) {
		r = tie_add(s->bus, id, call);
		if (r < 0) { /* nobody would end it */
			session_caller_left(session);
			return bus_error_set(error, r, NULL);
		}
	}
	path = session_path(id);
	r = sd_bus_reply_method_return(call, "so", id, path);
	return r < 0 ? bus_error_set(error, r, NULL) : 0;
}

/* Whatever came of the module: what is still wrong then is said by the refusal. */
static void on_start_module(int r, const char *message, void *userdata)
{
	sd_bus_error error = SD_BUS_ERROR_NULL;
	struct start *s = userdata;

	if (s->bus->model.ports)
		ports_read(s->bus->model.ports);
	if (start_now(s, s->call, s->caller, &error) < 0)
		bus_reply_error(s->call, &error);
	sd_bus_error_free(&error);
	start_free(s);
}

/* What a handler has is freed when it returns: what @s has goes on in what is returned. */
static struct start *start_keep(struct start *s, sd_bus_message *call, uid_t caller)
{
	struct start *kept = g_memdup2(s, sizeof(*s));

	*s = (struct start){ 0 };
	kept->caller = caller;
	if (!kept->call)
		kept->call = sd_bus_message_ref(call);
	return kept;
}

static void start_give_back(struct start *s, struct start *kept)
{
	*s = *kept;
	g_free(kept);
}

static int start_with_module(struct start *s, sd_bus_message *call, uid_t caller,
			     sd_bus_error *error)
{
	struct start *later;
	const char *why;

	if (s->late || !sessions_lack_module(s->bus->model.sessions, s->plan, s->overrides))
		return start_now(s, call, caller, error);
	later = start_keep(s, call, caller);
	if (module_load(later->bus, on_start_module, later, start_free, &why) >= 0)
		return 0;
	start_give_back(s, later);
	return start_now(s, call, caller, error);
}

static void on_start_judged(const char *late, void *userdata)
{
	sd_bus_error error = SD_BUS_ERROR_NULL;
	struct start *s = userdata;
	g_autoptr(sd_bus_message) call = sd_bus_message_ref(s->call);

	s->late = g_strdup(late);
	if (start_with_module(s, call, s->caller, &error) < 0)
		bus_reply_error(call, &error);
	sd_bus_error_free(&error);
	start_free(s);
}

static const struct plan *start_find_plan(const struct start *s)
{
	const struct plan_entry *plans = NULL;
	size_t n = sessions_plans(s->bus->model.sessions, &plans);

	for (size_t i = 0; i < n; i++)
		if (strcmp(plans[i].name, s->plan) == 0)
			return plans[i].plan;
	return NULL;
}

static int start_go(sd_bus_message *call, uid_t caller, void *data, sd_bus_error *error)
{
	struct start *s = data, *later;
	const struct plan *p = s->scheduled ? start_find_plan(s) : NULL;
	char *late = NULL;

	if (s->scheduled && !p) {
		/* systemd may have been told of it before we were: as at its own next start */
		g_ptr_array_unref(sessions_reload(s->bus->model.sessions));
		p = start_find_plan(s);
	}
	if (!p)
		return start_with_module(s, call, caller, error);
	later = start_keep(s, call, caller);
	/* when it cannot be asked it is measured rather than skipped */
	if (calendars_judge(later->bus->calendars, p, on_start_judged, later, start_free, &late) ==
	    1)
		return 0;
	start_give_back(s, later);
	s->late = late;
	return start_with_module(s, call, caller, error);
}

/* Nobody is there who would hold the connection to a peer, or be waited for. */
static int start_check_scheduled(const json_t *options, sd_bus_error *error)
{
	if (options_has(options, "peer") || options_bool(options, "tied", false))
		return bus_error_setf(error, EINVAL,
				      "Option scheduled goes with neither peer nor tied.");
	return 0;
}

int start_method_start_session(sd_bus_message *m, void *userdata, sd_bus_error *error)
{
	struct bus *b = userdata;
	struct authority_request request = {
		.action = ACTION_MEASURE,
		.owner = AUTHORITY_NO_OWNER,
		.then = start_go,
		.free = start_free,
	};
	g_autoptr(json_t) options = NULL;
	struct start *s;
	const char *plan;
	int r;

	r = sd_bus_message_read_basic(m, 's', &plan);
	if (r < 0)
		return bus_error_argument(error, r);
	if (strlen(plan) > START_PLAN_NAME_MAX)
		return bus_error_setf(
			error, ESRCH,
			"There is no plan \"%.32s...\": names have at most %d letters.", plan,
			START_PLAN_NAME_MAX);
	r = options_read(m, start_options, &options, error);
	if (r >= 0 && options_bool(options, "scheduled", false))
		r = start_check_scheduled(options, error);
	if (r < 0)
		return r;
	s = g_new0(struct start, 1);
	s->bus = b;
	s->plan = g_strdup(plan);
	s->queue = options_bool(options, "queue", true);
	s->scheduled = options_bool(options, "scheduled", false);
	json_object_del(options, "queue");
	json_object_del(options, "scheduled");
	s->overrides = g_steal_pointer(&options);
	request.data = s;
	return authority_check(b->authority, m, &request, error);
}
