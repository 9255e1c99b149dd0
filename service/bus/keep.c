/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Answered when the store has it: who marks a session and then cuts the power finds it marked.
 */
#include "keep.h"

#include "bus-internal.h"
#include "cleanup-bus.h"
#include "cleanup.h"
#include "errors.h"
#include "log.h"
#include "options.h"

#include <errno.h>

static const struct option_spec keeping_options[] = { { "baseline", 's' }, { NULL } };

struct keeping {
	struct bus *bus;
	char *id;
	bool keep;
	char *baseline;	      /* NULL: as it is */
	sd_bus_message *call; /* NULL until allowed */
	uid_t caller;	      /* known when allowed */
};

static void keeping_free(gpointer data)
{
	struct keeping *k = data;

	sd_bus_message_unref(k->call);
	g_free(k->id);
	g_free(k->baseline);
	g_free(k);
}

static void keeping_log(const struct keeping *k)
{
	unsigned caller = (unsigned)k->caller;

	if (k->baseline && *k->baseline)
		log_write(LOG_NOTICE, k->id, "Made a part of baseline %s by uid %u.", k->baseline,
			  caller);
	else if (k->baseline)
		log_write(LOG_NOTICE, k->id, "No longer a part of a baseline, by uid %u.", caller);
	else
		log_write(LOG_NOTICE, k->id, "%s by uid %u.",
			  k->keep ? "Marked to be kept" : "No longer marked to be kept", caller);
}

static void on_kept(int r, const char *message, void *userdata)
{
	g_auto(sd_bus_error) error = SD_BUS_ERROR_NULL;
	struct keeping *k = userdata;

	if (r >= 0) {
		keeping_log(k);
		session_marked(k->bus, k->id);
		r = sd_bus_reply_method_return(k->call, NULL);
	}
	if (r < 0) {
		bus_error_set(&error, r, message);
		bus_reply_error(k->call, &error);
	}
	keeping_free(k);
}

/* What belongs to a baseline is kept, by the store as well: one change is enough. */
static int keeping_do(struct keeping *k, char **ret_message)
{
	struct sessions *m = k->bus->model.sessions;
	int r;

	if (!k->baseline)
		return sessions_set_kept(m, k->id, k->keep, on_kept, k, ret_message);
	if (*k->baseline)
		return sessions_set_baseline(m, k->id, k->baseline, on_kept, k, ret_message);
	r = sessions_set_kept(m, k->id, true, NULL, NULL, ret_message);
	return r < 0 ? r : sessions_set_baseline(m, k->id, "", on_kept, k, ret_message);
}

static int keeping_go(sd_bus_message *call, uid_t caller, void *data, sd_bus_error *error)
{
	struct keeping *asked = data, *k = g_new0(struct keeping, 1);
	g_autofree char *message = NULL;
	int r;

	*k = *asked;
	k->id = g_strdup(asked->id);
	k->baseline = g_strdup(asked->baseline);
	k->call = sd_bus_message_ref(call);
	k->caller = caller;
	r = keeping_do(k, &message);
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
	g_autoptr(json_t) options = NULL;
	struct keeping *k;
	int keep, r;

	r = sd_bus_message_read_basic(m, 'b', &keep);
	if (r < 0)
		return bus_error_argument(error, r);
	r = options_read(m, keeping_options, &options, error);
	if (r < 0)
		return r;
	if (!keep && options_has(options, "baseline"))
		return bus_error_set(
			error, EINVAL,
			"What belongs to a baseline is kept: option baseline goes with "
			"keep only.");
	k = g_new0(struct keeping, 1);
	k->bus = b;
	k->id = g_strdup(b->view.result->id);
	k->keep = keep;
	k->baseline = g_strdup(options_string(options, "baseline"));
	request.data = k;
	return authority_check(b->authority, m, &request, error);
}
