/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Answered when the store has it: who marks a session and then cuts the power finds it marked.
 */
#include "keep.h"

#include "bus-internal.h"
#include "cleanup-bus.h"
#include "errors.h"
#include "log.h"
#include "options.h"

#include <errno.h>

struct keeping {
	struct bus *bus;
	char *id;
	bool keep;
	sd_bus_message *call; /* NULL until allowed */
	uid_t caller;	      /* known when allowed */
};

static void keeping_free(gpointer data)
{
	struct keeping *k = data;

	sd_bus_message_unref(k->call);
	g_free(k->id);
	g_free(k);
}

static void on_kept(int r, const char *message, void *userdata)
{
	g_auto(sd_bus_error) error = SD_BUS_ERROR_NULL;
	struct keeping *k = userdata;

	if (r >= 0) {
		log_write(LOG_NOTICE, k->id, "%s by uid %u.",
			  k->keep ? "Marked to be kept" : "No longer marked to be kept",
			  (unsigned)k->caller);
		session_marked(k->bus, k->id);
		r = sd_bus_reply_method_return(k->call, NULL);
	}
	if (r < 0) {
		bus_error_set(&error, r, message);
		bus_reply_error(k->call, &error);
	}
	keeping_free(k);
}

static int keeping_go(sd_bus_message *call, uid_t caller, void *data, sd_bus_error *error)
{
	struct keeping *asked = data, *k = g_new0(struct keeping, 1);
	g_autofree char *message = NULL;
	int r;

	*k = *asked;
	k->id = g_strdup(asked->id);
	k->call = sd_bus_message_ref(call);
	k->caller = caller;
	r = sessions_set_kept(k->bus->model.sessions, k->id, k->keep, on_kept, k, &message);
	if (r < 0) {
		keeping_free(k);
		return bus_error_set(error, r, message);
	}
	return 0;
}

int keep_method_set_keep(sd_bus_message *m, void *userdata, sd_bus_error *error)
{
	struct bus *b = userdata;
	struct authority_request request = {
		.action = ACTION_MEASURE,
		.others_action = ACTION_MANAGE,
		.owner = b->view.result->owner,
		.then = keeping_go,
		.free = keeping_free,
	};
	struct keeping *k;
	int keep, r;

	r = sd_bus_message_read_basic(m, 'b', &keep);
	if (r < 0)
		return bus_error_argument(error, r);
	r = options_read_none(m, error);
	if (r < 0)
		return r;
	k = g_new0(struct keeping, 1);
	k->bus = b;
	k->id = g_strdup(b->view.result->id);
	k->keep = keep;
	request.data = k;
	return authority_check(b->authority, m, &request, error);
}
