/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The daemon has no right to load modules and needs none. PID 1 tells whoever queued a job how it
 * ended; a job that is forgotten about ends here by itself.
 *
 * Not on a user's bus: the systemd there is another one, which may load nothing.
 */
#include "module.h"

#include "cleanup.h"
#include <errno.h>
#include <string.h>

#define SYSTEMD		"org.freedesktop.systemd1"
#define SYSTEMD_PATH	"/org/freedesktop/systemd1"
#define SYSTEMD_MANAGER "org.freedesktop.systemd1.Manager"
#define MODULE_UNIT	"modprobe@lrtbf.service"
#define MODULE_USEC	(10 * G_USEC_PER_SEC)
#define MODULE_MAX	16 /* who wait for it at one time */

struct load {
	struct bus *bus;
	module_done_t done;
	void *userdata;
	GDestroyNotify free;
	sd_bus_slot *asked, *removed;
	sd_event_source *timeout;
	char *job; /* NULL: StartUnit was not answered yet */
};

void module_load_free(gpointer data)
{
	struct load *l = data;

	sd_bus_slot_unref(l->asked);
	sd_bus_slot_unref(l->removed);
	sd_event_source_disable_unref(l->timeout);
	if (l->free && l->userdata)
		l->free(l->userdata);
	g_free(l->job);
	g_free(l);
}

static void load_end(struct load *l, int r, const char *message)
{
	module_done_t done = l->done;
	void *userdata = g_steal_pointer(&l->userdata);
	g_autofree char *kept = g_strdup(message);

	g_ptr_array_remove(l->bus->loads, l);
	done(r, kept, userdata);
}

static int on_job_removed(sd_bus_message *m, void *userdata, sd_bus_error *error)
{
	const char *job, *unit, *result;
	struct load *l = userdata;
	uint32_t id;

	if (sd_bus_message_read(m, "uoss", &id, &job, &unit, &result) < 0 || !l->job ||
	    strcmp(job, l->job) != 0)
		return 0;
	if (strcmp(result, "done") == 0)
		load_end(l, 0, NULL);
	else
		load_end(l, -ENODEV, "and " MODULE_UNIT " could not load it");
	return 0;
}

static int on_start_unit(sd_bus_message *m, void *userdata, sd_bus_error *error)
{
	const sd_bus_error *e = sd_bus_message_get_error(m);
	struct load *l = userdata;
	const char *job;

	if (e || sd_bus_message_read_basic(m, 'o', &job) < 0) {
		load_end(l, -ENODEV, "and there is no systemd that would load it");
		return 0;
	}
	l->job = g_strdup(job);
	return 0;
}

static int on_load_timeout(sd_event_source *source, uint64_t usec, void *userdata)
{
	load_end(userdata, -ENODEV, "and " MODULE_UNIT " did not load it in time");
	return 0;
}

static int load_ask(struct load *l)
{
	sd_bus *bus = l->bus->bus;
	int r;

	r = sd_bus_match_signal_async(bus, &l->removed, SYSTEMD, SYSTEMD_PATH, SYSTEMD_MANAGER,
				      "JobRemoved", on_job_removed, NULL, l);
	if (r >= 0)
		r = sd_bus_call_method_async(bus, &l->asked, SYSTEMD, SYSTEMD_PATH, SYSTEMD_MANAGER,
					     "StartUnit", on_start_unit, l, "ss", MODULE_UNIT,
					     "replace");
	if (r >= 0)
		r = sd_event_add_time_relative(sd_bus_get_event(bus), &l->timeout, CLOCK_MONOTONIC,
					       MODULE_USEC, 0, on_load_timeout, l);
	return r;
}

int module_load(struct bus *b, module_done_t done, void *userdata, GDestroyNotify free,
		const char **ret_message)
{
	struct load *l;
	int r;

	if (b->user) {
		*ret_message = "and nothing on a user's bus may load it";
		return -EOPNOTSUPP;
	}
	if (b->loads->len >= MODULE_MAX) {
		*ret_message = "and too many wait for it already";
		return -EBUSY;
	}
	l = g_new0(struct load, 1);
	l->bus = b;
	r = load_ask(l);
	if (r < 0) {
		module_load_free(l);
		*ret_message = "and systemd could not be asked for it";
		return r;
	}
	l->done = done;
	l->userdata = userdata;
	l->free = free;
	g_ptr_array_add(b->loads, l);
	return 0;
}
