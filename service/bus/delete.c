/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Two waits: for polkit, as every change, and then for the store, whose disk may take its time. The
 * caller has his answer when the session is gone for good.
 */
#include "delete.h"

#include "bus-internal.h"
#include "cleanup-bus.h"
#include "cleanup.h"
#include "errors.h"
#include "log.h"
#include "options.h"
#include <errno.h>
#include <string.h>

static const struct option_spec delete_option_specs[] = { { "force", 'b' }, { NULL } };

struct deletion {
	struct bus *bus;
	char *id;
	bool force;
	sd_bus_message *call; /* NULL until allowed */
	uid_t caller;	      /* known when allowed */
};

static void deletion_free(gpointer data)
{
	struct deletion *d = data;

	if (!d)
		return;
	sd_bus_message_unref(d->call);
	g_free(d->id);
	g_free(d);
}

static void on_session_deleted(int r, const char *message, void *userdata)
{
	g_auto(sd_bus_error) error = SD_BUS_ERROR_NULL;
	struct deletion *d = userdata;

	if (r >= 0) {
		log_write(LOG_NOTICE, d->id, "Deleted by uid %u.", (unsigned)d->caller);
		view_forget(&d->bus->view, d->id);
		r = sd_bus_reply_method_return(d->call, NULL);
	}
	if (r < 0) {
		bus_error_set(&error, r, message);
		bus_reply_error(d->call, &error);
	}
	deletion_free(d);
}

static int deletion_go(sd_bus_message *call, uid_t caller, void *data, sd_bus_error *error)
{
	struct deletion *asked = data, *d = g_new0(struct deletion, 1);
	g_autofree char *message = NULL;
	int r;

	d->bus = asked->bus;
	d->id = g_strdup(asked->id);
	d->call = sd_bus_message_ref(call);
	d->caller = caller;
	r = sessions_delete(d->bus->model.sessions, d->id, asked->force, on_session_deleted, d,
			    &message);
	if (r < 0) {
		deletion_free(d);
		return bus_error_set(error, r, message);
	}
	return 0;
}

int delete_method_delete_session(sd_bus_message *m, void *userdata, sd_bus_error *error)
{
	g_autoptr(json_t) options = NULL;
	struct bus *b = userdata;
	struct authority_request request = {
		.action = ACTION_MEASURE,
		.others_action = ACTION_MANAGE,
		.then = deletion_go,
		.free = deletion_free,
	};
	struct deletion *d;
	const char *id;
	int r;

	r = sd_bus_message_read_basic(m, 's', &id);
	if (r < 0)
		return bus_error_argument(error, r);
	r = options_read(m, delete_option_specs, &options, error);
	if (r < 0)
		return r;
	if (strcmp(id, "last") == 0 || g_str_has_prefix(id, "last:"))
		return bus_error_set(error, EINVAL,
				     "Delete wants the session's id, not a word for it.");
	r = view_set(&b->view, b->model.sessions, id, error);
	if (r < 0)
		return r;
	request.owner = b->view.result->owner;
	d = g_new0(struct deletion, 1);
	d->bus = b;
	d->id = g_strdup(id);
	d->force = options_bool(options, "force", false);
	request.data = d;
	return authority_check(b->authority, m, &request, error);
}
