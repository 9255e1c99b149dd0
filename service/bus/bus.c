/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Everything after bus_connect() is asynchronous: the daemon never waits for somebody on the bus. A
 * name that is taken is an error at once; to wait in the queue for it would leave a daemon that
 * does nothing.
 */
#include "bus-internal.h"

#include "calendars.h"
#include "cleanup-bus.h"
#include "cleanup.h"
#include "importing.h"
#include "inquiry.h"
#include "irqs.h"
#include "log.h"
#include "module.h"
#include "porttrial.h"
#include "preemption.h"
#include "schedule.h"
#include "setschedule.h"
#include "sysfile.h"
#include "tie.h"
#include "transient.h"
#include <errno.h>
#include <string.h>

static int bus_open(const char *address, sd_bus **ret)
{
	sd_bus *bus = NULL;
	int r;

	if (strcmp(address, "system") == 0)
		return sd_bus_open_system(ret);
	if (strcmp(address, "user") == 0)
		return sd_bus_open_user(ret);
	r = sd_bus_new(&bus);
	if (r >= 0)
		r = sd_bus_set_address(bus, address);
	if (r >= 0)
		r = sd_bus_set_bus_client(bus, true);
	if (r >= 0)
		r = sd_bus_start(bus);
	if (r < 0) {
		sd_bus_unref(bus);
		return r;
	}
	*ret = bus;
	return 0;
}

static int on_disconnected(sd_bus_message *m, void *userdata, sd_bus_error *ret_error)
{
	struct bus *b = userdata;

	if (b->model.lost)
		b->model.lost(b->model.userdata);
	return 0;
}

static char *bus_request_name_trouble(int r)
{
	if (r == -EEXIST || r == -EALREADY)
		return g_strdup("The name org.lrtbf1 is taken on this bus: another lrtbfd runs.");
	if (r == -EPERM || r == -EACCES)
		return g_strdup(
			"The bus does not let this user own the name org.lrtbf1: see the bus "
			"policy org.lrtbf1.conf, or use --bus=user.");
	return g_strdup_printf("The name org.lrtbf1 cannot be taken: %s.", g_strerror(-r));
}

int bus_connect(const char *address, sd_event *event, struct bus **ret, char **ret_message)
{
	struct bus *b = g_new0(struct bus, 1);
	int r;

	view_init(&b->view);
	b->ties = ties_new();
	b->user = strcmp(address, "user") == 0;
	b->loads = g_ptr_array_new_with_free_func(module_load_free);
	b->imports = importings_new();
	b->inquiries = inquiries_new();
	b->calendars = calendars_new(event);
	b->schedules = g_ptr_array_new_with_free_func(schedules_free);
	r = bus_open(address, &b->bus);
	if (r >= 0)
		r = sd_bus_attach_event(b->bus, event, SD_EVENT_PRIORITY_NORMAL);
	if (r >= 0)
		r = sd_bus_match_signal(b->bus, NULL, "org.freedesktop.DBus.Local", NULL,
					"org.freedesktop.DBus.Local", "Disconnected",
					on_disconnected, b);
	if (r < 0) {
		*ret_message = g_strdup_printf("The message bus (%s) cannot be reached: %s.",
					       address, g_strerror(-r));
		bus_free(b);
		return r;
	}
	r = sd_bus_request_name(b->bus, BUS_NAME, 0);
	if (r < 0) {
		*ret_message = bus_request_name_trouble(r);
		bus_free(b);
		return r == -EEXIST || r == -EALREADY ? -EBUSY : r;
	}
	*ret = b;
	return 0;
}

const struct cage *bus_cage(struct bus *b)
{
	/* a user's systemd has none of root's rights */
	if (!b->user && !b->transient)
		b->transient = transient_new(b->bus);
	transient_clear(b->transient);
	return transient_cage(b->transient);
}

static void bus_read_kernel(struct bus *b)
{
	g_autofree char *realtime = sysfile_text(b->model.root, "sys/kernel/realtime");
	g_autofree char *version = sysfile_text(b->model.root, "proc/version");
	bool dynamic;

	b->kernel_release = sysfile_text(b->model.root, "proc/sys/kernel/osrelease");
	b->realtime = g_strcmp0(realtime, "1") == 0 ||
		      (version && preemption_from_version(version, &dynamic) == PREEMPTION_RT);
}

int bus_publish(struct bus *b, const struct bus_model *model, char **ret_message)
{
	int r;

	b->model = *model;
	bus_read_kernel(b);
	irqs_publish(b);
	b->authority = authority_new(b->bus);
	b->inhibit = inhibit_new(b->bus);
	r = manager_publish(b);
	if (r >= 0)
		r = session_publish(b);
	if (r >= 0)
		r = thread_publish(b);
	if (r >= 0)
		r = irq_publish(b);
	if (r >= 0)
		r = port_publish(b);
	if (r >= 0)
		r = sd_bus_add_object_manager(b->bus, NULL, BUS_PATH);
	if (r < 0)
		*ret_message = g_strdup_printf("The objects cannot be shown on the bus: %s.",
					       g_strerror(-r));
	return r;
}

struct bus *bus_free(struct bus *b)
{
	if (!b)
		return NULL;
	authority_free(b->authority);
	porttrial_free(b->trial);
	g_ptr_array_unref(b->imports); /* those of authority are no more */
	g_ptr_array_unref(b->inquiries);
	g_ptr_array_unref(b->loads);
	g_ptr_array_unref(b->schedules);
	calendars_free(b->calendars);
	setschedule_free(b->setting); /* those held it */
	transient_free(b->transient);
	inhibit_free(b->inhibit);
	g_hash_table_unref(b->ties);
	view_done(&b->view);
	g_free(b->kernel_release);
	g_free(b->irq_watching);
	sd_bus_flush_close_unref(b->bus);
	g_free(b);
	return NULL;
}

void bus_news(struct bus *b, enum sessions_news what, struct session *s)
{
	if (!b->authority)
		return; /* nothing is shown yet: who looks later sees it as it is then */
	/* an object is there before the signal that names it, and still when it has ended */
	session_news(b, what, s);
	manager_news(b, what, s);
}
