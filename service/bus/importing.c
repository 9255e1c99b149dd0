/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Three waits: for polkit, for a thread that reads the text (8 MiB take longer than the event loop
 * may), for the store. Whoever leaves the bus before the store has it has not imported anything.
 *
 * The content is read where it lies in the message, which is kept until then: no second copy of
 * something that large. So their number is what bounds the memory.
 */
#include "importing.h"

#include "bus-internal.h"
#include "cleanup-bus.h"
#include "dict.h"
#include "errors.h"
#include "import.h"
#include "leaver.h"
#include "log.h"
#include "options.h"
#include "rendering.h"
#include "threadjob.h"
#include <errno.h>
#include <string.h>

#define IMPORTING_MAX		 16
#define IMPORTING_MAX_PER_SENDER 2

static const struct option_spec importing_options[] = {
	{ "name", 's' }, { "label", 's' }, { "load", 's' }, { "kernel", 's' }, { NULL },
};

struct importing {
	struct bus *bus;
	sd_bus_message *call;
	char *format;
	const void *content; /* the message's */
	size_t size;
	json_t *options;
	bool begun; /* allowed: no longer polkit's */
	bool left;  /* the caller, the bus */
	uid_t caller;
	struct leaver *leaver;
	struct threadjob *job;
	/* the thread's, until it has ended */
	GPtrArray *results;
	char *message;
	int r;
};

static void importing_free(gpointer data)
{
	struct importing *i = data;

	leaver_free(i->leaver);
	threadjob_free(i->job);
	if (i->results)
		g_ptr_array_unref(i->results);
	json_decref(i->options);
	g_free(i->message);
	g_free(i->format);
	sd_bus_message_unref(i->call);
	g_free(i);
}

GPtrArray *importings_new(void)
{
	return g_ptr_array_new_with_free_func(importing_free);
}

/* polkit is done with it: unless it goes on, that was all. */
static void importing_drop(gpointer data)
{
	struct importing *i = data;

	if (!i->begun)
		g_ptr_array_remove(i->bus->imports, i);
}

static void importing_fail(struct importing *i, int r, const char *message)
{
	g_auto(sd_bus_error) error = SD_BUS_ERROR_NULL;

	/* a text that cannot be read is a bad argument, and no plan that is wrong */
	bus_error_set(&error, r == -EBADMSG ? -EINVAL : r, message);
	bus_reply_error(i->call, &error);
}

/* --- the store --- */

static int importing_reply(const struct importing *i)
{
	g_autoptr(sd_bus_message) reply = NULL;
	int r;

	r = sd_bus_message_new_method_return(i->call, &reply);
	if (r >= 0)
		r = sd_bus_message_open_container(reply, 'a', "s");
	for (guint k = 0; r >= 0 && k < i->results->len; k++)
		r = dict_text(reply, ((const struct result *)i->results->pdata[k])->id);
	if (r >= 0)
		r = sd_bus_message_close_container(reply);
	return r < 0 ? r : sd_bus_send(NULL, reply, NULL);
}

static void on_importing_kept(int r, const char *message, void *userdata)
{
	struct importing *i = userdata;
	const struct result *first = i->results->pdata[0];

	if (r == 0) {
		log_write(LOG_NOTICE, first->id,
			  "Session %s imported, the first of %u imported into plan %s by uid %u",
			  first->id, i->results->len, first->plan, (unsigned)i->caller);
		r = importing_reply(i);
	}
	if (r < 0)
		importing_fail(i, r, message);
	g_ptr_array_remove(i->bus->imports, i);
}

/*
 * From here on it is the store's, whether or not the caller waits. It counts among the imports
 * until it is kept: their number is what bounds the memory, and a disk may be slow. The store
 * answers before the bus is gone: at the latest when it is closed.
 */
static void importing_keep(struct importing *i)
{
	g_autofree char *message = NULL;
	int r = sessions_adopt(i->bus->model.sessions, i->results, i->caller, on_importing_kept, i,
			       &message);

	if (r < 0) {
		importing_fail(i, r, message);
		g_ptr_array_remove(i->bus->imports, i);
	}
}

