/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Arguments are checked as far as that needs no model before anybody is asked for a password, and
 * kept, since the message cannot be read twice: polkit may take minutes to answer.
 */
#include "start.h"

#include "bus-internal.h"
#include "cleanup.h"
#include "errors.h"
#include "options.h"
#include <errno.h>
#include <string.h>

#define START_PLAN_NAME_MAX 64

static const struct option_spec start_options[] = {
	{ "duration", 's' }, { "interval", 's' },
	{ "priority", 's' }, { "policy", 's' },
	{ "cpus", 's' },     { "port", 's' },
	{ "load", 's' },     { "label", 's' },
	{ "warm_up", 's' },  { "break", 's' },
	{ "limit", 's' },    { "dma_latency", 's' },
	{ "queue", 'b' },    { NULL },
};

struct start {
	struct bus *bus;
	char *plan;
	json_t *overrides;
	bool queue;
};

static void start_free(gpointer data)
{
	struct start *s = data;

	g_free(s->plan);
	json_decref(s->overrides);
	g_free(s);
}

static int start_go(sd_bus_message *call, uid_t caller, void *data, sd_bus_error *error)
{
	g_autofree char *message = NULL, *path = NULL;
	struct session *session = NULL;
	struct start *s = data;
	const char *id;
	int r;

	r = sessions_start(s->bus->model.sessions, s->plan, s->overrides, s->queue, caller,
			   &session, &message);
	if (r < 0)
		return bus_error_set(error, r, message);
	id = session_result(session)->id;
	path = session_path(id);
	r = sd_bus_reply_method_return(call, "so", id, path);
	return r < 0 ? bus_error_set(error, r, NULL) : 0;
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
		return bus_error_set(error, r, NULL);
	if (strlen(plan) > START_PLAN_NAME_MAX)
		return bus_error_setf(
			error, ESRCH,
			"There is no plan \"%.32s...\": names have at most %d letters.", plan,
			START_PLAN_NAME_MAX);
	r = options_read(m, start_options, &options, error);
	if (r < 0)
		return r;
	s = g_new0(struct start, 1);
	s->bus = b;
	s->plan = g_strdup(plan);
	s->queue = options_bool(options, "queue", true);
	json_object_del(options, "queue");
	s->overrides = g_steal_pointer(&options);
	request.data = s;
	return authority_check(b->authority, m, &request, error);
}