/* --- the thread --- */

static void importing_run(void *userdata)
{
	struct importing *i = userdata;
	const struct import_options options = {
		.name = options_string(i->options, "name"),
		.label = options_string(i->options, "label"),
		.load = options_string(i->options, "load"),
		.kernel = options_string(i->options, "kernel"),
	};

	i->r = import_read(i->format, i->content, i->size, &options, (uint64_t)g_get_real_time(),
			   &i->results, &i->message);
}

static void on_importing_read(void *userdata)
{
	struct importing *i = userdata;

	i->job = threadjob_free(i->job);
	i->leaver = leaver_free(i->leaver);
	if (i->r == 0 && !i->left) {
		importing_keep(i);
		return;
	}
	if (!i->left)
		importing_fail(i, i->r, i->message);
	g_ptr_array_remove(i->bus->imports, i);
}

/* The thread cannot be broken off: it comes to its end for nothing. */
static void on_importing_left(void *userdata)
{
	((struct importing *)userdata)->left = true;
}

static int importing_go(sd_bus_message *call, uid_t caller, void *data, sd_bus_error *error)
{
	struct importing *i = data;
	int r;

	i->caller = caller;
	r = leaver_new(call, on_importing_left, i, &i->leaver);
	if (r >= 0)
		r = threadjob_new(sd_bus_get_event(i->bus->bus), importing_run, on_importing_read,
				  i, &i->job);
	if (r < 0)
		return bus_error_set(error, r, NULL);
	i->begun = true;
	return 0;
}

/* --- the call --- */

static int importing_check_number(const struct bus *b, sd_bus_message *m, sd_bus_error *error)
{
	const char *sender = sd_bus_message_get_sender(m);
	unsigned own = 0;

	for (guint i = 0; i < b->imports->len; i++) {
		const struct importing *other = b->imports->pdata[i];

		own += g_strcmp0(sd_bus_message_get_sender(other->call), sender) == 0;
	}
	if (b->imports->len < IMPORTING_MAX && own < IMPORTING_MAX_PER_SENDER)
		return 0;
	return bus_error_limit(error, "Too many imports are being read; wait for answers.");
}

static int importing_read(struct importing *i, sd_bus_message *m, sd_bus_error *error)
{
	const char *format;
	int r;

	r = sd_bus_message_read_basic(m, 's', &format);
	if (r >= 0)
		r = sd_bus_message_read_array(m, 'y', &i->content, &i->size);
	if (r < 0)
		return bus_error_argument(error, r);
	if (strlen(format) > RENDERING_FORMAT_MAX)
		return bus_error_setf(error, EINVAL, "There is no import format \"%.32s...\".",
				      format);
	if (i->size > IMPORT_SIZE_MAX)
		return bus_error_setf(error, EMSGSIZE, "At most %d MiB can be imported.",
				      IMPORT_SIZE_MAX >> 20);
	i->format = g_strdup(format);
	return options_read(m, importing_options, &i->options, error);
}

int importing_method_import(sd_bus_message *m, void *userdata, sd_bus_error *error)
{
	struct bus *b = userdata;
	struct authority_request request = {
		.action = ACTION_MEASURE,
		.owner = AUTHORITY_NO_OWNER,
		.then = importing_go,
		.free = importing_drop,
	};
	struct importing *i;
	int r;

	r = importing_check_number(b, m, error);
	if (r < 0)
		return r;
	i = g_new0(struct importing, 1);
	i->bus = b;
	i->call = sd_bus_message_ref(m);
	r = importing_read(i, m, error);
	if (r < 0) {
		importing_free(i);
		return r;
	}
	g_ptr_array_add(b->imports, i);
	request.data = i;
	return authority_check(b->authority, m, &request, error);
}

static const char *importing_format_name(size_t i)
{
	return import_formats[i] ? import_formats[i]->name : NULL;
}

int importing_property_formats(sd_bus *bus, const char *path, const char *interface,
			       const char *property, sd_bus_message *reply, void *userdata,
			       sd_bus_error *error)
{
	return rendering_append_formats(reply, importing_format_name);
}
